"""Decorators that keep the results of functions: `functools.cache` and its kin."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Function, LibraryName, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.memoization import MEMO
from jaxlint.knowledge.host.purity import MEMOS, MEMOS_WITH_OPTIONS
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]


def _decorator(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "user_function")
    if func is None or isinstance(func, Static):
        return LibraryName(MEMO)
    if not isinstance(func, Function):
        return func
    made = Function(func.node, func.frame, func.defaults, func.owner, func.loop)
    made.wraps = LibraryName(MEMO)
    return made


def _with_options(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return LibraryName(MEMO)


TABLE: dict[str, Handler] = {
    **dict.fromkeys(MEMOS, _decorator),
    **dict.fromkeys(MEMOS_WITH_OPTIONS, _with_options),
    MEMO: _decorator,
}

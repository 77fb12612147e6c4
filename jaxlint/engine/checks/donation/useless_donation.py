"""Donations that nothing comes of: no result fits the buffer, or nobody gives it away."""

from __future__ import annotations

from typing import Literal

from jaxlint import facts
from jaxlint.dataflow.names import chain_text
from jaxlint.engine.checks.donation.donated_arguments import is_donated
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_plain
from jaxlint.engine.domain.values import Value
from jaxlint.engine.inference.aliasing import arrays
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.syntax import ir


def compare(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, result: Value
) -> None:
    """A function that is given buffers has run for the arguments of a visible call."""
    if not record.donates or machine.dynamic.idle or record.refused:
        return
    if record.gives is not None:
        return
    _by_other_names(machine, frame, record, args)
    if not is_plain(result):
        return
    ranks = {array.rank for array in arrays(result)}
    if None in ranks:
        return
    for at, (value, place) in enumerate(args.pairs()):
        name = "" if at < len(args.positional) else _name_of(args, place)
        held = {array.rank for array in arrays(value)}
        if held and None not in held and is_donated(record, at, name) and not held & ranks:
            _emit(machine, frame, node, record, "shape", chain_text(place))


def _name_of(args: Args, place: ir.Expr) -> str:
    return next((name for name, node in args.keyword_nodes.items() if node is place), "")


def _by_other_names(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    """Numbers and names are given apart: then each counts for itself."""
    names, numbers = record.donated_names, record.donated
    func = record.func
    params = getattr(getattr(func, "node", None), "params", ())
    if names is None or not numbers:
        return
    for at in numbers:
        name = params[at].name if 0 <= at < len(params) else ""
        if name in args.keywords and name not in names:
            place = args.keyword_nodes.get(name, record.node)
            _emit(machine, frame, place, record, "name", name)


def finished(machine: Machine) -> None:
    """Judges the functions of the file that compile."""
    for record in machine.program.own_uses(machine.globals):
        if record.wrapper.compiles:
            after(machine, record)


def after(machine: Machine, record: TransformUse) -> None:
    """Whether a function that is given buffers is only called where nothing is given away."""
    if not record.donates or not record.calls or record.escaped or record.wrapped:
        return
    if record.imported or record.refused or record.frame.root is not machine.globals:
        return
    if all(not frame.trace.is_host for _, _, frame in record.calls):
        _emit(machine, record.frame, record.definition or record.node, record, "traced", "")


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    record: TransformUse,
    kind: Literal["shape", "traced", "name"],
    target: str,
) -> None:
    callee = function_name(record.func)
    machine.emit(
        facts.UselessDonation(
            machine.module, node, frame.name, kind=kind, target=target, callee=callee
        )
    )


CHECK = Check(
    "useless-donation",
    on_traced_result=compare,
    on_finish=finished,
)

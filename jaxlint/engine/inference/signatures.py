"""The signature that a callable shows, by the rules of `inspect.signature`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from jaxlint.base.dataclass import replace
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Bound,
    Descriptor,
    Function,
    LibraryName,
    Partial,
    Transformed,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.declarations import SAME_SIGNATURE
from jaxlint.syntax import ir

Params = tuple[ir.Param, ...]
Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
# The decorator that `functools.wraps(f)` gives.
WRAPPING = "functools.wraps(...)"


def shown(func: Value) -> Params | None:
    """The parameters that a callable shows, None where they are not known."""
    if isinstance(func, Transformed):
        return shown(func.func) if func.record.dotted in SAME_SIGNATURE else None
    if isinstance(func, Bound):
        return _bound(func)
    if isinstance(func, Partial):
        inner = shown(func.func)
        return None if inner is None else _partial(inner, len(func.args), func.keywords)
    if isinstance(func, Function):
        if _shows_another(func.node):
            return None if func.shows is None else shown(func.shows)
        return func.node.params
    return None


def positions(func: Value, names: Collection[str]) -> frozenset[int] | None:
    """The positions of parameters in the signature that a decorator gives to a function, None
    where that is not known; none in a signature of its own."""
    if not isinstance(func, Function) or not _shows_another(func.node):
        return frozenset()
    params = None if func.shows is None else shown(func.shows)
    if params is None:
        return None
    return frozenset(at for at, param in enumerate(params) if param.name in names)


def _wraps(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    wrapped = args.get(0, "wrapped")
    return Partial(LibraryName(WRAPPING), (), {} if wrapped is None else {"wrapped": wrapped})


def _decorated(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "wrapper")
    if isinstance(func, Function) and "__signature__" not in machine.module.source.text:
        func.shows = args.get(1, "wrapped")
    return LibraryName(WRAPPING) if func is None else func


TABLE: Mapping[str, Handler] = {"functools.wraps": _wraps, WRAPPING: _decorated}


def _bound(func: Bound) -> Params | None:
    inner = func.func.func if isinstance(func.func, Descriptor) else func.func
    params = shown(inner)
    if not params or params[0].kind in ("keyword", "kwarg"):
        return None
    return params if params[0].kind == "vararg" else params[1:]


def _partial(params: Params, taken: int, named: Collection[str]) -> Params | None:
    """What `functools.partial` leaves: a parameter that it names can be named again, and those
    behind it only be named."""
    left: list[ir.Param] = []
    by_name = False
    for param in params:
        if param.kind in ("plain", "positional") and taken:
            taken -= 1
            continue
        if param.kind == "positional" and param.name in named:
            return None
        by_name |= param.kind == "plain" and param.name in named
        if not by_name or param.kind in ("keyword", "kwarg"):
            left.append(param)
        elif param.kind == "plain":
            left.append(replace(param, kind="keyword"))
    return tuple(left)


def _shows_another(node: ir.FunctionDef) -> bool:
    """Whether a decorator makes this look like the function that it wraps."""
    return any(
        "wraps" in dotted_text(one.func if isinstance(one, ir.Call) else one).rpartition(".")[2]
        for one in node.decorators
    )


def positional_count(params: Params) -> int | None:
    """How many arguments can be passed by position, None for any number."""
    if any(param.kind == "vararg" for param in params):
        return None
    return sum(param.kind in ("plain", "positional") for param in params)


def unknown_names(params: Params, names: Collection[str]) -> list[str]:
    """Those of some names that no argument can be passed by."""
    kinds = {param.name: param.kind for param in params}
    open_ended = any(param.kind == "kwarg" for param in params)
    return sorted(
        name
        for name in names
        if kinds.get(name) in ("positional", "vararg")
        or (kinds.get(name) not in ("plain", "keyword") and not open_ended)
    )


def named_by(params: Params, numbers: Collection[int]) -> frozenset[str]:
    """The names that JAX finds for the numbers of parameters: it counts from the front alone."""
    return frozenset(p.name for at, p in enumerate(params) if p.kind == "plain" and at in numbers)

"""Calls that functions of JAX refuse, and names that JAX never had.

Source: the signatures and the names that `knowledge/tables` records of three releases.
"""

from __future__ import annotations

from operator import is_

from jaxlint.dataflow.guards import attempted, conditional, replaced
from jaxlint.dataflow.names import dotted_text, imported_names
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.knowledge.releases import PARAMETERS, POSITIONAL, TIGHTENED
from jaxlint.knowledge.signatures import RECORDED, Signature, is_unheard_of, signatures
from jaxlint.syntax import ir

_TYPE_ERRORS = frozenset({"BaseException", "Exception", "TypeError"})
_KNOWN = ("jax.", *RECORDED)
_COUNTED = ("many", "missing")
# How many parameters a message names.
_MOST_NAMED = 12


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Something of JAX is called, or of a library on top of it: with arguments that it takes."""
    if machine.dynamic.idle or not dotted.startswith(_KNOWN):
        return
    known = signatures(dotted, machine.context.newest_jax)
    if not known:
        return
    names = _given_names(frame, node, args)
    whole = args.rest is None and args.more is None and len(names) == len(args.keywords)
    count = len(args.positional)
    kind, name = known[0].refusal(count, names, whole)
    if not kind:
        return
    others = [one.refusal(count, names, whole) for one in known[1:]]
    spelled = _is_spelled(machine, node)
    # Functions that go by one name may each refuse something else.
    if not all(one and (kind in _COUNTED or other == name) for one, other in others):
        return
    if kind in _COUNTED and not (spelled and _is_written(node, dotted, args)):
        return
    if _is_told_elsewhere(dotted, kind, name) or _is_expected(machine, node, dotted):
        return
    place = args.keyword_nodes.get(name, node)
    if not _is_inside(place, node):
        place = node
    detail = _detail(known[0], kind, name)
    # Another release of a library may take it.
    unsure = not spelled or dotted.startswith(RECORDED)
    misused(machine, frame, place, f"refused-{kind}", dotted, detail, unsure=unsure)


def _given_names(frame: Frame, node: ir.Expr, args: Args) -> list[str]:
    """The names of arguments that every call gives: of what `**options` holds, those that stand in
    the display that made it, as others may be there on some paths alone."""
    given = node.args if isinstance(node, ir.Call) else ()
    starred = [one.value for one in given if one.star == "**"]
    if not starred:
        return list(args.keywords)
    sure = {one.keyword for one in given}
    for display in (term(frame, one).resolved().node for one in starred):
        items = display.items if isinstance(display, ir.Dict) else ()
        sure.update(key.value for key, _ in items if isinstance(key, ir.Const))
    return [name for name in args.keywords if name in sure]


def _detail(signature: Signature, kind: str, name: str) -> str:
    """The parameter, and those that the function has."""
    names = [one for one in signature.by_name if not one.startswith("_")]
    shown = names if len(names) <= _MOST_NAMED else []
    return " ".join((name, *(shown if kind == "unknown" else ())))


def _is_spelled(machine: Machine, node: ir.Expr) -> bool:
    """Whether code calls, or names in a call (`partial(jax.jit, ...)`), what it imports; what goes
    by another name may be one of several functions."""
    imported = imported_names(machine.sources.owner(node, machine.module))
    named = [node.func, *(one.value for one in node.args)] if isinstance(node, ir.Call) else [node]
    return any(dotted_text(one).partition(".")[0] in imported for one in named)


def _is_written(node: ir.Expr, dotted: str, args: Args) -> bool:
    """Whether the arguments are those of the call itself: what a transform hands on to a function
    is not all known."""
    if not isinstance(node, ir.Call) or isinstance(node.func, ir.Call):
        return False
    if dotted_text(node.func).rpartition(".")[2] != dotted.rpartition(".")[2]:
        return False
    given = [one.value for one in node.args if one.keyword is None]
    return len(given) == len(args.nodes) and all(map(is_, given, args.nodes))


def _is_inside(place: ir.Expr, node: ir.Expr) -> bool:
    return isinstance(node, ir.Call) and any(a.value is place for a in node.args)


def _is_told_elsewhere(dotted: str, kind: str, name: str) -> bool:
    """Whether another rule speaks of the parameter, or of the form of the call."""
    if name in PARAMETERS.get(dotted, ()):
        return True
    return kind in _COUNTED and (dotted in POSITIONAL or dotted in TIGHTENED)


def _is_expected(machine: Machine, node: ir.Node, dotted: str) -> bool:
    """Whether the code asks for the version, expects the error, or brings a function of its
    own."""
    module = machine.sources.owner(node, machine.module)
    if id(node) in conditional(module) or id(node) in attempted(module, _TYPE_ERRORS):
        return True
    if replaced(module, dotted.rpartition(".")[2]) or dotted in machine.dynamic.patched:
        return True
    # Asked last: what a call goes by is noted of it.
    return not is_uncaught(machine)


def read(machine: Machine, frame: Frame, node: ir.Node, dotted: str) -> None:
    """Code reads a name of a module of JAX."""
    if not dotted.startswith("jax.") or machine.dynamic.idle:
        return
    if not isinstance(node, (ir.Attribute, ir.ImportFrom)):
        return
    unheard = is_unheard_of(dotted, machine.context.newest_jax)
    if unheard and not _is_expected(machine, node, dotted):
        module, _, name = dotted.rpartition(".")
        misused(machine, frame, node, "unknown-name", module, name)


def imported(machine: Machine, frame: Frame, node: ir.Import | ir.ImportFrom) -> None:
    """`from jax.numpy import name`."""
    if isinstance(node, ir.ImportFrom) and not node.level:
        for name, _ in node.names or ():
            read(machine, frame, node, f"{node.module}.{name}")


CHECK = Check(
    "refused-calls",
    on_library_call=(Named(called),),
    on_library_attribute=read,
    on_import=imported,
)

"""Names of JAX that not every release has: where code uses one that went, or that warns."""

from __future__ import annotations

from collections.abc import Mapping

from jaxlint import facts
from jaxlint.dataflow.guards import conditional, replaced
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import LibraryName, Static, Unknown, Value
from jaxlint.engine.inference.definitions import term, value_of
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.releases import MESH_CONTEXT, PARAMETERS, POSITIONAL, Removal
from jaxlint.knowledge.shardings import MESHES
from jaxlint.syntax import ir

# `getattr(jax, name, ...)` asks.
_USES = (ir.Attribute, ir.Import, ir.ImportFrom)


def used(machine: Machine, frame: Frame, node: ir.Node, dotted: str) -> None:
    """Code uses a name of JAX, by an attribute or an import."""
    if not dotted.startswith("jax."):
        return
    found = lookup.removal(dotted)
    if found is not None and not machine.dynamic.idle and isinstance(node, _USES):
        _judge(machine, frame, node, dotted, found)


def given(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    bound: dict[str, tuple[Value, ir.Expr]],
    result: Value,
) -> None:
    """A function is called some of whose parameters went."""
    for name, found in PARAMETERS[dotted].items():
        if name in bound and not machine.dynamic.idle and _is_keyword(node, name):
            _judge(machine, frame, node, f"{dotted}({name}=)", found)


def by_position(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    bound: dict[str, tuple[Value, ir.Expr]],
    result: Value,
) -> None:
    """A function is called with arguments by position that have to be given by name."""
    most, found = POSITIONAL[dotted]
    given = [a for a in node.args if a.keyword is None] if isinstance(node, ir.Call) else []
    plain = not any(a.star for a in given)
    if len(given) > most and plain and not machine.dynamic.idle:
        _judge(machine, frame, node, f"{dotted}(*args)", found)


def entered(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> None:
    """`with value:`."""
    if not isinstance(value, (Static, Unknown)) or machine.dynamic.idle:
        return
    made = term(frame, node).resolved().node
    if not isinstance(made, ir.Call):
        return
    head, _, rest = dotted_text(made.func).partition(".")
    owner = value_of(frame, head)
    if isinstance(owner, LibraryName):
        dotted = lookup.canonical(f"{owner.dotted}.{rest}" if rest else owner.dotted)
        if dotted in MESHES:
            _judge(machine, frame, node, "with mesh:", MESH_CONTEXT)


def _is_keyword(node: ir.Expr, name: str) -> bool:
    return isinstance(node, ir.Call) and any(a.keyword == name for a in node.args)


def annotated(
    machine: Machine, frame: Frame, node: ir.FunctionDef, defaults: Mapping[str, Value]
) -> None:
    """The annotations of a function, which Python evaluates, or will when it is asked for them."""
    annotations = [p.annotation for p in node.params if p.annotation is not None]
    if node.returns is not None:
        annotations.append(node.returns)
    for one in walk(tuple(annotations)):
        if not isinstance(one, ir.Attribute):
            continue
        head, _, rest = dotted_text(one).partition(".")
        owner = value_of(frame, head)
        dotted = f"{owner.dotted}.{rest}" if isinstance(owner, LibraryName) else ""
        if dotted and lookup.removal(dotted) is not None and not _postpones(frame):
            # From Python 3.14 on, nobody need ever ask.
            with machine.one_of((True, False)):
                used(machine, frame, one, dotted)


def _postpones(frame: Frame) -> bool:
    """Whether a module asks that its annotations are not evaluated."""
    module = frame.root.module
    return module is None or any(
        isinstance(one, ir.ImportFrom) and one.module == "__future__" and not one.level
        for one in module.body
    )


def _judge(machine: Machine, frame: Frame, node: ir.Node, dotted: str, found: Removal) -> None:
    kind = _fate(machine, found)
    if kind == "removed":
        _report(machine, frame, node, dotted, kind, found.removed, found.instead)
    elif kind:
        _report(machine, frame, node, dotted, kind, found.deprecated, found.instead)


def _fate(machine: Machine, found: Removal) -> str:
    """What became of a name up to the newest JAX that counts, "" if nothing."""
    newest = machine.context.newest_jax
    if found.removed and newest.reaches(found.removed):
        return "removed"
    return "deprecated" if found.deprecated and newest.reaches(found.deprecated) else ""


def _renames(machine: Machine, node: ir.Node, kind: str) -> tuple[tuple[str, str], ...]:
    """The names in an import of which the same became, each with what replaces it."""
    found = []
    names, module = (node.names, node.module) if isinstance(node, ir.ImportFrom) else (None, "")
    for name, _ in names or ():
        one = lookup.removal(f"{module}.{name}")
        if one is not None and _fate(machine, one) == kind:
            found.append((name, one.instead))
    return tuple(found)


def imported(machine: Machine, frame: Frame, node: ir.Import | ir.ImportFrom) -> None:
    """An import of either form."""
    if isinstance(node, ir.Import):
        _modules(machine, frame, node)
    else:
        _members(machine, frame, node)


def _modules(machine: Machine, frame: Frame, node: ir.Import) -> None:
    """`import jax.experimental.maps`: the module, or one of the packages around it."""
    for dotted, _ in node.names:
        if dotted.startswith("jax."):
            parts = dotted.split(".")
            for last in range(2, len(parts) + 1):
                used(machine, frame, node, ".".join(parts[:last]))


def _members(machine: Machine, frame: Frame, node: ir.ImportFrom) -> None:
    """`from jax.experimental import maps`, `from jax.experimental.maps import xmap`."""
    if node.level or not (node.module == "jax" or node.module.startswith("jax.")):
        return
    parts = node.module.split(".")
    for last in range(2, len(parts) + 1):
        used(machine, frame, node, ".".join(parts[:last]))
    for name, _ in node.names or ():
        used(machine, frame, node, f"{node.module}.{name}")


def _report(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    dotted: str,
    kind: str,
    since: str,
    instead: str,
) -> None:
    module = machine.sources.owner(node, machine.module)
    if id(node) in conditional(module) or replaced(module, dotted.rpartition(".")[2]):
        return
    fact = facts.Outdated(module, node, frame.name, target=dotted, since=since, instead=instead)
    fact.kind = "removed" if kind == "removed" else "deprecated"
    fact.renames = _renames(machine, node, kind)
    names = [new for _, new in fact.renames] or [instead]
    fact.settled = all("." not in one or machine.context.newest_jax.has(one) for one in names)
    machine.emit(fact)


CHECK = Check(
    "removed-names",
    on_library_attribute=used,
    on_enter=entered,
    on_import=imported,
    on_definition=annotated,
    on_array_result=(Named(given, PARAMETERS), Named(by_position, POSITIONAL)),
)

"""Arguments of mapped functions of which nothing is known but what the function does with them.

An entry of `in_axes` that is a container does not fit an argument whose attributes the function
reads. One that is a dict does not fit an argument of which the function reads a key that the entry
lacks. One of another length than the function unpacks does not fit either.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import CONDITIONAL, bound_names, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Mapping, Sequence, Traced, Unknown, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import describe, refuse, structure
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.syntax import ir

# How many functions that hand an argument on are followed.
_DEEPEST = 2
_CONTAINERS = {"dict": dict, "list": list, "tuple": tuple}
# Loops, by the positions of their body and of the first carry, and by which parameter of the body
# the carry is.
_LOOPS = {"fori_loop": (2, 3, 1), "scan": (0, 1, 0), "while_loop": (1, 2, 0)}


def check_structures(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """Reports an entry of `in_axes` that is a container, where the function reads an attribute of
    the argument that no such container has."""
    axes = record.axes.items if isinstance(record.axes, Sequence) else None
    if axes is None or args.rest is not None:
        return
    params, func = signature(record.func), plain_function(record.func)
    for at, (axis, value) in enumerate(zip(axes, args.positional, strict=False)):
        container = _CONTAINERS.get(structure(axis))
        if container is None or func is None or at >= len(params) or not _is_open(value):
            continue
        for attr in _read(machine, func.frame, func.node, params[at].name):
            if not hasattr(container, attr):
                place = args.node(at, "", node)
                refuse(machine, frame, place, "axes-read", f"`.{attr}`", describe(axis))
                return
        odd = _unlike(axis, func.node, params[at].name)
        if odd is not None:
            refuse(machine, frame, args.node(at, "", node), *odd)
            return


def _unlike(axis: Value, func: ir.FunctionDef, name: str) -> tuple[str, str, str] | None:
    """How an entry of `in_axes` differs from what a function takes the argument apart into."""
    taken = _taken_apart(func).get(name, ())
    if isinstance(axis, Mapping) and not axis.open and axis.element is None:
        keys = (one for one in taken if isinstance(one, str) and one not in axis.items)
        key = next(keys, None)
        return None if key is None else ("axes-tree-keys", repr(key), "")
    if isinstance(axis, Sequence) and axis.items is not None:
        odd = next((one for one in taken if isinstance(one, int) and one != len(axis.items)), None)
        what = f"one that the function takes {odd} parts of"
        return None if odd is None else ("axes-tree", what, describe(axis))
    return None


@answered_once
def _taken_apart(func: ir.FunctionDef) -> dict[str, list[str | int]]:
    """The keys that a function reads of its parameters whatever happens, and into how many names
    it unpacks them."""
    found: dict[str, list[str | int]] = {}
    changed: set[str] = set()
    for statement in func.body:
        if isinstance(statement, ir.FunctionDef):
            changed.add(statement.name)
            continue
        if not isinstance(statement, (ir.Assign, ir.Return)) or statement.value is None:
            break
        targets = statement.targets if isinstance(statement, ir.Assign) else ()
        for name, part in _parts(statement.value, targets):
            if name not in changed:
                found.setdefault(name, []).append(part)
        changed |= {one.id for one in walk(targets) if isinstance(one, ir.Name)}
    return found


def _parts(value: ir.Expr, targets: tuple[ir.Expr, ...]) -> Iterator[tuple[str, str | int]]:
    """The names that an expression reads a key of, and those that are unpacked."""
    for one in walk(value, CONDITIONAL):
        if isinstance(one, ir.Subscript) and isinstance(one.value, ir.Name):
            key = one.index.value if isinstance(one.index, ir.Const) else None
            if isinstance(key, str):
                yield one.value.id, key
    if isinstance(value, ir.Name):
        yield from ((value.id, count) for count in _counts(targets))


def _counts(targets: tuple[ir.Expr, ...]) -> list[int]:
    """How many names each of several targets has that unpack something."""
    plain = [one.items for one in targets if isinstance(one, ir.Sequence)]
    return [len(one) for one in plain if not any(isinstance(item, ir.Starred) for item in one)]


def _is_open(value: Value) -> bool:
    return isinstance(value, Unknown) or (isinstance(value, Traced) and not value.leaf)


def _read(
    machine: Machine, frame: Frame, func: ir.FunctionDef, name: str, depth: int = _DEEPEST
) -> Iterator[str]:
    """The attributes that a function reads of a parameter, or functions that it hands it to."""
    nodes = [*walk(func.body)]
    inner = {one.name: one for one in nodes if isinstance(one, ir.FunctionDef)}
    own = [*walk(func.body, (ir.FunctionDef, ir.Lambda))]
    if any(name in bound_names(one) for one in own):
        return
    if not any(param.name == name for one in inner.values() for param in one.params):
        yield from _attributes(nodes, name)
    for call in own if depth else ():
        if not isinstance(call, ir.Call) or any(one.star or one.keyword for one in call.args):
            continue
        values = [one.value for one in call.args]
        loop = _LOOPS.get(dotted_text(call.func).rpartition(".")[2])
        if loop is not None and len(values) > loop[1] and _is_name(values[loop[1]], name):
            yield from _carried(values[loop[0]], inner, loop[2])
            continue
        at = next((n for n, one in enumerate(values) if _is_name(one, name)), None)
        callee = peek(machine, frame, call.func) if at is not None and is_chain(call.func) else None
        known = None if callee is None else plain_function(callee)
        params = [] if callee is None else signature(callee)
        if known is not None and at is not None and at < len(params):
            yield from _read(machine, known.frame, known.node, params[at].name, depth - 1)


def _attributes(nodes: list[ir.Node], name: str) -> Iterator[str]:
    for one in nodes:
        if isinstance(one, ir.Attribute) and _is_name(one.value, name):
            yield one.attr


def _carried(body: ir.Expr, inner: dict[str, ir.FunctionDef], at: int) -> Iterator[str]:
    """The attributes that the body of a loop reads of what it gives back as the next carry."""
    func = body.function if isinstance(body, ir.Lambda) else None
    if isinstance(body, ir.Name):
        func = inner.get(body.id)
    if func is None or at >= len(func.params):
        return
    name, nodes = func.params[at].name, [*walk(func.body)]
    given = [one.value for one in nodes if isinstance(one, ir.Return)]
    first = [one.items[0] if isinstance(one, ir.Sequence) and one.items else one for one in given]
    if given and all(one is not None and _is_name(one, name) for one in first):
        yield from _attributes(nodes, name)


def _is_name(node: ir.Expr | None, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name

"""Changes of an argument that its caller never sees.

Transforms take the containers of their arguments apart and build new ones for the body: what the
body does to these is lost, unless it returns them.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Nodes

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import bound_names, dotted_text, targets_of, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import INSIDE
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Heap,
    Instance,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
)
from jaxlint.engine.domain.values import Iterator as HeapIterator
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import innermost, plain_function
from jaxlint.syntax import ir

# The tick of a change of an object that belongs to the trace.
_DEPTH = 3
_FOUND = 6
_CHANGES = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "assign",
        "augment",
        "extend",
        "insert",
        "subscript",
        "update",
    }
)
# Where annotations come from that name no class of a library's own.
_PLAIN = frozenset({"builtins", "chex", "collections", "jaxtyping", "optax", "typing"})
_LISTED = (Sequence, HeapIterator)
_LOOPS = (ir.For, ir.While)
_STATEMENTS = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt)


def note(machine: Machine, frame: Frame, node: ir.Node, owner: Heap, how: str) -> None:
    """Code changes an object of its own trace."""
    if how in _CHANGES and frame.func is not None and frame.kind == "function":
        machine.borrow(owner)
        owner.changes.append((INSIDE, node))


def check(
    machine: Machine,
    frame: Frame,
    trace: Trace,
    node: ir.Expr,
    func: Value,
    args: Args,
    result: Value,
) -> None:
    """Reports the changes of arguments that the body of a transform neither uses nor returns."""
    for at, value in enumerate(args.positional):
        _check(machine, trace, func, value, at, result)
    for name, value in args.keywords.items():
        _check(machine, trace, func, value, name, result)


def _check(
    machine: Machine, trace: Trace, func: Value, value: Value, at: int | str, result: Value
) -> None:
    if isinstance(value, Traced) and not value.leaf:
        _check_helpers(machine, trace, func, at)
    for owner in _objects([value], trace, _DEPTH):
        nodes = [node for tick, node in owner.changes if tick == INSIDE]
        plain = plain_function(func) if nodes else None
        if plain is None or _reaches(result, owner, _FOUND):
            continue
        param = at if isinstance(at, str) else _parameter(func, plain.node, at)
        if not param:
            continue
        inside = {id(one) for one in walk(plain.node.body)}
        own = [node for node in nodes if id(node) in inside]
        calls = _handed_on(plain.node, param) if len(own) < len(nodes) else []
        names = _names(plain.node, {param, *filter(None, map(_root, own))})
        seen = [*own, *calls]
        if seen and all(_is_unseen(plain.node, name, seen) for name in names):
            for node in own:
                _emit(machine, plain.node, trace, node, param)
            for call in calls:
                helper = _helper(machine, plain, call)
                within = set() if helper is None else {id(one) for one in walk(helper.node.body)}
                for node in [node for node in nodes if id(node) in within] or [call]:
                    _emit(machine, plain.node, trace, node, param, param)


def _check_helpers(machine: Machine, trace: Trace, func: Value, at: int | str) -> None:
    """Reports what helpers store in a parameter of which nothing is known but that it is handed
    to them, and that nothing looks at it behind."""
    plain = plain_function(func)
    if plain is None or plain.node.is_lambda:
        return
    name = at if isinstance(at, str) else _parameter(func, plain.node, at)
    calls = _handed_on(plain.node, name) if name else []
    if calls and _is_unseen(plain.node, name, calls) and not _is_bound_again(plain.node, name):
        for call in calls:
            helper = _helper(machine, plain, call)
            param = "" if helper is None else _given(helper, call, name)
            if helper is not None and param:
                for target in _items_stored(helper.node, param):
                    _emit(machine, plain.node, trace, target, name, name)


def _helper(machine: Machine, func: Function, call: ir.Call) -> Function | None:
    """The function that a function calls by a name of the code around it."""
    local = {bound for one in walk(func.node.body) for bound in bound_names(one)}
    local.update(param.name for param in func.node.params)
    if dotted_text(call.func).partition(".")[0] in local:
        return None
    with machine.quiet():
        helper = machine.eval(func.frame, call.func)
    return helper if isinstance(helper, Function) else None


def _given(helper: Function, call: ir.Call, name: str) -> str:
    """The parameter of a helper for which a call gives a name, "" where that is not simple."""
    if any(one.star for one in call.args):
        return ""
    for at, one in enumerate(call.args):
        if isinstance(one.value, ir.Name) and one.value.id == name:
            return one.keyword or _parameter(helper, helper.node, at)
    return ""


def _items_stored(func: ir.FunctionDef, name: str) -> Iterator[ir.Subscript]:
    """Where a function stores under a word in a parameter, and neither returns nor reads it."""
    param = next((one for one in func.params if one.name == name), None)
    if param is None or param.annotation is not None or _is_bound_again(func, name):
        return
    targets = [
        target
        for one in walk(func.body)
        for target in targets_of(one)
        if isinstance(target, ir.Subscript)
        and isinstance(target.value, ir.Name)
        and target.value.id == name
        and isinstance(target.index, ir.Const)
        and isinstance(target.index.value, str)
    ]
    if targets and _is_unseen(func, name, targets):
        yield from targets


def _parameter(func: Value, plain: ir.FunctionDef, at: int) -> str:
    """The parameter that a positional argument goes to, "" where that is not simple."""
    func = innermost(func)
    params = plain.params[1:] if isinstance(func, Bound) else plain.params
    simple = isinstance(func, (Function, Bound)) and at < len(params)
    return params[at].name if simple and params[at].kind in ("plain", "positional") else ""


def _handed_on(func: ir.FunctionDef, name: str) -> list[ir.Call]:
    """The statements that hand a parameter to a function, for what this does to it."""
    return _handed(func).get(name, [])


@answered_once
def _handed(func: ir.FunctionDef) -> dict[str, list[ir.Call]]:
    """The calls that are statements of a function, by the names that they hand on."""
    found: dict[str, list[ir.Call]] = {}
    for one in walk(func.body):
        call = one.value if isinstance(one, ir.ExprStmt) else None
        if isinstance(call, ir.Call):
            given = [argument.value for argument in call.args]
            for name in {value.id for value in given if isinstance(value, ir.Name)}:
                found.setdefault(name, []).append(call)
    return found


def _names(func: ir.FunctionDef, names: set[str]) -> set[str]:
    """These names and those that are bound to parts of what they hold."""
    found = set(names)
    for one in walk(func.body):
        if isinstance(one, ir.Assign) and _root(one.value) in found:
            found |= {target.id for target in one.targets if isinstance(target, ir.Name)}
    return found


def stored(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: Traced,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`param["key"] = value`, of a parameter of which nothing else is known."""
    if owner.leaf or not (isinstance(index, Static) and isinstance(index.const, str)):
        return
    func, param = frame.func, owner.trail.node
    if func is None or param not in func.params or not isinstance(target.value, ir.Name):
        return
    if _is_of_library(machine, frame, param.annotation):
        return
    name = target.value.id
    if _is_unseen(func, name, [target]) and not _is_bound_again(func, name):
        _emit(machine, func, frame.trace, target, name)


def _is_of_library(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> bool:
    """Whether an annotation names a class of a library: some are references, never copied."""
    if not isinstance(annotation, (ir.Name, ir.Attribute)):
        return False
    with machine.quiet():
        named = machine.eval(frame, annotation)
    return isinstance(named, LibraryName) and named.dotted.partition(".")[0] not in _PLAIN


def _emit(
    machine: Machine,
    func: ir.FunctionDef,
    trace: Trace,
    node: ir.Node,
    name: str,
    subject: str = "",
) -> None:
    inner: ir.Node = node
    if isinstance(inner, ir.Call):
        inner = inner.func.value if isinstance(inner.func, ir.Attribute) else node
    elif isinstance(inner, ir.Subscript):
        inner = inner.value
    subject = subject or dotted_text(inner) or name
    misused(machine, (func.name, trace.entry), node, "mutation-lost", subject, name)


# -- objects -----------------------------------------------------------------------------------


def _objects(values: list[Value], trace: Trace, depth: int) -> Iterator[Heap]:
    """The containers among arguments that were built for a trace."""
    for value in values:
        if not isinstance(value, (Sequence, Mapping, Instance)) or value.born is not trace:
            continue
        if isinstance(value, Instance) and not _is_rebuilt(value):
            continue
        yield value
        if depth:
            yield from _objects(_parts(value), trace, depth - 1)


def _is_rebuilt(value: Instance) -> bool:
    """Whether an object is made anew by JAX, and by no framework that puts its changes back."""
    return value.cls.tree in ("leaves", "some") and not value.cls.externals()


def _parts(value: Value) -> list[Value]:
    if isinstance(value, Mapping):
        found = list(value.items.values())
    elif isinstance(value, Instance):
        return list(value.fields.values())
    elif isinstance(value, Union):
        return list(value.options)
    elif isinstance(value, Partial):
        return [*value.args, *value.keywords.values()]
    else:
        found = list(value.items or ()) if isinstance(value, _LISTED) else []
    element = getattr(value, "element", None)
    return found if element is None else [*found, element]


def _reaches(value: Value, owner: Heap, depth: int) -> bool:
    if value is owner:
        return True
    return depth > 0 and any(_reaches(one, owner, depth - 1) for one in _parts(value))


# -- uses --------------------------------------------------------------------------------------


def _root(node: ir.Node) -> str | None:
    """The name of the object of which a target or a method call changes a part."""
    if isinstance(node, ir.Call):
        node = node.func if isinstance(node.func, ir.Attribute) else node
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node.id if isinstance(node, ir.Name) else None


def _is_unseen(func: ir.FunctionDef, name: str, changes: Nodes[ir.Node]) -> bool:
    """Whether a function reads a name only where it changes the object, and before, outside loops
    and local functions."""
    order = list(walk(func.body))
    own = {id(change) for change in changes}
    inside: set[int] = set()
    closed: set[int] = set()
    first = 0
    for at, one in enumerate(order):
        changes_it = isinstance(one, _STATEMENTS) or (
            isinstance(one, ir.Return) and id(one.value) in own
        )
        if changes_it and any(id(part) in own for part in walk(one)):
            inside.update(id(part) for part in walk(one))
            first = first or at
        elif isinstance(one, ir.FunctionDef):
            closed.update(id(part) for part in walk(one.body))
    if not inside:
        return False
    for loop in order:
        body = list(walk(loop.body)) if isinstance(loop, _LOOPS) else []
        if any(id(part) in own for part in body):
            closed.update(id(part) for part in body if id(part) not in inside)
    for at, one in enumerate(order):
        read = isinstance(one, ir.Name) and one.id == name and id(one) not in inside
        if read and (at > first or id(one) in closed):
            return False
    return True


def _is_bound_again(func: ir.FunctionDef, name: str) -> bool:
    """Whether another name is bound to the same object, or the name to another one."""
    for one in walk(func.body):
        targets = one.targets if isinstance(one, ir.Assign) else ()
        for target in targets:
            if isinstance(target, ir.Name) and target.id == name:
                return True
        if targets and isinstance(one.value, ir.Name) and one.value.id == name:
            return True
    return False


CHECK = Check(
    "lost-updates",
    on_change=note,
    on_trace_end=check,
    on_item_store=(Typed(stored, (Traced,)),),
)

"""Whether calling a function changes anything, as far as its source tells."""

from __future__ import annotations

from functools import cache

from jaxlint.dataflow.idioms import looked_in, remembered
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.checks.immutability.references import is_name
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    LibraryName,
    Mapping,
    Method,
    Partial,
    Sequence,
    Value,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import innermost
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.purity import (
    BODIES,
    IN_PLACE_METHODS,
    KEY_FUNCTIONS,
    MUTATORS,
    PURE,
    PURE_BUILTINS,
    PURE_NAMES,
    READS,
    REPLACING,
    REPLACING_METHODS,
    UPDATES,
    WAITS,
    WARNS,
)
from jaxlint.syntax import ir

# How deep functions that call functions are followed.
_DEPTH = 3


@cache
def is_pure_name(dotted: str) -> bool:
    """Whether calling a function of JAX's own does nothing but compute its result."""
    if dotted in WAITS or dotted in KEY_FUNCTIONS or lookup.effect(dotted) is not None:
        return False
    spec = lookup.function(dotted)
    if dotted in PURE_NAMES:
        return True
    return dotted.startswith(PURE) and spec is not None and spec.result not in ("none", "static")


def is_pure(machine: Machine, value: Value | None, depth: int = _DEPTH) -> bool:
    """Whether a function certainly has no effects; False where that is not known."""
    func = None if value is None else innermost(value)
    while isinstance(func, (Partial, Bound)):
        func = innermost(func.func)
    if isinstance(func, LibraryName):
        pure = is_pure_name(func.dotted) or func.dotted in PURE_BUILTINS
        return pure or func.dotted in REPLACING
    if not isinstance(func, Function) or depth == 0:
        return False
    node = func.node
    if node.is_generator or node.is_async or node.globals or node.nonlocals:
        return False
    return all(_is_harmless(machine, func, one, depth) for one in walk(node.body, (ir.Lambda,)))


def _is_harmless(machine: Machine, func: Function, node: object, depth: int) -> bool:
    if isinstance(node, ir.Lambda):
        return is_pure(machine, Function(node.function, func.frame, {}), depth)
    if isinstance(node, ir.Call):
        return _calls_pure(machine, func, node, depth)
    if isinstance(node, (ir.Raise, ir.Assert, ir.With, ir.Delete, ir.Yield, ir.Await)):
        return False
    targets = node.targets if isinstance(node, ir.Assign) else ()
    if isinstance(node, (ir.AugAssign, ir.AnnAssign)):
        targets = (node.target,)
    return all(isinstance(target, (ir.Name, ir.Sequence)) for target in targets)


def _calls_pure(machine: Machine, func: Function, node: ir.Call, depth: int) -> bool:
    callee = node.func
    root = callee
    while isinstance(root, ir.Attribute):
        root = root.value
    if isinstance(callee, ir.Attribute):
        pure = is_update(callee) or lookup.method(callee.attr) is not None
        pure |= callee.attr in REPLACING_METHODS
        if pure and callee.attr not in IN_PLACE_METHODS and _is_of_array(func, root):
            return True
    if not isinstance(root, ir.Name) or root.id in func.node.bound:
        return False
    called = peek(machine, func.frame, callee)
    if isinstance(called, LibraryName) and called.dotted in BODIES:
        given = [one.value for one in node.args if one.keyword is None and not one.star]
        bodies = [given[at] for at in BODIES[called.dotted] if at < len(given)]
        return all(_is_pure_body(machine, func, body, depth - 1) for body in bodies)
    return is_pure(machine, called, depth - 1)


def _is_pure_body(machine: Machine, func: Function, node: ir.Expr, depth: int) -> bool:
    """Whether what a function hands to one of JAX's is a function without effects."""
    if isinstance(node, ir.Lambda):
        return True  # Judged where it stands.
    root = node
    while isinstance(root, ir.Attribute):
        root = root.value
    if not isinstance(root, ir.Name) or root.id in func.node.bound:
        return False
    return is_pure(machine, peek(machine, func.frame, node), depth)


def is_update(callee: ir.Expr) -> bool:
    """Whether a method is that of `x.at[...]`: a reference has some of the same names."""
    if not isinstance(callee, ir.Attribute):
        return False
    at = callee.value.value if isinstance(callee.value, ir.Subscript) else None
    if callee.attr not in UPDATES or not isinstance(at, ir.Attribute) or at.attr != "at":
        return False
    return not is_name(dotted_text(at.value))


def _is_of_array(func: Function, root: ir.Expr) -> bool:
    """Whether a method is asked of a local or of what an expression gives: modules are neither."""
    return not isinstance(root, ir.Name) or root.id in func.node.bound


# -- effects that can be seen --------------------------------------------------------------------


def visible_effect(machine: Machine, value: Value, depth: int = _DEPTH) -> str | None:
    """What a function certainly does besides computing its result, as written; None where
    nothing of that sort is seen."""
    func = innermost(value)
    owned = ""
    while isinstance(func, (Partial, Bound)):
        inner = innermost(func.func)
        if isinstance(func, Bound) and isinstance(inner, Function) and inner.node.params:
            owned = inner.node.params[0].name
        func = inner
    if isinstance(func, LibraryName):
        return func.dotted.rpartition(".")[2] if _acts(func.dotted) else None
    if isinstance(func, Method):
        return func.name if _method_acts(func) else None
    if not isinstance(func, Function) or depth == 0:
        return None
    for node in walk(func.node.body):
        found = _effect_of(machine, func, node, owned, depth)
        if found is not None:
            return found
    return None


def _acts(dotted: str) -> bool:
    kind = None if dotted in WARNS else lookup.effect(dotted)
    return kind is not None and not (kind == "io" and dotted.rpartition(".")[2] in READS)


def _writes_file(dotted: str, node: ir.Call) -> bool:
    """Whether this is `open` with a mode for writing."""
    modes = [given.value for given in node.args[1:2] if given.keyword is None]
    modes += [given.value for given in node.args if given.keyword == "mode"]
    text = modes[0].value if modes and isinstance(modes[0], ir.Const) else ""
    return dotted.endswith(".open") and isinstance(text, str) and not {*text}.isdisjoint("awx+")


def _method_acts(method: Method) -> bool:
    owner = method.owner
    if isinstance(owner, EffectfulObject):
        kind = lookup.method_effect(owner.kind, method.name)
        return kind is not None and not (kind == "io" and method.name in READS)
    changes = method.name in MUTATORS
    return changes and isinstance(owner, (Mapping, Sequence)) and not _is_fixed(owner)


def _is_fixed(owner: Mapping | Sequence) -> bool:
    return isinstance(owner, Sequence) and owner.kind in ("tuple", "shape", "range")


def _effect_of(
    machine: Machine, func: Function, node: object, owned: str, depth: int
) -> str | None:
    if isinstance(node, ir.Call):
        root = _root(node.func)
        if root is None or root in func.node.bound:
            return None
        callee = peek(machine, func.frame, node.func)
        acts = callee is not None and visible_effect(machine, callee, depth - 1) is not None
        acts |= isinstance(callee, LibraryName) and _writes_file(callee.dotted, node)
        return dotted_text(node.func) if acts else None
    targets = node.targets if isinstance(node, ir.Assign) else ()
    if isinstance(node, ir.AugAssign):
        targets = (node.target,)
    for target in targets:
        if _writes_outside(func.node, target, owned):
            return dotted_text(target) or _root(target)
    return None


def _writes_outside(func: ir.FunctionDef, target: ir.Expr, owned: str) -> bool:
    """Whether an assignment changes what is not the function's own; what is kept so as not to be
    computed again does not count."""
    root = _root(target)
    if isinstance(target, ir.Name):
        return target.id in func.globals | func.nonlocals
    if root is None or (root in func.bound and root != owned):
        return False
    if isinstance(target, ir.Subscript):
        tests = [one.test for one in walk(func.body) if isinstance(one, ir.If)]
        memos = remembered(func).union(*map(looked_in, tests))
        return dotted_text(target.value) not in memos and root not in memos
    return isinstance(target, ir.Attribute)


def _root(node: object) -> str | None:
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node.id if isinstance(node, ir.Name) else None

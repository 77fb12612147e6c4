"""Parameters of compiled functions that are Python values, by their use and by what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.dataflow.structure import bindings_in
from jaxlint.engine.checks.captures.staleness import entry_of
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir

_NAMES = frozenset(
    [
        *("train", "training", "is_training", "deterministic", "mode", "axis", "shape", "dtype"),
        *("reduction", "method", "inplace", "keepdims", "ndim", "verbose", "debug", "eval_mode"),
        *("depth", "order", "size", "length"),
    ]
)
_FLAGS = frozenset({"train", "training", "deterministic", "inplace", "verbose", "debug"})
_PREFIXES = ("n_", "num_", "use_", "is_", "with_", "return_")
_PLAIN = frozenset({"bool", "int", "str", "Callable", "Literal", "DType", "type", "Enum"})
_SINKS = (facts.Concretized, facts.ShapeNeeded, facts.StaticNeeded)
# Wrappers with an option for static parameters by name.
_JITS = frozenset({"jax.jit", "haiku.jit", "flax.nnx.jit"})


def pythonic(machine: Machine) -> Iterator[facts.ShouldBeStatic]:
    """Parameters whose traced value Python needs, or that are given what JAX does not take."""
    found: dict[int, list[facts.Fact]] = {}
    for fact in machine.collected.facts:
        if isinstance(fact, _SINKS) and fact.trail is not None:
            root = fact.trail.root()
            if (
                isinstance(root.node, ir.Param)
                and root.name
                and root.entry.application.is_plain_jit
            ):
                found.setdefault(id(root.node), []).append(fact)
    told: set[int] = set()
    for record in machine.uses():
        func = plain_function(record.func)
        if func is None or record.dotted not in _JITS or record.imported or record.expected:
            continue
        for param in func.node.params:
            if id(param) in told or param.kind not in ("plain", "keyword"):
                continue
            sinks = found.get(id(param), [])
            if sinks and _is_python(func.node, param, sinks):
                told.add(id(param))
                yield _from_sinks(machine, record, param, sinks)
            elif param.name in record.odd and _chooses(func.node, param):
                told.add(id(param))
                yield _from_call(machine, record, param)
            elif not record.sites and param.default is None and _is_switch(record, param.name):
                test = _test_of(func.node, param.name)
                if test is not None:
                    told.add(id(param))
                    yield _from_test(machine, record, param, test)


def _from_sinks(
    machine: Machine, record: TransformUse, param: ir.Param, sinks: list[facts.Fact]
) -> facts.ShouldBeStatic:
    """The parameter in place of what happens to it, as sure as the surest of that."""
    best = max(sinks, key=lambda fact: fact.confidence.value)
    made = facts.ShouldBeStatic(best.module, _node(param), function_name(record.func), best.entry)
    root = best.trail.root() if best.trail is not None else None
    made.parameter, made.trail, made.use = param.name, root, best.node
    made.supposed, made.unsure = best.supposed, best.unsure
    return made


def _from_call(machine: Machine, record: TransformUse, param: ir.Param) -> facts.ShouldBeStatic:
    made = facts.ShouldBeStatic(machine.module, _node(param), function_name(record.func))
    made.entry, made.parameter, made.kind = entry_of(record), param.name, "call"
    made.use = record.odd[param.name][1]
    return made


def _from_test(
    machine: Machine, record: TransformUse, param: ir.Param, test: ir.Expr
) -> facts.ShouldBeStatic:
    made = facts.ShouldBeStatic(machine.module, _node(param), function_name(record.func))
    made.entry, made.parameter, made.use, made.kind = entry_of(record), param.name, test, "test"
    # Nobody is seen to call the function: a container could be tested.
    made.supposed = made.unsure = True
    return made


def _is_switch(record: TransformUse, name: str) -> bool:
    """Whether a traced parameter, that is not bound by `partial`, is called like a flag."""
    if name not in (param.name for param in signature(record.func)):
        return False
    if record.numbers != frozenset() or record.names is None or name in record.names:
        return False
    return name in _FLAGS or name.startswith(("is_", "use_", "with_", "return_"))


def _test_of(function: ir.FunctionDef, name: str) -> ir.Expr | None:
    """A test of nothing but a parameter that is never bound again."""
    if name in bindings_in(function.body):
        return None
    for one in walk(function.body, closed=(ir.FunctionDef,)):
        if isinstance(one, (ir.If, ir.IfExp, ir.Assert)):
            test = one.test
            if isinstance(test, ir.UnaryOp) and test.op == "not":
                test = test.operand
            if isinstance(test, ir.Name) and test.id == name:
                return one.test
    return None


def _node(param: ir.Param) -> Any:
    return param


def _is_python(function: ir.FunctionDef, param: ir.Param, sinks: list[facts.Fact]) -> bool:
    """Whether a parameter says that it is a Python value, or all of its uses need one."""
    if param.annotation is not None:
        return _names_python(param.annotation)
    if isinstance(param.default, ir.Const) and isinstance(param.default.value, (bool, str)):
        return True
    if param.name not in _NAMES and not param.name.startswith(_PREFIXES):
        return False
    bound = bindings_in(function.body)
    inside = {
        id(one)
        for fact in sinks
        for node in _steps(fact)
        for shown in (node, *_made_of(node, bound))
        for one in walk(shown)
    }
    uses = [one for one in walk(function.body) if isinstance(one, ir.Name) and one.id == param.name]
    return bool(uses) and all(id(one) in inside or _is_none_test(one, function) for one in uses)


def _steps(fact: facts.Fact) -> Iterator[Any]:
    yield fact.node
    step = fact.trail
    while step is not None:
        if not isinstance(step.node, ir.Param):
            yield step.node
        step = step.parent


def _made_of(node: Any, bound: dict[str, list[tuple[Any, bool]]]) -> Iterator[Any]:
    """What the names in an expression are bound to, where that is one thing."""
    for one in walk(node):
        found = bound.get(one.id, []) if isinstance(one, ir.Name) else []
        if len(found) == 1 and isinstance(found[0][0], ir.Expr):
            yield found[0][0]


def _is_none_test(name: ir.Name, function: ir.FunctionDef) -> bool:
    for one in walk(function.body):
        if isinstance(one, ir.Compare) and one.left is name and one.ops[0] in ("is", "is not"):
            return True
    return False


def _names_python(annotation: ir.Expr) -> bool:
    """Whether an annotation names a sort of Python value."""
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        return annotation.value.partition("[")[0].rpartition(".")[2] in _PLAIN
    if isinstance(annotation, ir.BinOp):
        return _names_python(annotation.left)
    if isinstance(annotation, ir.Subscript):
        head = dotted_text(annotation.value).rpartition(".")[2]
        inner = annotation.index
        first = inner.items[0] if isinstance(inner, ir.Sequence) and inner.items else inner
        if head in ("Optional", "tuple", "Tuple", "Sequence", "list", "List"):
            return _names_python(first)
        return head in _PLAIN
    return dotted_text(annotation).rpartition(".")[2] in _PLAIN


def _chooses(function: ir.FunctionDef, param: ir.Param) -> bool:
    """Whether a function compares a parameter with constants, or calls it."""
    for one in walk(function.body):
        if isinstance(one, ir.Compare):
            sides = (one.left, *one.comparators)
            named = any(isinstance(side, ir.Name) and side.id == param.name for side in sides)
            if named and any(_is_text(side) for side in sides):
                return True
        elif isinstance(one, ir.Call) and isinstance(one.func, ir.Name):
            if one.func.id == param.name:
                return True
        elif isinstance(one, ir.Match) and dotted_text(one.subject) == param.name:
            return True
    return False


def _is_text(node: Any) -> bool:
    if isinstance(node, (ir.Sequence, ir.Dict)):
        return True
    return isinstance(node, ir.Const) and isinstance(node.value, str)

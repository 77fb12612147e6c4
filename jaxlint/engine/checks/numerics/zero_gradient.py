"""Differentiated functions whose result depends on the argument only through steps: operations
that are constant almost everywhere, so that the derivative is zero."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Traced, Value
from jaxlint.engine.inference.definitions import Scope, Term, children, parameters, returns_of
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

NOT, STEPS, SMOOTH = 0, 1, 2
_OPAQUE = (ir.Lambda, ir.Comprehension, ir.Await, ir.Yield)


def leaves(
    machine: Machine,
    frame: Frame,
    trace: Trace,
    node: ir.Expr,
    func: Value,
    args: Args,
    result: Value,
) -> None:
    """Reports a differentiated function whose derivative is zero everywhere."""
    if trace.kind != "ad" or not isinstance(func, Function):
        return
    if trace.entry is None or machine.dynamic.idle:
        return
    names = _differentiated(func, args)
    returns = returns_of(func.node)
    if not names or len(returns) != 1 or returns[0].value is None or func.node.is_generator:
        return
    inside = Frame("function", func.frame, trace, func.node)
    whole = Term(returns[0].value, Scope(inside, func.node.body, {}))
    if isinstance(whole.node, ir.Sequence) or _Dependences(names).of(whole) != STEPS:
        return
    misused(machine, (func.node.name, trace.entry), returns[0].value, "steps", sorted(names)[0])


def _differentiated(func: Function, args: Args) -> frozenset[str]:
    """The parameters that the function is differentiated by."""
    params = [p for p in func.node.params if p.kind in ("plain", "positional")]
    found = set()
    for param, value in zip(params, args.positional, strict=False):
        if isinstance(value, Traced) and value.trail.node is param:
            found.add(param.name)
    return frozenset(found)


@slotted()
class Reached:
    """How an expression depends on the parameters that are differentiated by, and on those of
    the helper that it is the result of: not at all, by steps, or smoothly."""

    level: int = NOT
    given: dict[str, int] = field(default_factory=dict)


class _Dependences:
    """How expressions depend on parameters: names are the nodes of a graph, of which each is
    visited once for each level."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        # What is known of helpers, None while one is looked at.
        self.helpers: dict[object, Reached | None] = {}

    def of(self, one: Term) -> int:
        """How an expression depends on the parameters: not at all, by steps, or smoothly."""
        return self._reached(one).level

    def _reached(self, whole: Term) -> Reached:
        found = Reached()
        stack: list[tuple[Any, int]] = [(whole.node, SMOOTH)]
        seen: dict[object, int] = {}
        while stack and found.level != SMOOTH:
            node, level = stack.pop()
            name = node.id if isinstance(node, ir.Name) else node
            if seen.get(name, NOT) >= level:
                continue
            seen[name] = level
            if isinstance(node, ir.Name):
                self._name(whole, node.id, level, stack, found)
            elif isinstance(node, _OPAQUE):
                found.level = max(found.level, level)
            elif isinstance(node, ir.Call):
                self._call(whole.inside(node), level, stack, found)
            else:
                stack += _operands(node, level)
        return found

    def _name(
        self, whole: Term, name: str, level: int, stack: list[tuple[Any, int]], found: Reached
    ) -> None:
        scope = whole.scope
        if name in scope.given:
            found.given[name] = max(found.given.get(name, NOT), level)
            return
        bound = scope.bindings(name)
        if not bound or (scope.frame.func is not None and name in parameters(scope.frame.func)):
            if name in self.names and not scope.given:
                found.level = max(found.level, level)
        elif any(expr is None for expr in bound):
            found.level = max(found.level, level)
        else:
            stack += [(expr, level) for expr in bound]

    def _call(self, one: Term, level: int, stack: list[tuple[Any, int]], found: Reached) -> None:
        node = one.node
        last = dotted_text(node.func).rpartition(".")[2]
        given = [a.value for a in node.args]
        # What is called may itself be what is differentiated: a model.
        owner = [node.func.value if isinstance(node.func, ir.Attribute) else node.func]
        parts = [*owner, *given]
        if last in numerics.STEPS or (last == "astype" and _is_whole(given)):
            stack += [(part, STEPS) for part in parts]
            return
        if last in ("where", "select") and len(given) == 3:
            stack += [(given[0], STEPS), (given[1], level), (given[2], level)]
            return
        helper = one.returned()
        if helper.node is node:
            stack += [(part, level) for part in parts]
            return
        result = self._helper(helper)
        found.level = max(found.level, min(level, result.level))
        stack += [
            (helper.scope.given[name].node, min(level, inner))
            for name, inner in result.given.items()
        ]

    def _helper(self, helper: Term) -> Reached:
        """How the result of a helper depends on what it is given."""
        scope = helper.scope
        place = (id(helper.node), scope.frame, frozenset(scope.given))
        if place in self.helpers:
            known = self.helpers[place]
            # One that calls itself may do anything.
            return Reached(SMOOTH) if known is None else known
        self.helpers[place] = None
        found = self.helpers[place] = self._reached(helper)
        return found


def _operands(node: Any, level: int) -> list[tuple[Any, int]]:
    """What an expression is computed from, and how it depends on that at best."""
    if isinstance(node, ir.Attribute) and node.attr in lookup.STATIC_ATTRIBUTES:
        return []
    if isinstance(node, ir.Subscript):
        return [(node.value, level), (node.index, STEPS)]
    return [(one, STEPS if isinstance(node, ir.Compare) else level) for one in children(node)]


def _is_whole(given: list[ir.Expr]) -> bool:
    """Whether a dtype is one of integers or truth values."""
    name = dotted_text(given[0]).rpartition(".")[2] if given else ""
    if given and isinstance(given[0], ir.Const):
        name = str(given[0].value)
    return name.startswith(("int", "uint", "bool"))


CHECK = Check(
    "zero-gradient",
    on_trace_end=leaves,
)

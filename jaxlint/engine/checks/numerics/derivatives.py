"""Operations whose derivative is not finite everywhere, and what keeps their operands away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Traced, Value
from jaxlint.engine.inference.definitions import Term, held_by
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import excerpt
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

_SMALL = ("eps", "tiny", "delta", "safe", "jitter", "epsilon")


@slotted(frozen=True)
class Danger:
    """An operation that is not differentiable everywhere, the operand that decides whether it
    is, and where that has to be."""

    use: Term
    operand: Term
    domain: str


def is_differentiated(machine: Machine, frame: Frame, value: Value) -> bool:
    """Whether a value depends on what the code around is differentiated by; by guess, any."""
    if "differentiated" not in frame.trace.ways:
        return machine.guesses
    trace: Trace | None = frame.trace
    while trace is not None and trace.kind not in ("ad", "custom"):
        trace = trace.parent
    if trace is None or trace.kind != "ad" or trace.entry is None:
        return machine.guesses
    traced = finds_traced(value)
    step = None if traced is None else traced.trail
    while step is not None:
        is_parameter = isinstance(step.node, ir.Param) and step.function == trace.entry.function
        if is_parameter or step.varies is trace.entry:
            return True
        if step.parent is None:
            return bool(step.name) and step.entry is trace.entry
        step = step.parent
    return False


def is_apart(node: Any) -> bool:
    """Whether what is inside an expression has no derivative here, or one of its own choice."""
    if isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        return name in ("where", "select", "stop_gradient", "shape")
    return isinstance(node, (ir.Compare, ir.Lambda))


def dangers_of(branch: Term) -> Iterator[Danger]:
    """The operations of an expression that are not differentiable everywhere."""
    for one in branch.parts(closed=is_apart):
        yield from of_operation(one)


def of_operation(one: Term) -> Iterator[Danger]:
    """What an operation is that is not differentiable everywhere; nothing of its operands."""
    node = one.node
    if isinstance(node, ir.BinOp) and node.op == "/":
        yield Danger(one, one.inside(node.right), "nonzero")
    elif isinstance(node, ir.BinOp) and node.op == "**":
        yield from _power(one, node.left, node.right)
    elif isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        given = [a.value for a in node.args if not a.star]
        if name in numerics.PARTIAL and given:
            at = 1 if name == "xlogy" and len(given) > 1 else 0
            yield Danger(one, one.inside(given[at]), numerics.PARTIAL[name])
        elif name in numerics.QUOTIENTS and len(given) > 1:
            yield Danger(one, one.inside(given[1]), "nonzero")
        elif name in numerics.POWERS and len(given) > 1:
            yield from _power(one, given[0], given[1])


def _power(one: Term, base: ir.Expr, exponent: ir.Expr) -> Iterator[Danger]:
    number = number_of(one.inside(exponent))
    if number is not None and (number < 1 or number != int(number)):
        domain = "nonzero" if number == int(number) else "positive"
        yield Danger(one, one.inside(base), domain)


def is_safe(operand: Term) -> bool:
    """Whether an operand is kept away from where its derivative is not finite."""
    for one in operand.parts():
        node = one.node
        if isinstance(node, ir.Call):
            if dotted_text(node.func).rpartition(".")[2] in numerics.KEEPS_AWAY:
                return True
        elif isinstance(node, ir.BinOp) and node.op in "+-":
            if any(_is_offset(one.inside(side)) for side in (node.left, node.right)):
                return True
        elif isinstance(node, ir.Name) and (_is_made_safe(one) or _comes_safe(one)):
            return True
    return False


def _is_offset(one: Term) -> bool:
    """Whether this is a number that is added to stay away from zero."""
    number = number_of(one)
    if number is not None:
        return number > 0
    last = dotted_text(one.node).rpartition(".")[2].lower()
    return any(word in last for word in _SMALL)


def _is_made_safe(one: Term) -> bool:
    """Whether some binding of a name that has several keeps its value away."""
    bound = one.scope.bindings(one.node.id)
    if any(word in one.node.id.lower() for word in _SMALL):
        return True
    return len(bound) > 1 and any(
        isinstance(part.node, ir.Call)
        and dotted_text(part.node.func).rpartition(".")[2] in numerics.KEEPS_AWAY
        for expr in bound
        if expr is not None
        for part in [one.inside(expr)]
    )


def _comes_safe(one: Term) -> bool:
    """Whether another function, which computed what a name holds, keeps it away."""
    value = held_by(one.scope.frame, one.node)
    step = value.trail if isinstance(value, Traced) else None
    while step is not None and not isinstance(step.node, ir.BinOp):
        node = step.node
        name = dotted_text(node.func).rpartition(".")[2] if isinstance(node, ir.Call) else ""
        if name in numerics.KEEPS_AWAY:
            return True
        step = step.parent
    return False


def text_of(machine: Machine, one: Term) -> str:
    """An expression as it is written."""
    module = machine.sources.owner(one.node, machine.module)
    return excerpt(module, one.node)

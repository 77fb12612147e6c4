"""Derivatives that are not finite in the branch that is not chosen: zero times infinity is NaN."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.numerics.derivatives import (
    Danger,
    dangers_of,
    is_differentiated,
    is_root,
    is_safe,
    overflows_of,
    text_of,
)
from jaxlint.engine.checks.numerics.self_differences import pairs_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Static, Value, as_traced
from jaxlint.engine.evaluation.peek import is_chain
from jaxlint.engine.inference.definitions import Term, term
from jaxlint.engine.inference.numbers import evaluated, number_of
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def selection(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    bound: dict[str, tuple[Value, ir.Expr]],
    result: Value,
) -> None:
    """A choice between arrays: the derivative of what is not chosen is computed as well."""
    decides, branches = numerics.SELECTIONS[dotted]
    if decides not in bound or isinstance(bound[decides][0], Static):
        return
    differentiated = [
        (at, name)
        for at, name in enumerate(branches)
        if name in bound and is_differentiated(machine, frame, bound[name][0])
    ]
    if not differentiated:
        return
    condition = term(frame, bound[decides][1], machine)
    chosen = {name: term(frame, bound[name][1], machine) for _, name in differentiated}
    dangers = {name: list(dangers_of(branch)) for name, branch in chosen.items()}
    tested = condition.atoms()
    for at, name in differentiated:
        elsewhere = {_key(d) for n, found in dangers.items() if n != name for d in found}
        for danger in dangers[name]:
            if _key(danger) in elsewhere or not _is_guarded(condition, danger, at == 0):
                continue
            kept = is_safe(danger.operand, tested, danger.domain)
            if not kept and not _is_told(machine, danger):
                _report(machine, frame, node, bound[name][0], danger)
                return
    for at, name in differentiated:
        for danger in overflows_of(chosen[name]):
            if _is_beyond(condition, danger, at == 0):
                _report(machine, frame, node, bound[name][0], danger)
                return


def _is_told(machine: Machine, danger: Danger) -> bool:
    """Whether an operand is certainly zero somewhere: then the operation is reported itself."""
    pairs = pairs_of(machine, danger.operand)
    return pairs is not None and pairs.made is None and (bool(pairs.axes) or is_root(danger))


def _key(danger: Danger) -> tuple[str, str]:
    return dotted_text(danger.operand.node), danger.domain


def _report(machine: Machine, frame: Frame, node: ir.Expr, value: Value, danger: Danger) -> None:
    traced = as_traced(value)
    trail = None if traced is None else traced.trail
    use, operand = text_of(machine, danger.use), text_of(machine, danger.operand)
    misused(machine, frame, node, "where-gradient", use, operand, trail)


def _is_guarded(condition: Term, danger: Danger, chosen: bool) -> bool:
    """Whether the condition keeps an operand from where its derivative is not finite."""
    if number_of(danger.operand) is not None:
        return False
    own = danger.operand.atoms()
    if not condition.atoms() & own or not _is_tested(condition, own, danger):
        return False
    if danger.domain == "not negative" and not _orders(condition):
        return False  # Only zero is left out, where the derivative is finite.
    return not _allows(condition, danger, chosen) and not _is_far(condition, danger, chosen)


def _orders(condition: Term) -> bool:
    """Whether a condition asks more of a value than whether it is equal to another one."""
    tests = [one.node for one in condition.parts() if isinstance(one.node, ir.Compare)]
    return not tests or any(op not in ("==", "!=") for test in tests for op in test.ops)


def _divided(danger: Danger) -> Term | None:
    """What is divided by the operand."""
    node = danger.use.node
    is_division = isinstance(node, ir.BinOp) and node.op == "/"
    return danger.use.inside(node.left) if is_division else None


def _is_tested(condition: Term, own: set[str], danger: Danger) -> bool:
    """Whether some test may be about an operand: `x < a + b` is not about `b`, and `x < a` not
    about whether the `a` of `x / a` is zero."""
    tests = [one for one in condition.parts() if isinstance(one.node, ir.Compare)]
    return not tests or any(_tests(test, own, _divided(danger)) for test in tests)


def _tests(test: Term, own: set[str], divided: Term | None) -> bool:
    sides = [test.inside(side) for side in (test.node.left, *test.node.comparators)]
    for at, side in enumerate(sides):
        found = side.atoms()
        sums = isinstance(side.node, ir.BinOp) and side.node.op in "+-"
        if not found & own or (sums and found - own):
            continue
        others = [one for other, one in enumerate(sides) if other != at]
        if divided is None or not any(_comes_of(one, divided, own) for one in others):
            return True
    return False


def _comes_of(one: Term, divided: Term, own: set[str]) -> bool:
    """Whether one side of a test is computed from what is divided alone, under the same names or
    from the same parameters: `jnp.abs(x) < a` for `x**2 / a`."""
    names, sources = one.atoms(), _sources(one)
    return (bool(names) and names <= divided.atoms() - own) or (
        bool(sources) and sources <= _sources(divided) - own
    )


def _sources(one: Term) -> set[str]:
    """The names and attributes that something is computed from, in terms of which the function
    computes all others."""
    named = (part for part in one.parts() if is_chain(part.node))
    return one.atoms() & {
        dotted_text(part.node) for part in named if part.resolved().node is part.node
    }


def _allows(condition: Term, danger: Danger, chosen: bool) -> bool:
    """Whether a test of the very operand chooses the branch where the derivative is not finite:
    then it guards against something else."""
    own = {_name_of(danger.operand), _name_of_root(condition, danger)} - {""}
    points = numerics.POINTS[danger.domain]
    for name, op, limit in _bounds(condition):
        if name not in own:
            continue
        if limit is None and op[0] in "<>" and max(points) <= 0:
            limit = float("inf")  # Not known, but positive, as sizes and distances are.
        if limit is not None:
            return all(_COMPARE[op](point, limit) is chosen for point in points)
    return False


def _name_of(one: Term) -> str:
    """What an operand goes by in the code that chooses."""
    return dotted_text(one.outer().node)


def _name_of_root(condition: Term, danger: Danger) -> str:
    """The tested name that a root is bound to: it is zero where its operand is."""
    node = danger.use.node
    func = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    if func.rpartition(".")[2] not in numerics.ROOTS:
        return ""
    for test in condition.parts():
        for side, _, _ in _comparisons(test.node):
            one = test.inside(side)
            if isinstance(side, ir.Name) and one.resolved().node is node:
                return _name_of(one)
    return ""


def _is_beyond(condition: Term, danger: Danger, chosen: bool) -> bool:
    """Whether the condition leaves a branch out for large operands, for which it overflows."""
    own = danger.operand.atoms() | {_name_of(danger.operand)}
    for name, op, bound in _bounds(condition):
        if bound is None or name not in own or op not in _BEYOND:
            continue
        try:
            at = evaluated(danger.operand, name, bound)
            sign = 1 if _COMPARE[op](bound + 1, bound) is not chosen else -1
            beyond = evaluated(danger.operand, name, bound + sign)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return False
        return at >= numerics.LARGE_OPERAND and beyond > at
    return False


_BEYOND = frozenset({"<", "<=", ">", ">="})


def _bounds(condition: Term) -> Iterator[tuple[str, str, float | None]]:
    """What a condition compares: a name, the operator, and the number if it is known."""
    test = condition.resolved()
    for one, op, other in _comparisons(test.node):
        number = number_of(test.inside(other))
        if name := _name_of(test.inside(one)):
            yield name, op, number
        elif isinstance(one, ir.BinOp) and one.op in "+-" and number is not None:
            # `x - 1 == 0`
            shift = number_of(test.inside(one.right))
            name = _name_of(test.inside(one.left))
            if name and shift is not None:
                limit = number - shift if one.op == "+" else number + shift
                yield name, op, limit


def _comparisons(node: Any) -> Iterator[tuple[Any, str, Any]]:
    """What a test compares with what, either way round."""
    if isinstance(node, ir.Call) and dotted_text(node.func).rpartition(".")[2] == "isclose":
        given = [one.value for one in node.args if not one.star]
        if len(given) > 1:
            yield given[0], "==", given[1]
            yield given[1], "==", given[0]
    elif isinstance(node, ir.Compare) and len(node.ops) == 1 and node.ops[0] in _COMPARE:
        yield node.left, node.ops[0], node.comparators[0]
        yield node.comparators[0], _MIRRORED[node.ops[0]], node.left


def _is_far(condition: Term, danger: Danger, chosen: bool) -> bool:
    """Whether the derivative is finite all the same wherever the condition leaves out a branch:
    tried for a few numbers on that side of the bound."""
    own = danger.operand.atoms() | {_name_of(danger.operand)}
    for name, op, bound in _bounds(condition):
        if bound is None or name not in own:
            continue
        tried = [bound, 0.0, *(bound + step for step in _STEPS)]
        left = [x for x in tried if _COMPARE[op](x, bound) is not chosen]
        try:
            values = [evaluated(danger.operand, name, x) for x in left]
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return False
        return bool(values) and numerics.is_within(danger.domain, values)
    return False


_STEPS = tuple(sign * step for step in (1e-3, 0.1, 0.5, 1.0, 3.0, 30.0) for sign in (1, -1))


CHECK = Check(
    "where-gradient",
    on_array_result=(Named(selection, numerics.SELECTIONS),),
)

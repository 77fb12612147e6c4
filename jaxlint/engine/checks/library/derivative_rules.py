"""What JAX asks of differentiation rules: a pair of a forward rule and of a `jvp` rule, and a
cotangent for each argument of a backward rule."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import takes_count
from jaxlint.engine.domain.pytrees import WHOLE, is_array, is_number
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Concrete,
    Function,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import bindings, returned, returns_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir


def gives_pair(machine: Machine, trace: Trace, rule: Value, result: Value, kind: str) -> None:
    """A forward rule gives the result and what it saves, a `jvp` rule two results."""
    count = _count(result)
    if count is not None and count != 2:
        _report(machine, trace, rule, kind, str(count))


def gives_no_more(machine: Machine, record: TransformUse) -> None:
    """A forward rule that returns what the function returns, and nothing for the backward rule:
    one of its arguments, or the result of the function."""
    plain, rules = plain_function(record.func), record.rules
    rule = rules[0] if len(rules) == 2 and record.dotted == "jax.custom_vjp" else None
    if plain is None or not isinstance(rule, Function) or rule.node.is_lambda:
        return
    names, own = _places(plain), _places(rule)
    given = [one.value for one in returns_of(rule.node)]
    if not names or own is None or len(own) != len(names) or not given:
        return
    same = dict(zip(own, names, strict=True))
    if all(_is_result(machine, record, rule, one, same) for one in given) and is_uncaught(machine):
        around = rule.node.name, None
        place = returned(rule.node)
        misused(machine, around, place, "vjp-pair", rule.node.name, "none", unsure=True)


def _is_result(
    machine: Machine, record: TransformUse, rule: Function, node: object, same: dict[str, str]
) -> bool:
    """Whether an expression of a forward rule is what the function gives for the same arguments,
    of which each name of the rule stands for one."""
    if isinstance(node, ir.Name):
        plain = plain_function(record.func)
        results = [] if plain is None else [one.value for one in returns_of(plain.node)]
        is_argument = node.id in same and not bindings(rule.node.body).get(node.id)
        return (
            is_argument
            and bool(results)
            and all(
                isinstance(one, ir.Name)
                and one.id == same[node.id]
                and plain is not None
                and not bindings(plain.node.body).get(one.id)
                for one in results
            )
        )
    if not isinstance(node, ir.Call):
        return False
    func = peek(machine, rule.frame, node.func) if is_chain(node.func) else None
    return isinstance(func, Transformed) and func.record is record


def gives_result(
    machine: Machine, trace: Trace, rule: Value, made: Value, result: Value, name: str
) -> None:
    """The first of the pair is what the function gives: as many values, an array where it gives
    one."""
    pair = made.items if isinstance(made, Sequence) else None
    if pair is None or len(pair) != 2:
        return
    given, wanted = _count(pair[0]), _count(result)
    if given is not None and wanted is not None and given != wanted:
        _report(machine, trace, rule, "vjp-result", str(given), f"{name} {wanted}")


def gives_cotangents(
    machine: Machine, trace: Trace, rule: Value, result: Value, arguments: int, name: str
) -> None:
    """A backward rule gives a tuple or list with one cotangent for each argument."""
    count = _count(result)
    if count is not None and count != arguments:
        _report(machine, trace, rule, "vjp-cotangents", str(count), f"{name} {arguments}")


def gives_shapes(
    machine: Machine, trace: Trace, rule: Value, made: Value, wanted: list[Value], kind: str
) -> None:
    """A cotangent has the shape of its argument, and a tangent that of the result. They are wrong
    for these arguments, which need not be differentiated."""
    given = made.items if isinstance(made, Sequence) else None
    if given is None or len(given) != len(wanted) or not isinstance(rule, Function):
        return
    for at, (one, other) in enumerate(zip(given, wanted, strict=True)):
        a, b = _shape(one), _shape(other)
        if a is not None and b is not None and _is_other(a, b) and is_uncaught(machine):
            around = rule.node.name, trace.entry
            place = _part(rule.node, at) if kind == "vjp-shape" else returned(rule.node)
            detail = f"{at} {_written(a)} {_written(b)}"
            misused(machine, around, place, kind, rule.node.name, detail, unsure=True)
            return


def _shape(value: Value) -> tuple[int | None, ...] | None:
    """The shape of an array of which a derivative is taken, or of a number."""
    if isinstance(value, Static):
        return () if value.kind == "float" else None
    is_tree = isinstance(value, Traced) and not value.leaf
    if not isinstance(value, (Traced, Concrete)) or is_tree or value.dtype in WHOLE:
        return None
    return dims_of(value)


def _written(shape: tuple[int | None, ...]) -> str:
    """A shape without blanks, with `n` for lengths that are not known."""
    sizes = ["n" if one is None else str(one) for one in shape]
    return f"({','.join(sizes)}{',' * (len(sizes) == 1)})"


def _is_other(one: tuple[int | None, ...], other: tuple[int | None, ...]) -> bool:
    """Whether two shapes certainly differ."""
    if len(one) != len(other):
        return True
    return any(None not in (m, n) and m != n for m, n in zip(one, other, strict=True))


def _part(function: ir.FunctionDef, at: int) -> ir.Node:
    """Where a rule returns one of several results."""
    whole = returned(function)
    items = whole.items if isinstance(whole, ir.Sequence) else ()
    return items[at] if at < len(items) else whole


def takes_arguments(machine: Machine, record: TransformUse, method: str) -> None:
    """A forward rule takes what the function takes, in the same order. The others are given the
    arguments of `nondiff_argnums` first, then two more."""
    if record.wrapper.lenient or method not in ("defvjp", "defjvp") or record.numbers is None:
        return
    plain, rules = plain_function(record.func), record.rules
    if plain is None or plain is not record.func:
        return
    names = _places(plain)
    if names is None or not all(0 <= at < len(names) for at in record.numbers):
        return
    forward = rules[0] if method == "defvjp" and len(rules) == 2 else None
    if isinstance(forward, Function) and (given := _places(forward)) is not None:
        if not takes_count(forward, len(names)):
            _refuses(machine, record, forward, "forward", len(names))
        elif given != names and set(given) == set(names):
            _refuses(machine, record, forward, "order", len(names))
    last = rules[-1] if rules and len(rules) == 1 + (method == "defvjp") else None
    wanted = len(set(record.numbers)) + 2
    if isinstance(last, Function) and not takes_count(last, wanted):
        _refuses(machine, record, last, "backward" if method == "defvjp" else "jvp", wanted)


def _places(func: Function) -> tuple[str, ...] | None:
    """The parameters of a function that takes each by position, None for another one."""
    params = func.node.params
    plain = all(one.kind in ("plain", "positional") for one in params)
    return tuple(one.name for one in params) if plain else None


def _refuses(
    machine: Machine, record: TransformUse, rule: Function, kind: str, wanted: int
) -> None:
    if not is_uncaught(machine):
        return
    name, params = function_name(record.func), len(rule.node.params)
    subject = rule.node.name if not rule.node.is_lambda else "lambda"
    detail = f"{wanted} {params} {name}"
    around = subject, None
    misused(machine, around, rule.node, f"rule-{kind}", subject, detail, unsure=kind == "order")


def _count(result: Value) -> int | None:
    """How many results there are, 0 for what is no tuple or list; None where it is not known."""
    if isinstance(result, Sequence) and result.kind in ("tuple", "list"):
        return None if result.items is None or result.element else len(result.items)
    if isinstance(result, Traced):
        return 0 if result.leaf else None
    return 0 if is_none(result) or is_number(result) or is_array(result) else None


def _report(
    machine: Machine, trace: Trace, rule: Value, kind: str, count: str, detail: str = ""
) -> None:
    if not isinstance(rule, Function) or rule.node.is_lambda:
        return
    around = rule.node.name, trace.entry
    misused(machine, around, returned(rule.node), kind, rule.node.name, f"{count} {detail}".strip())

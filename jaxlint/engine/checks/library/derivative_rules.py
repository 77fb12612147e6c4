"""What JAX asks of differentiation rules: a pair of a forward rule and of a `jvp` rule, and a
cotangent for each argument of a backward rule."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import takes_count
from jaxlint.engine.domain.pytrees import is_array, is_number
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Sequence, Traced, Value, is_none
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function


def gives_pair(machine: Machine, trace: Trace, rule: Value, result: Value, kind: str) -> None:
    """A forward rule gives the result and what it saves, a `jvp` rule two results."""
    count = _count(result)
    if count is not None and count != 2:
        _report(machine, trace, rule, kind, str(count))


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

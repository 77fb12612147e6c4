"""What JAX asks of differentiation rules: a pair of a forward rule and of a `jvp` rule, and a
cotangent for each argument of a backward rule."""

from __future__ import annotations

from jaxlint.engine.domain.pytrees import is_array, is_number
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Sequence, Traced, Value, is_none
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused


def gives_pair(machine: Machine, trace: Trace, rule: Value, result: Value, kind: str) -> None:
    """A forward rule gives the result and what it saves, a `jvp` rule two results."""
    count = _count(result)
    if count is not None and count != 2:
        _report(machine, trace, rule, kind, str(count))


def gives_cotangents(
    machine: Machine, trace: Trace, rule: Value, result: Value, arguments: int, name: str
) -> None:
    """A backward rule gives a tuple or list with one cotangent for each argument."""
    count = _count(result)
    if count is not None and count != arguments:
        _report(machine, trace, rule, "vjp-cotangents", str(count), f"{name} {arguments}")


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

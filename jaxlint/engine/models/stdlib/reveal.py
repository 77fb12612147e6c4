"""What `reveal(x)` says of a value in specifications."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.values import (
    NONE,
    Mapping,
    Ref,
    Sequence,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir


def reveal(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "") or NONE
    if isinstance(node, ir.Call) and not frame.trace.is_host:
        machine.collected.reveals.append((node, revealed(value), machine.dynamic.supposed > 0))
    return value


def revealed(value: Value, depth: int = 8) -> str:
    """How specs call a value: "traced", "static", "mixed" (one or the other) or "unknown"."""
    if finds_traced(value) is not None and not isinstance(value, TracedString):
        return "traced"
    if isinstance(value, Ref):
        return "traced"  # A reference is a tracer itself, whatever it refers to.
    if isinstance(value, Unknown) or depth == 0:
        return "unknown"
    if isinstance(value, Union):
        kinds = {revealed(option, depth - 1) for option in value.options}
        if "unknown" in kinds:
            return "unknown"
        return kinds.pop() if len(kinds) == 1 else "mixed"
    if isinstance(value, FrameworkObject):
        arrays = value.state.get("tree")
        return "static" if arrays is None else revealed(arrays, depth - 1)
    kinds = {revealed(inner, depth - 1) for inner in _held(value)}
    return next((one for one in ("traced", "unknown", "mixed") if one in kinds), "static")


def _held(value: Value) -> list[Value]:
    """What a container holds."""
    inner = list(value.items or []) if isinstance(value, Sequence) else []
    if isinstance(value, Mapping):
        inner = list(value.items.values())
    if isinstance(value, (Sequence, Mapping)) and value.element is not None:
        inner.append(value.element)
    return inner

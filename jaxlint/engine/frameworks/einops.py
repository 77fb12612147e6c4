"""einops: operations on arrays that leave tracers traced and NumPy arrays NumPy arrays.

Source: the einops documentation, "API Reference": the framework of the result is that of the
tensors that are given.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.domain.pytrees import dtype_of, is_plain, strongest
from jaxlint.engine.domain.special_values import OPERATION
from jaxlint.engine.domain.values import INT, Mapping, NumPy, Sequence, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.ecosystems.einops import (
    COMBINING,
    PACK,
    PARSE_SHAPE,
    REARRANGING,
    UNPACK,
)
from jaxlint.syntax import ir


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A function of the library is called."""
    if not args.positional or args.rest is not None:
        return None
    tensors = _tensors(args.positional if dotted == "einops.einsum" else args.positional[:1])
    if dotted in REARRANGING:
        return _operation(machine, frame, node, tensors, dtype_of(tensors[0]) if tensors else "")
    if dotted in COMBINING:
        return _operation(machine, frame, node, tensors)
    if dotted == PACK:
        packed = _operation(machine, frame, node, tensors)
        shapes = Sequence("list", None, frame.trace, Static(kind="shape"))
        return Sequence("tuple", [packed, shapes], frame.trace)
    if dotted == UNPACK:
        part = _operation(machine, frame, node, tensors)
        return Sequence("list", None, frame.trace, part)
    if dotted == PARSE_SHAPE:
        return Mapping({}, frame.trace, INT, open=True)
    return None


def _tensors(given: list[Value]) -> list[Value]:
    """The arrays among arguments: a list of them counts as one tensor, a pattern as none."""
    found: list[Value] = []
    for value in given:
        if isinstance(value, Sequence):
            found += value.items or []
            found += [] if value.element is None else [value.element]
        elif not (isinstance(value, Static) and value.kind == "str"):
            found.append(value)
    return found


def _operation(
    machine: Machine, frame: Frame, node: ir.Expr, tensors: list[Value], dtype: str = ""
) -> Value:
    if strongest(tensors) is None:
        if not tensors or not all(map(is_plain, tensors)):
            return machine.unknown(OPERATION)
        if all(isinstance(one, NumPy) for one in tensors):
            return NumPy(dtype)
    return machine.operation(frame, node, tensors, dtype)


HOOKS = Hooks(library="einops", call=call)

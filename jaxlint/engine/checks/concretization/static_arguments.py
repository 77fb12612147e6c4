"""What must be a Python value in a call of JAX, and what JAX makes of nothing but Python values."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.checks.numerics import stability
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import typed
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, finds_traced
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.unlike import made_of
from jaxlint.engine.domain.values import (
    MOST_NESTED,
    Concrete,
    LibraryName,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
    as_traced,
)
from jaxlint.engine.inference.dependence import FLAT, SHAPED
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.widths import width_of
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

Bound = dict[str, tuple[Value, ir.Expr]]

# Python values that do as well as None: who passes them may leave the argument out.
_MAY_BE_NONE = frozenset(
    [
        "axes",
        "axis",
        "dtype",
        "fill_value",
        "max_steps",
        "method",
        "mode",
        "n",
        "norm",
        "ord",
        "out_sharding",
        "precision",
        "preferred_element_type",
        "s",
        "shape",
    ]
)


def check_options(
    machine: Machine, frame: Frame, spec: FunctionSpec, dotted: str, callee: str, bound: Bound
) -> None:
    """Reports the first traced value where a call needs a static one."""
    for name, (value, place) in bound.items():
        name = name.partition("*")[0]
        layout = name in spec.layout
        # Operands may come before the subscripts, or behind.
        if layout or (name in spec.static and name != "subscripts"):
            need = "layout" if layout else "option"
            if needs_static(machine, frame, place, value, need, callee, dotted, name):
                return


def needs_static(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    value: Value,
    need: str,
    callee: str,
    dotted: str,
    name: str,
) -> bool:
    """Reports a traced value, or a tuple with one in it, where a Python value is needed."""
    for part, node in parts(value, place):
        traced = as_traced(part)
        if traced is None or traced.kind == "ad":
            continue
        machine.counters.demands += 1
        # A parameter of which nothing else is known may be None.
        unsure = not traced.leaf and part is value and name in _MAY_BE_NONE
        fact = facts.StaticNeeded(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            traced.trail,
            need="layout" if need == "layout" else "option",
            callee=callee,
            dotted=dotted,
            parameter=name,
        )
        machine.emit(fact, unsure)
        return True
    return False


def parts(value: Value, place: ir.Expr, depth: int = 2) -> list[tuple[Value, ir.Expr]]:
    """A value, or what a tuple or list of values holds, each with its expression."""
    if not depth or not isinstance(value, Sequence):
        return [(value, place)]
    if value.items is not None:
        nodes = place.items if isinstance(place, ir.Sequence) else ()
        found: list[tuple[Value, ir.Expr]] = []
        for at, item in enumerate(value.items):
            found += parts(item, nodes[at] if at < len(nodes) else place, depth - 1)
        return found
    return [] if value.element is None else parts(value.element, place, depth - 1)


# -- traced for no reason ------------------------------------------------------------------------


def converted(machine: Machine, frame: Frame, node: ir.Expr, args: Args, named: str) -> Value:
    """A call of a dtype: an array with that dtype."""
    operands, dtype = args.values(), lookup.dtype_kind(named)
    result = machine.operation(frame, node, operands, dtype, rank_of(operands[0]))
    if isinstance(result, (Traced, Concrete)):
        result.strong = width_of(named.rpartition(".")[2]) or True
    return from_python(result, operands)


def noted(
    dotted: str, spec: FunctionSpec, bound: Bound, operands: list[Value], result: Value
) -> Value:
    """The result of a function or method, with what only some functions promise."""
    name = dotted.rpartition(".")[2]
    result = from_python(
        typed(dotted, spec, bound, result), operands, name in FLAT or name in SHAPED
    )
    if isinstance(result, Traced) and not (dotted.startswith("jax.numpy.") or "." not in dotted):
        result.trail.python = False
    return made_of(name, bound, result)


def compared(machine: Machine, frame: Frame, node: ir.Compare, operands: list[Value]) -> Value:
    """The result of a comparison of arrays."""
    stability.compared(machine, frame, node, operands)
    ranks = [rank_of(operand) for operand in operands]
    rank = None if None in ranks else max(r for r in ranks if r is not None)
    return from_python(machine.operation(frame, node, operands, "bool", rank), operands)


def from_python(result: Value, operands: list[Value], flat: bool = False) -> Value:
    """The result of an operation, marked where JAX alone made it a tracer: all that goes in is
    known to Python, or was. Loops that a derivative goes through stay on its trail."""
    if not isinstance(result, Traced):
        return result
    trail = result.trail
    if operands and all(map(_is_python, operands)):
        trail.python = True
    if not flat and result.dtype not in WHOLE:
        for operand in operands:
            if isinstance(operand, Traced):
                inherit(trail, operand)
    return result


def inherit(trail: Provenance, value: Traced) -> None:
    """Notes that a derivative goes from a value to what has this trail."""
    varies = value.trail.varies or (value.trail.entry if value.kind == "ad" else None)
    trail.varies = varies or trail.varies
    trail.loop = value.trail.loop or trail.loop


def through_layer(machine: Machine, frame: Frame, node: ir.Node, operands: list[Value]) -> Value:
    """What a layer gives: a derivative goes through it from its parameters as from its inputs."""
    result = machine.operation(frame, node, operands)
    if isinstance(result, Traced):
        parts = [p for o in operands for p in (o.children() if isinstance(o, Mapping) else [o])]
        for leaf in map(finds_traced, parts):
            if leaf is not None:
                inherit(result.trail, leaf)
    return result


def _is_python(value: Value, depth: int = MOST_NESTED) -> bool:
    if isinstance(value, Traced):
        return value.trail.python
    if isinstance(value, Sequence):
        inner = value.items if depth else None
        return inner is not None and all(_is_python(one, depth - 1) for one in inner)
    return isinstance(value, (Static, NumPy, LibraryName))

"""Calls of functions with a table entry: what must be static is checked, and the result made."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.shapes import check_data
from jaxlint.engine.checks.concretization.static_arguments import noted
from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args, by_name
from jaxlint.engine.domain.dtypes import made_dtype
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.ranks import made_rank
from jaxlint.engine.domain.shapes import made_dims, with_dims
from jaxlint.engine.domain.special_values import OPERATION, OpaqueArray
from jaxlint.engine.domain.values import (
    BOOL,
    INT,
    NONE,
    SHAPE,
    STATIC,
    Concrete,
    LibraryName,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.inference.dependence import FLAT, WITH_INDICES, depends_on, handed_back
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import higher_order, shardings
from jaxlint.engine.operations.pytrees import jax_tree
from jaxlint.engine.transforms import eager_autodiff
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.shardings import LOOSE
from jaxlint.syntax import ir


def array_function(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    spec: FunctionSpec,
    dotted: str,
    args: Args,
    owner: tuple[Value, ir.Expr] | None = None,
) -> Value:
    """A call by its table entry: what must be static is checked, the result made.

    `owner` is the array whose method is called.
    """
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
    bound = by_name(spec, args)
    operands = args.values()
    if owner is not None:
        bound["self"] = owner
        operands = [owner[0], *operands]
    for heard in machine.checks.array_call:
        heard(machine, frame, spec, dotted, callee, bound)
    asked = check_data(machine, frame, spec, dotted, callee, bound, args)
    if asked is not None and not frame.trace.staged:
        # Where nothing is staged, what comes of a value that JAX refused to show is concrete.
        operands = [Concrete() if operand is asked else operand for operand in operands]
    if spec.result == "static":
        return STATIC_RESULTS.get(dotted.rpartition(".")[2], STATIC)
    if spec.result == "none":
        return NONE
    if spec.result == "object":
        return _made(machine, frame, node, spec, operands)
    first = operands[0] if operands else NONE
    name = dotted.rpartition(".")[2]
    if spec.result == "same" and not _is_leaf(first):
        if name in FLAT and not frame.trace.staged:
            first = eager_autodiff.plain(frame, first)
        return jax_tree.mapped(machine, frame, node, first)
    sources = operands if frame.trace.staged else depends_on(name, operands)
    dtype, rank = made_dtype(name, spec, bound), made_rank(name, spec, bound)
    result = machine.operation(frame, node, sources, dtype, rank)
    if type(result) is Unknown and result.reason == OPERATION and spec.result == "array":
        result = OpaqueArray(OPERATION, dtype, rank)
    result = noted(dotted, spec, bound, operands, handed_back(name, bound, operands, result))
    result = with_dims(result, made_dims(name, bound)) if result not in operands else result
    if frame.trace.shards is not None and name in LOOSE:
        result = shardings.untold(result)
    for heard in machine.checks.array_result[dotted]:
        heard(machine, frame, node, dotted, bound, result)
    if not frame.trace.staged:
        result = eager_autodiff.through_rules(frame, node, dotted, result)
    if spec.keys or spec.result == "key":
        result = sampling.called(machine, frame, node, dotted, bound, result)
    structure = _structure(spec, bound, args)
    if name in WITH_INDICES and structure in ("tuple", "list"):
        places = machine.operation(frame, node, sources, "int", rank)
        places = with_dims(places, made_dims(name, bound))
        return Sequence(structure, [result, places], frame.trace)
    if structure in ("tuple", "list"):
        return Sequence(structure, None, frame.trace, result, frame.path)
    if structure == "dict":
        return machine.unknown("dict of arrays")
    return result if structure else machine.unknown("result whose structure is not known")


def _is_leaf(value: Value) -> bool:
    """Whether a value is known to be one leaf of a pytree."""
    if isinstance(value, Traced):
        return value.leaf
    return isinstance(value, (Concrete, NumPy, Static))


def _made(
    machine: Machine, frame: Frame, node: ir.Expr, spec: FunctionSpec, operands: list[Value]
) -> Value:
    """A library object: a tuple of parts that are known, a function that makes arrays."""
    if spec.makes == "consumer":
        return Partial(LibraryName(higher_order.INITIALIZER), (), {}, frame.loop)
    kinds = {"array": machine.operation(frame, node, operands), "static": STATIC}
    parts = [kinds.get(part) or machine.unknown("library object") for part in spec.parts]
    return Sequence("tuple", parts, frame.trace) if parts else machine.unknown("library object")


STATIC_RESULTS: dict[str, Static] = {
    "shape": SHAPE,
    "broadcast_shapes": SHAPE,
    "ndim": INT,
    "size": INT,
    "axis_size": INT,
    "issubdtype": BOOL,
    "iscomplexobj": BOOL,
    "isrealobj": BOOL,
    "isscalar": BOOL,
    "can_cast": BOOL,
    "isdtype": BOOL,
    "iterable": BOOL,
}


# Flags of `restructures` that are on unless they are switched off.
_ON = frozenset({"compute_uv"})


def _structure(spec: FunctionSpec, bound: dict[str, tuple[Value, ir.Expr]], args: Args) -> str:
    """`spec.result` after the flags that change it, "" where they are not known."""
    if not spec.restructures:
        return spec.result
    if args.more is not None or args.rest is not None:
        return ""
    swapped = False
    for name in spec.restructures:
        if name not in bound:
            continue
        flag = bound[name][0]
        if not (isinstance(flag, Static) and flag.known):
            return ""
        swapped |= bool(flag.const) is (name not in _ON)
    if not swapped:
        return spec.result
    return "tuple" if spec.result == "array" else "array"

"""What derivatives ask of the functions and arguments that they are given.

Source: JAX documentation of `jax.grad`, `jax.jacrev`, `jax.jacfwd`, `jax.hessian`, `jax.jvp` and
`jax.vjp`; `tests/rules/grad-output-misuse.md` runs each of these contracts.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, is_promised
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.values import Sequence, Value, is_none
from jaxlint.engine.inference.axes import described, may_have_axes, result_has_axes
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import (
    describe,
    kind_of,
    leaves,
    refuse,
    structure,
)
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.engine.transforms.operands import refuse_operand
from jaxlint.knowledge.derivatives import (
    FORWARD_THROUGH,
    LIBRARY_GRADIENTS,
    REVERSE,
    SINGLE,
    UNPACKING,
)
from jaxlint.syntax import ir


def short(dotted: str) -> str:
    """A name as messages have it."""
    if dotted in LIBRARY_GRADIENTS:
        return LIBRARY_GRADIENTS[dotted]
    return dotted if dotted.count(".") == 1 else dotted.rpartition(".")[2]


# -- arguments -------------------------------------------------------------------------------------


def check_arguments(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """The arguments that are differentiated are made of arrays that have a derivative."""
    params = signature(record.func)
    for number in sorted(record.argnums or ()):
        if not 0 <= number < len(args.positional):
            continue
        place, value = args.node(number, "", node), args.positional[number]
        name = params[number].name if number < len(params) else ""
        about = function_name(record.func), record.dotted, name
        if refuse_operand(machine, frame, place, value, *about) or record.allows_int:
            continue
        _check_inexact(machine, frame, place, record, value)


def _check_inexact(
    machine: Machine, frame: Frame, place: ir.Expr, record: TransformUse, value: Value
) -> None:
    """What is differentiated has a derivative: whole numbers have none."""
    callee = short(record.dotted)
    for leaf in leaves(value):
        kind = kind_of(leaf)
        if is_promised(leaf):
            continue
        if kind in WHOLE:
            refuse(machine, frame, place, "grad-input", describe(leaf), callee=callee)
            return
        if record.holomorphic and kind == "float":
            refuse(machine, frame, place, "grad-real", describe(leaf), "takes", callee)
            return
        if record.holomorphic is False and kind == "complex" and record.dotted in FORWARD_THROUGH:
            refuse(machine, frame, place, "grad-complex", describe(leaf), "takes", callee)
            return


# -- results ---------------------------------------------------------------------------------------


def check_result(
    machine: Machine, frame: Frame, place: ir.Node, record: TransformUse, result: Value
) -> Value | None:
    """What is differentiated of a function's result, beside which there may be more; None where
    something is wrong with it, or nothing is known."""
    if record.has_aux is None:
        return result
    value = _without_aux(machine, frame, place, record, result) if record.has_aux else result
    if value is None or record.dotted not in REVERSE | SINGLE:
        return value
    if record.dotted in SINGLE and not _is_one_number(machine, frame, place, record, value):
        return None
    return value if _has_derivative(machine, frame, place, record, value) else None


def _without_aux(
    machine: Machine, frame: Frame, place: ir.Node, record: TransformUse, result: Value
) -> Value | None:
    """The first of the two that a function with an auxiliary value returns."""
    known = structure(result)
    items = result.items if isinstance(result, Sequence) else None
    if known == "leaf" and record.dotted in UNPACKING and rank_of(result) != 0:
        return None
    if known in ("leaf", "None", "dict") or (known and items is not None and len(items) != 2):
        refuse(machine, frame, place, "grad-aux", describe(result), callee=short(record.dotted))
        return None
    return None if items is None else items[0]


def _is_one_number(
    machine: Machine, frame: Frame, place: ir.Node, record: TransformUse, value: Value
) -> bool:
    callee, known = short(record.dotted), structure(value)
    aux = "aux" if record.has_aux else ""
    if is_none(value) and _is_left_out(record.func):
        return False
    if known not in ("leaf", ""):
        kind = "grad-none" if is_none(value) else "grad-tree"
        refuse(machine, frame, place, kind, describe(value), aux, callee)
        return False
    several = known and rank_of(value)
    if may_have_axes(value):
        several = result_has_axes(machine, record.func, 0 if aux else None)
    if several:
        refuse(machine, frame, place, "grad-output", described(value), callee=callee)
        return False
    return True


def _has_derivative(
    machine: Machine, frame: Frame, place: ir.Node, record: TransformUse, value: Value
) -> bool:
    """Whether nothing in a result is certainly of another kind of numbers than is differentiated:
    real ones, or complex ones by a function that is said to be holomorphic."""
    callee = short(record.dotted)
    for leaf in leaves(value):
        kind = kind_of(leaf)
        if is_promised(leaf) and kind != "complex":
            continue
        if kind in WHOLE:
            single = record.dotted in SINGLE
            how = "grad-output" if single else "grad-whole"
            refuse(machine, frame, place, how, describe(leaf), callee=callee)
            return False
        if kind == "complex" and record.holomorphic is False:
            refuse(machine, frame, place, "grad-complex", describe(leaf), "returns", callee)
            return False
        if kind == "float" and record.holomorphic:
            refuse(machine, frame, place, "grad-real", describe(leaf), "returns", callee)
            return False
    return True


def _is_left_out(func: Value) -> bool:
    """Whether a function is only sketched: `...` stands for its body."""
    plain = plain_function(func)
    body = () if plain is None else plain.node.body
    last = body[-1] if body else None
    return (
        isinstance(last, ir.ExprStmt)
        and isinstance(last.value, ir.Const)
        and last.value.value is Ellipsis
    )

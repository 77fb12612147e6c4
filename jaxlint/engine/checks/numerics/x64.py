"""Numbers of 64 bits where JAX has 32: dtypes that it narrows, and integers that do not fit."""

from __future__ import annotations

import re

from jaxlint.dataflow.guards import attempted
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    LibraryName,
    NumPy,
    Sequence,
    Static,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import leaves
from jaxlint.engine.reporting.violations import misused
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

# The option is named outside of comments.
_SWITCH = re.compile(r"^[^#\n]*enable_x64", re.MULTILINE | re.IGNORECASE)
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1
_DEPTH = 3
Bound = dict[str, tuple[Value, ir.Expr]]
# Parameters that say which dtype a result has.
_DTYPES = ("dtype", "new_dtype", "preferred_element_type")
_CAUGHT = frozenset({"ArithmeticError", "BaseException", "Exception", "OverflowError"})


def is_off(machine: Machine, node: ir.Node) -> bool:
    """Whether nothing in the project switches 64-bit numbers on."""
    modules, module = machine.context.modules, machine.sources.owner(node, machine.module)
    if modules is not None and module.file and modules.uses_x64(module.file):
        return False
    return not any(_SWITCH.search(m.source.text) for m in machine.sources.modules)


def dtypes_asked(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """An array function is called: it may be asked for a dtype."""
    for asked in _DTYPES:
        if asked in bound:
            dtype_asked(machine, frame, node, dotted, bound[asked])
    for value, place in bound.values():
        if type(value) is Unknown and isinstance(place, ir.Call):
            _cast_given(machine, frame, dotted, place)


def _cast_given(machine: Machine, frame: Frame, dotted: str, cast: ir.Call) -> None:
    """`jnp.sum(x.astype("float64"))` of what nothing is known of: whichever library the array is
    of, JAX computes with 32 bits. A conversion may be meant to narrow it."""
    func, given = cast.func, [one.value for one in cast.args]
    if not isinstance(func, ir.Attribute) or func.attr != "astype" or not given:
        return
    if not dotted.startswith("jax.") or dotted.rpartition(".")[2] in lookup.CONVERTERS:
        return
    asked = given[0]
    dtype = Static(asked.value) if isinstance(asked, ir.Const) else peek(machine, frame, asked)
    if dtype is not None:
        dtype_asked(machine, frame, cast, "astype", (dtype, asked))


def dtype_asked(
    machine: Machine, frame: Frame, node: ir.Expr, callee: str, dtype: tuple[Value, ir.Expr]
) -> None:
    """A JAX function or array method is asked for a dtype."""
    name = _wide(dtype[0])
    if not name and isinstance(dtype[0], Static) and not dtype[0].known:
        name = _of_numpy(frame, dtype[1])
    if name and not machine.dynamic.idle and is_off(machine, node):
        misused(machine, frame, node, "wide-dtype", callee, name)


def _wide(value: Value) -> str:
    """The dtype of 64 bits that a value stands for, "" where it stands for none."""
    if isinstance(value, Union):
        found = [_wide(option) for option in value.options if not is_none(option)]
        return found[0] if found and all(found) else ""
    if isinstance(value, LibraryName) and value.dotted.startswith(("jax.numpy.", "numpy.")):
        return numerics.WIDE_DTYPES.get(value.dotted.rpartition(".")[2], "")
    if isinstance(value, Static) and isinstance(value.const, str):
        return numerics.WIDE_DTYPES.get(value.const.lstrip("<>="), "")
    return ""


def _of_numpy(frame: Frame, node: ir.Expr) -> str:
    """The same for `np.dtype("float64")`."""
    made = term(frame, node).resolved().node
    if not (isinstance(made, ir.Call) and dotted_text(made.func).endswith(".dtype") and made.args):
        return ""
    given = made.args[0].value
    name = given.value if isinstance(given, ir.Const) else dotted_text(given).rpartition(".")[2]
    return numerics.WIDE_DTYPES.get(name, "") if isinstance(name, str) else ""


def operated(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """An operator is applied to an array, on one side at least."""
    if op == "**":
        return
    for value, place in zip(values, nodes, strict=True):
        if type(value) is Static and type(value.const) is int:
            integer_given(machine, frame, place, value, op)


def integer_given(machine: Machine, frame: Frame, node: ir.Expr, value: Value, callee: str) -> None:
    """A Python value becomes an array, or part of a computation with arrays."""
    found = _too_large(value)
    said = "" if found is None else str(found)
    if isinstance(value, NumPy) and isinstance(node, ir.Call):
        called = dotted_text(node.func)
        said = f"{called}()" if called.rpartition(".")[2] in numerics.LARGE else ""
    if said and not machine.dynamic.idle and is_off(machine, node):
        _does_not_fit(machine, frame, node, callee, said)


def tree_given(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, depth: int = _DEPTH
) -> None:
    """An argument of compiled code: each leaf becomes an array."""
    for one in leaves(value, depth):
        integer_given(machine, frame, node, one, "")


def _too_large(value: Value, depth: int = _DEPTH) -> int | None:
    """An integer that is, or is in, a value and does not fit in 32 bits."""
    if isinstance(value, Static):
        const = value.const
        if type(const) is int and not _LEAST <= const <= _MOST:
            return const
        return None
    if isinstance(value, Sequence) and value.kind in ("list", "tuple") and depth:
        items = value.items or ()
        # A float among them makes floats of all.
        if not all(_is_integral(one, depth - 1) for one in items):
            return None
        return next((n for n in (_too_large(i, depth - 1) for i in items) if n is not None), None)
    return None


def _is_integral(value: Value, depth: int) -> bool:
    if isinstance(value, Sequence):
        return depth > 0 and all(_is_integral(one, depth - 1) for one in value.items or ())
    return isinstance(value, Static) and value.kind == "int"


def constructed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """`jnp.int32(n)` and kin."""
    if not args.positional or not args.nodes:
        return
    given = args.positional[0]
    name = dotted.rpartition(".")[2]
    if name in numerics.WIDE_DTYPES:
        dtype_asked(machine, frame, node, dotted, (LibraryName(dotted), node))
    found = _too_large(given)
    if found is None or name not in numerics.RANGES:
        return
    least, most = numerics.RANGES[name]
    if not least <= found <= most and (name.endswith("32") or is_off(machine, node)):
        _does_not_fit(machine, frame, node, f"jnp.{name}", str(found))


def operands_given(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> None:
    """The operands of an array function."""
    dtype = bound.get("dtype")
    if dtype is not None and not is_none(dtype[0]):
        return
    for name, (value, place) in bound.items():
        if name.partition("*")[0] not in numerics.NOT_OPERANDS:
            integer_given(machine, frame, place, value, dotted)


def _does_not_fit(machine: Machine, frame: Frame, node: ir.Node, callee: str, number: str) -> None:
    """An integer is too large; the code around may have meant to see whether it is."""
    module = machine.sources.owner(node, machine.module)
    if id(node) not in attempted(module, _CAUGHT):
        misused(machine, frame, node, "wide-integer", callee, number)


CHECK = Check(
    "x64",
    on_array_result=(Named(dtypes_asked), Named(operands_given, numerics.COMPUTES)),
    on_dtype_call=constructed,
    on_array_operation=operated,
)

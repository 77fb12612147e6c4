"""What transformed functions are called with and give back: the contracts of the transforms."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.checks.library import counted_arguments
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import UNSURE
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Iterator,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Value,
)
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import (
    describe,
    is_leaf,
    leaves,
    refuse,
)
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.engine.transforms import differentiated
from jaxlint.engine.transforms.carries import is_scalar
from jaxlint.engine.transforms.filtered import own_arrays
from jaxlint.engine.transforms.operands import refuse_operand
from jaxlint.engine.transforms.reverse_mode import loop_in
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Transforms whose function gives arrays, whatever else it does.
_TRACED = frozenset(
    ["jax.jit", "jax.pmap", "jax.vmap", "jax.checkpoint", "jax.make_jaxpr", "jax.export.export"]
)
_NO_ARRAYS = {"str": "a string", "bytes": "bytes", "range": "a range", "dtype": "a dtype"}


def run_transformed(
    machine: Machine, record: TransformUse, trace: Trace, node: ir.Expr, args: Args
) -> Value:
    """Runs a transformed function, and examines what it gives back."""
    func = own_arrays(machine, record, trace)
    dotted = record.dotted
    result = run_in(machine, trace, node, func, args, _gained(record))
    if dotted in _TRACED:
        check_arrays(machine, trace, record.func, result)
    elif dotted in differentiated.DERIVATIVES:
        frame = Frame("function", machine.globals, trace)
        place = record.definition or record.node
        of = differentiated.check_result(machine, frame, place, record, result)
        loop = loop_in(of) if dotted in differentiated.REVERSE and of is not None else None
        if loop is not None:
            refuse(machine, frame, loop, "reverse-loop", callee=differentiated.short(dotted))
    return result


def _gained(record: TransformUse) -> int | None:
    """How many axes more the arrays have that a mapped function gives, where that is known."""
    out = record.out_axes
    whole = out is None or (isinstance(out, Static) and type(out.const) is int)
    return 1 if record.dotted == "jax.vmap" and whole else None


# -- calls ---------------------------------------------------------------------------------------


def examine_call(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """The arguments of a call have what the transform takes of them."""
    counted_arguments.check(machine, frame, node, record, args)
    if record.dotted == "jax.vmap":
        _check_axes(machine, frame, node, record, args)
    elif record.dotted in differentiated.DERIVATIVES:
        differentiated.check_arguments(machine, frame, node, record, args)
    elif record.wrapper.kind in ("jit", "remat") and isinstance(record.func, Transformed):
        # What is compiled gets the arguments as they are.
        examine_call(machine, frame, node, record.func.record, args)


def examine_axes(machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse) -> None:
    """`in_axes` of `vmap` is a number, None, or has an entry for each positional argument."""
    if record.dotted == "jax.vmap" and isinstance(record.axes, Mapping):
        refuse(machine, frame, node, "axes-kind", "a dict")


def _check_axes(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    axes = record.axes
    each = axes.items if isinstance(axes, Sequence) and axes.kind == "tuple" else None
    if each is not None and args.rest is None and len(each) != len(args.positional):
        count = len(args.positional)
        refuse(machine, frame, node, "axes-count", str(len(each)), str(count))
        return
    params = signature(record.func)
    about = function_name(record.func), record.dotted
    for at, value in enumerate(args.positional):
        axis = each[at] if each is not None else axes
        place = args.node(at, "", node)
        if axis is not None and not _fits_tree(machine, frame, place, value, axis):
            return
        number = 0 if axis is None else axis.const if isinstance(axis, Static) else None
        if type(number) is int and not _check_mapped(machine, frame, place, value, number, ""):
            return
        name = params[at].name if at < len(params) else ""
        if number is not None and refuse_operand(machine, frame, place, value, *about, name):
            return
    for name, value in args.keywords.items():
        place = args.keyword_nodes.get(name, node)
        if not _check_mapped(machine, frame, place, value, 0, name):
            return
        if refuse_operand(machine, frame, place, value, *about, name):
            return


def _fits_tree(machine: Machine, frame: Frame, place: ir.Expr, value: Value, axis: Value) -> bool:
    """The axes of a dict have its keys."""
    if not (isinstance(value, Mapping) and isinstance(axis, Mapping)):
        return True
    is_known = not any(one.open or one.element is not None for one in (value, axis))
    if not is_known or value.items.keys() == axis.items.keys():
        return True
    odd = sorted(map(repr, value.items.keys() ^ axis.items.keys()))
    refuse(machine, frame, place, "axes-tree", odd[0])
    return False


def _check_mapped(
    machine: Machine, frame: Frame, place: ir.Expr, value: Value, axis: int, keyword: str
) -> bool:
    """An argument that is mapped is made of arrays with that axis."""
    for leaf in leaves(value):
        text = isinstance(leaf, Static) and leaf.kind in ("str", "bytes")
        if text or is_scalar(leaf) or _lacks(leaf, axis):
            what = "a string" if text else describe(leaf)
            # A function of JAX made this, whichever of several functions runs.
            made = isinstance(leaf, Traced) and leaf.strong
            refuse(machine, frame, place, "axes-argument", what, str(axis), keyword, own=made)
            return False
    return True


def _lacks(value: Value, axis: int) -> bool:
    rank = rank_of(value) if is_leaf(value) else None
    promised = isinstance(value, Traced) and value.weak
    return rank is not None and not promised and not -rank <= axis < rank


# -- results -------------------------------------------------------------------------------------


def check_arrays(machine: Machine, trace: Trace, func: Value, result: Value) -> None:
    """What traced functions return is made of arrays and numbers. Of several functions, one that
    gives a function is a decorator, which nobody wraps."""
    found = _no_array(result)
    plain = plain_function(func)
    if found is None or plain is None:
        return
    if isinstance(result, Function) and machine.asks(UNSURE).unsure:
        return
    what, sure = found
    frame = Frame("function", machine.globals, trace, plain.node)
    machine.emit(
        facts.Refused(
            machine.module,
            returned(plain.node),
            plain.node.name,
            trace.entry,
            kind="no-array",
            subject=what,
            detail=frame.name,
        ),
        unsure=not sure,
    )


def _no_array(value: Value, depth: int = 4) -> tuple[str, bool] | None:
    """What in a pytree is certainly no array, and whether it is so on every path."""
    if isinstance(value, Union):
        found = [_no_array(option, depth) for option in value.options]
        first = next((one for one in found if one is not None), None)
        return first and (first[0], first[1] and None not in found)
    if isinstance(value, Static) and value.kind in _NO_ARRAYS:
        return _NO_ARRAYS[value.kind], True
    if isinstance(value, LibraryName):
        return ("a dtype", True) if lookup.is_dtype(value.dotted) else None
    if isinstance(value, (Function, Bound, Class)):
        return ("a class" if isinstance(value, Class) else "a function"), True
    if isinstance(value, Iterator):
        return ("a generator", True) if value.source == "generator" else None
    inner: list[Value] = []
    if isinstance(value, Sequence):
        if value.kind in ("set", "range"):
            return f"a {value.kind}", True
        inner = value.items or [] if value.kind in ("tuple", "list") else []
    elif isinstance(value, Mapping):
        inner = list(value.items.values())
    for one in inner if depth else ():
        found_inside = _no_array(one, depth - 1)
        if found_inside is not None:
            return found_inside
    return None

"""Calls of library functions: JAX, NumPy and the parts of the standard library that matter."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization import host_conversions
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.concretization.shapes import check_data, check_shapes
from jaxlint.engine.checks.concretization.static_arguments import converted, noted
from jaxlint.engine.checks.eager import clocks
from jaxlint.engine.checks.effects import ambient, caches
from jaxlint.engine.checks.library import array_calls
from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of, finds_traced, strongest
from jaxlint.engine.domain.ranks import made_rank
from jaxlint.engine.domain.special_values import EffectfulObject, OpaqueArray
from jaxlint.engine.domain.values import (
    BOOL,
    INT,
    NONE,
    SHAPE,
    STATIC,
    Class,
    Concrete,
    Descriptor,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    as_traced,
    is_none,
)
from jaxlint.engine.inference import signatures
from jaxlint.engine.inference.dependence import WITH_INDICES, depends_on, handed_back
from jaxlint.engine.machine import guesses, unknown_callees
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import (
    callbacks,
    higher_order,
    pytest_fixtures,
    test_cases,
)
from jaxlint.engine.models.pytree_registration import REGISTRATIONS, register_fields
from jaxlint.engine.models.stdlib import (
    attrs_classes,
    collection_types,
    data_classes,
    functional,
    in_place,
)
from jaxlint.engine.models.stdlib.builtin_functions import effect
from jaxlint.engine.models.stdlib.mathematics import call_math
from jaxlint.engine.models.stdlib.random_numbers import drawn
from jaxlint.engine.operations import jax_tree
from jaxlint.engine.operations.modules import import_module
from jaxlint.engine.transforms import eager_autodiff, wrappers
from jaxlint.knowledge import lookup
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.host.ambient import CALLS
from jaxlint.knowledge.transforms import (
    CONCRETE_TESTS,
    HOST_OBJECTS,
)
from jaxlint.syntax import ir

# What a function becomes that `contextlib.contextmanager` decorates.
CONTEXT = "contextlib.contextmanager(...)"


def call_library(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of calling something imported."""
    if dotted in machine.dynamic.patched:
        wrappers.release(args)
        return machine.unknown("patched function")
    if dotted in CALLS:
        ambient.called(machine, frame, node, dotted, args)
    if dotted.startswith("jax.") or lookup.model_of(dotted) is not None:
        found = machine.frameworks.ask("call", dotted, machine, frame, node, dotted, args)
        if found is None:
            found = _call_jax(machine, frame, node, dotted, args)
        if found is not None:
            return found
    elif dotted.startswith("numpy."):
        return call_numpy(machine, frame, node, dotted, args)
    return _call_python(machine, frame, node, dotted, args)


def _call_jax(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> Value | None:
    if dotted in higher_order.TABLE:
        return higher_order.TABLE[dotted](machine, frame, node, args)
    if wrappers.is_transform(dotted):
        return wrappers.call_transform(machine, frame, node, dotted, args)
    if dotted in jax_tree.HANDLERS:
        return jax_tree.HANDLERS[dotted](machine, frame, node, args)
    if dotted in CONCRETE_TESTS:
        traced = as_traced(args.get(0, "") or NONE)
        return Static(False) if traced is not None and traced.kind != "ad" else Static(kind="bool")
    if dotted in callbacks.HANDLED:
        return callbacks.call(machine, frame, node, dotted, args)
    if lookup.makes_pytree(dotted):
        return _pytree_class(dotted, args)
    if dotted in REGISTRATIONS:
        return REGISTRATIONS[dotted](machine, frame, node, args)
    if lookup.is_static_field(dotted):
        return data_classes.field_spec(args)
    if dotted == "jax.tree_util.Partial":
        return _partial(machine, frame, node, args)
    if dotted == "jax.clear_caches":
        machine.happened(machine.program.cleared, 0, node, int)
        return NONE
    if dotted in HOST_OBJECTS:
        return STATIC
    if dotted.endswith(("new_ref", "array_ref", "mutable_array")):
        return machine.unknown("reference")
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return machine.unknown("result of an effect")
    if lookup.is_dtype(dotted):
        dtype = array_calls.constructed(machine, frame, node, dotted, args)
        return converted(machine, frame, node, args, dtype) if args.positional else STATIC
    spec = lookup.function(dotted)
    if spec is None:
        return None
    if dotted == "jax.lax.psum" and isinstance(args.get(0, "x"), Static):
        return Static(kind="int")
    collected = higher_order.across(machine, frame, node, dotted, args)
    if collected is not None:
        return collected
    return array_function(machine, frame, node, spec, dotted, args)


def _pytree_class(dotted: str, args: Args) -> Value:
    cls = args.get(0, "")
    if isinstance(cls, Class):
        cls.compares |= dotted != "jax.tree_util.register_dataclass"
        cls.generates |= dotted != "jax.tree_util.register_dataclass"
        register_fields(cls, args.get(1, "data_fields"), args.get(2, "meta_fields"))
        return cls
    return Partial(LibraryName(dotted), (), dict(args.keywords))


def _partial(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional or args.rest is not None:
        wrappers.release(args)
        return machine.unknown("partial of unknown arguments")
    func, *rest = args.positional
    return Partial(func, tuple(rest), dict(args.keywords), frame.loop)


# -- functions with a table entry ------------------------------------------------------------


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
    bound = _by_name(spec, args)
    operands = args.values()
    if owner is not None:
        bound["self"] = owner
        operands = [owner[0], *operands]
    check_shapes(machine, frame, spec, dotted, callee, bound)
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
    dtype = spec.dtype or _dtype(dotted.rpartition(".")[2], bound)
    first = operands[0] if operands else NONE
    if spec.result == "same" and not _is_leaf(first):
        return jax_tree.mapped(machine, frame, node, first)
    name = dotted.rpartition(".")[2]
    sources = operands if frame.trace.staged else depends_on(name, operands)
    rank = made_rank(name, spec, bound)
    result = machine.operation(frame, node, sources, dtype, rank)
    result = noted(dotted, bound, operands, handed_back(name, bound, operands, result))
    array_calls.called(machine, frame, node, dotted, bound, result)
    if not frame.trace.staged:
        result = eager_autodiff.through_rules(frame, node, dotted, result)
    if spec.keys or spec.result == "key":
        result = sampling.called(machine, frame, node, dotted, bound, result)
    structure = _structure(spec, bound, args)
    if name in WITH_INDICES and structure in ("tuple", "list"):
        places = machine.operation(frame, node, sources, "int")
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


# Functions and methods whose result has the dtype of the array they are given.
_SAME_DTYPE = frozenset(
    {
        "broadcast_to",
        "copy",
        "expand_dims",
        "flatten",
        "flip",
        "moveaxis",
        "ones_like",
        "ravel",
        "repeat",
        "reshape",
        "roll",
        "sort",
        "squeeze",
        "swapaxes",
        "take",
        "tile",
        "transpose",
        "zeros_like",
    }
)
# Those that make floating-point arrays unless a dtype is given.
_FLOATS = frozenset({"empty", "eye", "linspace", "ones", "zeros"})


def _dtype(name: str, bound: dict[str, tuple[Value, ir.Expr]]) -> str:
    asked = bound.get("dtype")
    if asked is not None and not is_none(asked[0]):
        return _named_dtype(asked[0])
    if name in ("array", "asarray"):
        found = bound.get("object") or bound.get("a")
        return "" if found is None else _inferred(found[0])
    if name in _FLOATS:
        return "float"
    if name in _SAME_DTYPE and bound:
        return dtype_of((bound.get("self") or next(iter(bound.values())))[0])
    return ""


def _named_dtype(value: Value) -> str:
    """The dtype kind that `jnp.int32`, `bool` or "float32" stands for."""
    if isinstance(value, Static) and isinstance(value.const, str):
        return lookup.dtype_kind(f"jax.numpy.{value.const}")
    return lookup.dtype_kind(value.dotted) if isinstance(value, LibraryName) else ""


def _inferred(value: Value, depth: int = 4) -> str:
    """The dtype of `jnp.array(value)`."""
    if isinstance(value, Sequence):
        parts = [_inferred(i, depth - 1) for i in (value.items or [])] if depth else []
        return parts[0] if parts and len(set(parts)) == 1 else ""
    return dtype_of(value)


def _by_name(spec: FunctionSpec, args: Args) -> dict[str, tuple[Value, ir.Expr]]:
    """Arguments by parameter name, with their expressions; those of `*rest` are numbered."""
    bound: dict[str, tuple[Value, ir.Expr]] = {}
    count = len(spec.params) if spec.positional < 0 else spec.positional
    if spec.rest in spec.params:
        count = spec.params.index(spec.rest)
    for at, (value, place) in enumerate(zip(args.positional, args.nodes, strict=False)):
        if at < min(count, len(spec.params)):
            bound[spec.params[at]] = (value, place)
        elif spec.rest:
            bound[f"{spec.rest}*{at}"] = (value, place)
    for name, value in args.keywords.items():
        if name in args.keyword_nodes:
            bound[name] = (value, args.keyword_nodes[name])
    return bound


# -- NumPy -----------------------------------------------------------------------------------


# What a NumPy function that leaves its work to the operand may be given without telling its result.
_UNKNOWN_OPERANDS = frozenset({Unknown, OpaqueArray, Union, Mapping, Instance})


def call_numpy(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return NumPy() if kind == "rng" else NONE
    if dotted in HOST_OBJECTS:
        return STATIC
    made = lookup.constructed_kind(dotted)
    if made is not None:
        return EffectfulObject(made, frame.trace, settled=made == "rng" and bool(args.values()))
    behaviour = lookup.numpy_function(dotted)
    if lookup.is_dtype(dotted):
        behaviour = "raises"
    found = _traced_argument(args)
    if found is not None and not frame.trace.is_host:
        result = _of_traced(machine, frame, node, dotted, args, behaviour, found)
        if result is not None:
            return result
    if behaviour == "delegates":
        return _delegated(machine, frame, node, dotted, args)
    if behaviour == "static":
        scalar = dotted == "numpy.isscalar" and found is not None
        return Static(False) if scalar else STATIC_RESULTS.get(dotted.rpartition(".")[2], STATIC)
    if behaviour is None or (behaviour == "other" and found is not None):
        return machine.unknown("NumPy function")
    if behaviour == "swallows":
        return host_conversions.compared(machine, frame, node, dotted, found)
    return _computed(frame, dotted, args)


def _of_traced(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    args: Args,
    behaviour: str | None,
    found: tuple[Value, ir.Expr],
) -> Value | None:
    """The result in a trace of a function that takes a tracer as an array; None for the others."""
    value, place = found
    if behaviour == "raises":
        callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
        kind = value.kind if isinstance(value, Sequence) else ""
        demand(machine, frame, place, value, "numpy", callee, dotted, kind)
        return NumPy()
    if behaviour in ("delegates", "other"):
        host_conversions.delegated(machine, frame, node, dotted, found)
    if behaviour != "delegates":
        return None
    traced = strongest([value])
    operands: list[Value] = [traced] if traced is not None else args.values()
    if not frame.trace.staged:
        operands = depends_on(dotted.rpartition(".")[2], operands)
    return _parts(frame, dotted, machine.operation(frame, node, operands))


def _delegated(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of a function that leaves its work to a method of its operand."""
    if args.positional and isinstance(args.positional[0], Concrete):
        return _parts(frame, dotted, machine.operation(frame, node, args.values()))
    if any(type(v) in _UNKNOWN_OPERANDS for v in args.values()):
        return machine.unknown("NumPy function of an unknown value")
    return _computed(frame, dotted, args)


def _computed(frame: Frame, dotted: str, args: Args) -> Value:
    """What NumPy computes from values of the host."""
    if (number := _folded(dotted, args)) is not None:
        return number
    return _parts(frame, dotted, NumPy(_array_dtype(dotted.rpartition(".")[2], args)))


def _parts(frame: Frame, dotted: str, part: Value) -> Value:
    """The result of a NumPy function: some give several arrays, as their namesakes in JAX do."""
    spec = lookup.function(f"jax.{dotted}")
    if spec is None or spec.restructures or spec.result not in ("list", "tuple"):
        return part
    return Sequence(spec.result, None, frame.trace, part, frame.path)


def _folded(dotted: str, args: Args) -> Static | None:
    """What a NumPy function makes of one number that is known."""
    function = _FOLD.get(dotted.removeprefix("numpy."))
    value = args.positional[0] if len(args.positional) == 1 and not args.keywords else None
    if function is None or not isinstance(value, Static):
        return None
    if not isinstance(value.const, (int, float)):
        return None
    try:
        return Static(function(value.const))
    except (ArithmeticError, ValueError):
        return None


_FOLD: dict[str, Callable[[float], float]] = {
    **dict.fromkeys(("abs", "absolute"), abs),
    **{name: getattr(math, name) for name in ("fabs", "sqrt", "exp", "log", "log2", "log10")},
}


def _array_dtype(name: str, args: Args) -> str:
    """The dtype of a NumPy function's result, as far as it is needed to tell masks."""
    if name.startswith(("is", "logical_")) or name in _MASKS:
        return "bool"
    asked = args.keywords.get("dtype")
    if asked is None and name in _FILLED and len(args.positional) == _FILLED[name]:
        asked = args.positional[-1]
    if asked is not None:
        return _named_dtype(asked)
    if name in _FILLED:
        return "float" if name != "full" else ""
    if len(args.positional) == 1 and not args.keywords and name in ("array", "asarray", "copy"):
        return _inferred(args.positional[0])
    return ""


_MASKS = frozenset(
    {"all", "any", "equal", "greater", "greater_equal", "less", "less_equal", "not_equal"}
)
# NumPy constructors by the number of arguments with which the last is the dtype.
_FILLED = {"zeros": 2, "ones": 2, "empty": 2, "full": 3}


def _traced_argument(args: Args) -> tuple[Value, ir.Expr] | None:
    """The first argument that is traced, or a list or tuple with a tracer in it."""
    for value, place in args.pairs():
        if as_traced(value) is not None:
            return value, place
        if isinstance(value, Sequence):
            found = finds_traced(value, 2)
            if found is not None:
                return found, place
    return None


# -- the standard library and the rest -------------------------------------------------------


def _call_python(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    special = _PYTHON.get(dotted)
    if special is not None:
        return special(machine, frame, node, args)
    if lookup.is_transparent(dotted):
        return args.positional[0] if args.positional else LibraryName(dotted)
    if lookup.is_transparent(f"{dotted}(...)"):
        return LibraryName(f"{dotted}(...)")
    kind = lookup.effect(dotted)
    if kind is not None:
        if not (lookup.needs_traced(dotted) and not any(finds_traced(v) for v in args.values())):
            effect(machine, frame, node, dotted, args, kind)
        wrappers.release(args)
        if kind == "clock":
            return clocks.read(machine, frame, node, dotted, args)
        if kind == "rng":
            return drawn(machine, frame, node, dotted, args)
        return machine.unknown("result of an effect")
    made = lookup.constructed_kind(dotted)
    if made == "iterator":
        return machine.unknown("iterator")
    if made is not None:
        own = dotted.endswith("IO") if made == "file" else made == "rng" and bool(args.values())
        return EffectfulObject(made, frame.trace, settled=own)
    if dotted.startswith(("math.", "cmath.")) or lookup.math_function(dotted):
        return call_math(machine, frame, node, dotted, args)
    if dotted == "operator.index":
        place = args.node(0, "", node)
        demand(machine, frame, place, args.get(0, "") or NONE, "cast", "operator.index", dotted)
        return Static(kind="int")
    wrappers.release(args)
    if (
        args.positional
        and isinstance(args.positional[0], Class)
        and isinstance(node, ir.Name | ir.Attribute)
    ):
        return args.positional[0]
    library = dotted.partition(".")[0]
    if library not in sys.stdlib_module_names:
        unknown_callees.handed(machine, args)
    unknown = machine.unknown(f"call of {library}")
    return guesses.result(machine, frame, node, args, unknown)


def _first(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else machine.unknown("proxy")


def _cached_property(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return Descriptor("cached", args.positional[0]) if args.positional else machine.unknown("cache")


def _deepcopy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return jax_tree.mapped(machine, frame, node, args.get(0, "") or NONE, identity=True)


def _copy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A shallow copy: what a container holds is shared."""
    return collection_types.copied(frame, node, args) or _deepcopy(machine, frame, node, args)


def _context_manager(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("context manager")
    return Partial(LibraryName(CONTEXT), (args.positional[0],), {}, frame.loop)


def _context(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of a function that `contextlib.contextmanager` decorates."""
    func, *rest = args.positional
    inside = Args(rest, args.keywords, args.rest, args.more, args.nodes[1:], args.keyword_nodes)
    made = machine.call(frame, node, func, inside)
    element = made.element if isinstance(made, Iterator) else machine.unknown("context")
    return Iterator(element, frame.trace, source="context", made=node)


def _second(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`typing.cast(type, value)`."""
    return args.get(1, "val") or machine.unknown("cast")


def _null_context(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    value = args.get(0, "enter_result") or args.get(0, "thing") or NONE
    return Iterator(value, frame.trace, source="context", made=node)


_PYTHON = {
    **functional.TABLE,
    **caches.TABLE,
    **data_classes.TABLE,
    **attrs_classes.TABLE,
    **test_cases.TABLE,
    **pytest_fixtures.TABLE,
    **in_place.HANDLERS,
    "contextlib.contextmanager": _context_manager,
    "contextlib.nullcontext": _null_context,
    "contextlib.closing": _null_context,
    CONTEXT: _context,
    "typing.cast": _second,
    "types.MappingProxyType": _first,
    "collections.ChainMap": collection_types.chain_map,
    "functools.partial": _partial,
    **signatures.TABLE,
    "functools.cached_property": _cached_property,
    "importlib.import_module": import_module,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "collections.deque": collection_types.deque,
    "collections.OrderedDict": collection_types.ordered_dict,
    "collections.Counter": collection_types.counter,
    "collections.defaultdict": collection_types.default_dict,
    **collection_types.NAMESPACES,
}

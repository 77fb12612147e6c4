"""Calls of library functions: JAX, NumPy and the parts of the standard library that matter."""

from __future__ import annotations

from jaxlint.engine import contracts, facts, pytrees, standard
from jaxlint.engine.bindings import dotted_text
from jaxlint.engine.builtins import effect
from jaxlint.engine.classes import register, register_fields, replaced
from jaxlint.engine.containers import iterate
from jaxlint.engine.machine import Args, Machine, strongest
from jaxlint.engine.sinks import demand, needs_shape, truth_of
from jaxlint.engine.state import Frame
from jaxlint.engine.trees import dtype_of
from jaxlint.engine.values import (
    BOOL,
    INT,
    NONE,
    SHAPE,
    STATIC,
    Class,
    Concrete,
    Descriptor,
    External,
    Function,
    Instance,
    Iterator,
    NumPy,
    Object,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
    as_traced,
    finds_traced,
    is_none,
    join_all,
)
from jaxlint.knowledge import lookup
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.transforms import (
    CONCRETE_TESTS,
    HOST_CALLBACKS,
    PYTREE_DECORATORS,
    STATIC_FIELDS,
    TRANSPARENT,
)
from jaxlint.syntax import ir


def call_library(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of calling something imported."""
    if dotted.startswith(("jax.", "flax.", "equinox.", "haiku.", "chex.")):
        found = _call_jax(machine, frame, node, dotted, args)
        if found is not None:
            return found
    elif dotted.startswith("numpy."):
        return _call_numpy(machine, frame, node, dotted, args)
    return _call_python(machine, frame, node, dotted, args)


def _call_jax(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> Value | None:
    if contracts.is_transform(dotted):
        return contracts.call_transform(machine, frame, node, dotted, args)
    if dotted in pytrees.HANDLERS:
        return pytrees.HANDLERS[dotted](machine, frame, node, args)
    if dotted in CONCRETE_TESTS:
        traced = as_traced(args.get(0, "") or NONE)
        return Static(False) if traced is not None and traced.kind != "ad" else Static(kind="bool")
    if dotted in HOST_CALLBACKS:
        return _callback(machine, frame, node, dotted, args)
    if dotted in PYTREE_DECORATORS:
        return _pytree_class(dotted, args)
    if dotted == "jax.tree_util.register_pytree_node_class":
        cls = args.get(0, "cls")
        if isinstance(cls, Class):
            register(cls, cls.namespace.get("tree_flatten"))
        return cls
    if dotted in ("jax.tree_util.register_pytree_node", "jax.tree_util.register_pytree_with_keys"):
        cls = args.get(0, "nodetype")
        if isinstance(cls, Class):
            register(cls, args.get(1, "flatten_func"))
        return NONE
    if dotted in STATIC_FIELDS:
        return _field(dotted, args)
    if dotted == "jax.tree_util.Partial":
        return _partial(machine, frame, node, args)
    if dotted == "jax.new_ref":
        return machine.unknown("reference")
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return machine.unknown("result of an effect")
    if lookup.is_dtype(dotted):
        dtype = lookup.dtype_kind(dotted)
        return machine.operation(frame, node, args.values(), dtype) if args.positional else STATIC
    spec = lookup.function(dotted)
    if spec is None:
        return None
    if dotted == "jax.lax.psum" and _all_static(args):
        return Static(kind="int")
    return array_function(machine, frame, node, spec, dotted, args)


def _all_static(args: Args) -> bool:
    first = args.get(0, "x")
    return isinstance(first, Static)


def _callback(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The function runs on the host; what it gives back is traced."""
    contracts.release(args)
    if dotted == "jax.debug.callback" or frame.trace.is_host:
        return NONE if dotted == "jax.debug.callback" else machine.unknown("callback")
    return machine.operation(frame, node, args.positional[1:] + list(args.keywords.values()))


def _pytree_class(dotted: str, args: Args) -> Value:
    cls = args.get(0, "")
    if isinstance(cls, Class):
        register_fields(cls, args.get(1, "data_fields"), args.get(2, "meta_fields"))
        return cls
    return Partial(External(dotted), (), dict(args.keywords))


def _field(dotted: str, args: Args) -> Value:
    static = args.keywords.get("static")
    node = args.keywords.get("pytree_node")
    fixed = (isinstance(static, Static) and static.const is True) or (
        isinstance(node, Static) and node.const is False
    )
    metadata = args.keywords.get("metadata")
    if not fixed and metadata is not None and hasattr(metadata, "items"):
        inner = metadata.items.get("static") if isinstance(metadata.items, dict) else None
        fixed = isinstance(inner, Static) and inner.const is True
    return External(f"{dotted}.<static field>" if fixed else f"{dotted}.<field>")


def _partial(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional or args.rest is not None:
        contracts.release(args)
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
    _check_shapes(machine, frame, spec, dotted, callee, bound)
    _check_data(machine, frame, spec, dotted, callee, bound, args)
    if spec.result == "static":
        return _STATIC_RESULTS.get(dotted.rpartition(".")[2], STATIC)
    if spec.result == "none":
        return NONE
    if spec.result == "object":
        return machine.unknown("library object")
    dtype = spec.dtype or _dtype(dotted.rpartition(".")[2], bound)
    first = operands[0] if operands else NONE
    if spec.result == "same" and not isinstance(first, (Traced, Concrete, NumPy, Static)):
        return pytrees.mapped(machine, frame, node, first)
    result = machine.operation(frame, node, operands, dtype, 0 if spec.scalar else None)
    structure = _structure(spec, bound, args)
    if structure in ("tuple", "list"):
        return Sequence(structure, None, frame.trace, result, frame.path)
    if structure == "dict":
        return machine.unknown("dict of arrays")
    return result if structure else machine.unknown("result whose structure is not known")


_STATIC_RESULTS: dict[str, Static] = {
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


def _dtype(name: str, bound: dict[str, tuple[Value, ir.Expr]]) -> str:
    asked = bound.get("dtype")
    if asked is not None and not is_none(asked[0]):
        return _named_dtype(asked[0])
    if name in ("array", "asarray"):
        found = bound.get("object") or bound.get("a")
        return "" if found is None else _inferred(found[0])
    if name in _SAME_DTYPE and bound:
        return dtype_of((bound.get("self") or next(iter(bound.values())))[0])
    return ""


def _named_dtype(value: Value) -> str:
    """The dtype kind that `jnp.int32`, `bool` or "float32" stands for."""
    if isinstance(value, Static) and isinstance(value.const, str):
        return lookup.dtype_kind(f"jax.numpy.{value.const}")
    return lookup.dtype_kind(value.dotted) if isinstance(value, External) else ""


def _inferred(value: Value) -> str:
    """The dtype of `jnp.array(value)`."""
    if isinstance(value, Sequence):
        parts = [_inferred(i) for i in (value.items or [])]
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


def _parts(value: Value, place: ir.Expr) -> list[tuple[Value, ir.Expr]]:
    """A shape argument's dimensions: those of a tuple, or the value itself."""
    if isinstance(value, Sequence) and value.items is not None:
        nodes = place.items if isinstance(place, ir.Sequence) else ()
        return [(v, nodes[i] if i < len(nodes) else place) for i, v in enumerate(value.items)]
    if isinstance(value, Sequence) and value.element is not None:
        return [(value.element, place)]
    return [(value, place)]


def _check_shapes(
    machine: Machine,
    frame: Frame,
    spec: FunctionSpec,
    dotted: str,
    callee: str,
    bound: dict[str, tuple[Value, ir.Expr]],
) -> None:
    for name in spec.shape:
        for value, place in _parts(*bound[name]) if name in bound else ():
            if needs_shape(machine, frame, place, value, "shape", callee, dotted, name):
                return
    for name in spec.counts:
        count = as_traced(bound[name][0]) if name in bound else None
        if count is not None and count.leaf and count.rank == 0:
            needs_shape(machine, frame, bound[name][1], count, "shape", callee, dotted, name)


_DATA_NEEDS: dict[str, facts.Need] = {"nonzero": "nonzero", "filter": "filter", "repeat": "repeat"}


def _check_data(
    machine: Machine,
    frame: Frame,
    spec: FunctionSpec,
    dotted: str,
    callee: str,
    bound: dict[str, tuple[Value, ir.Expr]],
    args: Args,
) -> None:
    """Functions whose result's shape depends on values, unless a bound is given."""
    need = _DATA_NEEDS.get(spec.family)
    if need is None or args.more is not None or args.rest is not None or frame.trace.is_host:
        return
    if any(name in bound and not is_none(bound[name][0]) for name in spec.bound):
        return
    if spec.unless and all(n in bound and not is_none(bound[n][0]) for n in spec.unless):
        return
    missing = spec.bound[0] if spec.bound else ""
    for name in spec.data:
        if name not in bound:
            continue
        value, place = bound[name]
        traced = finds_traced(value) if isinstance(value, Sequence) else as_traced(value)
        if traced is not None:
            needs_shape(machine, frame, place, traced, need, callee, dotted, missing)
            return
        staged = name not in spec.concrete and machine.is_staged(frame)
        if staged and isinstance(value, (Concrete, NumPy)):
            # Staged code asks a traced copy, whatever the values outside.
            machine.emit(
                facts.ShapeNeeded(
                    machine.module,
                    place,
                    frame.name,
                    frame.trace.entry,
                    need=need,
                    callee=callee,
                    dotted=dotted,
                    parameter=missing,
                )
            )
            return


# -- NumPy -----------------------------------------------------------------------------------


def _call_numpy(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return NumPy() if kind == "rng" else NONE
    made = lookup.constructed_kind(dotted)
    if made is not None:
        return Object(made, frame.trace, settled=made == "rng" and bool(args.values()))
    behaviour = lookup.numpy_function(dotted)
    if lookup.is_dtype(dotted):
        behaviour = "raises"
    found = _traced_argument(args)
    if found is not None and not frame.trace.is_host:
        value, place = found
        if behaviour == "raises":
            callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
            demand(machine, frame, place, value, "numpy", callee, dotted)
            return NumPy()
        if behaviour == "delegates":
            traced = strongest([value])
            operand: list[Value] = [traced] if traced is not None else args.values()
            return machine.operation(frame, node, operand)
    if behaviour == "static":
        scalar = dotted == "numpy.isscalar" and found is not None
        return Static(False) if scalar else _STATIC_RESULTS.get(dotted.rpartition(".")[2], STATIC)
    if behaviour is None or (behaviour == "other" and found is not None):
        return machine.unknown("NumPy function")
    if behaviour == "swallows":
        return Static(kind="bool")
    names = ("Unknown", "Choice", "Mapping", "Instance")
    unsure = any(v is None or type(v).__name__ in names for v in args.values())
    if unsure and behaviour == "delegates":
        return machine.unknown("NumPy function of an unknown value")
    return NumPy(_array_dtype(dotted.rpartition(".")[2], args))


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
    if dotted in TRANSPARENT:
        return args.positional[0] if args.positional else External(dotted)
    kind = lookup.effect(dotted)
    if kind is not None:
        if not (lookup.needs_traced(dotted) and not any(finds_traced(v) for v in args.values())):
            effect(machine, frame, node, dotted, args, kind)
        contracts.release(args)
        return NumPy() if kind in ("rng", "clock") else machine.unknown("result of an effect")
    made = lookup.constructed_kind(dotted)
    if made == "iterator":
        return _iterator(machine, frame, node, dotted, args)
    if made is not None:
        return Object(made, frame.trace, settled=made == "rng" and bool(args.values()))
    if lookup.math_function(dotted):
        return _math(machine, frame, node, dotted, args)
    if dotted == "operator.index":
        place = args.node(0, "", node)
        demand(machine, frame, place, args.get(0, "") or NONE, "cast", "operator.index", dotted)
        return Static(kind="int")
    contracts.release(args)
    if (
        args.positional
        and isinstance(args.positional[0], Class)
        and isinstance(node, ir.Name | ir.Attribute)
    ):
        return args.positional[0]
    return machine.unknown(f"call of {dotted.partition('.')[0]}")


def _math(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted
    for value, place in args.pairs():
        if isinstance(value, Sequence) and dotted not in ("math.prod",):
            value = finds_traced(value, 1) or value
        if demand(machine, frame, place, value, "math", callee, dotted):
            break
    if dotted == "math.prod" and _traced_argument(args) is not None:
        return machine.operation(frame, node, args.values())
    return STATIC if dotted == "math.prod" else Static(kind="float")


def _iterator(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    name = dotted.rpartition(".")[2]
    parts = [
        iterate(machine, frame, place, value, name)[0]
        for value, place in args.pairs()
        if not isinstance(value, (Function, Transformed, Static))
    ]
    if name in ("takewhile", "dropwhile", "filterfalse") and len(args.positional) == 2 and parts:
        answer = machine.call(
            frame, node, args.positional[0], Args([parts[0]], nodes=args.nodes[1:])
        )
        truth_of(machine, frame, args.nodes[0], answer, "filter", name)
    if name in ("repeat", "islice"):
        for value, place in list(args.pairs())[1:]:
            if demand(machine, frame, place, value, "count", name, dotted):
                break
    if name in ("chain", "islice", "takewhile", "dropwhile", "cycle", "repeat"):
        element = join_all(parts) if parts else machine.unknown(name)
    else:
        element = machine.unknown(name)
    return Iterator(element, frame.trace, None, name, node)


def _reduce(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown("reduce")
    element, _, _ = iterate(machine, frame, args.nodes[1], args.positional[1], "reduce")
    start = args.positional[2] if len(args.positional) > 2 else element
    inner = Args([start, element], nodes=[args.nodes[1], args.nodes[1]])
    return machine.call(frame, node, args.positional[0], inner)


def _wraps(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return External("functools.wraps(...)")


def _first(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else External("functools.wraps(...)")


def _cached_property(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return Descriptor("cached", args.positional[0]) if args.positional else machine.unknown("cache")


def _dataclass(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else External("dataclasses.dataclass")


def _dataclass_field(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return _field("dataclasses.field", args)


def _replace(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    old = args.get(0, "obj")
    return replaced(frame, old, args) if isinstance(old, Instance) else machine.unknown("replace")


def _deepcopy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return pytrees.mapped(machine, frame, node, args.get(0, "") or NONE, identity=True)


_PYTHON = {
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": _wraps,
    "functools.wraps(...)": _first,
    "functools.cached_property": _cached_property,
    "functools.lru_cache": _first,
    "functools.cache": _first,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _dataclass_field,
    "dataclasses.replace": _replace,
    "copy.copy": _deepcopy,
    "copy.deepcopy": _deepcopy,
    "collections.deque": standard.deque,
    "collections.OrderedDict": standard.ordered_dict,
    "collections.Counter": standard.counter,
    "collections.defaultdict": standard.default_dict,
    "types.SimpleNamespace": standard.namespace,
}

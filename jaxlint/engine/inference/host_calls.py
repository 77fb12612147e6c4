"""What calls of libraries give in code of the host that is read off its source."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.arguments import Args, by_name
from jaxlint.engine.domain.dtypes import made_dtype, named_dtype
from jaxlint.engine.domain.ranks import made_rank, rank_of
from jaxlint.engine.domain.shapes import dims_of, made_dims
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    SHAPE,
    Sequence,
    Static,
    Value,
)
from jaxlint.engine.inference.host_code import ARRAYS, Code, Reader, array
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.host.numpy_results import (
    COUNTS,
    HOMES,
    KINDS,
    LENGTHS,
    RETYPING,
    UNLIKE,
    WHOLE_CALLS,
    WITH_AXIS,
)
from jaxlint.syntax import ir

STRUCT = "jax.ShapeDtypeStruct"
# Descriptions of arrays that JAX, or Python, refuses.
SHAPES, NO_SHAPE = Static(kind="shapes"), Static(kind="no shape")
MALFORMED: dict[Value | None, str] = {
    SHAPES: "several shapes",
    NO_SHAPE: "a number for a shape",
}


def reader(machine: Machine, stand_ins: dict[int | str, Value] | None = None) -> Reader:
    """A reader of code that calls NumPy and JAX."""
    return Reader(machine, called, stand_ins or {})


def called(reading: Reader, code: Code, node: ir.Call, dotted: str) -> Value | None:
    """What a call gives whose function has this name, or none: a method."""
    if any(one.star for one in node.args):
        return None
    if not dotted:
        return _method(reading, code, node)
    return of_library(dotted, _args(reading, code, node))


def of_library(dotted: str, args: Args) -> Value | None:
    """What a function of a library gives."""
    if dotted == STRUCT:
        return _described(args)
    if dotted in _BUILTINS:
        return _BUILTINS[dotted](args)
    if not dotted.startswith(("numpy.", "scipy.", "jax.numpy.")):
        return None
    if lookup.is_dtype(dotted):
        given = args.positional
        rank = rank_of(given[0]) if len(given) == 1 else None
        return array(lookup.dtype_kind(dotted), rank, dims_of(given[0]) if given else None)
    name = dotted.removeprefix("jax.")
    spec, full = lookup.function(f"jax.{name}"), name.removeprefix("numpy.")
    if spec is None or (len(args.positional) > spec.positional >= 0 and not spec.rest):
        return None
    return _result(full, spec, by_name(spec, args)) if _is_alike(full, dotted, args) else None


def _is_alike(full: str, dotted: str, args: Args) -> bool:
    """Whether a function gives what its namesake in JAX does."""
    if not dotted.startswith("numpy."):
        return True
    home, _, name = full.rpartition(".")
    count = len(args.positional) + len(args.keywords)
    return full not in UNLIKE and (not home or home in HOMES) and count >= WHOLE_CALLS.get(name, 0)


def _args(reading: Reader, code: Code, node: ir.Call) -> Args:
    args = Args()
    for one in node.args:
        value = reading.some(code, one.value)
        if one.keyword:
            args.keywords[one.keyword] = value
            args.keyword_nodes[one.keyword] = one.value
        else:
            args.positional.append(value)
            args.nodes.append(one.value)
    return args


Bound = dict[str, tuple[Value, ir.Expr]]


def _result(full: str, spec: FunctionSpec, bound: Bound) -> Value | None:
    """What a function or method gives that goes by the last word of its name."""
    name = full.rpartition(".")[2]
    if full in COUNTS and not any(flag in bound for flag in spec.restructures):
        lengths = {at: _option(bound, word) for at, word in LENGTHS.get(full, {}).items()}
        parts: list[Value] = [array("", None) for _ in range(COUNTS[full])]
        for at, size in lengths.items():
            if isinstance(size, Static) and type(size.const) is int:
                parts[at] = array("", 1, (size.const,))
        return Sequence("tuple", parts, None)
    if spec.result != "array" or any(flag in bound for flag in spec.restructures):
        return None
    kind = "" if RETYPING.intersection(bound) else made_dtype(name, spec, bound)
    if kind == "bool" != spec.dtype and "dtype" not in bound:
        kind = ""  # What NumPy makes of truth values goes by the function.
    rank, dims = made_rank(name, spec, bound), made_dims(name, bound)
    if full in WITH_AXIS and rank == 0:
        rank, dims = 1, (1,)
    return array(KINDS.get(full, kind), rank, dims)


def _option(bound: Bound, name: str) -> Value | None:
    return bound[name][0] if name in bound else None


# Methods of lists that give nothing back.
_CHANGES = frozenset({"append", "clear", "extend", "insert", "remove", "reverse", "sort"})


def _method(reading: Reader, code: Code, node: ir.Call) -> Value | None:
    if not isinstance(node.func, ir.Attribute):
        return None
    owner = reading.read(code, node.func.value)
    if type(owner) is Sequence and owner.kind == "list" and node.func.attr in _CHANGES:
        return NONE
    if not isinstance(owner, ARRAYS):
        return None
    return of_method(node.func.attr, owner, node.func.value, _args(reading, code, node))


def of_method(name: str, owner: Value, place: ir.Expr, args: Args) -> Value | None:
    """What a method of an array gives."""
    spec = lookup.method(name)
    if spec is None or name == "view":
        return None
    if name == "astype":
        asked = args.get(0, "dtype")
        kind = "" if asked is None else named_dtype(asked)
        return array(kind, rank_of(owner), dims_of(owner))
    bound = by_name(spec, args)
    bound["self"] = (owner, place)
    return _result(name, spec, bound)


def _described(args: Args) -> Value | None:
    """The description of an array, taken for one."""
    shape, dtype = args.get(0, "shape"), args.get(1, "dtype")
    if shape is None or dtype is None:
        return None
    kind = named_dtype(dtype)
    if isinstance(shape, Static) and shape.kind == "int":
        return NO_SHAPE
    items = shape.items if isinstance(shape, Sequence) else None
    if items is None:
        return array(kind, None)
    if any(isinstance(one, Sequence) or one is SHAPE for one in items):
        return SHAPES
    sizes = [one.const if isinstance(one, Static) else None for one in items]
    return array(kind, len(items), tuple(n if type(n) is int else None for n in sizes))


def _number(kind: str) -> Callable[[Args], Value | None]:
    return lambda args: Static(kind=kind)


def _listed(kind: str) -> Callable[[Args], Value | None]:
    def made(args: Args) -> Value | None:
        given = args.positional[0] if len(args.positional) == 1 else None
        return Sequence(kind, given.items, None) if isinstance(given, Sequence) else None

    return made


_BUILTINS: dict[str, Callable[[Args], Value | None]] = {
    "builtins.float": _number("float"),
    "builtins.int": _number("int"),
    "builtins.bool": _number("bool"),
    "builtins.complex": _number("complex"),
    "builtins.len": lambda args: INT,
    "builtins.print": lambda args: NONE,
    "builtins.tuple": _listed("tuple"),
    "builtins.list": _listed("list"),
}

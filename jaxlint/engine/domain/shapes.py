"""How long the axes of arrays are, as far as that is known, and those of what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from jaxlint.base.ranges import count_of
from jaxlint.engine.domain.kinds.array_values import Dims
from jaxlint.engine.domain.ranks import Bound, rank_of
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.knowledge.arrays.ranks import BROADCAST, FLAT, REDUCTIONS
from jaxlint.knowledge.arrays.shapes import KEPT, MADE

_MOST_AXES = 8
_Dims = Dims | None


def dims_of(value: Value) -> Dims | None:
    """The lengths of the axes of an array or number, None for each that is not known, and where
    not even their number is."""
    if isinstance(value, (Traced, Concrete, OpaqueArray)) and value.dims is not None:
        return value.dims
    rank = rank_of(value)
    if rank is None or rank > _MOST_AXES:
        return None
    if isinstance(value, Sequence) and value.items:
        inner = [dims_of(one) for one in value.items]
        return None if None in inner else (len(inner), *_alike([one for one in inner if one]))
    return (None,) * rank


def with_dims(result: Value, dims: Dims | None) -> Value:
    """The result of an operation, marked with the lengths of its axes."""
    if dims is None or not isinstance(result, (Traced, Concrete, OpaqueArray)):
        return result
    if result.rank == len(dims) and any(one is not None for one in dims):
        result.dims = dims
    return result


def differ(one: Value, other: Value) -> bool:
    """Whether two arrays certainly have axes of other lengths."""
    a, b = dims_of(one), dims_of(other)
    if a is None or b is None or len(a) != len(b):
        return False
    return any(None not in (m, n) and m != n for m, n in zip(a, b, strict=True))


def broadcast(shapes: Iterable[_Dims]) -> _Dims:
    """The shape of arrays that are broadcast against each other."""
    given = list(shapes)
    known = [one for one in given if one is not None]
    if not known or len(known) < len(given):
        return None
    most = max(map(len, known))
    padded = [(*(1,) * (most - len(one)), *one) for one in known]
    return tuple(map(_longest, zip(*padded, strict=True)))


def _longest(sizes: tuple[int | None, ...]) -> int | None:
    """The length of axes that are broadcast: that of one which is not 1, if any is known."""
    long = {one for one in sizes if one != 1}
    told = long - {None}
    return 1 if not long else told.pop() if len(told) == 1 else None


def _alike(shapes: list[Dims]) -> Dims:
    """What several arrays of one shape tell of it."""
    if not shapes or len({*map(len, shapes)}) > 1:
        return ()
    return tuple(
        next((one for one in sizes if one is not None), None) for sizes in zip(*shapes, strict=True)
    )


def multiplied(a: _Dims, b: _Dims) -> _Dims:
    """The shape of the product of arrays of two shapes, as `@` computes it."""
    if not a or not b:
        return None
    if len(b) == 1:
        return a[:-1]
    if len(a) == 1:
        return (*b[:-2], b[-1])
    batch = broadcast([a[:-2], b[:-2]])
    return None if batch is None else (*batch, a[-2], b[-1])


# -- indices ---------------------------------------------------------------------------------------


def indexed_dims(array: Value, index: Value) -> _Dims:
    """The shape of `array[index]`."""
    dims = dims_of(array)
    parts = index.items if isinstance(index, Sequence) and index.kind == "tuple" else [index]
    if dims is None or parts is None:
        return None
    taken = sum(not (is_none(one) or _is_dots(one)) for one in parts)
    if sum(map(_is_dots, parts)) > 1 or taken > len(dims):
        return None
    left, found = [*dims], list[int | None]()
    for part in parts:
        if is_none(part):
            found.append(1)
        elif _is_dots(part):
            count = len(dims) - taken
            found, left = found + left[:count], left[count:]
        elif isinstance(part, Sequence) and part.kind == "slice":
            found.append(_sliced(left.pop(0), part))
        elif rank_of(part) == 0 and not (isinstance(part, Static) and part.kind == "bool"):
            left.pop(0)
        else:
            return None
    return (*found, *left)


def _is_dots(part: Value) -> bool:
    return isinstance(part, Static) and part.const is ...


def _sliced(size: int | None, part: Sequence) -> int | None:
    """How many elements a slice gives of so many."""
    bounds = part.items or []
    numbers = [_whole(one) for one in bounds]
    if len(bounds) != 3 or not all(
        is_none(one) or number is not None for one, number in zip(bounds, numbers, strict=True)
    ):
        return None
    start, stop, step = numbers
    if start is None and stop is None and step in (None, 1):
        return size
    return None if size is None or step == 0 else count_of(range(size)[start:stop:step])


# -- functions -------------------------------------------------------------------------------------


def made_dims(name: str, bound: Bound) -> _Dims:
    """The shape of the result of a function, which goes by the last word of its name."""
    operand = bound.get("self") or next(iter(bound.values()), (NONE, None))
    return _rule(name, bound, operand[0])


def _rule(name: str, bound: Bound, operand: Value) -> _Dims:
    if name in MADE or (name in KEPT and not is_none(_option(bound, "shape"))):
        return _of_shape(_option(bound, "shape"))
    if name in KEPT:
        return dims_of(operand)
    if name in BROADCAST:
        given = [value for key, (value, _) in bound.items() if key not in _NO_OPERANDS]
        return broadcast(map(dims_of, given)) if len(given) > 1 else None
    if name in REDUCTIONS:
        dims = dims_of(operand)
        return None if dims is None else reduced(dims, bound)
    if name in FLAT:
        return (_size(dims_of(operand)),)
    return _RULES[name](bound, operand) if name in _RULES else None


_NO_OPERANDS = frozenset({"dtype", "mode", "out_sharding"})


def _option(bound: Bound, name: str) -> Value:
    return bound[name][0] if name in bound else NONE


def _whole(value: Value) -> int | None:
    const = value.const if isinstance(value, Static) else None
    return const if type(const) is int else None


def _of_shape(shape: Value) -> _Dims:
    """The shape that an argument asks for, which may be a number."""
    if isinstance(shape, Sequence):
        return None if shape.items is None else tuple(map(_length, shape.items))
    return (_length(shape),) if isinstance(shape, Static) and shape.kind == "int" else None


def _length(value: Value) -> int | None:
    number = _whole(value)
    return None if number is None or number < 0 else number


def _size(dims: _Dims) -> int | None:
    known = [one for one in dims or () if one is not None]
    return None if dims is None or len(known) < len(dims) else math.prod(known)


def _total(sizes: list[int | None]) -> int | None:
    """How long arrays are that are joined."""
    known = [one for one in sizes if one is not None]
    return sum(known) if len(known) == len(sizes) else None


def _axes(dims: Dims, axis: Value, extra: int = 0) -> set[int] | None:
    """The axes that are named, counted from the first; None where they are not known."""
    named = axis.items if isinstance(axis, Sequence) else [axis]
    numbers, rank = [_whole(one) for one in named or ()], len(dims) + extra
    if not numbers or None in numbers:
        return None
    return {n % rank for n in numbers if n is not None} if rank else None


def reduced(dims: Dims, bound: Bound) -> _Dims:
    """The shape of what a function computes along axes of an array, all of them where it is given
    none."""
    axis, option = _option(bound, "axis"), _option(bound, "keepdims")
    keeps = option.const if isinstance(option, Static) else "?"
    gone = {*range(len(dims))} if is_none(axis) else _axes(dims, axis)
    if gone is None or keeps not in (None, False, True):
        return None
    if keeps:
        return tuple(1 if at in gone else size for at, size in enumerate(dims))
    return tuple(size for at, size in enumerate(dims) if at not in gone)


def _reshaped(bound: Bound, operand: Value) -> _Dims:
    rest = [value for key, (value, _) in bound.items() if "*" in key]
    shape: Value = Sequence("tuple", rest, None) if len(rest) > 1 else (rest or [NONE])[0]
    asked = shape if rest else _option(bound, "shape")
    made, size = _of_shape(asked), _size(dims_of(operand))
    items = asked.items or [] if isinstance(asked, Sequence) else [asked]
    open_axes = [at for at, one in enumerate(items) if _whole(one) == -1]
    if made is None or len(open_axes) != 1 or size is None:
        return made
    others = [one for at, one in enumerate(made) if at != open_axes[0]]
    given = _size((1, *others))
    whole = None if not given else size // given
    return tuple(whole if at == open_axes[0] else one for at, one in enumerate(made))


def _joined(bound: Bound, operand: Value) -> _Dims:
    axis = _option(bound, "axis") if "axis" in bound else Static(0)
    parts = operand.items if isinstance(operand, Sequence) else None
    dims = [dims_of(one) for one in parts or ()]
    known = [one for one in dims if one is not None]
    if not known or len(known) < len(dims) or is_none(axis):
        return None
    at = _axes(known[0], axis)
    if not at or len({*map(len, known)}) > 1:
        return None
    (along,) = at
    total = _total([one[along] for one in known])
    return tuple(total if n == along else one for n, one in enumerate(_alike(known)))


def _vertical(bound: Bound, operand: Value) -> _Dims:
    """`vstack`, which takes an array of one axis for a row."""
    parts = operand.items if isinstance(operand, Sequence) else None
    dims = [dims_of(one) for one in parts or ()]
    if not dims or None in dims or any(len(one or ()) > 2 for one in dims):
        return None
    rows = [(*(1,) * (2 - len(one)), *one) for one in dims if one is not None]
    return (_total([one[0] for one in rows]), *_alike([one[1:] for one in rows]))


def _best(bound: Bound, operand: Value) -> _Dims:
    dims = dims_of(operand)
    axis = _option(bound, "axis")
    return (*dims[:-1], _length(_option(bound, "k"))) if dims and is_none(axis) else None


def _stacked(bound: Bound, operand: Value) -> _Dims:
    axis = _option(bound, "axis") if "axis" in bound else Static(0)
    parts = operand.items if isinstance(operand, Sequence) else None
    dims = [dims_of(one) for one in parts or ()]
    known = [one for one in dims if one is not None]
    if not parts or not known or len({*map(len, known)}) > 1:
        return None
    made = _alike(known)
    at = _axes(made, axis, 1)
    if at is None or len(at) > 1:
        return None
    (along,) = at
    return (*made[:along], len(parts), *made[along:])


def _expanded(bound: Bound, operand: Value) -> _Dims:
    dims, axis = dims_of(operand), _option(bound, "axis")
    count = len(axis.items or ()) if isinstance(axis, Sequence) else 1
    at = None if dims is None else _axes(dims, axis, count)
    if dims is None or at is None or len(at) != count:
        return None
    left = iter(dims)
    return tuple(1 if n in at else next(left) for n in range(len(dims) + count))


def _squeezed(bound: Bound, operand: Value) -> _Dims:
    dims, axis = dims_of(operand), _option(bound, "axis")
    if dims is None or (is_none(axis) and None in dims):
        return None
    gone = {n for n, one in enumerate(dims) if one == 1} if is_none(axis) else _axes(dims, axis)
    return None if gone is None else tuple(one for n, one in enumerate(dims) if n not in gone)


def _transposed(bound: Bound, operand: Value) -> _Dims:
    dims = dims_of(operand)
    plain = len(bound) == 1 and is_none(_option(bound, "axes"))
    return dims[::-1] if dims is not None and plain else None


def _counted(bound: Bound, operand: Value) -> _Dims:
    given = [bound[key][0] for key in ("start", "stop", "step") if key in bound]
    numbers = [_integer(one) for one in given if not is_none(one)]
    known = [one for one in numbers if one is not None]
    if not known or len(known) < len(numbers) or (len(known) == 3 and not known[2]):
        return (None,)
    return (count_of(range(*known)),)


def _integer(value: Value) -> int | None:
    """A whole number, written as a float perhaps."""
    const = value.const if isinstance(value, Static) else None
    return int(const) if isinstance(const, float) and const.is_integer() else _whole(value)


def _spaced(bound: Bound, operand: Value) -> _Dims:
    return (_whole(_option(bound, "num")) if "num" in bound else 50,)


def _square(bound: Bound, operand: Value) -> _Dims:
    rows = _whole(operand)
    columns = _option(bound, "M")
    return rows, rows if is_none(columns) else _whole(columns)


def _converted(bound: Bound, operand: Value) -> _Dims:
    return None if "ndmin" in bound else dims_of(operand)


def _encoded(bound: Bound, operand: Value) -> _Dims:
    dims = dims_of(operand)
    return (
        None if dims is None or "axis" in bound else (*dims, _whole(_option(bound, "num_classes")))
    )


def _outer(bound: Bound, operand: Value) -> _Dims:
    return _size(dims_of(_option(bound, "a"))), _size(dims_of(_option(bound, "b")))


def _matmul(bound: Bound, operand: Value) -> _Dims:
    return multiplied(dims_of(_option(bound, "a")), dims_of(_option(bound, "b")))


def _appended(bound: Bound, operand: Value) -> _Dims:
    both = [_option(bound, "arr"), _option(bound, "values")]
    if not is_none(_option(bound, "axis")):
        return _joined(bound, Sequence("list", both, None))
    return (_total([_size(dims_of(one)) for one in both]),)


_RULES: dict[str, Callable[[Bound, Value], _Dims]] = {
    "append": _appended,
    "arange": _counted,
    "array": _converted,
    "asarray": _converted,
    "concat": _joined,
    "concatenate": _joined,
    "expand_dims": _expanded,
    "eye": _square,
    "identity": _square,
    "linspace": _spaced,
    "matmul": _matmul,
    "one_hot": _encoded,
    "outer": _outer,
    "reshape": _reshaped,
    "squeeze": _squeezed,
    "stack": _stacked,
    "top_k": _best,
    "transpose": _transposed,
    "vstack": _vertical,
}

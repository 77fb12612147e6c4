"""Which dtypes of one kind are surely two, and what those of two arrays promote to.

A width is a class of dtypes. Whether a plain `float` has 32 or 64 bits is up to a flag of JAX
(`jax_enable_x64`), so that both are one width: "float" for float32 and float64, "int" for int32 and
int64, "uint" for those without a sign. Narrower dtypes are a width of their own.

Source: "Type promotion semantics" in the JAX documentation; `tests/knowledge/test_widths.py` asks
the installed JAX.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

_ALIASES: dict[str, str] = {
    "bool": "bool bool_",
    "int": "int int_ int32 int64 intc intp long longlong",
    "uint": "uint uint32 uint64 uintc uintp ulong ulonglong",
    "int8": "int8 byte",
    "int16": "int16 short",
    "uint8": "uint8 ubyte",
    "uint16": "uint16 ushort",
    "float": "float float_ float32 float64 single double",
    "float16": "float16 half",
    "bfloat16": "bfloat16",
    "complex": "complex complex_ complex64 complex128 csingle cdouble",
}
WIDTHS: dict[str, str] = {
    name: width for width, names in _ALIASES.items() for name in names.split()
}
# The width of arrays of a kind that nobody asked for another one.
DEFAULTS: dict[str, str] = {kind: kind for kind in ("bool", "int", "float", "complex")}
# What two widths of one kind promote to; what is left out depends on the flag, or is not known.
_PROMOTIONS: dict[str, str] = {
    "bfloat16 float16": "float",
    "bfloat16 float": "float",
    "float16 float": "float",
    "int8 int16": "int16",
    "int8 int": "int",
    "int16 int": "int",
    "uint8 uint16": "uint16",
    "uint8 uint": "uint",
    "uint16 uint": "uint",
    "int8 uint8": "int16",
    "int16 uint8": "int16",
    "int uint8": "int",
    "int8 uint16": "int",
    "int16 uint16": "int",
    "int uint16": "int",
}
_PAIRS: dict[frozenset[str], str] = {
    frozenset(pair.split()): wide for pair, wide in _PROMOTIONS.items()
}
# Widths that any other one of their kind gives way to.
_WIDEST = frozenset({"bool", "complex", "float"})


def width_of(name: str) -> str:
    """The width of a dtype by the last word of its name, "" where it is not known."""
    return WIDTHS.get(name, "")


def promoted_width(widths: Iterable[str]) -> str:
    """The width that arrays of one kind promote to, "" where it is not known."""
    found = {*widths}
    widest = found & _WIDEST
    if widest:
        return widest.pop()
    return reduce(_promoted, sorted(found)) if found else ""


def _promoted(one: str, other: str) -> str:
    return one if one == other else _PAIRS.get(frozenset((one, other)), "")

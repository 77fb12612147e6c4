"""The equations of a traced program as text, to compare two programs by."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

_ADDRESS = re.compile(r"0x[0-9a-f]+|\bid=\d+")
_LONGEST = 200


@dataclass(frozen=True)
class Part:
    """One equation, constant or result. `text` is for people, `key` for comparing."""

    text: str
    key: str


def parts(closed: Any) -> list[Part]:
    """All parts of a closed jaxpr, those of nested ones in place of the equation around them."""
    return list(_closed(closed))


def equations(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, those with programs of their own followed by what is in these."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield equation
        for inner in nested(equation):
            yield from equations(inner)


def nested(equation: Any) -> list[Any]:
    """The jaxprs, closed or not, among the parameters of an equation."""
    return [value for each in equation.params.values() for value in _programs(each)]


def count(jaxpr: Any) -> int:
    """How many equations there are."""
    return sum(1 for _ in equations(jaxpr))


def differing(before: list[Part], after: list[Part]) -> set[int]:
    """The positions at which two programs differ; all that follow one that only one of them has."""
    longest = max(len(before), len(after))
    if len(before) == len(after):
        return {at for at in range(longest) if before[at].key != after[at].key}
    first = next(
        (at for at, (one, other) in enumerate(zip(before, after)) if one.key != other.key),  # noqa: B905
        min(len(before), len(after)),
    )
    return set(range(first, longest))


def text_at(program: list[Part], position: int) -> str:
    """The part at a position, empty behind the end."""
    return program[position].text if position < len(program) else ""


def _closed(closed: Any) -> Iterator[Part]:
    jaxpr = getattr(closed, "jaxpr", closed)
    for constant in getattr(closed, "consts", ()):
        yield _constant(constant)
    for equation in jaxpr.eqns:
        inner = nested(equation)
        if not inner:
            yield _part(str(equation))
            continue
        yield _part(f"{equation.primitive} {' '.join(_literals(equation.invars))}")
        for each in inner:
            yield from _closed(each)
    literals = [text for text in map(_literal, jaxpr.outvars) if text]
    if literals:
        yield _part(f"return {' '.join(literals)}")


def _programs(value: Any) -> Iterator[Any]:
    if hasattr(getattr(value, "jaxpr", value), "eqns"):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _programs(each)


def _part(text: str) -> Part:
    text = _ADDRESS.sub("...", " ".join(text.split()))
    return Part(_shortened(text), text)


def _literals(variables: Any) -> list[str]:
    return [text for text in map(_literal, variables) if text]


def _literal(variable: Any) -> str:
    if not hasattr(variable, "val"):
        return ""
    return f"{np.asarray(variable.val)}:{variable.aval.str_short()}"


def _constant(value: Any) -> Part:
    try:
        array = np.asarray(value)
    except TypeError:  # Random keys are no arrays of NumPy's.
        return _part(f"constant {value}")
    kind = f"{array.dtype}[{','.join(map(str, array.shape))}]"
    shown = np.array2string(array, threshold=6, edgeitems=3, separator=", ").replace("\n", "")
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    return Part(_shortened(f"constant {kind} = {shown}"), f"{kind} {digest}")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."

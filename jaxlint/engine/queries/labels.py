"""Values in one or two words, to be shown within code."""

from __future__ import annotations

from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.values import (
    Concrete,
    Instance,
    Iterator,
    Mapping,
    NumPy,
    Ref,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
)

_FORMS = {"shape": "tuple", "NoneType": "None"}
_UNSAID = ("", "")
# An array with more dimensions than this has their number in its form.
_MOST_AXES = 4


def brief(value: Value) -> tuple[str, str]:
    """Whether a value is "traced", "static", "concrete" (an array that has its value) or "mixed",
    and its form; two times nothing for one of which neither is known, and for functions."""
    if isinstance(value, Union):
        return _choice([brief(one) for one in value.options])
    if isinstance(value, Traced):
        return "traced", _array(value.dtype, value.rank) if value.leaf else ""
    if isinstance(value, Ref):
        return "traced", "ref"
    if finds_traced(value, in_text=False) is not None:
        return "traced", _holder(value)
    if isinstance(value, Static):
        return "static", _static(value)
    if isinstance(value, TracedString):
        return "static", "str"
    if isinstance(value, NumPy):
        return "concrete", _array(value.dtype, None)
    return ("concrete", _array(value.dtype, value.rank)) if isinstance(value, Concrete) else _UNSAID


def _choice(options: list[tuple[str, str]]) -> tuple[str, str]:
    states = {state for state, _ in options if state}
    forms = {form for _, form in options}
    form = min(forms) if len(forms) == 1 else ""
    if len(states) > 1:
        return ("mixed", form) if states & {"traced", "mixed"} else _UNSAID
    return (min(states), form) if states else _UNSAID


def _array(dtype: str, rank: int | None) -> str:
    if isinstance(dtype, Origin):
        return "key" if dtype.many is None else "keys"
    if rank is None:
        return dtype
    axes = "_, " * rank if rank <= _MOST_AXES else f"{rank} axes"
    return f"{dtype or 'array'}[{axes.removesuffix(', ')}]"


def _holder(value: Value) -> str:
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, Sequence):
        return value.kind
    if isinstance(value, Instance):
        return value.cls.name
    return value.source if isinstance(value, Iterator) else ""


def _static(value: Static) -> str:
    return _FORMS.get(value.kind, value.kind)

"""Words for abstract values, for people who ask what something is to the tracer."""

from __future__ import annotations

from jaxlint.base.explanation import CALLABLE, MODULE
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.pytrees import INEXACT, finds_traced
from jaxlint.engine.domain.special_values import EffectfulObject, Module, TracedString
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Partial,
    Ref,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    options,
)

_CONTAINER = " or a container of arrays"
_MOST_ITEMS = 4
_MOST_TEXT = 60
_DEPTH = 3
_TRACERS = {
    "abstract": "",
    "batch": " (batched)",
    "ad": " (differentiated, with its value known)",
}
_CALLABLES = (Function, Bound, Partial, Method, Transformed, Class)


def described(value: Value, depth: int = _DEPTH) -> tuple[str, str]:
    """The kind of a value, as `Answer` has it, and what it is."""
    if isinstance(value, Traced):
        return "traced", _traced(value)
    if isinstance(value, TracedString):
        return "static", "text with a traced value in it"
    if isinstance(value, Static):
        return "static", _static(value)
    if isinstance(value, (NumPy, Concrete)):
        return "concrete", _concrete(value)
    if isinstance(value, Unknown):
        return "unknown", value.reason
    if isinstance(value, Union):
        return _choice(value, depth)
    if isinstance(value, (Sequence, Mapping, Iterator)):
        return "container", _container(value, depth)
    return _object(value, depth)


def trailed(value: Value) -> Traced | Ref | None:
    """The tracer that tells why a value is traced, as far as it is."""
    if isinstance(value, Ref):
        return value
    return next((t for t in map(finds_traced, options(value)) if t is not None), None)


def phrase(value: Value, depth: int) -> str:
    """Kind and words on one line, for a value among others."""
    if depth <= 0:
        return "..."
    kind, what = described(value, depth)
    return what if kind in ("container", "object", CALLABLE, MODULE) else f"{kind} {what}"


def _traced(value: Traced) -> str:
    words = _array(value.dtype, value.rank)
    if not value.leaf:
        words += _CONTAINER
    words += _TRACERS.get(value.kind, "")
    if value.trail.guessed() is not None:
        return f"{words}, as far as can be guessed"
    doubtful = value.trail.doubtful()
    if doubtful is None:
        return words
    if doubtful.may_be_left_out():
        return f"{words}, if `{doubtful.name}` is passed"
    return f"{words}, at times"


def _array(dtype: str, rank: int | None) -> str:
    if isinstance(dtype, Origin):
        return "random key" if dtype.many is None else "array of random keys"
    kind = "float or complex" if dtype == INEXACT else dtype
    words = f"{kind} array" if kind else "array"
    return words if rank is None else f"{words} of rank {rank}"


def _static(value: Static) -> str:
    if not value.known:
        shape = "shape, a tuple of int" if value.kind == "shape" else value.kind
        return shape or "Python value"
    text = repr(value.const)
    text = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
    return text if value.const is None else f"{value.kind} {text}"


def _concrete(value: NumPy | Concrete) -> str:
    if isinstance(value, NumPy):
        return f"NumPy {_array(value.dtype, None)}"
    return f"JAX {_array(value.dtype, value.rank)}"


def _choice(value: Union, depth: int) -> tuple[str, str]:
    found = [described(option, depth) for option in value.options]
    kinds = {kind for kind, _ in found}
    if len(kinds) == 1:
        words = dict.fromkeys(what for _, what in found)
        return found[0][0], " or ".join(it for it in words if f"{it}{_CONTAINER}" not in words)
    return "mixed", " or ".join(dict.fromkeys(phrase(option, depth) for option in value.options))


def _container(value: Sequence | Mapping | Iterator, depth: int) -> str:
    name = "dict" if isinstance(value, Mapping) else _name(value)
    if isinstance(value, Mapping):
        items = [f"{key!r}: {phrase(it, depth - 1)}" for key, it in value.items.items()]
    else:
        items = [phrase(it, depth - 1) for it in value.items or ()]
    if value.element is not None and (not items or isinstance(value, (Sequence, Mapping))):
        items.append(f"any number of {phrase(value.element, depth - 1)}")
    return f"{name} ({_listed(items)})" if items else f"empty {name}"


def _name(value: Sequence | Iterator) -> str:
    return value.kind if isinstance(value, Sequence) else value.source


def _object(value: Value, depth: int) -> tuple[str, str]:
    if isinstance(value, Instance):
        fields = [f"{name}: {phrase(it, depth - 1)}" for name, it in value.fields.items()]
        return "object", f"`{value.cls.name}`" + (f" ({_listed(fields)})" if fields else "")
    if isinstance(value, Ref):
        return "object", "reference to an array, which may be written to"
    if isinstance(value, EffectfulObject):
        return "object", value.kind
    if isinstance(value, Module):
        return MODULE, f"module `{value.dotted}`"
    if isinstance(value, LibraryName):
        return CALLABLE, f"`{value.dotted.removeprefix('builtins.')}`"
    if isinstance(value, _CALLABLES):
        return CALLABLE, _called(value)
    return "object", type(value).__name__.lower()


def _called(value: Value) -> str:
    if isinstance(value, Class):
        return f"class `{value.name}`"
    if isinstance(value, Method):
        return f"method `{value.name}`"
    if isinstance(value, Function):
        return f"function `{value.node.name}`"
    if isinstance(value, Transformed):
        return f"{value.record.wrapper.application.phrase} {_called(value.func)}"
    if isinstance(value, (Bound, Partial)):
        return _called(value.func)
    return f"`{value.dotted}`" if isinstance(value, LibraryName) else "function"


def _listed(items: list[str]) -> str:
    shown = items[:_MOST_ITEMS]
    more = len(items) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")

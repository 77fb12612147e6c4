"""Methods of Python's own constants: strings, bytes and numbers."""

from __future__ import annotations

import re
from typing import Any

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.values import BOOL, INT, NONE, STATIC, STR, Sequence, Static, Value

_TYPES: dict[str, type] = {
    "str": str,
    "bytes": bytes,
    "int": int,
    "float": float,
    "bool": bool,
    "complex": complex,
    "shape": tuple,
    "range": range,
}
# Constants longer than this are not computed.
MOST_CHARACTERS = 1000
_NUMBERS = frozenset({"find", "rfind", "index", "rindex", "count", "bit_length", "bit_count"})
_LISTS = frozenset({"split", "rsplit", "splitlines"})
_TRIPLES = frozenset({"partition", "rpartition"})


def has_method(value: Static, attr: str) -> bool:
    """Whether this is a method of the constant's type."""
    return callable(getattr(_TYPES.get(value.kind), attr, None))


def has_attribute(value: Static, attr: str) -> bool | None:
    """Whether the constant has an attribute, None where its type is not known."""
    kind = _TYPES.get(value.kind)
    return None if kind is None else hasattr(kind, attr)


def call_method(owner: Static, name: str, args: Args, born: Any) -> Value:
    """The result of a method of a constant, computed where all is known."""
    if name in ("format", "join"):
        found = [(finds_traced(value), place) for value, place in args.pairs()]
        traced = next((one for one, _ in found if one is not None), None)
        if traced is not None:
            return TracedString(traced, *(place for one, place in found if one is not None))
    if isinstance(owner, TracedString):
        return owner if name not in _NUMBERS and not name.startswith("is") else STATIC
    folded = _folded(owner, name, args, born)
    if folded is not None:
        return folded
    if name in _NUMBERS:
        return INT
    if name.startswith(("is", "startswith", "endswith")):
        return BOOL
    if owner.kind not in ("str", "bytes"):
        return STATIC
    text = Static(kind=owner.kind)
    if name in _LISTS:
        return Sequence("list", None, born, text)
    if name in _TRIPLES:
        return Sequence("tuple", [text, text, text], born)
    if name in ("encode", "decode"):
        return STR if name == "decode" else Static(kind="bytes")
    return text if name not in ("maketrans", "hex") else (STR if name == "hex" else STATIC)


def _folded(owner: Static, name: str, args: Args, born: Any) -> Value | None:
    if not owner.known or args.rest is not None or args.more is not None:
        return None
    consts = [v.const for v in args.positional if isinstance(v, Static) and v.known]
    if len(consts) < len(args.positional) or args.keywords:
        return None
    if any(is_large(c) for c in (owner.const, *consts)) or name == "__mul__":
        return None
    if name == "format" and is_wide(owner.const):
        return None
    try:
        result = getattr(owner.const, name)(*consts)
    except (TypeError, ValueError, AttributeError, LookupError, OverflowError):
        return None
    return _as_value(result, born)


def is_large(const: Any) -> bool:
    """Whether computing with a constant may take long, or much memory."""
    if isinstance(const, (int, float)):
        return abs(const) > MOST_CHARACTERS
    return isinstance(const, (str, bytes)) and len(const) > MOST_CHARACTERS


_WIDE = re.compile(r"\d{4}|\*")


def is_wide(template: Any) -> bool:
    """Whether formatting with a template may give a long text: it names a width."""
    return isinstance(template, str) and _WIDE.search(template) is not None


def _as_value(result: Any, born: Any) -> Value | None:
    if result is None:
        return NONE
    if isinstance(result, (str, bytes, bool, int, float, complex)):
        return Static(result)
    if isinstance(result, (list, tuple)):
        kind = "list" if isinstance(result, list) else "tuple"
        return Sequence(kind, [_as_value(r, born) or STATIC for r in result], born)
    return None

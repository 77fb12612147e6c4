"""Observes what arguments the public callables of JAX can be called with."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Iterator
from typing import Any

import knowledge_public as public

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STRANGE = "no_such_argument"


def rows() -> dict[str, str]:
    """The parameters of all callables that refuse what their signature does not have."""
    found = {}
    for dotted, value in public.public_callables().items():
        left_out = _is_type_alone(value) or _is_of_others(value)
        words = None if left_out else signature_of(value)
        if words is not None:
            found[dotted] = words
    return found


def _is_type_alone(value: Any) -> bool:
    """Whether something is called by type checkers alone, or is an error or a kind of number."""
    is_class = isinstance(value, type)
    return isinstance(value, typing.NewType) or (is_class and issubclass(value, BaseException))


def _is_of_others(value: Any) -> bool:
    """Whether Python or NumPy, not JAX, says how something is called: their releases differ."""
    home = getattr(value, "__module__", None) or ""
    return isinstance(value, enum.EnumMeta) or home.partition(".")[0] == "numpy"


def signature_of(value: Any) -> str | None:
    """The parameters of a callable, None for one that takes anything, or more than it says.

    `=` marks what has a default; `/`, `*` and `**` stand where Python puts them.
    """
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    kinds = {one.kind for one in parameters}
    takes_any = inspect.Parameter.VAR_POSITIONAL in kinds
    takes_names = inspect.Parameter.VAR_KEYWORD in kinds
    if takes_any and takes_names:
        return None
    by_position = sum(one.kind in _BY_POSITION for one in parameters)
    if not takes_names and not _refuses(value, (), {_STRANGE: 0}, _STRANGE):
        return None
    if not takes_any and not _refuses(value, (0,) * (by_position + 1), {}, "positional argument"):
        return None
    return " ".join(_words(parameters))


def _refuses(value: Any, given: tuple[int, ...], named: dict[str, int], said: str) -> bool:
    """Whether a call fails since its arguments do not fit."""
    try:
        value(*given, **named)
    except TypeError as error:
        return said in str(error)
    except Exception:
        return False
    return False


def _words(parameters: list[inspect.Parameter]) -> Iterator[str]:
    before: Any = None
    for one in parameters:
        if before is inspect.Parameter.POSITIONAL_ONLY and one.kind is not before:
            yield "/"
        starts = one.kind is inspect.Parameter.KEYWORD_ONLY and before is not one.kind
        if starts and before is not inspect.Parameter.VAR_POSITIONAL:
            yield "*"
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            yield f"*{one.name}"
        elif one.kind is inspect.Parameter.VAR_KEYWORD:
            yield f"**{one.name}"
        else:
            yield one.name + "=" * (one.default is not one.empty)
        before = one.kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"

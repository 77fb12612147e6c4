"""The kinds of values that keys may have: what is wrong with a value, and how a JSON schema
says the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

# What is wrong: the keys below the value that lead there, and the words for it.
Problem = tuple[tuple[str, ...], str]
Schema = dict[str, Any]
_NAMES = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "a list"}


def named(value: Any) -> str:
    """What sort of value stands in a file."""
    return "a table" if isinstance(value, Mapping) else _NAMES.get(type(value), "a date or time")


class Kind:
    """A kind of value. `expected` says in a message what it is, `short` in a table."""

    expected = ""
    short = ""

    def problems(self, value: Any) -> Iterator[Problem]:
        """What is wrong with a value, nothing if it can be used."""
        if not self.accepts(value):
            yield (), f"must be {self.expected}, not {shown(value)}"

    def accepts(self, value: Any) -> bool:
        """Whether a value as such can be used."""
        raise NotImplementedError

    def schema(self) -> Schema:
        """What a JSON schema says of such values."""
        raise NotImplementedError


def shown(value: Any) -> str:
    """A value in a message: what is short is quoted, the rest is named."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float) and len(repr(value)) <= 40:
        return repr(value)
    return named(value)


class Text(Kind):
    """A string, one that matches a pattern if there is one."""

    def __init__(self, expected: str, short: str = "string", pattern: str = "") -> None:
        self.expected, self.short, self.pattern = expected, short, pattern

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and bool(re.search(self.pattern, value))

    def schema(self) -> Schema:
        pattern = {"pattern": self.pattern} if self.pattern else {}
        return {"type": "string", **pattern}


class Flag(Kind):
    """True or false."""

    expected, short = "true or false", "boolean"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)

    def schema(self) -> Schema:
        return {"type": "boolean"}


class Number(Kind):
    """A number above zero."""

    expected, short = "a positive number", "number"

    def accepts(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and 0 < value < math.inf

    def schema(self) -> Schema:
        return {"type": "number", "exclusiveMinimum": 0}


class Choice(Kind):
    """One of a few strings."""

    def __init__(self, *options: str) -> None:
        self.options = options
        names = [f'"{option}"' for option in options]
        self.expected = f"one of {', '.join(names)}"
        self.short = f"{', '.join(f'`{it}`' for it in names[:-1])} or `{names[-1]}`"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.options)}


class Strings(Kind):
    """A list of strings."""

    expected, short = "a list of strings", "list of strings"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)

    def problems(self, value: Any) -> Iterator[Problem]:
        """A list says which of its items is none."""
        if not isinstance(value, list):
            yield from super().problems(value)
            return
        for item in value:
            if not isinstance(item, str):
                yield (), f"must be a list of strings, and {shown(item)} is none"

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"}}


class Table(Kind):
    """A table with keys of the user's and values of one kind."""

    def __init__(self, values: Kind, example: str) -> None:
        self.values = values
        self.short = f"table, values: {values.short}"
        self.expected = f"a table such as {{{example}}}"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def problems(self, value: Any) -> Iterator[Problem]:
        """What is wrong with the table, or with each of its values."""
        yield from super().problems(value)
        if isinstance(value, Mapping):
            for key, item in value.items():
                yield from (((key, *keys), words) for keys, words in self.values.problems(item))

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.values.schema()}


_NAME = r"[^\W\d]\w*"


class Names(Kind):
    """A table from dotted names to dotted names. Without quotes, TOML reads `mylib.compile` as
    a table in a table, which is the same here."""

    expected = 'a table such as {"mylib.compile" = "jax.jit"}'
    short = "table, values: dotted names"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping)

    def problems(self, value: Any, above: tuple[str, ...] = ()) -> Iterator[Problem]:
        """What is wrong with the names on both sides."""
        if not isinstance(value, Mapping):
            yield (), f"must be {self.expected}, not {shown(value)}"
            return
        for key, item in value.items():
            if not re.fullmatch(rf"{_NAME}(\.{_NAME})*", key):
                yield (key,), f'{key!r} is not a dotted name such as "mylib.compile"'
            elif isinstance(item, Mapping):
                found = self.problems(item, (*above, key))
                yield from (((key, *keys), words) for keys, words in found)
            elif not isinstance(item, str):
                yield (key,), f'must be a string such as "jax.jit", not {shown(item)}'
            elif not above and "." not in key:
                yield (key,), f'{key!r} is not a dotted name such as "mylib.compile"'

    def schema(self) -> Schema:
        return {
            "type": "object",
            "patternProperties": {f"^{_NAME}(\\.{_NAME})+$": _NAMED, f"^{_NAME}$": _TABLE},
            "additionalProperties": False,
        }


_TABLE: Schema = {"$ref": "#/definitions/names"}
_NAMED: Schema = {"anyOf": [{"type": "string"}, _TABLE]}
# What schemas of kinds refer to.
DEFINITIONS: Schema = {
    "names": {
        "type": "object",
        "patternProperties": {f"^{_NAME}(\\.{_NAME})*$": _NAMED},
        "additionalProperties": False,
    }
}


def flat(table: Any, prefix: str = "") -> dict[str, Any]:
    """A table of names in tables, by whole names."""
    if not isinstance(table, Mapping):
        return {prefix: table}
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{prefix}.{key}" if prefix else key)
    return found

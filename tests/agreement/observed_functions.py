"""What was seen of functions and their lines, and its JSON."""

from __future__ import annotations

import types
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

MOST_ENTRIES = 8


MODULE = "<module>"


_FUNCTION = 0x1 | 0x2


Entry = tuple[str, int]


@dataclass
class Line:
    """What was seen of one line of a function."""

    traced: int = 0
    staged: int = 0
    host: int = 0
    looked: int = 0
    entries: dict[Entry, None] = field(default_factory=dict)
    names: dict[str, set[str]] = field(default_factory=dict)
    forms: dict[str, set[str]] = field(default_factory=dict)


@dataclass
class Function:
    """What was seen of one code object. `calls` and `modules` are the distance of the nearest
    run from the function at which tracing starts, None where it never ran under a trace."""

    file: str
    name: str
    line: int
    traced: int = 0
    host: int = 0
    calls: int | None = None
    modules: int | None = None
    entries: dict[Entry, None] = field(default_factory=dict)
    tracers: set[str] = field(default_factory=set)
    lines: dict[int, Line] = field(default_factory=dict)


def counted(counts: Counter[Any]) -> list[list[Any]]:
    return sorted([*key, n] for key, n in counts.items())


def as_json(function: Function) -> dict[str, Any]:
    lines = {
        str(line): {
            "traced": seen.traced,
            "staged": seen.staged,
            "host": seen.host,
            "entries": [list(entry) for entry in seen.entries],
            "names": {name: "".join(sorted(kinds)) for name, kinds in sorted(seen.names.items())},
            "forms": {name: sorted(forms) for name, forms in sorted(seen.forms.items())},
        }
        for line, seen in sorted(function.lines.items())
        if seen.traced
    }
    return {
        "name": function.name,
        "line": function.line,
        "traced": function.traced,
        "host": function.host,
        "calls": function.calls,
        "modules": function.modules,
        "entries": [list(entry) for entry in function.entries],
        "tracers": sorted(function.tracers),
        "lines": lines,
        "host_lines": sorted(line for line, seen in function.lines.items() if not seen.traced),
    }


def add_entries(known: dict[Entry, None], new: list[Entry]) -> None:
    for entry in new:
        if len(known) < MOST_ENTRIES:
            known[entry] = None


def is_function(code: types.CodeType) -> bool:
    """Whether a code object is that of a function that has a name, or of a module."""
    named = code.co_flags & _FUNCTION == _FUNCTION and not code.co_name.startswith("<")
    return named or code.co_name == MODULE

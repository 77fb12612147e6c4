"""Settings with their origins: TOML with comments, and JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jaxlint.base.printable import one_line
from jaxlint.report.formats import json
from jaxlint.settings.effective import Effective, Origin, Part
from jaxlint.settings.schema import quoted, toml

_WIDTH = 80


def text(path: str, files: Sequence[str], found: Sequence[Effective], rules: Iterable[str]) -> str:
    """The settings for a path in TOML, with where each was given in comments."""
    places = ", ".join(map(_near, files)) if files else "no file"
    lines = [f"# settings for {path}, from {places}"]
    rows = [row for one in found for row in _rows(one)]
    width = min(_WIDTH, max(len(said) for said, _ in rows))
    lines += [f"{said:{width}}  # {origin}" if origin else said for said, origin in rows]
    lines += ["", *_wrapped("# rules: ", list(rules) or ["none"])]
    return "".join(one_line(line) + "\n" for line in lines)


def as_json(
    path: str, files: Sequence[str], found: Sequence[Effective], rules: Iterable[str]
) -> str:
    """The same as one object."""
    return json.dump(
        {
            "path": path,
            "files": list(files),
            "settings": {
                one.key.name: {
                    "value": one.value,
                    "origins": [_place(part.origin) for part in _distinct(one.parts)],
                }
                for one in found
            },
            "rules": list(rules),
        }
    )


def _rows(one: Effective) -> Iterator[tuple[str, str]]:
    """Lines of TOML, each with its origin."""
    name, parts = one.key.name, one.parts
    if one.value is None:
        yield f"# {name} is not set", ""
    elif isinstance(one.value, dict) and one.value:
        for part in parts:
            yield f"{name}.{quoted(part.key)} = {toml(part.value)}", _words(part.origin)
    elif len({part.origin for part in parts}) > 1:
        yield f"{name} = [", ""
        yield from ((f"    {toml(part.value)},", _words(part.origin)) for part in parts)
        yield "]", ""
    else:
        yield f"{name} = {toml(one.value)}", _words(parts[0].origin)


def _words(origin: Origin) -> str:
    if origin.file:
        return f"{_near(origin.file)}:{origin.line}"
    return origin.option or "default"


def _near(path: str) -> str:
    """A path as it is written from the current directory, if it is below."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def _distinct(parts: Sequence[Part]) -> list[Part]:
    return list({part.origin: part for part in parts}.values())


def _place(origin: Origin) -> dict[str, Any]:
    if origin.file:
        return {"kind": "file", "file": origin.file, "line": origin.line}
    return {"kind": "option", "option": origin.option} if origin.option else {"kind": "default"}


def _wrapped(first: str, words: Sequence[str]) -> Iterator[str]:
    line = first
    for number, word in enumerate(words):
        piece = word if number == len(words) - 1 else f"{word}, "
        if len(line) + len(piece.rstrip()) > _WIDTH:
            yield line.rstrip()
            line = "#   "
        line += piece
    yield line

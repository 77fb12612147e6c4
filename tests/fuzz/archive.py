"""Labelled programs as text, one JSON line each: what JAX said, for later comparisons."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contract import Effect, Label, Labels, Program, Site

Labelled = tuple[Program, Labels]


def save(path: Path, labelled: Iterable[Labelled]) -> None:
    """Writes labelled programs."""
    with path.open("w", encoding="utf-8") as stream:
        for program, labels in labelled:
            fields = {
                field.name: _plain(getattr(labels, field.name))
                for field in dataclasses.fields(labels)
            }
            stream.write(json.dumps([program.seed, program.source, fields]) + "\n")


def load(path: Path) -> Iterator[Labelled]:
    """Reads what `save` wrote."""
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            seed, source, fields = json.loads(line)
            yield Program(seed, source), _labels(fields)


_PARTS = {"sites": Site, "names": Label, "effects": Effect, "loops": Site}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [dataclasses.astuple(v) if dataclasses.is_dataclass(v) else v for v in value]  # type: ignore[arg-type]
    return value


def _labels(fields: dict[str, Any]) -> Labels:
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _PARTS:
            made[name] = tuple(_PARTS[name](*each) for each in value)
        elif name == "executed":
            made[name] = frozenset(value)
        else:
            made[name] = tuple(value) if isinstance(value, list) else value
    return Labels(**made)

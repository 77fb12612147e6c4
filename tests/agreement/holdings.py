"""Lints a checkout as its users would, and notes what the engine says of each name.

Usage: python holdings.py OUT ROOT

OUT receives JSON: for each statement that a traced run reaches, what each local name, and each
attribute of `self`, may hold; the findings; and how long it took. The names are merged over all
runs. A run for any arguments counts only where none for those of a visible call comes.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jaxlint.base.finding import Finding
from jaxlint.base.text import Span
from jaxlint.dataflow.names import free_names
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    Bound,
    Function,
    Instance,
    Mapping,
    Method,
    Partial,
    Sequence,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.interpreter.statements import EXECUTORS
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.semantics import Exec
from jaxlint.engine.models.stdlib.reveal import revealed
from jaxlint.facts.provenance import TraceEntry
from jaxlint.project.discovery import discover
from jaxlint.session.session import Session
from jaxlint.session.surveys import silence
from jaxlint.settings import Settings
from jaxlint.syntax import ir

_Key = tuple[str, int, str]
# What was said by the number of the entry points under which it was.
_Said = dict[int, set[str]]
# By file, line of a statement, and name: what runs for visible arguments and for any said.
_Runs = dict[_Key, tuple[_Said, _Said]]

STAGED, EAGER = "<staged>", "<eager>"
"""Whether a run is within a function that JAX writes down, or in eager `vmap` or `grad` alone."""

DEPTH = 3
"""How deep the reason of an unknown part is looked for."""


class Notes:
    """What the engine said of names, and the functions that it ran under tracing."""

    def __init__(self) -> None:
        self.names: _Runs = {}
        self.reasons: dict[_Key, str] = {}
        self.lines: dict[tuple[str, int], set[str]] = {}
        self.entries: dict[frozenset[str], int] = {}
        self._starts: dict[int, tuple[TraceEntry, str]] = {}
        self._places: dict[int, tuple[ir.Node, int]] = {}

    def add(self, machine: Machine, frame: Frame, node: ir.Stmt) -> None:
        """Takes in what the names of a frame hold before a statement."""
        function = frame.func
        if function is None or frame.kind != "function" or frame.trace.is_host:
            return
        file, line = frame.root.module.file, self._line(frame.root.module, node)
        side = 1 if machine.dynamic.supposed else 0
        entries = self.entries.setdefault(self._entries(frame, function), len(self.entries))
        for name in (*function.bound, *free_names(function)):
            binder = frame if name in function.bound else frame.binder(name)
            value = None if binder is None else binder.env.get(name)
            if value is None:
                continue
            self._note((file, line, name), side, entries, value)
            if name == "self" and isinstance(value, Instance):
                for attribute, inner in value.fields.items():
                    self._note((file, line, f"self.{attribute}"), side, entries, inner)
        self.lines.setdefault((file, line), set()).add("supposed" if side else "visible")

    def _note(self, key: _Key, side: int, entries: int, value: Value) -> None:
        kind = "empty" if _is_empty(value) else said_of(value)
        self.names.setdefault(key, ({}, {}))[side].setdefault(entries, set()).add(kind)
        if kind == "unknown":
            self.reasons.setdefault(key, _reason(value))

    def _entries(self, frame: Frame, function: ir.FunctionDef) -> frozenset[str]:
        """The functions at which the traces around begin: each by its file and line if it ran, as
        the first of its name in its trace, else by its name. STAGED or EAGER is among them."""
        found = {STAGED if frame.trace.staged else EAGER}
        for trace in frame.trace.around():
            entry = trace.entry
            if entry is not None:
                known = self._starts.get(id(entry))
                if known is None and trace is frame.trace and function.name == entry.function:
                    module = frame.root.module
                    place = f"{module.file}:{module.locate(function).line}"
                    known = self._starts[id(entry)] = (entry, place)
                found.add(entry.function if known is None else known[1])
        return frozenset(found)

    def _line(self, module: ir.Module, node: ir.Stmt) -> int:
        known = self._places.get(id(node))
        if known is None:
            known = self._places[id(node)] = (node, module.locate(node).line)
        return known[1]


def said_of(value: Value, depth: int = DEPTH) -> str:
    """What the engine says of a value: "traced", "static", "mixed", "unknown", "leaves" for a
    pytree of which each leaf is traced, if it has any, or "function", which may capture tracers, as
    may an object that holds one. An object that holds something unknown may hold a tracer there,
    and one that was made of leaves holds tracers if it has leaves."""
    if isinstance(value, Traced) and not value.leaf:
        return "leaves"
    kind = revealed(value)
    if kind == "static" and isinstance(value, (Bound, Function, Method, Partial, Transformed)):
        return "function"
    if kind == "traced" or not depth:
        return kind
    if isinstance(value, Union):
        return _alternatives({said_of(one, depth) for one in value.options})
    kinds = {kind, *(said_of(one, depth - 1) for one in _parts(value))}
    if isinstance(value, FrameworkObject) and kinds & {"traced", "leaves"}:
        # How a library's object keeps what it was given is not known.
        kinds = {"mixed"}
    if isinstance(value, Instance) and value.tree is not None:
        kinds.add("mixed")
    elif isinstance(value, Instance) and not value.cls.fields.keys() <= value.fields.keys():
        kinds.add("unknown")
    order = ("traced", "leaves", "unknown", "mixed", "function")
    return next((one for one in order if one in kinds), "static")


def _alternatives(kinds: set[str]) -> str:
    if "unknown" in kinds or len(kinds) == 1:
        return "unknown" if "unknown" in kinds else kinds.pop()
    if kinds == {"leaves", "traced"}:
        return "leaves"
    return "function" if kinds == {"function", "static"} else "mixed"


def _parts(value: Value) -> list[Value]:
    """What a container or an object holds."""
    if isinstance(value, Instance):
        return list(value.fields.values())
    if isinstance(value, FrameworkObject):
        return _parts_of_product(value)
    inner: list[Value] = list(value.items or ()) if isinstance(value, Sequence) else []
    if isinstance(value, Mapping):
        inner = list(value.items.values())
    rest = value.element if isinstance(value, (Sequence, Mapping)) else None
    return inner if rest is None else [*inner, rest]


def _parts_of_product(value: FrameworkObject) -> list[Value]:
    """What a library's object keeps. What it was made with counts where it is known."""
    given = [] if value.args is None else value.args.values()
    kept = [*value.state.values(), *value.state.get("fields", {}).values()]
    known = [one for one in given if revealed(one) != "unknown"]
    return [*known, *(one for one in kept if isinstance(one, Value) and one is not value)]


def _is_empty(value: Value) -> bool:
    """Whether a value is a container without leaves, of which nothing is observed either."""
    if isinstance(value, Sequence):
        inner = [*(value.items or ()), *([] if value.element is None else [value.element])]
        known = value.items is not None and value.kind in ("tuple", "list")
    elif isinstance(value, Mapping):
        inner = [*value.items.values(), *([] if value.element is None else [value.element])]
        known = not value.open
    else:
        return False
    return known and all(is_none(one) or _is_empty(one) for one in inner)


def _reason(value: Value, depth: int = DEPTH) -> str:
    """Why a value, or the first part of it that is unknown, is unknown."""
    if isinstance(value, Unknown):
        return value.reason
    parts = value.options if isinstance(value, Union) else _parts(value)
    found = (_reason(part, depth - 1) for part in parts if depth and said_of(part) == "unknown")
    return next(found, f"part of a {type(value).__name__}")


@contextmanager
def noted() -> Iterator[Notes]:
    """Notes what the engine says while files are linted in this process."""
    notes = Notes()
    plain = dict(EXECUTORS)

    def watched(execute: Exec) -> Exec:
        def observe(machine: Machine, frame: Frame, node: ir.Stmt) -> bool:
            notes.add(machine, frame, node)
            return execute(machine, frame, node)

        return observe

    EXECUTORS.update({kind: watched(execute) for kind, execute in plain.items()})
    try:
        yield notes
    finally:
        EXECUTORS.update(plain)


def linted(root: Path) -> tuple[Notes, Session, list[str], list[Finding], float]:
    """What the engine notes of a checkout, the session and its files, the findings, and the
    seconds of CPU."""
    settings = Settings(noqa="none")
    found = discover([str(root)], respect_gitignore=False)
    session = Session(settings, surveys=True)
    session.ask(found.files)
    begun = time.process_time()
    with noted() as notes:
        findings = [one for path in found.files for one in session.check(path).findings]
    return notes, session, list(found.files), findings, time.process_time() - begun


def _silence(session: Session, files: list[str], root: Path) -> list[list[Any]]:
    """Why each statement that is not reached is not, by its first line."""
    reasons = silence(session, files)
    rows = []
    for file in files:
        try:
            tree = ast.parse(Path(file).read_bytes())
        except (SyntaxError, ValueError):
            continue
        lines = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)}
        for line in sorted(lines):
            reason = reasons.reason(file, line)
            if reason is not None:
                rows.append([os.path.relpath(file, root), line, reason.root.kind, reason.text])
    return rows


def _as_json(finding: Finding, relative: Callable[[str], str]) -> dict[str, Any]:
    def place(filename: str, span: Span) -> dict[str, Any]:
        return {"file": relative(filename), "line": span.line, "end_line": span.end_line}

    return {
        **place(finding.filename, finding.span),
        "column": finding.span.column,
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "trail": [place(one.filename, one.span) for one in finding.trail],
    }


def main(arguments: list[str]) -> int:
    """Lints a checkout and writes what the engine says of it."""
    out, root = Path(arguments[0]), Path(arguments[1]).resolve()
    notes, session, files, findings, seconds = linted(root)

    def relative(file: str) -> str:
        return os.path.relpath(os.path.realpath(file), root)

    def placed(entry: str) -> str:
        file, colon, name = entry.rpartition(":")
        return relative(file) + colon + name if file else name

    names = [
        [
            *(relative(file), line, name),
            {str(entries): sorted(said) for entries, said in (visible or supposed).items()},
            notes.reasons.get((file, line, name), ""),
        ]
        for (file, line, name), (visible, supposed) in notes.names.items()
    ]
    lines = [[relative(file), line, sorted(how)] for (file, line), how in notes.lines.items()]
    document = {
        "seconds": round(seconds, 1),
        "lines": sorted(lines),
        "names": sorted(names, key=lambda row: row[:3]),
        "entries": [
            sorted(relative(one) if ":" in one else one for one in places)
            for places in notes.entries
        ],
        "unreached": _silence(session, files, root),
        "findings": [_as_json(one, relative) for one in findings],
    }
    out.write_text(json.dumps(document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

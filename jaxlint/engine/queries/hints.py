"""Marks the parameters and assigned names of a file that traced code comes to, all in one run.

What is said of a name is less than `explaining` says of it: functions do not run again for each of
their callers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.explanation import Answer, Mark
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.descriptions import described
from jaxlint.engine.queries.explain import (
    CALLED,
    SUPPOSED,
    TRACED_ELSEWHERE,
    Explainer,
    Notes,
    Place,
    run,
)
from jaxlint.engine.queries.labels import brief
from jaxlint.engine.queries.places import extent
from jaxlint.syntax import ir

_BINDING = (ir.Name, ir.Param, ir.MatchAs)
# How many answers of different words are kept for one name.
_MOST_KINDS = 8
# The state and the form of a value, how much the run says, and the function that no call of the
# source leads to, if there is one.
_Kind = tuple[str, str, int, ir.FunctionDef | None]


@slotted(frozen=True)
class Binding:
    """A place where a name is bound; `end` is behind it and its annotation."""

    name: str
    span: Span
    end: tuple[int, int]
    is_annotated: bool


class Marks:
    """What is known of the names of one file, given by its identity, from several machines."""

    def __init__(self, file: str) -> None:
        self.file = file
        # Answers by how much the runs say that gave them.
        self._seen: dict[Binding, dict[int, dict[tuple[str, str], Answer]]] = {}

    def note(self, binding: Binding, weight: int, words: tuple[str, str], answer: Answer) -> None:
        """Takes in one answer."""
        self._seen.setdefault(binding, {}).setdefault(weight, {}).setdefault(words, answer)

    def marks(self) -> Iterator[Mark]:
        """The marks in source order."""
        for binding, seen in sorted(self._seen.items(), key=lambda it: it[0].span):
            yield _mark(binding, seen[min(seen)])


def _mark(binding: Binding, seen: dict[tuple[str, str], Answer]) -> Mark:
    states = {state for state, _ in seen}
    forms = {form for _, form in seen}
    state = "mixed" if len(states) > 1 and states & {"traced", "mixed"} else min(states)
    telling = next((it for (one, _), it in seen.items() if one == "traced"), None)
    return Mark(
        binding.name,
        binding.span,
        binding.end,
        binding.is_annotated,
        state,
        min(forms) if len(forms) == 1 else "",
        telling or next(iter(seen.values())),
    )


class Marker(Explainer):
    """A machine that notes what is bound in traced code in a file."""

    # Nothing is noted of other expressions, and nothing runs for the notes' sake.
    eval = Machine.eval
    invoke = Machine.invoke

    def __init__(self, marks: Marks, *given: Any) -> None:
        super().__init__(Notes(Place(marks.file, 0)), *given)
        self.marks = marks
        self._bindings: dict[int, Binding] = {}
        self._read: dict[int, ir.Module] = {}
        self._kinds: dict[Binding, dict[_Kind, Answer]] = {}

    def _see(self, frame: Frame, node: ir.Node | ir.Param, value: Value) -> None:
        if frame.trace.is_host or not isinstance(node, _BINDING):
            return
        module = frame.root.module
        if module is None or module.file != self.marks.file:
            return
        if id(module) not in self._read:
            self._read[id(module)] = module
            self._bindings |= {id(at): binding for at, binding in _bindings(module)}
        binding = self._bindings.get(id(node))
        if binding is None:
            return
        words = brief(value)
        kinds = self._kinds.setdefault(binding, {})
        kind = (*words, SUPPOSED if self.dynamic.supposed else CALLED, self._uncalled())
        if words[0] and kind not in kinds and len(kinds) < _MOST_KINDS:
            what = described(value)
            kinds[kind] = Answer(*what, frame.home().name, self._trail(module, frame, value))

    def tell(self) -> None:
        """Hands over what was seen."""
        for binding, kinds in self._kinds.items():
            for (state, form, weight, first), answer in kinds.items():
                elsewhere = first is not None and id(first) in self.program.traced
                weight = TRACED_ELSEWHERE if elsewhere else weight
                self.marks.note(binding, weight, (state, form), answer)


def _bindings(module: ir.Module) -> Iterator[tuple[ir.Node | ir.Param, Binding]]:
    """The names that a file binds, less those that an augmented assignment binds again."""
    again: set[int] = set()
    annotations: dict[int, ir.Expr] = {}
    for node in walk(module.body):
        if isinstance(node, ir.AugAssign):
            again.add(id(node.target))
        elif isinstance(node, ir.AnnAssign):
            annotations[id(node.target)] = node.annotation
        name = _bound(node)
        if not name or id(node) in again or not node.origin:
            continue
        span = extent(module, node)
        if module.source.slice(span) != name:
            continue
        annotation = node.annotation if isinstance(node, ir.Param) else annotations.get(id(node))
        last = span if annotation is None else module.locate(annotation)
        end = last.end_line, last.end_column
        yield node, Binding(name, span, end, annotation is not None)


def _bound(node: Any) -> str:
    """The name that a node binds where it binds one."""
    if isinstance(node, ir.Name):
        name: str = node.id
    else:
        name = node.name or "" if isinstance(node, (ir.Param, ir.MatchAs)) else ""
    return "" if name == "_" else name


def mark(marks: Marks, module: ir.Module, context: Context | None = None) -> None:
    """Runs a module and notes what it binds."""
    run(partial(Marker, marks), module, context)

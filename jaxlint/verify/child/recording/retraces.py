"""Counts how often the flagged `jit(...)` is evaluated and what it compiles is traced again."""

from __future__ import annotations

import ast
import os
import types
import weakref
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from jaxlint.verify.child.experiments.evidence.syntax import syntax_of
from jaxlint.verify.child.observing.places import Matcher, Place, UserFiles, current_place
from jaxlint.verify.child.recording.stand_ins import base_of, is_by_identity
from jaxlint.verify.protocol import Observation, Outcome, Target

_Origin = Any
"""A code object of the user's, or the name of a transform with the origin that it was given."""


@dataclass
class _Traces:
    """The traces of equal functions for one signature. `functions` numbers the objects."""

    signature: str
    count: int = 0
    functions: set[int] = field(default_factory=set)


class Retraces:
    """The evaluations of the targets outside staging, and the traces of what they compile.

    Only traces by `jit` itself count: what it compiles may be `vmap(f)`, which calls `f`.
    """

    def __init__(self, targets: list[Target], matcher: Matcher, files: UserFiles) -> None:
        self._targets = {target.id: target for target in targets if target.hazard == "recompiles"}
        self._definitions = {target.id: _decorators(target) for target in self._targets.values()}
        self._matcher = matcher
        self._files = files
        self._origins: weakref.WeakKeyDictionary[Any, _Origin] = weakref.WeakKeyDictionary()
        self._evaluations: Counter[int] = Counter()
        self._compiled: dict[int, dict[int, _Origin]] = {}
        self._wanted: set[int] = set()
        self._traces: dict[int, dict[Any, tuple[str, int]]] = {}
        self._epoch = 0

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to count."""
        return not self._targets

    def forget(self) -> None:
        """JAX's caches were emptied: what is traced again from now on proves nothing."""
        self._epoch += 1

    def made(self, phrase: str, function: Any, result: Any) -> bool:
        """A transform returned something made of a function. Whether that is the user's."""
        origin = self._origin(function)
        if origin is None or not callable(result) or not is_by_identity(result):
            return False
        self._origins[result] = (phrase, origin)
        return True

    def evaluated(self, function: Any, number: int) -> None:
        """A function is given to a transform that compiles, outside staging."""
        origin = self._origin(function)
        place = current_place(self._files) if origin is not None and number else None
        if place is None:
            return
        for target in self._at(place):
            self._evaluations[target] += 1
            self._compiled.setdefault(target, {})[number] = origin
            self._wanted.add(number)

    def traced(self, number: int, key: Any, signature: str) -> None:
        """JAX runs a function to write it down."""
        traces = self._traces.setdefault(number, {})
        known, count = traces.get((self._epoch, key), (signature, 0))
        traces[self._epoch, key] = known, count + 1

    def wants(self, number: int) -> bool:
        """Whether a function is compiled by a target."""
        return number in self._wanted

    def observations(self, facts: dict[str, Any]) -> list[Observation]:
        """What the counts say."""
        found = []
        for target, compiled in self._compiled.items():
            groups = self._grouped(compiled)
            if self._evaluations[target] < 2 or not groups:
                continue
            most = max(groups, key=lambda each: each.count)
            evidence = {
                **facts,
                "traces": most.count,
                "functions": len(most.functions),
                "evaluations": self._evaluations[target],
            }
            # As many traces as evaluations, each for another signature, tell nothing: what is new
            # may be the function, or what it is called with.
            if most.count < 2 and sum(each.count for each in groups) >= self._evaluations[target]:
                continue
            outcome: Outcome = "shown" if most.count > 1 else "absent"
            found.append(Observation(target, outcome, "run", most.signature, evidence=evidence))
        return found

    def _grouped(self, compiled: dict[int, _Origin]) -> list[_Traces]:
        """The traces of what a target compiles, those of equal functions together."""
        groups: dict[Any, _Traces] = {}
        for number, origin in compiled.items():
            for key, (signature, count) in self._traces.get(number, {}).items():
                group = groups.setdefault((origin, key), _Traces(signature))
                group.count += count
                group.functions.add(number)
        return list(groups.values())

    def _at(self, place: Place) -> list[int]:
        """The targets that are evaluated at a place: a decorator is a part of its `def`."""
        matched = {target.id for target in self._matcher.match(place)}
        return [
            id
            for id, decorators in self._definitions.items()
            if (id in matched if decorators is None else decorators.holds(place))
        ]

    def _origin(self, function: Any) -> _Origin | None:
        """The user's code in a function, a method, a partial function or what transforms made."""
        function = base_of(function)
        known = self._origins.get(function) if is_by_identity(function) else None
        if known is not None:
            return known
        code = getattr(function, "__code__", None)
        if isinstance(code, types.CodeType) and code.co_filename in self._files:
            return code
        return None


@dataclass(frozen=True)
class _Decorators:
    """The lines of one function's decorators, and of its `def`.

    Columns add nothing: each line has but one. Python 3.10 applies decorators on the line of
    `def`.
    """

    file: str
    lines: frozenset[int]
    definition: int

    def holds(self, place: Place) -> bool:
        applies = place.column is None and place.line == self.definition
        same_line = applies or place.line in self.lines
        return same_line and os.path.realpath(place.file) == self.file


def _decorators(target: Target) -> _Decorators | None:
    """The decorators of the function that a target flags; None if it flags something else."""
    syntax = syntax_of(target.file)
    node = syntax.node(target)
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not node.decorator_list:
        return None
    lines = [
        line
        for each in node.decorator_list
        for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    ]
    return _Decorators(os.path.realpath(target.file), frozenset(lines), node.lineno)

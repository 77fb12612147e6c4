"""A module with targets, loaded with probes, whose functions are put to study.

Flagged code stands between « and ».
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import jax
import pytest

from jaxlint.verify.child.arguments.signatures import Call
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.child.recording.record import Recorder
from jaxlint.verify.child.study import study
from jaxlint.verify.protocol import Config, Observation, Target

PRELUDE = """\
import itertools, logging, math, random, time, types, warnings
from functools import partial
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
"""
BOOL = ("TracerBoolConversionError", "ValueError")
F = jax.ShapeDtypeStruct((), "float32")
I = jax.ShapeDtypeStruct((), "int32")  # noqa: E741
V = jax.ShapeDtypeStruct((4,), "float32")
numbers = itertools.count()


class Bench:
    """A module with targets, loaded with probes."""

    def __init__(self, directory: Path, source: str, hazard: str, errors: tuple[str, ...]) -> None:
        text = PRELUDE + dedent(source)
        path = directory / f"bench_{next(numbers)}.py"
        self.targets = list(targets_in(text, str(path), hazard, errors))
        path.write_text(text.replace("«", "").replace("»", ""), encoding="utf-8")
        self.probes = Probes(self.targets)
        self.files = UserFiles([str(directory)])
        self.module = types.ModuleType(path.stem)
        self.module.__file__ = str(path)
        sys.modules[path.stem] = self.module
        exec(self.probes.compile(path.read_bytes(), str(path)), vars(self.module))
        assert {} == self.probes.unplaced

    def study(self, function: str, *args: Any, **options: Any) -> list[Observation]:
        fn = eval(function, vars(self.module))
        settings = {"source": "given", "config": Config(), **options}
        return study(Call(fn, args), self.targets, self.probes, self.files, **settings)

    def outcomes(self, function: str, *args: Any, **options: Any) -> list[str]:
        """For each target all that was observed, "-" for nothing."""
        return self._by_target(self.study(function, *args, **options))

    def recorded(self, code: str) -> list[str]:
        """As `outcomes`, of what a recorder observes while code runs in the module."""
        recorder = Recorder(self.targets, self.probes, self.files, Config(), in_place=True)
        recorder.install()
        try:
            exec(code, vars(self.module))
        finally:
            recorder.remove()
        assert [] == recorder.defects
        return self._by_target(recorder.observations())

    def _by_target(self, observations: Iterable[Observation]) -> list[str]:
        seen: dict[int, list[str]] = {}
        for each in observations:
            seen.setdefault(each.target, []).append(each.outcome)
        return [" ".join(seen.get(target.id, ["-"])) for target in self.targets]


def targets_in(text: str, path: str, hazard: str, errors: tuple[str, ...]) -> Iterator[Target]:
    line, column, number = 1, 0, 0
    start = (0, 0)
    for letter in text:
        if letter == "«":
            start = (line, column)
        elif letter == "»":
            number += 1
            yield Target(
                number,
                path,
                *start,
                line,
                column,
                "JAX999",
                hazard,
                errors,  # type: ignore[arg-type]
            )
        elif letter == "\n":
            line, column = line + 1, 0
        else:
            column += len(letter.encode())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Any]:
    made: list[Bench] = []

    def make(source: str, hazard: str, errors: tuple[str, ...] = ()) -> Bench:
        made.append(Bench(tmp_path, source, hazard, errors))
        return made[-1]

    yield make
    for each in made:
        del sys.modules[each.module.__name__]

"""The judge on a small project whose names are known."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import agree
import holdings
import judge
import pytest
import refute
from observations import Observations, Statements, read

MODEL = """\
import warnings

import jax
import jax.numpy as jnp

from small.helpers import scaled


class Layer:
    def __init__(self, width):
        self.width = width
        self.last = None

    def apply(self, x):
        y = scaled(x, self.width)
        return y


@jax.jit
def step(x, layer=None):
    z = x + 1
    if layer is not None:
        z = layer.apply(z)
    return z


def eager(x):
    y = x * 2
    return y


def sometimes(x):
    y = x * 3
    return y


def closed(layer):
    def inner(x):
        y = layer.apply(x)
        return y

    return jax.jit(inner)


def fails(x):
    if x > 0:
        return x
    return -x


def draws(key):
    first = jax.random.normal(key)
    second = jax.random.normal(key)
    return first + second


def outdated(x):
    warnings.warn("outdated", DeprecationWarning)
    names = [jax.numpy.never(one) for one in ()]
    return jax.numpy.missing(x)
"""

HELPERS = """\
def scaled(x, by):
    rows = x.shape[0]
    total = (
        x.sum()
        * by
        / rows
    )
    return total
"""

SCRIPT = """\
import sys
sys.path.insert(0, ".")
import jax
import jax.numpy as jnp
from small import model

model.step(jnp.ones(3))
model.closed(model.Layer(2))(jnp.ones(3))
model.eager(jnp.ones(3))
model.sometimes(jnp.ones(3))
jax.jit(model.sometimes)(1.0)
model.draws(jax.random.key(0))
try:
    model.outdated(1.0)
except AttributeError:
    pass
jax.jit(model.fails)(1.0)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkout")
    package = root / "small"
    package.mkdir()
    (root / "pyproject.toml").write_text("[project]\nname = 'small'\n")
    (package / "__init__.py").write_text("")
    (package / "model.py").write_text(MODEL)
    (package / "helpers.py").write_text(HELPERS)
    (root / "run.py").write_text(SCRIPT)
    return root.resolve()


@pytest.fixture(scope="module")
def path(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("store") / "small.json"
    judge.observe(checkout, sys.executable, ["run.py"], out, os.environ)
    return out


@pytest.fixture(scope="module")
def seen(checkout: Path, path: Path) -> Observations:
    return read(path, checkout)


def names(seen: Observations, file: str, source: str, text: str) -> dict[str, str]:
    line = source[: source.index(text)].count("\n") + 1
    statement = seen.statements[file, line]
    return {name: "".join(sorted(kinds)) for name, kinds in statement.names.items()}


def test_what_names_held_under_traces(seen: Observations) -> None:
    held = names(seen, "small/model.py", MODEL, "return y\n\n\n@jax.jit")
    assert held["x"] == held["y"] == "t"
    assert (held["self.width"], held["self.last"]) == ("p", "o")
    held = names(seen, "small/model.py", MODEL, "y = layer.apply(x)")
    assert (held["x"], held["layer"]) == ("t", "c")


def test_what_runs_outside_traces_only_is_no_label(seen: Observations) -> None:
    eager = MODEL[: MODEL.index("y = x * 2")].count("\n") + 1
    assert ("small/model.py", eager) not in seen.statements
    function = next(one for one in seen.functions if one.name == "eager")
    assert (function.traced, function.host, function.calls) == (0, 1, None)


def test_a_statement_of_several_lines_is_one(seen: Observations) -> None:
    lines = {line for file, line in seen.statements if file == "small/helpers.py"}
    assert lines == {2, 3, 8}


def test_the_distance_from_where_tracing_starts(seen: Observations) -> None:
    near = {one.name: (one.calls, one.modules) for one in seen.functions}
    assert near["step"] == (0, 0)
    assert near["Layer.apply"] == (1, 0)
    assert near["scaled"] == (2, 1)


def test_entry_points(seen: Observations) -> None:
    statement = seen.statements["small/helpers.py", 8]
    inner = MODEL[: MODEL.index("def inner")].count("\n") + 1
    assert {(one.file, one.line) for one in statement.entries} == {("small/model.py", inner)}


def test_errors_stand_where_they_are_raised(seen: Observations) -> None:
    line = MODEL[: MODEL.index("if x > 0")].count("\n") + 1
    assert seen.raised == {("small/model.py", line): {"TracerBoolConversionError": 1}}
    assert seen.converted["small/model.py", line] == {"__bool__ raises": 1}


@pytest.mark.jax
def test_objects_that_cannot_be_looked_into_are_left_alone(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        """import collections
import collections.abc
import jax


class Odd(collections.abc.Mapping):
    def __iter__(self):
        return iter(self.missing)

    def __len__(self):
        return 0

    def __getitem__(self, key):
        return key


State = collections.namedtuple("State", [])


class Node:
    def __init__(self):
        self.call = self.run

    def run(self, x):
        odd = Odd()
        other = self.call
        empty = ((), [None, {}], State())
        deep = [[[[([x],)]]]]
        steps = iter([x])
        return x


print(jax.jit(Node().run)(1.0))
"""
    )
    out = tmp_path / "odd.json"
    assert judge.observe(tmp_path, sys.executable, ["odd.py"], out, os.environ) == "1.0"
    found = read(out, tmp_path)
    names = found.statements["odd.py", 30].names
    assert {"self", "x"} <= names.keys()
    assert names["empty"] == {"e"}
    assert names["deep"] == {"m"}
    assert names["odd"] == names["steps"] == {"u"}


def test_what_cannot_be_looked_into_is_no_label(
    checkout: Path, seen: Observations, engine: dict[str, Any]
) -> None:
    line = MODEL[: MODEL.index("y = layer.apply(x)")].count("\n") + 1
    one = seen.statements["small/model.py", line]
    for kinds, opaque, both in (({"u", "c"}, 1, 0), ({"u", "t"}, 0, 1)):
        changed = replace(one, names={**one.names, "layer": kinds})
        other = replace(seen, statements={("small/model.py", line): changed})
        found = agree.compare("small", other, engine, Statements(checkout))
        assert (found.opaque, found.both) == (opaque, both)
        assert {label.name for label in found.labels} == {"x"}


@pytest.mark.jax
def test_a_file_that_changed_is_left_out(checkout: Path, path: Path) -> None:
    helpers = checkout / "small" / "helpers.py"
    stale = json.loads(path.read_text())
    stale["files"]["small/helpers.py"]["digest"] = "0"
    other = path.with_name("stale.json")
    other.write_text(json.dumps(stale))
    found = read(other, checkout)
    assert found.changed == ["small/helpers.py"]
    assert not any(file == "small/helpers.py" for file, _ in found.statements)
    assert helpers.read_text() == HELPERS


@pytest.fixture(scope="module")
def engine(checkout: Path) -> dict[str, Any]:
    out = checkout.parent / "engine.json"
    holdings.main([str(out), str(checkout)])
    return dict(json.loads(out.read_text()))


def test_labels_agree(checkout: Path, seen: Observations, engine: dict[str, Any]) -> None:
    found = agree.compare("small", seen, engine, Statements(checkout))
    outcomes = {(one.function, one.name): one.outcome for one in found.labels}
    assert outcomes["scaled", "total"] == outcomes["closed.<locals>.inner", "layer"] == "agrees"
    assert not found.count(outcome="disagrees")
    assert found.agreeing == 1.0
    assert found.reached == 1.0


def test_labels_that_are_wrong_or_missing(
    checkout: Path, seen: Observations, engine: dict[str, Any]
) -> None:
    lines = [one for one in engine["lines"] if one[0] != "small/helpers.py"]
    wrong = {"traced": "static", "static": "traced"}
    place = ("small/helpers.py", 2)

    def turn(name: str, said: list[str]) -> list[str]:
        return [wrong.get(one, one) if name == "z" else one for one in said]

    turned = [
        [file, line, name, {entries: turn(name, some) for entries, some in said.items()}, why]
        for file, line, name, said, why in engine["names"]
        if file != "small/helpers.py"
    ]
    found = agree.compare(
        "small",
        seen,
        {**engine, "lines": lines, "names": turned, "unreached": [[*place, "cut", "too large"]]},
        Statements(checkout),
    )
    assert {one.name for one in found.labels if one.outcome == "disagrees"} == {"z"}
    assert {one.function for one in found.labels if one.outcome == "unreached"} == {"scaled"}
    assert {one.reason for one in found.labels if (one.file, one.line) == place} == {
        "cut: too large"
    }
    assert any("without a reason" in line for line in agree.reasons(found))
    assert any("`z`" in line and "held traced" in line for line in agree.disagreements(found))
    assert 0 < found.reached < 1 and 0 < found.agreeing < 1


def finding(text: str, code: str, start: str = "", part: str = "") -> dict[str, Any]:
    """A finding about a part of the line that holds a text, under the entry point `start`."""
    line = MODEL[: MODEL.index(text)].count("\n") + 1
    column = MODEL.splitlines()[line - 1].index(part or text) + 1
    place = {"file": "small/model.py", "line": line, "end_line": line, "column": column}
    trail = [finding(start, code)] if start else []
    return {**place, "code": code, "severity": "error", "message": "", "trail": trail}


def test_findings_are_held_against_what_happened(checkout: Path, seen: Observations) -> None:
    cases = [
        (finding("if x > 0", "JAX301"), refute.CONFIRMED),
        (finding("z = x + 1", "JAX301"), refute.REFUTED),
        (finding("z = x + 1", "JAX301", "def step"), refute.REFUTED),
        (finding("z = x + 1", "JAX301", "def fails"), refute.ELSEWHERE),
        (finding("y = x * 2", "JAX301", "def eager"), refute.NOT_RUN),
        (finding("return -x", "JAX301"), refute.NOT_RUN),
        (finding("z = x + 1", "JAX101"), refute.CONFIRMED),
        (finding("z = x + 1", "JAX504"), refute.UNSEEN),
        (finding("first = ", "JAX801"), refute.REFUTED),
        (finding("second = ", "JAX801"), refute.CONFIRMED),
        (finding("y = x * 2", "JAX801"), refute.UNSEEN),
        (finding("return jax.numpy.missing", "JAX901"), refute.CONFIRMED),
        (finding("names = ", "JAX901"), refute.REFUTED),
        (finding("names = ", "JAX901", part="jax.numpy"), refute.UNSEEN),
        (finding("warnings.warn", "JAX902"), refute.CONFIRMED),
        (finding("y = x * 2", "JAX902"), refute.REFUTED),
    ]
    found = refute.judged(seen, [one for one, _ in cases], Statements(checkout))
    assert [one.outcome for one in found] == [outcome for _, outcome in cases]


def test_the_engine_finds_what_the_tests_show(
    checkout: Path, seen: Observations, engine: dict[str, Any]
) -> None:
    found = refute.judged(seen, engine["findings"], Statements(checkout))
    assert [(one.code, one.outcome) for one in found if one.severity == "error"] == [
        ("JAX301", refute.CONFIRMED),
        ("JAX801", refute.CONFIRMED),
        ("JAX918", refute.CONFIRMED),
    ]


def test_a_command_that_fails_stores_nothing(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "nothing stored" in judge.observe(checkout, sys.executable, [], out, os.environ)
    assert not out.exists()

"""The judge on a small project whose names are known."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import agree
import holdings
import judge
import pytest
import refute
from observations import Observations, Statements, read

MODEL = """\
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
    assert (held["self.width"], held["self.last"]) == ("p", "p")
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


def test_objects_that_cannot_be_looked_into_are_left_alone(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(
        """import collections.abc
import jax


class Odd(collections.abc.Mapping):
    def __iter__(self):
        return iter(self.missing)

    def __len__(self):
        return 0

    def __getitem__(self, key):
        return key


class Node:
    def __init__(self):
        self.call = self.run

    def run(self, x):
        odd = Odd()
        other = self.call
        empty = ((), [None, {}])
        return x


print(jax.jit(Node().run)(1.0))
"""
    )
    out = tmp_path / "odd.json"
    assert judge.observe(tmp_path, sys.executable, ["odd.py"], out, os.environ) == "1.0"
    found = read(out, tmp_path)
    names = found.statements["odd.py", 24].names
    assert {"odd", "other", "self", "x"} <= names.keys()
    assert names["empty"] == {"e"}


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
    turned = [
        [file, line, name, {k: wrong.get(v, v) if name == "z" else v for k, v in said.items()}, why]
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


def finding(checkout: Path, text: str, code: str, **more: Any) -> dict[str, Any]:
    line = MODEL[: MODEL.index(text)].count("\n") + 1
    place = {"filename": str(checkout / "small/model.py"), "line": line, "end_line": line}
    return {**place, "code": code, "severity": "error", "message": "", "trail": [], **more}


def trail(checkout: Path, text: str) -> list[dict[str, Any]]:
    return [finding(checkout, text, "JAX301")]


def test_findings_are_held_against_what_happened(checkout: Path, seen: Observations) -> None:
    cases = [
        (finding(checkout, "if x > 0", "JAX301"), refute.CONFIRMED),
        (finding(checkout, "z = x + 1", "JAX301"), refute.REFUTED),
        (
            finding(checkout, "z = x + 1", "JAX301", trail=trail(checkout, "def step")),
            refute.REFUTED,
        ),
        (
            finding(checkout, "z = x + 1", "JAX301", trail=trail(checkout, "def fails")),
            refute.ELSEWHERE,
        ),
        (finding(checkout, "y = x * 2", "JAX301"), refute.NOT_RUN),
        (finding(checkout, "z = x + 1", "JAX101"), refute.CONFIRMED),
        (finding(checkout, "z = x + 1", "JAX801"), refute.UNSEEN),
    ]
    found = refute.judged(seen, [one for one, _ in cases], checkout, Statements(checkout))
    assert [one.outcome for one in found] == [outcome for _, outcome in cases]


def test_the_engine_finds_what_the_tests_show(
    checkout: Path, seen: Observations, engine: dict[str, Any]
) -> None:
    found = refute.judged(seen, engine["findings"], checkout, Statements(checkout))
    assert [(one.code, one.outcome) for one in found if one.severity == "error"] == [
        ("JAX301", refute.CONFIRMED)
    ]


def test_a_command_that_fails_stores_nothing(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "nothing stored" in judge.observe(checkout, sys.executable, [], out, os.environ)
    assert not out.exists()


def test_tests_are_told_from_the_rest() -> None:
    assert judge.is_test("a/tests/b.py") and judge.is_test("a/test_b.py")
    assert judge.is_test("a/b_test.py") and not judge.is_test("a/testament.py")


def test_what_is_said_under_several_entry_points() -> None:
    assert agree.together({}) == agree.together({0: {"unknown"}}) == "unknown"
    assert agree.together({0: {"traced"}, 1: {"unknown"}}) == "traced"
    assert agree.together({0: {"traced"}, 1: {"static"}}) == "may"
    assert agree.together({0: {"function"}, 1: {"static"}}) == "function"


HELD = """\
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree


@jax.tree_util.register_pytree_node_class
class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second

    def tree_flatten(self):
        return (self.first, self.second), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


class Called:
    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x)


@jax.jit
def run(x, flag: bool):
    either = Pair(1, x) if unknown() else Pair(2, x)
    first = (Pair(unknown(), 2),)
    second = {"pair": either}
    third = [Pair(1, x) if unknown() else Pair(1, 2)]
    called = Called(lambda y: x + y)
    plain = (Pair(1, 2), [Pair(3, None)])
    return x


run(jnp.ones(2), True)
"""


def test_what_containers_and_objects_hold(tmp_path: Path) -> None:
    (tmp_path / "held.py").write_text(HELD)
    out = tmp_path / "out.json"
    holdings.main([str(out), str(tmp_path)])
    last = HELD[: HELD.index("return x\n\n\nrun")].count("\n") + 1
    rows = json.loads(out.read_text())["names"]
    said = {name: set(kinds.values()) for _, line, name, kinds, _ in rows if line == last}
    assert said["either"] == said["second"] == {"traced"}
    assert said["first"] == {"unknown"}
    assert said["third"] == {"may"}
    assert said["called"] == {"function"}
    assert said["plain"] == {"static"}


ENTRIES = """\
import jax


def helper(x):
    return x


outer = jax.jit(lambda x: helper(x))
other = jax.vmap(
    lambda x: helper(x)
)


@jax.jit
@jax.named_call
def step(x):
    return helper(x)


outer(1.0)
step(1.0)
other(jax.numpy.ones(2))
"""


def test_entry_points_are_told_by_their_places(tmp_path: Path) -> None:
    (tmp_path / "several.py").write_text(ENTRIES)
    out = tmp_path / "out.json"
    holdings.main([str(out), str(tmp_path)])
    found = json.loads(out.read_text())
    places = Statements(tmp_path)
    entries = [{agree.place_of(one, places) for one in each} for each in found["entries"]]
    assert {"several.py:8"} in entries
    assert {"several.py:10"} in entries
    assert {"several.py:14"} in entries

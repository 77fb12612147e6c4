"""The judge on a small project whose names are known."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import agree
import happenings
import holdings
import jax
import judge
import observations
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
    ]


def test_a_command_that_fails_stores_nothing(checkout: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "nothing stored" in judge.observe(checkout, sys.executable, [], out, os.environ)
    assert not out.exists()


def test_tests_are_told_from_the_rest() -> None:
    assert judge.is_test("a/tests/b.py") and judge.is_test("a/test_b.py")
    assert judge.is_test("a/b_test.py") and not judge.is_test("a/testament.py")


def test_what_is_said_under_several_entry_points() -> None:
    assert agree.together({0: {"traced"}, 1: {"leaves"}}) == "leaves"
    assert agree.together({0: {"static"}, 1: {"leaves"}}) == "may"
    assert agree.together({}) == agree.together({0: {"unknown"}}) == "unknown"
    assert agree.together({0: {"traced"}, 1: {"unknown"}}) == "traced"
    assert agree.together({0: {"traced"}, 1: {"static"}}) == "may"
    assert agree.together({0: {"traced", "mixed"}}) == agree.together({0: {"mixed"}}) == "may"
    assert agree.together({0: {"function"}, 1: {"static"}}) == "function"


@pytest.mark.parametrize(
    ("source", "part", "is_certain"),
    [
        ("f = lambda: a.b", "a.b", False),
        ("f = a.b if c.d else e.f", "a.b", False),
        ("f = a.b if c.d else e.f", "c.d", True),
        ("f = c.d and a.b", "a.b", False),
        ("f = c.d and a.b", "c.d", True),
        ("f = [a.b for _ in c.d]", "a.b", False),
        ("f = [a.b for _ in c.d]", "c.d", True),
        ("f = {e: a.b for _ in c.d if g.h}", "g.h", False),
        ("é = lambda: a.b", "a.b", False),
        ("é = (lambda: 1), a.b", "a.b", True),
    ],
)
def test_parts_that_need_not_run_with_their_statement(
    tmp_path: Path, source: str, part: str, is_certain: bool
) -> None:
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    column = source.index(part) + 1
    assert Statements(tmp_path).is_certain("a.py", 1, column) is is_certain


def test_consumers_of_keys_are_found_in_jax() -> None:
    found = happenings.consumers()
    assert {"normal", "uniform", "split", "bits", "permutation"} <= {*found}
    assert not {"fold_in", "clone", "key", "PRNGKey", "key_data"} & {*found}


def test_a_key_is_consumed_again() -> None:
    consumed = happenings.Consumed()
    key = jax.random.key(0)
    assert [consumed.add(one) for one in (key, key, jax.random.key(0), jax.random.key(1))] == [
        observations.FRESH,
        observations.AGAIN,
        observations.ALIKE,
        observations.FRESH,
    ]
    assert consumed.add(3) == ""

    @jax.jit
    def draw(key: jax.Array) -> jax.Array:
        kinds = [consumed.add(key), consumed.add(key)]
        assert kinds == [observations.UNKNOWN, observations.AGAIN]
        return key

    draw(key)


TRANSFORMS = {
    "jit": "jax.jit(inner)(x)",
    "grad": "jax.grad(inner)(x)",
    "vmap": "jax.vmap(inner)(jnp.ones(2))",
    "jvp": "jax.jvp(inner, (x,), (x,))",
    "linearize": "jax.linearize(inner, x)",
    "scan": "jax.lax.scan(lambda c, _: (inner(c), None), x, None, length=2)",
    "scan-itself": "jax.lax.scan(inner, x, jnp.ones(2))",
    "while_loop": "jax.lax.while_loop(lambda c: c < 0, inner, x)",
    "fori_loop": "jax.lax.fori_loop(0, jnp.int32(2), inner, x)",
    "cond": "jax.lax.cond(x > 0, inner, inner, x)",
    "switch": "jax.lax.switch(jnp.int32(0), [inner, inner], x)",
    "map": "jax.lax.map(inner, jnp.ones(2))",
    "checkpoint": "jax.jit(jax.checkpoint(inner))(x)",
    "custom_jvp": "jax.jit(other)(x)",
    "custom_vjp": "jax.jit(ruled)(x)",
    "eval_shape": "jax.eval_shape(inner, x)",
    "make_jaxpr": "jax.make_jaxpr(inner)(x)",
    "associative_scan": "jax.jit(lambda x: jax.lax.associative_scan(inner, x))(jnp.ones(4))",
}

INNER = {
    "custom_jvp": "def inner(x):\n    y = x\n    return y\n"
    "other = jax.custom_jvp(inner)\nother.defjvps(lambda t, ans, x: t)\n",
    "custom_vjp": "def inner(x):\n    y = x\n    return y\n"
    "ruled = jax.custom_vjp(inner)\nruled.defvjp(lambda x: (x, None), lambda _, g: (g,))\n",
    "scan-itself": "def inner(x, other):\n    y = x\n    return y, None\n",
    "fori_loop": "def inner(_, x):\n    y = x\n    return y\n",
    "associative_scan": "def inner(x, other):\n    y = x\n    return y\n",
}


def test_the_functions_at_which_each_transform_starts(tmp_path: Path) -> None:
    plain = "def inner(x):\n    y = x\n    return y\n"
    calls = []
    for number, (name, call) in enumerate(TRANSFORMS.items()):
        (tmp_path / f"with_{number}.py").write_text(
            f"import jax\nimport jax.numpy as jnp\n{INNER.get(name, plain)}\n"
            f"def outer(x):\n    return {call}\n"
        )
        calls.append(f"import with_{number}; with_{number}.outer(jnp.float32(1))\n")
    (tmp_path / "run.py").write_text("import jax.numpy as jnp\n" + "".join(calls))
    out = tmp_path / "out.json"
    assert judge.observe(tmp_path, sys.executable, ["run.py"], out, os.environ) == ""
    seen = read(out, tmp_path)
    inner = {one.file: one for one in seen.functions if one.name == "inner"}
    for number, name in enumerate(TRANSFORMS):
        found = inner[f"with_{number}.py"]
        starts = {one.line for one in found.entries}
        # Where a lambda stands between, it is the lambda at which tracing starts.
        assert starts and (found.calls, found.modules) in ((0, 0), (1, 0)), name
        assert 3 in starts or "lambda" in TRANSFORMS[name], name


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
    said = {
        name: [one for some in kinds.values() for one in some]
        for _, line, name, kinds, _ in rows
        if line == last
    }
    assert said["either"] == said["second"] == ["traced"]
    assert said["first"] == ["unknown"]
    assert said["third"] == ["mixed"]
    assert said["called"] == ["function"]
    assert said["plain"] == ["static"]


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
    assert {holdings.STAGED, "several.py:8"} in entries
    assert {holdings.EAGER, "several.py:10"} in entries
    assert {holdings.STAGED, "several.py:14"} in entries

"""Parts of the judge by themselves: entry points, statements, keys, what is held."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import agree
import happenings
import holdings
import jax
import judge
import observations
import pytest
from observations import Statements, read


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

"""The survey of a run: which calls in traced code are known, and why the others are not."""

from __future__ import annotations

import pytest

from jaxlint.base.surveys.call_graph import Survey, merged
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.analyse import analyse
from jaxlint.engine.queries.call_graph import surveyed
from jaxlint.facts import Fact
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

PRELUDE = """\
import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import torch
from gone.away import tool

"""


def module(source: str) -> ir.Module:
    parsed = parse(PRELUDE + source, "model.py")
    assert isinstance(parsed, ir.Module)
    return parsed


def survey(source: str) -> Survey:
    made, _ = surveyed(module(source))
    return merged([made])


def reasons(source: str) -> dict[str, str]:
    """Why the calls in a jitted function are not known, by what is called."""
    return {call.callee: call.reason for call in survey(source).calls}


def jitted(body: str) -> str:
    return f"@jax.jit\ndef step(x, f):\n    return {body}\n"


@pytest.mark.parametrize(
    "expression",
    [
        "jnp.sin(x)",
        "x.reshape(-1).sum()",
        "len(x.shape)",
        "[].append(x)",
        "{}.get('a')",
        "' '.join(['a'])",
        "functools.partial(jnp.sum, x)()",
        "jax.vmap(jnp.sin)(x)",
        "lax.cond(True, jnp.sin, jnp.cos, x)",
        "(lambda y: y)(x)",
        "jax.tree.map(jnp.sin, x)",
        "x.at[0].set(1.0)",
        "lax.cond(True, lambda y: inner(y), lambda y: inner(y), x)",
    ],
)
def test_what_jaxlint_can_follow_is_known(expression: str) -> None:
    found = survey("def inner(y):\n    return torch.sin(y)\n\n" + jitted(expression))
    assert found.calls
    assert {call.callee for call in found.unknown()} <= {"torch.sin"}


@pytest.mark.parametrize(
    ("expression", "callee", "reason"),
    [
        ("torch.nn.relu(x)", "torch.nn.relu", "third party without a model: torch.nn"),
        (
            "torch.net().eval(x)",
            "torch.net().eval",
            "object of third party without a model: torch",
        ),
        ("tool(x)", "gone.away.tool", "third party without a model: gone.away"),
        ("jax.no_such(x)", "jax.no_such", "function without a model: jax.no_such"),
        ("f(x)", "f", "value that is not known: parameter that is called"),
        ("x.encode(x)", "x.encode", "value that is not known: field of a pytree parameter"),
    ],
)
def test_what_it_cannot_follow_has_a_reason(expression: str, callee: str, reason: str) -> None:
    assert reasons(jitted(expression))[callee] == reason


def test_a_body_that_is_not_run_again_is_known_from_the_first_time() -> None:
    fall = "def fall(x, n):\n    if n:\n        return fall(x, n - 1)\n    return x\n\n"
    assert reasons(fall + jitted("fall(x, len(f))"))["fall"] == ""


def test_a_call_that_one_visit_knows_is_known() -> None:
    source = (
        "def apply(f, x):\n    return f(x)\n\n"
        "@jax.jit\ndef step(x):\n    return apply(jnp.sin, x) + apply(torch.sin, x)\n"
    )
    assert not survey(source).unknown()


def test_calls_that_begin_at_one_place_are_two() -> None:
    assert len(survey(jitted("x.sum().mean()")).calls) == 2


def test_calls_on_the_host_do_not_count() -> None:
    found = survey("torch.load()\n\ndef main(x):\n    return torch.relu(x)\n")
    assert (found.calls, found.starts, found.values) == (frozenset(), frozenset(), frozenset())


def test_a_function_given_to_a_known_call_is_no_call() -> None:
    found = survey(jitted("lax.map(f.body, x)"))
    assert not found.unknown()
    assert [one.callee for one in found.unseen()] == ["function given to lax.map"]


def test_a_method_that_gives_what_is_not_known_is_known() -> None:
    source = (
        "class Net:\n    def __call__(self, f, x):\n        return f(x)\n\n"
        "@jax.jit\ndef step(x, f):\n    return Net()(f, x)\n"
    )
    assert reasons(source)["Net()"] == ""


@pytest.mark.parametrize(
    ("source", "how", "phrase"),
    [
        ("@jax.jit\ndef f(x):\n    return x\n", "decorator", "jitted"),
        ("def f(x):\n    return x\ng = jax.jit(f)\n", "call", "jitted"),
        ("def f(x):\n    return x\nlax.map(f, jnp.ones(3))\n", "body", "traced by `lax.map`"),
    ],
)
def test_a_start_says_how_it_comes_about(source: str, how: str, phrase: str) -> None:
    found = survey(source)
    (start,) = found.starts
    assert (start.name, start.how, start.phrase) == ("f", how, phrase)
    assert [one.function.name for one in found.openings] == ["f"]


def test_loops_in_traced_functions_start_nothing() -> None:
    source = "@jax.jit\ndef f(x):\n    return lax.map(lambda y: y, x)\n"
    assert [start.name for start in survey(source).starts] == ["f"]


def test_a_transform_of_what_is_not_known_is_blind() -> None:
    found = survey("fast = jax.jit(torch.compile(jnp.sin))\n")
    assert [start.name for start in found.blind] == ["torch.compile(jnp.sin)"]


def test_the_survey_changes_no_fact() -> None:
    source = "@jax.jit\ndef f(x):\n    if x > 0:\n        print(x)\n    return torch.sin(x)\n"
    parsed = module(source)

    def told(facts: list[Fact]) -> list[tuple[str, object]]:
        return [(type(fact).__name__, fact.span) for fact in facts]

    _, found = surveyed(parsed)
    assert told(found) == told(analyse(parsed))
    assert told(found)


def test_a_transform_in_a_traced_function_starts_nothing() -> None:
    source = (
        "def loss(x):\n    return x.sum()\n\n"
        "@jax.jit\ndef f(x):\n    slope = jax.grad(loss)\n    return slope(x)\n"
    )
    found = survey(source)
    assert [start.name for start in found.starts] == ["f"]
    assert [(e.caller.name, e.callee.name, e.phrase) for e in found.edges] == [
        ("f", "loss", "differentiated by `jax.grad`")
    ]


def test_a_decorator_of_the_project_starts_what_it_is_given() -> None:
    source = "def fast(given):\n    return jax.jit(given)\n\n@fast\ndef f(x):\n    return x.sum()\n"
    found = survey(source)
    assert [start.name for start in found.starts] == ["f"]
    assert not found.blind


@pytest.mark.jax
def test_methods_that_a_framework_is_taken_to_run_say_so() -> None:
    pytest.importorskip("flax")
    source = (
        "import flax.linen as nn\n\n"
        "class Layer(nn.Module):\n    def __call__(self, x):\n        return x.sum()\n"
    )
    made, _ = surveyed(module(source), Context(framework_methods=True))
    assert [(start.name, start.how) for start in merged([made]).starts] == [("__call__", "method")]

"""What the verifier takes from inside JAX, and the self-test that tells if it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.verify.child import internals, jaxprs
from jaxlint.verify.child.process.selftest import selftest


def test_staging_is_told_from_eager_transforms() -> None:
    answers: list[bool] = []

    def ask(x: Any) -> Any:
        answers.append(internals.staged())
        return x

    ask(1.0)
    jax.grad(ask)(1.0)
    jax.vmap(ask)(jnp.ones(2))
    assert answers == [False, False, False]
    answers.clear()
    program = jax.make_jaxpr(lambda x: jax.grad(ask)(ask(x)))(1.0)
    jax.jit(lambda x: jax.vmap(ask)(x))(jnp.ones(2))
    assert answers == [True, True, True]
    assert not program.jaxpr.eqns


def test_places_of_equations() -> None:
    program = jax.make_jaxpr(lambda x: jnp.sin(x) + 1.0)(1.0)
    sine = jaxprs.equation_place(program.eqns[0], lambda name: name == __file__)
    assert sine is not None
    file, line, column, end_line, end_column = sine
    text = Path(file).read_text().splitlines()[line - 1]
    assert line == end_line and text[column:end_column] == "jnp.sin(x)"


def test_the_self_test_passes_here() -> None:
    assert selftest() == ""


def test_the_self_test_tells_of_a_jax_that_cannot_be_observed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(internals, "is_abstract", lambda tracer: False)
    assert "indices has sites" in selftest()


def test_the_self_test_ends_where_every_tracer_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internals.Tracer, "__bool__", lambda self: True)
    assert "hidden has sites" in selftest()


def test_tracebacks_are_left_alone_for_a_while() -> None:
    before = jax.config.jax_traceback_filtering
    with internals.exact_tracebacks():
        assert jax.config.jax_traceback_filtering == "off"
    assert jax.config.jax_traceback_filtering == before


def test_a_tracer_with_a_value_is_not_abstract() -> None:
    seen: list[bool] = []

    def ask(x: Any) -> Any:
        seen.append(internals.is_abstract(x))
        return x

    jax.grad(ask)(1.0)
    jax.jit(ask)(1.0)
    assert seen == [False, True]


def test_a_class_that_names_no_module_is_one_of_jaxlib() -> None:
    class Nameless(type):
        @property
        def __module__(cls) -> str:
            raise AttributeError

    class Mapped(metaclass=Nameless):
        pass

    assert internals.home_of(Mapped) == "jaxlib"
    assert internals.home_of(int) == "builtins"

"""The contracts of transforms, each probed on the installed JAX."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxlint.engine.checks.concretization.demands import ad_answers
from jaxlint.engine.transforms.control_flow import IMMEDIATE
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import (
    AXIS_NAMES,
    HOST_CALLBACKS,
    NAMED_AXIS_OPERATIONS,
    OPERATORS,
    RULE_METHODS,
    WRAPPERS,
)

pytestmark = pytest.mark.jax

ONE = jnp.float32(1.5)
THREE = jnp.arange(3.0)
# Names of other versions of JAX, or of modules that have to be imported by name.
MAY_BE_ABSENT = {
    "jax.experimental.pure_callback",
    "jax.experimental.host_callback.call",
    "jax.experimental.host_callback.id_tap",
}


def is_tracer(value: object) -> bool:
    return isinstance(value, jax.core.Tracer)


def resolve(dotted: str) -> Any:
    parts = dotted.split(".")
    for at in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:at]))
        except ImportError:
            continue
        for name in parts[at:]:
            found = getattr(found, name)
        return found
    raise AttributeError(dotted)


@pytest.mark.parametrize(
    "dotted",
    sorted(
        n for n in {*WRAPPERS, *IMMEDIATE, *HOST_CALLBACKS} - MAY_BE_ABSENT if n.startswith("jax.")
    ),
)
def test_a_transform_of_the_tables_exists(dotted: str) -> None:
    assert callable(resolve(dotted))


# They name axes of a mesh, which a type may have without a transform around it.
OF_MESHES = {"jax.lax.pbroadcast", "jax.lax.pcast", "jax.lax.pvary"}
# Functions of newer versions.
NEWER = {f"jax.lax.{name}" for name in ("axis_size", "precv", "psend", "ragged_all_to_all")}


def test_operations_that_take_the_name_of_an_axis_are_known() -> None:
    found = {
        f"jax.lax.{name}"
        for name, each in vars(lax).items()
        if inspect.isfunction(each) and "axis_name" in inspect.signature(each).parameters
    }
    assert found - OF_MESHES - NAMED_AXIS_OPERATIONS == set()
    assert NAMED_AXIS_OPERATIONS - found <= NEWER


@pytest.mark.parametrize("dotted", sorted(NAMED_AXIS_OPERATIONS))
def test_the_tables_name_the_axis_of_an_operation(dotted: str) -> None:
    spec = lookup.function(dotted)
    assert spec is None or "axis_name" in spec.params
    assert spec is not None or dotted in NEWER


@pytest.mark.parametrize("dotted", sorted(AXIS_NAMES))
def test_the_name_of_an_axis_is_where_the_tables_say(dotted: str) -> None:
    names = [*inspect.signature(resolve(dotted)).parameters]
    assert names[AXIS_NAMES[dotted]] == "axis_name"


def test_an_axis_that_nothing_binds_is_refused() -> None:
    with pytest.raises(NameError, match="unbound axis name"):
        jax.pmap(lambda x: lax.psum(x, "i"))(jnp.ones((1, 3)))


def observed(
    run: Callable[[Callable[..., Any]], object], result: Any = None
) -> list[tuple[bool, bool]]:
    """For each time the body ran: was its first parameter a tracer, was `jnp.zeros(2)`?"""
    seen: list[tuple[bool, bool]] = []

    def body(x: Any, *rest: Any) -> Any:
        seen.append((is_tracer(x), is_tracer(jnp.zeros(2))))
        return x * 1.0 if result is None else result(x, *rest)

    run(body)
    return seen


STAGED: dict[str, Callable[[Callable[..., Any]], object]] = {
    "jax.jit": lambda f: jax.jit(f)(ONE),
    "jax.pmap": lambda f: jax.pmap(f)(jnp.ones((1, 2))),
    "jax.checkpoint": lambda f: jax.checkpoint(f)(ONE),
    "jax.make_jaxpr": lambda f: jax.make_jaxpr(f)(ONE),
    "jax.eval_shape": lambda f: jax.eval_shape(f, ONE),
    "jax.lax.map": lambda f: lax.map(f, THREE),
    "jax.lax.cond": lambda f: lax.cond(True, f, f, ONE),
    "jax.lax.switch": lambda f: lax.switch(0, [f, f], ONE),
    "jax.numpy.piecewise": lambda f: jnp.piecewise(THREE, [THREE > 1], [f, f]),
}


@pytest.mark.parametrize("name", sorted(STAGED))
def test_a_staged_body_sees_tracers_and_makes_them(name: str) -> None:
    seen = observed(STAGED[name])
    assert seen
    assert set(seen) == {(True, True)}
    assert name in IMMEDIATE or WRAPPERS[name].kind in ("jit", "remat")


def test_loops_stage_their_bodies() -> None:
    pair = observed(lambda f: lax.scan(f, 0.0, THREE), lambda c, e: (c + e, None))
    index = observed(lambda f: lax.fori_loop(0, 3, f, 0.0), lambda i, c: c + 1.0)
    carry = observed(lambda f: lax.while_loop(lambda c: c < 3, f, 0.0), lambda c: c + 1.0)
    test = observed(lambda f: lax.while_loop(f, lambda c: c + 1.0, 0.0), lambda c: c < 3)
    assert {(True, True)} == {*pair, *index, *carry, *test}


def test_vmap_traces_mapped_arguments_and_nothing_else() -> None:
    assert observed(lambda f: jax.vmap(f)(THREE)) == [(True, False)]
    unmapped = observed(lambda f: jax.vmap(lambda y, x: f(x) * y, in_axes=(0, None))(THREE, 2.0))
    assert unmapped == [(False, False)]


@pytest.mark.parametrize("name", sorted(n for n, w in WRAPPERS.items() if w.kind == "ad"))
def test_differentiation_traces_its_argument_and_stages_nothing(name: str) -> None:
    seen = observed(lambda f: resolve(name)(f)(ONE))
    assert set(seen) == {(True, False)}


@pytest.mark.parametrize("name", ["jax.jvp", "jax.vjp"])
def test_eager_derivatives_trace_their_primals(name: str) -> None:
    runs: dict[str, Callable[[Callable[..., Any]], object]] = {
        "jax.jvp": lambda f: jax.jvp(f, (ONE,), (ONE,)),
        "jax.vjp": lambda f: jax.vjp(f, ONE),
    }
    assert observed(runs[name]) == [(True, False)]


ASKED: dict[tuple[str, str], Callable[[Any], object]] = {
    ("if", ""): lambda x: 1 if x > 0 else 2,
    ("not", ""): lambda x: not x,
    ("chain", ""): lambda x: 0 < x < 3,
    ("in", ""): lambda x: x in [1.0, 2.0],
    ("order", ""): lambda x: max(x, 0.0),
    ("cast", "builtins.int"): int,
    ("cast", "builtins.bool"): bool,
    ("cast", "builtins.float"): float,
    ("cast", "builtins.complex"): complex,
    ("method", "item"): lambda x: x.item(),
    ("method", "tolist"): lambda x: x.tolist(),
    ("numpy", "numpy.sin"): np.sin,
}


@pytest.mark.parametrize(("sink", "dotted"), sorted(ASKED))
def test_a_tracer_of_grad_answers_what_the_engine_says(sink: str, dotted: str) -> None:
    def body(x: Any) -> Any:
        ASKED[sink, dotted](x)
        return x * 1.0

    try:
        jax.grad(body)(ONE)
    except (TypeError, ValueError):
        answered = False
    else:
        answered = True
    assert ad_answers(sink, dotted) == answered


def test_a_default_that_nobody_passes_stays_a_python_value() -> None:
    seen: list[object] = []

    @jax.jit
    def step(x: Any, flag: Any = True) -> Any:
        seen.append(flag)
        return x

    step(ONE)
    step(ONE, False)
    assert seen[0] is True
    assert is_tracer(seen[1])


def test_callbacks_run_on_the_host() -> None:
    seen: list[bool] = []

    @jax.jit
    def step(x: Any) -> Any:
        jax.debug.callback(lambda v: seen.append(is_tracer(v)), x)
        return x

    step(ONE)
    jax.effects_barrier()
    assert seen == [False]


@pytest.mark.parametrize(
    ("dotted", "spots"),
    [
        *((name, one.functions) for name, one in OPERATORS.items()),
        *(
            (f"jax.{name}.{method}", spots)
            for name, methods in RULE_METHODS.items()
            for method, spots in methods.items()
        ),
    ],
)
def test_functions_are_where_the_tables_say(dotted: str, spots: Any) -> None:
    parameters = list(inspect.signature(resolve(dotted)).parameters)
    if parameters == ["args", "kwargs"]:
        pytest.skip(f"{dotted} does not tell its parameters")
    for name, position in spots:
        assert name == parameters[position]

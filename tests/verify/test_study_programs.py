"""Hazards that outlive a trace or lie in its program: shown where they are, and look-alikes not.

Flagged code stands between « and ».
"""

from __future__ import annotations

from typing import Any

import jax
import pytest
from bench import F, I, V, bench

from jaxlint.verify.protocol import Config

__all__ = ["bench"]


# --- leaks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "holder"),
    [
        ("global last; «last» = x * 2", ".last"),
        ("global last; «last» = {'deep': [x * 2]}", ".last.deep[0]"),
        ("«kept.append(x)»", ".kept[0]"),
        ("«table['x']» = x", ".table.x"),
        ("«box.held» = x", ".box.held"),
        ("«box.many.append(x)»", ".box.many[0]"),
    ],
)
def test_a_leak_is_shown(bench: Any, body: str, holder: str) -> None:
    source = f"""\
        last, kept, table = None, [], {{}}

        class Box:
            def __init__(self):
                self.many = []

        box = Box()

        def f(x):
            {body}
            return x
        """
    made = bench(source, "leaks")
    (shown,) = made.study("f", F)
    assert ("shown", f"{made.module.__name__}{holder}") == (
        shown.outcome,
        shown.evidence["holder"],
    )
    assert made.module.last is None and not made.module.kept and not made.module.table


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("global last; «last» = x.shape", "absent"),
        ("kept = []; «kept.append(x)»", "absent"),
        ("box = Box(); «box.held» = x", "absent"),
        ("«tree['a']» = x * 2", "absent"),
        ("if x.ndim: «outer.append(x)»", "-"),
    ],
)
def test_what_dies_with_the_trace_does_not_leak(bench: Any, body: str, outcome: str) -> None:
    source = f"""\
        last, outer = None, []

        class Box:
            pass

        def f(x, tree):
            {body}
            return x
        """
    assert [outcome] == bench(source, "leaks").outcomes("f", F, {"a": F})


def test_a_tracer_of_an_inner_trace_leaks_into_the_outer_one(bench: Any) -> None:
    source = """\
        def f(x):
            kept = []
            def body(carry, each):
                «kept.append(carry)»
                return carry + each, None
            lax.scan(body, 0.0, x)
            return jnp.stack(kept)
        """
    assert ["shown"] == bench(source, "leaks").outcomes("f", V)


def test_a_cache_that_an_earlier_trace_filled_is_still_a_leak(bench: Any) -> None:
    source = """\
        cache = None

        def table():
            global cache
            if cache is None:
                «cache» = jnp.arange(3.0)
            return cache

        def f(x):
            return x + table()
        """
    made = bench(source, "leaks")
    assert ["shown"] == made.outcomes("f", F)
    jax.make_jaxpr(made.module.f)(1.0)
    assert ["shown"] == made.outcomes("f", F)


def test_a_leak_behind_a_conversion_comes_next(bench: Any) -> None:
    source = """\
        kept = []

        def f(x):
            if x > 0:
                «kept.append(x)»
            return x
        """
    made = bench(source, "leaks")
    assert ["next"] == made.outcomes("f", F)
    assert [] == made.module.kept


# --- recompiles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "return «jax.jit(lambda v: v + 1)»(x)",
        "return «jax.jit(partial(add, 1.0))»(x)",
        "return «jax.jit(net.apply)»(x)",
        "return «jax.jit(jax.grad(square))»(x)",
        "return [«jax.jit(lambda v: v * 2)»(x) for _ in range(3)]",
        "@jax.jit\n    «def step»(v): return v * 2\n    return step(x)",
    ],
)
def test_a_function_that_is_traced_each_time_is_shown(bench: Any, body: str) -> None:
    source = f"""\
def add(step, v): return v + step
def square(v): return v * v
class Net:
    def apply(self, v): return v * 3
net = Net()
def f(x):
    {body}
"""
    (shown,) = bench(source, "recompiles").study("f", F)
    assert "shown" == shown.outcome
    assert shown.evidence["traces"] >= shown.evidence["evaluations"] >= 2


@pytest.mark.parametrize(
    "body", ["return «jax.jit(add)»(x, 1)", "return «jax.jit(jnp.tanh)»(x)", "return «made(1)»(x)"]
)
def test_a_function_that_is_traced_once_is_not_shown(bench: Any, body: str) -> None:
    source = f"""\
        import functools

        def add(v, step):
            return v + step

        @functools.lru_cache
        def made(n):
            return jax.jit(lambda v: v + n)

        def f(x):
            {body}
        """
    assert bench(source, "recompiles").outcomes("f", F) in (["absent"], ["-"])


@pytest.mark.parametrize(
    "body", ["float(x)", "[1, 2, 3][x]", "[x][0 if x > 0 else -1]", "g(2 if x > 0 else 3)"]
)
def test_a_function_behind_a_conversion_that_is_traced_each_time_comes_next(
    bench: Any, body: str
) -> None:
    source = f"""\
        def g(n):
            return n

        def f(x):
            y = {body}
            return «jax.jit(lambda v: v + 1)»(x), y
        """
    (found,) = bench(source, "recompiles").study("f", I)
    assert "next" == found.outcome and found.evidence["after_sites"]
    assert found.evidence["traces"] >= found.evidence["evaluations"] >= 2


LOWERED = """\
    def f(x):
        return [«jax.jit(lambda y: k * y)».lower(x).as_text() for k in range(2)]

    def g(x):
        return [«jax.jit(lambda y: k * y)»(x) for k in range(2)]
    """


def test_what_is_lowered_and_never_run_is_not_compiled(bench):
    assert ["-", "-"] == bench(LOWERED, "recompiles").outcomes("f", F)
    assert ["-", "shown"] == bench(LOWERED, "recompiles").outcomes("g", F)


def test_what_a_recorder_sees_lowered_is_not_compiled(bench):
    assert ["eager", "shown"] == bench(LOWERED, "recompiles").recorded("f(1.0), g(1.0)")


def test_a_recorder_keeps_a_bound_method_for_as_long_as_the_program_does(bench):
    source = """\
        class Net:
            def apply(self, x):
                return x * 2

        class Other:
            def apply(self, x):
                return x * 3

        net = Other()
        apply = Net().apply

        def once(x):
            return «jax.jit(apply)»(x)

        def again(x):
            return «jax.jit(net.apply)»(x)
        """
    run = "once(1.0), once(1.0), again(1.0), again(1.0)"
    assert ["absent", "shown"] == bench(source, "recompiles").recorded(run)


# --- unrolled loops, donation, keys -----------------------------------------------------------


@pytest.mark.parametrize(
    ("loop", "iterations", "each"),
    [
        ("for _ in «range(40)»:\n        x = jnp.sin(x) * 2", 40, 2),
        ("«for _ in range(40):\n        x = jnp.sin(x) * 2»", 40, 2),
        ("x = sum(jnp.sin(i * x) for i in «range(10)»)", 10, 3),
    ],
)
def test_an_unrolled_loop_is_shown_with_its_slope(
    bench: Any, loop: str, iterations: int, each: int
) -> None:
    (shown,) = bench(f"def f(x):\n    {loop}\n    return x\n", "unrolls").study("f", F)
    assert ("shown", iterations, each) == (
        shown.outcome,
        shown.evidence["iterations"],
        shown.evidence["equations_per_iteration"],
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for _ in «range(40)»:\n        x = jnp.sin(x) * 2",
        "«for _ in range(40):\n        x = jnp.sin(x) * 2»",
        "for _ in «range(40)»:\n        x = jnp.sin(x) if x > 3 else jnp.cos(x)",
    ],
)
def test_an_unrolled_loop_behind_a_conversion_comes_next(bench: Any, loop: str) -> None:
    source = f"def f(x):\n    if x > 0:\n        x = x + 1\n    {loop}\n    return x\n"
    (found,) = bench(source, "unrolls").study("f", F)
    assert ("next", 40) == (found.outcome, found.evidence["iterations"])
    assert found.evidence["equations_per_iteration"] >= 1


@pytest.mark.parametrize(
    "loop",
    [
        "for i in «range(40)»:\n        n += math.factorial(i)",
        "«for i in range(40):\n        n += i»",
        "for i in «range(1)»:\n        x = jnp.sin(x)",
    ],
)
def test_a_loop_without_equations_is_not_shown(bench: Any, loop: str) -> None:
    made = bench(f"def f(x):\n    n = 0\n    {loop}\n    return x\n", "unrolls")
    assert made.outcomes("f", F) in (["absent"], ["-"])


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("g(w); return «w» + 1", "shown"),
        ("return [g(w), g(«w»)]", "shown"),
        ("w = g(w); return «w» + 1", "absent"),
    ],
)
def test_the_use_of_a_donated_buffer_is_shown(bench: Any, body: str, outcome: str) -> None:
    source = f"""\
        g = jax.jit(lambda v: v + 1, donate_argnums=0)

        def f(w):
            {body}
        """
    made = bench(source, "donates")
    assert ["-"] == made.outcomes("f", V)
    assert [outcome] == made.outcomes("f", V, config=Config(execute=True))


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("a = jax.random.normal(key); return a + «jax.random.uniform(key)»", "shown"),
        ("jax.random.split(key); return «jax.random.normal(key)»", "shown"),
        ("return lax.map(lambda _: «jax.random.normal(key)», jnp.ones(3))", "shown"),
        ("key, sub = jax.random.split(key); return «jax.random.normal(sub)»", "absent"),
        ("return [«jax.random.normal(k)» for k in jax.random.split(key, 3)]", "absent"),
        (
            "return [«jax.random.normal(jax.random.fold_in(key, i))» for i in range(3)]",
            "absent",
        ),
        (
            "return lax.cond(True, jax.random.normal, lambda k: «jax.random.uniform(k)», key)",
            "absent",
        ),
    ],
)
@pytest.mark.parametrize("typed", [False, True])
def test_a_key_that_is_used_again_is_shown(
    bench: Any, body: str, outcome: str, typed: bool
) -> None:
    key = jax.eval_shape(lambda: (jax.random.key if typed else jax.random.PRNGKey)(0))
    made = bench(f"def f(key):\n    {body}\n", "reuses-key")
    assert [outcome] == made.outcomes("f", jax.ShapeDtypeStruct(key.shape, key.dtype))


def test_a_key_that_is_used_again_behind_a_conversion_comes_next(bench: Any) -> None:
    source = """\
        def f(key, x):
            a = jax.random.normal(key)
            if x > 0:
                return a + «jax.random.uniform(key)»
            return a + «jax.random.uniform(jax.random.fold_in(key, 1))»
        """
    key = jax.ShapeDtypeStruct((2,), "uint32")
    assert ["next", "absent"] == bench(source, "reuses-key").outcomes("f", key, F)

"""Evidence is about the flagged code itself: its own error, its own argument, its own effect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import pytest
from bench import BOOL, F, I, V, bench

__all__ = ["bench"]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("return x, «'warm'»", "shown"),
        ("return {'how': «[object()]», 'x': x}", "shown"),
        ("y = «x + 1»\n    return y, 'warm'", "-"),
        # What may raise lies behind the function: that it runs says nothing.
        ("return «x + 1»", "-"),
    ],
)
def test_a_result_is_judged_as_the_transform_judges_it(bench: Any, body: str, outcome: str) -> None:
    made = bench(f"def f(x):\n    {body}\n", "raises", ("TypeError",))
    made.targets = [replace(each, anywhere=True) for each in made.targets]
    assert [outcome] == made.outcomes("f", F, is_entry=True)


def test_a_result_is_judged_where_the_error_should_be_at_the_place_too(bench: Any) -> None:
    made = bench("def f(x, n):\n    return [«x.at[n]», «x + 1»]\n", "raises", ("TypeError",))
    assert ["absent", "absent"] == made.outcomes("f", V, I)
    assert ["shown", "absent"] == made.outcomes("f", V, I, is_entry=True)


@pytest.mark.parametrize(
    ("parameters", "args", "outcomes"),
    [
        ("x, «cut», «axis»", (V, I, I), "shown -"),
        ("x, «cut: int», «axis: int»", (V, I, I), "shown -"),
        ("x, «cut», «axis=0»", (V, I), "shown -"),
        ("x, «cut», «axis»", (V, 2, I), "- shown"),
        ("x, «cut», «axis»", (V, 2, 0), "- -"),
    ],
)
def test_a_parameter_is_blamed_for_what_depends_on_it(
    bench: Any, parameters: str, args: tuple[Any, ...], outcomes: str
) -> None:
    source = f"def f({parameters}):\n    a, b = jnp.split(x, [cut])\n    return jnp.sum(a, axis)\n"
    made = bench(source.replace("=0»", "»=0"), "raises", ("ConcretizationTypeError", "TypeError"))
    made.targets = [replace(each, anywhere=True) for each in made.targets]
    assert outcomes.split() == made.outcomes("f", *args)


def test_a_parameter_that_raises_nothing_is_absent_where_it_was_traced(bench: Any) -> None:
    made = bench("def f(x, «n»):\n    return x * n\n", "raises", BOOL)
    made.targets = [replace(each, anywhere=True) for each in made.targets]
    assert ["absent"] == made.outcomes("f", F, I)
    assert ["-"] == made.outcomes("f", F, 2)


@pytest.mark.parametrize(
    "body",
    [
        "return x if «isinstance(x, float)» else -x",
        "y = «x + 1»; return y",
        "return x + jnp.asarray(«np.sum(table)»)",
        "for name in «names»: x = x + len(name)\n    return x",
        "return x + len(«names.copy()»)",
    ],
)
def test_that_it_runs_in_the_first_call_only_is_no_effect(bench: Any, body: str) -> None:
    source = f"names, table = ['a'], np.ones(3)\n\ndef f(x):\n    {body}\n"
    assert ["-"] == bench(source, "effects").outcomes("f", F)


@pytest.mark.parametrize(
    ("body", "effect"),
    [
        ("«print(1)»", "output"),
        ("«log.debug('x')»", "a call of a logger"),
        ("«time.sleep(0)»", "a wait"),
        ("«open(__file__)»", "a request to the system"),
        ("«warnings.warn('x')»", "a warning"),
        ("«jax.config.update('jax_debug_infs', True)»", "a write to `jax.config`"),
        ("«random.shuffle(names)»", "a change of what it is called on"),
        ("«stream.write('x')»", "a change of what it is called on"),
        ("«names.append('x')»", "a write to `names`"),
        ("(«count := 2»)", "a write to `count`"),
        ("for each in «numbers»: x = x + each", "a write to `numbers`"),
    ],
)
def test_what_an_effect_is_is_told(bench: Any, body: str, effect: str) -> None:
    source = f"""\
        import io
        log, stream, count = logging.getLogger("quiet"), io.StringIO(), 0
        names, numbers = [str(n) for n in range(50)], iter([1, 2])

        def f(x):
            global count
            {body}
            return x
        """
    try:
        (shown,) = bench(source, "effects").study("f", F)
    finally:
        jax.config.update("jax_debug_infs", False)
    assert ("shown", effect) == (shown.outcome, shown.evidence["effect"])


def test_what_returns_nothing_is_judged_by_its_effect(bench: Any) -> None:
    made = bench("def f(x):\n    «time.sleep(0)»\n    return x\n", "freezes")
    (shown,) = made.study("f", F)
    assert ("shown", "a wait") == (shown.outcome, shown.evidence["effect"])


def test_types_that_are_invented_refute_no_error_of_types(bench: Any) -> None:
    source = "def f(x):\n    return «lax.fori_loop(0, 3, lambda i, c: c * 0.5, x)»\n"
    made = bench(source, "raises", ("TypeError",))
    assert ["absent"] == made.outcomes("f", F, source="recorded")
    assert ["-"] == made.outcomes("f", F, source="invented")


def test_invented_arguments_refute_that_a_value_is_asked_for(bench: Any) -> None:
    made = bench("def f(x, n):\n    return x if «n > 2» else -x\n", "raises", BOOL)
    assert ["shown"] == made.outcomes("f", F, I, source="invented")
    assert ["absent"] == made.outcomes("f", F, 3, source="invented")

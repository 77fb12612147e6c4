"""One call under study: each kind of hazard is shown where it is, and look-alikes are not.

Flagged code stands between « and ». A case tells what is observed at each of them, in order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bench import BOOL, F, I, V, bench

from jaxlint.verify.protocol import dump, load

__all__ = ["bench"]


# --- conversions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "errors", "args"),
    [
        ("return x if «x > 0» else -x", BOOL, (F,)),
        ("return «0 < x < 3»", BOOL, (F,)),
        ("return «0 < x < 3»", BOOL, (V,)),
        ("return «x > 0» and x < 2", BOOL, (F,)),
        ("return not «x»", BOOL, (F,)),
        ("return max(«x», 0.0)", BOOL, (F,)),
        ("return «x in [1, 2]»", BOOL, (F,)),
        ("return [i for i in range(3) if «i < x»]", BOOL, (F,)),
        ("assert «jnp.all(x > 0)», 'é'", BOOL, (V,)),
        ("return float(«x») * 2", ("ConcretizationTypeError",), (F,)),
        ("return «x.sum()».item()", ("ConcretizationTypeError",), (V,)),
        ("return math.sqrt(«x»)", ("ConcretizationTypeError", "TypeError"), (F,)),
        ("return np.sin(«x»)", ("TracerArrayConversionError",), (V,)),
        ("return [1, 2, 3][«x»]", ("TracerIntegerConversionError",), (I,)),
        ("return [x for _ in range(«x»)]", ("TracerIntegerConversionError",), (I,)),
        ("return [0] * «x»", ("TracerIntegerConversionError", "TypeError"), (I,)),
        ("return x[«x > 0»]", ("NonConcreteBooleanIndexError",), (V,)),
        ("return x.at[«x > 0»].set(0)", ("NonConcreteBooleanIndexError",), (V,)),
        ("return jnp.nonzero(«x»)", ("ConcretizationTypeError",), (V,)),
        ("return jnp.ones((«x»,))", ("TypeError", "ConcretizationTypeError"), (I,)),
        ("return jnp.ones(4)[:«x»]", ("IndexError", "TypeError"), (I,)),
        ("return jnp.repeat(jnp.ones(3), «x»)", ("ConcretizationTypeError",), (I,)),
    ],
)
def test_a_conversion_is_shown(
    bench: Any, body: str, errors: tuple[str, ...], args: tuple[Any, ...]
) -> None:
    made = bench(f"def f(x):\n    {body}\n", "raises", errors)
    (shown,) = made.study("f", *args)
    assert "shown" == shown.outcome
    assert shown.evidence["error"] and shown.evidence["place"]["line"] == made.targets[0].line
    assert shown == load(dump(shown))


def test_an_error_of_another_place_counts_where_the_rule_says_so(bench: Any) -> None:
    made = bench("def f(x):\n    y = «x + 1»\n    return float(y)\n", "raises", BOOL)
    assert ["absent"] == made.outcomes("f", F)
    (target,) = made.targets
    made.targets = [replace(target, errors=("ConcretizationTypeError",), anywhere=True)]
    assert ["shown"] == made.outcomes("f", F)


@pytest.mark.parametrize(
    ("body", "args", "outcome"),
    [
        ("return x if «x.ndim > 0» else -x", (F,), "absent"),
        ("return x if «n > 0» else -x", (F, 1), "absent"),
        ("return float(«np.pi») * x", (F,), "absent"),
        ("return x if n is None else float(«x»)", (F,), "-"),
        (
            "try:\n        return float(«x»)\n    except TypeError:\n        return x",
            (F,),
            "absent",
        ),
        # The function fails, but elsewhere and of itself.
        ("y = np.sin(«n»)\n    raise KeyError(y)", (F, 1.0), "absent"),
        ("if «n > 0»:\n        raise ValueError('n')", (F, 1), "absent"),
    ],
)
def test_what_runs_without_a_conversion_is_not_shown(
    bench: Any, body: str, args: tuple[Any, ...], outcome: str
) -> None:
    made = bench(
        f"def f(x, n=None):\n    {body}\n",
        "raises",
        (*BOOL, "TypeError", "ConcretizationTypeError"),
    )
    assert [outcome] == made.outcomes("f", *args)


def test_an_error_of_the_users_own_is_no_evidence(bench: Any) -> None:
    source = """\
        def checked(n):
            raise ValueError("n")

        def f(x):
            return «checked(1)» > x
        """
    assert ["-"] == bench(source, "raises", BOOL).outcomes("f", F)


def test_hazards_behind_the_first_are_found_as_next(bench: Any) -> None:
    source = """\
        def f(x, v):
            if «x > 0»:
                x = x + 1
            else:
                x = float(«x»)
            while «x < 3»:
                x = x * 2
            w = v[«v > 0»]
            return jnp.ones((«x»,)), w
        """
    made = bench(
        source,
        "raises",
        (*BOOL, "ConcretizationTypeError", "NonConcreteBooleanIndexError", "TypeError"),
    )
    assert ["shown", "next", "next", "next", "next"] == made.outcomes("f", F, V)
    last = made.study("f", F, V)[-1]
    assert made.targets[0].line in last.evidence["after_sites"]


def test_the_signature_and_the_dependence_are_told(bench: Any) -> None:
    made = bench("def f(x, y, n):\n    return x if «y > n» else 0\n", "raises", BOOL)
    (shown,) = made.study("f", F, F, 2, assumption="`y` is traced", source="invented")
    assert ("x: f32[], y: f32[], n=2", "`y` is traced", "invented") == (
        shown.signature,
        shown.assumption,
        shown.source,
    )
    assert "y" == shown.evidence["depends_on"]


# --- effects ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "«print('x is', x)»",
        "«log.warning('x %s', x)»",
        "«warnings.warn('x')»",
        "«seen.append(1)»",
        "«table['n']» += 1",
        "global count; «count» += 1",
        "«Box.calls» += 1",
        "«rows[str(x.ndim) + '']['a'].append(1)»",
        "«rows.setdefault('b', {}).update(a=1)»",
        "x = x + next(«numbers»)",
        "jax.tree_util.tree_map(lambda each: «seen.append(each.shape)», [x])",
        "kept = []; lax.map(lambda each: [«kept.append(1)», each][1], jnp.ones(3))",
        "kept = []; lax.map(partial(push, kept), jnp.ones(3))",
    ],
)
def test_an_effect_is_shown(bench: Any, body: str) -> None:
    pushed = "«kept.append(1)»" if "push" in body else "kept.append(1)"
    source = f"""\
        log = logging.getLogger(__name__)
        seen, table, count, numbers = [], {{"n": 0}}, 0, itertools.count()
        rows = {{"0": {{"a": []}}}}

        class Box:
            calls = 0

        def push(kept, each):
            {pushed}
            return each

        def f(x):
            {body}
            return x
        """
    (shown,) = bench(source, "effects").study("f", F)
    assert ("shown", 0) == (shown.outcome, shown.evidence["second_call"])
    assert shown.evidence["first_call"] >= 1
    assert body != "«print('x is', x)»" or shown.evidence["stdout"].startswith("x is ")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("kept = []; «kept.append(1)»", "absent"),
        ("kept = {}; «kept['x']» = x", "absent"),
        ("box = Box(); «box.calls» += 1", "absent"),
        ("«tree['a']» = x", "absent"),
        ("numbers = iter([1, 2]); x = x + next(«numbers»)", "absent"),
        ("kept = []; jax.tree_util.tree_map(lambda each: «kept.append(each)», [x])", "absent"),
        ("jax.debug.callback(lambda each: «print(each)», x)", "-"),
        ("if x.ndim > 7: «print(x)»", "-"),
    ],
)
def test_what_stays_inside_the_trace_is_no_effect(bench: Any, body: str, outcome: str) -> None:
    source = f"""\
        class Box:
            calls = 0

        def f(x, tree):
            {body}
            return x
        """
    assert [outcome] == bench(source, "effects").outcomes("f", F, {"a": F})


def test_a_variable_of_the_same_trace_is_no_effect(bench: Any) -> None:
    source = """\
        def f(x):
            count = 0
            def bump():
                nonlocal count
                «count» += 1
            bump()
            return x + count

        def make():
            count = 0
            def g(x):
                nonlocal count
                «count» += 1
                return x + count
            return g
        """
    made = bench(source, "effects")
    assert ["absent", "-"] == made.outcomes("f", F)
    assert ["-", "shown"] == made.outcomes("make()", F)


def test_an_effect_behind_a_conversion_comes_next(bench: Any) -> None:
    source = """\
        def f(x):
            «print("before")»
            if x > 0:
                «print("positive")»
            return x
        """
    assert ["shown", "next"] == bench(source, "effects").outcomes("f", F)

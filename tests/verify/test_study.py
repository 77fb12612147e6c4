"""One call under study: each kind of hazard is shown where it is, and look-alikes are not.

Flagged code stands between « and ». A case tells what is observed at each of them, in order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bench import BOOL, F, I, V, bench

from jaxlint.verify.child import internals
from jaxlint.verify.child.isolation.guard import TimeOutError, time_limit
from jaxlint.verify.protocol import Config, dump, load

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


# --- freezes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("return x * «rate»", "0.5"),
        ("return x * «table»['w']", "2.0"),
        ("return x + «weights»", "[1., 1.]"),
        ("return x + «device»", "constant"),
        ("return x * «box.k»", "3.0"),
        ("return x * «box».k", "3.0"),
        ("return x + (1 if «mode» == 'a' else 2)", "1.0"),
        ("return «scale»(x)", ""),
        ("return x + «random.random()»", "add"),
        ("return x * 0 + «time.perf_counter()»", "add"),
        ("return x * («generator.uniform()» < 0.5)", ""),
        ("return x, «steps»", "return 4"),
        ("return x.astype(«kind»)", "int32"),
        ("return x * «Box».k", "1.0"),
        ("return x * «Box.k»", "1.0"),
        ("return x * «Flags».k if «Flags».on else x", "4.0"),
        ("return x * «space».k", "5.0"),
        ("return jnp.reshape(x * «deep».k, deep.shape)", "6.0"),
    ],
)
def test_a_frozen_value_is_shown(bench: Any, body: str, before: str) -> None:
    source = f"""\
        rate, mode, steps, kind = 0.5, "a", 4, "int32"
        table, weights, device = {{"w": 2.0, "b": "no"}}, np.ones(2, "float32"), jnp.ones(2)
        generator = np.random.default_rng(0)

        class Box:
            k = 1.0

        box = Box()
        box.k = 3.0
        space = types.SimpleNamespace(k=5.0)

        class Base:
            k, on = 4.0, True

        class Flags(Base):
            def no_number(self):
                pass

        class Deep:
            def __init__(self):
                self.k, self.shape = 6.0, (1, 1)

        deep = Deep()

        def scale(x):
            return x * 7

        def f(x):
            {body}
        """
    (shown, *more) = bench(source, "freezes").study("f", F)
    assert ["shown"] * (1 + len(more)) == [each.outcome for each in (shown, *more)]
    assert before in shown.evidence.get("before", "")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        # The second call prints nothing at all: the program alone tells too little.
        ("print(«rate»); return x", "-"),
        ("return x if «rate» > -9 else -x", "absent"),
        ("return x * «params»['w']", "absent"),
        ("return x * 2 if x.ndim == 0 else x * «rate»", "-"),
        ("return jax.pure_callback(lambda: np.float32(«rate»), x)", "-"),
        # Other items of the same number: nothing is known of their number.
        ("return x * len(«names»)", "-"),
    ],
)
def test_a_value_that_the_program_does_not_hold_is_not_shown(
    bench: Any, body: str, outcome: str
) -> None:
    source = f"rate, names = 0.5, ['a', 'b']\n\ndef f(x, params):\n    {body}\n"
    assert [outcome] == bench(source, "freezes").outcomes("f", F, {"w": F})


def test_a_clock_that_is_only_printed_is_frozen_too(bench: Any) -> None:
    source = """\
        def f(x):
            start = «time.perf_counter()»
            print(start)
            return x
        """
    (shown,) = bench(source, "freezes").study("f", F)
    assert ("shown", 1, 0) == (
        shown.outcome,
        shown.evidence["first_call"],
        shown.evidence["second_call"],
    )


def test_a_frozen_value_behind_a_conversion_comes_next(bench: Any) -> None:
    source = """\
        rate = 0.5

        def f(x):
            if x > 0:
                return x * «rate»
            return x * «rate» + 1
        """
    assert ["next", "next"] == bench(source, "freezes").outcomes("f", F)


@pytest.mark.parametrize(("has_hash", "outcome"), [(True, "absent"), (False, "shown")])
def test_what_a_static_argument_is_hashed_by_is_not_frozen(
    bench: Any, has_hash: bool, outcome: str
) -> None:
    source = f"""\
        class Model:
            def __init__(self, k):
                self.k = k

            if {has_hash}:
                def __hash__(self):
                    return hash(self.k)

                def __eq__(self, other):
                    return self.k == other.k

        model = Model(2.0)

        def f(self, x):
            return x * «self.k» + «self».k
        """
    made = bench(source, "freezes")
    assert [outcome, outcome] == made.outcomes("f", made.module.model, F)


def test_closures_freeze_what_they_capture(bench: Any) -> None:
    source = """\
        def make(k):
            return lambda x: x + «k»
        """
    (shown,) = bench(source, "freezes").study("make(2)", F)
    assert ("2", "3") == (shown.evidence["value"], shown.evidence["changed"])


# --- the study as a whole ---------------------------------------------------------------------


def test_what_is_computed_beforehand_is_no_hazard(bench: Any) -> None:
    source = """\
        def f(x):
            with jax.ensure_compile_time_eval():
                limit = float(«jnp.float32(2)»)
            return x * limit
        """
    # Whether JAX still stages there depends on its version.
    (outcome,) = bench(source, "raises", ("TypeError",)).outcomes("f", F)
    assert outcome in ("absent", "eager")


def test_what_was_seen_before_a_time_out_is_told(bench: Any) -> None:
    # The time is out when the program says so, however long all this takes.
    source = """\
        import signal

        seen, runs = [], 0

        def f(x):
            global runs
            runs += 1
            «seen.append(1)»
            while runs > 3:
                signal.raise_signal(signal.SIGALRM)
            return x if x > 0 else «seen.append(x)»
        """
    found: list[Any] = []
    with pytest.raises(TimeOutError), time_limit(3600.0):
        bench(source, "effects").study("f", F, sink=found.append)
    assert [(1, "shown")] == [(each.target, each.outcome) for each in found]


def test_the_sink_is_told_what_the_study_returns(bench: Any) -> None:
    made = bench("rate = 0.5\n\ndef f(x):\n    return x * «rate» + «rate»\n", "freezes")
    found: list[Any] = []
    assert made.study("f", F, sink=found.append) == found and 2 == len(found)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return [«lock», x][1]", "no other value of its lock is known"),
        ("return x * sizes[«n»]", "with another value the trace does not come to its end"),
        ("return {}[«n»]", "the trace ended with KeyError in line 10: 3"),
    ],
)
def test_why_nothing_is_shown_is_told(bench: Any, body: str, reason: str) -> None:
    source = f"""\
        import threading
        lock, n, sizes = threading.Lock(), 3, {{3: 1.0}}

        def f(x):
            {body}
        """
    told: list[str] = []
    made = bench(source, "freezes")
    assert [] == made.study("f", F, explain=lambda target, text: told.append(text))
    assert [reason] == told


def test_the_program_is_told_on_request(bench: Any) -> None:
    made = bench("rate = 0.5\n\ndef f(x):\n    return x * «rate»\n", "freezes")
    (plain,) = made.study("f", F)
    (jaxpr,) = made.study("f", F, config=Config(program="jaxpr"))
    (hlo,) = made.study("f", F, config=Config(program="stablehlo"))
    assert "program" not in plain.evidence
    assert "lambda" in jaxpr.evidence["program"] and "stablehlo." in hlo.evidence["program"]
    assert internals.version() == plain.evidence["jax"]


def test_a_study_prints_nothing_and_warns_of_nothing(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """\
        def f(x):
            «warnings.warn("often")»
            print("much")
            raise SystemExit(3)
        """
    (shown,) = bench(source, "effects").study("f", F)
    assert ("shown", "SystemExit") == (shown.outcome, shown.evidence["error"])
    assert ("", "") == tuple(capsys.readouterr())

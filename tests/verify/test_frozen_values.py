"""One call under study: frozen values, and the study as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from bench import F, bench

from jaxlint.verify.child import internals
from jaxlint.verify.child.isolation.guard import TimeOutError, time_limit
from jaxlint.verify.protocol import Config

__all__ = ["bench"]


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

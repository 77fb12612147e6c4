"""A write is an effect if something is left of it once the trace is over."""

from __future__ import annotations

from typing import Any

import jax
import pytest
from bench import F, V, bench

from jaxlint.verify.child.experiments.leaks import Remains

__all__ = ["bench"]

STATE = """\
    import collections, contextlib, importlib
    names, queue, table, depth, same = [], collections.deque(), {}, 0, True
    absolute, length = None, 0

    class Box:
        depth = 0

    @contextlib.contextmanager
    def scope(name):
        «names.append(name)»
        try:
            yield
        finally:
            «names.pop()»

    def f(x):
        global depth, same, absolute, length
"""


def outcomes(bench: Any, body: str) -> set[str]:
    lines = "".join(f"        {line}\n" for line in [*body.split("; "), "return x"])
    source = STATE if "scope" in body else STATE.replace("«", "").replace("»", "")
    return set(bench(source + lines, "effects").outcomes("f", F))


@pytest.mark.parametrize(
    "body",
    [
        "with scope('a'): x = x + 1",
        "with scope('a'), scope('b'): x = x + 1",
        "«names.append(1)»; x = x + names[-1]; «names.pop()»",
        "«queue.append(1)»; x = x + len(queue); «queue.popleft()»",
        "«table['a']» = 1; x = x + table['a']; «del table['a']»",
        "«depth += 1»; x = x + depth; «depth -= 1»",
        "«Box.depth» += 1; x = x + Box.depth; «Box.depth» -= 1",
        "«same = same and x.ndim == 0»",
        "«absolute = importlib.import_module('jax.numpy')»",
        "«absolute = jnp.abs»; x = absolute(x)",
    ],
)
def test_a_write_of_which_nothing_is_left_is_not_shown(bench: Any, body: str) -> None:
    assert {"-"} == outcomes(bench, body)


@pytest.mark.parametrize(
    "body",
    [
        "«names.append(1)»",
        "«names.append(1)»; «names.append(2)»; names.pop()",
        "«queue.append(1)»",
        "«table['a']» = table.get('a', 0) + 1",
        "«depth += 1»; «depth += 1»; depth -= 1",
        "«Box.depth» += 1",
        "«same = x.ndim == 7»",
        "«length = x.size»",
        "«absolute = lambda each: each»",
    ],
)
def test_a_write_that_stays_is_shown(bench: Any, body: str) -> None:
    assert {"shown"} == outcomes(bench, body)


def test_a_variable_of_a_function_around_is_compared_too(bench: Any) -> None:
    source = """\
        def f(x):
            count, same = 0, True
            def body(i, x):
                nonlocal count, same
                «count += 1»
                «same = same and x.ndim == 0»
                return x
            return lax.fori_loop(0, 3, body, x)
        """
    assert ["shown", "-"] == bench(source, "effects").outcomes("f", F)


@pytest.mark.parametrize("hazard", ["effects", "leaks"])
def test_the_arguments_of_a_function_within_a_trace_may_be_made_in_it(
    bench: Any, hazard: str
) -> None:
    source = """\
        class Box:
            held = ()

        def f(box, x):
            «box.held» = x
            return x
        """
    made = bench(source, hazard)
    box = made.module.Box()
    assert ["shown"] == made.outcomes("f", box, F)
    assert ["-"] == made.outcomes("f", made.module.Box(), F, is_outermost=False)


@pytest.mark.parametrize("hazard", ["effects", "leaks"])
def test_the_code_around_a_call_may_take_back_what_it_leaves(bench: Any, hazard: str) -> None:
    made = bench("kept = []\n\ndef f(x):\n    «kept.append(x)»\n    return x\n", hazard)
    assert ["shown"] == made.outcomes("f", F)
    assert ["-"] == made.outcomes("f", F, is_outermost=False)


def test_a_program_may_hold_its_own_values_in_what_vmap_runs(bench: Any) -> None:
    source = """\
        class Box:
            held = kept = ()

        def f(xs):
            box = Box()
            def one(x):
                «box.kept = jnp.zeros(3)»
                «box.held = x»
                return x
            return jax.vmap(one)(xs)
        """
    assert ["absent", "shown"] == bench(source, "leaks").outcomes("f", V)


def test_a_dict_may_take_what_an_import_gives(bench: Any) -> None:
    source = """\
        backends, sizes = {}, {}

        def f(x):
            «backends["numbers"]» = jnp
            «sizes["x"]» = x.shape
            return x
        """
    assert ["-", "shown"] == bench(source, "effects").outcomes("f", F)


def test_what_the_verifier_holds_is_not_held_by_the_program(bench: Any) -> None:
    source = """\
        def bump(table, key):
            «table[key]» = table.get(key, 0) + 1

        def f(x):
            table = {}
            bump(table, "a")
            bump(table, "b")
            return x
        """
    made = bench(source, "effects")
    # The loader of a module that is imported leads to the listeners.
    made.module.__loader__ = made.probes
    assert ["-"] == made.outcomes("bump", {}, "a", is_outermost=False)
    assert ["absent"] == made.outcomes("f", F)


def test_a_variable_of_the_function_around_a_loop_leaks(bench: Any) -> None:
    source = """\
        def f(xs):
            peak = jnp.float32(0.0)
            def body(c, x):
                nonlocal peak
                «peak = jnp.maximum(peak, x)»
                return c + x, None
            total, _ = lax.scan(body, 0.0, xs)
            return total, peak
        """
    assert ["shown"] == bench(source, "leaks").outcomes("f", V)


def test_a_module_may_lead_for_a_while_to_what_a_trace_has_made(bench: Any) -> None:
    source = """\
        class Tape:
            current = None

            def __enter__(self):
                Tape.current = self
                self.ops = []

            def __exit__(self, *error):
                Tape.current = None

        def note(x):
            «Tape.current.ops.append(x)»
            return x

        def f(x):
            with Tape():
                return note(x)
        """
    assert ["-"] == bench(source, "leaks").outcomes("f", F)
    assert ["-"] == bench(source, "effects").outcomes("f", F)


@pytest.mark.parametrize("hazard", ["effects", "leaks"])
def test_what_a_trace_has_made_may_stay_where_a_module_leads_to_it(bench: Any, hazard: str) -> None:
    source = """\
        class Tape:
            current = None

            def __init__(self):
                Tape.current = self
                self.ops = []

        def f(x):
            Tape()
            «Tape.current.ops.append(x)»
            return x
        """
    assert ["shown"] == bench(source, hazard).outcomes("f", F)


def test_a_local_object_leaks_what_it_holds_once_it_is_kept(bench: Any) -> None:
    source = """\
        cache = {}

        def f(x):
            «cache["found"]» = found = []
            «found.append(x)»
            return x
        """
    assert ["shown", "shown"] == bench(source, "leaks").outcomes("f", F)


@pytest.mark.parametrize("hazard", ["effects", "leaks"])
def test_a_variable_of_a_function_that_has_returned_may_be_of_the_trace(
    bench: Any, hazard: str
) -> None:
    source = """\
        def make():
            held = None
            def keep(x):
                nonlocal held
                «held = x»
            return keep

        keep = make()

        def f(x):
            make()(x)
            return x

        def g(x):
            keep(x)
            return x
        """
    made = bench(source, hazard)
    assert ["-"] == made.outcomes("f", F)
    assert ["shown"] == made.outcomes("g", F)


def test_a_recorder_sees_through_its_own_frames_around_a_loop(bench: Any) -> None:
    source = """\
        def f(x):
            same, count = True, 0
            def body(i, x):
                nonlocal same, count
                «same = same and x.ndim == 1»
                «count += 1»
                return x
            return lax.fori_loop(0, 3, body, x) if same else x
        """
    assert ["-", "shown"] == bench(source, "effects").recorded("jax.jit(f)(jnp.ones(3))")


def test_a_recorder_sees_through_its_own_frames_around_vmap(bench: Any) -> None:
    source = """\
        class Keys:
            key = kept = ()

        def f(xs):
            keys = Keys()
            def one(x):
                «keys.key = jnp.zeros(3)»
                «keys.kept = x»
                return x
            return jax.vmap(one)(xs), keys.key
        """
    assert ["absent", "shown"] == bench(source, "leaks").recorded("jax.jit(f)(jnp.ones(3))")


def test_what_parts_of_traces_leave_hides_no_leak(bench: Any) -> None:
    source = """\
        class Box:
            first = None

        def part(x):
            Box.last = x
            return x

        def f(x):
            if Box.first is None:
                «Box.first = x»
            return part(x)
        """
    made = bench(source, "leaks")
    jax.jit(made.module.f)(1.0)
    remains = Remains()
    assert ["-"] == made.outcomes("part", F, is_outermost=False, remains=remains)
    assert ["shown"] == made.outcomes("f", F, remains=remains)


def test_what_parts_of_traces_leave_is_no_leak(bench: Any) -> None:
    source = """\
        class Box:
            held = None

        def part(x):
            Box.held = x
            return x

        def f(x):
            if Box.held is None:
                «Box.held = x»
            x = part(x)
            Box.held = None
            return x
        """
    made = bench(source, "leaks")
    remains = Remains()
    made.outcomes("part", F, is_outermost=False, remains=remains)
    assert made.module.Box.held is not None
    assert ["-"] == made.outcomes("f", F, remains=remains)

"""Small generated modules about one hazard each: what JAX shows of them, and what the rules say."""

from __future__ import annotations

import pytest
from small import captures, donation, effects, keys, retraces
from small.census import STUDIES, Gap, census, count, gaps
from small.truth import Difference, Mark, Score, Specimen, Truth, assemble, compare

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.text import Span

PROGRAMS = {"effects": 40, "captures": 24, "retraces": 50, "keys": 30, "donation": 30}

EFFECTS = """\
import random
import jax
import jax.numpy as jnp
seen, total, results = [], 0, []
class Meter:
    calls = 0
meter = Meter()
numbers = iter(range(40))
@jax.jit
def step(x):
    global total
    total += 1
    seen.append(1)
    seen.append(x)
    meter.calls += 1
    y = x + next(numbers)
    print("level", y)
    print(x.shape)
    local = []
    local.append(x)
    jax.debug.callback(lambda value: seen.append(value), x)
    return y * random.random()
def host(x):
    seen.append(1)
    return x * random.random()
for _ in range(2):
    results.append(step(jnp.ones(2)))
for _ in range(2):
    results.append(host(jnp.ones(2)))
"""


@pytest.mark.jax
def test_each_line_with_an_effect_is_labelled_by_its_kind() -> None:
    truth = effects.observe(Specimen(0, EFFECTS))
    assert truth.failure == ""
    expected = {
        (12, "name"),
        (13, "container"),
        (14, "leak container"),
        (15, "attribute"),
        (16, "iterator"),
        (17, "print"),
        (18, "output"),
        (22, "rng"),
    }
    assert expected == set(truth.hazards)


@pytest.mark.jax
def test_locals_callbacks_and_the_host_are_harmless() -> None:
    truth = effects.observe(Specimen(0, EFFECTS))
    assert {(20, "container"), (21, "container"), (24, "container"), (25, "rng")} <= truth.harmless


@pytest.mark.jax
@pytest.mark.parametrize(
    ("between", "stale"),
    [
        ("rate = 2.0", True),
        ("pass", False),
        ("rate = 2.0\njax.clear_caches()", False),
        ("rate = rate * 1.0", False),
    ],
)
def test_a_read_is_stale_if_a_compiled_call_misses_a_change(between: str, stale: bool) -> None:
    lines = [
        "import jax, jax.numpy as jnp",
        "rate, results = 0.5, []",
        "@jax.jit",
        "def step(x):",
        "    return x * rate  #@ read rate",
        "results.append(step(1.0))",
        *between.split("\n"),
        "results.append(step(1.0))",
    ]
    truth = captures.observe(assemble(0, lines))
    assert truth.failure == ""
    assert ({(5, "stale")} if stale else set()) == set(truth.hazards)
    assert stale or truth.harmless == {(5, "stale")}


@pytest.mark.jax
def test_only_the_changes_of_one_capture_count_for_it() -> None:
    lines = [
        "import jax, jax.numpy as jnp",
        "rate, bias, results = 0.5, 1.0, []",
        "@jax.jit",
        "def step(x):",
        "    y = x * rate  #@ read rate",
        "    return y + bias  #@ read bias",
        "results.append(step(1.0))",
        "bias = 2.0  #@ change bias",
        "results.append(step(1.0))",
    ]
    truth = captures.observe(assemble(0, lines))
    assert {(6, "stale")} == truth.hazards
    assert {(5, "stale")} == truth.harmless


@pytest.mark.jax
def test_what_a_new_shape_traces_again_is_unknown() -> None:
    lines = [
        "import jax, jax.numpy as jnp",
        "rate, results = 0.5, []",
        "@jax.jit",
        "def step(x):",
        "    return x * rate  #@ read rate",
        "results.append(step(jnp.ones(2)))",
        "rate = 2.0",
        "results.append(step(jnp.ones(3)))",
    ]
    assert Truth() == captures.observe(assemble(0, lines))


@pytest.mark.jax
def test_a_function_that_is_traced_again_is_a_retrace() -> None:
    lines = [
        "import jax, jax.numpy as jnp",
        "def energy(x):  #@ body energy",
        "    return x * x",
        "def twice(x):",
        "    return jax.jit(lambda v: v * 2)(x)  #@ lambda new",
        "def named(x):",
        "    return jax.jit(energy)(x)  #@ jits energy",
        "def sloped(x):",
        "    return jax.jit(jax.grad(energy))(x)  #@ jits energy",
        "twice(1.0)  #@ use module",
        "named(1.0)  #@ use module",
        "sloped(1.0)  #@ use module",
    ]
    truth = retraces.observe(assemble(0, lines))
    assert {(5, "retrace"), (9, "retrace")} == truth.hazards
    assert {(7, "retrace")} == truth.harmless


@pytest.mark.jax
def test_a_key_that_is_used_again_is_a_hazard() -> None:
    source = """\
import jax
key = jax.random.key(0)
one = jax.random.normal(key)
two = jax.random.uniform(key)
key, sub = jax.random.split(jax.random.key(1))
three = jax.random.normal(sub)
"""
    truth = keys.observe(Specimen(0, source))
    assert truth.failure == ""
    assert {(4, "reused key")} == truth.hazards
    assert {(3, "reused key"), (6, "reused key")} <= truth.harmless


@pytest.mark.jax
def test_a_buffer_that_was_donated_is_a_hazard_where_it_is_used() -> None:
    source = """\
import jax, jax.numpy as jnp
step = jax.jit(lambda state: state * 2, donate_argnums=0)
state = jnp.ones(3)
moved = step(state)
size = state.shape
total = state.sum()
state = step(moved)
total = state.sum()
"""
    truth = donation.observe(Specimen(0, source))
    assert truth.failure == ""
    assert {(6, "donated buffer")} == truth.hazards
    assert {(5, "donated buffer"), (8, "donated buffer")} <= truth.harmless


@pytest.mark.jax
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_rules_agree_with_jax_about_generated_modules(name: str) -> None:
    found = count(name, range(PROGRAMS[name]))
    assert len(found.score.failures) <= 0.03 * PROGRAMS[name], found.score.failures
    assert [] == found.false_alarms("error")
    assert found.recall >= 0.97, found.open
    assert found.score.hazards or found.score.unclaimed


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_a_seed_says_what_a_module_is(name: str) -> None:
    study = STUDIES[name]
    specimens = [study.generate(seed) for seed in range(20)]
    assert specimens == [study.generate(seed) for seed in range(20)]
    assert len({specimen.source for specimen in specimens}) == 20
    for specimen in specimens:
        compile(specimen.source, "<module>", "exec")


def test_marks_leave_the_source() -> None:
    expected = Specimen(3, "rate = 1\nx = rate\n", (Mark("read", "rate", 2),))
    assert expected == assemble(3, ["rate = 1", "x = rate  #@ read rate"])


def finding(line: int, code: str) -> Finding:
    return Finding("m.py", Span(line, 0, line, 1), code, "rule", Severity.ERROR, "message")


def test_findings_are_right_false_or_unknown_and_hazards_found_or_missed() -> None:
    specimen = Specimen(1, "\n".join("abcd"))
    truth = Truth(frozenset({(1, "rng"), (2, "clock")}), frozenset({(3, "rng")}))
    found = [finding(1, "JAX111"), finding(3, "JAX111"), finding(4, "JAX111"), finding(3, "JAX999")]
    score = compare(effects.FAMILY, specimen, truth, found)
    assert {Severity.ERROR: 1} == score.right
    assert {Severity.ERROR: 1} == score.unknown
    assert [Difference(1, 3, "JAX111", "c", Severity.ERROR)] == score.false_alarms(Severity.ERROR)
    assert [Difference(1, 2, "clock", "b")] == score.missed
    assert score.recall == 0.5


def test_a_gap_takes_a_difference_out_of_the_count() -> None:
    known = Difference(1, 2, "name", "globals()['n'] += 1")
    other = Difference(1, 2, "name", "n += 1")
    found = census("effects", Score(differences=[known, other]))
    assert [other] == found.open
    assert 1 == found.known.total()


def test_a_gap_is_of_one_family_and_subject() -> None:
    gap = Gap("effects", "name", "^n", "reason")
    assert gap.covers("effects", Difference(1, 1, "name", "n = 1"))
    assert not gap.covers("captures", Difference(1, 1, "name", "n = 1"))
    assert not gap.covers("effects", Difference(1, 1, "clock", "n = 1"))
    assert not gap.covers("effects", Difference(1, 1, "name", "m = 1"))


def test_every_gap_is_about_a_family_and_says_why() -> None:
    assert all(gap.family in STUDIES and gap.reason for gap in gaps())

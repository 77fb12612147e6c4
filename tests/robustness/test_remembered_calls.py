"""What is remembered of calls changes no finding: neither another caller nor the order of calls."""

from __future__ import annotations

import sys
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from jaxlint.base.finding import Confidence, Finding, Severity
from jaxlint.base.text import Span
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.queries.analyse import FRAMEWORKS, SEMANTICS
from jaxlint.engine.summaries.dynamic_context import DynamicContext
from jaxlint.registry.registry import rules_in
from jaxlint.syntax.parse import parse
from jaxlint.testing.lint import lint
from jaxlint.testing.pages import read_page
from jaxlint.testing.reveal import read_specifications

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
GENERATED = 40
HEAD = """
import os
import random
import jax
import jax.numpy as jnp
import numpy as np
"""


@cache
def _rules() -> tuple[object, ...]:
    return tuple(rules_in("jaxlint.rules"))


def findings(source: str) -> list[Finding]:
    return lint(source, "file.py", _rules())  # type: ignore[arg-type]


Told = tuple[str, str, Severity, Confidence]


def told(source: str) -> list[Told]:
    """What is found, by the text of the line."""
    lines = source.splitlines()
    found = findings(source)
    return sorted(
        (one.code, lines[one.span.line - 1].strip(), one.severity, one.confidence) for one in found
    )


def codes(source: str) -> list[tuple[str, Severity]]:
    return [(code, severity) for code, _, severity, _ in told(source)]


# -- programs --------------------------------------------------------------------------------------

STALE_GLOBAL = """
scale = 1.0


def helper(x):
    return x * scale


@jax.jit
def first(x):
    return helper(x)


@jax.jit
def second(x):
    return helper(x)


{other}
second(jnp.ones(3))
scale = 2.0
print(second(jnp.ones(3)))
"""
STALE_DICT = STALE_GLOBAL.replace("scale = 1.0", 'scale = {{"by": 1.0}}')
STALE_DICT = STALE_DICT.replace("x * scale", 'x * scale["by"]')
STALE_DICT = STALE_DICT.replace("scale = 2.0", 'scale["by"] = 2.0')
CHOICE = """
def helper(x):
    if x.sum() > 0:
        return x
    return -x


def other(x):
    return x


chosen = helper if os.environ.get("A") else other


@jax.jit
def first(x):
    return chosen(x)


@jax.jit
def second(x):
    return helper(x)

"""


@pytest.mark.parametrize(
    ("program", "code"), [(STALE_GLOBAL, "JAX205"), (STALE_DICT, "JAX206")], ids=["name", "dict"]
)
def test_another_caller_hides_no_stale_capture(program: str, code: str) -> None:
    alone = codes(HEAD + program.format(other=""))
    beside = codes(HEAD + program.format(other="first(jnp.ones(3))"))
    assert [code] == [one for one, _ in alone]
    assert alone == beside


def test_the_strongest_of_equal_facts_is_kept() -> None:
    orders = ["first(jnp.ones(3))\nsecond(jnp.ones(3))", "second(jnp.ones(3))\nfirst(jnp.ones(3))"]
    found = [findings(HEAD + CHOICE + order) for order in orders]
    assert [("JAX301", Severity.ERROR, Confidence.HIGH)] == [
        (one.code, one.severity, one.confidence) for one in found[0]
    ]
    assert found[0] == found[1]


# Each has parts that may stand in any order.
INDEPENDENT = {
    "a choice of functions on the host": (
        """
def helper(x):
    return jax.jit(lambda y: y + 1)(x)


def other(x):
    return x


chosen = helper if os.environ.get("A") else other


@jax.jit
def asked(x):
    if x > 0:
        return x
    return -x
""",
        (
            "for _ in range(3):\n    chosen(jnp.ones(3))",
            "for _ in range(3):\n    helper(jnp.ones(3))",
            "asked(1.0)",
        ),
    ),
    "an optional parameter": (
        """
def helper(x):
    y = x * 2
    if y > 0:
        return y
    return -y


@jax.jit
def first(x, scale=None):
    return helper(x)


@jax.jit
def second(x, scale=1.0):
    return helper(scale)
""",
        ("first(jnp.ones(()))", "second(jnp.ones(()))", "first(jnp.ones(()), 2.0)"),
    ),
    "what is caught": (
        """
def helper(x):
    return float(x)


@jax.jit
def first(x):
    try:
        return helper(x)
    except TypeError:
        return x


@jax.jit
def second(x):
    return helper(x)
""",
        ("first(jnp.ones(()))", "second(jnp.ones(()))"),
    ),
    "keys and other arrays": (
        """
def doubled(x):
    return x + x


def noise(key):
    return jax.random.uniform(key, (3,))


def run(key):
    return noise(key) + 1.0
""",
        (
            "print(doubled(np.ones(3)))",
            "print(doubled(noise(jax.random.key(0))) + 1.0)",
            "print(run(jax.random.key(0)))",
        ),
    ),
    "results of one function": (
        """
def settings(name):
    return {"scale": 1.0}


first, second = settings("first"), settings("second")


@jax.jit
def scaled(x):
    return x * first["scale"]
""",
        ("print(scaled(jnp.ones(3)))", 'second["scale"] = 2.0', "print(scaled(jnp.ones(3)) + 1)"),
    ),
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_the_order_of_independent_calls_changes_nothing(name: str) -> None:
    program, parts = INDEPENDENT[name]
    found = {
        tuple(told(HEAD + program + "\n\n" + "\n".join(order) + "\n"))
        for order in permutations(parts)
    }
    assert 1 == len(found)


def test_the_order_of_independent_definitions_changes_nothing() -> None:
    helper = "def helper(x):\n    return x if x.sum() > 0 else -x\n"
    callers = [
        "@jax.jit\ndef first(x):\n    return helper(x)\n",
        "@jax.vmap\ndef second(x):\n    return helper(x)\n",
        "@jax.jit\ndef third(x, y=None):\n    return x if y is None else helper(y)\n",
        "def fourth(x):\n    return jax.lax.map(lambda one: helper(one), x)\n",
    ]
    found = {tuple(told(HEAD + "\n\n".join([helper, *order]))) for order in permutations(callers)}
    assert 1 == len(found)
    assert [("JAX301", Severity.ERROR)] == [(code, how) for code, _, how, _ in found.pop()]


def test_a_change_in_a_function_is_one_in_each_call_of_it() -> None:
    program = """
scale = 1.0


def grow():
    global scale
    scale = scale * random.random()


@jax.jit
def first(x):
    return x * scale


@jax.jit
def second(x):
    return x + scale


first(jnp.ones(3))
{between}
first(jnp.ones(3))
second(jnp.ones(3))
grow()
second(jnp.ones(3))
"""
    second = "return x + scale"
    without, beside = (told(HEAD + program.format(between=one)) for one in ("", "grow()"))
    assert [one for one in without if one[1] == second]
    assert [one for one in without if one[1] == second] == [
        one for one in beside if one[1] == second
    ]


def test_what_a_module_is_imported_for_has_a_context_of_its_own() -> None:
    """Nothing that surrounds an import statement holds in the module that it runs."""
    machine = Machine(parse("", "file.py"), SEMANTICS, FRAMEWORKS)
    frame, outside = Frame("module", None, machine.host), machine.dynamic
    around = {"muted": 1, "conditions": 1, "tested": frozenset({"flag"})}
    with machine.within(**around), machine.importing(frame):
        inside = machine.dynamic
    assert inside == DynamicContext(frame, inside.effects, idle=True)
    assert inside.effects is not outside.effects
    assert machine.dynamic is outside


def test_only_what_a_block_replaces_is_put_back() -> None:
    machine = Machine(parse("", "file.py"), SEMANTICS, FRAMEWORKS)
    with machine.within(conditions=1, muted=1):
        machine.go_on_with(tested=frozenset({"flag"}), muted=2)
    now = machine.dynamic
    assert (now.conditions, now.muted, now.tested) == (0, 0, {"flag"})
    with pytest.raises(KeyError, match="condition"):
        machine.within(condition=1).__enter__()


# -- remembered or not -----------------------------------------------------------------------------


@cache
def programs() -> list[tuple[str, str]]:
    """Every example of a page and of a specification, the fixtures, and generated programs."""
    found = []
    for path in [*(ROOT / "jaxlint" / "rules").glob("*.py"), *(TESTS / "rules").glob("*-*.md")]:
        if path.name != "__init__.py":
            for example in read_page(path, path.stem.replace("_", "-")).examples:
                found.append((f"{path.name}:{example.line}", example.program))
    for path in (TESTS / "engine").rglob("*.md"):
        for one in read_specifications(path):
            found.append((f"{path.name}:{one.line}", one.program))
    for path in (ROOT / "fixtures").rglob("*.py"):
        found.append((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")))
    sys.path.insert(0, str(TESTS / "fuzz"))
    try:
        from generator import generate
    finally:
        sys.path.remove(str(TESTS / "fuzz"))
    found += [(f"seed {seed}", generate(seed).source) for seed in range(GENERATED)]
    return sorted(found)


def test_what_is_remembered_of_calls_changes_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_findings() -> dict[str, list[tuple[str, Span, Severity, Confidence]]]:
        return {
            name: [(f.code, f.span, f.severity, f.confidence) for f in findings(source)]
            for name, source in programs()
            if "def " in source
        }

    remembered = all_findings()
    monkeypatch.setattr(Machine, "remembers", False)
    again = all_findings()
    assert [] == [name for name in again if again[name] != remembered[name]]
    assert len(again) > 1000
    assert any(again.values())


def test_a_name_bound_anew_is_read_anew() -> None:
    """Each lambda calls the function of its own iteration."""
    program = """
import timeit

x = jnp.ones(3)
for steps in (10, 100):

    @jax.jit
    def run(x):
        return x * steps

    print(min(timeit.repeat(lambda: run(x), number=1)))
"""
    assert "JAX205" not in [code for code, _ in codes(HEAD + program)]

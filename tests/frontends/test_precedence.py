"""Where rules overlap, one of them speaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jaxlint import facts
from jaxlint.base.finding import Finding, Severity
from jaxlint.base.witness import Raises
from jaxlint.registry.registry import Registry
from jaxlint.rule import Rule
from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

pytestmark = pytest.mark.usefixtures("empty_directory")

SOURCE = """\
import jax

@jax.jit
def relu(x, scale):
    if x > 0:
        return x
    if scale > x:
        return float(scale)
    return 0.0

relu(1.0, 2.0)
"""


def speaking(name: str, code: str, sink: str, over: tuple[str, ...]) -> Rule:
    """A rule about conversions of one kind."""
    raises = Raises("TypeError")
    rule = Rule(
        f"p.{name}", code=code, severity=Severity.ERROR, witness=raises, since="0.1", over=over
    )

    @rule.on(facts.Concretized)
    def check(fact: facts.Concretized) -> Iterator[Finding]:
        if fact.sink == sink:
            yield rule.finding(fact, f"`{fact.text}` is converted")

    return rule


def found(*rules: Rule, ignore: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    """What a session says with these rules beside those that come with jaxlint."""
    registry = Registry([*builtin_rules().values(), *rules])
    session = Session(Settings((Selection(ignore=ignore),)), registry=registry)
    report = session.check_source(SOURCE, "relu.py")
    return [(finding.line, finding.code) for finding in report.findings]


def test_rules_that_say_nothing_of_others_all_speak() -> None:
    both = [(5, "AA101"), (5, "JAX301"), (7, "AA101"), (7, "JAX301"), (8, "JAX310")]
    assert both == found(speaking("alike", "AA101", "if", ()))


def test_a_rule_speaks_for_others_at_its_place() -> None:
    one = [(5, "AA101"), (7, "AA101"), (8, "JAX310")]
    assert one == found(speaking("first", "AA101", "if", ("JAX301",)))


def test_a_rule_speaks_for_others_about_a_parameter() -> None:
    # The test at line 7 reads `x` too; the first traced operand is what it is about.
    about = found(speaking("first", "AA101", "cast", ("JAX301", "JAX310")))
    assert [(5, "JAX301"), (8, "AA101")] == about


def test_a_rule_that_is_off_speaks_for_nobody() -> None:
    rule = speaking("first", "AA101", "if", ("JAX301",))
    assert [(5, "JAX301"), (7, "JAX301"), (8, "JAX310")] == found(rule, ignore=("AA101",))


def test_pages_are_judged_alike() -> None:
    rule = speaking("first", "AA101", "if", ("JAX301",))
    shown = lint(SOURCE, "relu.py", [*builtin_rules().values(), rule])
    assert [(5, "AA101"), (7, "AA101"), (8, "JAX310")] == [(f.line, f.code) for f in shown]

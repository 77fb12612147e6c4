"""What every rule owes its users: a name, a code, a promise, a page, a line of the changelog."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from jaxlint import facts
from jaxlint.base.finding import Applicability, Severity
from jaxlint.base.witness import (
    Differs,
    Donates,
    Effects,
    Expects,
    Freezes,
    Fruitless,
    Leaks,
    Raises,
    Recompiles,
    ReusesKey,
    Unrolls,
    Warns,
)
from jaxlint.rule import Rule
from jaxlint.testing.pages import Page, read_page
from jaxlint.testing.rulebook import builtin_rules, listed

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for path in (ROOT / "jaxlint" / "rules").glob("*.py") if path.name != "__init__.py"
)
RULES = sorted(builtin_rules().values(), key=lambda rule: rule.code)
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)

FAMILIES: dict[type[facts.Fact], str] = {
    facts.Effect: "1",
    facts.Advanced: "1",
    facts.Stored: "12",
    facts.StaleCapture: "2",
    facts.Concretized: "3",
    facts.ShapeNeeded: "4",
    facts.FreshJit: "5",
}
"""The hundreds of the codes that a kind of fact belongs to; the others are general."""

SEVERITIES = {
    Raises: {Severity.ERROR, Severity.WARNING, Severity.INFO},
    Effects: {Severity.ERROR, Severity.WARNING, Severity.INFO},
    Differs: {Severity.ERROR, Severity.WARNING, Severity.INFO},
    Freezes: {Severity.ERROR, Severity.WARNING, Severity.INFO},
    Leaks: {Severity.ERROR},
    Recompiles: {Severity.PERF, Severity.INFO, Severity.ERROR},
    Unrolls: {Severity.PERF},
    Donates: {Severity.ERROR},
    Fruitless: {Severity.ERROR, Severity.WARNING},
    ReusesKey: {Severity.ERROR, Severity.WARNING},
    Expects: set(Severity),
    Warns: {Severity.ERROR, Severity.WARNING, Severity.INFO},
}
"""What a witness can promise: who raises is wrong, who compiles again is slow."""


def source_of(rule: Rule) -> Path:
    return ROOT / "jaxlint" / "rules" / (rule.name.replace("-", "_") + ".py")


def page_of(rule: Rule) -> Page:
    return read_page(source_of(rule), rule.name)


def test_every_file_is_a_rule_and_every_rule_a_file() -> None:
    assert [path.stem.replace("_", "-") for path in SOURCES] == sorted(builtin_rules())
    assert SOURCES


def test_no_two_rules_share_a_code() -> None:
    counts = Counter(rule.code for rule in RULES)
    assert {rule.code: 1 for rule in RULES} == counts


@every_rule
def test_the_code_belongs_to_the_family_of_its_facts(rule: Rule) -> None:
    assert re.fullmatch(r"JAX[1-9]\d\d", rule.code)
    families = {family for kind, _ in rule.checks for family in FAMILIES.get(kind, rule.code[3])}
    assert rule.code[3] in families


@every_rule
def test_the_name_reads_after_allow(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", rule.name)
    assert not re.match(r"(no|dont|avoid|use(?!-after)|prefer|disallow)-", rule.name)


@every_rule
def test_the_rule_says_since_when_and_how_sure_it_is(rule: Rule) -> None:
    assert re.fullmatch(r"\d+\.\d+", rule.since)
    assert rule.severity in SEVERITIES[type(rule.witness)]


@every_rule
def test_the_page_starts_with_one_line_that_says_what_goes_wrong(rule: Rule) -> None:
    page = page_of(rule)
    assert re.fullmatch(r"[A-Z`].{10,97}\.", page.title)
    text = source_of(rule).read_text(encoding="utf-8")
    assert f"{page.title}\n\n" in text


@every_rule
def test_the_page_shows_hazards_a_fix_and_look_alikes(rule: Rule) -> None:
    examples = page_of(rule).examples
    hazards = sum(example.is_hazard for example in examples)
    look_alikes = sum(example.is_look_alike for example in examples)
    fixes = sum(example.is_fixed for example in examples)
    assert (hazards >= 2, fixes >= 1, look_alikes >= 2) == (True, True, True)


# The carry that has the wrong type is known, but not which part of it, nor how wide it is to be.
UNWRITTEN = {"carry-type-mismatch"}


@every_rule
def test_a_rule_that_promises_fixes_writes_them(rule: Rule) -> None:
    assert bool(rule.fixes) == (
        rule.applicability is not Applicability.NONE and rule.name not in UNWRITTEN
    )


@every_rule
def test_the_changelog_names_the_rule(rule: Rule) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^- {rule.code} {rule.name}\b", changelog, re.MULTILINE)


def test_the_changelog_names_no_other_rule() -> None:
    named = re.findall(
        r"^- (JAX\d{3}) ([a-z0-9]+(?:-[a-z0-9]+)+)",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [(rule.code, rule.name) for rule in RULES] == sorted(named)


def test_the_list_of_rules_is_up_to_date() -> None:
    assert listed(RULES) == (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def test_the_readme_names_rules_rightly() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(JAX\d{3}) ([a-z][a-z0-9]*(?:-[a-z0-9]+)+)", text))
    assert named
    assert named <= {(rule.code, rule.name) for rule in RULES}


def test_the_long_tail_is_about_rules_that_exist() -> None:
    tails = {path.stem for path in (ROOT / "tests" / "rules").glob("*.md")} - {"README"}
    assert [] == sorted(tails - set(builtin_rules()))

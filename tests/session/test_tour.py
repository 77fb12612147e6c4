"""The tour in fixtures shows what it says: each marked line its finding, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jaxlint import lint
from jaxlint.registry.registry import rules_in

TOUR = Path(__file__).parents[2] / "fixtures" / "tour"
RULES = rules_in("jaxlint.rules")
OFF = {rule.code for rule in RULES if not rule.default}
MARK = re.compile(r"#\s*((?:JAX\d{3}(?:,\s*)?)+)")


def marked(path: Path) -> set[tuple[int, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        (number, code)
        for number, line in enumerate(lines, 1)
        if (found := MARK.search(line))
        for code in re.findall(r"JAX\d{3}", found[1])
    }


@pytest.mark.parametrize("path", sorted(TOUR.glob("*.py")), ids=lambda path: path.stem)
def test_the_tour_is_marked_where_it_is_hazardous(path: Path) -> None:
    # Rules that are off are on where the tour shows them.
    shown = {code for _, code in marked(path)} & OFF
    findings = lint(path, extend_select=sorted(shown))
    assert marked(path) == {(finding.line, finding.code) for finding in findings}


def test_the_tour_shows_every_rule() -> None:
    shown = {code for path in TOUR.glob("*.py") for _, code in marked(path)}
    assert {rule.code for rule in RULES} == shown

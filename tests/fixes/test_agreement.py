"""Code that runs several times, with different values, is fixed in one way or not at all."""

from __future__ import annotations

import pytest

from jaxlint.api import Applicability, Code, Edit, Fix, Raises, Rule, Severity, Span, facts
from jaxlint.session.fixes import Fixes
from jaxlint.testing.lint import module_of

PLACE = Span(1, 1, 1, 2)
KEY = ("file.py", PLACE, "JAX399")

rule = Rule(
    "rules.doubtful",
    code="JAX399",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.SAFE,
    witness=Raises("TypeError"),
)


@rule.fix(facts.ContractViolation)
def fix(fact: facts.ContractViolation, code: Code) -> Fix | None:
    if fact.kind == "none":
        return None
    return code.fix("Write it", Edit(PLACE, fact.detail), unsafe=fact.kind == "unsafe")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("safe", "y"), ("safe", "y")], Applicability.SAFE),
        ([("safe", "y"), ("unsafe", "y"), ("safe", "y")], Applicability.UNSAFE),
        ([("unsafe", "y"), ("safe", "y")], Applicability.UNSAFE),
        ([("safe", "y"), ("safe", "z")], None),
        ([("safe", "y"), ("none", "")], None),
        ([("none", ""), ("safe", "y")], None),
    ],
)
def test_a_fix_is_trusted_as_far_as_every_run_allows(
    runs: list[tuple[str, str]], expected: Applicability | None
) -> None:
    module, fixes = module_of("x = 1\n", "file.py"), Fixes()
    for kind, text in runs:
        fact = facts.ContractViolation(module, module.body[0], "f", kind=kind, detail=text)
        fixes.add(KEY, rule, fact)
    found = fixes.fix(KEY)

    assert expected == (None if found is None else found.applicability)

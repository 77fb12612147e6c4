"""Code that runs several times, with different values, is repaired in one way or not at all."""

from __future__ import annotations

import pytest

from jaxlint.api import Code, Edit, Fix, Raises, Repair, Rule, Severity, Span, facts
from jaxlint.session.fixes import Repairs
from jaxlint.testing.lint import module_of

PLACE = Span(1, 1, 1, 2)
KEY = ("file.py", PLACE, "JAX399")

rule = Rule(
    "rules.doubtful",
    code="JAX399",
    severity=Severity.ERROR,
    since="0.1",
    fix=Fix.SAFE,
    witness=Raises("TypeError"),
)


@rule.mend(facts.ContractViolation)
def mend(fact: facts.ContractViolation, code: Code) -> Repair | None:
    if fact.kind == "none":
        return None
    return code.repair("Write it", Edit(PLACE, fact.detail), unsafe=fact.kind == "unsafe")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("safe", "y"), ("safe", "y")], Fix.SAFE),
        ([("safe", "y"), ("unsafe", "y"), ("safe", "y")], Fix.UNSAFE),
        ([("unsafe", "y"), ("safe", "y")], Fix.UNSAFE),
        ([("safe", "y"), ("safe", "z")], None),
        ([("safe", "y"), ("none", "")], None),
        ([("none", ""), ("safe", "y")], None),
    ],
)
def test_a_repair_is_trusted_as_far_as_every_run_allows(
    runs: list[tuple[str, str]], expected: Fix | None
) -> None:
    module, repairs = module_of("x = 1\n", "file.py"), Repairs()
    for kind, text in runs:
        fact = facts.ContractViolation(module, module.body[0], "f", kind=kind, detail=text)
        repairs.add(KEY, rule, fact)
    found = repairs.repair(KEY)

    assert expected == (None if found is None else found.safety)

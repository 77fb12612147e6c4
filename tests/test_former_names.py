"""Former names of the interface of rules work for one release, and warn where they are used."""

from __future__ import annotations

from typing import Any

import pytest

from jaxlint import api
from jaxlint.api import Applicability, Code, Edit, Fix, Raises, Rule, Severity, Span, facts, fixes
from jaxlint.base.finding import Finding
from jaxlint.fixes import former
from jaxlint.testing.lint import module_of

PLACE = Span(1, 1, 1, 2)
FORMER: Any = Fix


def rule_of(**options: Any) -> Rule:
    return Rule(
        "somebody.outdated",
        code="ABC001",
        severity=Severity.ERROR,
        witness=Raises("TypeError"),
        since="0.1",
        **options,
    )


def test_an_outdated_rule_writes_fixes() -> None:
    with pytest.warns(DeprecationWarning, match="Applicability.SAFE") as warned:
        safe = FORMER.SAFE
    assert [__file__] == [one.filename for one in warned]
    with pytest.warns(DeprecationWarning, match="applicability=") as warned:
        rule = rule_of(fix=safe)
    assert [__file__] == [one.filename for one in warned]
    with pytest.warns(DeprecationWarning, match="@rule.fix"):
        register = rule.mend(facts.ContractViolation)

    @register
    def mend(fact: facts.ContractViolation, code: Code) -> Fix | None:
        return code.repair("Write it", Edit(PLACE, "y"))

    module = module_of("x = 1\n", "file.py")
    fact = facts.ContractViolation(module, module.body[0], "f", kind="", detail="")
    with pytest.warns(DeprecationWarning, match=r"Code\.fix"):
        found = rule.fix_for(fact, Code(module))

    assert rule.applicability is Applicability.SAFE
    assert found == Fix("Write it", Applicability.SAFE, (Edit(PLACE, "y"),))


def test_fixes_of_findings_have_their_former_names() -> None:
    fix = Fix("Write it", Applicability.UNSAFE, (Edit(PLACE, "y"),))
    finding = Finding("f.py", PLACE, "ABC001", "outdated", Severity.ERROR, "message", fix=fix)
    with pytest.warns(DeprecationWarning, match=r"Finding\.fix"):
        assert finding.repair is fix
    with pytest.warns(DeprecationWarning, match=r"Fix\.applicability"):
        assert fix.safety is Applicability.UNSAFE


def test_the_interface_has_its_former_names() -> None:
    with pytest.warns(DeprecationWarning, match=r"jaxlint\.api\.Repair is called Fix now"):
        assert api.Repair is Fix
    with pytest.warns(DeprecationWarning, match=r"jaxlint\.api\.fixes"):
        mends = api.mends
    with pytest.warns(DeprecationWarning, match=r"jaxlint\.api\.fixes\.at_updates"):
        assert mends.rebinding is fixes.at_updates


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(former._CURRENT))
def test_modules_about_fixes_have_their_former_names(name: str) -> None:
    assert getattr(former, name) is getattr(fixes, former._CURRENT[name])


@pytest.mark.parametrize("module", [api, former])
def test_other_names_are_unknown(module: Any) -> None:
    with pytest.raises(AttributeError, match="mending"):
        _ = module.mending

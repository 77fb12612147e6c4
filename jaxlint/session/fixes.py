"""The fixes of findings, written once everything that was found at a place is known.

Code runs several times, with different values: its fix must be the same for all of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Applicability, Fix
from jaxlint.base.runtime.crash import attempt
from jaxlint.base.text import Span
from jaxlint.results.merge import Located

if TYPE_CHECKING:
    from jaxlint.dataflow.budget import Budget
    from jaxlint.facts import Fact
    from jaxlint.fixes.source import Code
    from jaxlint.rule import Rule
    from jaxlint.syntax import ir

Key = tuple[str, Span, str]


class Fixes:
    """What is known of findings while a file is examined, by their file, place and code."""

    def __init__(self) -> None:
        self._facts: dict[Key, list[tuple[Rule, Fact]]] = {}
        self._codes: dict[int, Code] = {}
        self._budgets: dict[int, Budget] = {}

    def add(self, key: Key, rule: Rule, fact: Fact) -> None:
        """Takes in that a rule has found something from a fact."""
        if rule.fixes:
            self._facts.setdefault(key, []).append((rule, fact))

    def given(self, key: Key, located: Located) -> Located:
        """A finding with its fix, if there is one."""
        # Who fails at a fix has still found something, and so has one that takes too long.
        fix = attempt(partial(self._within_budget, key)) if key in self._facts else None
        if not isinstance(fix, Fix):
            return located
        return replace(located, finding=replace(located.finding, fix=fix))

    def fix(self, key: Key) -> Fix | None:
        """The fix on which all facts agree."""
        agreed: Fix | None = None
        for rule, fact in self._facts.get(key, ()):
            fix = rule.fix_for(fact, self._code(fact.module))
            if fix is None:
                return None
            agreed = _agreed(agreed, fix)
            if agreed is None:
                return None
        return agreed

    def _within_budget(self, key: Key) -> Fix | None:
        from jaxlint.dataflow.budget import Budget

        module = self._facts[key][0][1].module
        budget = self._budgets.setdefault(id(module), Budget(module))
        with budget.part():
            return self.fix(key)

    def _code(self, module: ir.Module) -> Code:
        code = self._codes.get(id(module))
        if code is None:
            from jaxlint.fixes.source import Code

            # It holds the module, so that its identity stays its own.
            code = self._codes[id(module)] = Code(module)
        return code


def _agreed(one: Fix | None, other: Fix) -> Fix | None:
    """What two fixes have in common: the same change is trusted as far as both of them are."""
    if one is None:
        return other
    if (one.title, one.edits) != (other.title, other.edits):
        return None
    return one if one.applicability is Applicability.UNSAFE else other

"""What fixes make of the hazards on a page: the fixed code is quiet, and JAX takes it."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jaxlint.apply.rounds import settled
from jaxlint.apply.text import is_fixable
from jaxlint.base.finding import Finding
from jaxlint.results.report import is_python
from jaxlint.rule import Rule
from jaxlint.testing.lint import lint
from jaxlint.testing.pages import Example


@dataclass(frozen=True, slots=True)
class FixedExample:
    """A hazard after all fixes: the program, what they were for, whose were taken back, and what
    is still found."""

    hazard: Example
    program: str
    fixed: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left of the hazards that are marked."""
        marked = {marker.rule for marker in self.hazard.markers if marker.is_reported}
        return marked.isdisjoint(finding.name for finding in self.after)

    @property
    def is_comparable(self) -> bool:
        """Whether the hazard ends with an expression, whose value the fixed code has too."""
        return isinstance(ast.parse(self.hazard.program).body[-1], ast.Expr)

    def as_fix(self) -> Example:
        """The program as a page would show it as the fix of the hazard."""
        _, _, code = self.program.partition("\n")
        return replace(self.hazard, line=1, code=f"\n{code}", markers=(), is_fixed=True)

    def wrong(self) -> list[str]:
        """What must not be so of any fixed code, in words."""
        found = [f"the fix of {one.name} has to be taken back" for one in self.refused]
        if not is_python(self.program):
            found.append("the fixed code is not Python")
        if any(is_fixable(finding) for finding in self.after):
            found.append("fixing it once more changes it again")
        names = Counter(finding.name for finding in self.before)
        names.subtract(finding.name for finding in self.fixed)
        for name, count in Counter(finding.name for finding in self.after).items():
            if count > max(0, names[name]):
                found.append(f"the fixed code has {name}, which the hazard has not")
        lost = _comments(self.hazard.program) - _comments(self.program)
        found += [f"the comment {comment!r} is lost" for comment in lost]
        return [f"{text}:\n{self.as_fix().code.strip()}" for text in found]


def fixed_example(hazard: Example, rules: Iterable[Rule]) -> FixedExample:
    """A hazard after all fixes of these rules, unsafe ones included. Rules that have to be asked
    for are left out, but for the one of the page: they may be about what a fix is for."""
    rules = [rule for rule in rules if rule.default or rule.name == hazard.rule]

    def check(program: str) -> list[Finding]:
        return lint(program, hazard.path, rules)

    one = settled(hazard.program, check, is_fixable)
    before = check(hazard.program)
    return FixedExample(hazard, one.text, one.findings, one.refused, tuple(before), one.left)


def _comments(program: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(program).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)

"""Runs rules over one program as the session does, without settings and suppressions."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.base.dataclass import replace
from jaxlint.base.errors import JaxlintError
from jaxlint.base.finding import Finding
from jaxlint.base.text import Span
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.analyse import analyse, reveal
from jaxlint.engine.queries.plugin_checks import adapted
from jaxlint.registry.index import Index
from jaxlint.rule import Rule
from jaxlint.session.fixes import Fixes
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse


def module_of(program: str, path: str) -> ir.Module:
    """The program as the engine sees it. Raises JaxlintError for a syntax error."""
    module = parse(program, path)
    if not isinstance(module, ir.Module):
        raise JaxlintError(f"{path}: not Python: {module}")
    return module


def lint(program: str, path: str, rules: Iterable[Rule]) -> list[Finding]:
    """The findings in a program, in order, each once."""
    known = list(rules)
    index, fixes = Index(known), Fixes()
    checks = dict.fromkeys(check for rule in known for check in rule.detects)
    found = []
    for fact in analyse(module_of(program, path), Context(checks=tuple(map(adapted, checks)))):
        for rule, check in index.checks(type(fact)):
            for finding in check(fact):
                fixes.add(_key(finding), rule, fact)
                found.append((finding, fact.subjects()))
    spoken = index.spoken((finding.code, subjects) for finding, subjects in found)
    shown = {
        replace(finding, fix=fixes.fix(_key(finding)))
        for finding, subjects in found
        if subjects.isdisjoint(spoken.get(finding.code, ()))
    }
    return sorted(shown, key=Finding.sort_key)


def _key(finding: Finding) -> tuple[str, Span, str]:
    return finding.filename, finding.span, finding.code


def reveals(program: str, path: str) -> dict[int, str]:
    """What the engine says at each `reveal(...)` that traced code reaches, by line."""
    module = module_of(program, path)
    found: dict[int, set[str]] = {}
    for call, what in reveal(module):
        found.setdefault(module.locate(call).line, set()).add(what)
    return {line: what.pop() if len(what) == 1 else "mixed" for line, what in found.items()}

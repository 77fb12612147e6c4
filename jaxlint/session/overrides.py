"""What settings make of findings: rules that say nothing in some files, other severities, and
which fixes are wanted."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Applicability, Confidence, Finding, Severity
from jaxlint.registry.registry import Registry
from jaxlint.settings import Settings
from jaxlint.settings.globs import covers


class Overrides:
    """The overrides of some settings.

    Raises UnknownRuleError or SettingsError for a selector that names no rule.
    """

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self._ignores = tuple(
            (one, registry.named(one.selectors, one.origin)) for one in settings.file_ignores
        )
        self._severities: dict[str, Severity] = {}
        weights: dict[str, int] = {}
        for override in settings.severities:
            for code, weight in registry.weights(override.selector, override.origin).items():
                if weight >= weights.get(code, 0):
                    weights[code] = weight
                    self._severities[code] = override.severity
        self._known: dict[str, frozenset[str]] = {}
        self._fixes: dict[str, dict[str, int]] = {}
        for choice in settings.fixes:
            weights = self._fixes.setdefault(choice.word, {})
            for selector in choice.selectors:
                for code, weight in registry.weights(selector, choice.origin).items():
                    weights[code] = max(weight, weights.get(code, -1))

    def ignored(self, path: str) -> frozenset[str]:
        """The codes of which nothing is said in a file."""
        known = self._known.get(path)
        if known is None:
            found = (codes for one, codes in self._ignores if covers(one.pattern, one.base, path))
            known = self._known[path] = frozenset[str]().union(*found)
        return known

    def applied(self, findings: Iterable[Finding], path: str) -> tuple[Finding, ...]:
        """The findings in a file that are to be shown, with the severities that are wanted."""
        ignored = self.ignored(path)
        return tuple(self._fixable(self.severe(it)) for it in findings if it.code not in ignored)

    def _fixable(self, finding: Finding) -> Finding:
        """A finding with its fix if that is wanted, and as safe as it is said to be."""
        if finding.fix is None or not self._fixes:
            return finding
        fixable, unfixable, safe, unsafe = (
            self._fixes.get(word, {}).get(finding.code, -1)
            for word in ("fixable", "unfixable", "safe", "unsafe")
        )
        if unfixable >= max(fixable, 0) or ("fixable" in self._fixes and fixable < 0):
            return replace(finding, fix=None)
        if safe == unsafe:
            return finding
        applicability = Applicability.SAFE if safe > unsafe else Applicability.UNSAFE
        return replace(finding, fix=replace(finding.fix, applicability=applicability))

    def severe(self, finding: Finding) -> Finding:
        """A finding with the severity that is wanted. What is a guess is never an error."""
        severity = self._severities.get(finding.code, finding.severity)
        if severity is Severity.ERROR and finding.confidence is Confidence.LOW:
            severity = Severity.WARNING
        return finding if severity is finding.severity else replace(finding, severity=severity)

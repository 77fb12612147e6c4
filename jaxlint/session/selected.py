"""Which rules and codes of jaxlint itself are on, and what the settings make of their findings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from jaxlint.base.own_codes import INCOMPLETE_ANALYSIS, Meta
from jaxlint.registry.loading import load_registry
from jaxlint.results.report import own_finding

if TYPE_CHECKING:
    from jaxlint.base.finding import Finding
    from jaxlint.facts.check import Check
    from jaxlint.registry.index import Index
    from jaxlint.registry.registry import Registry
    from jaxlint.session.overrides import Overrides
    from jaxlint.settings import Settings


class Selected:
    """The rules that some settings select. Raises UnknownRuleError or SettingsError for a selector
    that names no rule."""

    def __init__(self, settings: Settings, given: Registry | None) -> None:
        self.settings = settings
        self.given = given
        if settings.names_rules:
            _ = self.codes
        _ = self.overrides

    @property
    def registry(self) -> Registry:
        """All rules."""
        return self.given or load_registry()

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the rules that are on."""
        return self.registry.resolve(self.settings.selections)

    @cached_property
    def index(self) -> Index:
        """The checks of the rules that are on, by kind of fact."""
        return self.registry.index(self.codes, self.registry.chosen(self.settings.selections))

    @cached_property
    def detections(self) -> tuple[Check, ...]:
        """The checks that the rules that are on bring themselves."""
        rules = (rule for rule in self.registry.rules if rule.code in self.codes)
        return tuple(dict.fromkeys(check for rule in rules for check in rule.detects))

    @cached_property
    def overrides(self) -> Overrides | None:
        """The overrides of findings by the settings, None where there are none."""
        settings = self.settings
        if not (settings.file_ignores or settings.severities or settings.fixes):
            return None
        from jaxlint.session.overrides import Overrides

        return Overrides(settings, self.registry)

    @cached_property
    def needs_tracing(self) -> bool:
        """Whether anything that is on has to do with tracing."""
        return bool(self.index) or self.settings.asks_for(INCOMPLETE_ANALYSIS)

    def ignored(self, path: str) -> frozenset[str]:
        """The codes that the settings turn off in a file."""
        return frozenset() if self.overrides is None else self.overrides.ignored(path)

    def is_on(self, meta: Meta, path: str) -> bool:
        """Whether one of jaxlint's own codes is on in a file."""
        if meta.code in self.ignored(path):
            return False
        return meta.code in self.codes if self.settings.names_rules else meta.default

    def own_finding(self, meta: Meta, path: str, *words: Any) -> Finding:
        """A finding of one of jaxlint's own codes."""
        finding = own_finding(meta, path, *words)
        return finding if self.overrides is None else self.overrides.severe(finding)

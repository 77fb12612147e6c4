"""The errors jaxlint raises on purpose."""

from __future__ import annotations


class JaxlintError(Exception):
    """Base of every error that jaxlint raises for a reason the user can act on."""


class UnknownRuleError(JaxlintError):
    """A selector names no rule code, code prefix or rule name."""

    def __init__(self, selector: str, suggestion: str | None = None) -> None:
        hint = f"; did you mean {suggestion!r}?" if suggestion else ""
        super().__init__(f"unknown rule or code prefix {selector!r}{hint}")
        self.selector = selector


class SettingsError(JaxlintError):
    """A configuration value cannot be used."""


class ClusterError(JaxlintError):
    """A Dask cluster that was asked for cannot be used."""


class PlaceError(JaxlintError):
    """There is nothing to ask about at a place."""

"""The rules that pages are about, by name."""

from __future__ import annotations

from functools import cache

from jaxlint.registry import rules_in
from jaxlint.rule import Rule
from jaxlint.session import load_registry


@cache
def builtin_rules() -> dict[str, Rule]:
    """The rules that come with jaxlint, by name."""
    return {rule.name: rule for rule in rules_in("jaxlint.rules")}


@cache
def known_rules() -> dict[str, Rule]:
    """The rules that come with jaxlint and those of the plugins that are installed, by name."""
    return {rule.name: rule for rule in load_registry().rules}

"""Which facts each rule wants, and which rules are silent where others speak."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.base.text import Span
from jaxlint.facts import Fact
from jaxlint.rule import Check, Rule

Subjects = frozenset[tuple[str, Span]]


class Index:
    """The checks for each kind of fact, those for its base kinds included; and which rules are
    silent where others speak. `chosen` are the codes of which minor findings are reported too."""

    def __init__(self, rules: Iterable[Rule], chosen: frozenset[str] = frozenset()) -> None:
        self.chosen = chosen
        self._over: dict[str, tuple[str, ...]] = {}
        self._direct: dict[type[Fact], list[tuple[Rule, Check]]] = {}
        self._full: dict[type[Fact], tuple[tuple[Rule, Check], ...]] = {}
        for rule in rules:
            if rule.over:
                self._over[rule.code] = rule.over
            for kind, check in rule.checks:
                self._direct.setdefault(kind, []).append((rule, check))

    def __bool__(self) -> bool:
        return bool(self._direct)

    def checks(self, kind: type[Fact]) -> tuple[tuple[Rule, Check], ...]:
        """The rules that want facts of this kind, with the function to call."""
        found = self._full.get(kind)
        if found is None:
            found = tuple(pair for base in kind.__mro__ for pair in self._direct.get(base, ()))
            self._full[kind] = found
        return found

    def spoken(self, said: Iterable[tuple[str, Subjects]]) -> dict[str, Subjects]:
        """The subjects about which a rule is silent because of these findings, by the code of that
        rule. Findings are given by their codes and subjects."""
        found: dict[str, set[tuple[str, Span]]] = {}
        for code, subjects in said if self._over else ():
            for other in self._over.get(code, ()):
                found.setdefault(other, set()).update(subjects)
        return {code: frozenset(subjects) for code, subjects in found.items()}

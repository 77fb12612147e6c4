"""Which rules there are, how users select them, and which facts each of them wants."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType

from jaxlint.base.errors import JaxlintError, SettingsError, UnknownRuleError
from jaxlint.base.own_codes import METAS, Meta
from jaxlint.base.wording import nearest
from jaxlint.knowledge import models
from jaxlint.registry.index import Index
from jaxlint.rule import Rule
from jaxlint.settings import Selection

_CODE = re.compile(r"[A-Z]{1,3}[0-9]{3}")


class Registry:
    """Rules and our own codes, sorted by code.

    `warnings` tells of plugins that could not be used.
    """

    def __init__(self, rules: Iterable[Rule], warnings: Sequence[str] = ()) -> None:
        self.rules: tuple[Rule, ...] = ()
        self.entries: tuple[Rule | Meta, ...] = METAS
        self.warnings = list(warnings)
        self.add(rules)

    def add(self, rules: Iterable[Rule]) -> None:
        """Adds rules, all or none.

        Raises JaxlintError for a malformed code and for a code or name that is taken.
        """
        added = list(rules)
        taken = {entry.code for entry in self.entries} | {entry.name for entry in self.entries}
        for rule in added:
            if not _CODE.fullmatch(rule.code):
                raise JaxlintError(f"{rule.code!r} is not up to three capitals and three digits")
            for word in (rule.code, rule.name):
                if word in taken:
                    raise JaxlintError(f"two rules are called {word}")
                taken.add(word)
        self.rules = tuple(sorted([*self.rules, *added], key=lambda rule: rule.code))
        self.entries = tuple(sorted([*self.rules, *METAS], key=lambda entry: entry.code))

    def find(self, word: str) -> Rule | Meta:
        """The rule with this code or name. Raises UnknownRuleError."""
        for entry in self.entries:
            if word in (entry.code, entry.name):
                return entry
        raise self._unknown(word)

    def selects(self, selector: str) -> bool:
        """Whether a selector names anything here."""
        return any(_matches(selector, entry) for entry in self.entries)

    def resolve(self, selections: Iterable[Selection]) -> frozenset[str]:
        """The codes that are on.

        Without a word from the user these are the rules that are on by default. Within one
        selection the longer code prefix wins, a full code or a name is longest, and ignoring
        wins a tie. Raises UnknownRuleError, or SettingsError for a selector in a file.
        """
        defaults = {entry.code for entry in self.entries if entry.default}
        return self._selected(selections, defaults)

    def chosen(self, selections: Iterable[Selection]) -> frozenset[str]:
        """The codes that the user has selected, by a code, a prefix of one, a name or `ALL`: of
        these, minor findings are reported too. Raises as `resolve`."""
        return self._selected(selections, set())

    def _selected(self, selections: Iterable[Selection], active: set[str]) -> frozenset[str]:
        metas = {meta.code for meta in METAS}
        for layer in selections:
            weights: dict[str, tuple[int, bool]] = {}
            words = [(word, True) for word in (*(layer.select or ()), *layer.extend_select)]
            words += [(word, False) for word in layer.ignore]
            for word, wanted in words:
                for entry in self._named(word, layer.origin):
                    weight = (_specificity(word, entry), not wanted)
                    weights[entry.code] = max(weight, weights.get(entry.code, weight))
            if layer.select is not None:
                active &= metas
            for code, (_, ignored) in weights.items():
                (active.discard if ignored else active.add)(code)
        return frozenset(active)

    def named(self, selectors: Iterable[str], origin: str = "") -> frozenset[str]:
        """The codes that any of these selectors names. Raises UnknownRuleError, or SettingsError
        for a selector in a file."""
        return frozenset(it.code for word in selectors for it in self._named(word, origin))

    def weights(self, selector: str, origin: str = "") -> dict[str, int]:
        """The codes that a selector names, and how specific it is for each. Raises as `named`."""
        return {it.code: _specificity(selector, it) for it in self._named(selector, origin)}

    def index(self, codes: frozenset[str], chosen: frozenset[str] = frozenset()) -> Index:
        """What the rules of these codes want to see."""
        return Index((rule for rule in self.rules if rule.code in codes), chosen)

    def _named(self, word: str, origin: str) -> list[Rule | Meta]:
        found = [entry for entry in self.entries if _matches(word, entry)]
        if not found:
            error = self._unknown(word)
            if not origin:
                raise error
            from jaxlint.settings.places import located

            raise SettingsError(f"{located(origin, word)}: {error}")
        return found

    def close_to(self, word: str) -> str:
        """The code or name that is most like a word, empty if none is like it."""
        words = {entry.code.lower(): entry.code for entry in self.entries}
        words |= {entry.name: entry.name for entry in self.entries}
        return words.get(nearest(word.lower(), sorted(words)), "")

    def _unknown(self, word: str) -> UnknownRuleError:
        return UnknownRuleError(word, self.close_to(word))


def rules_in(package: str) -> list[Rule]:
    """The rules of a package: the `rule` of each module whose name has no leading underscore.

    Raises whatever importing the package raises, and JaxlintError for a module without one.
    """
    found: list[Rule] = []
    for module in _modules(package):
        rule = getattr(module, "rule", None)
        if not isinstance(rule, Rule):
            raise JaxlintError(f"{module.__name__} has no `rule`")
        found.append(rule)
    return found


def install_models(package: str) -> None:
    """Installs the models of a package, all or none: the `model` of each of its modules.

    Raises whatever importing the package raises, and JaxlintError for a module without a model
    and for a model that cannot be used.
    """
    found: list[models.Model] = []
    for module in _modules(package):
        model = getattr(module, "model", None)
        if not isinstance(model, models.Model):
            raise JaxlintError(f"{module.__name__} has no `model`")
        if objection := models.objection(model):
            raise JaxlintError(f"{module.__name__}: {objection}")
        if models.is_installed(model.library) or model.library in {it.library for it in found}:
            raise JaxlintError(f"{module.__name__}: there is another model of {model.library}")
        found.append(model)
    for model in found:
        models.install(model)


def _modules(package: str) -> Iterator[ModuleType]:
    """The modules of a package whose names have no leading underscore."""
    root = importlib.import_module(package)
    for module in pkgutil.iter_modules(root.__path__, package + "."):
        if not module.name.rpartition(".")[2].startswith("_"):
            yield importlib.import_module(module.name)


def _matches(selector: str, entry: Rule | Meta) -> bool:
    if selector in ("ALL", entry.name):
        return True
    return bool(selector) and entry.code.startswith(selector)


def _specificity(selector: str, entry: Rule | Meta) -> int:
    """The length of a code prefix; a whole code and a name are alike, and `ALL` is shortest."""
    if selector in (entry.code, entry.name):
        return len(entry.code)
    return 0 if selector == "ALL" else len(selector)

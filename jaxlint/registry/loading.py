"""Loads the rules that there are: built-in ones, and those of plugins."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from jaxlint.base.runtime.crash import Crash, attempt
from jaxlint.base.runtime.import_path import admit
from jaxlint.project.plugins import MODELS, RULES, offered

if TYPE_CHECKING:
    from jaxlint.registry.registry import Registry


@cache
def load_registry() -> Registry:
    """The built-in rules and those of plugins; models of libraries that plugins bring count from
    here on.

    An entry point of the group `jaxlint.rules` names a package of rule modules, one of
    `jaxlint.models` a package of models. One that cannot be used becomes a warning of the registry.
    """
    from jaxlint.registry.registry import Registry, install_models, rules_in

    registry = Registry(rules_in("jaxlint.rules"))
    _load(registry, RULES, "rule", lambda package: registry.add(rules_in(package)))
    _load(registry, MODELS, "model", install_models)
    return registry


def _load(registry: Registry, group: str, kind: str, use: Callable[[str], None]) -> None:
    for plugin in offered(group):
        admit(plugin.value)
        outcome = attempt(partial(use, plugin.value))
        if isinstance(outcome, Crash):
            message = f"{kind} plugin {plugin.name!r} is left out: {outcome.message}"
            registry.warnings.append(message)

"""Makes settings of what files and options say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from jaxlint.base.errors import SettingsError
from jaxlint.base.finding import Confidence, Severity
from jaxlint.base.wording import nearest, suggestion
from jaxlint.project.ignore import Exclude
from jaxlint.settings.globs import objection
from jaxlint.settings.keys import BY_NAME
from jaxlint.settings.kinds import flat
from jaxlint.settings.model import (
    FileIgnore,
    FixChoice,
    Patterns,
    RunSettings,
    Selection,
    Settings,
    SeverityOverride,
    VerifySettings,
)
from jaxlint.settings.read import Layer, within_project

# Something said, and where.
Said = tuple[Layer, Any]


class Layers:
    """What is said in several places, those that count more later."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = tuple(layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._layers)

    def said(self, name: str) -> list[Said]:
        """What counts of what is said of a key: all of it, or the last."""
        key = BY_NAME[name]
        found = [(layer, layer.values[name]) for layer in self._layers if name in layer.values]
        return found if key.adds or key.merges else found[-1:]

    def value(self, name: str) -> Any:
        """The value of a key that counts alone."""
        said = self.said(name)
        return said[-1][1] if said else BY_NAME[name].default

    def merged(self, name: str) -> dict[str, Said]:
        """The pairs of a table to which each place adds; the later counts."""
        found: dict[str, Said] = {}
        for layer, table in self.said(name):
            found |= {key: (layer, value) for key, value in flat_or_same(name, table).items()}
        return found


def flat_or_same(name: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """A table of dotted names with each name whole; another table as it is."""
    return flat(table) if name in ("models", "transforms") and table else table


def settings_of(layers: Layers) -> Settings:
    """The settings that several places give together. Raises SettingsError."""
    base = [layer.base for layer in layers if layer.path]
    return Settings(
        selections=tuple(_selections(layers)),
        exclude=tuple(_patterns(layers)),
        base=base[-1] if base else "",
        target_jax=layers.value("target-jax"),
        verify=_verification(layers),
        min_confidence=Confidence(layers.value("min-confidence")),
        transforms=_stands_for(layers),
        src=tuple(
            os.path.join(layer.base, one) for layer, them in layers.said("src") for one in them
        ),
        framework_methods=layers.value("framework-methods"),
        baseline=path_of(layers, "baseline"),
        file_ignores=tuple(_file_ignores(layers)),
        severities=tuple(
            SeverityOverride(selector, Severity(value), layer.origin)
            for selector, (layer, value) in layers.merged("severity").items()
        ),
        fixes=tuple(_fixes(layers)),
        run=RunSettings(
            layers.value("output-format"),
            path_of(layers, "cache-dir"),
            layers.value("force-exclude"),
            layers.value("respect-gitignore"),
            markdown=layers.value("markdown"),
            fix=layers.value("fix"),
            unsafe_fixes=layers.value("unsafe-fixes"),
        ),
    )


def _selections(layers: Layers) -> Iterator[Selection]:
    for layer in layers:
        select, *others = (layer.values.get(it) for it in ("select", "ignore", "extend-select"))
        ignore, extend = (tuple(them or ()) for them in others)
        if select is not None or ignore or extend:
            yield Selection(None if select is None else tuple(select), ignore, extend, layer.origin)


def _patterns(layers: Layers) -> Iterator[Patterns]:
    for name in ("exclude", "extend-exclude"):
        for layer, patterns in layers.said(name):
            for pattern in filter(_may_mean_nothing, patterns):
                try:
                    Exclude([pattern])
                except SettingsError:
                    where = layer.named(name)
                    raise SettingsError(f"{where}: {pattern!r} is no pattern of git's") from None
            if patterns:
                yield layer.base, tuple(patterns)


def _may_mean_nothing(pattern: str) -> bool:
    # All other patterns mean something, which need not be found out by reading them twice.
    return pattern.startswith("!") or "\\" in pattern


def _file_ignores(layers: Layers) -> Iterator[FileIgnore]:
    for name in ("per-file-ignores", "extend-per-file-ignores"):
        for layer, table in layers.said(name):
            for pattern, selectors in table.items():
                if problem := objection(pattern):
                    where = layer.named(name, pattern)
                    raise SettingsError(f"{where}: {pattern!r} is no pattern: {problem}")
                yield FileIgnore(pattern, tuple(selectors), layer.base, layer.origin)


_FIXES: dict[str, Literal["fixable", "unfixable", "safe", "unsafe"]] = {
    "fixable": "fixable",
    "unfixable": "unfixable",
    "extend-safe-fixes": "safe",
    "extend-unsafe-fixes": "unsafe",
}


def _fixes(layers: Layers) -> Iterator[FixChoice]:
    for name, word in _FIXES.items():
        for layer, selectors in layers.said(name):
            yield FixChoice(word, tuple(selectors), layer.origin)


def path_of(layers: Layers, name: str) -> str:
    """A path, relative to the file that it stands in; empty where there is none. Raises
    SettingsError for one that leads out of the project that the file is of."""
    said = layers.said(name)
    return within_project(*said[-1], name) if said else ""


def _verification(layers: Layers) -> VerifySettings:
    python = layers.value("verify.python") or ""
    if os.path.dirname(python):
        # Only verification uses it, which runs code of the project anyway.
        layer, value = layers.said("verify.python")[-1]
        python = os.path.join(layer.base, os.path.expanduser(value))
    return VerifySettings(
        python,
        tuple((key, value) for key, (_, value) in layers.merged("verify.arguments").items()),
        float(layers.value("verify.timeout")),
        float(layers.value("verify.memory")),
        layers.value("verify.evidence") or "",
    )


def _stands_for(layers: Layers) -> tuple[tuple[str, str], ...]:
    """Pairs of a dotted name and the canonical name of what it stands for."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for name, is_good, complain in (
        ("models", _is_function, _no_function),
        ("transforms", _is_transform, _no_transform),
    ):
        for dotted, (layer, target) in layers.merged(name).items():
            # The tables are much of jaxlint's start-up time.
            from jaxlint.knowledge import lookup

            meant = lookup.canonical(target)
            if is_good(meant):
                found[dotted] = meant
                continue
            where = layer.named(name, dotted)
            problems.append(f"{where}: {dotted} = {target!r}: {complain(target)}")
    if problems:
        raise SettingsError("\n".join(problems))
    return tuple(sorted(found.items()))


def _is_transform(dotted: str) -> bool:
    from jaxlint.knowledge import lookup
    from jaxlint.knowledge.transforms import OPERATORS

    wraps = lookup.wrapper(dotted) is not None or lookup.is_opaque_wrapper(dotted)
    return wraps or dotted in OPERATORS


def _no_transform(target: str) -> str:
    """The complaint about a transform that jaxlint does not know."""
    from jaxlint.knowledge.transforms import OPERATORS, WRAPPERS

    known = sorted({*WRAPPERS, *OPERATORS})
    names = ", ".join(name for name in known if name.startswith("jax."))
    message = f"no transform of this name is known (known are {names} and those of models)"
    return message + suggestion(nearest(target, known))


def _is_function(dotted: str) -> bool:
    from jaxlint.knowledge import lookup

    return lookup.function(dotted) is not None or _is_transform(dotted)


def _no_function(target: str) -> str:
    """The complaint about a function that jaxlint does not know."""
    return f"no function {target!r} is known; name one of JAX or of a library with a model"

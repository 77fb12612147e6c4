"""What JAX says of a generated program: it runs, in all the ways the explorer finds."""

from __future__ import annotations

import builtins
import functools
import os
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

from contract import Effect, Label, Labels, Program, Site
from dry import current_trace, uncompiled
from holding import kind_of
from keeping import caches_kept, learn, learned
from listening import Listener
from marking import Marked, mark
from watching import Endless, Seen, Watch

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.explore import explore
from jaxlint.verify.child.observing.places import Place, UserFiles
from jaxlint.verify.child.observing.sites import Found

RUNS = 48
"""How often a program runs at most."""

SECONDS = 60.0
"""How long a program runs at most. Other limits end it sooner, for the labels to be the same."""


def label(program: Program, folder: str | os.PathLike[str]) -> Labels:
    """The labels of a program, whose source is written to a folder."""
    learn(_start())
    return _label(program, folder)


@functools.cache
def _start() -> tuple[Any, Any]:
    """What the explorer learns from the simplest program: that errors pass this module."""
    learn(({}, set()))
    with tempfile.TemporaryDirectory() as folder:
        _label(Program(-1, "import jax\njax.vmap(bool)(jax.numpy.ones(1))\n"), folder)
    return learned()


def _label(program: Program, folder: str | os.PathLike[str]) -> Labels:
    path = str(Path(folder).resolve() / f"program_{program.seed}.py")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(program.source)
    marked = mark(program.source, path)
    seen = Seen([{} for _ in marked.spots])
    stage = _Stage(marked, seen)
    with warnings.catch_warnings(), caches_kept(), uncompiled(path), stage.listener.patched():
        warnings.simplefilter("ignore")
        found = explore(stage, UserFiles([path]), runs=RUNS, seconds=SECONDS)
    return _labels(marked, seen, found, endless=stage.endless)


class _Stage:
    """One run of the module, each time it is called."""

    def __init__(self, marked: Marked, seen: Seen) -> None:
        self._marked = marked
        self._seen = seen
        self._path = marked.code.co_filename
        self.listener = Listener(self._path, self._report)
        self.endless = False

    def __call__(self) -> None:
        name = Path(self._path).stem
        module = types.ModuleType(name)
        module.__dict__["__file__"] = self._path
        module.__dict__["__builtins__"] = {**vars(builtins), **self.listener.builtins()}
        Watch(self._marked, self._seen, module)
        self.listener.begin()
        sys.modules[name] = module
        try:
            exec(self._marked.code, vars(module))
        except Endless:
            self.endless = True
        finally:
            sys.modules.pop(name, None)

    def _report(self, kind: str, line: int) -> None:
        """Note an effect of a call, if it happens under trace."""
        if current_trace() is not None:
            start = self._marked.lines.get(line, line)
            self._seen.effects.setdefault(Effect(kind, start, internals.staged()))


def _labels(marked: Marked, seen: Seen, found: Found, *, endless: bool) -> Labels:
    spots = marked.spots
    names = {
        Label(spot.function, spot.first, spot.line, name, kind_of(bits))
        for spot, held in zip(spots, seen.names, strict=True)
        for name, bits in held.items()
    }
    return Labels(
        sites=tuple(
            _site(site.kind, site.place, guarded=sighting.guarded)
            for site, sighting in found.sites.items()
        ),
        names=tuple(sorted(names, key=lambda each: (each.first, each.line, each.name))),
        effects=tuple(seen.effects),
        executed=frozenset(spots[index].line for index in seen.executed),
        endings=tuple(dict.fromkeys(filter(None, found.endings))),
        exhausted=found.exhausted or endless,
        loops=tuple(_site(site.kind, site.place, guarded=False) for site in found.loops),
    )


def _site(kind: str, place: Place, *, guarded: bool) -> Site:
    """A site of the contract. Python 3.10 knows no columns; the line is all there is."""
    end_line = place.end_line if place.end_line is not None else place.line
    end_column = place.end_column or 0
    return Site(kind, place.line, place.column or 0, end_line, end_column, guarded=guarded)

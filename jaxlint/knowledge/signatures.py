"""What arguments the functions of JAX take, and which names its modules have."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.knowledge.functions import MOST_NAMES, canonical
from jaxlint.knowledge.releases import Supported, removal, version_number


@slotted(frozen=True)
class Signature:
    """The parameters of a function: those that take arguments by position, those that take them
    by name, and those without a default. `takes_any` and `takes_names` tell of `*rest` and
    `**options`."""

    by_position: tuple[str, ...]
    by_name: tuple[str, ...]
    required: frozenset[str]
    takes_any: bool = False
    takes_names: bool = False

    def refusal(self, count: int, names: Collection[str], whole: bool) -> tuple[str, str]:
        """Why Python refuses `count` arguments by position and those of these names: the kind of
        the reason and the parameter, both "" where it does not. `whole` tells that there are no
        others."""
        if count > len(self.by_position) and not self.takes_any:
            return "many", str(len(self.by_position))
        for name in names:
            if name not in self.by_name and not self.takes_names:
                return ("by-position" if name in self.by_position else "unknown"), name
            if name in self.by_name and name in self.by_position[:count]:
                return "twice", name
        given = {*names, *self.by_position[:count]}
        needed = (*self.by_position, *self.by_name) if whole else ()
        missing = [name for name in needed if name in self.required and name not in given]
        return ("missing", missing[0]) if missing else ("", "")


def parsed(words: str) -> Signature:
    """The signature that a row stands for: `=` marks defaults, `/`, `*` and `**` are Python's."""
    first: list[str] = []
    named: list[str] = []
    required = set()
    takes_any = takes_names = keywords = False
    for word in words.split():
        name = word.rstrip("=")
        if word == "/":
            named = []
        elif word.startswith("**"):
            takes_names = True
        elif word.startswith("*"):
            keywords, takes_any = True, len(word) > 1
        else:
            named.append(name)
            first += [] if keywords else [name]
            required |= set() if word.endswith("=") else {name}
    return Signature(tuple(first), tuple(named), frozenset(required), takes_any, takes_names)


def _rows(name: str) -> dict[str, Any]:
    # Imported at the first question, to keep start-up fast.
    table: dict[str, Any] = import_module(f"jaxlint.knowledge.tables.{name}").TABLE
    return table


@cache
def _observed() -> tuple[str, ...]:
    """The versions of JAX that the tables record, the oldest first."""
    return tuple(sorted(_rows("versions"), key=version_number))


def _as_of(version: str, table: str, key: str) -> str:
    """A row as it is in a version, "" where there is none."""
    other = _rows("versions")[version].get(table, {})
    found = other[key] if key in other else _rows(table).get(key)
    return found or ""


def _meant(newest: Supported) -> tuple[str, ...]:
    """The recorded versions from the last that a project is for on: what came between two of
    them, and went again, is not known."""
    versions = _observed()
    reached = [at for at, version in enumerate(versions) if newest.reaches(version)]
    return versions[reached[-1] if reached else 0 :]


@cache
def _spellings() -> dict[str, tuple[str, ...]]:
    """The public names of each function, by the canonical one."""
    found: dict[str, tuple[str, ...]] = {}
    listed = {name for one in _rows("versions").values() for name in one.get("signatures", ())}
    for dotted in sorted({*_rows("signatures"), *listed}):
        name = canonical(dotted)
        found[name] = (*found.get(name, ()), dotted)
    return found


@lru_cache(maxsize=MOST_NAMES)
def signatures(dotted: str, newest: Supported) -> tuple[Signature, ...]:
    """The signatures that a function of this canonical name has in the versions of JAX that may
    be meant, the oldest first; none where it is not known in one of them. Functions of libraries
    on top of JAX have the one of the release that the tables record."""
    if not dotted.startswith("jax."):
        words = _rows("library_signatures").get(dotted)
        return () if words is None else (parsed(words),)
    found: list[str] = []
    for version in _meant(newest):
        rows = [_as_of(version, "signatures", one) for one in _spellings().get(dotted, ())]
        if not any(rows):
            return ()
        found += [row for row in rows if row and row not in found]
    return tuple(map(parsed, found))


# Libraries on top of JAX whose functions the tables record.
RECORDED = ("flax.training.train_state.", "optax.")


def _names(version: str, module: str) -> Iterator[str]:
    yield from _as_of(version, "names", module).split()


@cache
def _names_of(module: str) -> frozenset[str]:
    """All names that a module has in a recorded version."""
    return frozenset(name for version in _observed() for name in _names(version, module))


def is_unheard_of(dotted: str, newest: Supported) -> bool:
    """Whether a module of JAX never had that name, as far as the tables and the newest JAX of a
    project reach."""
    module, _, name = dotted.rpartition(".")
    names = _names_of(module)
    if not names or name in names or name.startswith("_") or removal(dotted) is not None:
        return False
    last = _observed()[-1]
    return newest.newest == "" or not newest.reaches(last) or newest.newest == last

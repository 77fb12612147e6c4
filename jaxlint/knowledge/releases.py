"""Since when, and until when, JAX has a public name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Release:
    """The releases in which a name came, began to warn, and went; "" for those that did not.

    A name without `since` is at least as old as the oldest JAX that is supported.
    """

    since: str = ""
    deprecated: str = ""
    removed: str = ""


_ALWAYS = Release()


@cache
def release(dotted: str) -> Release:
    """When a public name of JAX came and went."""
    # Imported at the first question, to keep start-up fast.
    row = import_module("jaxlint.knowledge.tables.releases").TABLE.get(dotted)
    return _ALWAYS if row is None else Release(*row)


def version_number(version: str) -> tuple[int, ...]:
    """A version as numbers, for comparison."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def available(dotted: str, version: str) -> bool:
    """Whether a name that the tables know is there in a release, perhaps with a warning."""
    found, asked = release(dotted), version_number(version)
    came = not found.since or version_number(found.since) <= asked
    return came and not (found.removed and version_number(found.removed) <= asked)

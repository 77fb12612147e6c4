"""Places where a function asks tracers for their values, and what an exploration tells of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.verify.child.observing.places import Place


@dataclass(frozen=True)
class Site:
    """A place that needs the value of a tracer, and how it asks for it.

    Kinds: bool int index float complex array item tolist hash format mask slice shape iter.
    "shape" is whatever JAX itself asks for beneath the place: sizes, lengths, indices.
    """

    kind: str
    place: Place


@dataclass(frozen=True)
class Sighting:
    """How a site was met first.

    `after` are the earlier sites that were stepped over in that run. `guarded` tells that the
    program, or a library, handles the error. `error` and `message` are what JAX raises there.
    """

    after: tuple[Site, ...] = ()
    guarded: bool = False
    error: str = ""
    message: str = ""


@dataclass
class Found:
    """What an exploration found.

    `first` is the site that stops the function without any stepping over. `loops` holds places
    that iterate over a tracer, with the number of steps. `endings` has one entry for each run,
    empty if it came to the end of the function. `exhausted` tells that a limit cut it short.
    """

    sites: dict[Site, Sighting] = field(default_factory=dict)
    loops: dict[Site, int] = field(default_factory=dict)
    first: Site | None = None
    runs: int = 0
    exhausted: bool = False
    endings: list[str] = field(default_factory=list)


def sighting_of(error: BaseException, after: tuple[Site, ...], guarded: bool) -> Sighting:
    lines = str(error).strip().splitlines()
    return Sighting(after, guarded, type(error).__name__, lines[0] if lines else "")


def kind_of(error: BaseException) -> str:
    """The kind of conversion that an error of JAX speaks of."""
    name = type(error).__name__
    for part, kind in (("Bool", "bool"), ("Integer", "index"), ("Array", "array")):
        if part in name and "BooleanIndex" not in name:
            return kind
    return "mask" if "BooleanIndex" in name else "shape"

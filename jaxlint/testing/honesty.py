"""How far each rule is proved: what its pages promise of the linter and of real JAX, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from jaxlint.testing.pages import Page


@dataclass(frozen=True, slots=True)
class Figures:
    """What the examples about one rule hold.

    `proved` hazards are reported, and real JAX shows them; `unproved` ones are reported, but
    cannot be run. `missed` ones JAX shows and the linter does not, and `false_alarms` are the other
    way round: both are known gaps. Look-alikes are programs in which the linter must find nothing
    and JAX no harm.
    """

    proved: int = 0
    unproved: int = 0
    missed: int = 0
    false_alarms: int = 0
    look_alikes: int = 0


def figures(pages: Iterable[Page]) -> dict[str, Figures]:
    """The figures of each rule that a page is about or that a marker names."""
    counts: dict[str, Counter[str]] = {}
    for page in pages:
        own = counts.setdefault(page.rule, Counter())
        for example in page.examples:
            own["look_alikes"] += example.is_look_alike and not example.markers
            for marker in example.markers:
                kind = "unproved" if example.no_jax else "proved"
                if marker.kind != "error":
                    kind = "missed" if marker.is_hazard else "false_alarms"
                counts.setdefault(marker.rule, Counter())[kind] += 1
    return {rule: Figures(**count) for rule, count in sorted(counts.items())}

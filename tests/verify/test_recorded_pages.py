"""What the pages promise of real JAX, the verifier does not deny: no hazard is refuted, and none is
shown where a page has a look-alike.

A sample here; all of them with `JAXLINT_LONG_TAIL`, or by `python tests/verify/recorded_pages.py`.
"""

from __future__ import annotations

import os

import pytest
import recorded_pages

pytestmark = [
    pytest.mark.jax,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="studies need fork"),
]
IS_WHOLE = bool(os.environ.get("JAXLINT_LONG_TAIL"))
STEP = 1 if IS_WHOLE else 16
KNOWN = ("JAX110", "JAX503", "JAX606", "JAX618")
"""Rules whose hazards were refuted once."""
UNDONE = ("JAX105", "JAX106", "JAX107", "JAX202", "JAX203")
"""Rules with look-alikes that take back what they write, or write to what the trace has made."""


def sample(is_hazard: bool, step: int) -> list[object]:
    found = [each for each in recorded_pages.examples() if each.is_hazard == is_hazard]
    return found[::step]


def test_no_hazard_of_a_page_is_refuted() -> None:
    known = [] if IS_WHOLE else recorded_pages.examples(",".join(KNOWN))
    hazards = [*sample(True, STEP), *[each for each in known if each.is_hazard][::3]]
    result = recorded_pages.measure(hazards, forces=(False,))
    assert [] == result.wrong
    statuses = [status for row in result.rows.values() for status in row.hazards.elements()]
    proved = sum(status in recorded_pages.PROVED for status in statuses)
    # What host code raises by itself runs in no trace that could prove it.
    untraced = (recorded_pages.NO_WITNESS, "eager-only")
    judged = sum(status not in untraced for status in statuses)
    assert proved > judged * 2 / 3


def test_no_look_alike_of_a_page_is_confirmed() -> None:
    known = [] if IS_WHOLE else recorded_pages.examples(",".join(UNDONE))
    healthy = [*sample(False, STEP if IS_WHOLE else 4 * STEP), *known[::3]]
    result = recorded_pages.measure(healthy, forces=(True,))
    assert [] == result.wrong
    assert any(row.look_alikes for row in result.rows.values())

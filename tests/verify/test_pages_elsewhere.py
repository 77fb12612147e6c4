"""Every page on the other versions of JAX that are named, as on the one that is installed.

`JAXLINT_PAGES` lists interpreters with Python 3.11 or later and another JAX, separated as `PATH`
is. With `JAXLINT_LONG_TAIL` the further examples in `tests/rules` are run as well.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jaxlint.base.witness import Expects
from jaxlint.testing.elsewhere import Job, judge_elsewhere
from jaxlint.testing.pages import read_page
from jaxlint.testing.rulebook import builtin_rules

ROOT = Path(__file__).parents[2]
PYTHONS = [*filter(None, os.environ.get("JAXLINT_PAGES", "").split(os.pathsep))]
DIRECTORIES = ("jaxlint/rules", "tests/rules")[: 2 if os.environ.get("JAXLINT_LONG_TAIL") else 1]
PAGES = sorted(
    path
    for directory in DIRECTORIES
    for path in (ROOT / directory).glob("*.*")
    if path.suffix in (".py", ".md") and not path.name.startswith(("_", "README"))
)
PAGES.append(ROOT / "docs" / "semantics.md")
SHARES = 4


def jobs(share: int) -> list[Job]:
    """A part of all examples."""
    found = []
    for path in PAGES[share::SHARES]:
        page = read_page(path, path.stem.replace("_", "-"))
        for example in page.examples:
            hazard = page.hazard_above(example) if example.is_fixed else None
            found.append(Job(example, hazard))
    return found


@pytest.mark.jax
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).parts[-3])
def test_the_pages_hold_on_another_jax(python: str, share: int) -> None:
    witnesses = {name: rule.witness for name, rule in builtin_rules().items()}
    witnesses["semantics"] = Expects()
    judged = judge_elsewhere(python, jobs(share), witnesses)
    assert judged
    assert [] == [text for judgement in judged for text in judgement.wrong]

"""Projects whose hazards show only across modules and through objects: how many are found.

They were written, and proved on JAX, before anybody looked at what the linter says of them, and are
not changed to suit it. `missed.toml` holds what is not found yet, and what is reported beside the
marks. A hazard counts as found if anything is reported on its line.
"""

from __future__ import annotations

import tomllib

import pytest
from far_projects import missed
from projects import FAR_TREES, REACH, Tree
from test_projects import complaints, observed, unproved

LEDGER = tomllib.loads((REACH / "missed.toml").read_text(encoding="utf-8"))
every_far_tree = pytest.mark.parametrize("tree", FAR_TREES, ids=lambda tree: tree.name)


@pytest.mark.jax
@pytest.mark.full
@every_far_tree
def test_real_jax_shows_each_hazard(tree: Tree) -> None:
    runs = observed(tree)
    assert [] == list(complaints(tree, runs))
    entered = {place for run in runs for place in run["ran"]}
    assert {f"{file}:{line}" for file, line in tree.functions} - entered == set()


@every_far_tree
def test_every_hazard_has_a_proof(tree: Tree) -> None:
    assert unproved(tree) == set()


@every_far_tree
def test_what_is_found_stays_found(tree: Tree) -> None:
    known = LEDGER.get(tree.name, {})
    assert (known.get("missed"), known.get("beside")) == missed(tree)

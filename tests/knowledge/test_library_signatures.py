"""The functions of libraries on top of JAX take what the table says, where its releases are
installed."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from jaxlint.knowledge.releases import Supported
from jaxlint.knowledge.signatures import RECORDED, signatures
from jaxlint.knowledge.tables.library_signatures import TABLE, VERSIONS

SCRIPTS = Path(__file__).parents[2] / "scripts"
pytestmark = pytest.mark.jax
for name in VERSIONS:
    pytest.importorskip(name)


def test_the_table_is_what_the_installed_libraries_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    libraries = import_module("knowledge_libraries")
    if libraries.versions() != VERSIONS:
        pytest.skip("other releases are installed")
    assert TABLE == libraries.rows()
    sys.modules.pop("knowledge_libraries")


def test_the_names_of_the_table_are_asked_for() -> None:
    assert all(name.startswith(RECORDED) for name in TABLE)
    (adam,) = signatures("optax.adam", Supported())
    assert ("unknown", "lr") == adam.refusal(0, ["lr"], whole=True)
    (create,) = signatures("flax.training.train_state.TrainState.create", Supported())
    assert ("many", "0") == create.refusal(3, [], whole=True)

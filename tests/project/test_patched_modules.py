"""Functions of a module that a script replaces before it traces what calls them."""

from __future__ import annotations

import pytest

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

LIBRARY = """\
import jax

AXIS = "devices"


def mean(x):
    return jax.lax.pmean(x, AXIS)


parallel = jax.pmap(mean, axis_name=AXIS)
"""
SCRIPT = """\
import jax
import jax.numpy as jnp

from lib import reductions


def run():
    {patch}

    @jax.jit
    def step(x):
        return reductions.mean(x)

    return step(jnp.ones(3))


run()
"""
PATCHES = [
    'setattr(reductions, "mean", lambda x: x)',
    "reductions.mean = lambda x: x",
    "if jax.local_device_count() == 1:\n        setattr(reductions, 'mean', lambda x: x)",
]


def told(patch: str) -> list[str]:
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/reductions.py": LIBRARY}
    files["script.py"] = SCRIPT.replace("{patch}", patch)
    session = Session(files=Memory(files))
    found = [
        one for name in ("lib/reductions.py", "script.py") for one in session.check(name).findings
    ]
    return [one.severity.name for one in found if one.code == "JAX627"]


@pytest.mark.parametrize("patch", PATCHES)
def test_what_is_replaced_is_not_called(patch: str) -> None:
    assert told(patch) == []


def test_what_is_not_replaced_is() -> None:
    assert told("setattr(reductions, 'other', lambda x: x)") == ["ERROR", "ERROR"]

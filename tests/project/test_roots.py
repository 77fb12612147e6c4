"""One cause is one finding, with the calls in other files that lead to it."""

from __future__ import annotations

import itertools
import json

import pytest

from jaxlint.base.finding import Finding
from jaxlint.cache.codec import decode, encode
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

MATHS = "def clip(x, most):\n    if x > most:\n        return most\n    return x\n"
CALLER = "import jax\nimport maths\n\n@jax.jit\ndef step(x):\n    return maths.clip(x, 1.0)\n"
CELLS = ["import jax\nimport maths\n", "jax.jit(maths.clip, static_argnums=1)(2.0, 1.0)\n"]
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "source": [cell], "metadata": {}, "outputs": []} for cell in CELLS
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)
FILES = {
    "pyproject.toml": "",
    "maths.py": MATHS,
    "a.py": CALLER,
    "b.py": "\n" + CALLER,
    "c.ipynb": NOTEBOOK,
    "d.ipynb": NOTEBOOK,
}


def checked(*asked: str, files: dict[str, str] = FILES) -> list[Finding]:
    session = Session(files=Memory(files))
    session.ask(asked)
    return [one for path in asked for one in session.check(path).findings]


def places(finding: Finding) -> list[tuple[str, int, int]]:
    return [(one.filename, one.cell, one.span.line) for one in finding.places]


@pytest.mark.parametrize("asked", list(itertools.permutations(("c.ipynb", "d.ipynb", "maths.py"))))
def test_in_whatever_order_files_are_asked_for(asked: tuple[str, ...]) -> None:
    (found,) = checked(*asked)
    assert ("maths.py", 2) == (found.filename, found.line)
    assert "a.py" in {one.filename for one in found.trail}
    assert [("b.py", 0, 7), ("c.ipynb", 2, 1), ("d.ipynb", 2, 1)] == places(found)


def test_a_module_by_itself_depends_on_no_notebook() -> None:
    (found,) = checked("maths.py")
    assert [("b.py", 0, 7)] == places(found)


def test_the_steps_in_a_notebook_count_in_its_cells() -> None:
    files = {name: FILES[name] for name in ("pyproject.toml", "maths.py", "c.ipynb")}
    (found,) = checked("maths.py", "c.ipynb", files=files)
    assert () == found.places
    assert ("c.ipynb", 2, 1) in {(it.filename, it.cell, it.span.line) for it in found.trail}


def test_a_comment_where_it_happens_suppresses_it_for_all_callers() -> None:
    files = {**FILES, "maths.py": MATHS.replace("most:", "most:  # noqa: JAX301")}
    assert [] == checked("c.ipynb", "maths.py", "a.py", files=files)


def test_callers_alone_are_told_of_their_own_calls() -> None:
    found = checked("a.py", "c.ipynb", "d.ipynb")
    assert ["a.py", "c.ipynb", "d.ipynb"] == [one.filename for one in found]
    assert [(), (), ()] == [one.places for one in found]


def test_the_cache_holds_what_the_places_need() -> None:
    session = Session(files=Memory(FILES))
    session.ask(["c.ipynb", "maths.py"])
    session.check("c.ipynb")
    examined = session.examine(session.files.identity("c.ipynb"))
    assert examined.located == decode(json.loads(json.dumps(encode(examined)))).located


def test_a_call_that_no_reason_speaks_of_is_a_place() -> None:
    slow = "from functools import partial\nimport jax\nimport jax.numpy as jnp\n\n"
    slow += "@partial(jax.jit, static_argnums=1)\ndef settled(x, n):\n"
    slow += "    for _ in range(n):\n        x = jnp.cos(x)\n    return x\n"
    files = {
        "pyproject.toml": "",
        "slow.py": slow,
        "main.py": "import jax.numpy as jnp\nimport slow\n\nslow.settled(jnp.ones(2), 99)\n",
    }
    (found,) = checked("slow.py", "main.py", files=files)
    assert ("slow.py", 7, "JAX701") == (found.filename, found.line, found.code)
    assert [("main.py", 0, 4)] == places(found)

"""The names that are marked in traced code, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.errors import PlaceError
from jaxlint.session.session import Session

SOURCE = """\
import functools
import jax
import jax.numpy as jnp

size = 3


@functools.partial(jax.jit, static_argnames=("axis", "flag"))
def total(x, axis: int, *rest: jax.Array, flag=None, **named):
    _, n = x.shape[0], x.ndim
    state = {"sum": jnp.zeros((2, 3))}
    state["sum"] += 1
    for i in range(n):
        x += i
    mean: jax.Array = (whole := jnp.sum(x)) / 2
    pair = first, second = mean, n
    table = jnp.asarray([1.0])
    if flag:
        table = None
    return [entry for entry in pair], helper(mean), helper(2), table


def helper(value):
    twice = value * 2
    return twice


def host(x):
    y = x + 1
    return total(y, 0, y, flag=True, other=y)


host(jnp.ones((3, 3)))
"""


def shown(path: Path) -> list[str]:
    """The source as far as it is marked, with the marks."""
    lines = path.read_text().splitlines()
    for mark in sorted(Session().marks(str(path)), key=lambda it: it.end, reverse=True):
        line, column = mark.end
        words = f"<{mark.state} {mark.form}".rstrip() + ">"
        lines[line - 1] = lines[line - 1][: column - 1] + words + lines[line - 1][column - 1 :]
    return [line.strip() for line in lines if "<" in line]


def test_names_are_marked_where_traced_code_binds_them(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(SOURCE)
    assert [
        "def total(x<traced float[_, _]>, axis: int<static int>, "
        "*rest: jax.Array<traced tuple>, flag<static bool>=None, **named<traced dict>):",
        "_, n<static int> = x.shape[0], x.ndim",
        'state<traced dict> = {"sum": jnp.zeros((2, 3))}',
        "for i<static int> in range(n):",
        "mean: jax.Array<traced float[]> = (whole<traced float[]> := jnp.sum(x)) / 2",
        "pair<traced tuple> = first<traced float[]>, second<static int> = mean, n",
        "table<traced float[_]> = jnp.asarray([1.0])",
        "table<static None> = None",
        "return [entry for entry<mixed> in pair], helper(mean), helper(2), table",
        "def helper(value<mixed>):",
        "twice<mixed> = value * 2",
    ] == shown(file)


def test_what_leads_there_from_other_files_counts(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("")
    helper = tmp_path / "helper.py"
    helper.write_text("def clip(x, *, low=0):\n    y = x\n    return y\n")
    assert [] == shown(helper)
    caller = tmp_path / "caller.py"
    caller.write_text("import jax\nfrom helper import clip\n\nstep = jax.jit(lambda x: clip(x))\n")
    assert ["def clip(x<traced>, *, low<static int>=0):", "y<traced> = x"] == shown(helper)


def test_a_mark_tells_the_way(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import jax\n\n@jax.jit\ndef f(x):\n    y = x.sum()\n    return y\n")
    x, y = Session().marks(str(file))
    assert ["x", "y"] == [x.name, y.name]
    assert "f" == y.answer.function
    assert [4, 4, 5] == [step.span.line for step in y.answer.trail]


def test_keys_are_called_keys(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import jax\n\n@jax.jit\ndef f(key):\n    left, right = jax.random.split(key)\n"
        "    both = jax.random.split(left)\n    return both, jax.random.normal(right)\n"
    )
    marks = Session().marks(str(file))
    assert ["key", "left key", "right key", "both keys"] == [
        f"{it.name} {it.form}".rstrip() for it in marks
    ]
    assert ["random key"] * 2 + ["array of random keys"] == [it.answer.what for it in marks[1:]]


def test_who_stops_waiting_gets_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import jax\n\n@jax.jit\ndef f(x):\n    y = g(x)\n    return y\n\ndef g(x):\n    return x\n"
    )
    session = Session()
    calls = iter([False, False, True])
    assert ["x"] == [mark.name for mark in session.marks(str(file), lambda: next(calls, True))]
    (subject,) = session.why(str(file), 5, 5, lambda: True).subjects
    assert () == subject.answers
    assert ["x", "y", "x"] == [mark.name for mark in session.marks(str(file))]


def test_what_cannot_be_parsed_has_no_marks(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import jax\ndef (\n")
    with pytest.raises(PlaceError, match=r"a\.py:2:"):
        Session().marks(str(file))

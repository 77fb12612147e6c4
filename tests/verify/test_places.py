"""Places are those of the running code, and match what a finding flags."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from jaxlint.verify.child.observing.places import (
    Matcher,
    Place,
    UserFiles,
    current_place,
    error_places,
)
from jaxlint.verify.protocol import Target


def target(path: Path, source: str, flagged: str, number: int = 0) -> Target:
    """A target for the first place of a text that is on one line, or that starts a statement."""
    before = source[: source.index(flagged)]
    line = before.count("\n") + 1
    column = len(before.rpartition("\n")[2].encode())
    end_line = line + flagged.count("\n")
    last = flagged.rpartition("\n")[2]
    end_column = len(last.encode()) + (column if end_line == line else 0)
    return Target(number, str(path), line, column, end_line, end_column, "JAX000", "raises")


def place(path: Path, source: str, failing: str) -> Place:
    spot = target(path, source, failing)
    return Place(spot.file, spot.line, spot.column, spot.end_line, spot.end_column, "f")


CASES = [
    ("if v > 0:\n    pass\n", "v > 0", "v > 0", True),
    ("float(v)\n", "v", "float(v)", True),
    ("hold(f'{num:.2f}')\n", "num", "f'{num:.2f}'", True),
    ("hold(f'{g(num):.2f}')\n", "num", "f'{g(num):.2f}'", False),
    ("jnp.ones((num, 3))\n", "num", "jnp.ones((num, 3))", True),
    ("x[idx:idx + 2]\n", "idx", "x[idx:idx + 2]", True),
    ("x.at[mask].add(1)\n", "mask", "x.at[mask].add(1)", True),
    ("np.concatenate([v, v])\n", "[v, v]", "np.concatenate([v, v])", True),
    ("v.sum().item()\n", "v.sum()", "v.sum().item()", True),
    ("assert v > 0, text\n", "v > 0", "assert v > 0, text", True),
    ("if v > 0:\n    float(w)\n", "w", "if v > 0:\n    float(w)", False),
    ("if v > 0:\n    pass\n", "v > 0", "if v > 0:\n    pass", True),
    ("y = a > 0 and b > 1\n", "a > 0 and b > 1", "b > 1", True),
    ("if not v > 0:\n    pass\n", "not v > 0", "v > 0", True),
    ("float(g(val))\n", "val", "float(g(val))", False),
    ("float(val + 1)\n", "val", "float(val + 1)", True),
    ("f(float(x)) > 0\n", "f(float(x)) > 0", "float(x)", False),
    ("z = 1 if (1 if p else 2) > q else 3\n", "(1 if p else 2) > q", "p", False),
    ("all(v > 0 for v in rows)\n", "v > 0", "all(v > 0 for v in rows)", True),
    ("all(g(v) for v in (h(u) for u in t))\n", "u", "all(g(v) for v in (h(u) for u in t))", False),
    ("any([v for v in rows if v > 0])\n", "any([v for v in rows if v > 0])", "v > 0", True),
    ("list(map(lambda u: u > 0, rows))\n", "u > 0", "list(map(lambda u: u > 0, rows))", False),
    ("sort(lambda u: int(u))\n", "sort(lambda u: int(u))", "int(u)", False),
    ("list(filter(lambda u: u > 0, t))\n", "u > 0", "list(filter(lambda u: u > 0, t))", True),
    ("list(filter(even, t))\n", "even", "list(filter(even, t))", True),
    ("list(g(filter(even, t)[0]))\n", "even", "list(g(filter(even, t)[0]))", False),
    ("text = f'{val:.2f} of {w}'\n", "val", "f'{val:.2f} of {w}'", True),
    ("while v > 0:\n    v -= 1\n", "while v > 0:\n    v -= 1", "v > 0", True),
    ("float(a); float(b)\n", "a", "float(b)", False),
    ("é = float(val)\n", "val", "float(val)", True),
]


@pytest.mark.parametrize(("source", "flagged", "failing", "expected"), CASES)
def test_what_fails_is_what_is_flagged(
    source: str, flagged: str, failing: str, expected: bool, tmp_path: Path
) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    matches = Matcher([target(path, source, flagged)]).match(place(path, source, failing))
    assert bool(matches) is expected


def test_lines_alone_match_where_python_has_no_columns(tmp_path: Path) -> None:
    source = "one = 1\nfloat(\n    v,\n)\n"
    path = tmp_path / "module.py"
    path.write_text(source)
    matcher = Matcher([target(path, source, "float(\n    v,\n)")])
    for line, expected in ((1, 0), (2, 1), (3, 1), (4, 1), (5, 0)):
        assert len(matcher.match(Place(str(path), line, None, None, None, "f"))) == expected


def test_files_are_compared_by_what_they_are(tmp_path: Path) -> None:
    source = "float(v)\n"
    path = tmp_path / "module.py"
    path.write_text(source)
    link = tmp_path / "link.py"
    link.symlink_to(path)
    matcher = Matcher([target(path, source, "v", 7), target(tmp_path / "b.py", source, "v")])
    assert [found.id for found in matcher.match(place(link, source, "float(v)"))] == [7]


def test_what_belongs_to_the_user(tmp_path: Path) -> None:
    installed = tmp_path / ".venv" / "lib" / "site-packages"
    files = UserFiles([str(tmp_path)])
    assert str(tmp_path / "package" / "module.py") in files
    assert os.path.relpath(tmp_path / "module.py") in files
    assert str(installed / "other" / "module.py") not in files
    assert str(tmp_path.parent / "module.py") not in files
    assert str(tmp_path) + "-other/module.py" not in files
    assert "<string>" not in files
    assert str(installed / "other" / "module.py") in UserFiles([str(installed / "other")])
    assert str(tmp_path / "one.py") in UserFiles([str(tmp_path / "one.py")])
    assert str(tmp_path / "two.py") not in UserFiles([str(tmp_path / "one.py")])
    everything = UserFiles([os.sep])
    assert os.__file__ not in everything
    assert jax.__file__ not in everything
    assert sys.modules[UserFiles.__module__].__file__ not in everything


def here(files: UserFiles) -> Place | None:
    return current_place(files)


def test_the_running_place(tmp_path: Path) -> None:
    found = here(UserFiles([__file__]))
    assert found is not None and found.function.endswith("here")
    assert (
        Path(found.file).read_text().splitlines()[found.line - 1]
        == "    return current_place(files)"
    )
    assert (found.column, found.end_column) == (11, 31)
    assert here(UserFiles([str(tmp_path)])) is None
    assert current_place(UserFiles([__file__]), sys._getframe()) is None


def test_places_of_an_error(tmp_path: Path) -> None:
    source = """\
import jax
def body(carry, row):
    try:
        return carry, [e for e in row if e > 0]
    except ValueError:
        return carry, row
def f(v):
    return jax.lax.scan(body, 0.0, v)
"""
    path = tmp_path / "module.py"
    path.write_text(source)
    module: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), module)
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        jax.make_jaxpr(module["f"])(jax.numpy.ones((2, 3)))
    places = error_places(caught.value, UserFiles([str(tmp_path)]))
    assert places[0].line == 8
    assert places[-1].line == 4
    flagged = target(path, source, "e > 0")
    assert Matcher([flagged]).match(places[-1]) == [flagged]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows no columns")
@pytest.mark.parametrize("statements", [1, 200])
def test_the_test_before_a_long_body_is_in_its_place(tmp_path: Path, statements: int) -> None:
    """A far jump takes two instructions, of which only the second one tests."""
    path = tmp_path / "user.py"
    source = "def f(x):\n    if x:\n" + "        x = x + x\n" * statements + "    return x\n"
    path.write_text(source)
    module: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), module)
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        jax.make_jaxpr(module["f"])(1.0)
    place = error_places(caught.value, UserFiles([str(path)]))[-1]
    assert (2, 7, 2, 8) == (place.line, place.column, place.end_line, place.end_column)

"""Real ruff and real flake8 on comments for jaxlint: what they leave alone, and what they take."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
PAGE = (Path(__file__).parents[2] / "docs" / "ruff.md").read_text(encoding="utf-8")
KNOWN = re.search(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]  # type: ignore[index]

MODULE = """\
import jax


@jax.jit
def relu(x):
    if x > 0:{}
        return x
    return 0.0
"""


def ruff(*arguments: str | Path) -> tuple[int, list[str]]:
    """The exit code, and what was found, without the counts."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments], capture_output=True, text=True
    )
    return done.returncode, re.findall(r"^\S+:\d+:\d+: (\w+)", done.stdout, re.MULTILINE)


def check(*options: str | Path) -> list[str]:
    """What ruff finds about comments, file by file and line by line."""
    arguments = ("--select", "RUF100,RUF102", "--output-format", "concise", "--no-cache")
    return ruff("check", *arguments, *options)[1]


# The comment, what ruff says of it and leaves of it, first alone and then once it knows the codes.
CASES: Sequence[tuple[str, list[str], str, list[str], str]] = [
    ("# noqa: JAX301", ["RUF102"], "", [], "# noqa: JAX301"),
    ("# noqa: JAX301 a reason", ["RUF102"], "", [], "# noqa: JAX301 a reason"),
    ("# noqa: E501, JAX301", ["RUF100", "RUF102"], "", ["RUF100"], "# noqa: JAX301"),
    ("# noqa", ["RUF100"], "", ["RUF100"], ""),
    *(
        (comment, [], comment, [], comment)
        for comment in (
            "# jaxlint: ignore[branch-on-traced] a reason",
            "# jaxlint: ignore[JAX301]",
            "# jaxlint: noqa: JAX301",
        )
    ),
]


@pytest.mark.parametrize("known", [False, True])
def test_ruff_leaves_what_is_not_its_own_once_it_knows(here: Path, known: bool) -> None:
    (here / "pyproject.toml").write_text(KNOWN if known else "")
    files = [here / f"case{number}.py" for number in range(len(CASES))]
    for path, case in zip(files, CASES, strict=True):
        path.write_text(MODULE.format(f"  {case[0]}"))
    expected = [case[3:] if known else case[1:3] for case in CASES]

    found = check(".")
    assert [code for codes, _ in expected for code in codes] == found
    check("--fix", ".")
    lines = [path.read_text().splitlines()[5] for path in files]
    assert [left for _, left in expected] == [line.partition("0:")[2].strip() for line in lines]


def test_what_ruff_leaves_works_for_flake8_and_for_the_command(here: Path, run: Run) -> None:
    (here / "bare.py").write_text(MODULE.format(""))
    for number, comment in enumerate({one[4] for one in CASES if one[4]}):
        module = MODULE.format(f"  {comment}")
        if comment.startswith("# jaxlint: noqa"):
            module = f"{comment}\n" + MODULE.format("")
        (here / f"commented{number}.py").write_text(module)
    command = run("check", "--output-format", "concise").stdout
    flake8 = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select=JAX"],
        capture_output=True,
        text=True,
    ).stdout
    for output in (command, flake8):
        found = re.findall(r"^(?:\./)?(\w+\.py):6:8: (\w+)", output, re.MULTILINE)
        assert [("bare.py", "JAX301")] == found
        assert 1 == output.count("JAX")


LONG = "if x > 0 and some_function(another_name_here, and_a_third_name):"


# The lines, whether the formatter leaves them, and whether they count as too long.
@pytest.mark.parametrize(
    ("lines", "stays", "counts"),
    [
        (f"{LONG}  # noqa: JAX301", True, False),
        (f"{LONG}  # jaxlint: ignore[branch-on-traced]", False, True),
        (f"# jaxlint: ignore[branch-on-traced] {'because ' * 11}why\n    {LONG}", True, True),
    ],
)
def test_long_lines_and_their_comments(here: Path, lines: str, stays: bool, counts: bool) -> None:
    path = here / "model.py"
    path.write_text(MODULE.replace("if x > 0:{}", lines))
    before = path.read_text()
    assert counts == ("E501" in check("--isolated", "--extend-select", "E501", path))
    assert 0 == ruff("format", "--isolated", "--no-cache", path)[0]
    assert stays == (before == path.read_text())

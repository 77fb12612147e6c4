"""Gitignore patterns mean what pathspec makes of them, whether it is asked or not."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from pathspec import GitIgnoreSpec

from jaxlint.project.patterns import Patterns

NAMES = ["a", "b.py", "ab", ".a", "build", "a.pyc", "b.pyo", "a~", "-a", "a b", "é", "A", "[a]"]
PIECES = ["a", "b", "*", "**", "?", ".", "..", "/", "[ab]", "[!a]", "[a-b]", ".py", ".py[co]", "~"]
PIECES += ["build", "!", "#", " ", "\\", "$", "é", "B", "[", "]", "a/b", "/a", "/**/", "x"]
PATHS = [
    f"{'/'.join(parts)}{end}"
    for parts in (
        *([one] for one in NAMES),
        *([one, two] for one in NAMES for two in NAMES),
        *(["..", one] for one in NAMES),
        *(["a", "build", one] for one in NAMES),
    )
    for end in ("", "/")
]


def _expected(lines: list[str]) -> GitIgnoreSpec:
    kept = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        kept.append(line)
    return GitIgnoreSpec.from_lines(kept)


def _differences(lines: list[str]) -> list[object]:
    ours, theirs = Patterns(lines), _expected(lines)
    told = ((path, ours.verdict(path), theirs.check_file(path).include) for path in PATHS)
    return [(lines, *one) for one in told if one[1] is not one[2]]


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@pytest.mark.parametrize("seed", range(20))
def test_made_up_patterns_mean_what_pathspec_says(seed: int) -> None:
    pick = random.Random(seed)
    for _ in range(12):
        lines = ["".join(pick.choices(PIECES, k=pick.randint(1, 4))) for _ in range(3)]
        assert [] == _differences(lines)


@pytest.mark.parametrize(
    "line",
    [
        *("a", "a/", "/a", "/a/", "a/b.py", "a/build/", "*a", "*a/", "a*", "a*/", "*.py[co]"),
        *("[ab]*", ".", "..", "./a", "../a", "*", "**", "*a*", "a ", " a", "\\#a", "a.", "*."),
        *("/build", "build/", "a//b", "//a", "a/.", "é", "[é]", "[]", "[a", "a\\", "!a", "# a"),
        *(
            "**/a",
            "**/a/",
            "**/*.py",
            "**/**/a",
            "**/a/b.py",
            "a/*",
            "a/**",
            "/a/*",
            "a/*/",
            "a/**/",
        ),
        *("a/build/*", "*a*/", "*[ab]*", "**/a*", "*/a", "a/*b", "***/a", "*.*", "*-*", "a/***"),
        *("[ab]", ".*", "", "[ab][ab][ab][ab][ab][ab][ab][ab]"),
    ],
)
def test_each_kind_of_pattern_means_what_pathspec_says(line: str) -> None:
    assert [] == _differences([line])
    assert [] == _differences(["build", line, "*.pyc"])


def test_what_is_taken_back_is_not_ignored() -> None:
    assert [True, False] == [Patterns(["*.py", "!b.py"]).verdict(one) for one in ("a.py", "b.py")]


def test_names_need_no_pathspec() -> None:
    lines = [
        "# Python",
        "__pycache__/",
        "*.py[cod]",
        "*.so",
        "",
        "/dist",
        "docs/_build/",
        ".coverage.*",
    ]
    program = (
        "import sys; from jaxlint.project.patterns import Patterns; "
        f"told = Patterns({lines!r}); "
        "assert told.verdict('a/__pycache__/') and told.verdict('docs/_build/a.py'); "
        "assert told.verdict('a/dist') is None and told.verdict('__pycache__') is None; "
        "assert 'pathspec' not in sys.modules; Patterns(['a?']); assert 'pathspec' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

"""Fixes on the command line: what is changed, what is shown, and what is said about it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

# One safe fix, and in `update`, which the host may call too, an unsafe one.
CODE = """\
import jax

@jax.jit
def first(x):
    y = 2 * x
    y[0] = 1.0  # set
    return y

def update(z):
    z = 2 * z
    z[0] += 1.0
    return z

jax.jit(update)(jax.numpy.ones(3))
"""
SAFE = CODE.replace("y[0] = 1.0", "y = y.at[0].set(1.0)")
ALL = SAFE.replace("z[0] += 1.0", "z = z.at[0].add(1.0)")
CLEAN = "import jax\n\n@jax.jit\ndef same(x):\n    return x\n"
CHECK = ("check", "--output-format", "concise")


@pytest.fixture
def project(here: Path) -> Path:
    (here / "pyproject.toml").touch()
    (here / "a.py").write_text(CODE)
    (here / "b.py").write_text(CLEAN)
    return here


def test_safe_fixes_are_written_and_the_rest_is_reported(project: Path, run: Run) -> None:
    done = run(*CHECK, "--fix")
    assert SAFE == (project / "a.py").read_text()
    assert 1 == done.exit_code
    assert [11] == [int(line.split(":")[1]) for line in done.stdout.splitlines()]
    assert (
        "Found 1 finding in 1 file (1 error).\n"
        "Fixed 1 finding in 1 file.\n"
        "1 fixable with `--fix --unsafe-fixes`.\n"
    ) == done.stderr
    again = run(*CHECK, "--fix")
    assert (done.stdout, SAFE) == (again.stdout, (project / "a.py").read_text())
    assert "Fixed" not in again.stderr


def test_unsafe_fixes_are_asked_for(project: Path, run: Run) -> None:
    done = run(*CHECK, "--fix", "--unsafe-fixes", "--show-fixes")
    assert (0, "", ALL) == (done.exit_code, done.stdout, (project / "a.py").read_text())
    assert (
        "No findings in 2 files.\n"
        "Fixed 2 findings in 1 file.\n"
        "  a.py: 2 x JAX151 (array-item-assignment)\n"
    ) == done.stderr


def test_what_can_be_fixed_is_marked(project: Path, run: Run) -> None:
    done = run(*CHECK)
    assert [True, False] == ["JAX151 [*] " in line for line in done.stdout.splitlines()]
    assert "[*] 1 fixable with `--fix` (1 more with `--unsafe-fixes`).\n" in done.stderr
    done = run(*CHECK, "--unsafe-fixes")
    assert 2 == done.stdout.count("JAX151 [*] ")
    assert "[*] 2 fixable with `--fix --unsafe-fixes`.\n" in done.stderr
    assert CODE == (project / "a.py").read_text()


def test_a_diff_shows_and_changes_nothing(project: Path, run: Run) -> None:
    done = run("check", "--diff")
    assert (1, CODE) == (done.exit_code, (project / "a.py").read_text())
    changed = [line for line in done.stdout.splitlines() if line[:1] in "+-"]
    assert [
        "--- a.py",
        "+++ a.py",
        "-    y[0] = 1.0  # set",
        "+    y = y.at[0].set(1.0)  # set",
    ] == changed
    assert "Would fix 1 finding in 1 file.\n" == done.stderr
    (project / "a.py").write_text(CLEAN)
    done = run("check", "--diff")
    assert (0, "", "") == (done.exit_code, done.stdout, done.stderr)


def test_the_exit_code_says_what_is_left_or_that_something_was_fixed(
    project: Path, run: Run
) -> None:
    arguments = ("check", "--unsafe-fixes")
    assert 1 == run(*arguments, "--fix", "--exit-non-zero-on-fix").exit_code
    (project / "a.py").write_text(CODE)
    done = run("check", "--fix-only")
    assert (0, "", "Fixed 1 finding in 1 file.\n") == (done.exit_code, done.stdout, done.stderr)
    assert SAFE == (project / "a.py").read_text()


@pytest.mark.parametrize(
    ("encoding", "head", "end"),
    [
        ("utf-8", "", "\r\n"),
        ("utf-8", "", "\r"),
        ("utf-8-sig", "", "\n"),
        ("latin-1", "# coding: latin-1\n", "\n"),
        ("cp1252", "# coding: cp1252\n", "\r\n"),
    ],
)
def test_the_other_bytes_stay(project: Path, run: Run, encoding: str, head: str, end: str) -> None:
    path = project / "a.py"
    before, after = (
        (head + code.replace("# set", "# \u00fc")).replace("\n", end).encode(encoding)
        for code in (CODE, SAFE)
    )
    path.write_bytes(before)
    os.chmod(path, 0o754)
    run(*CHECK, "--fix")
    assert (after, 0o754) == (path.read_bytes(), path.stat().st_mode & 0o777)


def test_imports_are_added_once_in_the_lines_of_the_file(project: Path, run: Run) -> None:
    path = project / "a.py"
    code = (
        '"""Text."""\nimport math\nfrom jax import jit\n\n@jit\ndef f(x):\n'
        "    return math.exp(x) + math.sin(x)\n"
    )
    path.write_bytes(code.replace("\n", "\r\n").encode())
    done = run(*CHECK, "--fix")
    assert (0, "") == (done.exit_code, done.stdout)
    fixed = code.replace("jit\n\n", "jit\nimport jax.numpy as jnp\n\n").replace(
        "math.exp(x) + math.sin(x)", "jnp.exp(x) + jnp.sin(x)"
    )
    # Nothing uses this one any more.
    fixed = fixed.replace("import math\n", "")
    assert fixed.replace("\n", "\r\n").encode() == path.read_bytes()


def test_nothing_is_fixed_through_a_suppression_or_a_baseline(project: Path, run: Run) -> None:
    path = project / "a.py"
    silent = CODE.replace("# set", "# noqa: JAX151").replace("+= 1.0", "+= 1.0  # noqa: JAX151")
    path.write_text(silent)
    run(*CHECK, "--fix", "--unsafe-fixes")
    assert silent == path.read_text()
    path.write_text(CODE)
    run("check", "--write-baseline", "known.json")
    run(*CHECK, "--fix", "--unsafe-fixes", "--baseline", "known.json")
    assert CODE == path.read_text()


def test_unused_suppressions_are_removed(project: Path, run: Run) -> None:
    path = project / "a.py"
    path.write_text(
        "import jax\n\n@jax.jit\ndef first(x):\n    y = 2 * x\n"
        "    y[0] = 1.0  # noqa: JAX151, JAX301, JAX302\n"
        "    # jaxlint: ignore[branch-on-traced]\n"
        "    return y  # noqa: JAX301\n"
    )
    done = run(*CHECK, "--fix", "--warn-unused-suppressions")
    assert (0, "") == (done.exit_code, done.stdout)
    assert (
        "import jax\n\n@jax.jit\ndef first(x):\n    y = 2 * x\n"
        "    y[0] = 1.0  # noqa: JAX151\n    return y\n"
    ) == path.read_text()


def test_settings_say_what_is_fixed(project: Path, run: Run) -> None:
    settings, path = project / "pyproject.toml", project / "a.py"

    def fixed(lines: str, *options: str) -> str:
        settings.write_text(f"[tool.jaxlint]\n{lines}\n")
        path.write_text(CODE)
        run(*CHECK, *options)
        return path.read_text()

    assert SAFE == fixed("fix = true")
    assert ALL == fixed("fix = true\nunsafe-fixes = true")
    assert CODE == fixed("fix = true", "--no-fix")
    assert ALL == fixed('extend-safe-fixes = ["JAX15"]', "--fix")
    assert CODE == fixed('extend-unsafe-fixes = ["array-item-assignment"]', "--fix")
    assert CODE == fixed('unfixable = ["JAX1"]', "--fix")
    assert SAFE == fixed('unfixable = ["JAX1"]\nfixable = ["JAX151"]', "--fix")
    assert SAFE == fixed('unfixable = ["JAX3"]\nfixable = ["ALL"]', "--fix")
    assert CODE == fixed('fixable = ["JAX3"]', "--fix")
    assert CODE == fixed("", "--fix", "--fixable", "JAX3")
    settings.write_text('[tool.jaxlint]\nfixable = ["JAX0815"]\n')
    done = run(*CHECK, "--fix")
    assert (2, True) == (done.exit_code, "pyproject.toml:2" in done.stderr), done.stderr


def test_standard_input_is_printed_fixed(project: Path, run: Run) -> None:
    done = run(*CHECK, "--fix", "-", input=CODE.replace("\n", "\r\n").encode())
    assert 1 == done.exit_code
    assert SAFE.replace("\n", "\r\n").encode() == done.stdout_bytes
    assert "stdin:11:5: JAX151 " in done.stderr
    done = run(*CHECK, "--diff", "-", input=CODE)
    assert "+    y = y.at[0].set(1.0)  # set\n" in done.stdout
    assert CLEAN == run(*CHECK, "--fix", "-", input=CLEAN).stdout
    done = run(*CHECK, "--fix", "-", input=b"\xff")
    assert (2, "") == (done.exit_code, done.stdout)
    assert done.stderr.startswith("jaxlint: error: stdin: cannot be fixed: ")


@pytest.mark.parametrize(
    "arguments", [("--diff", "--verify"), ("--fix-only", "--add-noqa"), ("--fix", "-", "a.py")]
)
def test_what_cannot_be_combined_is_said(
    project: Path, run: Run, arguments: tuple[str, ...]
) -> None:
    done = run("check", *arguments)
    assert (2, True) == (done.exit_code, "Error: " in done.stderr), done.stderr
    assert CODE == (project / "a.py").read_text()


def test_a_file_that_cannot_be_written_is_said_and_the_others_are(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "c.py").write_text(CODE)

    def refuse(path: str, data: bytes) -> None:
        if path == "a.py":
            raise PermissionError(13, "Permission denied", path)
        Path(path).write_bytes(data)

    monkeypatch.setattr("jaxlint.apply.files.write_whole", refuse)
    done = run(*CHECK, "--fix")
    assert 2 == done.exit_code
    assert "jaxlint: error: a.py: not fixed: permission denied\n" in done.stderr
    assert "Fixed 1 finding in 1 file.\n" in done.stderr
    assert (CODE, SAFE) == ((project / "a.py").read_text(), (project / "c.py").read_text())


# The fix of the call leads to lambdas that are new in each iteration.
BRANCHES = """\
import jax.numpy as jnp
from jax import lax

def step(x, is_training):
    return lax.cond(is_training, jnp.tanh(x), jnp.sign(x))

for _ in range(3):
    step(jnp.ones(3), True)
"""


def test_imports_that_a_fix_leaves_unused_go_with_it(project: Path, run: Run) -> None:
    code = "import jax\nimport math\n\nf = jax.jit(lambda x: math.sin(x))\nf(1.0)\n"
    fixed = "import jax\n\nf = jax.jit(lambda x: jax.numpy.sin(x))\nf(1.0)\n"
    path = project / "a.py"
    path.write_text(code)
    assert "-import math\n" in run("check", "--diff").stdout
    (one,) = json.loads(run("check", "--output-format", "json").stdout)
    removed = [it for it in one["fix"]["edits"] if it["line"] == 2]
    assert [(3, 1, "")] == [(it["end_line"], it["end_column"], it["content"]) for it in removed]
    run(*CHECK, "--fix")
    assert fixed == path.read_text()
    # Others may import what a package imports.
    package = project / "__init__.py"
    package.write_text(code)
    run(*CHECK, "--fix")
    assert fixed.replace("jax\n", "jax\nimport math\n", 1) == package.read_text()


def test_fixes_that_would_lead_to_new_findings_are_counted(project: Path, run: Run) -> None:
    path = project / "a.py"
    path.write_text(BRANCHES)
    for options in (("--fix", "--unsafe-fixes"), ("--fix", "--unsafe-fixes", "--fix-only")):
        done = run(*CHECK, *options)
        assert BRANCHES == path.read_text()
        assert "1 fix was not applied, because of new findings afterwards.\n" in done.stderr
        assert "[*]" not in done.stdout + done.stderr
    done = run("check", "--diff", "--unsafe-fixes")
    assert (0, "") == (done.exit_code, done.stdout)
    piped = run("check", "--fix", "--unsafe-fixes", "-", input=BRANCHES)
    assert BRANCHES == piped.stdout
    # Outside of the loop there is nothing against it.
    path.write_text(BRANCHES.replace("for _ in range(3):\n    ", ""))
    done = run(*CHECK, "--fix", "--unsafe-fixes")
    assert "No findings in 2 files.\nFixed 2 findings in 1 file.\n" == done.stderr


def test_fixes_in_a_helper_are_written_where_they_are(project: Path, run: Run) -> None:
    (project / "a.py").write_text(
        "import jax\nfrom b import update\n\n@jax.jit\ndef f(x):\n    return update(x)\n"
    )
    helper = "def update(x):\n    y = 2 * x\n    y[0] = 1.0\n    return y\n"
    (project / "b.py").write_text(helper)
    run(*CHECK, "--fix", "--unsafe-fixes", "a.py")
    assert helper == (project / "b.py").read_text()
    done = run(*CHECK, "--fix", "--unsafe-fixes")
    assert (0, "") == (done.exit_code, done.stdout)
    assert helper.replace("y[0] = 1.0", "y = y.at[0].set(1.0)") == (project / "b.py").read_text()


def test_machines_are_told_the_edits(project: Path, run: Run) -> None:
    fixes = [one["fix"] for one in json.loads(run("check", "--output-format", "json").stdout)]
    assert ["safe", "unsafe"] == [one["applicability"] for one in fixes]
    first = fixes[0]["edits"][0]
    assert (6, 5, "y = ") == (first["line"], first["column"], first["content"])
    lines = run("check", "--output-format", "rdjson").stdout
    suggestions = json.loads(lines)["diagnostics"][0]["suggestions"]
    place = {"line": 6, "column": 5}
    assert {"range": {"start": place, "end": place}, "text": "y = "} == suggestions[0]
    log = json.loads(run("check", "--output-format", "sarif").stdout)
    changes = log["runs"][0]["results"][1]["fixes"][0]
    assert "(unsafe: look at it)" in changes["description"]["text"]
    assert "a.py" == changes["artifactChanges"][0]["artifactLocation"]["uri"]


def test_cells_of_notebooks_are_fixed_and_nothing_else(project: Path, run: Run) -> None:
    lines = ["@jax.jit\n", "def f(x):\n", "    y = 2 * x\n", "    y[0] = 1.0  # \u00fc\n"]
    lines += ["    return y\n", "!ls"]
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book = {
        "cells": [
            {**code, "source": ["%matplotlib inline\n", "import jax"]},
            {**code, "source": lines},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    before = json.dumps(book, indent=3).encode()
    after = before.replace(b"    y[0] = 1.0", b"    y = y.at[0].set(1.0)")
    path = project / "book.ipynb"
    path.write_bytes(before)
    done = run("check", "--diff", "book.ipynb")
    assert (
        "--- book.ipynb:cell 2\n+++ book.ipynb:cell 2\n@@ -1,6 +1,6 @@\n"
        " @jax.jit\n def f(x):\n     y = 2 * x\n"
        "-    y[0] = 1.0  # \u00fc\n+    y = y.at[0].set(1.0)  # \u00fc\n"
        "     return y\n !ls\n\\ No newline at end of file\n"
    ) == done.stdout
    piped = run("check", "--diff", "-", "--stdin-filename", "book.ipynb", input=before)
    assert done.stdout == piped.stdout
    assert before == path.read_bytes()
    done = run(*CHECK, "--fix", "-", "--stdin-filename", "book.ipynb", input=before)
    assert after == done.stdout_bytes
    done = run(*CHECK, "--fix", "book.ipynb")
    assert (0, after) == (done.exit_code, path.read_bytes())

"""Whole runs on notebooks: places, suppressions, settings, formats, what is wrong with a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import Result

import jaxlint
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.report.formats.table import FORMATS
from jaxlint.results.report import Report

DOCS = Path(__file__).parents[2] / "docs" / "notebooks.md"
Run = Callable[..., Result]
CHECK = ("check", "--output-format", "concise", "--no-cache")
FIRST = "%matplotlib inline\nimport jax\nimport helper"
SECOND = "\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0 * x\n"
THIRD = "%time relu(1.0)\n!ls"
# The line of the file, in the layout that `notebook` gives it.
LINE = 31
WHERE = "nb.ipynb:cell 3:4:8: JAX301"


def notebook(*cells: str, **more: Any) -> str:
    held = [{"cell_type": "markdown", "metadata": {}, "source": ["# jax\n", "x > 0"]}]
    for cell in cells:
        held.append(
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": cell.splitlines(keepends=True),
            }
        )
    return json.dumps({"cells": held, "metadata": {}, "nbformat": 4, **more}, indent=1) + "\n"


@pytest.fixture
def project(here: Path) -> Path:
    (here / "pyproject.toml").touch()
    (here / "helper.py").write_text("def double(x):\n    return 2 * x\n")
    (here / "nb.ipynb").write_text(notebook(FIRST, SECOND, THIRD))
    return here


@pytest.mark.parametrize("path", [".", "nb.ipynb"])
def test_a_finding_has_its_cell_and_the_line_in_it(project: Path, run: Run, path: str) -> None:
    result = run(*CHECK, path)
    assert 1 == result.exit_code
    assert result.stdout.startswith(f"{WHERE} `if` needs a concrete bool")
    assert result.stdout.endswith("jitted at line 3 of cell 3\n")


def test_a_notebook_may_come_on_standard_input(project: Path, run: Run) -> None:
    text = (project / "nb.ipynb").read_text()
    assert WHERE in run(*CHECK, "-", "--stdin-filename", "nb.ipynb", input=text).stdout


def test_the_source_of_one_cell_is_shown(project: Path, run: Run) -> None:
    shown = run("check", "--no-cache").stdout
    assert " --> nb.ipynb:cell 3:4:8\n" in shown
    lines = [line for line in shown.splitlines() if line[:1].isdigit()]
    assert ["3 | def relu(x):", "4 |     if x > 0:", "5 |         return x"] == lines
    assert "because: nb.ipynb:cell 3:3:1: `relu` is jitted" in shown


def test_what_a_cell_does_to_a_module_is_shown_once(project: Path, run: Run) -> None:
    (project / "helper.py").write_text("def pick(x):\n    return 1 if x > 0 else 2\n")
    for name in ("a.ipynb", "b.ipynb", "nb.ipynb"):
        (project / name).write_text(notebook(FIRST, "jax.jit(helper.pick)(1.0)"))
    # In the notebook, if nobody asks for the module.
    found = run(*CHECK, "nb.ipynb").stdout
    assert found.startswith("nb.ipynb:cell 3:1:")
    assert f"(in {project / 'helper.py'}:2:17)" in found or "(in helper.py:2:17)" in found
    assert 1 == found.count("\n")
    # Where it happens, else.
    for paths in (["."], ["nb.ipynb", "b.ipynb", "helper.py", "a.ipynb"]):
        found = run("check", "--no-cache", *paths).stdout
        assert 1 == found.count("JAX301")
        assert " --> helper.py:2:17\n" in found
        places = [line for line in found.splitlines() if "cell 3:1:" in line]
        assert [
            "= because: a.ipynb:cell 3:1:1: `pick` is jitted here",
            "= also: b.ipynb:cell 3:1:1: this leads here",
            "= also: nb.ipynb:cell 3:1:1: this leads here",
        ] == [one.strip() for one in places]
    # A module by itself depends on no notebook.
    assert "" == run(*CHECK, "helper.py").stdout


def test_the_line_of_the_file_is_that_of_the_finding(project: Path) -> None:
    assert '"    if x > 0:' in (project / "nb.ipynb").read_text().splitlines()[LINE - 1]


def _json(text: str) -> None:
    row = json.loads(text)[0]
    assert (3, 4, 8) == (row["cell"], row["line"], row["column"])
    assert (3, 3) == (row["trail"][-1]["cell"], row["trail"][-1]["line"])


def _lines(text: str) -> None:
    _json(f"[{text}]")


def _sarif(text: str) -> None:
    found = json.loads(text)["runs"][0]["results"][0]
    assert found["message"]["text"].startswith("cell 3:4:8: ")
    location = found["locations"][0]
    assert [{"name": "cell 3"}] == location["logicalLocations"]
    region = location["physicalLocation"]["region"]
    assert LINE == region["startLine"] == region["endLine"]
    assert "x > 0" == region["snippet"]["text"]


def _github(text: str) -> None:
    assert f",line={LINE},endLine={LINE},col=1,endColumn=1::nb.ipynb:cell 3:4:8: JAX301 " in text


def _gitlab(text: str) -> None:
    row = json.loads(text)[0]
    assert row["description"].startswith("JAX301: cell 3:4:8: ")
    assert {"line": LINE, "column": 1} == row["location"]["positions"]["begin"]


def _junit(text: str) -> None:
    (case,) = fromstring(text).iter("testcase")
    assert "JAX301 branch-on-traced cell 3:4:8" == case.get("name")
    assert str(LINE) == case.get("line")
    assert "--> nb.ipynb:cell 3:4:8\n" in str(case[0].text)


def _rdjson(text: str) -> None:
    row = json.loads(text)["diagnostics"][0]
    assert row["message"].startswith("cell 3:4:8: ")
    assert {"path": "nb.ipynb", "range": {"start": {"line": LINE}}} == row["location"]


def _html(text: str) -> None:
    assert "nb.ipynb:cell 3:4:8" in text
    assert "<b>nb.ipynb, cell 3</b>" in text
    assert '<pre class="numbers">\n\n2\n3\n4\n5</pre>' in text


JUDGES = {
    "json": _json, "json-lines": _lines, "sarif": _sarif, "github": _github, "gitlab": _gitlab,
    "junit": _junit, "rdjson": _rdjson, "html": _html,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"full", "concise"}))
def test_each_format_tells_the_cell(project: Path, run: Run, name: str) -> None:
    JUDGES[name](run("check", "--no-cache", "--output-format", name).stdout)


@pytest.mark.parametrize(
    "cells",
    [
        (FIRST, SECOND.replace("> 0:", "> 0:  # noqa: JAX301")),
        (FIRST, SECOND.replace("> 0:", "> 0:  # jaxlint: ignore[branch-on-traced] x")),
        (FIRST, "# jaxlint: ignore-file[branch-on-traced]", SECOND),
        ("# flake8: noqa", FIRST, SECOND),
    ],
)
def test_comments_in_cells_silence(project: Path, run: Run, cells: tuple[str, ...]) -> None:
    (project / "nb.ipynb").write_text(notebook(*cells))
    result = run(*CHECK, "--warn-unused-suppressions")
    assert (0, "") == (result.exit_code, result.stdout)


def test_a_comment_that_silences_nothing_has_its_cell(project: Path, run: Run) -> None:
    (project / "nb.ipynb").write_text(notebook(FIRST, "x = 1  # noqa: JAX301"))
    found = run(*CHECK, "--warn-unused-suppressions").stdout
    assert found.startswith("nb.ipynb:cell 3:1:16: JAX003 ")


@pytest.mark.parametrize("option", ["--add-noqa", "--add-ignore=later"])
def test_comments_are_written_into_the_cell(project: Path, run: Run, option: str) -> None:
    path = project / "nb.ipynb"
    before = path.read_bytes().splitlines()
    assert "jaxlint: added 1 comment in 1 file\n" == run(*CHECK, option).stderr
    after = path.read_bytes().splitlines()
    changed = [
        number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new
    ]
    assert [b'    "    if x > 0:\\n",'] == [before[number] for number in changed]
    assert 0 == run(*CHECK).exit_code


def test_settings_speak_of_notebooks_too(project: Path, run: Run) -> None:
    assert "" == run(*CHECK, "--per-file-ignores", "*.ipynb:JAX3").stdout
    assert "" == run(*CHECK, "--exclude", "*.ipynb").stdout
    (project / ".gitignore").write_text("nb.*\n")
    assert "" == run(*CHECK).stdout
    assert WHERE in run(*CHECK, "nb.ipynb").stdout
    (project / ".gitignore").unlink()
    (project / ".ipynb_checkpoints").mkdir()
    (project / "nb.ipynb").rename(project / ".ipynb_checkpoints" / "nb-checkpoint.ipynb")
    assert "" == run(*CHECK).stdout


def test_a_baseline_knows_findings_whose_cells_moved(project: Path, run: Run) -> None:
    assert 0 == run("check", "--write-baseline", "known.json").exit_code
    (project / "nb.ipynb").write_text(notebook(FIRST, "y = 1\nz = 2", f"w = 3{SECOND}"))
    assert 0 == run(*CHECK, "--baseline", "known.json").exit_code


def test_the_cache_notices_that_notebooks_change_and_come(project: Path, run: Run) -> None:
    check = ("check", "--output-format", "concise")
    first = run(*check)
    assert first.stdout == run(*check).stdout
    assert WHERE in first.stdout
    (project / "nb.ipynb").write_text(notebook(FIRST, "y = 1", SECOND))
    assert "nb.ipynb:cell 4:4:8: JAX301" in run(*check).stdout
    (project / "other.ipynb").write_text(notebook("import jax", SECOND))
    assert "other.ipynb:cell 3:4:8: JAX301" in run(*check).stdout


def test_processes_find_the_same(project: Path, run: Run) -> None:
    (project / "other.ipynb").write_text(notebook("import jax", SECOND))
    assert run(*CHECK, "-j", "1").stdout == run(*CHECK, "-j", "2").stdout


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("import jax", "bad.ipynb:1:1: JAX001 not a notebook: no JSON: expecting value\n"),
        (notebook("import jax\nx ="), "bad.ipynb:cell 2:2:4: JAX001 invalid syntax\n"),
        (
            '{"worksheets": [],\n "nbformat": 3}',
            "bad.ipynb:2:14: JAX001 a notebook of format 3, not 4; convert it with "
            "`jupyter nbconvert --to notebook --nbformat 4`\n",
        ),
    ],
)
def test_what_is_wrong_with_a_notebook_hides_no_other_finding(
    project: Path, run: Run, text: str, complaint: str
) -> None:
    (project / "bad.ipynb").write_text(text)
    found = run(*CHECK, "bad.ipynb", "nb.ipynb").stdout
    assert found.startswith(complaint + WHERE)


def test_a_broken_cell_hides_nothing_in_others(project: Path, run: Run) -> None:
    path = project / "nb.ipynb"
    path.write_text(notebook(FIRST, "x = (\n!ls\n", SECOND, "if True:\n  y\n z"))
    found = run(*CHECK).stdout.splitlines()
    assert "nb.ipynb:cell 3:1:5: JAX001 '(' was never closed" == found[0]
    assert found[1].startswith("nb.ipynb:cell 4:4:8: JAX301 ")
    assert found[2].startswith("nb.ipynb:cell 5:3:")
    assert "JAX001 unindent does not match" in found[2]
    assert 3 == len(found)
    assert 0 == run(*CHECK, "--add-noqa").exit_code
    assert '"!ls\\n"' in path.read_text()
    assert 2 == run(*CHECK).stdout.count("JAX001")
    assert 0 == run(*CHECK, "--ignore", "JAX001").exit_code
    path.write_text(notebook(FIRST, "x = (\n!ls\n", SECOND))
    assert 0 == run(*CHECK, "--write-baseline", "known.json").exit_code
    assert 1 == run(*CHECK, "--baseline", "known.json").stdout.count("\n")


def test_a_notebook_without_jax_is_looked_at_only_if_it_is_named(project: Path, run: Run) -> None:
    (project / "bad.ipynb").write_text("{}")
    (project / "r.ipynb").write_text(
        notebook("jax <- 1", metadata={"language_info": {"name": "R"}})
    )
    assert run(*CHECK).stdout.startswith(WHERE)
    assert "" == run(*CHECK, "r.ipynb").stdout
    assert "has no `nbformat`" in run(*CHECK, "bad.ipynb").stdout


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nb.ipynb:cell 3:4", "nb.ipynb:cell 3:4:8: `x`\n  traced: "),
        ("nb.ipynb:cell 3:4:8", "    nb.ipynb:cell 3:3:1: `relu` is jitted"),
        ("nb.ipynb:4", "nb.ipynb:4: name the cell too: nb.ipynb:cell 2:1"),
        ("nb.ipynb:cell 1:1", "nb.ipynb:cell 1:1: no such cell of Python"),
        ("nb.ipynb:cell 3:9", "nb.ipynb:cell 3:9: no such line"),
        ("nb.ipynb:cell 3:4:99", "nb.ipynb:cell 3:4:99: no such column, the last is 13"),
        ("nb.ipynb:cell 3:1", "nb.ipynb:cell 3:1: no name or expression is there"),
        ("helper.py:cell 1:1", "helper.py: a file without cells"),
        ("bad.ipynb:cell 2:1", "bad.ipynb:cell 2:1: no name or expression is there"),
        ("worse.ipynb:cell 2:1", "worse.ipynb:1:1: not a notebook: no JSON"),
    ],
)
def test_why_takes_and_tells_cells(project: Path, run: Run, place: str, words: str) -> None:
    (project / "bad.ipynb").write_text(notebook("x ="))
    (project / "worse.ipynb").write_text("x =")
    assert words in run("why", place).output


def test_the_graph_and_the_account_of_silence_tell_cells(project: Path, run: Run) -> None:
    (project / "nb.ipynb").write_text(
        notebook(FIRST, "@jax.jit\ndef f(x):\n    return unknown(x)\n")
    )
    assert "nb.ipynb:cell 3:2:1 `f` is jitted" in run("graph", "nb.ipynb").stdout
    assert '"cell": 3' in run("graph", "--output-format", "json", "nb.ipynb").stdout
    assert "nb.ipynb:cell 3:3:12" in run(*CHECK, "--explain-silence").stderr


def test_notebooks_are_not_verified(project: Path, run: Run) -> None:
    shown = run("check", "--verify", "--no-cache").stdout
    assert "verdict: not reached: a file that is no module cannot be imported" in shown


def test_from_python_findings_have_their_cell(project: Path) -> None:
    (found,) = jaxlint.lint(Path("nb.ipynb"))
    assert (3, 4, 4) == (found.cell, found.line, found.end_line)
    assert {(3, 3), (3, 4)} == {(step.cell, step.span.line) for step in found.because}


def test_a_percent_script_is_a_module_with_cells(project: Path, run: Run) -> None:
    script = "# %%\nimport jax.numpy as jnp\n# %time f()\nx = jnp.zeros(3)\n# %%\nx.at[0].set(1)\n"
    (project / "script.py").write_text(f"{script}# %% [markdown]\n# Text\n# %%\ny = 1\n")
    assert "" == run(*CHECK, "script.py").stdout
    (project / "script.py").write_text(f"{script}y = 1\n# %%\n%time f()\n")
    assert "script.py:9:1: JAX001 invalid syntax\n" == run(*CHECK, "script.py").stdout
    (project / "script.py").write_text(f"{script}y = 1\n")
    assert run(*CHECK, "script.py").stdout.startswith("script.py:6:1: JAX152 ")


def test_the_documentation_shows_what_is_printed(project: Path, run: Run) -> None:
    shown = DOCS.read_text(encoding="utf-8").partition("```text\n")[2].partition("```")[0]
    (project / "nb.ipynb").rename("train.ipynb")
    assert shown == run(*CHECK, "train.ipynb").stdout


def test_an_editor_that_shows_the_file_of_a_notebook_is_told_nothing(project: Path) -> None:
    projects = Projects()
    path = str(project / "nb.ipynb")
    projects.put(path, (project / "nb.ipynb").read_text())
    assert Report(path) == projects.check(path, lambda: False)
    assert projects.why(path, 4, 8, lambda: False) is None
    assert [] == projects.outdated()


def test_of_a_file_that_is_no_notebook_no_long_line_is_shown(project: Path, run: Run) -> None:
    (project / "bad.ipynb").write_text('{"nbformat": 4, "a": "' + "x" * 5000 + '"')
    shown = run("check", "bad.ipynb", "--no-cache").stdout
    assert "bad.ipynb:1:5024" in shown
    assert len(shown) < 1000

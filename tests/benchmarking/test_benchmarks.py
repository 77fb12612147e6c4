"""The benchmarks run, and measure what they say; how long anything takes is not tested here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from jaxlint.session.session import Session

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks import (  # noqa: E402
    cold,
    commands,
    cores,
    corpora,
    editor,
    growth,
    measure,
    peers,
    run,
    tables,
    warm,
)
from benchmarks.plan import Plan  # noqa: E402

HAZARD = """
import jax

@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""
USER = """
import jax
from tiny import hazard

def steps(x):
    doubled = x * 2
    return hazard.relu(doubled)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with a module, and one that uses it."""
    root = tmp_path / "tree"
    package = root / "tiny"
    package.mkdir(parents=True)
    (root / "pyproject.toml").touch()
    (package / "__init__.py").touch()
    (package / "hazard.py").write_text(HAZARD)
    (package / "user.py").write_text(USER + "y = jax.numpy.ones(3) + 1\n" * 20)
    (package / "plain.py").write_text("x = 1\n" * 12)
    return root


@pytest.fixture
def plan(tree: Path, tmp_path: Path) -> Plan:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "numbers.py").write_text("def double(x):\n    return x * 2\n")
    (plain / "tells.py").write_text("import jax\n")
    tiny = corpora.corpus("tiny", str(tree))
    return Plan((tiny,), 1, str(plain), 1, sys.executable, tiny, sys.executable)


def row(table: tables.Table, name: str) -> tables.Row:
    (found,) = [one for one in table.rows if one.name == name]
    return found


# -- the sections ---------------------------------------------------------------------------------


def test_a_cold_check_is_measured_with_and_without_jax_and_from_inside(plan: Plan) -> None:
    whole, inside, plain = cold.tables(plan)
    assert "Cold: tiny (4 files, 47 lines)" == whole.title
    for table, allowed in ((whole, cold.ALLOWED), (plain, cold.ALLOWED_PLAIN)):
        assert 1.0 == row(table, cold.PARSER).figure
        assert allowed == row(table, cold.JAXLINT).allowed
        assert (row(table, cold.JAXLINT).figure or 0) > 0
    assert "Cold: no JAX (1 files, 2 lines)" == plain.title
    assert ("-", "75.0%") == row(inside, "files parsed").cells
    assert ("-", "25.0%") == row(inside, "files not parsed").cells
    assert ("-", "74.5%") == row(inside, "lines parsed").cells
    assert [] == inside.notes


def test_other_linters_are_measured_where_they_are_installed_and_named_where_not(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = peers.Peer("the compiler", "ruff", ("-m", "py_compile"), 0.15, slow=True, word="torch")
    monkeypatch.setattr(peers, "PEERS", (known, peers.Peer("Nobody", "nobody", ("nobody",))))
    (table,) = peers.tables(plan)
    assert ["jaxlint", "flake8", "flake8 with the plugin", "the compiler"] == [
        one.name for one in table.rows
    ]
    assert ["Not installed: Nobody."] == table.notes
    assert peers.ALLOWED_FLAKE8 == row(table, "flake8").allowed
    assert "1" == row(table, "the compiler").cells[1]
    assert "1.00" == tables.number(row(table, "jaxlint").figure)


def test_the_cost_of_the_whole_follows_from_that_of_a_part_without_the_start() -> None:
    part, start, whole_p, part_p = (measure.Cost(n, 10 * n, 5) for n in (7, 1, 20, 2))
    assert measure.Cost(61, 610, 5) == peers.extrapolated(part, start, whole_p, part_p)


def test_a_word_that_a_linter_looks_for_is_put_into_copies(tree: Path) -> None:
    file = tree / "tiny" / "hazard.py"
    (copy,) = peers._with_word([str(file)], "torch")
    assert f"{HAZARD}\n# torch\n" == Path(copy).read_text()
    assert HAZARD == file.read_text()


@pytest.mark.skipif(not commands.is_installed("mypy"), reason="mypy is not installed")
def test_mypy_is_measured_cold_and_for_the_files_that_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("wrong: int = ''\n")
    file = tmp_path / "given.py"
    file.write_text("import other\n\nright = other.wrong\nwrong: int = ''\n")
    (mypy,) = (one for one in peers.PEERS if one.distribution == "mypy")
    output = peers._command(mypy, sys.executable, [str(file)], tmp_path).run().output
    assert ["given.py"] == [line.partition(":")[0] for line in output.splitlines()]
    assert {"given.py", "other.py"} == {one.name for one in tmp_path.iterdir()}


def test_what_changed_is_measured_or_the_lack_of_a_cache_is_named(plan: Plan) -> None:
    (table,) = warm.tables(plan)
    if not commands.offers("--no-cache"):
        assert ["this jaxlint has no cache"] == [one.absent for one in table.rows]
        return
    assert [warm.FLOOR, "nothing changed"] == [one.name for one in table.rows[:2]]
    assert "0" == row(table, "nothing changed").cells[3]
    (leaf,) = [one for one in table.rows if one.name.startswith("a leaf changed")]
    assert "1" == leaf.cells[3]


def test_a_leaf_is_what_nothing_depends_on_and_a_helper_what_some_do(tree: Path) -> None:
    package = tree / "tiny"
    for number in range(3):
        (package / f"user{number}.py").write_text(USER)
    found = warm.chosen(corpora.corpus("tiny", str(tree)))
    assert str(package / "user.py") == found["a leaf"]
    assert str(package / "hazard.py") == found["a helper"]


def test_two_processes_are_measured_against_one(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def nothing(root: str, jobs: int) -> measure.Command:
        asked.append(jobs)
        return measure.Command((sys.executable, "-S", "-c", "pass"))

    monkeypatch.setattr(cores, "check", nothing)
    monkeypatch.setattr(cores.os, "cpu_count", lambda: 2)
    (table,) = cores.tables(plan)
    assert [1, 2] == asked
    assert [(cores.ONE, None), (cores.TWO, 0.65)] == [(it.name, it.allowed) for it in table.rows]
    monkeypatch.setattr(cores.os, "cpu_count", lambda: 1)
    (table,) = cores.tables(plan)
    assert ["this machine has one core"] == [one.absent for one in table.rows]


def test_growth_is_measured_with_copies_and_with_statements(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "COPIES", (1, 2))
    monkeypatch.setattr(growth, "STATEMENTS", (20, 40))
    files, largest, statements = growth.files(plan), growth.largest(plan), growth.statements(plan)
    assert ["1 x", "2 x", "exponent of time", "peak of 2 x over 1 x"] == [
        one.name for one in files.rows
    ]
    assert ["4", "8"] == [one.cells[0] for one in files.rows[:2]]
    assert "Memory for one file: user.py" == largest.title
    assert ["20 statements", "40 statements", "exponent of time"] == [
        one.name for one in statements.rows
    ]


def test_edits_and_flake8_are_measured(plan: Plan) -> None:
    edits, plugin = editor.tables(plan)
    session = row(edits, "session: tree/tiny/user.py")
    assert ("27", editor.ALLOWED_EDIT) == (session.cells[0], session.allowed)
    server = row(edits, "jaxlint lsp: tree/tiny/user.py")
    assert (server.figure is not None) == commands.has_command("lsp")
    assert [1.4] * 4 + [1.05] * 4 == [one.allowed for one in plugin.rows]
    assert all((one.figure or 0) > 0 for one in plugin.rows)


# -- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("figure", "code"), [(0.64, 0), (0.66, 1)])
def test_the_exit_code_says_whether_anything_costs_too_much(
    figure: float,
    code: int,
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = tables.Table("Cold", rows=[tables.Row("check", figure=figure, allowed=0.65)])
    monkeypatch.setattr(run, "SECTIONS", {"cold": lambda plan: iter([table])})
    written = tmp_path / "figures.json"
    assert code == run.main(["--corpus", f"tiny={tree}", "--json", str(written)])
    printed = capsys.readouterr().out
    assert "### Cold\n" in printed
    assert "| Cold: check |" in printed
    (found,) = json.loads(written.read_text())["tables"]
    assert figure == found["rows"][0]["ratio"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "lukewarm"], "no such section: lukewarm"),
        (["--corpus", "nameless"], "--corpus takes NAME=PATH"),
        (["--corpus", "missing=/nowhere/at/all"], "--corpus takes NAME=PATH"),
        (["--corpus", "empty={empty}"], "no Python files in"),
        (["--corpus", "tiny={tree}", "--growth", "huge"], "--growth names none of the corpora"),
        (["--corpus", "tiny={tree}", "--peers", "/no/python"], "--peers takes an interpreter"),
        (["--corpus", "tiny={tree}", "--plain", "/no/tree"], "--plain takes a directory"),
        (["--corpus", "tiny={tree}", "--json", "/no/where/it"], "there is no directory for"),
        (["--corpus", "tiny={tree}", "--repeats", "0"], "--repeats takes a number from 1 on"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    tree: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(SystemExit) as stopped:
        run.main([one.format(empty=empty, tree=tree) for one in arguments])
    assert 2 == stopped.value.code
    assert message in capsys.readouterr().err


# -- what is measured with ------------------------------------------------------------------------


def test_the_parser_reads_every_file_that_is_listed(tree: Path) -> None:
    listed = corpora.corpus("tiny", str(tree)).files
    assert 4 == json.loads(commands.parsing(listed).run().output)["files"]


def test_the_plugin_is_registered_in_one_of_two_equal_environments(tree: Path) -> None:
    file = str(tree / "tiny" / "hazard.py")
    assert "JAX301" in commands.flake8([file], True).run().output
    without, having = (
        {one.name for one in Path(commands.packages(plugin)).iterdir()} for plugin in (False, True)
    )
    (registration,) = having - without
    assert registration.startswith("flake8_jaxlint-")


def test_copies_are_packages_that_import_within_themselves(tree: Path) -> None:
    twice = corpora.copies(corpora.corpus("tiny", str(tree)), 2)
    assert 8 == len(twice.files)
    user = str(Path(twice.root, "copy1", "tree", "tiny", "user.py"))
    helper = str(Path(twice.root, "copy1", "tree", "tiny", "hazard.py"))
    assert [helper, user] == Session().entries_for(helper)

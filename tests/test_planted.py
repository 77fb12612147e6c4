"""Every planted bug finds its place in the engine, and the suite catches what is planted."""

from __future__ import annotations

import ast
from pathlib import Path

import planted
import pytest
from planted import ROOT, AnchorError, alive, caught, copy_of_project, tried
from planted_bugs import BUGS, Bug

BY_NAME = {bug.name: bug for bug in BUGS}


def module_of(bug: Bug) -> Path:
    return ROOT / "jaxlint" / bug.file


def test_there_are_enough_bugs_and_each_has_a_name_of_its_own() -> None:
    assert len(BY_NAME) == len(BUGS) >= 20


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_bug_changes_one_place_of_a_module_that_stays_python(name: str) -> None:
    bug = BY_NAME[name]
    source = module_of(bug).read_text(encoding="utf-8")
    changed = planted.planted(bug, source)
    assert ast.dump(ast.parse(source)) != ast.dump(ast.parse(changed))


@pytest.mark.parametrize("count", [0, 2])
def test_an_anchor_that_is_not_there_once_is_an_error(count: int) -> None:
    bug = Bug("some-bug", "anything", "engine/domain/environment.py", "x = 1\n", "x = 2\n")
    with pytest.raises(AnchorError, match=f"occurs {count} times"):
        planted.planted(bug, "x = 1\n" * count)


def test_a_copy_without_a_bug_passes_and_runs_its_own_package(tmp_path: Path) -> None:
    project = copy_of_project(tmp_path / "project")
    assert alive(project)
    assert caught(project, ["reveal"]) is None


def test_the_suite_catches_a_planted_bug() -> None:
    outcome = tried(BY_NAME["traced-shape"], ["reveal"])
    assert outcome is not None
    assert outcome.failed
    assert all("::" in test for test in outcome.failed)


def test_a_bug_that_breaks_everything_proves_nothing(tmp_path: Path) -> None:
    bug = Bug(
        "no-values", "nothing works", "engine/queries/analyse.py", "def trace(", "def no_trace("
    )
    assert not alive(copy_of_project(tmp_path / "project", bug))


def test_bugs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert planted.main(["--list"]) == 0
    assert sorted(BY_NAME) == sorted(
        line.partition(":")[0] for line in capsys.readouterr().out.splitlines()
    )

"""Whole projects: real JAX shows each marked hazard, and the linter shows them and no others."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flake8.main.cli import main as flake8_main
from projects import PROJECTS, TREES, Found, Tree, every_tree

from jaxlint.base.witness import Differs, Effects, Freezes, Leaks, Raises, Recompiles, Witness
from jaxlint.frontends import flake8 as adapter
from jaxlint.frontends.cli import main
from jaxlint.registry.registry import rules_in

RUNNER = Path(__file__).parent / "project_runs.py"
WITNESSES = {rule.code: rule.witness for rule in rules_in("jaxlint.rules")}


def observed(tree: Tree) -> list[dict[str, Any]]:
    """What the runs of a tree show, in one process of their own."""
    command = [sys.executable, str(RUNNER), str(tree.root)]
    # Compiling is most of the time, and nobody waits for what is compiled.
    environment = {"XLA_FLAGS": "--xla_backend_optimization_level=0", **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    shown: list[dict[str, Any]] = json.loads(done.stdout)
    return shown


def complaints(tree: Tree, observed: list[dict[str, Any]]) -> Iterator[str]:
    """In which runs real JAX shows something else than the tree says."""
    for run, shown in zip(tree.runs, observed, strict=True):
        where = f"run {run.number} {run.witness}"
        places = {f"{file}:{line}" for file, line in run.at}
        if run.witness == "raises":
            if run.error not in shown.get("raised", ()) or {shown["at"]} != places:
                yield f"{where}: {shown.get('message')} at {shown.get('at')}, not {places}"
            continue
        if "raised" in shown:
            yield f"{where}: raised {shown['message']} at {shown['at']}"
        if bool(shown["leaks"]) != (run.witness == "leaks"):
            yield f"{where}: leaks {shown['leaks']}"
        if places - shown["ran"].keys():
            yield f"{where}: never came to {places - shown['ran'].keys()}"
        if run.witness == "shows" and shown["value"] is not True:
            yield f"{where}: the last expression is not true"
        if run.witness == "recompiles" and not shown["compilations"]:
            yield f"{where}: compiled nothing the second time"
        if run.witness == "differs":
            differs = shown["differs"]
            if differs["chance"] or not differs["what"] or places - set(differs["rarer"]):
                yield f"{where}: {differs['what']!r}, by chance {differs['chance']!r}"


@pytest.mark.jax
@pytest.mark.full
@every_tree
def test_real_jax_shows_what_the_tree_says_and_runs_all_of_it(tree: Tree) -> None:
    runs = observed(tree)
    assert [] == list(complaints(tree, runs))
    entered = {place for run in runs for place in run["ran"]}
    assert {f"{file}:{line}" for file, line in tree.functions} - entered == set()


@every_tree
def test_every_mark_is_witnessed(tree: Tree) -> None:
    assert unproved(tree) == set()
    assert {mark[:2] for mark in tree.marks} == {place for run in tree.runs for place in run.at}


def unproved(tree: Tree) -> set[Found]:
    """The marks of which no run shows that they are right."""
    witnessed = {
        (*place, code)
        for run in tree.runs
        for place in run.at
        for code, witness in WITNESSES.items()
        if is_shown_by(witness, run.witness, run.error)
    }
    return tree.marks - witnessed


def is_shown_by(witness: Witness, kind: str, error: str) -> bool:
    match witness:
        case Raises():
            return kind == "raises" and error in witness.errors
        case Effects() | Differs() | Freezes():
            return kind == "differs"
        case Leaks():
            return kind == "leaks" or error == "UnexpectedTracerError"
        case Recompiles():
            return kind == "recompiles"
    return kind == "shows"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_all_trees_at_once_and_by_several_processes(
    jobs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECTS)
    marks = {(f"{t.name}/{file}", line, code) for t in TREES for file, line, code in t.marks}
    assert marks == findings("-j", jobs, ".")


def findings(*arguments: str) -> set[Found]:
    """What the command shows in the current directory."""
    result = CliRunner().invoke(
        main, ["check", "--no-cache", "--output-format", "json", *arguments]
    )
    assert result.exit_code in (0, 1), result.output
    return {
        (os.path.relpath(row["filename"]).replace(os.sep, "/"), row["line"], row["code"])
        for row in json.loads(result.stdout)
    }


# Of flake8, `JAX` asks for the rules that are off as well.
DEFAULT = ",".join(rule.code for rule in rules_in("jaxlint.rules") if rule.default)


@every_tree
class TestLinted:
    @pytest.fixture(autouse=True)
    def inside(self, tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The tree is the current directory, and flake8's plugin as nobody has used it."""
        monkeypatch.chdir(tree.root)
        monkeypatch.setattr(adapter.Plugin, "_run", None)
        monkeypatch.setenv("JAXLINT_CACHE_DIR", str(tmp_path))

    def test_as_a_whole(self, tree: Tree) -> None:
        assert tree.marks == findings(".")

    def test_in_another_order(self, tree: Tree) -> None:
        files = random.Random(tree.name).sample(tree.files, len(tree.files))
        assert tree.marks == findings(*files)

    def test_by_flake8(self, tree: Tree, capfd: pytest.CaptureFixture[str]) -> None:
        flake8_main(["--isolated", "--jobs", "1", "--select", DEFAULT, "."])
        rows = [line.split(":", 3) for line in capfd.readouterr().out.splitlines()]
        found = {(os.path.normpath(row[0]), int(row[1]), row[3].split()[0]) for row in rows}
        assert tree.marks == {(file.replace(os.sep, "/"), line, code) for file, line, code in found}

    def test_one_file_alone(self, tree: Tree) -> None:
        shown = {alone.file: findings(alone.file) for alone in tree.alone}
        assert {alone.file: set(alone.findings) for alone in tree.alone} == shown

"""The hooks that are shipped, run by pre-commit itself, with the jaxlint that is installed here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pre_commit.clientlib import load_manifest

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in load_manifest(MANIFEST)}

MODEL = """\
import jax


@jax.jit
def relu(x, limit):
    if x > limit:
        return x
    return 0.0 * x
"""
SIZES = """\
import jax


@jax.tree_util.register_static
class Size:
    def __gt__(self, limit):
        return True


@jax.jit
def cut(x, limit):
    if x > limit:
        return x
    return limit
"""

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(directory: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=directory, check=True, capture_output=True)


def configure(project: Path, identifier: str) -> None:
    """Has the hook run what is installed, and not an environment that is made for it."""
    names = ("id", "name", "entry", "args", "types_or", "require_serial")
    hook = {name: HOOKS[identifier][name] for name in names} | {"language": "system"}
    settings = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(settings))


def pre_commit(project: Path, *arguments: str) -> tuple[int, str]:
    inherited = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    path = os.pathsep.join([str(Path(sys.executable).parent), inherited["PATH"]])
    home = str(project.parent / "home")
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--color", "never", *arguments],
        cwd=project,
        env={**inherited, "PATH": path, "PRE_COMMIT_HOME": home},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "pyproject.toml").write_text('[tool.jaxlint]\nexclude = ["gen/"]\n')
    git(directory, "init", "-q")
    return directory


def test_they_are_the_command_its_fixes_and_its_verifier() -> None:
    assert {"jaxlint", "jaxlint-fix", "jaxlint-verify"} == HOOKS.keys()
    for hook in HOOKS.values():
        assert ("python", ["python", "jupyter"], True) == (
            hook["language"],
            hook["types_or"],
            hook["require_serial"],
        )


def test_files_of_a_commit_are_checked_as_far_as_they_are_not_excluded(project: Path) -> None:
    configure(project, "jaxlint")
    (project / "my model.py").write_text(MODEL)
    (project / "notes.txt").write_text(MODEL)
    (project / "gen").mkdir()
    (project / "gen" / "model.py").write_text(MODEL)
    git(project, "add", "--all")

    code, output = pre_commit(project)
    assert (1, True) == (code, "Failed" in output), output
    assert " --> my model.py:6:8\n" in output
    assert "Found 1 finding in 1 file (1 error)." in output

    cell = {"cell_type": "code", "metadata": {}, "source": MODEL}
    (project / "nb.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4}))
    code, output = pre_commit(project, "--files", "nb.ipynb")
    assert (1, True) == (code, " --> nb.ipynb:cell 1:6:8\n" in output), output
    code, output = pre_commit(project, "--files", "notes.txt")
    assert (0, True) == (code, "Skipped" in output), output
    code, output = pre_commit(project, "--files", "gen/model.py")
    assert (0, True) == (code, "Passed" in output), output


def test_what_can_be_fixed_is_fixed_and_fails_until_it_is_added(project: Path) -> None:
    configure(project, "jaxlint-fix")
    path = project / "model.py"
    path.write_text(
        "import jax\n\n@jax.jit\ndef f(x):\n    y = 2 * x\n    y[0] = 1.0\n    return y\n"
    )
    git(project, "add", "--all")
    code, output = pre_commit(project)
    assert (1, True) == (code, "files were modified by this hook" in output), output
    assert "    y = y.at[0].set(1.0)\n" in path.read_text()
    git(project, "add", "--all")
    code, output = pre_commit(project)
    assert (0, True) == (code, "Passed" in output), output


@pytest.mark.jax
def test_verification_passes_over_what_given_arguments_refute(project: Path) -> None:
    configure(project, "jaxlint-verify")
    given = '{ "model:relu" = "f32[], 2.0", "sizes:cut" = "Size(), 2.0" }'
    (project / "pyproject.toml").write_text(f"[tool.jaxlint.verify]\narguments = {given}\n")
    (project / "model.py").write_text(MODEL)
    (project / "sizes.py").write_text(SIZES)
    git(project, "add", "--all")
    code, output = pre_commit(project)
    assert (1, True) == (code, "Failed" in output), output
    assert " --> model.py:6:8\n" in output
    assert "verdict: confirmed with x: f32[], limit=2.0 (given)\n" in output
    assert "sizes.py:12" not in output
    assert "jaxlint: refuted and left out: 1\n" in output

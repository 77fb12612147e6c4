"""The hook, run by pre-commit itself in a repository made for the purpose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = (".pre-commit-hooks.yaml", "LICENSE", "README.md", "pyproject.toml", "jaxlint")

BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]


def git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    quiet = ["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *quiet, *arguments],
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Path]:
    """A repository that holds this project, its commit, and a home for pre-commit."""
    clone = tmp_path_factory.mktemp("jaxlint")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, clone / name)
    git(clone, "init")
    git(clone, "add", "--all")
    git(clone, "commit", "--message", "snapshot")
    return clone, git(clone, "rev-parse", "HEAD"), tmp_path_factory.mktemp("home")


@pytest.fixture
def project(hook: tuple[Path, str, Path], tmp_path: Path) -> Path:
    """A repository with files of several kinds and the hook configured."""
    clone, revision, _ = hook
    (tmp_path / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {clone.as_uri()}\n  rev: {revision}\n  hooks:\n  - id: jaxlint\n"
    )
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "good.py").write_text("import jax\n")
    (tmp_path / "notes.txt").write_text("if x > 0:\n")
    (tmp_path / "gen").mkdir()
    (tmp_path / "gen" / "bad.py").write_text(BAD)
    (tmp_path / "pyproject.toml").write_text('[tool.jaxlint]\nexclude = ["gen/"]\n')
    git(tmp_path, "init")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--message", "start")
    return tmp_path


def pre_commit(project: Path, hook: tuple[Path, str, Path], *files: str) -> tuple[int, str]:
    environment = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--color", "never", "--files", *files],
        cwd=project,
        env={**environment, "PRE_COMMIT_HOME": str(hook[2])},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_hook_passes_skips_fails_and_respects_excludes(
    hook: tuple[Path, str, Path], project: Path
) -> None:
    code, output = pre_commit(project, hook, "good.py")
    assert (code, "Passed" in output) == (0, True), output

    code, output = pre_commit(project, hook, "notes.txt")
    assert (code, "Skipped" in output) == (0, True), output

    code, output = pre_commit(project, hook, "gen/bad.py")
    assert (code, "Passed" in output) == (0, True), output

    code, output = pre_commit(project, hook, "good.py", "bad.py", "gen/bad.py", "notes.txt")
    assert (code, "Failed" in output) == (1, True), output
    assert " --> bad.py:6:8\n" in output
    assert "gen/bad.py" not in output
    assert "Found 1 finding in 1 file (1 error)." in output


def test_the_hook_installs_no_jax(hook: tuple[Path, str, Path], project: Path) -> None:
    pre_commit(project, hook, "good.py")
    installed = {path.name for path in hook[2].glob("repo*/py_env-*/**/site-packages/*")}
    assert "libcst" in installed
    assert not installed & {"jax", "jaxlib", "numpy"}

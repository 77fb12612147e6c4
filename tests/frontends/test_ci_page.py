"""docs/ci.md: what it shows is what is shipped, and does what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pre_commit.clientlib import load_config

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SNIPPETS = [yaml.safe_load(text) for language, text in BLOCKS if language == "yaml"]
WORKFLOWS = [one for one in SNIPPETS if "jobs" in one]
HOOKS = [one for one in SNIPPETS if "repos" in one]
PIPELINES = [one for one in SNIPPETS if one not in WORKFLOWS + HOOKS]
STEPS = [step for one in WORKFLOWS for job in one["jobs"].values() for step in job["steps"]]
BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def bash(script: str, directory: Path, **variables: str) -> tuple[int, str]:
    """What the commands say, and the exit code of the last one or the first that fails."""
    inherited = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    path = os.pathsep.join([str(Path(sys.executable).parent), inherited["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=directory,
        env={**inherited, "PATH": path, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one finding."""
    directory = tmp_path_factory.mktemp("project")
    (directory / "src").mkdir()
    (directory / "src" / "model.py").write_text(BAD)
    return directory


def test_hooks_are_those_that_are_shipped(tmp_path: Path) -> None:
    shipped = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    shown = set()
    for snippet in HOOKS:
        path = tmp_path / "config.yaml"
        path.write_text(yaml.safe_dump(snippet))
        for repository in load_config(path)["repos"]:
            if repository["repo"] != "local":
                shown |= {hook["id"] for hook in repository["hooks"]}
    assert shown == {hook["id"] for hook in shipped}
    assert shown == set(re.findall(r"^\| `(jaxlint[\w-]*)` \|", PAGE, re.MULTILINE))


def test_the_inputs_of_the_action_are_all_there() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(.*?)` )?\| ", PAGE, re.MULTILINE)
    assert {name: one["default"] for name, one in inputs.items()} == dict(rows)
    given = [step["with"] for step in STEPS if "jaxlint" in step.get("uses", "") and "with" in step]
    assert [set(inputs)] == [set(one) for one in given]


@needs_bash
def test_workflows_without_the_action_annotate(project: Path) -> None:
    commands = [step["run"] for step in STEPS if step.get("run", "").startswith("jaxlint")]
    assert commands
    for command in commands:
        code, output = bash(command, project)
        assert 1 == code
        assert output.startswith("::error title=jaxlint (JAX301),file=")


@needs_bash
def test_the_pipeline_reports_and_fails(project: Path) -> None:
    (job,) = (job for pipeline in PIPELINES for job in pipeline.values())
    code, output = bash("set -e\n" + "\n".join(job["script"]), project, CI_PROJECT_DIR=str(project))
    assert 1 == code
    assert " --> src/model.py:6:8\n" in output
    report = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text())
    assert ["src/model.py"] == [row["location"]["path"] for row in report]

"""The GitHub Action: what it declares fits the schema, and its scripts run as on a runner."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner

FILE = Path(__file__).parents[2] / "action.yml"
ACTION: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"

# Inputs that would run something if they were part of a script.
HOSTILE = [
    "$(touch owned)",
    "`touch owned`",
    "; touch owned",
    '"; touch owned; "',
    "&& touch owned",
]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def step(identifier: str) -> dict[str, Any]:
    return next(one for one in STEPS if one.get("id") == identifier)


def run(identifier: str, directory: Path, **variables: str) -> tuple[int, str, str]:
    """The script of a step, with the environment that it declares and nothing more of it."""
    assert variables.keys() == step(identifier)["env"].keys()
    (directory / "runner").mkdir(exist_ok=True)
    script = directory / "runner" / "script.sh"
    script.write_text(step(identifier)["run"])
    runner = {
        "GITHUB_ACTION_PATH": str(FILE.parent),
        "GITHUB_OUTPUT": str(directory / "runner" / "output"),
        "RUNNER_TEMP": str(directory / "runner"),
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
        cwd=directory,
        env={**os.environ, **runner, **variables},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def check(directory: Path, src: str, args: str = "", **variables: str) -> tuple[int, str, str]:
    command = Path(sys.executable).with_name("jaxlint")
    usual = {
        "JAXLINT_COMMAND": str(command),
        "JAXLINT_ANNOTATIONS": "true",
        "JAXLINT_SARIF": "false",
    }
    return run("check", directory, JAXLINT_SRC=src, JAXLINT_ARGS=args, **usual | variables)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "my models").mkdir()
    (tmp_path / "my models" / "first, or 100%.py").write_text(BAD)
    (tmp_path / "good.py").write_text("import jax\n")
    return tmp_path


@pytest.fixture
def echo(tmp_path: Path) -> str:
    """A command that prints its arguments, one on each line."""
    path = tmp_path / "echo"
    path.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    path.chmod(0o755)
    return str(path)


def test_it_is_an_action() -> None:
    arguments = ["--builtin-schema", "vendor.github-actions", str(FILE)]
    result = CliRunner().invoke(check_jsonschema, arguments)
    assert 0 == result.exit_code, result.output


def test_no_script_and_no_name_holds_an_expression() -> None:
    for one in STEPS:
        assert "${{" not in one.get("run", "") + one["name"]


def test_every_input_is_used_and_every_used_one_is_declared() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", FILE.read_text(encoding="utf-8")))
    assert used == ACTION["inputs"].keys()


def test_annotations_and_code_scanning_of_a_path_with_blanks(project: Path) -> None:
    code, output, _ = check(project, "my models\ngood.py\n", JAXLINT_SARIF="true")
    path = str(project / "my models" / "first, or 100%.py")
    escaped = path.replace("%", "%25").replace(",", "%2C")
    assert 1 == code
    assert output.startswith(f"::error title=jaxlint (JAX301),file={escaped},line=6,endLine=6,")
    assert 1 == output.count("::error")

    written = (project / "runner" / "output").read_text()
    assert f"sarif={project}/runner/jaxlint.sarif\n" == written
    log = json.loads((project / "runner" / "jaxlint.sarif").read_text())
    assert ["JAX301"] == [one["ruleId"] for one in log["runs"][0]["results"]]


def test_options_are_words_and_paths_are_lines(tmp_path: Path, echo: str) -> None:
    options = """--config 'min-confidence = "high"'\n  --ignore "JAX301,"'JAX302' *\n"""
    src = "my models\r\n\n-b\n*"
    code, output, _ = check(tmp_path, src, options, JAXLINT_COMMAND=echo)
    words = ["--config", 'min-confidence = "high"', "--ignore", "JAX301,JAX302", "*"]
    expected = ["check", "--output-format", "github", *words, "--", "my models", "-b", "*"]
    assert (0, expected) == (code, output.splitlines())


def test_without_annotations_the_settings_decide(tmp_path: Path, echo: str) -> None:
    _, output, _ = check(tmp_path, "", " \n", JAXLINT_COMMAND=echo, JAXLINT_ANNOTATIONS="false")
    assert ["check", "--"] == output.splitlines()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_inputs_are_never_run(tmp_path: Path, echo: str, hostile: str) -> None:
    code, output, _ = check(tmp_path, hostile, hostile, JAXLINT_COMMAND=echo)
    assert (0, hostile) == (code, output.splitlines()[-1])
    assert not list(tmp_path.rglob("owned"))


def test_quotes_that_do_not_match_are_an_error(tmp_path: Path, echo: str) -> None:
    code, output, _ = check(tmp_path, "good.py", "--ignore 'JAX301", JAXLINT_COMMAND=echo)
    assert 2 == code
    assert '::error title=jaxlint::The quotes in the input "args" do not match.\n' == output


PYTHON = """#!/bin/sh
case "$2" in
  venv)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    cp "$0" "$3/bin/jaxlint" ;;
  pip) printf '%s\\n' "$@" ;;
esac
"""


@pytest.mark.parametrize(
    ("version", "requirement"),
    [
        ("", str(FILE.parent)),
        ("latest", "flake8-jaxlint"),
        ("0.1.0", "flake8-jaxlint==0.1.0"),
        (">=0.1,<0.2", "flake8-jaxlint>=0.1,<0.2"),
        *((one, None) for one in [*HOSTILE, "-other", "other", " @ https://example.org", "1\n2"]),
    ],
)
def test_what_is_installed(tmp_path: Path, version: str, requirement: str | None) -> None:
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    code, output, _ = run("install", tmp_path, JAXLINT_PYTHON=str(python), JAXLINT_VERSION=version)
    if requirement is None:
        assert 2 == code
        assert output.startswith('::error title=jaxlint::The input "version" is neither ')
        assert ["python", "runner"] == sorted(one.name for one in tmp_path.iterdir())
        return
    assert 0 == code
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    assert words == output.splitlines()
    written = (tmp_path / "runner" / "output").read_text()
    assert f"command={tmp_path}/runner/jaxlint/bin/jaxlint\n" == written

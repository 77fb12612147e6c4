"""The example of a plugin in fixtures: what it adds to each front end, and that its pages hold."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from environments import Environment

PLUGIN = Path(__file__).parents[2] / "fixtures" / "plugin"
Python = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Python:
    """Runs Python where the plugin is installed in place, in the plugin's own directory."""
    made = Environment(tmp_path_factory.mktemp("environment"))
    with (PLUGIN / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    made.install(project["name"], "\n".join(lines) + "\n", project["version"])
    (made.site / "in_place.pth").write_text(f"{PLUGIN / 'src'}\n")
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    environment["JAXLINT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [made.python, "-m", *arguments]
        return subprocess.run(
            command, cwd=PLUGIN, env=environment, capture_output=True, text=True, check=False
        )

    return run


def marked() -> set[tuple[int, str]]:
    lines = (PLUGIN / "demo.py").read_text(encoding="utf-8").splitlines()
    return {
        (number, code)
        for number, line in enumerate(lines, 1)
        for code in re.findall(r"(?:JAX|TFY)\d{3}", line.partition("#")[2])
    }


def test_the_model_and_the_rule_count_in_the_command(python: Python, tmp_path: Path) -> None:
    demo = tmp_path / "demo.py"
    demo.write_text((PLUGIN / "demo.py").read_text(encoding="utf-8"))
    # Neither the word jax nor the library's source is there to tell that the file matters.
    result = python("jaxlint", "check", "--output-format", "json", str(demo))
    assert result.stderr == ""
    assert {(row["line"], row["code"]) for row in json.loads(result.stdout)} == marked()


def test_flake8_shows_the_same(python: Python) -> None:
    result = python("flake8", "--isolated", "--select", "JAX3,TFY", "demo.py")
    found = re.findall(r"^\S+?:(\d+):\d+: (\w+)", result.stdout, re.MULTILINE)
    assert {(int(line), code) for line, code in found} == marked()


def test_the_rule_is_listed_and_explained(python: Python) -> None:
    assert "TFY101  loss-cast-in-compiled-step" in python("jaxlint", "rules").stdout
    page = python("jaxlint", "explain", "TFY101").stdout
    assert "turns its loss into a Python number" in page


@pytest.mark.jax
def test_the_pages_hold(python: Python) -> None:
    result = python("pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore")
    assert result.returncode == 0, result.stdout
    assert re.search(r"^18 passed", result.stdout, re.MULTILINE), result.stdout


def test_without_the_plugin_nothing_is_known_of_the_library(tmp_path: Path) -> None:
    copy = tmp_path / "demo.py"
    copy.write_text("import jax\n" + (PLUGIN / "demo.py").read_text(encoding="utf-8"))
    command = [sys.executable, "-m", "jaxlint", "check", "-q", "demo.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")

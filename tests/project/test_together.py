"""Files without a project around them import each other's packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxlint.frontends.cli import main
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

LOOP = "def wait(done):\n    while not done:\n        done = done\n    return done\n"
SCRIPT = "import jax\n\nfrom pkg.loops import wait\n\njax.vmap(wait)(jax.numpy.ones(3) > 0)\n"


def found(files: dict[str, str], *asked: str) -> list[tuple[str, int, str]]:
    session = Session(files=Memory(files))
    session.ask(asked or files)
    reports = [session.check(path) for path in asked or files]
    return [(it.filename, it.line, it.code) for report in reports for it in report.findings]


@pytest.mark.parametrize("package", ["pkg", "src/pkg"])
@pytest.mark.parametrize("script", ["scripts/play.py", "examples/deep/play.py", "play.py"])
def test_a_script_imports_the_package_that_is_checked_with_it(package: str, script: str) -> None:
    files = {f"{package}/__init__.py": "", f"{package}/loops.py": LOOP, script: SCRIPT}
    assert [(f"{package}/loops.py", 2, "JAX302")] == found(files)


def test_the_nearest_package_of_a_name_is_meant() -> None:
    files = {
        "one/pkg/__init__.py": "",
        "one/pkg/loops.py": LOOP,
        "one/scripts/play.py": SCRIPT,
        "two/pkg/__init__.py": "",
        "two/pkg/loops.py": "def wait(done):\n    return done\n",
        "two/scripts/play.py": SCRIPT,
    }
    assert [("one/pkg/loops.py", 2, "JAX302")] == found(files)


def test_a_package_that_is_not_checked_is_not_looked_for() -> None:
    files = {"pkg/__init__.py": "", "pkg/loops.py": LOOP, "scripts/play.py": SCRIPT}
    assert [] == found(files, "scripts/play.py")


def test_a_plain_module_elsewhere_is_another_one() -> None:
    files = {"lib/loops.py": LOOP, "scripts/play.py": SCRIPT.replace("pkg.loops", "loops")}
    assert [] == found(files)


def test_a_project_finds_what_it_always_finds() -> None:
    files = {
        "pyproject.toml": "",
        "lib/pkg/__init__.py": "",
        "lib/pkg/loops.py": LOOP,
        "scripts/play.py": SCRIPT,
    }
    assert [] == found(files)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_directory_without_a_project(
    jobs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "pkg/__init__.py": "",
        "pkg/loops.py": LOOP,
        "scripts/play.py": SCRIPT,
        "scripts/other.py": SCRIPT,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with pytest.raises(SystemExit):
        main(["check", "--no-cache", f"-j{jobs}", "--output-format=json", str(tmp_path)])
    told = json.loads(capsys.readouterr().out)
    assert [("JAX302", 2)] == [(one["code"], one["line"]) for one in told]

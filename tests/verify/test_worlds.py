"""Recording and verification end to end, in this interpreter and in those that are named.

`JAXLINT_WORLDS` lists interpreters with other versions of Python and JAX, separated as `PATH` is.
Each script in `fixtures/verify` marks its findings with the verdicts that they must get.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "fixtures" / "verify").glob("*.py"))
WORLDS = [sys.executable, *filter(None, os.environ.get("JAXLINT_WORLDS", "").split(os.pathsep))]
MARK = re.compile(r"# verdict: (?P<code>JAX\d{3}) (?P<status>[a-z-]+)")

pytestmark = pytest.mark.jax

every_world = pytest.mark.parametrize("python", WORLDS, ids=lambda path: Path(path).parts[-3])


def marked(script: Path) -> set[tuple[int, str, str]]:
    lines = script.read_text(encoding="utf-8").splitlines()
    return {
        (number, found["code"], found["status"])
        for number, line in enumerate(lines, 1)
        for found in MARK.finditer(line)
    }


def jaxlint(*arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jaxlint", *arguments],
        cwd=directory,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@every_world
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_recorded_script_gets_the_verdicts_it_is_marked_with(
    script: Path, python: str, tmp_path: Path
) -> None:
    name = script.name
    (tmp_path / name).write_bytes(script.read_bytes())
    recorded = jaxlint("record", "--python", python, "--lint", name, name, directory=tmp_path)
    assert 0 == recorded.returncode, recorded.stderr
    checked = jaxlint(
        "check", "--verify", "--python", python, "--output-format", "json", name,
        directory=tmp_path,
    )  # fmt: skip
    assert 1 == checked.returncode, checked.stderr
    found = {
        (finding["line"], finding["code"], finding["verdict"]["status"])
        for finding in json.loads(checked.stdout)
    }
    assert marked(script) == found


@every_world
def test_the_explorer_knows_itself_right(python: str) -> None:
    script = (
        "import sys, types\n"
        "package = sys.modules['jaxlint'] = types.ModuleType('jaxlint')\n"
        f"package.__path__ = [{str(ROOT / 'jaxlint')!r}]\n"
        "from jaxlint.verify.child.process.selftest import selftest\n"
        "sys.exit(selftest() or 0)\n"
    )
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(
        [python, "-c", script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (0, "") == (run.returncode, run.stderr)


def test_worlds_agree_on_generated_programs() -> None:
    if len(WORLDS) == 1:
        pytest.skip("JAXLINT_WORLDS names no other interpreters")
    run = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("agreement.py")),
            "--programs",
            "40",
            *WORLDS,
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert 0 == run.returncode, run.stdout + run.stderr

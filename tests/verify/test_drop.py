"""`--verify-drop refuted` drops what JAX denies, and no finding that is true."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import recorded_pages

from jaxlint.base.text import SourceText
from jaxlint.frontends.runs.progress import Progress
from jaxlint.frontends.runs.verify import Verifier
from jaxlint.frontends.verify_options import Request
from jaxlint.results.report import Report
from jaxlint.session.session import load_registry
from jaxlint.settings.model import VerifySettings
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

pytestmark = [
    pytest.mark.jax,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="studies need fork"),
]
STEP = 1 if os.environ.get("JAXLINT_LONG_TAIL") else 12
HEALTHY = """\
import jax


@jax.jit
def f(x, n):
    if x.ndim > 0:
        return x + n
    return x


f(1.0, 2)
"""


def checked(folder: Path, *options: str) -> set[tuple[str, int, str]]:
    command = [sys.executable, "-m", "jaxlint", "check", "--output-format", "json", *options, "."]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return {(Path(each["filename"]).name, each["line"], each["code"]) for each in found}


def test_no_true_finding_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    rules = builtin_rules()
    true = set()
    hazards = [each for each in recorded_pages.examples() if each.is_hazard][::STEP]
    for number, example in enumerate(hazards):
        path = tmp_path / f"page_{number}.py"
        path.write_text(example.program, encoding="utf-8")
        for marker in example.markers:
            if marker.is_hazard:
                true.add((path.name, marker.line, rules[marker.rule].code))
    reported = checked(tmp_path) & true
    assert len(reported) > len(hazards) / 2
    assert reported == checked(tmp_path, "--verify", "--verify-drop", "refuted") & true


@pytest.mark.parametrize(("test", "left"), [("x.ndim", 0), ("x.real", 1)])
def test_a_false_finding_is_dropped(tmp_path: Path, test: str, left: int) -> None:
    (tmp_path / "pyproject.toml").touch()
    path = tmp_path / "model.py"
    path.write_text(HEALTHY.replace("x.ndim", test), encoding="utf-8")
    # What is found where the test is of the value is said of the test in the file.
    found = lint(HEALTHY.replace("x.ndim", "x.real"), str(path), builtin_rules().values())
    assert ["JAX301"] == [each.code for each in found]
    source = SourceText(str(path), path.read_text(encoding="utf-8"))
    quiet = Progress(sys.stderr, quiet=True)
    verifier = Verifier(Request(drop_refuted=True), load_registry(), lambda _: None, quiet)
    report = Report(str(path), tuple(found), source=source)
    (kept,) = verifier.verified([report], lambda _: VerifySettings())
    assert (left, 1 - left) == (len(kept.findings), verifier.dropped)

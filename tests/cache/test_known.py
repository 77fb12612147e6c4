"""A baseline decides what is said: whatever becomes of it, a later run takes it in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from edited import ALONE, cached, fresh

from jaxlint.frontends.cli import main

ARGUMENTS = ("--baseline", "known.json")
SETTINGS = '[project]\nname = "p"\n\n[tool.jaxlint]\nbaseline = "known.json"\n'


@pytest.fixture
def project(project: Path) -> Path:
    """The project with a baseline that holds all its findings, as the current directory."""
    (project / "other").mkdir()
    (project / "other" / "b.py").write_text(ALONE)
    written = CliRunner().invoke(main, ["check", "--no-cache", "--write-baseline", "known.json"])
    assert 0 == written.exit_code
    return project


def edited(old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        path = root / "known.json"
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new))

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        edited("JAX301", "JAX302"),
        edited('"count": 1', '"count": 3'),
        edited('"jaxlint-baseline": 1', '"jaxlint-baseline": 2'),
        lambda root: (root / "known.json").unlink(),
        lambda root: (root / "other" / "b.py").unlink(),
        lambda root: (root / "pyproject.toml").write_text(SETTINGS),
    ],
    ids=["another code", "another count", "another format", "gone", "a file gone", "settings"],
)
@pytest.mark.parametrize("arguments", [(), ("alone.py",)], ids=["all", "one"])
def test_a_baseline_that_changes_is_noticed(
    project: Path, tmp_path: Path, edit: Callable[[Path], None], arguments: tuple[str, ...]
) -> None:
    arguments = (*ARGUMENTS, *arguments)
    expected = fresh(arguments)
    assert expected[2].startswith("No findings")
    assert (expected, False) == cached(tmp_path / "cache", arguments)
    assert (expected, True) == cached(tmp_path / "cache", arguments)
    edit(project)
    expected = fresh(arguments)
    assert expected == cached(tmp_path / "cache", arguments)[0]
    assert expected == cached(tmp_path / "cache", arguments)[0]


def test_a_baseline_in_settings_that_comes_and_goes_is_noticed(
    project: Path, tmp_path: Path
) -> None:
    (project / "pyproject.toml").write_text(SETTINGS)
    seen = []
    for name in ("known.json", "away.json", "known.json"):
        for _ in range(2):
            outcome = cached(tmp_path / "cache", ())[0]
            assert fresh(()) == outcome
            seen.append(outcome[0])
        known = project / name
        known.replace(project / ("away.json" if name == "known.json" else "known.json"))
    assert [0, 0, 2, 2, 0, 0] == seen


def test_what_was_found_is_kept_whatever_the_baseline(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jaxlint.session.examination import Examination

    cached(tmp_path / "cache", ())
    monkeypatch.setattr(Examination, "_examine", lambda self, file: pytest.fail(f"again: {file}"))
    assert 0 == cached(tmp_path / "cache", ARGUMENTS)[0][0]


def test_a_run_that_writes_is_never_taken_from_the_cache(project: Path, tmp_path: Path) -> None:
    for arguments in (("--write-baseline", "new.json"), ("--add-noqa", "alone.py")):
        for _ in range(2):
            (project / "new.json").unlink(missing_ok=True)
            (project / "alone.py").write_text(ALONE)
            assert not cached(tmp_path / "cache", arguments)[1]
            text = (project / "alone.py").read_text()
            assert (project / "new.json").exists() == (text == ALONE)

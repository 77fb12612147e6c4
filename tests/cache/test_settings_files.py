"""Settings files are part of what a run depends on, and may say where its cache is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from edited import cached, fresh
from test_cache import command

from jaxlint.base import file_stats
from jaxlint.frontends.start import _directory


@pytest.mark.parametrize("coarse", [file_stats._COARSE, 0], ids=["by content", "by state"])
def test_a_settings_file_that_is_new_changed_or_gone_is_noticed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coarse: int
) -> None:
    monkeypatch.setattr(file_stats, "_COARSE", coarse)
    (project / "pyproject.toml").write_text("[project]\nname = 'p'\n")
    own, hidden = project / "jaxlint.toml", project / ".jaxlint.toml"
    above, inner = tmp_path / "jaxlint.toml", project / "pkg" / "jaxlint.toml"
    base = project / "base.toml"
    base.write_text("severity = {JAX301 = 'info'}\n")
    seen = set()
    for path, text in (
        (above, "output-format = 'concise'\n"),
        (above, None),
        (own, "ignore = ['JAX301']\n"),
        (own, "ignore = ['JAX3']\n"),
        (hidden, "per-file-ignores = {'ops.py' = ['JAX301']}\n"),
        (hidden, f"extend = '{base}'\noutput-format = 'concise'\n"),
        (base, "severity = {JAX301 = 'perf'}\noutput-format = 'full'\n"),
        (base, "exclude = ['alone.py']\n"),
        (inner, "select = ['JAX8']\n"),
        (inner, None),
        (hidden, None),
        (own, None),
    ):
        before = cached(tmp_path / "cache", ())[0]
        assert (before, True) == cached(tmp_path / "cache", ())
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
        expected = fresh(())
        assert (expected, expected == before) == (
            cached(tmp_path / "cache", ())[0],
            before == expected,
        )
        seen.add(expected)
    assert len(seen) >= 8


def test_a_named_file_and_settings_on_the_command_line_count(project: Path, tmp_path: Path) -> None:
    named = tmp_path / "named.toml"
    named.write_text("ignore = ['JAX301']\n")
    for arguments in (
        ("--config", str(named)),
        ("--isolated",),
        ("--config", "severity.JAX301 = 'perf'"),
        ("--config", "severity.JAX301 = 'info'"),
        ("--per-file-ignores", "ops.py:JAX301"),
        ("--target-jax", "0.4.30"),
    ):
        expected = fresh(arguments)
        assert [(expected, False), (expected, True)] == [
            cached(tmp_path / "cache", arguments) for _ in range(2)
        ]
    named.write_text("ignore = ['JAX3']\n")
    arguments = ("--config", str(named))
    assert (fresh(arguments), False) == cached(tmp_path / "cache", arguments)


def test_settings_may_say_where_the_cache_is(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.jaxlint]\ncache-dir = 'kept'\n")
    command("check")
    assert (project / "kept" / "check").is_dir()
    assert not (project / ".jaxlint_cache").exists()
    assert f"directory: {project / 'kept'}\nruns: 1\n" in command("cache", "info").stdout


def test_the_place_of_the_cache_is_known_before_settings_are_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAXLINT_CACHE_DIR", raising=False)
    usual, kept = str(project / ".jaxlint_cache"), str(project / "kept")
    base = project / "base.toml"
    base.write_text("cache-dir = 'kept'\n")
    assert usual == _directory(["check"])
    (project / "jaxlint.toml").write_text("extend-select = []\n")
    assert usual == _directory(["check"])
    (project / "jaxlint.toml").write_text("extend = 'base.toml'\n")
    assert kept == _directory(["check"])
    assert usual == _directory(["check", "--isolated"])
    assert str(project / "x") == _directory(["check", "--cache-dir", "x"])
    # What names the place elsewhere is read by whoever reads settings.
    assert None is _directory(["check", "--config", "base.toml"])
    assert None is _directory(["check", "--config=cache-dir = 'x'"])
    assert kept == _directory(["check", "--config", "ignore = []"])
    (project / "other.toml").write_text("")
    assert usual == _directory(["check", "--config", "other.toml"])
    (project / "jaxlint.toml").write_text("extend = 'nothing.toml'\n")
    assert usual == _directory(["check"])
    monkeypatch.setenv("JAXLINT_CACHE_DIR", "y")
    assert str(project / "y") == _directory(["check"])


def test_to_look_for_the_place_of_the_cache_imports_no_reader(project: Path) -> None:
    (project / "jaxlint.toml").write_text("extend-exclude = ['x']\n")
    script = "import sys; from jaxlint.cache.folder import default_directory as d; d()"
    names = "print('tomllib' in sys.modules, 'jaxlint.settings' in sys.modules)"
    line = [sys.executable, "-c", f"{script}; {names}"]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    run = subprocess.run(line, capture_output=True, text=True, check=True, env=environment)
    assert "False False\n" == run.stdout

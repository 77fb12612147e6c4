"""What was not followed to its end is a note in each front end, which fails nothing by itself."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flake8.main.cli import main as flake8_main
from heavy import LIGHT, heavy

from jaxlint.cache import runs
from jaxlint.cache.folder import Folder
from jaxlint.frontends import flake8 as adapter
from jaxlint.frontends.cli import main
from jaxlint.session.examination import Examination

# Of what is found in it, only the note stays.
SOURCE = heavy().replace("if x > 0:", "if x.ndim > 0:").replace("if x > 1:", "if x.ndim > 1:")
SELECTED = (
    ("--extend-select", "JAX007"),
    ("--select", "incomplete-analysis"),
    ("--select", "JAX007"),
)

pytestmark = pytest.mark.usefixtures("scarce", "file")
Flake8 = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that the budget does not suffice for, in the current directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "heavy.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def flake8(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Flake8:
    """Runs flake8; its exit code and the codes of jaxlint that it printed."""

    def invoke(*args: str) -> tuple[int, list[str]]:
        monkeypatch.setattr(adapter.Plugin, "_run", None)
        capfd.readouterr()
        code = flake8_main([*args, "heavy.py"])
        printed = [line.split()[1] for line in capfd.readouterr().out.splitlines()]
        return code, [one for one in printed if one.startswith("JAX")]

    return invoke


def check(*arguments: str, **given: str) -> Result:
    paths = () if "input" in given else ("heavy.py",)
    return CliRunner().invoke(main, ["check", "--no-cache", *arguments, *paths], **given)


def listed(result: Result) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(result.stdout)
    return found


def test_it_does_not_fail_a_run() -> None:
    result = check("--output-format", "concise")
    (line,) = result.stdout.splitlines()
    assert line.startswith("heavy.py:")
    assert "JAX007" in line
    assert "Found 1 finding in 1 file (1 note)." in result.stderr
    assert result.exit_code == 0


@pytest.mark.parametrize("selection", SELECTED, ids=" ".join)
def test_it_fails_a_run_that_selects_it(selection: tuple[str, str]) -> None:
    result = check(*selection, "--output-format", "json")
    assert [one["code"] for one in listed(result)] == ["JAX007"]
    assert result.exit_code == 1


@pytest.mark.parametrize("word", ["JAX007", "incomplete-analysis"])
def test_it_can_be_ignored(word: str) -> None:
    result = check("--ignore", word, "--output-format", "json")
    assert (listed(result), result.exit_code) == ([], 0)


def test_an_error_fails_the_run_beside_it(file: Path) -> None:
    file.write_text(SOURCE + LIGHT)
    result = check("--output-format", "json")
    assert {one["code"] for one in listed(result)} == {"JAX007", "JAX301"}
    assert result.exit_code == 1


def test_standard_input_is_told_as_well() -> None:
    result = check("--output-format", "json", "-", input=SOURCE)
    assert [one["code"] for one in listed(result)] == ["JAX007"]
    assert result.exit_code == 0


def test_json_contains_it_as_a_note() -> None:
    (one,) = listed(check("--output-format", "json"))
    assert (one["code"], one["name"]) == ("JAX007", "incomplete-analysis")
    assert one["severity"] == "info"


def test_sarif_contains_it_as_a_note() -> None:
    result = check("--output-format", "sarif")
    (run,) = json.loads(result.stdout)["runs"]
    (one,) = run["results"]
    assert (one["ruleId"], one["level"], result.exit_code) == ("JAX007", "note", 0)
    rule = run["tool"]["driver"]["rules"][one["ruleIndex"]]
    assert (rule["id"], rule["defaultConfiguration"]["level"]) == ("JAX007", "note")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), (0, [])),
        (("--select", "JAX"), (0, [])),
        (("--extend-select", "JAX"), (0, [])),
        (("--select", "JAX007"), (1, ["JAX007"])),
        (("--select", "JAX,JAX007"), (1, ["JAX007"])),
        (("--extend-select", "JAX007"), (1, ["JAX007"])),
    ],
    ids=lambda one: " ".join(map(str, one)),
)
def test_flake8_shows_it_only_where_it_is_selected(
    flake8: Flake8, arguments: tuple[str, ...], expected: tuple[int, list[str]]
) -> None:
    # What flake8 itself says of the file is not looked at.
    arguments = (*arguments, "--extend-ignore", "E,W,F,C90") if arguments else ("--ignore=E,W,F",)
    assert flake8("--isolated", "-j", "1", *arguments) == expected


def test_the_places_are_counted_among_what_is_not_known(file: Path) -> None:
    file.write_text(SOURCE + SOURCE.replace("heavy", "other").replace("import jax", ""))
    result = check("--explain-silence", "--output-format", "json")
    shown = json.loads(result.stdout)
    (note,) = shown["findings"]
    assert "from 1 other place:" in note["message"]
    rows = {row["reason"]: row["count"] for row in shown["silence"]["values"]}
    assert rows["place that was not followed to its end"] == 2
    plain = check("--explain-silence")
    assert "place that was not followed to its end" in plain.stderr
    assert plain.exit_code == 0


def test_the_cache_keeps_and_repeats_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = str(file.parent / "kept")
    form = ["check", "--cache-dir", cache, "--output-format"]
    first = CliRunner().invoke(main, [*form, "json", "heavy.py"])
    assert [one["code"] for one in listed(first)] == ["JAX007"]

    again: list[str] = []
    real = Examination._examine

    def examine(examination: Examination, name: str) -> object:
        again.append(name)
        return real(examination, name)

    monkeypatch.setattr(Examination, "_examine", examine)
    known = CliRunner().invoke(main, [*form, "json", "heavy.py"])
    assert (known.stdout, known.exit_code) == (first.stdout, 0)
    # What is printed differs, and what is known of the file does not.
    other = CliRunner().invoke(main, [*form, "concise", "heavy.py"])
    assert ("JAX007" in other.stdout, other.exit_code) == (True, 0)
    assert not again
    strict = CliRunner().invoke(main, [*form, "concise", "--extend-select", "JAX007", "heavy.py"])
    assert ("JAX007" in strict.stdout, strict.exit_code) == (True, 1)


def test_the_same_run_says_it_again(file: Path) -> None:
    cache = str(file.parent / "kept")
    command = ["check", "--cache-dir", cache, "--output-format", "json", "heavy.py"]
    first = CliRunner().invoke(main, command)
    streams = io.StringIO()
    with redirect_stdout(streams), redirect_stderr(streams):
        known = runs.replay(Folder(cache), command)
    assert known is not None
    said, code = known
    out = "".join(text for stream, text in said if stream == "out")
    assert (out, code) == (first.stdout, 0)

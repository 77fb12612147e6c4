"""The command: arguments in; findings, diagnostics and exit codes out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from jaxlint.frontends.runs.check import Run
from jaxlint.frontends.runs.options import Options, Streams, wants_colour
from jaxlint.frontends.runs.progress import Progress

Command = Callable[..., Result]

HAZARD = "import jax\nhazard()\n"
CONCISE = ("check", "--output-format", "concise")


@pytest.mark.usefixtures("fake_engine")
class TestCheck:
    def test_a_clean_directory_exits_with_0(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\n")
        result = run("check")
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr == "No findings in 1 file.\n"

    def test_findings_exit_with_1(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run(*CONCISE)
        assert result.exit_code == 1
        assert result.stdout == "a.py:2:1: JAX901 `hazard` is loud\n"
        assert result.stderr == "Found 1 finding in 1 file (1 error).\n"

    def test_the_full_form_is_the_default(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "a.py")
        assert "2 | hazard()\n  | ^^^^^^\n" in result.stdout
        assert "= because: a.py:1:1: `it` is imported at line 1\n" in result.stdout
        assert "= help: do not shout\n" in result.stdout

    def test_json_is_all_there_is_on_standard_output(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run("check", "--output-format", "json")
        (row,) = json.loads(result.stdout)
        wanted = {
            "filename": "a.py",
            "line": 2,
            "column": 1,
            "end_line": 2,
            "end_column": 7,
            "code": "JAX901",
            "name": "loud",
            "severity": "error",
            "message": "`hazard` is loud",
        }
        assert wanted == {key: row[key] for key in wanted}
        assert [step["message"] for step in row["because"]] == ["`it` is imported at line 1"]
        assert result.stderr == ""

    def test_json_of_a_clean_run_is_an_empty_list(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("")
        assert json.loads(run("check", "--output-format", "json").stdout) == []

    def test_exit_zero_reports_and_exits_with_0(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run(*CONCISE, "--exit-zero")
        assert result.exit_code == 0
        assert "JAX901" in result.stdout

    def test_quiet_prints_findings_only(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        (here / "empty").mkdir()
        result = run(*CONCISE, "-q", "a.py", "empty")
        assert result.stdout.count("\n") == 1
        assert result.stderr == ""

    def test_statistics_count_instead(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\nhazard, hazard, whisper\n")
        result = run("check", "--statistics", "--select", "ALL")
        assert result.stdout == "2 JAX901 loud\n1 JAX912 soft-whisper\n"
        assert result.exit_code == 1
        result = run("check", "--statistics", "--output-format", "json")
        assert json.loads(result.stdout) == [{"count": 2, "code": "JAX901", "name": "loud"}]

    def test_selectors_take_commas_and_repetition(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\nhazard\nwhisper\n")
        both = run(*CONCISE, "--select", "loud, JAX912")
        assert both.stdout == run(*CONCISE, "--select", "loud", "--select", "JAX91").stdout
        assert both.stdout == run(*CONCISE, "--extend-select", "JAX9").stdout
        assert both.stdout.count("\n") == 2
        assert run(*CONCISE, "--ignore", "JAX9").stdout == ""

    @pytest.mark.parametrize("option", ["--select", "--ignore", "--extend-select"])
    def test_an_unknown_code_is_refused(self, here: Path, run: Command, option: str) -> None:
        result = run("check", option, "JAX801")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "jaxlint: error: unknown rule or code prefix 'JAX801'; did you mean 'JAX901'?\n"
        )

    def test_noqa_is_honoured_unless_disabled(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\nhazard  # noqa\n")
        assert run("check").exit_code == 0
        assert run("check", "--disable-noqa").exit_code == 1

    def test_standard_input_is_checked_under_its_name(self, here: Path, run: Command) -> None:
        result = run(*CONCISE, "-", input=HAZARD)
        assert result.stdout == "stdin:2:1: JAX901 `hazard` is loud\n"
        result = run(*CONCISE, "-", "--stdin-filename", "src/a.py", input=HAZARD)
        assert result.stdout == "src/a.py:2:1: JAX901 `hazard` is loud\n"
        assert result.exit_code == 1

    def test_undecodable_standard_input_is_a_finding(self, here: Path, run: Command) -> None:
        assert "JAX001" in run(*CONCISE, "-", input=b"import jax\n'\xff'\n").stdout

    def test_a_missing_path_exits_with_2_and_the_rest_is_checked(
        self, here: Path, run: Command
    ) -> None:
        (here / "a.py").write_text(HAZARD)
        result = run(*CONCISE, "--exit-zero", "gone.py", "a.py")
        assert result.exit_code == 2
        assert "jaxlint: error: gone.py: no such file or directory\n" in result.stderr
        assert "a.py:2:1: JAX901" in result.stdout

    def test_an_empty_directory_is_a_warning(self, here: Path, run: Command) -> None:
        result = run("check")
        assert result.exit_code == 0
        assert result.stderr.startswith("jaxlint: warning: no Python files found in .\n")

    def test_a_path_listed_twice_is_checked_once(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text(HAZARD)
        assert run(*CONCISE, "a.py", ".", "a.py").stdout.count("\n") == 1

    def test_bad_files_do_not_stop_the_others(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\ndef f(:\n")
        (here / "b.py").write_bytes(b"import jax\n'\xff'\n")
        (here / "c.py").write_bytes(b"import jax\n\0\n")
        (here / "d.py").write_text(HAZARD)
        (here / "e.py").symlink_to("e.py")
        (here / "f.py").mkdir()
        result = run(*CONCISE)
        rows = [line.split(maxsplit=2)[:2] for line in result.stdout.splitlines()]
        assert [f"{place.partition(':')[0]} {code}" for place, code in rows] == [
            "a.py JAX001",
            "b.py JAX001",
            "c.py JAX001",
            "d.py JAX901",
        ]
        assert result.exit_code == 1

    def test_a_crash_exits_with_2_and_the_rest_is_checked(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\nexplode\n")
        (here / "b.py").write_text(HAZARD)
        result = run(*CONCISE, "--exit-zero")
        assert result.exit_code == 2
        assert "a.py:1:1: JAX009 ZeroDivisionError: the rule divided (at " in result.stdout
        assert "b.py:2:1: JAX901" in result.stdout

    def test_an_ignored_crash_still_exits_with_2(self, here: Path, run: Command) -> None:
        (here / "a.py").write_text("import jax\nexplode\n")
        result = run(*CONCISE, "--ignore", "JAX009")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "jaxlint: error: a.py: ZeroDivisionError" in result.stderr

    def test_an_unreadable_file_exits_with_2(
        self, here: Path, run: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def locked(self: object, path: str) -> bytes:
            raise PermissionError(13, "Permission denied", path)

        (here / "a.py").write_text(HAZARD)
        monkeypatch.setattr("jaxlint.project.file_systems.files.Disk.read", locked)
        result = run("check", "a.py")
        assert result.exit_code == 2
        assert "jaxlint: error: a.py: permission denied\n" in result.stderr

    def test_the_configuration_file_is_honoured(self, here: Path, run: Command) -> None:
        (here / "gen").mkdir()
        (here / "gen" / "b.py").write_text(HAZARD)
        (here / "a.py").write_text("import jax\nhazard, whisper\n")
        (here / "pyproject.toml").write_text(
            '[tool.jaxlint]\nselect = ["soft-whisper"]\nexclude = ["gen"]\n'
        )
        assert run(*CONCISE).stdout.split()[:2] == ["a.py:2:9:", "JAX912"]
        assert run(*CONCISE, "--select", "JAX901").stdout.split()[:2] == ["a.py:2:1:", "JAX901"]
        (here / "other.toml").write_text("[tool.jaxlint]\n")
        assert run(*CONCISE, "--config", "other.toml").stdout.count("JAX901") == 2

    def test_each_file_has_the_settings_of_its_project(self, here: Path, run: Command) -> None:
        for name, selected in (("one", "loud"), ("two", "soft-whisper")):
            (here / name).mkdir()
            (here / name / "a.py").write_text("import jax\nhazard, whisper\n")
            (here / name / "pyproject.toml").write_text(
                f'[tool.jaxlint]\nselect = ["{selected}"]\n'
            )
        rows = [line.split()[:2] for line in run(*CONCISE).stdout.splitlines()]
        assert rows == [["one/a.py:2:1:", "JAX901"], ["two/a.py:2:9:", "JAX912"]]

    @pytest.mark.parametrize(
        "text, complaint",
        [
            ('[tool.jaxlint]\nselect = ["JAX777"]\n', "unknown rule or code prefix 'JAX777'"),
            ("[tool.jaxlint]\ncolour = 1\n", "unknown key tool.jaxlint.colour"),
            ('[tool.jaxlint]\nexclude = ["!"]\n', "exclude: "),
        ],
    )
    def test_a_bad_configuration_exits_with_2(
        self, here: Path, run: Command, text: str, complaint: str
    ) -> None:
        (here / "pyproject.toml").write_text(text)
        result = run("check")
        assert result.exit_code == 2
        assert result.stderr.startswith("jaxlint: error: ")
        assert complaint in result.stderr

    def test_a_missing_configuration_file_exits_with_2(self, here: Path, run: Command) -> None:
        assert run("check", "--config", "gone.toml").exit_code == 2

    def test_excludes_of_the_command_line_add_up(self, here: Path, run: Command) -> None:
        for name in ("a.py", "b.py", "c.py"):
            (here / name).write_text(HAZARD)
        (here / "pyproject.toml").write_text('[tool.jaxlint]\nexclude = ["a.py"]\n')
        assert run(*CONCISE, "--exclude", "b.py").stdout.split()[0] == "c.py:2:1:"

    def test_forced_excludes_apply_to_named_files_and_standard_input(
        self, here: Path, run: Command
    ) -> None:
        (here / "a.py").write_text(HAZARD)
        arguments = ["--exclude", "a.py", "a.py"]
        assert run(*CONCISE, *arguments).exit_code == 1
        assert run(*CONCISE, "--force-exclude", *arguments).exit_code == 0
        named = ["--exclude", "a.py", "--stdin-filename", "a.py", "-"]
        assert run(*CONCISE, *named, input=HAZARD).exit_code == 1
        assert run(*CONCISE, "--force-exclude", *named, input=HAZARD).exit_code == 0

    def test_colour_is_there_when_asked_for(self, here: Path) -> None:
        (here / "a.py").write_text(HAZARD)
        shown = {
            colour: execute(output_format="concise", colour=colour)[1] for colour in (True, False)
        }
        assert "\x1b[" in shown[True]
        assert "\x1b[" not in shown[False]

    def test_broken_plugins_are_warned_of(
        self, here: Path, fake_engine: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "jaxlint.frontends.runs.check.plugin_files", lambda: ["entry_points.txt"]
        )
        load_warnings = fake_engine.warnings  # type: ignore[attr-defined]
        load_warnings.append("rule plugin 'x' is left out: because")
        assert "jaxlint: warning: rule plugin 'x' is left out: because\n" in execute()[2]
        assert execute(quiet=True)[2] == ""

    def test_an_interrupt_exits_with_130(
        self, here: Path, run: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(self: object) -> int:
            raise KeyboardInterrupt

        monkeypatch.setattr("jaxlint.frontends.runs.check.Run.execute", interrupt)
        result = run("check")
        assert (result.exit_code, result.stderr) == (130, "jaxlint: interrupted\n")


def execute(**options: object) -> tuple[int, str, str]:
    streams = Streams(io.BytesIO(), io.StringIO(), io.StringIO())
    code = Run(Options(**options), streams).execute()  # type: ignore[arg-type]
    return code, streams.out.getvalue(), streams.err.getvalue()  # type: ignore[attr-defined]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "when, terminal, none, forced, expected",
    [
        ("auto", True, "", "", True),
        ("auto", True, "1", "", False),
        ("auto", False, "", "", False),
        ("auto", False, "", "1", True),
        ("auto", False, "1", "1", False),
        ("always", False, "1", "", True),
        ("never", True, "", "1", False),
    ],
)
def test_colour_is_decided_by_option_variables_and_terminal(
    monkeypatch: pytest.MonkeyPatch,
    when: str,
    terminal: bool,
    none: str,
    forced: str,
    expected: bool,
) -> None:
    monkeypatch.setenv("NO_COLOR", none)
    monkeypatch.setenv("FORCE_COLOR", forced)
    assert expected == wants_colour(when, Terminal() if terminal else io.StringIO())


def test_progress_shows_after_a_while_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    stream = Terminal()
    progress = Progress(stream, quiet=False)
    progress.step(1, 3, "a.py")
    progress.clear()
    assert stream.getvalue() == ""
    now = 1.5
    progress.step(2, 3, "b.py")
    progress.clear()
    assert stream.getvalue() == "\r\x1b[Kchecking 2/3 b.py\r\x1b[K"


@pytest.mark.parametrize("stream, quiet", [(io.StringIO(), False), (Terminal(), True)])
def test_progress_is_absent_without_a_terminal_and_when_quiet(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, quiet: bool
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress = Progress(stream, quiet)
    now = 9.0
    progress.step(1, 3, "a.py")
    assert stream.getvalue() == ""


@pytest.mark.parametrize("arguments", [["check", "--colour"], ["nonsense"], ["explain"]])
def test_bad_usage_exits_with_2(run: Command, arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2

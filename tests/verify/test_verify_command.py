"""`jaxlint check --verify` and `jaxlint verify`: options, verdicts in the output, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from jaxlint.frontends.cli import main
from jaxlint.frontends.verify_options import parse_places
from jaxlint.verify.protocol import Config, Job, Miss, Observation, Outcome, Source

Command = Callable[..., Result]

MODULE = """\
import jax


@jax.jit
def relu(x, limit):
    if x > limit:
        return x
    return 0.0 * x


@jax.jit
def count(n):
    return [0] * int(n)


relu(1.0, 2)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODULE)
    return tmp_path


@pytest.fixture
def run() -> Command:
    def invoke(*args: str | Path, input: str | None = None) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args], input=input)

    return invoke


class Child:
    """Stands in for the child processes: answers each target with what a test says."""

    answers: dict[int, tuple[Outcome, Source]]
    configs: list[tuple[Config, str]]
    jobs: list[Job]

    def __init__(self, config: Config, python: str) -> None:
        self.notes = ["model.py starts a process"]
        self.python = python
        Child.configs.append((config, python))

    def execute(self, jobs: Iterable[Job]) -> Iterator[Observation | Miss]:
        for job in jobs:
            Child.jobs.append(job)
            for target in job.targets:
                if target.line in Child.answers:
                    outcome, source = Child.answers[target.line]
                    yield Observation(target.id, outcome, source, "x: f32[]", "`x` is traced")
                else:
                    yield Miss(target.id, "no arguments")


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> type[Child]:
    Child.answers, Child.configs, Child.jobs = {}, [], []
    monkeypatch.setattr("jaxlint.frontends.runs.verify.Verification", Child)
    return Child


def statuses(result: Result) -> dict[int, str]:
    return {row["line"]: row["verdict"]["status"] for row in json.loads(result.stdout)}


def test_each_finding_gets_its_verdict(here: Path, run: Command, child: type[Child]) -> None:
    child.answers = {6: ("shown", "run")}
    result = run("check", "--verify", "--output-format", "json", "model.py")
    assert (1, {6: "confirmed", 13: "not-reached"}) == (result.exit_code, statuses(result))
    (job,) = child.jobs
    assert [(it.line, it.hazard) for it in job.targets] == [(6, "raises"), (13, "raises")]
    assert job.file == str(here / "model.py")


def test_people_see_verdict_and_totals(here: Path, run: Command, child: type[Child]) -> None:
    child.answers = {6: ("shown", "invented")}
    result = run("check", "--verify=guess", "model.py")
    assert "= verdict: confirmed if `x` is traced, with x: f32[] (invented)\n" in result.stdout
    assert "= verdict: not reached: no arguments\n" in result.stdout
    assert result.stderr.splitlines() == [
        f"jaxlint: verifying with {sys.executable}, which imports model.py",
        "jaxlint: note: model.py starts a process",
        "Found 2 findings in 1 file (2 errors).",
        "Verdicts: 1 confirmed if, 1 not reached.",
        "1 fixable with `--fix --unsafe-fixes`.",
    ]
    assert run("check", "--verify", "--quiet", "model.py").stderr == ""


def test_who_has_recorded_nothing_gets_a_hint(here: Path, run: Command, child: type[Child]) -> None:
    assert "hint: nothing is recorded here" in run("check", "--verify", "model.py").stderr
    child.answers = {6: ("shown", "run"), 13: ("absent", "run")}
    assert "hint" not in run("check", "--verify", "model.py").stderr


def test_record_ends_as_the_command_does(here: Path, run: Command) -> None:
    python = ("--", sys.executable, "-c", "raise SystemExit(7)")
    result = run("record", *python)
    assert 7 == result.exit_code
    assert "0 of 2 findings were observed" in result.stderr
    assert 2 == run("record").exit_code


def test_without_the_option_nothing_is_verified(
    here: Path, run: Command, child: type[Child]
) -> None:
    (here / "pyproject.toml").write_text("[tool.jaxlint.verify]\ntimeout = 3\n")
    result = run("check", "--output-format", "json", "model.py")
    assert all("verdict" not in row for row in json.loads(result.stdout))
    assert [] == child.configs


@pytest.mark.parametrize(
    "arguments, modes",
    [
        (["--verify", "model.py"], (False, False)),
        (["--verify=replay", "model.py"], (False, False)),
        (["--verify=guess", "model.py"], (True, False)),
        (["model.py", "--verify=guess,execute"], (True, True)),
        (["--verify=execute", "--verify", "model.py"], (False, True)),
    ],
    ids=str,
)
def test_modes_unlock_what_was_asked_for(
    here: Path, run: Command, child: type[Child], arguments: list[str], modes: tuple[bool, bool]
) -> None:
    assert 1 == run("check", *arguments).exit_code
    ((config, _),) = child.configs
    assert modes == (config.guess, config.execute)


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--verify=all"], "'all' is not one of replay, guess, execute"),
        (["--verify-drop", "refuted"], "--verify-drop without --verify"),
        (["--python", "python3"], "--python without --verify"),
        (["--verify", "--verify-timeout", "0"], "is not in the range x>0"),
    ],
)
def test_bad_usage_is_refused(
    here: Path, run: Command, arguments: list[str], complaint: str
) -> None:
    result = run("check", *arguments)
    assert 2 == result.exit_code
    assert complaint in result.stderr


def test_a_severity_of_the_settings_outlasts_a_verdict(
    here: Path, run: Command, child: type[Child]
) -> None:
    (here / "jaxlint.toml").write_text("severity = {JAX301 = 'info'}\n")
    child.answers = {6: ("shown", "run"), 13: ("shown", "run")}
    result = run("check", "--verify", "--output-format", "json")
    assert {(6, "info", "confirmed"), (13, "error", "confirmed")} == {
        (row["line"], row["severity"], row["verdict"]["status"])
        for row in json.loads(result.stdout)
    }


def test_settings_hold_unless_the_command_line_says_otherwise(
    here: Path, run: Command, child: type[Child]
) -> None:
    (here / "pyproject.toml").write_text(
        '[tool.jaxlint.verify]\npython = "venv/py"\ntimeout = 3\nmemory = 0.5\nevidence = "jaxpr"\n'
    )
    run("check", "--verify")
    run(
        "check", "--verify", "--python", "py4", "--verify-timeout", "9", "--evidence", "stablehlo"
    )  # fmt: skip
    (configured, python), (overridden, other) = child.configs
    assert (python, other) == (str(here / "venv/py"), "py4")
    assert (3.0, 1 << 29, "jaxpr") == (
        configured.call_seconds,
        configured.memory,
        configured.program,
    )
    assert (9.0, "stablehlo") == (overridden.call_seconds, overridden.program)


@pytest.mark.parametrize(
    "answer, code, left",
    [
        (("absent", "recorded"), 1, {13}),
        (("absent", "invented"), 1, {6, 13}),
        (("shown", "recorded"), 1, {6, 13}),
    ],
)
def test_only_what_real_arguments_refuted_is_dropped(
    here: Path,
    run: Command,
    child: type[Child],
    answer: tuple[Outcome, Source],
    code: int,
    left: set[int],
) -> None:
    child.answers = {6: answer}
    arguments = ("check", "--verify-drop", "refuted", "--output-format", "json")
    result = run(*arguments, "--verify=guess", "model.py")
    assert (code, left) == (result.exit_code, set(statuses(result)))


def test_a_run_without_findings_left_is_clean(here: Path, run: Command, child: type[Child]) -> None:
    child.answers = {6: ("absent", "recorded"), 13: ("absent", "given")}
    assert 1 == run("check", "--verify", "model.py").exit_code
    result = run("check", "--verify", "--verify-drop", "refuted", "model.py")
    assert (0, "") == (result.exit_code, result.stdout)
    assert "jaxlint: refuted and left out: 2\n" in result.stderr


def test_one_line_is_judged_alone(here: Path, run: Command, child: type[Child]) -> None:
    result = run("verify", "--output-format", "json", "model.py:13")
    assert {13: "not-reached"} == statuses(result)
    assert [[13]] == [[target.line for target in job.targets] for job in child.jobs]
    result = run("verify", "model.py:2")
    assert (0, "") == (result.exit_code, result.stdout)
    assert "jaxlint: no finding at model.py:2\n" in result.stderr


def test_places_are_paths_with_or_without_a_line(here: Path) -> None:
    (here / "odd:7").write_text("")
    model = str(here / "model.py")
    assert (("model.py",), {model: frozenset({3, 5})}) == parse_places(["model.py:3", "model.py:5"])
    assert (("model.py",), {}) == parse_places(["model.py:3", "model.py"])
    assert (("odd:7", "src:x"), {}) == parse_places(["odd:7", "src:x"])


def test_arguments_for_a_function_that_is_not_there_are_told(
    here: Path, run: Command, child: type[Child]
) -> None:
    table = 'arguments = { "model:rlu" = "f32[]", "elsewhere:f" = "i32[]" }'
    (here / "pyproject.toml").write_text(f"[tool.jaxlint.verify]\n{table}\n")
    warnings = [it for it in run("verify", "model.py").stderr.splitlines() if "warning" in it]
    assert 1 == len(warnings)
    assert '"model:rlu" matches nothing' in warnings[0]


def test_standard_input_is_not_imported(here: Path, run: Command, child: type[Child]) -> None:
    result = run(
        "check", "-", "--stdin-filename", "model.py", "--verify", "--output-format", "json",
        input=MODULE.replace("relu", "clip"),
    )  # fmt: skip
    assert {6: "not-reached", 13: "not-reached"} == statuses(result)
    assert [] == child.jobs


def test_what_is_no_rule_has_no_verdict(here: Path, run: Command, child: type[Child]) -> None:
    (here / "broken.py").write_text("import jax\ndef f(:\n")
    (row,) = json.loads(run("verify", "--output-format", "json", "broken.py").stdout)
    assert ("JAX001", False) == (row["code"], "verdict" in row)


def test_an_interpreter_without_jax_is_one_clear_message(here: Path, run: Command) -> None:
    venv.create(here / "bare", symlinks=True)
    python = next((here / "bare").glob("*/python*"))
    result = run("check", "--verify", "--python", python, "model.py")
    assert 2 == result.exit_code
    (line,) = (it for it in result.stderr.splitlines() if it.startswith("jaxlint: error: "))
    assert "pip install jax" in line
    assert "" == result.stdout


@pytest.mark.parametrize(
    "lint",
    [
        "import jaxlint, pathlib; assert jaxlint.lint(pathlib.Path('model.py'))",
        "from jaxlint.frontends.cli import main; main(['check', '--exit-zero', 'model.py'])",
        "from flake8.main.application import Application as A; A().run(['model.py'])",
    ],
    ids=["jaxlint.lint", "jaxlint check", "flake8"],
)
def test_linting_loads_nothing_that_could_run_code(here: Path, lint: str) -> None:
    (here / "pyproject.toml").write_text("[tool.jaxlint.verify]\ntimeout = 3\n")
    script = f"import sys\ntry:\n    {lint}\nexcept SystemExit: pass\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "jaxlint.rules.branch_on_traced" in loaded
    assert [] == [name for name in loaded if name.startswith("jaxlint.verify")]


def jaxlint(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """The real command, with the real child."""
    done = subprocess.run(
        [sys.executable, "-m", "jaxlint", *arguments, "--output-format", "json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.jax
def test_real_jax_confirms_what_an_import_runs(here: Path) -> None:
    code, (branch, cast) = jaxlint("check", "--verify", "model.py")
    assert (1, "confirmed") == (code, branch["verdict"]["status"])
    assert "TracerBoolConversionError" == branch["verdict"]["evidence"]["error"]
    assert "not-reached" == cast["verdict"]["status"]


@pytest.mark.jax
def test_what_was_recorded_decides_without_another_import(here: Path) -> None:
    (here / "model.py").write_text(MODULE.replace("relu(1.0, 2)", "print('loaded', relu(1.0, 2))"))
    command = [sys.executable, "-m", "jaxlint", "record", "model.py"]
    recorded = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert 1 == recorded.returncode
    assert "TracerBoolConversionError" in recorded.stderr
    code, (branch,) = jaxlint("verify", "model.py:6", "--python", "no-such-python")
    assert (1, "confirmed") == (code, branch["verdict"]["status"])
    assert "x: f32[], limit: i32[] (run)" in branch["verdict"]["signatures"]


@pytest.mark.jax
def test_arguments_given_by_the_user_reach_a_function(here: Path) -> None:
    (here / "model.py").write_text(MODULE.replace("relu(1.0, 2)\n", ""))
    (here / "pyproject.toml").write_text(
        '[tool.jaxlint.verify.arguments]\n"model:count" = "i32[]"\n'
    )
    _, (branch, cast) = jaxlint("check", "--verify", "model.py")
    assert ("not-reached", "confirmed") == (
        branch["verdict"]["status"],
        cast["verdict"]["status"],
    )
    assert cast["verdict"]["signatures"] == ["n: i32[] (given)"]

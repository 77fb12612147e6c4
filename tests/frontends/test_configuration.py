"""Which settings count for a file: the nearest file, what it extends, and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from jaxlint.base.errors import SettingsError
from jaxlint.frontends.runs.record import make_plan
from jaxlint.settings import Configuration, Settings
from jaxlint.settings.globs import covers, objection

Command = Callable[..., Result]
HAZARD = """\
import jax

@jax.jit
def relu(x):
    print(x)
    if x > 0:
        return x
    return 0.0 * x
"""


def ignored(settings: Settings) -> list[str]:
    return [word for selection in settings.selections for word in selection.ignore]


def test_the_nearest_file_with_our_settings_counts_alone(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "jaxlint.toml").write_text('ignore = ["JAX3"]\nframework-methods = true\n')
    (tmp_path / "pkg" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert ["JAX3"] == ignored(Configuration().near(str(inner)))
    (tmp_path / "pkg" / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX4"]\n')
    found = Configuration().near(str(inner))
    assert (["JAX4"], False) == (ignored(found), found.framework_methods)


def test_of_several_files_in_a_directory_the_most_specific_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX3"]\n')
    (tmp_path / "jaxlint.toml").write_text('ignore = ["JAX4"]\n')
    assert ["JAX4"] == ignored(Configuration().near(str(tmp_path)))
    (tmp_path / ".jaxlint.toml").write_text("")
    assert [] == ignored(Configuration().near(str(tmp_path)))


def test_a_given_file_counts_everywhere_and_isolated_is_none(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('ignore = ["JAX3"]\n')
    (tmp_path / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX4"]\n')
    assert ["JAX3"] == ignored(Configuration(str(path)).near(str(tmp_path)))
    assert Settings() == Configuration(is_isolated=True).near(str(tmp_path))


def test_a_file_adds_to_what_it_extends(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "base.toml").write_text(
        'ignore = ["JAX3"]\nexclude = ["a"]\nextend-exclude = ["b"]\nmin-confidence = "low"\n'
        'src = ["lib"]\nverify.timeout = 3\nseverity = {JAX7 = "info", JAX3 = "error"}\n'
        'per-file-ignores = {x = ["JAX3"]}\nextend-per-file-ignores = {y = ["JAX3"]}\n'
    )
    (tmp_path / "jaxlint.toml").write_text('extend = "base.toml"\nignore = ["JAX4"]\n')
    (tmp_path / "pkg" / "pyproject.toml").write_text(
        '[tool.jaxlint]\nextend = "../jaxlint.toml"\nignore = ["JAX5"]\nexclude = ["c"]\n'
        'extend-exclude = ["d"]\nverify.memory = 2\nseverity = {JAX3 = "perf"}\n'
        'per-file-ignores = {z = ["JAX3"]}\nextend-per-file-ignores = {w = ["JAX3"]}\n'
    )
    found = Configuration().near(str(tmp_path / "pkg"))
    outer, inner = str(tmp_path), str(tmp_path / "pkg")
    assert ["JAX3", "JAX4", "JAX5"] == ignored(found)
    assert ((inner, ("c",)), (outer, ("b",)), (inner, ("d",))) == found.exclude
    assert ("low", 3.0, 2.0) == (found.min_confidence, found.verify.timeout, found.verify.memory)
    assert (str(tmp_path / "lib"),) == found.src
    assert [("JAX7", "info"), ("JAX3", "perf")] == [
        (one.selector, str(one.severity)) for one in found.severities
    ]
    assert [("z", inner), ("y", outer), ("w", inner)] == [
        (one.pattern, one.base) for one in found.file_ignores
    ]


@pytest.mark.parametrize("others", [[], ["b"], ["b", "c"]])
def test_files_that_extend_each_other_are_refused(tmp_path: Path, others: list[str]) -> None:
    names = ["jaxlint", *others]
    for name, target in zip(names, [*others, "jaxlint"], strict=True):
        (tmp_path / f"{name}.toml").write_text(f'\nextend = "{target}.toml"\n')
    with pytest.raises(SettingsError) as caught:
        Configuration().near(str(tmp_path))
    circle = " -> ".join(str(tmp_path / f"{name}.toml") for name in [*names, "jaxlint"])
    last = tmp_path / f"{names[-1]}.toml"
    assert str(caught.value) == f"{last}:2: extend: files extend each other: {circle}"


def test_a_file_that_is_extended_must_say_something_to_us(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "jaxlint.toml").write_text('extend = "pyproject.toml"\n')
    with pytest.raises(SettingsError, match=r"pyproject.toml has no table \[tool.jaxlint\]"):
        Configuration().near(str(tmp_path))


PATTERNS = [
    ("a.py", "a.py", True),
    ("a.py", "deep/er/a.py", True),
    ("deep/a.py", "deep/a.py", True),
    ("deep/a.py", "other/deep/a.py", False),
    ("tests/*", "tests/deep/a.py", True),
    ("tests/**", "tests/deep/a.py", True),
    ("tests/**/a.py", "tests/a.py", True),
    ("tests/**/a.py", "tests/x/y/a.py", True),
    ("tests", "tests/a.py", False),
    ("**/tests/*.py", "x/tests/a.py", True),
    ("**/tests/*.py", "tests/a.py", True),
    ("test_?.py", "test_a.py", True),
    ("test_?.py", "test_ab.py", False),
    ("[ab].py", "b.py", True),
    ("[!ab].py", "b.py", False),
    ("[!ab].py", "c.py", True),
    ("[a-c].py", "b.py", True),
    ("{a,x*}.py", "xyz.py", True),
    ("{a,x*}.py", "b.py", False),
    ("{a,}b.py", "ab.py", True),
    ("{a,}b.py", "b.py", False),
    ("**/**/a.py", "a.py", True),
    ("a\\*.py", "a*.py", True),
    ("a\\*.py", "ab.py", False),
    ("./deep/../a.py", "a.py", True),
    ("!src/**", "src/a.py", False),
    ("!src/**", "tests/a.py", True),
    ("a+(b).py", "a+(b).py", True),
]


@pytest.mark.parametrize("pattern, path, expected", PATTERNS)
def test_a_pattern_covers_files_by_name_or_by_path(pattern: str, path: str, expected: bool) -> None:
    assert "" == objection(pattern)
    assert expected is covers(pattern, "/pro[j]ect", f"/pro[j]ect/{path}")


def test_patterns_for_files_are_those_of_ruff(tmp_path: Path) -> None:
    paths = {path for _, path, _ in PATTERNS}
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("import os\n")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F401"]
    ruff += ["--output-format", "json", "--per-file-ignores"]
    for pattern in [pattern for pattern, _, _ in PATTERNS if "," not in pattern]:
        run = subprocess.run(
            [*ruff, f"{pattern}:F401"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        shown = {Path(row["filename"]) for row in json.loads(run.stdout)}
        ours = {
            tmp_path / it for it in paths if not covers(pattern, str(tmp_path), str(tmp_path / it))
        }
        assert ours == shown, pattern


def codes(result: Result) -> set[tuple[str, str, str]]:
    rows = json.loads(result.stdout)
    return {(Path(row["filename"]).name, row["code"], row["severity"]) for row in rows}


@pytest.fixture
def tree(here: Path) -> Path:
    """Two files with the same two findings, in two directories."""
    for name in ("src", "tests"):
        (here / name).mkdir()
    (here / "src" / "a.py").write_text(HAZARD)
    (here / "tests" / "b.py").write_text(HAZARD)
    return here


BOTH = {
    ("a.py", "JAX101", "warning"),
    ("a.py", "JAX301", "error"),
    ("b.py", "JAX101", "warning"),
    ("b.py", "JAX301", "error"),
}


def test_files_may_ignore_rules_and_rules_may_have_another_severity(
    tree: Path, run: Command
) -> None:
    found = codes(run("check", "--output-format", "json"))
    assert BOTH == found
    (tree / "jaxlint.toml").write_text(
        'output-format = "json"\n'
        '[per-file-ignores]\n"tests/**" = ["branch-on-traced"]\n'
        '[severity]\nJAX1 = "info"\nprint-traced-value = "error"\nJAX3 = "perf"\n'
    )
    expected = {
        ("a.py", "JAX101", "error"),
        ("a.py", "JAX301", "perf"),
        ("b.py", "JAX101", "error"),
    }
    assert expected == codes(run("check"))
    negated = run("check", "--per-file-ignores", "!src/*:JAX1,b.py:JAX3")
    assert {("a.py", "JAX101", "error"), ("a.py", "JAX301", "perf")} == codes(negated)
    added = run("check", "--extend-per-file-ignores", "a.py:JAX")
    assert {("b.py", "JAX101", "error")} == codes(added)


def test_a_file_that_is_ignored_says_nothing_at_calls_that_lead_there(
    here: Path, run: Command
) -> None:
    (here / "helper.py").write_text("def relu(x):\n    if x > 0:\n        return x\n    return 0\n")
    (here / "main.py").write_text("import jax\nfrom helper import relu\n\njax.jit(relu)(1.0)\n")
    (here / "pyproject.toml").write_text("[tool.jaxlint]\n")
    assert 1 == run("check", "--no-cache", "main.py").exit_code
    (here / "pyproject.toml").write_text(
        '[tool.jaxlint]\nper-file-ignores = {"helper.py" = ["JAX301"]}\n'
    )
    assert 0 == run("check", "--no-cache", "main.py").exit_code


def test_the_command_line_counts_more_than_files(tree: Path, run: Command) -> None:
    (tree / "jaxlint.toml").write_text('ignore = ["JAX301"]\noutput-format = "json"\n')
    assert {"JAX101"} == {code for _, code, _ in codes(run("check"))}
    inline = run("check", "--config", 'ignore = ["JAX1"]', "--config", "extend-select=['JAX301']")
    assert {"JAX301"} == {code for _, code, _ in codes(inline)}
    isolated = run("check", "--isolated", "--output-format", "json")
    assert BOTH == codes(isolated)
    also = run("check", "--isolated", "--config", 'output-format = "json"', "--select", "JAX3")
    assert {"JAX301"} == {code for _, code, _ in codes(also)}
    option = ("--config", "output-format = 'full'", "--output-format", "json", "--config", "src=[]")
    assert {"JAX101"} == {code for _, code, _ in codes(run("check", *option))}
    other = tree / "other.toml"
    other.write_text('select = ["JAX3"]\noutput-format = "json"\n')
    assert {"JAX301"} == {code for _, code, _ in codes(run("check", "--config", other))}


def test_settings_of_the_run_are_those_of_the_current_directory(tree: Path, run: Command) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("src/\n")
    (tree / "jaxlint.toml").write_text(
        'output-format = "json"\nexclude = ["tests/"]\nrespect-gitignore = false\n'
    )
    (tree / "src" / "jaxlint.toml").write_text('output-format = "concise"\n')
    assert {"a.py"} == {name for name, _, _ in codes(run("check"))}
    assert set() == codes(run("check", "--respect-gitignore"))
    named = run("check", "tests/b.py", "src/a.py")
    assert {"a.py", "b.py"} == {name for name, _, _ in codes(named)}
    (tree / "jaxlint.toml").write_text(
        'output-format = "json"\nexclude = ["tests/"]\nforce-exclude = true\n'
    )
    assert {"a.py"} == {name for name, _, _ in codes(run("check", "tests/b.py", "src/a.py"))}
    assert BOTH == codes(run("check", "--no-force-exclude", "tests/b.py", "src/a.py"))


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("--config", "none.toml"), "--config: none.toml: no such file"),
        (("--config", "select = "), "is no file that exists, nor TOML such as"),
        (("--config", "selct = []"), "--config: unknown key selct; did you mean 'select'?"),
        (("--config", "src = 1"), "--config: src must be a list of strings, not 1"),
        (("--config", "extend = 'x'"), "--config: `extend` is for files"),
        (("--config", "a.toml", "--config", "b.toml"), "--config names several files"),
        (("--config", "a.toml", "--isolated"), "exclude each other"),
        (("--per-file-ignores", "tests"), "'tests' is not like 'tests/*:JAX501'"),
        (("--per-file-ignores", "tests:JX"), "unknown rule or code prefix 'JX'"),
        (("--per-file-ignores", "[:JAX3"), "--per-file-ignores: '[' is no pattern"),
        (("--exclude", "!"), "--exclude: '!' is no pattern of git's"),
        (("--target-jax", "new"), "--target-jax must be a version such as"),
        (("--config", "severity.JX = 'info'"), "unknown rule or code prefix 'JX'"),
    ],
)
def test_what_the_command_line_cannot_mean_is_said(
    here: Path, run: Command, arguments: tuple[str, ...], complaint: str
) -> None:
    for name in ("a.toml", "b.toml"):
        (here / name).write_text("")
    result = run("check", *arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert complaint in result.stderr


@pytest.mark.parametrize(
    "text",
    [
        'select = [\n  "JAX3",\n  "JX",\n]\n',
        '\n\nseverity.JX = "info"\n',
        "\n[per-file-ignores]\na=['JX']\n",
    ],
)
def test_a_selector_that_names_no_rule_is_said_with_its_line(
    here: Path, run: Command, text: str
) -> None:
    (here / "jaxlint.toml").write_text(text)
    result = run("check")
    assert 2 == result.exit_code
    where = f"{here / 'jaxlint.toml'}:3: "
    assert f"jaxlint: error: {where}unknown rule or code prefix 'JX'\n" == result.stderr


def test_each_problem_of_a_file_has_a_line_of_its_own(here: Path, run: Command) -> None:
    (here / "jaxlint.toml").write_text("a = 1\nb = 2\n")
    result = run("check")
    assert [f"jaxlint: error: {here / 'jaxlint.toml'}:{line}:" for line in (1, 2)] == [
        line.partition(" unknown")[0] for line in result.stderr.splitlines()
    ]


def test_settings_may_say_what_functions_of_packages_do(here: Path, run: Command) -> None:
    (here / "a.py").write_text(
        "import jax\nfrom fastlib import ops\nimport fastlib\n\n\n@fastlib.compile\ndef f(x):\n"
        "    return bool(ops.any(x))\n"
    )
    assert 0 == run("check", "--no-cache").exit_code
    table = 'transforms = {"fastlib.compile" = "jax.jit"}\n'
    (here / "jaxlint.toml").write_text(table)
    assert 0 == run("check", "--no-cache").exit_code
    (here / "jaxlint.toml").write_text(f'{table}models."fastlib.ops.any" = "jax.numpy.any"\n')
    result = run("check", "--no-cache", "--output-format", "concise")
    assert result.stdout.startswith("a.py:8:17: JAX310 ")


def test_what_is_guessed_is_no_error_whatever_the_settings_say(here: Path, run: Command) -> None:
    (here / "a.py").write_text(
        "import jax\n\n\n@jax.jit\ndef f(x):\n    y = backend.rank(x)\n"
        "    return 1 if y > 0 else 2\n"
    )
    (here / "jaxlint.toml").write_text("severity = {JAX3 = 'error', JAX301 = 'info'}\n")
    low = ("--min-confidence", "low", "--output-format", "json")
    assert {("a.py", "JAX301", "info")} == codes(run("check", *low))
    (here / "jaxlint.toml").write_text("severity = {JAX3 = 'error'}\n")
    assert {("a.py", "JAX301", "warning")} == codes(run("check", *low))


def test_a_file_with_errors_of_syntax_may_be_ignored(here: Path, run: Command) -> None:
    (here / "a.py").write_text("import jax\ndef f(:\n")
    assert 1 == run("check", "a.py").exit_code
    assert 0 == run("check", "a.py", "--per-file-ignores", "a.py:JAX001").exit_code
    shown = run("check", "a.py", "--config", "severity.JAX0 = 'info'", "--output-format", "json")
    assert {("a.py", "JAX001", "info")} == codes(shown)


def test_the_graph_and_the_recorder_read_the_same_settings(here: Path, run: Command) -> None:
    (here / "a.py").write_text(HAZARD)
    (here / "b.py").write_text(HAZARD.replace("relu", "other"))
    (here / "jaxlint.toml").write_text("exclude = ['a.py']\n")
    shown = run("graph").stdout
    assert "other" in shown and "relu" not in shown
    assert "relu" in run("graph", "--config", "exclude = []").stdout
    assert "relu" not in run("graph", "--isolated", "--extend-exclude", "a.py").stdout
    assert [(str(here / "b.py"), 6)] == [
        (target.file, target.line) for target in make_plan(["."]).targets if target.code == "JAX301"
    ]
    every = make_plan(["."], Configuration(is_isolated=True)).targets
    assert {"a.py", "b.py"} == {Path(target.file).name for target in every}


def test_the_cache_and_the_recorder_take_settings_from_the_command_line(
    here: Path, run: Command
) -> None:
    (here / "jaxlint.toml").write_text("cache-dir = 'kept'\n")
    assert f"directory: {here / 'kept'}\n" in run("cache", "info").stdout
    other = run("cache", "info", "--config", "cache-dir = 'other'").stdout
    assert f"directory: {here / 'other'}\n" in other
    assert "kept" not in run("cache", "clear", "--isolated").stdout
    wrong = run("record", "--config", "verify.pyton = 'x'", "--", "true")
    assert (2, True) == (wrong.exit_code, "did you mean" in wrong.stderr), wrong.stderr

"""What is said about suppression comments: those that cannot be read, and those without use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings

pytestmark = pytest.mark.usefixtures("empty_directory")

CODE = (
    "import jax\n\n@jax.jit\ndef relu(x):\n    if x > 0:{}\n        return x\n    return 0.0 * x\n"
)
TWO = "    if x > 0:{}\n        return x\n"
MORE = (Selection(extend_select=("JAX003",)),)


def said(source: str, **settings: object) -> list[str]:
    """The findings but those of rules, each with what the place says."""
    session = Session(Settings(**settings))  # type: ignore[arg-type]
    report = session.check_source(source, "a.py")
    return [
        f"{one.code} {report.source.slice(one.span)}"
        for one in report.findings
        if report.source is not None and one.code < "JAX100"
    ]


def found(source: str, **settings: object) -> list[str]:
    session = Session(Settings(**settings))  # type: ignore[arg-type]
    return [one.code for one in session.check_source(source, "a.py").findings]


@pytest.mark.parametrize(
    "comment",
    [
        "# jaxlint: ignore[branch-on-traced]",
        "# jaxlint: ignore[JAX301] the sign is known",
        "#jaxlint:ignore[ JAX3 ]",
        "# type: ignore[x]  # jaxlint: ignore[while-on-traced, branch-on-traced]  # pragma",
        "# jaxlint: ignore[Branch-On-Traced,]",
    ],
)
@pytest.mark.parametrize("noqa", ["all", "file"])
def test_an_ignore_comment_silences_its_line_under_flake8_too(comment: str, noqa: str) -> None:
    assert [] == found(CODE.format(f"  {comment}"), noqa=noqa)
    assert [] == found(CODE.format(f"\n{comment}").replace(":\n#", ":  #"), noqa=noqa)


def test_an_ignore_comment_above_a_statement_silences_all_lines_of_it() -> None:
    above = "    # jaxlint: ignore[branch-on-traced] known\n    # and more words\n\n    if (x\n"
    source = CODE.format("").replace("    if x > 0:\n", above + "        > 0):\n")
    assert [] == found(source)
    assert ["JAX301"] == found(
        source.replace("    # jax", "    0\n    # jax").replace("if", "0\n    if")
    )


def test_an_ignore_comment_in_a_bracket_silences_the_next_line() -> None:
    source = (
        "import jax\n@jax.jit\ndef f(x):\n    return [\n{}        int(x),\n        int(x),\n    ]\n"
    )
    assert 2 == len(found(source.format("")))
    assert 1 == len(found(source.format("        # jaxlint: ignore[JAX3]\n")))


@pytest.mark.parametrize(
    "first", ["# jaxlint: ignore-file[branch-on-traced]", "# jaxlint: ignore-file[JAX301] old"]
)
def test_an_ignore_comment_for_the_file(first: str) -> None:
    assert [] == found(f"{first}\n" + CODE.format(""))
    assert [] == found(f"{first}\n" + CODE.format(""), noqa="file")
    assert ["JAX301"] == found(f"{first}\n" + CODE.format(""), noqa="none")


@pytest.mark.parametrize(
    ("comment", "help"),
    [
        ("# jaxlint: ignore", "write `# jaxlint: ignore[rule-name]`"),
        ("# jaxlint: ignore[]", "write `# jaxlint: ignore[rule-name]`"),
        ("# jaxlint: ignore JAX301", "write `# jaxlint: ignore[JAX301]`"),
        ("# jaxlint: ignore: branch-on-traced", "write `# jaxlint: ignore[branch-on-traced]`"),
        ("# jaxlint: ignore(JAX301)", "write `# jaxlint: ignore[JAX301]`"),
        ("# jaxlint ignore[JAX301]", "write `# jaxlint: ignore[JAX301]`"),
        ("# jaxlint: ingore[JAX301]", "did you mean `# jaxlint: ignore[JAX301]`?"),
        ("# jaxlint: disable=JAX301", "did you mean `# jaxlint: ignore[rule-name]`?"),
        ("# jaxlint: skip-file", "did you mean `# jaxlint: ignore-file[rule-name]`?"),
        ("# jaxlint: nqa", "did you mean `# jaxlint: noqa`?"),
        ("# jaxlint: xyz", "jaxlint knows `ignore[...]`, `ignore-file[...]` and `noqa`"),
        ("# jaxlint: noqa: JAX301", "move it, or write `# noqa: JAX301` for this line"),
        (
            "# jaxlint: ignore-file[JAX301]",
            "move it, or write `# jaxlint: ignore[JAX301]` for this line",
        ),
        ("# jaxlint: args", "write `# jaxlint: args(f32[3])`"),
        ("# jaxlint: args(f32[3]", "write `# jaxlint: args(f32[3])`"),
        ("# jaxlint: ignore[branch-on-trace]", "did you mean `branch-on-traced`?"),
        ("# jaxlint: ignore[jax301]", "did you mean `JAX301`?"),
        ("# jaxlint: ignore[E501]", "`jaxlint rules` lists them"),
    ],
)
def test_a_comment_that_cannot_be_read_silences_nothing_and_is_reported(
    comment: str, help: str
) -> None:
    report = Session().check_source(CODE.format(f"  {comment}"), "a.py")
    assert ["JAX301", "JAX005"] == [one.code for one in report.findings]
    assert help == report.findings[1].help
    assert "warning" == report.findings[1].severity


@pytest.mark.parametrize(
    "comment", ["# see jaxlint", "# jaxlint is right", "# jaxlint, ignore", "# jaxlinted: yes"]
)
def test_words_about_jaxlint_are_no_attempts(comment: str) -> None:
    assert [] == said(CODE.format(f"  {comment}"))


def test_arguments_for_the_verifier_are_no_attempts() -> None:
    assert [] == said(CODE.format("  # jaxlint: args(f32[3], n=2)"))


def test_what_cannot_be_read_can_be_ignored_and_silenced() -> None:
    source = CODE.format("  # jaxlint: ignore")
    assert ["JAX005 # jaxlint: ignore"] == said(source)
    assert [] == said(source, selections=(Selection(ignore=("JAX005",)),))
    assert [] == said(source + "# jaxlint: ignore-file[malformed-suppression]\n")
    assert [] == said(source, noqa="none")


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# noqa: JAX301", []),
        ("# noqa", []),
        ("# noqa: E501, W605", []),
        ("# noqa: JAX302, JAX301, E501", ["JAX302"]),
        ("# noqa: JAX3, JAX4", ["JAX4"]),
        ("# noqa: JAX301, JAX301", ["JAX301"]),
        ("# noqa: JAX999, JAX301", ["JAX999"]),
        ("# noqa: while-on-traced, branch-on-traced", ["while-on-traced"]),
        ("# noqa: re-exported, branch-on-traced", []),
        ("# noqa: JAX003, JAX005, JAX301", []),
        ("# jaxlint: ignore[branch-on-traced, while-on-traced]", ["while-on-traced"]),
        ("# jaxlint: ignore[JAX301]  # noqa: JAX302", ["JAX302"]),
        ("# noqa: JAX301\n        # jaxlint: ignore[JAX301]", ["JAX301"]),
    ],
)
def test_each_word_that_silences_nothing_is_reported(comment: str, expected: list[str]) -> None:
    source = CODE.format(f"  {comment}")
    # JAX4 has rules that are off by default.
    selections = (Selection(select=("JAX",)),)
    assert [f"JAX003 {word}" for word in expected] == said(source, selections=selections)
    assert [] == said(source)
    assert [] == said(source, selections=selections, noqa="none")


def test_a_comment_above_nothing_silences_nothing() -> None:
    source = CODE.format("  # noqa") + "# jaxlint: ignore[branch-on-traced]\n"
    assert ["JAX003 branch-on-traced"] == said(source, selections=MORE)
    broken = source.replace("0.0 * x", "(0.0 * x")
    assert ["JAX001 "] == said(broken, selections=MORE)


def test_a_rule_that_does_not_run_is_not_unused() -> None:
    source = CODE.format("  # noqa: JAX302") + "y = 1  # noqa: JAX301\n"
    assert ["JAX003 JAX302", "JAX003 JAX301"] == said(source, selections=MORE)
    only = (Selection(select=("JAX301", "JAX003")),)
    assert ["JAX003 JAX301"] == said(source, selections=only)
    less = (Selection(extend_select=("JAX003",), ignore=("JAX302",)),)
    assert ["JAX003 JAX301"] == said(source, selections=less)


def test_comments_for_files_are_judged_too() -> None:
    first = "# jaxlint: ignore-file[branch-on-traced, while-on-traced]\n# jaxlint: noqa: JAX303\n"
    expected = ["JAX003 while-on-traced", "JAX003 JAX303"]
    assert expected == said(first + CODE.format(""), selections=MORE)
    # For those on lines that it reads, flake8 answers.
    line = CODE.format("  # noqa: JAX302")
    assert expected == said(first + line, selections=MORE, noqa="file")


def test_a_use_by_a_caller_in_another_file_counts(here: Path, run: Callable[..., Result]) -> None:
    helper = "def positive(x):\n    if x > 0:{}\n        return x\n    return -x\n"
    caller = (
        "import jax\nfrom helper import positive\n\n@jax.jit\ndef f(x):\n    return positive(x){}\n"
    )
    Path("pyproject.toml").touch()
    Path("helper.py").write_text(helper.format("  # noqa: JAX301"))
    Path("caller.py").write_text(caller.format(""))
    options = ["check", "--no-cache", "--warn-unused-suppressions", "--output-format", "concise"]
    for paths in (["."], ["helper.py"], ["caller.py"]):
        assert 0 == run(*options, *paths).exit_code
    Path("helper.py").write_text(helper.format(""))
    Path("caller.py").write_text(caller.format("  # noqa: JAX301"))
    # Here it silences what is shown when the helper is not asked for.
    assert 0 == run(*options, "caller.py").exit_code
    assert "JAX003" not in run(*options, ".").stdout
    Path("helper.py").write_text(helper.format("  # noqa: JAX301"))
    assert "caller.py:6:33: JAX003" in run(*options, ".").stdout


def test_files_without_jax_and_runs_with_a_cache_and_processes_tell_the_same(
    here: Path, run: Callable[..., Result]
) -> None:
    Path("plain.py").write_text("y = 1  # noqa: JAX301\n")
    for number in range(3):
        Path(f"m{number}.py").write_text(CODE.format("  # noqa: JAX301, JAX302"))
    options = ["check", "--extend-select", "JAX003", "--output-format", "concise"]
    plain = run(*options, "--no-cache", "-j1")
    assert 4 == plain.stdout.count("JAX003")
    for again in (["-j2"], [], []):
        assert plain.stdout == run(*options, *again).stdout
    Path("m1.py").write_text(CODE.format("  # noqa: JAX301"))
    assert 3 == run(*options).stdout.count("JAX003")


def test_flake8_shows_what_is_said_of_our_own_comments(here: Path) -> None:
    ours = "  # jaxlint: ignore[branch-on-traced, while-on-traced]"
    Path("a.py").write_text(CODE.format(ours) + "y = 1  # noqa: JAX301\n# jaxlint: ingore[x]\n")
    command = [sys.executable, "-m", "flake8", "--select", "JAX", "--isolated", "a.py"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert ["a.py:5:52: JAX003", "a.py:9:1: JAX005"] == [
        " ".join(line.split()[:2]) for line in shown.splitlines()
    ]


def test_rules_that_say_nothing_in_a_file_are_not_judged_there(
    here: Path, run: Callable[..., Result]
) -> None:
    Path("a.py").write_text(CODE.format("  # noqa: JAX301") + "y = 1  # noqa: JAX302\n")
    options = ["check", "--warn-unused-suppressions", "--output-format", "concise"]
    assert ["a.py:8:16:"] == [line.split()[0] for line in run(*options).stdout.splitlines()]
    assert "" == run(*options, "--per-file-ignores", "a.py:JAX3").stdout
    assert "" == run(*options, "--per-file-ignores", "a.py:JAX003").stdout

"""The session: one file in, one report out, whatever happens."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import jaxlint
from jaxlint.base.dataclass import replace
from jaxlint.base.errors import UnknownRuleError
from jaxlint.engine.machine.events import Check
from jaxlint.engine.queries import analyse
from jaxlint.project.file_systems.files import Memory
from jaxlint.registry.registry import Registry
from jaxlint.session.session import Report, Session, load_registry
from jaxlint.settings import Selection, Settings

pytestmark = pytest.mark.usefixtures("empty_directory")

HAZARD = "import jax\nhazard()\n"


def session(**settings: object) -> Session:
    return Session(Settings(**settings), registry=load_session_registry())  # type: ignore[arg-type]


def load_session_registry() -> Registry:
    from jaxlint.session import selected as module

    return module.load_registry()


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


@pytest.mark.usefixtures("fake_engine")
class TestWithFakeEngine:
    def test_a_finding_has_place_name_reason_and_source(self) -> None:
        report = session().check_source(HAZARD, "a.py")
        (finding,) = report.findings
        assert (
            finding.filename,
            finding.line,
            finding.column,
            finding.end_line,
            finding.end_column,
        ) == ("a.py", 2, 1, 2, 7)
        assert (
            finding.code,
            finding.name,
            finding.message,
        ) == ("JAX901", "loud", "`hazard` is loud")
        assert [step.message for step in finding.because] == ["`it` is imported at line 1"]
        assert report.source is not None
        assert not report.crashed

    def test_findings_come_sorted_by_place(self) -> None:
        report = session().check_source("import jax\nhazard(hazard)\nhazard\n", "a.py")
        assert [(f.line, f.column) for f in report.findings] == [(2, 1), (2, 8), (3, 1)]

    def test_one_code_is_reported_once_for_a_place(self) -> None:
        report = session().check_source("import jax\ntwice\n", "a.py")
        assert codes(report) == ["JAX901"]

    def test_text_and_bytes_give_the_same_findings(self) -> None:
        assert (
            session().check_source(HAZARD, "a.py").findings
            == session().check_source(HAZARD.encode(), "a.py").findings
        )

    def test_a_file_without_jax_is_not_analysed(self) -> None:
        assert codes(session().check_source("hazard()\n", "a.py")) == []

    def test_a_clean_file_keeps_no_source(self) -> None:
        assert session().check_source("import jax\n", "a.py").source is None

    def test_a_check_of_a_base_kind_sees_derived_facts(self) -> None:
        on = (Selection(extend_select=("JAX912",)),)
        report = session(selections=on).check_source("import jax\nwhisper\n", "a.py")
        assert codes(report) == ["JAX912"]

    def test_a_rule_that_is_off_by_default_is_silent(self) -> None:
        assert codes(session().check_source("import jax\nwhisper\n", "a.py")) == []

    @pytest.mark.parametrize("text", ["import jax\ndef f(:\n", "def f(:\n"])
    def test_a_syntax_error_is_a_finding_with_or_without_jax(self, text: str) -> None:
        report = session().check_source(text, "a.py")
        assert codes(report) == ["JAX001"]
        assert report.findings[0].line == text.count("\n")
        assert not report.crashed

    def test_undecodable_bytes_are_a_finding_with_source_to_quote(self) -> None:
        report = session().check_source(b"import jax\n# \xff\n", "a.py")
        assert codes(report) == ["JAX001"]
        assert report.source is not None
        assert report.source.line(2) == "# \N{REPLACEMENT CHARACTER}"

    @pytest.mark.parametrize("encoding", ["hex", "zip", "undefined", "idna", "nothing", "utf-16"])
    def test_an_encoding_that_is_not_for_text_is_a_finding(self, encoding: str) -> None:
        source = f"# coding: {encoding}\nimport jax\n# \xff\n".encode("latin-1")
        report = session().check_source(source, "a.py")
        assert codes(report) == ["JAX001"]
        assert not report.crashed
        assert report.source is not None

    def test_null_bytes_are_a_finding(self) -> None:
        assert codes(session().check_source(b"x = 1\n\0\n", "a.py")) == ["JAX001"]

    @pytest.mark.parametrize("text", ["def f(:\n", "import jax\ndef f(:\n"])
    def test_ignored_syntax_errors_are_silent(self, text: str) -> None:
        off = (Selection(ignore=("JAX001",)),)
        assert codes(session(selections=off).check_source(text, "a.py")) == []

    def test_a_string_with_a_bad_escape_costs_no_warning(self) -> None:
        assert codes(session().check_source("x = '\\d'\n", "a.py")) == []

    def test_an_exception_in_a_rule_is_one_finding(self) -> None:
        report = session().check_source("import jax\nhazard\nexplode\nhazard\n", "a.py")
        assert codes(report) == ["JAX009", "JAX901", "JAX901"]
        assert [finding.line for finding in report.findings] == [1, 2, 4]
        assert report.crashed
        message = report.findings[0].message
        assert message.startswith("ZeroDivisionError: the rule divided (at ")
        assert "check_loud:" in message
        assert " < jaxlint.session.examination." in message

    def test_a_recursion_error_says_that_the_code_is_too_deep(self) -> None:
        report = session().check_source("import jax\ndive\n", "a.py")
        assert codes(report) == ["JAX009"]
        assert report.findings[0].message.startswith("the code is nested too deep")
        assert "too_deep:" in report.findings[0].message

    def test_a_crash_that_is_ignored_is_still_a_problem(self) -> None:
        off = (Selection(ignore=("JAX009",)),)
        report = session(selections=off).check_source("import jax\nexplode\n", "a.py")
        assert codes(report) == []
        assert report.crashed
        assert len(report.problems) == 1

    @pytest.mark.parametrize("noqa, expected", [("all", []), ("file", ["x"]), ("none", ["x"])])
    def test_comments_on_lines_are_honoured_only_by_all(
        self, noqa: str, expected: list[str]
    ) -> None:
        report = session(noqa=noqa).check_source("import jax\nhazard  # noqa\n", "a.py")
        assert len(expected) == len(report.findings)

    @pytest.mark.parametrize("noqa, expected", [("all", 0), ("file", 0), ("none", 1)])
    def test_comments_for_files_are_honoured_unless_by_none(self, noqa: str, expected: int) -> None:
        report = session(noqa=noqa).check_source(f"# jaxlint: noqa\n{HAZARD}", "a.py")
        assert expected == len(report.findings)

    def test_no_comment_hides_a_crash(self) -> None:
        report = session().check_source("# jaxlint: noqa\nimport jax\nexplode\n", "a.py")
        assert codes(report) == ["JAX009"]

    @pytest.mark.parametrize("enabled", [False, True])
    def test_the_collector_is_left_as_it_was(self, enabled: bool) -> None:
        before = gc.isenabled()
        (gc.enable if enabled else gc.disable)()
        try:
            session().check_source("import jax\nexplode\n", "a.py")
            assert enabled == gc.isenabled()
        finally:
            (gc.enable if before else gc.disable)()

    def test_an_unreadable_file_is_a_problem(self) -> None:
        class Locked(Memory):
            def read(self, path: str) -> bytes:
                raise PermissionError(13, "Permission denied", path)

        report = Session(files=Locked({}), registry=load_session_registry()).check("a.py")
        assert [(problem.filename, problem.message) for problem in report.problems] == [
            ("a.py", "permission denied")
        ]

    def test_files_come_from_the_file_system_it_is_given(self) -> None:
        files = Memory({"a.py": HAZARD})
        report = Session(files=files, registry=load_session_registry()).check("a.py")
        assert codes(report) == ["JAX901"]

    def test_lint_takes_text_bytes_and_paths(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_text(HAZARD)
        found = [jaxlint.lint(HAZARD), jaxlint.lint(HAZARD.encode()), jaxlint.lint(path)]
        assert ["<source>", "<source>", str(path)] == [f[0].filename for f in found]
        assert [f[0].code for f in found] == ["JAX901"] * 3

    def test_lint_selects_ignores_and_disregards_comments(self) -> None:
        text = "import jax\nhazard\nwhisper  # noqa\n"
        assert jaxlint.lint(text, ignore=["JAX9"]) == []
        assert [f.code for f in jaxlint.lint(text, select=["JAX91"], noqa=False)] == ["JAX912"]
        both = jaxlint.lint(text, extend_select=["soft-whisper"], noqa=False)
        assert [f.code for f in both] == ["JAX901", "JAX912"]

    def test_lint_raises_for_unknown_rules_and_missing_files(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownRuleError):
            jaxlint.lint("", select=["JAX777"])
        with pytest.raises(FileNotFoundError):
            jaxlint.lint(tmp_path / "gone.py")


def test_the_built_in_rules_load() -> None:
    assert load_registry().rules
    assert load_registry().warnings == []


def test_an_exception_in_the_engine_keeps_what_was_found_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crash(machine: object) -> None:
        raise ZeroDivisionError("division by zero")

    checks = analyse.SEMANTICS.checks.plus(Check("crash", on_finish=crash))
    monkeypatch.setattr(analyse, "SEMANTICS", replace(analyse.SEMANTICS, checks=checks))
    report = Session(Settings()).check_source(
        "import jax\n@jax.jit\ndef relu(x):\n    return x if x > 0 else 0\n", "a.py"
    )
    assert codes(report) == ["JAX009", "JAX301"]
    assert report.crashed
    assert report.findings[0].message.startswith("ZeroDivisionError: ")
    assert report.source is not None

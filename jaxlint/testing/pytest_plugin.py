"""Collects pages: for each example one test of the linter, and one of real JAX; for each hazard
of a rule that has fixes the same two of the fixed code.

The setting `jaxlint_pages` names the directories in which each module, and each Markdown file
except README.md, is a page about the rule that it is called after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jaxlint.testing.markers import PageError
from jaxlint.testing.pages import Example, Page, read_page

if TYPE_CHECKING:
    from jaxlint.testing.fixed import FixedExample

_NOTE = "jaxlint-note"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("jaxlint_pages", "directories of pages about rules", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "jax: runs real JAX")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PageFile | None:
    """Claims the pages of the configured directories."""
    name = file_path.name
    is_page = file_path.suffix in (".py", ".md") and not name.startswith(("_", "test_", "README"))
    if not is_page or file_path.parent not in parent.config.getini("jaxlint_pages"):
        return None
    return PageFile.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Counts what JAX could not judge."""
    notes = Counter(
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _NOTE and report.when == "call"
    )
    if notes:
        terminalreporter.section("what JAX could not judge")
        for note, count in sorted(notes.items()):
            terminalreporter.write_line(f"{count:4} {note}")


class PageFile(pytest.File):
    """One page."""

    def collect(self) -> Iterator[pytest.Item]:
        page = read_page(self.path, self.path.stem.replace("_", "-"))
        for example in page.examples:
            name = f"{page.rule}:{example.line}"
            kinds: list[tuple[type[ExampleItem], str]] = [(LintItem, "lint"), (JaxItem, "jax")]
            if example.is_hazard and _has_fixes(page.rule):
                kinds += [(FixedItem, "fix"), (FixedJaxItem, "fix-jax")]
            for kind, half in kinds:
                yield kind.from_parent(self, name=f"{name}[{half}]", page=page, example=example)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, PageError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


def _has_fixes(name: str) -> bool:
    from jaxlint.testing.rulebook import known_rules

    rule = known_rules().get(name)
    return rule is not None and bool(rule.fixes)


class ExampleItem(pytest.Item):
    """One example, in one of the two worlds."""

    def __init__(self, *, page: Page, example: Example, **options: Any) -> None:
        super().__init__(**options)
        self.page = page
        self.example = example

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.example.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, PageError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class LintItem(ExampleItem):
    """The linter reports what is marked, and nothing else."""

    def runtest(self) -> None:
        # Imported late, so that a run without pages does not pay for the parser.
        from jaxlint.testing.expectations import disagreements
        from jaxlint.testing.lint import lint
        from jaxlint.testing.rulebook import known_rules

        rules = known_rules()
        findings = lint(self.example.program, self.example.path, rules.values())
        if wrong := disagreements(self.example, findings, rules):
            pytest.fail("\n".join(wrong), pytrace=False)


class OnJaxItem(ExampleItem):
    """An example that real JAX runs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_marker("jax")


class JaxItem(OnJaxItem):
    """Real JAX shows the witness of what is marked, and runs the rest without harm."""

    def runtest(self) -> None:
        if self.example.no_jax:
            self.user_properties.append((_NOTE, f"without JAX: {self.example.no_jax}"))
            pytest.skip(self.example.no_jax)
        # The jax door: a run with `-m "not jax"` works where JAX is not installed.
        from jaxlint.testing.oracle import judge
        from jaxlint.testing.rulebook import known_rules

        witnesses = {name: rule.witness for name, rule in known_rules().items()}
        hazard = self.page.hazard_above(self.example) if self.example.is_fixed else None
        verdict = judge(self.example, witnesses, hazard)
        if verdict.note:
            self.user_properties.append((_NOTE, verdict.note))
        if verdict.wrong:
            pytest.fail("\n".join(verdict.wrong), pytrace=False)


@lru_cache(maxsize=1)
def _fixed(hazard: Example) -> FixedExample:
    """A hazard after all fixes, which two tests in a row ask for."""
    from jaxlint.testing.fixed import fixed_example
    from jaxlint.testing.rulebook import known_rules

    return fixed_example(hazard, known_rules().values())


class FixedItem(ExampleItem):
    """What fixes make of a hazard is quiet, and keeps its comments."""

    def runtest(self) -> None:
        one = _fixed(self.example)
        if not one.fixed and not one.refused:
            self.user_properties.append((_NOTE, "not fixed: no fix can be written"))
        elif wrong := one.wrong():
            pytest.fail("\n".join(wrong), pytrace=False)


class FixedJaxItem(OnJaxItem):
    """Real JAX takes the fixed code, and gives what the hazard should have given."""

    def runtest(self) -> None:
        from jaxlint.base.witness import Freezes
        from jaxlint.testing.oracle import judge
        from jaxlint.testing.rulebook import known_rules

        one = _fixed(self.example)
        if self.example.no_jax or not one.fixed:
            return
        if not one.is_whole:
            self.user_properties.append((_NOTE, "fixed in part, and not run"))
            return
        witnesses = {name: rule.witness for name, rule in known_rules().items()}
        witness = witnesses[self.page.rule]
        is_meant = not isinstance(witness, Freezes) or witness.is_meant_eagerly
        compared = self.example if one.is_comparable and is_meant else None
        verdict = judge(one.as_fix(), witnesses, compared, is_shown=False)
        if verdict.wrong:
            shown = one.as_fix().code.strip()
            pytest.fail("\n".join([*verdict.wrong, shown]), pytrace=False)

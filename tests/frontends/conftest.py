"""A linter whose engine is a word search, so that what surrounds the engine is tested alone."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jaxlint.api import Finding, Raises, Rule, Severity, facts
from jaxlint.base.text import SourceText, Span
from jaxlint.engine.machine.project import Context
from jaxlint.facts.provenance import TraceEntry
from jaxlint.frontends.cli import main
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.registry.registry import Registry
from jaxlint.session import selected
from jaxlint.suppression import complaints, writing
from jaxlint.syntax import ir
from jaxlint.syntax.parse import SyntaxProblem

WORDS = ("hazard", "whisper", "explode", "dive", "twice")


def parse(source: str | bytes, path: str) -> ir.Module | SyntaxProblem:
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
        ast.parse(text)
    except UnicodeDecodeError as error:
        return SyntaxProblem(path, 1, 1, f"not UTF-8: byte {error.start}")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 1) or 1
        return SyntaxProblem(path, line, getattr(error, "offset", 1) or 1, str(error.args[0]))
    return ir.Module(SourceText(path, text), (), lambda node: node.origin)


def analyse(module: ir.Module, context: Context, guesses: bool) -> list[facts.Fact]:
    found: list[facts.Fact] = []
    entry = TraceEntry(
        ir.Node(Span(1, 1, 1, 11)), Application(EntryKind.OTHER, words="imported"), "it"
    )
    for number, line in enumerate(module.source.lines, 1):
        for match in re.finditer("|".join(WORDS), line.partition("#")[0]):
            span = Span(number, match.start() + 1, number, match.end() + 1)
            fact = facts.Effect(module, ir.Node(span), "f", entry, callee=match.group())
            found.append(fact)
    return found[::-1]


class Comments:
    directives = flaws = ()

    def __init__(self, source: SourceText) -> None:
        self._source = source

    def covers(self, line: int, code: str, name: str, line_comments: bool = True) -> bool:
        if self._source.line(1) == "# jaxlint: noqa":
            return True
        return line_comments and "noqa" in self._source.line(line)


def too_deep(number: int) -> int:
    return too_deep(number + 1) + 1


def make_rules() -> list[Rule]:
    witness = Raises("ValueError")
    loud = Rule("x.loud", code="JAX901", severity=Severity.ERROR, witness=witness, since="0.1")
    quiet = Rule(
        "x.soft_whisper",
        code="JAX912",
        severity=Severity.WARNING,
        witness=witness,
        since="0.1",
        default=False,
    )

    @loud.on(facts.Effect)
    def check_loud(fact: facts.Effect) -> Iterator[Finding]:
        if fact.callee == "explode":
            raise ZeroDivisionError("the rule\ndivided")
        if fact.callee == "dive":
            too_deep(0)
        if fact.callee in ("hazard", "twice"):
            yield loud.finding(fact, f"`{fact.text}` is loud", help="do not shout")
        if fact.callee == "twice":
            yield loud.finding(fact, "and said again")

    @quiet.on(facts.Fact)
    def check_quiet(fact: facts.Fact) -> Iterator[Finding]:
        if fact.text == "whisper":
            yield quiet.finding(fact, "`whisper` is hardly heard")

    return [quiet, loud]


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Replaces parser, engine, comments and rules; the registry in use is returned."""
    monkeypatch.setattr("jaxlint.syntax.parse.parse", parse)
    monkeypatch.setattr("jaxlint.project.file_facts.takes_jax", lambda data, *_: b"jax" in data)
    # These bind the real one once they are imported, which must not happen after this.
    assert {complaints.__name__, writing.__name__} <= sys.modules.keys()
    monkeypatch.setattr("jaxlint.syntax.comments.suppressions", Comments)
    monkeypatch.setattr("jaxlint.engine.queries.analyse.analyse", analyse)
    # What is kept would be that of another engine.
    monkeypatch.setattr("jaxlint.cache.folder.Folder.write", lambda *_: False)
    registry = Registry(make_rules())
    # Those that import it come first, so that what they get back is the real one.
    monkeypatch.setattr("jaxlint.frontends.runs.check.load_registry", lambda: registry)
    monkeypatch.setattr("jaxlint.frontends.findings.load_registry", lambda: registry)
    monkeypatch.setattr(selected, "load_registry", lambda: registry)
    return registry


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs the command with these arguments."""

    def invoke(*args: str | Path, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(arg) for arg in args], input=input)

    return invoke

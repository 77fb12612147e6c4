"""Runs of child processes over small projects, and what they answer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from jaxlint.base.text import SourceText
from jaxlint.session.session import Session
from jaxlint.verify import plan
from jaxlint.verify.protocol import Config, Job, Miss, Observation, Target
from jaxlint.verify.run import Verification

Answers = list[Observation | Miss]


def targets_in(*files: Path) -> list[Target]:
    session = Session()
    sources = {str(file): SourceText(str(file), file.read_text("utf-8")) for file in files}
    findings = [
        finding
        for path, source in sources.items()
        for finding in session.check_source(source.text, path).findings
    ]
    return plan.targets(findings, session.registry, sources.get)


def answers(jobs: Iterable[Job], **options: object) -> Answers:
    jobs = list(jobs)
    roots = plan.roots(job.file for job in jobs)
    paths = plan.paths(job.file for job in jobs)
    config = Config(roots=roots, paths=paths, **options)  # type: ignore[arg-type]
    return list(Verification(config).execute(jobs))


def told(messages: Answers) -> set[tuple[int, str, str, str]]:
    return {
        (it.target, it.outcome, it.source, it.signature)
        for it in messages
        if isinstance(it, Observation)
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    (tmp_path / "pyproject.toml").touch()

    def write(name: str, text: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), "utf-8")
        return file

    return write

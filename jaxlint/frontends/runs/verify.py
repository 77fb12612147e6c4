"""The part of a run that puts findings to real JAX: plan, child processes, verdicts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.base.verdict import Status, Verdict
from jaxlint.frontends.pools import dask_pool
from jaxlint.frontends.pools.dask_client import Cluster
from jaxlint.frontends.verify_options import Request
from jaxlint.registry.registry import Registry
from jaxlint.session.session import Report
from jaxlint.settings import VerifySettings
from jaxlint.syntax.formats.documents import is_document
from jaxlint.verify import given, plan, store
from jaxlint.verify.judge import attach, verdicts
from jaxlint.verify.protocol import Config, Example, Job, Miss, Observation, Target
from jaxlint.verify.run import Verification

_GIB = 1 << 30
_MOST_NAMES = 5
_NO_FILE = "standard input cannot be imported"
_NO_MODULE = "a file that is no module cannot be imported"
_HINT = (
    "hint: nothing is recorded here; run `jaxlint record -- pytest` (or your script) first, "
    "or invent arguments with --verify=guess"
)


class Progress(Protocol):
    """Shows how far we are."""

    def step(self, number: int, total: int, path: str) -> None: ...

    def clear(self) -> None: ...


@slotted()
class Verifier:
    """Attaches verdicts to the findings of a run. `say` prints one line for people.

    `unsaved` names reports on text that is not, or not so, in the file of that name. With a
    `cluster`, its workers run the code.
    """

    request: Request
    registry: Registry
    say: Callable[[str], None]
    progress: Progress
    unsaved: frozenset[str] = frozenset()
    cluster: Cluster | None = None
    dropped: int = field(default=0, init=False)

    def verified(
        self, reports: Sequence[Report], near: Callable[[str], VerifySettings]
    ) -> list[Report]:
        """The reports with a verdict on each finding of a rule. Raises VerifyError.

        `near` gives the settings for a file; files with the same settings share their child
        processes.
        """
        reports = [self._narrowed(report) for report in reports]
        groups: dict[VerifySettings, list[Finding]] = {}
        for report in reports:
            groups.setdefault(near(report.filename), []).extend(report.findings)
        sources = {report.filename: report.source for report in reports if report.source}
        judged: dict[Finding, Finding] = {}
        for settings, findings in groups.items():
            for finding, verdict in self._judged(findings, sources, settings).items():
                severity = self.registry.find(finding.code).severity
                judged[finding] = attach(finding, verdict, severity)
        return [
            replace(report, findings=self._kept(judged.get(it, it) for it in report.findings))
            for report in reports
        ]

    def _narrowed(self, report: Report) -> Report:
        """The report without the findings that were not asked about."""
        lines = self.request.lines.get(os.path.abspath(report.filename))
        if lines is None:
            return report
        wanted = tuple(it for it in report.findings if not lines.isdisjoint(_lines(it)))
        for line in sorted(lines.difference(*map(_lines, wanted))):
            self.say(f"no finding at {report.filename}:{line}")
        return replace(report, findings=wanted)

    def _kept(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        found = tuple(findings)
        if not self.request.drop_refuted:
            return found
        kept = tuple(it for it in found if it.verdict is None or not _is_refuted(it.verdict))
        self.dropped += len(found) - len(kept)
        return kept

    def _judged(
        self,
        findings: Sequence[Finding],
        sources: Mapping[str, SourceText],
        settings: VerifySettings,
    ) -> dict[Finding, Verdict]:
        """The verdicts on the findings of files that share their settings."""
        targets = plan.targets(findings, self.registry, sources.__getitem__)
        why_not = {it.id: self._why_not(findings[it.id].filename) for it in targets}
        saved = [it for it in targets if not why_not[it.id]]
        known = _recordings(saved, self.say)
        seen = known.observations(saved)
        shown = {it.target for it in seen if it.outcome == "shown"}
        left = [it for it in saved if it.id not in shown or self._evidence(settings)]
        texts = {os.path.abspath(name): source.text for name, source in sources.items()}
        for problem in given.unmatched(texts, dict(settings.arguments)):
            self.say(f"warning: tool.jaxlint.verify.arguments: {problem}")
        examples = _examples(left, texts, settings)
        found = self._run(left, plan.jobs(left, known.recorded, examples), settings) if left else []
        answers = [*seen, *found]
        judged = verdicts(
            targets,
            [it for it in answers if isinstance(it, Observation)],
            [it for it in answers if isinstance(it, Miss)]
            + [Miss(number, reason) for number, reason in why_not.items() if reason],
        )
        unreached = sum(it.status is Status.NOT_REACHED for it in judged.values())
        if unreached and saved and not known.recorded and not self.request.guess:
            self.say(_HINT)
        return {findings[number]: verdict for number, verdict in judged.items()}

    def _why_not(self, filename: str) -> str:
        """Why a file cannot be verified, empty where it can."""
        if filename in self.unsaved:
            return _NO_FILE
        return _NO_MODULE if is_document(filename) else ""

    def _run(
        self, targets: Sequence[Target], jobs: Sequence[Job], settings: VerifySettings
    ) -> list[Observation | Miss]:
        """What the child processes say of the targets. Raises VerifyError."""
        files = {target.id: target.file for target in targets}
        config = Config(
            roots=plan.roots(files.values()),
            paths=plan.paths(files.values()),
            guess=self.request.guess,
            execute=self.request.execute,
            program=self._evidence(settings),
            call_seconds=self.request.timeout or settings.timeout,
            memory=int(settings.memory * _GIB),
        )
        python = self.request.python or settings.python
        names = [os.path.relpath(job.file) for job in jobs]
        verification: Verification | dask_pool.Verification
        if self.cluster is None:
            verification = Verification(config, python or sys.executable)
            who = verification.python
        else:
            verification = dask_pool.Verification(self.cluster, config, python)
            who = f"{python or 'their Python'} on the workers of {self.cluster.address}"
        self.say(f"verifying with {who}, which imports {_some(names)}")
        answers: list[Observation | Miss] = []
        reached: set[int] = set()
        for answer in verification.execute(jobs):
            answers.append(answer)
            reached.add(answer.target)
            self.progress.step(len(reached), len(files), files[answer.target])
        self.progress.clear()
        for note in verification.notes:
            self.say(f"note: {note}")
        return answers

    def _evidence(self, settings: VerifySettings) -> str:
        return self.request.evidence or settings.evidence


def _recordings(targets: Iterable[Target], say: Callable[[str], None]) -> store.Recordings:
    """What was recorded in the projects of these targets, and here."""
    files = [target.file for target in targets]
    merged = store.Recordings()
    for folder in dict.fromkeys(map(store.directory, (os.curdir, *plan.roots(files)))):
        found = store.read(folder)
        merged.recorded += found.recorded
        merged.stale |= found.stale
        for key, observations in found.seen.items():
            merged.seen.setdefault(key, []).extend(observations)
        for warning in found.warnings:
            say(f"warning: {warning}")
    stale = sorted(merged.stale.intersection(map(os.path.realpath, files)))
    if stale:
        names = _some([os.path.relpath(file) for file in stale])
        say(f"warning: changed since it was recorded: {names}")
    return merged


def _examples(
    targets: Iterable[Target], texts: Mapping[str, str], settings: VerifySettings
) -> dict[str, Sequence[Example]]:
    """The calls that the user wrote for each file; `texts` are by absolute path."""
    table = dict(settings.arguments)
    return {
        file: given.examples(file, texts[file], table)
        for file in dict.fromkeys(target.file for target in targets)
    }


def _is_refuted(verdict: Verdict) -> bool:
    """By the user's own arguments; a guess that did no harm proves nothing."""
    return verdict.status is Status.REFUTED_FOR and not verdict.is_invented


def _lines(finding: Finding) -> range:
    return range(finding.line, finding.end_line + 1)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {rest} more" if rest > 0 else shown

"""Runs that fix what they find, or show how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jaxlint.apply.files import FixedFiles, shown_difference
from jaxlint.apply.rounds import MOST_ROUNDS, Found, Settling, settled
from jaxlint.apply.text import is_fixable, is_safe
from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.errors import DocumentError, JaxlintError
from jaxlint.base.finding import Finding
from jaxlint.base.printable import one_line, patch
from jaxlint.base.wording import counted
from jaxlint.project.file_systems.files import FileSystem, Problem
from jaxlint.results.report import Report
from jaxlint.syntax.formats.documents import is_document
from jaxlint.syntax.formats.editing import REFUSALS, editable

if TYPE_CHECKING:
    from jaxlint.session.session import Session


@slotted(frozen=True)
class Fixing:
    """What is done about what can be fixed: it is written to files, or shown as a `diff`. `only`
    tells that nothing is reported, `show` that the fixed findings are listed, and `fails` that
    what was fixed counts as found."""

    unsafe: bool = False
    diff: bool = False
    only: bool = False
    show: bool = False
    fails: bool = False

    def wanted(self, finding: Finding) -> bool:
        """Whether a finding has a fix that is to be carried out."""
        return is_fixable(finding) if self.unsafe else is_safe(finding)


class FixedRun:
    """The fixes of one run."""

    def __init__(self, fixing: Fixing, files: FileSystem) -> None:
        self._fixing = fixing
        self._files = FixedFiles(files)
        # What standard input holds after fixes, and its changes.
        self.text: str | None = None
        self._differences: list[str] = []
        self._remaining: list[Finding] = []
        self._refused: list[Finding] = []

    @property
    def files(self) -> FileSystem:
        """The files as they are once they are fixed."""
        return self._files.drafts

    @property
    def problems(self) -> list[Problem]:
        """The files that cannot be fixed."""
        return self._files.problems

    @property
    def is_silent(self) -> bool:
        """Whether nothing that was found is reported."""
        return self._fixing.diff or self._fixing.only

    @property
    def found(self) -> bool:
        """Whether what was fixed counts as found."""
        return bool(self._files.fixed) and (self._fixing.fails or self._fixing.diff)

    def settle(
        self,
        reports: list[Report],
        sessions: Callable[[], Iterable[Session]],
        again: Callable[[], Iterable[Report]],
    ) -> list[Report]:
        """Fixes and checks until there is nothing left to fix; the last reports."""
        texts = _Drafted(self._files, sessions, again)
        settling = Settling(texts, self._fixing.wanted)
        found = settling.settle({report.filename: report.findings for report in reports})
        self._files.fixed += settling.fixed
        self._refused += settling.refused
        if settling.fixed:
            reports = list(again())
        reports = [replace(one, findings=tuple(found[one.filename])) for one in reports]
        self._remaining += [one for report in reports for one in report.findings]
        return reports

    def settle_source(self, session: Session, data: bytes, name: str) -> Report:
        """Fixes standard input; the report on what becomes of it. Raises JaxlintError for what
        cannot be written as it was read."""
        try:
            file = editable(data, name)
        except (*REFUSALS, DocumentError) as error:
            raise JaxlintError(f"{name}: cannot be fixed: {error}") from error

        def check(text: str) -> Report:
            return session.check_source(file.rewritten(text), name)

        result = settled(file.source, lambda text: check(text).findings, self._fixing.wanted, name)
        self._files.fixed += result.findings
        self._refused += result.refused
        new = file.rewritten(result.text)
        self._differences.append(shown_difference(name, data, new))
        self.text = new.decode() if is_document(name) else result.text
        report = replace(check(result.text), findings=result.left)
        self._remaining += report.findings
        return report

    def save(self) -> list[Problem]:
        """Writes the files; those that could not be written."""
        return [] if self._fixing.diff else list(self._files.save())

    def shown(self) -> str:
        """What the run prints instead of findings: the diff, or standard input once fixed."""
        if self._fixing.diff:
            return patch("".join([*self._differences, *self._files.differences()]))
        return self.text or ""

    def summary(self) -> str:
        """What was fixed, in words."""
        fixed, lines = self._files.fixed, []
        if fixed:
            files = len({finding.filename for finding in fixed})
            verb = "Would fix" if self._fixing.diff else "Fixed"
            lines.append(f"{verb} {counted(len(fixed), 'finding')} in {counted(files, 'file')}.")
        if self._fixing.show:
            lines += _listed(fixed)
        if self._refused:
            number = len(self._refused)
            fixes = "1 fix was" if number == 1 else f"{number} fixes were"
            lines.append(f"{fixes} not applied, because of new findings afterwards.")
        if any(map(self._fixing.wanted, self._remaining)):
            lines.append(f"There is more to fix after {MOST_ROUNDS} rounds.")
        return "".join(f"{line}\n" for line in lines)


class _Drafted:
    """The drafts of the files of a run, which its sessions check."""

    def __init__(
        self,
        files: FixedFiles,
        sessions: Callable[[], Iterable[Session]],
        again: Callable[[], Iterable[Report]],
    ) -> None:
        self._files = files
        self._sessions = sessions
        self._again = again

    def text(self, path: str) -> str | None:
        return self._files.text(path)

    def put(self, path: str, text: str) -> None:
        if self._files.put(path, text):
            for session in self._sessions():
                session.changed(path)

    def check(self) -> Found:
        return {report.filename: report.findings for report in self._again()}


def _listed(fixed: Iterable[Finding]) -> list[str]:
    """The fixed findings, counted for each file."""
    counts = Counter((one.filename, one.code, one.name) for one in fixed)
    return [
        f"  {one_line(path)}: {number} x {code} ({name})"
        for (path, code, name), number in counts.items()
    ]

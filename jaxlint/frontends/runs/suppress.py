"""What is done with findings instead of reporting them: comments and baselines are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import DocumentError, JaxlintError, reason
from jaxlint.base.own_codes import METAS
from jaxlint.base.reading import read_file
from jaxlint.base.text import SourceText
from jaxlint.base.wording import counted
from jaxlint.project.file_systems.files import Problem
from jaxlint.project.file_systems.writing import write_whole
from jaxlint.results.merge import Place
from jaxlint.results.report import Report
from jaxlint.suppression.writing import Style, Written, refuse_reason, with_comments
from jaxlint.syntax.formats.editing import REFUSALS, editable

Say = Callable[[str], None]
Complain = Callable[[Sequence[Problem]], None]
_METAS = frozenset(meta.code for meta in METAS)


@slotted(frozen=True)
class Silencing:
    """What to write: comments of a style, with a reason, or a baseline to a file."""

    style: Style | None = None
    reason: str = ""
    baseline: str = ""

    def carry_out(self, reports: Sequence[Report], say: Say, complain: Complain) -> None:
        """Writes it for all that was found. Raises JaxlintError for a baseline that cannot be
        written."""
        if self.style is None:
            self._write_baseline(reports, say)
        else:
            self._write_comments(reports, self.style, say, complain)

    def _write_baseline(self, reports: Sequence[Report], say: Say) -> None:
        from jaxlint.baseline import written

        found = [(it.source, it.findings) for it in reports if it.source is not None]
        text, count = written(found, self.baseline)
        try:
            write_whole(self.baseline, text.encode())
        except OSError as error:
            raise JaxlintError(f"{self.baseline}: {reason(error)}") from error
        say(f"wrote {counted(count, 'finding')} to {self.baseline}")

    def _write_comments(
        self, reports: Sequence[Report], style: Style, say: Say, complain: Complain
    ) -> None:
        count = files = 0
        for report in reports:
            places = {
                Place(one.line, one.code, one.name)
                for one in report.findings
                if one.code not in _METAS
            }
            if not places:
                continue
            try:
                written = _write_into(report.filename, places, style, self.reason)
            except OSError as error:
                complain([Problem(report.filename, reason(error))])
                continue
            except (*REFUSALS, DocumentError) as error:
                complain([Problem(report.filename, str(error))])
                continue
            count, files = count + written.count, files + bool(written.count)
            for place in written.refused:
                where = f"{report.filename}:{_line(report, place)}"
                say(f"warning: {where}: no comment can stand here to silence {place.code}")
        say(f"added {counted(count, 'comment')} in {counted(files, 'file')}")


def _line(report: Report, place: Place) -> str:
    return str(place.line) if report.source is None else report.source.shown(place.line)


def _write_into(path: str, places: set[Place], style: Style, why: str) -> Written:
    """Raises OSError, and what `editable` raises for a file whose text cannot be written as it was
    read."""
    data = read_file(path)
    file = editable(data, path)
    written = with_comments(SourceText(path, file.source), places, style, why)
    if written.count:
        write_whole(path, file.rewritten(written.text))
    return written


def silencing(
    write_baseline: str | None, add_noqa: str | None, add_ignore: str | None
) -> Silencing | None:
    """What the options of the command ask for. Raises JaxlintError for a reason that is none."""
    if write_baseline is not None:
        return Silencing(baseline=write_baseline)
    style, given = (Style.NOQA, add_noqa) if add_noqa is not None else (Style.IGNORE, add_ignore)
    if given is None:
        return None
    refuse_reason(style, given)
    return Silencing(style, given.strip())

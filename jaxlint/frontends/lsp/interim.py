"""What is shown of a document until all files that lead to it are examined again: what its own
tracing finds now, and what theirs found before, at the lines that an edit moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.edit import Edit
from jaxlint.base.finding import Because, Finding, Fix
from jaxlint.base.own_codes import SYNTAX_ERROR
from jaxlint.base.text import SourceText, Span
from jaxlint.frontends.lsp.edits import alike
from jaxlint.results.report import Report

_Move = Callable[[Span], Span | None]


@slotted(frozen=True)
class Elsewhere:
    """The findings in one text of a document that only the tracing of other files comes to."""

    source: SourceText
    findings: tuple[Finding, ...]


def elsewhere(source: SourceText, full: Report, own: Report) -> Elsewhere:
    """What the report on a document holds beside that from its own tracing."""
    known = set(map(_key, own.findings))
    return Elsewhere(source, tuple(one for one in full.findings if _key(one) not in known))


def interim(source: SourceText, own: Report, before: Elsewhere | None) -> Report:
    """The report on a text from its own tracing, with what other files found before. What stands
    on edited lines is left out, and so is all where the text cannot be parsed."""
    if before is None or any(one.code == SYNTAX_ERROR.code for one in own.findings):
        return own
    known = set(map(_key, own.findings))
    kept = [it for it in _moved(before, source) if _key(it) not in known]
    if not kept:
        return own
    found = tuple(sorted((*own.findings, *kept), key=Finding.sort_key))
    return replace(own, findings=found, source=source)


def _key(finding: Finding) -> tuple[Span, str]:
    return finding.span, finding.code


def _moved(before: Elsewhere, source: SourceText) -> Iterator[Finding]:
    move = _mover(before.source.lines, source.lines)
    for finding in before.findings:
        span = move(finding.span)
        if span is not None:
            yield replace(
                finding,
                span=span,
                because=_steps(finding.because, move),
                trail=_steps(finding.trail, move),
                doubt=None if finding.doubt is None else _step(finding.doubt, move),
                fix=_fix(finding.fix, move),
            )


def _mover(before: Sequence[str], after: Sequence[str]) -> _Move:
    """Where spans of some lines are in others; None for what is on lines that differ."""
    head = alike(before, after)
    rest = alike(before[head:][::-1], after[head:][::-1])
    last, by = len(before) - rest, len(after) - len(before)

    def move(span: Span) -> Span | None:
        if span.end_line <= head:
            return span
        if span.line > last:
            return replace(span, line=span.line + by, end_line=span.end_line + by)
        return None

    return move


def _steps(steps: Iterable[Because], move: _Move) -> tuple[Because, ...]:
    return tuple(moved for step in steps if (moved := _step(step, move)) is not None)


def _step(step: Because, move: _Move) -> Because | None:
    """A step where it is now; those in other files stay."""
    span = step.span if step.filename else move(step.span)
    return None if span is None else replace(step, span=span)


def _fix(fix: Fix | None, move: _Move) -> Fix | None:
    """A fix of the text as it is now, None where it would change what was edited."""
    if fix is None:
        return None
    spans = [move(edit.span) for edit in fix.whole]
    if None in spans:
        return None

    def moved(edits: Iterable[Edit]) -> tuple[Edit, ...]:
        places = ((move(edit.span), edit) for edit in edits)
        return tuple(replace(edit, span=span) for span, edit in places if span is not None)

    return replace(fix, edits=moved(fix.edits), cleanup=moved(fix.cleanup))

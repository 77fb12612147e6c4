"""A finding as the protocol wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types

from jaxlint.base.finding import Because, Finding, Severity, Tag
from jaxlint.base.printable import one_line
from jaxlint.base.text import SourceText
from jaxlint.frontends.lsp.edits import range_of
from jaxlint.frontends.lsp.texts import Encoding
from jaxlint.report.links import page
from jaxlint.report.notebook_lines import span_in
from jaxlint.session.session import load_registry

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.PERF: types.DiagnosticSeverity.Information,
    Severity.INFO: types.DiagnosticSeverity.Hint,
}
_TAGS = {
    Tag.DEPRECATED: types.DiagnosticTag.Deprecated,
    Tag.UNNECESSARY: types.DiagnosticTag.Unnecessary,
}
SOURCE = "jaxlint"

# From the name of a file in a finding to its address and its lines.
Lookup = Callable[[str], tuple[str, SourceText]]


def diagnostic(finding: Finding, look: Lookup, encoding: Encoding) -> types.Diagnostic:
    """The diagnostic for a finding; `look` knows the files that it speaks of."""
    _, text = look(finding.filename)
    related = [
        types.DiagnosticRelatedInformation(
            _location(step, finding, look, encoding), one_line(step.message)
        )
        for step in (*(finding.trail or finding.because), *finding.places)
    ]
    message = one_line(finding.message)
    message = f"{message}\n{one_line(finding.help)}" if finding.help else message
    return types.Diagnostic(
        range=range_of(finding.span, text, encoding),
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page(finding.name)),
        source=SOURCE,
        tags=_tags(finding.name),
        related_information=related or None,
        data={"rule": finding.name},
    )


def _location(step: Because, finding: Finding, look: Lookup, encoding: Encoding) -> types.Location:
    uri, text = look(step.filename or finding.filename)
    return types.Location(uri, range_of(span_in(step, text), text, encoding))


def _tags(name: str) -> Sequence[types.DiagnosticTag] | None:
    return [_TAGS[tag] for tag in load_registry().find(name).tags] or None

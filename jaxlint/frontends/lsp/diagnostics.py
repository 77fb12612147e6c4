"""A finding as the protocol wants it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import cache

from lsprotocol import types
from pygls import uris

from jaxlint.base.finding import Because, Finding, Severity
from jaxlint.base.text import SourceText, Span
from jaxlint.frontends.lsp.texts import Encoding

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.PERF: types.DiagnosticSeverity.Information,
    Severity.INFO: types.DiagnosticSeverity.Hint,
}
# The rules about what newer releases of JAX want otherwise, and those about values that nobody
# uses: editors strike the first through and fade the others.
DEPRECATED = frozenset(
    {"deprecated-api", "deprecated-jit-parameter", "legacy-prngkey", "removed-api"}
)
UNNECESSARY = frozenset(
    {"at-update-discarded", "jit-result-unused", "pure-result-discarded", "split-result-ignored"}
)
SOURCE = "jaxlint"

# From the name of a file in a finding to its address and its lines.
Lookup = Callable[[str], tuple[str, SourceText]]


def diagnostic(finding: Finding, look: Lookup, encoding: Encoding) -> types.Diagnostic:
    """The diagnostic for a finding; `look` knows the files that it speaks of."""
    _, text = look(finding.filename)
    related = [
        types.DiagnosticRelatedInformation(_location(step, finding, look, encoding), step.message)
        for step in finding.trail or finding.because
    ]
    message = f"{finding.message}\n{finding.help}" if finding.help else finding.message
    page = _page(finding.name)
    return types.Diagnostic(
        range=_range(finding.span, text, encoding),
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=_tags(finding.name),
        related_information=related or None,
        data={"rule": finding.name},
    )


def _location(step: Because, finding: Finding, look: Lookup, encoding: Encoding) -> types.Location:
    uri, text = look(step.filename or finding.filename)
    return types.Location(uri, _range(step.span, text, encoding))


def _range(span: Span, text: SourceText, encoding: Encoding) -> types.Range:
    return types.Range(
        _position(span.line, span.column, text, encoding),
        _position(span.end_line, span.end_column, text, encoding),
    )


def _position(line: int, column: int, text: SourceText, encoding: Encoding) -> types.Position:
    before = text.line(line)[: column - 1]
    return types.Position(line - 1, encoding.units(before))


def _tags(name: str) -> Sequence[types.DiagnosticTag] | None:
    if name in DEPRECATED:
        return [types.DiagnosticTag.Deprecated]
    return [types.DiagnosticTag.Unnecessary] if name in UNNECESSARY else None


@cache
def _page(name: str) -> str | None:
    """The address of the page of a rule: the file that begins with it."""
    try:
        spec = importlib.util.find_spec(f"jaxlint.rules.{name.replace('-', '_')}")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not os.path.isfile(spec.origin):
        return None
    uri: str | None = uris.from_fs_path(spec.origin)
    return uri

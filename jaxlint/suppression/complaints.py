"""What is to be said about the suppression comments of a file: those that silence nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Applicability, Finding, Fix
from jaxlint.base.own_codes import MALFORMED_SUPPRESSION, METAS, UNUSED_SUPPRESSION, Meta
from jaxlint.base.text import SourceText, Span
from jaxlint.registry.registry import Registry
from jaxlint.results.merge import Ran
from jaxlint.suppression.removal import removals
from jaxlint.syntax.comments import Directive, Suppressions, Word

_PREFIX = "JAX"
_CODE = re.compile(r"[A-Z]+[0-9]+")
_METAS = frozenset(meta.code for meta in METAS)
_REMOVE = "remove it"
_LIST = "`jaxlint rules` lists them"


def malformed(path: str, comments: Suppressions, registry: Registry) -> Iterator[Finding]:
    """The comments for jaxlint that cannot be understood, and the rules in them that do not
    exist."""
    for flaw in comments.flaws:
        yield _finding(MALFORMED_SUPPRESSION, path, flaw.span, flaw.message, flaw.help)
    for directive, word in _words(comments):
        if directive.is_ignore and not _named(word, registry):
            message = f"`{word.text}` in `{directive.form}` is no rule of jaxlint"
            help = _suggestion(word, registry) or _LIST
            yield _finding(MALFORMED_SUPPRESSION, path, word.span, message, help)


def unused(
    source: SourceText, comments: Suppressions, registry: Registry, ran: Ran
) -> Iterator[Finding]:
    """The words that silence nothing. One that stands for a rule that did not run is none."""
    used = {
        word.span
        for place in set(ran.places)
        for _, word in comments.silencing(place.line, place.code, place.name)
        if word is not None
    }
    for directive, word in _words(comments):
        if word.span in used or (directive.is_line_noqa and not ran.noqa):
            continue
        codes = _named(word, registry)
        if not codes and _is_meant(directive, word):
            message = f"`{word.text}` in `{directive.form}` is no code of jaxlint"
            help = _suggestion(word, registry) or _REMOVE
            yield _unused(source, word, message, help)
        elif codes and _METAS.isdisjoint(codes) and codes.issubset(ran.active):
            message = f"`{word.text}` in `{directive.form}` silences nothing {_where(directive)}"
            yield _unused(source, word, message, _REMOVE)


def _words(comments: Suppressions) -> Iterator[tuple[Directive, Word]]:
    for directive in comments.directives:
        for word in directive.words or ():
            yield directive, word


def _is_meant(directive: Directive, word: Word) -> bool:
    """Whether a word that names no rule was to be one of ours. Words in comments of other tools
    may be theirs, and in our own they are malformed."""
    return word.text.startswith(_PREFIX) and not directive.is_ignore


def _where(directive: Directive) -> str:
    if not directive.first:
        return "in this file"
    return "on this line" if directive.first == directive.last else "on these lines"


def _named(word: Word, registry: Registry) -> frozenset[str]:
    """The codes that a word stands for."""
    entries = registry.entries
    return frozenset(entry.code for entry in entries if word.covers(entry.code, entry.name))


def _suggestion(word: Word, registry: Registry) -> str:
    if _CODE.fullmatch(word.text) and not word.text.startswith(_PREFIX):
        # It is another tool's.
        return ""
    close = registry.close_to(word.text)
    return f"did you mean `{close}`?" if close else ""


def _unused(source: SourceText, word: Word, message: str, help: str) -> Finding:
    finding = _finding(UNUSED_SUPPRESSION, source.path, word.span, message, help)
    edits = tuple(sorted(removals(source, {word.span})))
    fix = Fix("Remove the comment that silences nothing", Applicability.SAFE, edits)
    return replace(finding, fix=fix if edits else None)


def _finding(meta: Meta, path: str, span: Span, message: str, help: str) -> Finding:
    return Finding(path, span, meta.code, meta.name, meta.severity, message, help)

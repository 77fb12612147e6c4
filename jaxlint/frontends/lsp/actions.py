"""What an editor can do about findings: fix them, silence them, fix all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsprotocol import types

from jaxlint.apply.text import Wanted, is_fixable, is_safe
from jaxlint.base.finding import Applicability, Finding
from jaxlint.base.own_codes import METAS
from jaxlint.base.text import SourceText
from jaxlint.frontends.lsp.client import Client
from jaxlint.frontends.lsp.diagnostics import SOURCE
from jaxlint.frontends.lsp.edits import changes, text_edits, workspace_edit
from jaxlint.frontends.lsp.opened import Document
from jaxlint.results.merge import Place
from jaxlint.suppression.writing import Style, with_comments

QUICK = types.CodeActionKind.QuickFix
ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
KINDS = (QUICK, types.CodeActionKind.SourceFixAll, ALL)
FIX_ALL = "Fix all auto-fixable problems"
_METAS = frozenset(meta.code for meta in METAS)
_DO = "do"


class Actions:
    """What can be done about the findings in one version of a document."""

    def __init__(
        self,
        document: Document,
        findings: Sequence[Finding],
        diagnostics: Sequence[types.Diagnostic],
        client: Client,
    ) -> None:
        self._document = document
        self._source = SourceText(document.path, document.text)
        shown = zip(findings, diagnostics, strict=True)
        self._shown = tuple(shown)
        self._client = client

    def quick(
        self, where: types.Range, named: Sequence[types.Diagnostic] = ()
    ) -> Iterator[types.CodeAction]:
        """What can be done about the findings in a part of the text, and about those that the
        editor names: safe fixes first."""
        known = [(it.range, it.code) for it in named]
        meant = [
            (finding, it)
            for finding, it in self._shown
            if _meet(it.range, where) or (it.range, it.code) in known
        ]
        meant.sort(key=lambda it: not is_safe(it[0]))
        for finding, diagnostic in meant:
            yield from self._fixes(finding, diagnostic)
        for style in (Style.NOQA, Style.IGNORE):
            for finding, diagnostic in meant:
                yield from self._silencings(style, finding, diagnostic)

    def is_fixable(self, wanted: Wanted) -> bool:
        """Whether any fix is wanted that there is."""
        return any(wanted(finding) for finding, _ in self._shown)

    def all_fixed(self) -> types.CodeAction:
        """The action that fixes everything, without its change."""
        title = f"{SOURCE}: {FIX_ALL}"
        return types.CodeAction(title, ALL, data=self._data("all"))

    def edit(self, new: str) -> types.WorkspaceEdit | None:
        """The change that gives the document another text, None where that is the one it has."""
        edits = text_edits(changes(self._source.text, new), self._source, self._client.encoding)
        return self._workspace_edit(edits) if edits else None

    def silenced(self, data: Mapping[str, Any]) -> types.WorkspaceEdit | None:
        """The change that writes the comment that an action stands for."""
        place = Place(int(data["line"]), str(data["code"]), str(data["name"]))
        return self._comment(Style[str(data[_DO])], place)

    def _fixes(self, finding: Finding, diagnostic: types.Diagnostic) -> Iterator[types.CodeAction]:
        fix = finding.fix
        if fix is None:
            return
        doubt = "" if fix.applicability is Applicability.SAFE else " (unsafe)"
        edits = text_edits(fix.whole, self._source, self._client.encoding)
        yield types.CodeAction(
            f"{SOURCE} ({finding.code}): {fix.title}{doubt}",
            QUICK,
            [diagnostic],
            is_preferred=fix.applicability is Applicability.SAFE,
            edit=self._workspace_edit(edits),
        )

    def _silencings(
        self, style: Style, finding: Finding, diagnostic: types.Diagnostic
    ) -> Iterator[types.CodeAction]:
        if finding.code in _METAS:
            return
        place = Place(finding.line, finding.code, finding.name)
        edit, data = None, None
        if self._client.lazy_edits:
            data = self._data(style.name, line=place.line, code=place.code, name=place.name)
        else:
            edit = self._comment(style, place)
            if edit is None:
                return
        comment = style.comment([style.word(place)], "")
        title = f"{SOURCE} ({finding.code}): Disable for this line with `{comment}`"
        yield types.CodeAction(title, QUICK, [diagnostic], edit=edit, data=data)

    def _comment(self, style: Style, place: Place) -> types.WorkspaceEdit | None:
        written = with_comments(self._source, [place], style)
        return self.edit(written.text) if written.count else None

    def _workspace_edit(self, edits: Sequence[types.TextEdit]) -> types.WorkspaceEdit:
        version = self._document.version if self._client.versioned else None
        return workspace_edit(self._document.uri, version, edits)

    def _data(self, what: str, **more: Any) -> dict[str, Any]:
        about = {"uri": self._document.uri, "version": self._document.version}
        return {_DO: what, **about, **more}


def wants(context: types.CodeActionContext, kind: str) -> bool:
    """Whether an editor asks for actions of a kind, or for those of a kind above it."""
    if not context.only:
        return True
    asked = [str(getattr(one, "value", one)) for one in context.only]
    return any(not one or kind == one or kind.startswith(f"{one}.") for one in asked)


def fixes(unsafely: bool) -> Wanted:
    """Which fixes count among all of them."""
    return is_fixable if unsafely else is_safe


def is_about_all(data: Mapping[str, Any]) -> bool:
    """Whether an action is the one that fixes everything."""
    return bool(data.get(_DO) == "all")


def _meet(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end

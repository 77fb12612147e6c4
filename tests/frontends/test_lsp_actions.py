"""What the language server offers to do about findings, as a real client gets it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lsp_client import Editor, edit
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from jaxlint.base.edit import applied
from jaxlint.base.text import SourceText
from jaxlint.frontends.lsp.edits import changes, position_of
from jaxlint.frontends.lsp.texts import Encoding, edited

WIDE = "\U0001f600\u957f"
STORED = f"""\
import jax
import jax.numpy as jnp


def fill():
    "{WIDE}"; codes = jnp.zeros(3); codes[0] = 4  # {WIDE} stays
    codes[1] += 2
    codes[2] = 5  # noqa: JAX151
    return codes


@jax.jit
def branch(x):
    assert x > 0
    return -x
"""
FIXED = STORED.replace("codes[0] = 4", "codes = codes.at[0].set(4)").replace(
    "codes[1] += 2", "codes = codes.at[1].add(2)"
)
# What the fix gives is another type where NumPy's arrays come in.
SHARED = """\
import jax
import numpy as np


def fill(codes):
    codes[0] = 1
    return codes


jax.jit(fill)(np.zeros(3))
fill(np.zeros(3))
"""
UNSAFELY = "codes[0] = 1", "codes = codes.at[0].set(1)"
LAZY = types.CodeActionClientCapabilities(
    data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
)
LOOKED_AT = types.InlayHintClientCapabilities(
    resolve_support=types.ClientInlayHintResolveOptions(["tooltip"])
)
VERSIONED = types.WorkspaceEditClientCapabilities(document_changes=True)
WHOLE = types.Range(types.Position(0, 0), types.Position(99, 0))


async def offered(
    editor: Editor,
    name: str,
    where: types.Range = WHOLE,
    only: Sequence[str] | None = None,
    named: Sequence[types.Diagnostic] = (),
) -> list[types.CodeAction]:
    context = types.CodeActionContext(named, only=only)
    document = types.TextDocumentIdentifier(editor.uri(name))
    params = types.CodeActionParams(document, where, context)
    found = await editor.client.text_document_code_action_async(params)
    return [one for one in found or () if isinstance(one, types.CodeAction)]


def carried_out(
    text: str, edit: types.WorkspaceEdit | None, encoding: Encoding = Encoding.UTF16
) -> str:
    """The text after the changes that an action makes of one document."""
    assert edit is not None
    if edit.document_changes:
        (document,) = edit.document_changes
        assert isinstance(document, types.TextDocumentEdit)
        made = list(document.edits)
    else:
        (made,) = map(list, (edit.changes or {}).values())
    for one in reversed(made):
        assert isinstance(one, types.TextEdit)
        start, end = one.range.start, one.range.end
        places = (start.line, start.character), (end.line, end.character)
        text = edited(text, *places, one.new_text, encoding)
    return text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("")
    return tmp_path


def test_findings_are_fixed_and_silenced(project: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.py", STORED)
        first, _, branch = await editor.shows("a.py", "JAX151", "JAX151", "JAX303")
        found = await offered(editor, "a.py", first.range)
        titles = [one.title for one in found]
        assert [
            "jaxlint (JAX151): Replace with `codes = codes.at[...].set(...)`",
            "jaxlint (JAX151): Disable for this line with `# noqa: JAX151`",
            "jaxlint (JAX151): Disable for this line with "
            "`# jaxlint: ignore[array-item-assignment]`",
            "jaxlint: Fix all auto-fixable problems",
        ] == titles
        assert [True, None, None, None] == [one.is_preferred for one in found]
        assert [["JAX151"]] * 3 == [
            [str(about.code) for about in one.diagnostics or ()] for one in found[:3]
        ]
        after, noqa, ignored, fixed = (carried_out(STORED, one.edit) for one in found)
        assert STORED.replace("codes[0] = 4", "codes = codes.at[0].set(4)") == after
        end = f"# {WIDE} stays"
        assert STORED.replace(end, f"{end}  # noqa: JAX151") == noqa
        name = "array-item-assignment"
        assert STORED.replace(end, f"{end}  # jaxlint: ignore[{name}]") == ignored
        assert fixed == FIXED
        # Of other places and kinds nothing is offered.
        (one,) = await offered(editor, "a.py", branch.range, ["source"])
        assert one.kind == "source.fixAll.jaxlint"
        assert [one.title] == [
            it.title for it in await offered(editor, "a.py", only=["source.fixAll"])
        ]
        assert [] == await offered(editor, "a.py", only=["refactor", "source.organizeImports"])
        quick = await offered(editor, "a.py", branch.range, ["quickfix"])
        assert {"quickfix"} == {one.kind for one in quick}
        # Editors name what is on the line on which the cursor is somewhere.
        start = types.Range(types.Position(5, 0), types.Position(5, 0))
        assert [] == await offered(editor, "a.py", start, ["quickfix"])
        named = await offered(editor, "a.py", start, ["quickfix"], [first])
        assert titles[:3] == [one.title for one in named]
        editor.open("b.py", SHARED)
        await editor.shows("b.py", "JAX151")
        doubtful, *silenced = await offered(editor, "b.py")
        assert doubtful.title.endswith(" (unsafe)") and not doubtful.is_preferred
        assert carried_out(SHARED, doubtful.edit) == SHARED.replace(*UNSAFELY)
        assert 2 == len(silenced)
        # What was not checked yet is, and so is what is asked for in between.
        editor.replace("a.py", FIXED)
        found = await offered(editor, "a.py", only=["quickfix", "source.fixAll.jaxlint"])
        assert ["JAX303"] * 2 == [str(it.code) for one in found for it in one.diagnostics or ()]
        await editor.shows("a.py", "JAX303")

    edit(project, story)


def test_changes_are_made_and_hints_explained_once_they_are_chosen(project: Path) -> None:
    (project / "jaxlint.toml").write_text("extend-select = ['JAX003']\n")
    text = STORED.replace("    codes[1] += 2\n", "    codes[1] = 2  # noqa: JAX302, JAX303\n")

    async def story(editor: Editor) -> None:
        editor.open("a.py", text)
        shown = await editor.shows("a.py", "JAX151", "JAX151", "JAX003", "JAX003", "JAX303")
        found = await offered(editor, "a.py", shown[2].range)
        (removed,) = [one for one in found if "JAX003" in one.title]
        assert text.replace("JAX302, ", "") == carried_out(text, removed.edit, Encoding.UTF8)
        assert removed.is_preferred
        *_, last = found
        assert last.edit is None
        for one in await offered(editor, "a.py", shown[0].range):
            chosen = await editor.client.code_action_resolve_async(one)
            assert chosen.edit is not None and chosen.edit.document_changes is not None
            (change,) = chosen.edit.document_changes
            assert isinstance(change, types.TextDocumentEdit)
            assert 1 == change.text_document.version
            new = carried_out(text, chosen.edit, Encoding.UTF8)
            if one.title == last.title:
                bare = text.replace("codes[1] = 2  # noqa: JAX302, JAX303", "codes[1] = 2")
                bare = bare.replace("codes[1] = 2", "codes = codes.at[1].set(2)")
                assert bare.replace("codes[0] = 4", "codes = codes.at[0].set(4)") == new
            else:
                assert new != text
        document = types.TextDocumentIdentifier(editor.uri("a.py"))
        params = types.InlayHintParams(document, WHOLE)
        (hint,) = await editor.client.text_document_inlay_hint_async(params) or ()
        assert hint.tooltip is None
        looked_at = await editor.client.inlay_hint_resolve_async(hint)
        assert isinstance(looked_at.tooltip, types.MarkupContent)
        assert looked_at.tooltip.value.startswith("`x` **traced**")
        # What was offered for a text that is gone is out of date.
        editor.replace("a.py", "import jax\n")
        with pytest.raises(JsonRpcException, match="has changed"):
            await editor.client.inlay_hint_resolve_async(hint)
        with pytest.raises(JsonRpcException, match="has changed"):
            await editor.client.code_action_resolve_async(last)
        await editor.shows("a.py")
        assert [] == await offered(editor, "a.py")

    edit(
        project,
        story,
        types.PositionEncodingKind.Utf8,
        code_action=LAZY,
        inlay_hint=LOOKED_AT,
        workspace_edit=VERSIONED,
    )


def test_commands_fix_documents_and_tell_about_the_server(project: Path) -> None:
    async def story(editor: Editor) -> None:
        async def run(name: str, *arguments: object) -> object:
            params = types.ExecuteCommandParams(f"jaxlint.{name}", arguments)
            return await editor.client.workspace_execute_command_async(params)

        editor.open("a.py", STORED)
        await editor.shows("a.py", "JAX151", "JAX151", "JAX303")
        # Unsafe fixes are among all only if they are wanted.
        await run("applyAutofix", {"uri": editor.uri("a.py"), "version": 1})
        (made,) = editor.applied
        assert made.label == "jaxlint: Fix all auto-fixable problems"
        assert carried_out(STORED, made.edit) == FIXED
        editor.replace("a.py", FIXED)
        await editor.shows("a.py", "JAX303")
        await run("applyAutofix", editor.uri("a.py"))
        await run("applyAutofix", editor.uri("b.py"), {}, [1], None)
        assert 1 == len(editor.applied)
        await editor.configure("", unsafeFixes=True, fixAll=True)
        editor.open("c.py", SHARED)
        await editor.shows("c.py", "JAX151")
        (one,) = await offered(editor, "c.py", only=["source.fixAll"])
        assert carried_out(SHARED, one.edit) == SHARED.replace(*UNSAFELY)
        await run("applyAutofix", editor.uri("c.py"))
        assert one.edit == editor.applied[-1].edit
        told = await editor.tells()
        assert f"{editor.uri('a.py')}: version 2, 1 findings" in told
        assert [] == await offered(editor, "a.py", only=["source.fixAll"])

    edit(project, story, options={"settings": {"fixAll": False}}, settings={None: None})


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_changes_of_text_are_small_and_right(end: str) -> None:
    old = end.join(["a", "bc", "", "def", "gh", ""])
    news = [
        old,
        "",
        old + "x",
        "x" + old,
        old.replace("e", ""),
        old.replace("bc", f"b{end}c"),
        old.replace(f"def{end}", ""),
        old.replace("a", "y").replace("gh", "g\U0001f600h"),
        old.removesuffix(end),
        "\n".join(["a", "bc", "", "def", "gh", ""]),
    ]
    for new in news:
        for first, second in ((old, new), (new, old)):
            made = list(changes(first, second))
            assert applied(first, made) == second
            assert (first == second) == (not made)
    (one,) = changes(old, old.replace("e", "XY"))
    assert ("XY", 4, 2, 3) == (one.replacement, one.span.line, one.span.column, one.span.end_column)


def test_positions_are_behind_what_is_before_them() -> None:
    text = SourceText("", f"\r\n{WIDE}x")
    assert types.Position(1, 3) == position_of((2, 3), text, Encoding.UTF16)
    assert types.Position(1, 7) == position_of((2, 3), text, Encoding.UTF8)

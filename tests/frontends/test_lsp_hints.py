"""Inlay hints and settings of the language server, as a real client gets them."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from pathlib import Path

import pytest
from lsp_client import Editor, edit
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from jaxlint.frontends.lsp.preferences import read, section

WIDE = "\U0001f600"
SOURCE = f"""\
import functools
import jax
from helper import double


@functools.partial(jax.jit, static_argnames="n")
def step(x: jax.Array, n):
    "{WIDE}"; y = double(x)
    if y.sum() > 0:
        y = n
    return y
"""
HELPER = "def double(value):\n    twice = 2 * value\n    return twice\n"
TOP = types.Range(types.Position(0, 0), types.Position(99, 0))


async def hinted(editor: Editor, name: str, where: types.Range = TOP) -> list[str]:
    """The hints as they are shown, each with the text before it on its line."""
    document = types.TextDocumentIdentifier(editor.uri(name))
    params = types.InlayHintParams(document, where)
    found = await editor.client.text_document_inlay_hint_async(params)
    lines = (editor.folder / name).read_text().encode("utf-16-le").split("\n".encode("utf-16-le"))
    shown = []
    for one in found or ():
        before = lines[one.position.line][: 2 * one.position.character].decode("utf-16-le")
        shown.append(f"{before}{' ' if one.padding_left else ''}{one.label}")
    return shown


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "helper.py").write_text(HELPER)
    return tmp_path


def test_traced_values_are_marked(project: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("helper.py", HELPER)
        editor.open("a.py", SOURCE)
        assert [
            "def step(x: jax.Array traced",
            f'    "{WIDE}"; y: traced',
        ] == await hinted(editor, "a.py")
        assert ["    twice: traced"] == await hinted(
            editor, "helper.py", types.Range(types.Position(1, 0), types.Position(2, 0))
        )
        document = types.TextDocumentIdentifier(editor.uri("a.py"))
        found = await editor.client.text_document_inlay_hint_async(
            types.InlayHintParams(document, TOP)
        )
        tooltip = (found or ())[1].tooltip
        assert isinstance(tooltip, types.MarkupContent)
        assert "`y` **traced**" in tooltip.value and "is jitted here" in tooltip.value
        # An edit elsewhere counts, and one of the text itself while it is asked for.
        refreshed = editor.refreshed
        editor.replace("helper.py", "def double(value):\n    return value.ndim\n")
        await editor.until(lambda: editor.refreshed > refreshed)
        await editor.shows("a.py")
        assert ["def step(x: jax.Array traced"] == await hinted(editor, "a.py")
        editor.replace("a.py", SOURCE + "\n")
        asked = asyncio.ensure_future(hinted(editor, "a.py"))
        await asyncio.sleep(0)
        editor.replace("a.py", SOURCE)
        with pytest.raises(JsonRpcException) as raised:
            await asked
        assert types.LSPErrorCodes.ContentModified.value == raised.value.code
        editor.replace("a.py", "def (")
        assert [] == await hinted(editor, "a.py")

    edit(project, story)


def test_the_editor_says_what_it_wants(project: Path) -> None:
    (project / "b.py").write_text(
        "import jax\n\n@jax.jit\ndef f(x):\n    assert x > 0\n    print(x)\n"
    )
    text = (project / "b.py").read_text()

    async def story(editor: Editor) -> None:
        async def configure(**settings: object) -> None:
            await editor.configure(editor.folder.as_uri(), **settings)

        # What was said first counts less than what is answered.
        editor.open("b.py", text)
        await editor.shows("b.py", "JAX101")
        await configure(select=["JAX303"], ignore=[], inlayHints="all")
        await editor.shows("b.py", "JAX303")
        editor.open("a.py", SOURCE)
        await editor.shows("a.py")
        assert [
            "def step(x: jax.Array traced",
            "def step(x: jax.Array, n: static",
            f'    "{WIDE}"; y: traced',
            "        y: static",
        ] == await hinted(editor, "a.py")
        # A table stands for a settings file, and so does the path of one.
        await configure(configuration={"ignore": ["JAX1"]}, ignore=[], inlayHints=False)
        await editor.shows("b.py", "JAX303")
        assert [] == await hinted(editor, "a.py")
        (project / "other.toml").write_text("select = ['JAX101']\n")
        await configure(configuration="${workspaceFolder}/other.toml", ignore=[], select=None)
        await editor.shows("b.py", "JAX101")
        (project / "other.toml").write_text("select = ['JAX303']\n")
        editor.watched("other.toml")
        await editor.shows("b.py", "JAX303")
        # One message says all that is wrong; the rest counts.
        await configure(selct=[], run="never", minConfidence=3, ignore=["JAX1"], trace={"a": 1})
        await editor.shows("b.py", "JAX303")
        (message,) = editor.messages
        assert (
            "jaxlint: settings of the editor: jaxlint.selct: unknown setting; did you mean "
            "'select'?; jaxlint.run must be one of \"onType\", \"onSave\", not 'never'; "
            'jaxlint.minConfidence must be one of "high", "medium", "low", not 3'
        ) == message
        await configure(ignore=["JAX1"], extendSelect=["JAX999"])
        await editor.until(lambda: len(editor.messages) == 2)
        assert "the editor: unknown rule or code prefix 'JAX999'" in editor.messages[1]
        # Text is checked when it is saved, if that is wanted.
        await configure(run="onSave", ignore=["JAX1"])
        await editor.shows("b.py", "JAX303")
        editor.replace("b.py", text.replace("x > 0", "x.ndim"))
        await asyncio.sleep(0.3)
        await editor.tells()
        assert editor.codes("b.py") is None
        editor.save("b.py")
        await editor.shows("b.py")

    edit(
        project,
        story,
        settings={(project).as_uri(): None, None: None},
        options={"jaxlint": {"ignore": ["JAX303"]}},
        folders=[types.WorkspaceFolder(project.as_uri(), "project")],
    )


def test_each_folder_has_its_own_settings(tmp_path: Path) -> None:
    text = "import jax\n\n@jax.jit\ndef f(x):\n    assert x > 0\n    print(x)\n"
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(text)
    (tmp_path / "two" / "jaxlint.toml").write_text("ignore = ['JAX303']\n")
    folders = {it: types.WorkspaceFolder((tmp_path / it).as_uri(), it) for it in ("one", "three")}

    async def story(editor: Editor) -> None:
        for name in ("one", "two", "three"):
            editor.open(f"{name}/a.py", text)
        await editor.shows("one/a.py", "JAX101")
        await editor.shows("two/a.py", "JAX101")
        await editor.shows("three/a.py", "JAX303", "JAX101")
        event = types.WorkspaceFoldersChangeEvent([folders["three"]], [folders["one"]])
        params = types.DidChangeWorkspaceFoldersParams(event)
        editor.client.workspace_did_change_workspace_folders(params)
        await editor.shows("one/a.py", "JAX303", "JAX101")
        await editor.shows("three/a.py")
        pushed = types.DidChangeConfigurationParams({"jaxlint": {"ignore": ["JAX1"]}})
        editor.client.workspace_did_change_configuration(pushed)
        await editor.shows("one/a.py", "JAX303")

    edit(
        tmp_path,
        story,
        settings={
            None: None,
            folders["one"].uri: {"ignore": ["JAX303"]},
            folders["three"].uri: {"select": []},
        },
        folders=[folders["one"]],
    )


def test_the_page_shows_settings_that_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "editors.md").read_text()
    tables = [json.loads(it) for it in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    toml = [tomllib.loads(it) for it in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    given = [
        tables[0]["glspc.server.initializationOptions"],
        tables[1]["lsp"]["pylsp"]["initialization_options"],
        toml[0]["language-server"]["jaxlint"]["config"],
    ]
    named = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    keys = [key for cell in named for key in re.findall(r"`(\w+)`", cell)]
    assert {"configuration", "select", "unsafeFixes", "inlayHints"} <= set(keys)
    for one in given:
        assert section(one)
        assert [] == read(section(one), "")[1]
    unknown = [it for it in read(dict.fromkeys(keys, 0), "")[1] if "unknown" in it]
    assert [] == unknown

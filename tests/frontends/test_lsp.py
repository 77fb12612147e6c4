"""The language server, asked by a real client over standard input and output."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from lsp_client import Editor, edit
from lsprotocol import types

from jaxlint.frontends.cli import main

HELPER = """\
def clip(x):
    if x > 0:
        return x
    return -x
"""
CALLER = """\
import jax
from helper import clip


@jax.jit
def step(x):
    return clip(x) + 1
"""
ALONE = """\
import jax


@jax.jit
def relu(x):
    "{text}"; y = x; assert y > 0
    return y
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "caller.py").write_text(CALLER)
    return tmp_path


def test_findings_follow_the_text_across_files(project: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("caller.py", CALLER)
        (shown,) = await editor.shows("caller.py", "JAX301")
        assert "helper.py:2:8" in shown.message
        assert types.Range(types.Position(6, 11), types.Position(6, 18)) == shown.range
        # What is open shows its own.
        editor.open("helper.py", HELPER)
        (shown,) = await editor.shows("helper.py", "JAX301")
        await editor.shows("caller.py")
        assert types.DiagnosticSeverity.Error == shown.severity
        assert shown.code_description is not None
        assert shown.code_description.href.endswith("/rules/branch-on-traced")
        related = shown.related_information or []
        assert editor.uri("caller.py") in [one.location.uri for one in related]
        # An edit of a helper that is not saved counts, and so does a broken one.
        place = types.Range(types.Position(1, 7), types.Position(1, 12))
        editor.change("helper.py", types.TextDocumentContentChangePartial(place, "x.ndim > 0"))
        await editor.shows("helper.py")
        editor.replace("helper.py", "def clip(x:\n")
        await editor.shows("helper.py", "JAX001")
        editor.replace("helper.py", HELPER)
        await editor.shows("helper.py", "JAX301")
        # Without the document, the disk tells.
        editor.replace("helper.py", "def clip(x):\n    return x\n")
        await editor.shows("helper.py")
        editor.close("helper.py")
        await editor.shows("caller.py", "JAX301")
        (project / "helper.py").write_text("def clip(x):\n    return x\n")
        editor.watched("helper.py")
        await editor.shows("caller.py")

    edit(project, story)


def test_hovering_tells_the_rule_and_why_a_value_is_traced(project: Path) -> None:
    wide = "\U0001f600"
    source = f'import jax\n\n\n@jax.jit\ndef relu(x):\n    "{wide}"; y = x.sum(); assert y\n'

    async def story(editor: Editor) -> None:
        async def hovered(line: int, character: int) -> str:
            document = types.TextDocumentIdentifier(editor.uri("a.py"))
            params = types.HoverParams(document, types.Position(line, character))
            shown = await editor.client.text_document_hover_async(params)
            if shown is None:
                return ""
            assert isinstance(shown.contents, types.MarkupContent)
            return shown.contents.value

        editor.open("a.py", source)
        (found,) = await editor.shows("a.py", "JAX303")
        start = found.range.start
        rule, why = (await hovered(start.line, start.character)).split("\n\n---\n\n")
        assert rule.startswith("**JAX303 assert-on-traced**: ")
        link = f"{editor.uri('a.py')}#L"
        assert why == (
            "`y` **traced**: array of rank 0, in `relu`\n\n"
            f"1. [a.py:5]({link}5) `relu` is jitted here\n"
            f"2. [a.py:5]({link}5) `x` is a parameter of `relu`\n"
            f"3. [a.py:6]({link}6) `x.sum()` is computed from a traced value"
        )
        # Nothing is to be said of keywords, functions and what is on the host.
        for line, character in ((4, 1), (3, 2), (0, 8), (1, 0), (90, 0)):
            assert "" == await hovered(line, character)
        # The text counts that the editor shows, checked or not.
        editor.replace("a.py", source.replace("x.sum()", "x.ndim "))
        shape = await hovered(start.line, start.character)
        assert "`y` **static**: int, in `relu`" in shape
        editor.replace("a.py", "def (")
        assert "" == await hovered(0, 0)

    edit(project, story)


def test_settings_are_read_again_and_complained_of(project: Path) -> None:
    settings = project / "pyproject.toml"

    async def story(editor: Editor) -> None:
        editor.open("new.py", ALONE.replace("{text}", ""))
        await editor.shows("new.py", "JAX303")
        settings.write_text('[tool.jaxlint]\nignore = ["JAX303"]\n')
        editor.watched("pyproject.toml")
        await editor.shows("new.py")
        settings.write_text("[tool.jaxlint]\nnonsense = 1\n")
        editor.save("new.py")
        await editor.until(lambda: any("tool.jaxlint.nonsense" in it for it in editor.messages))
        settings.write_text("[tool.jaxlint]\n")
        editor.save("new.py")
        await editor.shows("new.py", "JAX303")
        settings.write_text('[tool.jaxlint]\nexclude = ["new.py"]\n')
        editor.save("new.py")
        await editor.shows("new.py")

    edit(project, story)


def test_a_settings_file_of_our_own_is_noticed(project: Path) -> None:
    own, base = project / "jaxlint.toml", project / "base.toml"

    async def story(editor: Editor) -> None:
        editor.open("new.py", ALONE.replace("{text}", ""))
        (shown,) = await editor.shows("new.py", "JAX303")
        assert types.DiagnosticSeverity.Error is shown.severity
        base.write_text("severity = {JAX3 = 'info'}\n")
        own.write_text("extend = 'base.toml'\nper-file-ignores = {'new.py' = ['JAX303']}\n")
        editor.watched("jaxlint.toml")
        await editor.shows("new.py")
        own.write_text("extend = 'base.toml'\n")
        editor.watched("jaxlint.toml")
        (shown,) = await editor.shows("new.py", "JAX303")
        assert types.DiagnosticSeverity.Error is not shown.severity
        base.write_text("ignore = ['JAX303']\n")
        editor.save("new.py")
        await editor.shows("new.py")

    edit(project, story)


def test_another_jax_is_required(project: Path) -> None:
    required = project / "requirements.txt"
    required.write_text("jax==0.4.20\n")

    async def story(editor: Editor) -> None:
        editor.open("new.py", "import jax\n\nmapped = jax.tree_map(abs, [1])\n")
        await editor.shows("new.py")
        required.write_text("jax>=0.7\n")
        editor.watched("requirements.txt")
        (shown,) = await editor.shows("new.py", "JAX901")
        assert [types.DiagnosticTag.Deprecated] == list(shown.tags or ())
        editor.open("b.py", "import jax\n\nkey = jax.random.key(0)\njax.random.split(key)\n")
        (shown,) = await editor.shows("b.py", "JAX804")
        assert [types.DiagnosticTag.Unnecessary] == list(shown.tags or ())

    edit(project, story)


def test_columns_are_counted_as_agreed(project: Path) -> None:
    wide = "\u957f\u00e9\U0001f600"
    width = len(wide.encode())

    async def story(editor: Editor) -> None:
        editor.open("a.py", ALONE.replace("{text}", wide))
        (shown,) = await editor.shows("a.py", "JAX303")
        assert width + len('    ""; y = x; assert ') == shown.range.start.character
        assert width + len('    ""; y = x; assert y > 0') == shown.range.end.character
        inside = types.Range(types.Position(5, 5), types.Position(5, width + 5))
        editor.change("a.py", types.TextDocumentContentChangePartial(inside, ""))
        (shown,) = await editor.shows("a.py", "JAX303")
        assert len('    ""; y = x; assert ') == shown.range.start.character
        # Of what is typed fast, what is there in the end counts.
        text = ALONE.replace("{text}", "")
        for number in range(1, len(text), 7):
            editor.replace("a.py", text[:number])
        editor.replace("a.py", text)
        await editor.shows("a.py", "JAX303")

    edit(project, story, types.PositionEncodingKind.Utf8)


def test_without_pygls_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["lsp"])
    assert 2 == result.exit_code
    assert "jaxlint: error: lsp needs pygls: pip install pygls\n" == result.stderr

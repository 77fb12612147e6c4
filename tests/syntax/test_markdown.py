"""The Python in Markdown stands on its lines, and goes back between its fences."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.base.errors import DocumentError
from jaxlint.syntax.formats.markdown import read
from jaxlint.syntax.python import tree_of

ROOT = Path(__file__).parents[2]
# More Markdown, on demand: directories, separated as those of PATH.
MORE = [Path(one) for one in os.environ.get("JAXLINT_MARKDOWN", "").split(os.pathsep) if one]
REAL = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
REAL += sorted(path for one in MORE for path in one.rglob("*.md"))


def blank(text: str) -> str:
    return "\n" * text.count("\n")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a\n```python\nx\n```\nb\n", "\n# %%\nx\n# %%\n\n"),
        ("```py\nx\n```\n```py\ny\n```\n", "# %%\nx\n# %%\n# %%\ny\n# %%\n"),
        ("~~~Python title='a'\nx\n~~~\n", "# %%\nx\n# %%\n"),
        ("```{.python #id}\nx\n```\n", "# %%\nx\n# %%\n"),
        ("```{python}\nx\n```\n", "# %%\nx\n# %%\n"),
        ("```{code-cell} ipython3\n:tags: [a]\n:x: 1\n\nx\n```\n", "\n\n# %%\n\nx\n# %%\n"),
        ("```{code-cell}\n---\na: 1\n---\nx\n```\n", "\n\n\n# %%\nx\n# %%\n"),
        ("```{code-block} python\nx\n```\n", "# %%\nx\n# %%\n"),
        ("```py\nx\n", "# %%\nx\n"),
        ("```py\nx", "# %%\nx"),
        ("* a\n\n  ```py\n  x\n\n  y\n  ```\n", "\n\nif True:  # %%\n  x\n\n  y\n# %%\n"),
        ("> ```py\n> if x:\n>\n>   y\n> ```\n", "if True:  # %%\n  if x:\n\n    y\n# %%\n"),
        ("```py\n  x\n  y\n```\n", "if True:  # %%\n  x\n  y\n# %%\n"),
        (" ```py\n x\n# c\n ```\n", "if True:  # %%\n x\n# c\n# %%\n"),
        ("```py\n!ls\n%time x\n```\n", "# %%\npass  # %%\n_00 = x\n# %%\n"),
        ("```py\né = ...; f(..., a=...)\n```\n", "# %%\né = _01; f(_01, a=_01)\n# %%\n"),
        ("```py\n%time x = f(...)\n```\n", "# %%\n_00 = x = f(_01)\n# %%\n"),
        ("```py\nx[..., 0]\n...\ny: T[...]\n```\n", "# %%\nx[..., 0]\n...\ny: T[...]\n# %%\n"),
        ("```py\r\nx\r\n```\r\n", "# %%\r\nx\r\n# %%\r\n"),
        ("# %%\n```py\nx\n```\n", "\n# %%%\nx\n# %%%\n"),
        ("\ufeffa\n```py\nx\n```\n", "\n# %%\nx\n# %%\n"),
    ],
)
def test_python_stands_where_it_stood(text: str, source: str) -> None:
    found = read(text)
    assert source == found.source
    assert 0 == found.left_out
    assert text == found.original == found.rewritten(found.source).decode()
    tree_of(source)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "    x = 1\n",
        "```\nx\n```\n",
        "```sh\nx\n```\n",
        "```pycon\n>>> x\n```\n",
        "```python\n\n>>> x\n1\n```\n",
        "```{code-cell} R\nx\n```\n",
        "```{code-block}\nx\n```\n",
        "```{note}\nx\n```\n",
        "````md\n```py\nx\n```\n````\n",
        "```py\n```\n",
        "```py\n# only this\n```\n",
        "```py\n%%bash\nls\n```\n",
        "`` py x ``\n",
        "",
    ],
)
def test_what_is_no_python_is_blank(text: str) -> None:
    found = read(text)
    assert (blank(text), 0) == (found.source, found.left_out)


@pytest.mark.parametrize("code", ["x =", "jaxlint check", "def f():", "x\n  y"])
def test_what_python_does_not_take_is_left_out_and_counted(code: str) -> None:
    text = f"```py\nx = 1\n```\n\n```py\n{code}\n```\n"
    found = read(text)
    assert 1 == found.left_out
    assert "# %%\nx = 1\n# %%\n" + blank(f"\n```py\n{code}\n```\n") == found.source
    assert text.encode() == found.rewritten(found.source)


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("```py\nx\n```\n", ("x", "x\ny"), "```py\nx\ny\n```\n"),
        ("```py\nx\ny\n```\n", ("x\n", ""), "```py\ny\n```\n"),
        (
            "> ```py\n> x\n>\n> y\n> ```\n",
            ("  x", "  z\n\n  x"),
            "> ```py\n> z\n>\n> x\n>\n> y\n> ```\n",
        ),
        (
            "1. a\n   ```py\n   !ls\n   x\n   ```\n",
            ("   x", "   y"),
            "1. a\n   ```py\n   !ls\n   y\n   ```\n",
        ),
        ("```py\n%time f(x)\n```\n", ("f(x)", "f(y)"), "```py\n%time f(y)\n```\n"),
        ("```py\nx\n```\n```py\ny\n```\n", ("y", "z"), "```py\nx\n```\n```py\nz\n```\n"),
        ("```py\r\nx\r\n```\r\n", ("x\r\n", "y\r\nz\r\n"), "```py\r\ny\r\nz\r\n```\r\n"),
        ("```py\nx", ("x", "y"), "```py\ny"),
        ("```py\nx = ...\ny\n```\n", ("y", "f(...)"), "```py\nx = ...\nf(...)\n```\n"),
    ],
)
def test_edits_go_back_into_the_block(text: str, edit: tuple[str, str], expected: str) -> None:
    found = read(text)
    assert edit[0] in found.source
    assert expected == found.rewritten(found.source.replace(*edit)).decode()


@pytest.mark.parametrize(
    "change",
    [
        lambda source: "\n" + source,
        lambda source: source.replace("# %%\npass", "pass"),
        lambda source: source.replace("pass  # %%\n", ""),
        lambda source: source + "y\n",
    ],
)
def test_edits_of_more_than_python_are_refused(change: Callable[[str], str]) -> None:
    found = read("a\nb\n\n```py\n!ls\nx\n```\n")
    with pytest.raises(ValueError, match="changed"):
        found.rewritten(change(found.source))


def test_bytes_that_are_no_text_have_a_place() -> None:
    with pytest.raises(DocumentError) as caught:
        read(b"a\r\nb\xff")
    assert (2, 2, "byte 0xff is not valid utf-8") == (
        caught.value.line,
        caught.value.column,
        caught.value.message,
    )


LINES = st.sampled_from(
    ["```py", "```", "```python x", "~~~py", "~~~", "> ```py", "> ```", "  ```py", "  ```", "* a",
     "x = 1", "  y = 2", "> z = 3", "\tt = 4", "!ls", "# c", "", ">", "\\", "'''", "é", "\x0c",
     "%%sh"]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.tuples(LINES, ENDS), max_size=14), st.booleans())
def test_odd_markdown_is_written_as_it_was(rows: list[tuple[str, str]], is_ended: bool) -> None:
    text = "".join(map("".join, rows))
    text = text if is_ended else text.rstrip("\r\n")
    found = read(text)
    assert text == found.rewritten(found.source).decode()
    tree_of(found.source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = found.source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert len(lines) == len(shown)
    for line, one in zip(lines, shown, strict=True):
        assert "%%" in one or one.strip() in line


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_real_markdown_is_written_as_it_was(path: Path) -> None:
    data = path.read_bytes()
    found = read(data)
    assert data == found.rewritten(found.source)
    tree_of(found.source)

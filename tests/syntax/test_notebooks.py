"""Notebooks are read as one module, and written back without a byte of anything else changed."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.base.errors import DocumentError
from jaxlint.base.text import SourceText
from jaxlint.syntax.formats.notebooks import Notebook, read

# More notebooks, on demand: directories, separated as those of PATH.
MORE = [Path(one) for one in os.environ.get("JAXLINT_NOTEBOOKS", "").split(os.pathsep) if one]
PACKAGES = [
    Path(spec.origin).parent for name in ("flax",) if (spec := find_spec(name)) and spec.origin
]
REAL = sorted({path for one in (*MORE, *PACKAGES) for path in one.rglob("*.ipynb")})

PYTHON = {"language_info": {"name": "python"}}


def cell(source: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source, **more}


def notebook(*cells: Any, metadata: Any = PYTHON, **more: Any) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, **more}, indent=1)


# -- one module ------------------------------------------------------------------------------------


def test_code_cells_are_one_module_and_lines_are_found_in_their_cells() -> None:
    text = notebook(
        cell("# Title", "markdown"),
        cell(["import jax\n", "x = 1"]),
        cell([]),
        cell("%%bash\nls"),
        cell("y = x\n"),
        cell("  \n", "code"),
        cell("raw", "raw"),
    )
    found = read(text)
    assert "# %% cell 2\nimport jax\nx = 1\n# %% cell 5\ny = x\n" == found.source
    source = SourceText("a.ipynb", found.source)
    assert [(2, 1), (2, 2)] == [source.place(line) for line in (2, 3)]
    assert (5, 1) == source.place(5) == found.place(5)
    assert ("cell 5:1", "line 1 of cell 5") == (source.shown(5), source.named(5))
    assert [(2, 3), (5, 5)] == [source.limits(line) for line in (3, 5)]
    assert [2, 3, 5, 0, 0, 0] == [
        source.line_in(*place) for place in ((2, 1), (2, 2), (5, 1), (2, 3), (3, 1), (5, 0))
    ]


def test_a_python_file_has_no_cells() -> None:
    source = SourceText("a.py", "# %% cell 2\nx = 1\n")
    assert [] == source.cells
    assert (0, 2) == source.place(2)
    assert (1, 3) == source.limits(2)
    assert ("2", "line 2") == (source.shown(2), source.named(2))


def test_a_cell_that_looks_like_a_limit_is_none() -> None:
    found = read(notebook(cell("# %% cell 7\nx"), cell("%ls\ny")))
    assert "# %%% cell 1\n# %% cell 7\nx\n# %%% cell 2\npass  # %%%\ny\n" == found.source
    assert [(2, 1), (5, 2)] == SourceText("a.ipynb", found.source).cells


def test_a_cell_whose_first_line_is_indented_is_a_block() -> None:
    text = notebook(cell("x"), cell("\n  # c\n  a = 1\n  b = a"), cell("y"))
    found = read(text)
    compile(found.source, "a.ipynb", "exec")
    source = SourceText("a.ipynb", found.source)
    assert (2, 3) == source.place(source.lines.index("  a = 1") + 1)
    changed = json.loads(found.rewritten(found.source.replace("b = a", "b = 2")))
    assert "\n  # c\n  a = 1\n  b = 2" == changed["cells"][1]["source"]


def test_lines_are_found_in_the_file() -> None:
    text = """{"cells": [
 {"cell_type": "code",
  "source": ["a\\n", "b\\nc\\n",
             "d"]},
 {"cell_type": "code", "source":
   "e\\nf"}],
 "nbformat": 4}"""
    found = read(text)
    lines = found.source.splitlines()
    assert [3, 3, 3, 4, 6, 6] == [found.file_line(lines.index(one) + 1) for one in "abcdef"]
    assert [3, 6] == [found.file_line(line) for line in (2, 7)]


def test_what_stands_before_the_first_cell_is_on_the_first_line_of_the_file() -> None:
    text = notebook(cell("x"), cell("y"))
    found = read(text)
    assert found.source.startswith("# %% cell 1\n")
    assert 1 == found.file_line(1)
    assert 1 == read(notebook()).file_line(1)


@pytest.mark.parametrize(
    ("metadata", "is_python"),
    [
        ({}, True),
        (PYTHON, True),
        ({"kernelspec": {"language": "Python", "name": "x"}}, True),
        ({"language_info": {"name": "ipython"}}, True),
        ({"language_info": {"name": "R"}}, False),
        ({"kernelspec": {"language": "julia"}}, False),
        ({"language_info": []}, True),
        (None, True),
    ],
)
def test_a_notebook_in_another_language_holds_nothing(metadata: Any, is_python: bool) -> None:
    text = notebook(cell("x <- 1"), metadata=metadata)
    assert is_python is bool(read(text).source)
    assert text.encode() == read(text).rewritten(read(text).source)


def test_a_cell_in_another_language_is_left_out() -> None:
    other = {"cell_type": "code", "metadata": {"vscode": {"languageId": "r"}}, "source": "x <- 1"}
    assert "# %% cell 2\nx\n" == read(notebook(other, cell("x"))).source


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"", 1, 1, "not a notebook: no JSON: expecting value"),
        (b"import jax\n", 1, 1, "not a notebook: no JSON: expecting value"),
        (b'{"nbformat": 4,\n "cells": [}', 2, 12, "not a notebook: cell 1 is no object"),
        (b'{"nbformat": 4,\n "cells": [{]', 2, 13, "no JSON: expecting property name"),
        (b'{"nbformat": 4,\n "cells": [{"a": 1]', 2, 19, "no JSON: expecting ',' delimiter"),
        (b'{"nbformat": 4, "cells": []} x', 1, 30, "not a notebook: no JSON: extra data"),
        (b'{"nbformat": 4', 1, 15, "not a notebook: no JSON: expecting ',' delimiter"),
        (b'{"nbformat" 4}', 1, 13, "not a notebook: no JSON: expecting ':' delimiter"),
        (b"[1]", 1, 1, "not a notebook: no object"),
        (b"{}", 1, 1, "not a notebook: it has no `nbformat`"),
        (b'{\n"nbformat": 4}', 1, 1, "not a notebook: it has no list of `cells`"),
        (b'{"nbformat": 4,\n  "cells": {}}', 2, 12, "not a notebook: it has no list of `cells`"),
        (
            b'{"worksheets": [],\n "nbformat": 3}',
            2,
            14,
            "a notebook of format 3, not 4; convert it with "
            "`jupyter nbconvert --to notebook --nbformat 4`",
        ),
        (b'{"nbformat": 4, "cells": [1]}', 1, 27, "not a notebook: cell 1 is no object"),
        (
            b'{"nbformat": 4, "cells": [{}, {"cell_type": "code"}]}',
            1,
            31,
            "not a notebook: cell 2 has no `source` of strings",
        ),
        (
            b'{"nbformat": 4, "cells": [{"cell_type": "code",\n "source": ["a", 1]}]}',
            2,
            12,
            "not a notebook: cell 1 has no `source` of strings",
        ),
        (b'{"a":\n "\xff"}', 2, 3, "not a notebook: byte 0xff is not valid utf-8"),
        (b'{"a": ' + b"[" * 100_000, 1, 1, "not a notebook: too deeply nested"),
    ],
)
def test_what_is_wrong_with_a_notebook_has_a_place_and_a_cause(
    data: bytes, line: int, column: int, message: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        read(data)
    assert (line, column) == (caught.value.line, caught.value.column)
    assert message in caught.value.message


def test_a_cell_that_is_not_python_holds_nothing() -> None:
    text = notebook(cell("x"), cell("  y =\n  !ls"), cell("z"))
    found = read(text)
    assert "# %% cell 1\nx\n# %% cell 2\n#\n#\n# %% cell 3\nz\n" == found.source
    assert [(4, 6, "invalid syntax")] == found.broken
    (broken,) = read(notebook(cell("x"), cell("y\nif x:"))).broken
    assert (5, "expected an indented block after 'if' statement on line 2") == broken[::2]
    changed = json.loads(found.rewritten(found.source.replace("z", "zz")))
    assert ["x", "  y =\n  !ls", "zz"] == [one["source"] for one in changed["cells"]]


def test_python_newer_than_this_one_is_kept() -> None:
    text = notebook(cell("try:\n    x\nexcept a, b:\n    y"), cell("z"))
    assert "except a, b:" in read(text).source
    assert [] == read(text).broken


# -- written back ----------------------------------------------------------------------------------

BLANKS = ["", " ", "\n", "\r\n", "\n \t"]
LINES = [
    "x = f(y)", "  indented = 1", "\ttabs\t= 1", "!ls -l \\", "%time y = f(x)", "z = !cat",
    "%%time", "%%html", "# %% cell 3", "pass  # %%", "jax.jit?", "'''", "s = 'ü \\u00fc 🙂'",
    "\u2028", "\x0c", "\\", '"\\n"', "if True:  # %% cell 1", "", "é = {", "}", "_00 = 1",
    "get_ipython()  # %%",
    "/slashed/", "\x7f",
]  # fmt: skip
ENDS = ["\n", "\n", "\n", "\r\n", "\r"]
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["cells", "source", "x\n", "cell_type"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)
SOURCES = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)).map("".join), max_size=5
)
CELLS = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "code", "markdown"]),
        "metadata": st.dictionaries(st.sampled_from(["tags", "id"]), VALUES, max_size=1),
        "source": SOURCES | SOURCES.map("".join),
    },
    optional={"outputs": VALUES, "attachments": VALUES},
)
HELD = st.fixed_dictionaries(
    {
        "cells": st.lists(CELLS, max_size=3),
        "metadata": st.sampled_from([PYTHON, {}, {"kernelspec": {"language": "python"}}]),
        "nbformat": st.just(4),
        "nbformat_minor": VALUES,
    }
)
SEEDS = st.integers(0, 1 << 32)


def written(held: Any, seed: int) -> bytes:
    """A notebook as JSON, whose layout is as the seed makes it: blanks, escapes and orders."""
    random = Random(seed)
    text = f"{random.choice(BLANKS)}{_json(held, random)}{random.choice(BLANKS)}"
    return (random.choice(["", "\ufeff"]) + text).encode()


def _json(value: Any, random: Random) -> str:
    if isinstance(value, dict):
        pairs = list(value.items())
        random.shuffle(pairs)
        colon = f"{random.choice(BLANKS)}:{random.choice(BLANKS)}"
        parts = [f"{_json(key, random)}{colon}{_json(one, random)}" for key, one in pairs]
        return f"{{{_listed(parts, random)}}}"
    if isinstance(value, list):
        return f"[{_listed([_json(one, random) for one in value], random)}]"
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    if isinstance(value, str) and random.random() < 0.3:
        text = text.replace("/", "\\/").replace("x", "\\u0078")
    return text


def _listed(parts: list[str], random: Random) -> str:
    blanks = random.choice(BLANKS)
    return ",".join(f"{blanks}{part}{blanks}" for part in parts) or blanks


@settings(max_examples=100, deadline=None, derandomize=True)
@given(HELD, SEEDS)
def test_odd_notebooks_are_written_as_they_were(held: dict[str, Any], seed: int) -> None:
    data = written(held, seed)
    found = read(data)
    assert data == found.rewritten(found.source)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(HELD, SEEDS)
def test_an_edit_changes_the_source_of_its_cell_and_nothing_else(
    held: dict[str, Any], seed: int
) -> None:
    before = written(held, seed)
    found = read(before)
    cells = SourceText("a.ipynb", found.source).cells
    for (line, number), cell in zip(cells, found._cells, strict=True):
        if cell.is_broken:
            with pytest.raises(ValueError, match="not Python"):
                found.rewritten(_inserted(found.source, line, "new"))
            continue
        after = found.rewritten(_inserted(found.source, line, "new = 'ü'\n"))
        source = held["cells"][number - 1]["source"]
        new = "new = 'ü'\n" + "".join(source)
        expected = json.loads(json.dumps(held))
        expected["cells"][number - 1]["source"] = new if isinstance(source, str) else _lines(new)
        assert expected == json.loads(after.decode("utf-8-sig"))
        text = before.decode()
        assert after.decode().startswith(text[: cell.start])
        assert after.decode().endswith(text[cell.end :])


def _inserted(text: str, line: int, what: str) -> str:
    """A text with something in front of a line; lines end as they do in SourceText."""
    at = 0
    for _ in range(line - 1):
        ends = [found for end in "\r\n" if (found := text.find(end, at)) >= 0]
        at = min(ends)
        at += 2 if text.startswith("\r\n", at) else 1
    return text[:at] + what + text[at:]


def _lines(text: str) -> list[str]:
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


@pytest.mark.parametrize(
    ("source", "edited", "expected"),
    [
        ('["x = 1"]', ("x = 1", "x = 1\ny = 2"), '["x = 1\\n", "y = 2"]'),
        ('["x = 1\\n","y"]', ("x = 1\n", ""), '["y"]'),
        ('["x = 1\\n","y"]', ("y", "y\nz"), '["x = 1\\n","y\\n","z"]'),
        ('[\n  "\\u0078\\n",\n  "y"\n ]', ("y", "ü"), '[\n  "\\u0078\\n",\n  "\\u00fc"\n ]'),
        ('[\n  "x"\n ]', ("x", "y\nz"), '[\n  "y\\n",\n  "z"\n ]'),
        ('["x\\n"]', ("x\n", ""), "[]"),
        ('"x\\n"', ("x", "y"), '"y\\n"'),
    ],
)
def test_the_layout_of_a_source_stays(source: str, edited: tuple[str, str], expected: str) -> None:
    text = '{"cells": [{"cell_type": "code", "source": %s}], "nbformat": 4}\n'
    found = read(text % source)
    assert text % expected == found.rewritten(found.source.replace(*edited)).decode()


def test_text_beyond_ascii_is_escaped_only_in_files_that_escape_it() -> None:
    raw = read('{"cells": [{"cell_type": "code", "source": "x # ü"}], "nbformat": 4}')
    assert '"é # ü"'.encode() in raw.rewritten(raw.source.replace("x", "é"))
    escaped = read('{"cells": [{"cell_type": "code", "source": "x # \\u00fc"}], "nbformat": 4}')
    assert rb'"\u00e9 # \u00fc"' in escaped.rewritten(escaped.source.replace("x", "é"))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("# %% cell 2\n", ""),
        lambda text: text.replace("cell 2", "cell 3"),
        lambda text: text.replace("pass  # %%\n", ""),
    ],
)
def test_edits_of_more_than_one_cell_are_refused(change: Any) -> None:
    found = read(notebook(cell("!ls\nx"), cell("y")))
    with pytest.raises(ValueError, match=r"was changed|were changed"):
        found.rewritten(change(found.source))


def test_what_is_put_at_the_top_of_the_module_goes_into_the_first_cell() -> None:
    found = read(notebook(cell("!ls\nx"), cell("y")))
    changed = json.loads(found.rewritten("import a\n" + found.source))
    assert ["import a\n!ls\nx", "y"] == [one["source"] for one in changed["cells"]]


def test_nothing_is_put_before_a_magic_for_the_whole_cell() -> None:
    found = read(notebook(cell("%%time\nx")))
    with pytest.raises(ValueError, match="before the magic of cell 1"):
        found.rewritten("import a\n" + found.source)
    after = found.rewritten(found.source.replace("x", "import a\nx"))
    assert "%%time\nimport a\nx" == json.loads(after)["cells"][0]["source"]


def _is_python(found: Notebook) -> bool:
    try:
        compile(found.source, "<notebook>", "exec", 0x400, dont_inherit=True)
    except SyntaxError:
        return False
    return True


@pytest.mark.skipif(not REAL, reason="JAXLINT_NOTEBOOKS names no directory with notebooks")
def test_real_notebooks_are_written_as_they_were() -> None:
    read_as_python = 0
    for path in REAL:
        data = path.read_bytes()
        found = read(data)
        assert data == found.rewritten(found.source), path
        read_as_python += _is_python(found)
    # Whoever publishes a notebook has run it.
    assert read_as_python >= 0.95 * len(REAL)

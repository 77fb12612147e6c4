"""What the text of a file says about its statements, and what an edit of it changes."""

from __future__ import annotations

import pytest

from jaxlint.project.callers.edits import definitions, edit
from jaxlint.project.callers.outlines import Outline, Statement, outline

IGNORED = frozenset({"os"})


def read(text: str) -> Outline:
    return outline(text.encode(), IGNORED)


def only(text: str) -> Statement:
    """The last statement of a text."""
    return read(text).statements[-1]


@pytest.mark.parametrize(
    ("text", "defined"),
    [
        ("def f(): pass", ("f",)),
        ("async def f(): pass", ("f",)),
        ("@d\n@e(1)\ndef f(): pass", ("f",)),
        ("class C(B): pass", ("C",)),
        ("x = y = 1", ("x", "y")),
        ("x, y = 1, 2", ("x", "y")),
        ("x: int = 1", ("x",)),
        ("if a:\n    x = 1\nelse:\n    y = 2", ("x", "y")),
        ("try:\n    x = 1\nexcept E as e:\n    pass", ("e", "x")),
        ("for i in a:\n    pass", ("i",)),
        ("f(x=1)", ()),
        ("x += [1]", ("x",)),
        ("def f():\n    global g\n    g = 1", ("f", "g")),
        ("def f():\n    global g\n    print(g)", ("f",)),
        ('def f():\n    """Doc.\nx = 1\n"""', ("f",)),
        ("def f(\n    a,\n):\n    pass", ("f",)),
        ("x = [\n    1,\n]", ("x",)),
    ],
)
def test_what_a_statement_defines(text: str, defined: tuple[str, ...]) -> None:
    assert only(f"import a\n{text}\n").defines == defined


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("return a.b.c", {"a.b.c"}),
        ("return x.a", set()),
        ("return f().a", set()),
        ("return local + a", {"a"}),
        ("# a", set()),
        ("'a'", {"'a"}),
        ('"a.b"', {'"a.b'}),
        ("'an a here'", set()),
        ('"""An a.\n\na\n"""', set()),
        ('f"{a.b}, not b"', {"a.b"}),
        ("rf'{a}'", {"a"}),
        ('f"""\n{a}\n"""', {"a"}),
        ("'it\\'s' + a", {"a"}),
        ("from a import b", set()),
    ],
)
def test_what_a_function_mentions(body: str, names: set[str]) -> None:
    assert set(only(f"import a\n\n\ndef f(x):\n    {body}\n").names) - {"f"} == names


def test_all_names_count_where_names_come_from_elsewhere() -> None:
    assert "y" in only("from a import *\n\n\ndef f(x):\n    return x + y\n").names
    assert "given" in only("def test_f(given):\n    assert given\n").names


def test_packages_that_are_ignored_bind_nothing() -> None:
    found = read("import os\nimport a\n\n\ndef f():\n    return os.sep, a\n")
    assert [one.module for one in found.imports] == ["a"]
    assert found.statements[0].names == ("a", "f")


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("@a.d(1)\ndef f(): pass", "import_calls", ("a.d",)),
        ("@partial(a.d, 1)\ndef f(): pass", "import_calls", ("a.d",)),
        ("a.d(a.e)", "import_calls", ("a.d",)),
        ("class C(a.B, metaclass=a.M): pass", "bases", ("a.B", "a.M")),
        (
            "class C:\n    def __init__(self):\n        a.b()\n    def g(self): a.c()",
            "constructor_names",
            ("a.b",),
        ),
        ("x = a.make(1)", "value_names", ("a.make",)),
        ("def f(): a.b.append(1)", "changed", ("a.b",)),
        ("def f(): a.b[1].append(1)", "changed", ("a.b",)),
        ("def f(): a.b[1].norm(1)", "changed", ()),
        ("def f(): a.b.items()", "changed", ()),
        ("def f(): a.b[1] = 2", "stored", ("a.b",)),
        ("def f(): a.b = 2", "stored", ("a.b",)),
        ("def f(): return a.b == 2", "stored", ()),
        ("def f(): a[1] = 2", "only_filled", ("a",)),
        ("def f():\n    a[1] = 2\n    return a", "only_filled", ()),
        ("x = {}", "is_container", True),
        ("x = a.make()", "is_container", False),
        ("class C:\n    def f(self): ...", "is_abstract", True),
        ('class C:\n    def f(self):\n        """To do."""', "is_abstract", True),
        ("class C:\n    def f(self):\n        return 1", "is_abstract", False),
    ],
)
def test_what_a_statement_does(text: str, field: str, value: object) -> None:
    assert getattr(only(f"import a\n{text}\n"), field) == value


SOURCE = """\
import jax

LIMIT = 1


@jax.jit
def f(x, y=LIMIT):
    \"\"\"Doc.

    More.\"\"\"
    return x + y


class C(Base):
    size = 1

    def g(self):
        self.x = 1
        return "a  b"
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("x + y", "x - y", {"f"}),
        ("More.", "Less.", {"f"}),
        ('"a  b"', '"a b"', {"C"}),
        ("return x", "# So.\n\n    return x", set()),
        ("\n\n\nclass", "\n# So.\nclass", set()),
        ("    return x", "    jax.print(x)\n    return x", {"f"}),
    ],
)
def test_a_body_changes_its_definition(old: str, new: str, changed: set[str]) -> None:
    found = edit(definitions(SOURCE.encode()), definitions(SOURCE.replace(old, new).encode()))
    assert found is not None
    assert found.changed == changed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 1", "LIMIT = 2"),
        ("import jax", "import jax as j"),
        ("@jax.jit\n", ""),
        ("y=LIMIT", "y=2"),
        ("C(Base)", "C"),
        ("size = 1", "size = 2"),
        ("def g(self)", "def h(self)"),
        ("self.x = 1", "self.y = 1"),
        ("    return x", "    jax.seen = x\n    return x"),
        ("    return x", "    SEEN.append(x)\n    return x"),
        ("    return x", "    setattr(jax, 'x', x)\n    return x"),
        ("    return x", "    global LIMIT\n    return x"),
        ("class C", "def h(): pass\n\n\nclass C"),
        ("def f", "def h"),
    ],
)
def test_what_others_may_see_without_a_call_changes_the_file(old: str, new: str) -> None:
    changed = SOURCE.replace(old, new)
    assert changed != SOURCE
    assert edit(definitions(SOURCE.encode()), definitions(changed.encode())) is None


@pytest.mark.parametrize(
    ("new", "renamed"),
    [
        ("C(x)", {"f"}),
        ("jax.numpy.sin(x)", {"f"}),
        ("x - y", set()),
        ("x.shape", set()),
        ("len(x)", set()),
        ("x\n    z = y", set()),
    ],
)
def test_an_edit_tells_which_definitions_mention_others(new: str, renamed: set[str]) -> None:
    before, now = (definitions(one.encode()) for one in (SOURCE, SOURCE.replace("x + y", new)))
    found = edit(before, now)
    assert found is not None
    assert found.changed == {"f"}
    assert found.mentions_changed == renamed


def test_lines_may_end_in_any_way() -> None:
    for text in (SOURCE.replace("\n", "\r\n"), "\ufeff" + SOURCE):
        assert [one.defines for one in read(text).statements] == [
            one.defines for one in read(SOURCE).statements
        ]

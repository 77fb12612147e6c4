"""Bad input, encodings, and depth."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from shapes import of_ir
from sources import module_of, nodes

from jaxlint.base.text import Span
from jaxlint.syntax import ir, places
from jaxlint.syntax.nesting import MOST_STACK, excess, is_shallow, on_large_stack, stack_for
from jaxlint.syntax.parse import SyntaxProblem, parse


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("x = (\n1\n", 1, 5, "'(' was never closed"),
        ("x = 1\ny = 'abc\n", 2, 5, "unterminated string literal (detected at line 2)"),
        ("if a:\nb\n", 2, 1, "expected an indented block after 'if' statement on line 1"),
        ("é = '😀' )\n", 1, 9, "unmatched ')'"),
        ("a\r\nb\rc = )\n", 3, 5, "unmatched ')'"),
        (b"\xef\xbb\xbfx = )\n", 1, 5, "unmatched ')'"),
        ("def f():\n\tx\n        y = '\\d' $\n", 3, None, "inconsistent use of tabs"),
        ("x = 1\n\0", 2, 1, "source code contains a null byte"),
        (b"x = 1\r\n\xc3\xa9\0", 2, 2, "source code contains a null byte"),
        (b"x = 1\r\n\xc3\xa9 = '\xff'\n", 2, 6, "byte 0xff is not valid utf-8"),
        (b"\xff", 1, 1, "byte 0xff is not valid utf-8"),
        (b"# coding: ascii\nx = '\xc3'\n", 2, 6, "byte 0xc3 is not valid ascii"),
        (b"#!python\n# coding: nothing\n", 2, 1, "unknown encoding: nothing"),
        (b"# coding: hex\nx = 1\n", 1, 1, "cannot decode as hex"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, "encoding problem"),
        ("x = 1\ny = 'a' b'b'", 2, None, "cannot mix bytes and nonbytes literals"),
        ("x = '\ud800'", 1, 6, "source code contains a lone surrogate"),
    ],
)
def test_what_cannot_be_read_has_a_place_and_a_cause(
    source: bytes | str, line: int, column: int | None, message: str
) -> None:
    problem = parse(source, "file.py")

    assert isinstance(problem, SyntaxProblem)
    assert ("file.py", line) == (problem.path, problem.line)
    assert problem.message.startswith(message)
    assert column in (None, problem.column)


@pytest.mark.parametrize(
    ("source", "span"),
    [
        ("x = 1\n# y\n(y): int = f'{z}'\n", Span(3, 1, 3, 18)),
        ("[x async\n for x in f'{z}']", Span(1, 1, 1, 9)),
    ],
)
def test_what_only_libcst_rejects_is_located_by_its_first_line(source: str, span: Span) -> None:
    module = parse(source, "file.py")

    assert isinstance(module, ir.Module)
    fields = [one for one in nodes(module) if isinstance(one, ir.Formatted)]
    assert [span] == [module.locate(one) for one in fields]


def test_what_libcst_rejects_after_a_deep_tree_has_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As if there were too many levels for the lowering of Python's own tree.
    monkeypatch.setattr(places, "native", lambda text, path: None)
    problem = parse("x = 1\n(y): int = 2\n", "file.py")

    assert isinstance(problem, SyntaxProblem)
    assert 2 == problem.line
    assert problem.message.startswith("LibCST does not understand this: ")
    assert "\n" not in problem.message


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("x = 'é'".encode(), "é"),
        ("\ufeffx = 'é'".encode(), "é"),
        ("\ufeffx = 'é'", "é"),
        ("# coding: latin-1\nx = 'é'".encode("latin-1"), "é"),
        ("#!python\n# vim: set fileencoding=cp1252 :\nx = '€'".encode("cp1252"), "€"),
        ("# coding: latin-1\nx = 'é'", "é"),
        (b"\x0c\r\nx = 'a'\r", "a"),
    ],
)
def test_files_are_decoded_as_python_does(source: bytes | str, value: str) -> None:
    assert ("Const", "str", repr(value)) == of_ir(module_of(source).body)[0][2]


@pytest.mark.parametrize("source", [b"", b"\n", b"\xef\xbb\xbf", "", " ", "\f", "# c"])
def test_a_file_without_statements_is_an_empty_module(source: bytes | str) -> None:
    assert () == module_of(source).body


DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n + "a" + ")" * n,
    "lists over lines": lambda n: "[\n" * n + "a" + "\n]" * n,
    "braces": lambda n: "{1: " * n + "a" + "}" * n,
    "calls": lambda n: "f(" * n + "a" + ")" * n,
    "comprehensions": lambda n: "[" * n + "a" + " for a in b]" * n,
    "walruses": lambda n: "(a := " * n + "a" + ")" * n,
    "lambdas": lambda n: "lambda: " * n + "a",
    "conditions": lambda n: "a if b else " * n + "c",
    "negations": lambda n: "not " * n + "a",
    "signs": lambda n: "-" * n + "a",
    "powers": lambda n: " ** ".join(["a"] * n),
    "sums": lambda n: " + ".join(["a"] * n),
    "disjunctions": lambda n: " or ".join(["a"] * n),
    "attributes": lambda n: ".".join(["a"] * n),
    "called calls": lambda n: "f" + "()" * n,
    "indices": lambda n: "a" + "[0]" * n,
    "branches": lambda n: "if a: b\n" + "elif a: b\n" * n,
    "strings": lambda n: "'a' " * n,
    "targets": lambda n: "a = " * n + "b",
    "decorators": lambda n: "@a\n" * n + "def f(): pass",
}


@pytest.mark.parametrize("name", sorted(DEEP))
def test_a_hundred_levels_are_read_and_located(name: str) -> None:
    module = module_of(DEEP[name](100))

    assert module.locate(module.body[0]).line >= 1


@pytest.mark.parametrize("name", ["attributes", "called calls", "negations", "sums"])
def test_a_thousand_links_are_read_and_located(name: str) -> None:
    source = DEEP[name](1000)

    module = module_of(source)
    assert source == module.text_of(module.body[0])


def test_five_thousand_operands_and_a_thousand_branches_are_read() -> None:
    (statement,) = module_of(DEEP["disjunctions"](5000)).body
    assert isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.BoolOp)
    assert 5000 == len(statement.value.values)

    branches = 0
    step = module_of(DEEP["branches"](1000)).body
    while step:
        assert isinstance(step[0], ir.If)
        branches, step = branches + 1, step[0].orelse
    assert 1001 == branches


def test_a_chain_of_five_thousand_operands_passes_the_bounds() -> None:
    # Reading it takes LibCST seconds: its time grows with the square of the length.
    source = DEEP["sums"](5000)

    assert not is_shallow(source)
    assert excess(source) is None


@pytest.mark.parametrize(
    "source",
    [
        DEEP["parentheses"](250),
        DEEP["lists over lines"](5000),
        DEEP["calls"](100_000),
        "(" * 100_000,
        DEEP["negations"](100_000),
        DEEP["attributes"](100_000),
        DEEP["branches"](20_000),
        "f'{" + "(" * 10_000 + "a" + ")" * 10_000 + "}'",
    ],
)
def test_what_would_exhaust_the_parser_is_a_problem(source: str) -> None:
    problem = parse(source, "file.py")

    assert isinstance(problem, SyntaxProblem)
    assert "too deeply nested" == problem.message


@pytest.mark.parametrize(
    "source", ["f'" + "{a:" * 10_000 + "}" * 10_000 + "'", "f'{" * 1000 + "a" + "}'" * 1000]
)
def test_nested_formatted_strings_are_read_or_refused(source: str) -> None:
    """What Python's tokenizer makes of them differs between versions."""
    result = parse(source, "file.py")

    assert isinstance(result, ir.Module) or "too deeply nested" == result.message


def test_a_problem_of_depth_has_the_place_at_which_it_is_too_deep() -> None:
    problem = parse("x = 1\n" + "(\n" * 300 + ")\n" * 300, "file.py")

    assert SyntaxProblem("file.py", 201, 1, "too deeply nested") == problem


@pytest.mark.parametrize(
    "source",
    [
        "x = [" + "-1.5e-3, (a.b, c[0]),\n" * 7_000 + "]",
        "x = 1 + a.b(c)[0]\n" * 5_000,
        "x = (" + '"(((" ,' * 500 + ")",
        "case = f((((((((((((((((((((a))))))))))))))))))))\n",
        "# " + "(" * 500 + "\nx = '''" + "[" * 500 + "'''",
    ],
)
def test_long_files_and_brackets_in_texts_are_not_deep(source: str) -> None:
    assert excess(source) is None


def test_ordinary_code_needs_no_care() -> None:
    assert is_shallow("def f(a, b):\n    return a[b](c, d.e, {1: (2, [3])})\n" * 50)


def test_a_large_stack_returns_and_raises_as_a_call_does() -> None:
    size = threading.stack_size()

    assert 3 == on_large_stack(lambda: 3)
    with pytest.raises(ZeroDivisionError):
        on_large_stack(lambda: 1 // 0)
    assert size == threading.stack_size()


# Texts of which a look at brackets and commas says that they are shallow.
MISLEADING: dict[str, Callable[[int], str]] = {
    "brackets in strings": lambda n: "x = " + "[']', " * n + "a" + ", '[']" * n,
    "brackets in comments": lambda n: "x = (\n" + "( # )\n" * n + "a\n" + ") # (\n" * n + ")",
    "calls with texts": lambda n: "x = " + "f(')', " * n + "a" + ", '(')" * n,
    "commas in comments": lambda n: "x = (\n" + "not # ,\n" * n + "a)",
    "commas in parameters": lambda n: "x = " + "lambda b, a=" * n + "1" + ": a" * n,
}


def test_depth_that_does_not_show_leaves_the_process_alive() -> None:
    # Half a megabyte of stack is what some platforms give a thread: 75 levels of brackets.
    code = (
        "import json, sys, threading; from jaxlint.syntax.parse import parse;"
        "sources = json.load(sys.stdin); threading.stack_size(2 ** 19);"
        "read = lambda: print(*[type(parse(it, 'f')).__name__ for it in sources]);"
        "work = threading.Thread(target=read); work.start(); work.join()"
    )
    sources = [make(120) for _, make in sorted({**DEEP, **MISLEADING}.items())]
    run = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(sources), capture_output=True, text=True
    )
    assert (0, len(sources)) == (run.returncode, len(run.stdout.split()))


def test_depth_that_shows_late_is_a_problem() -> None:
    source = MISLEADING["brackets in strings"](205)
    assert is_shallow(source)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        problem = parse(source, "file.py")
    finally:
        sys.setrecursionlimit(limit)
    assert isinstance(problem, SyntaxProblem)
    assert "too deeply nested" == problem.message


def test_the_stack_grows_with_all_that_can_nest() -> None:
    empty = stack_for("")
    assert empty is not None
    for name, make in sorted({**DEEP, **MISLEADING}.items()):
        if name not in ("targets", "decorators"):
            size = stack_for(make(1000))
            assert size is not None and size - empty > 1000 * 1000, name


def test_a_long_file_needs_no_more_stack_than_there_is() -> None:
    size = stack_for("x = ((((((((((a))))))))))\n" * 3_500)

    assert size is not None and size < MOST_STACK // 10


@pytest.mark.parametrize("source", ["(" * 40_000, "lambda: " * 20_000 + "a", "not " * 200_000])
def test_there_is_no_stack_for_what_is_too_deep(source: str) -> None:
    assert stack_for(source) is None


@pytest.mark.parametrize(
    "source",
    [
        "match a:\n case " + "[" * 30 + "a" + "]" * 30 + ": pass",
        "match a:\n case " + '{"k": ' * 12 + "a" + "}" * 12 + ": pass",
    ],
)
def test_patterns_that_would_exhaust_libcst_are_located_by_their_line(source: str) -> None:
    module = module_of(source)

    patterns = [one for one in nodes(module) if isinstance(one, ir.Pattern)]
    assert {Span(1, 1, 1, 9)} == {module.locate(one) for one in patterns}


def test_a_file_is_read_without_libcst_until_a_place_takes_it() -> None:
    code = (
        "import sys; from jaxlint.syntax.parse import parse; "
        "from jaxlint.project.project import Universe; "
        "module = parse('f\"{x}\"', 'f'); module.locate(module.body[0]); "
        "assert 'libcst' not in sys.modules; module.locate(module.body[0].value.parts[0]); "
        "assert 'libcst' in sys.modules; assert 'libcst.matchers' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

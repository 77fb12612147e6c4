"""How deep a source nests, and how to parse what nests deeply.

LibCST's parser recurses natively, so depth costs it stack (a level of brackets about 7 kB) and
more than linear time; nested patterns cost it exponential time.
"""

from __future__ import annotations

import re
import sys
import threading
import tokenize
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

# What is certainly below these needs no special care.
SHALLOW_BRACKETS = 100
SHALLOW_CHARACTERS = 6_000
SHALLOW_BRANCHES = 500
# Python itself refuses more than 200 open brackets.
MOST_BRACKETS = 200
MOST_LINKS = 6_000
# Each level of a pattern doubles the parser's time, a mapping quadruples it.
MOST_PATTERN_WEIGHT = 16

STACK_SIZE = 64 * 1024 * 1024
RECURSION_LIMIT = 100_000

_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_CASE = re.compile(r"^[ \t\f]*case\b(?!\s*[=.,:;)\]}+/%|&^<>])", re.MULTILINE)
_CASE_PIECE = re.compile(r"""[rRbBuU]{0,2}("[^"\n]*"|'[^'\n]*')|#[^\n]*|[()\[\]{}:\n]""")
_LINKS = frozenset(
    "+ - * / // % @ ** & | ^ << >> ~ . := ( [ { and await else for if in is lambda not or".split()  # noqa: SIM905
)
# Links at which the parser's time grows fastest with their number.
_COSTLY = frozenset(["(", "[", "{", "lambda", "else"])
_FSTRING = re.compile(r"[rR]?[fFtT][rR]?[\"']")


def is_shallow(text: str) -> bool:
    """Whether a source certainly nests so little that it needs no care. Cheap and pessimistic."""
    brackets = text.encode("utf-8", "surrogatepass").translate(None, _NOT_BRACKETS)
    bound = 0
    while len(brackets) + bound > SHALLOW_BRACKETS:
        inner = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(inner) == len(brackets) or bound > SHALLOW_BRACKETS:
            return False
        brackets, bound = inner, bound + 3
    # A chain of operators, attributes or calls has no comma outside its brackets.
    if max(map(len, text.split(","))) > SHALLOW_CHARACTERS:
        return False
    return text.count("elif") <= SHALLOW_BRANCHES and not _heavy_patterns(text)


def excess(text: str) -> tuple[int, int] | None:
    """Line and column (from 1) at which a source nests deeper than can be parsed, if it does."""
    heavy = _heavy_patterns(text)
    if heavy is not None:
        return heavy
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = (line + "\n" for line in unified.split("\n"))
    branches = 0
    links = [0]
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            word = token.string
            if token.type == tokenize.NEWLINE:
                links = [0]
            elif token.type == tokenize.OP and word in ")]}":
                links = links[:-1] or [0]
            elif word in _LINKS:
                links[-1] += 3 if word in _COSTLY else 1
                if word in "([{":
                    links.append(0)
            elif word == ",":
                links[-1] = 0
            elif word == "elif":
                branches += 1
            depth = len(links) + _fields(token) - 1
            if depth >= MOST_BRACKETS or links[-1] > MOST_LINKS or branches > MOST_LINKS:
                return token.start[0], token.start[1] + 1
    except (tokenize.TokenError, SyntaxError):
        # The parser explains what is wrong; up to here nothing is too deep.
        pass
    return None


def _fields(token: tokenize.TokenInfo) -> int:
    """How deep the fields of an f-string nest that is one token (before Python 3.12)."""
    if token.type != tokenize.STRING or not _FSTRING.match(token.string):
        return 0
    deepest = depth = 0
    for mark in re.findall(r"[()\[\]{}]", token.string.replace("{{", "").replace("}}", "")):
        if mark == "{" or (depth and mark in "(["):
            depth += 1
            deepest = max(deepest, depth)
        elif depth and mark in ")]}":
            depth -= 1
    return deepest


def _heavy_patterns(text: str) -> tuple[int, int] | None:
    """Where a `case` nests deeper than can be parsed, if one does."""
    if "case" not in text or "match" not in text:
        return None
    for case in _CASE.finditer(text):
        weight = 0
        opened: list[int] = []
        for piece in _CASE_PIECE.finditer(text, case.end()):
            mark = piece[0]
            if mark in "([{":
                opened.append(2 if mark == "{" else 1)
                weight += opened[-1]
                if weight > MOST_PATTERN_WEIGHT:
                    before = text[: piece.start()]
                    line = before.count("\n") + 1
                    return line, len(before) - before.rfind("\n")
            elif mark in ")]}" and opened:
                weight -= opened.pop()
            elif mark in ":\n" and not opened:
                break
    return None


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Lets Python code recurse as deep as sources that pass `excess` ask for.

    Calls from Python to Python use no native stack, so only memory is spent.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def on_large_stack(work: Callable[[], T]) -> T:
    """Runs work that recurses natively on a thread with a large stack."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)

    size = threading.stack_size(STACK_SIZE)
    try:
        thread = threading.Thread(target=run, name="jaxlint-parse")
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]

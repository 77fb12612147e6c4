"""How deep a source nests, and how to parse what nests deeply.

LibCST's parser recurses natively, so depth costs it more than linear time, and nested patterns
exponential time: `is_shallow` and `excess` keep that in bounds. It also costs stack, and to run
out of that ends the process: `stack_for` is an upper bound for any text, however misleading.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import threading
import tokenize
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar, cast

from jaxlint.syntax.python import REFUSALS, tree_of

T = TypeVar("T")

# What is certainly below these needs no special care.
SHALLOW_BRACKETS = 100
SHALLOW_CHARACTERS = 4_000
SHALLOW_BRANCHES = 500
SHALLOW_LAMBDAS = 500
# Python itself refuses more than 200 open brackets.
MOST_BRACKETS = 200
MOST_LINKS = 6_000
# Each level of a pattern doubles the parser's time, a mapping quadruples it.
MOST_PATTERN_WEIGHT = 16

RECURSION_LIMIT = 100_000

# Bytes of stack that one token may take where it nests: twice what was seen of LibCST 1.9.
_BRACKET, _OPERATOR, _QUOTE = 16_000, 3_000, 1_000
_KEYWORDS = {"lambda": 28_000, "if": 4_000, "or": 4_000, "and": 3_000, "not": 3_000}
# A hundred levels of blocks, which is all that Python allows, and what nests nothing.
_LEAST_STACK = 16 * 2**20
MOST_STACK = 512 * 2**20
_OPERATORS = b"+-*/%@&|^~.<>"
_UNCOUNTED = bytes(set(range(256)) - set(_OPERATORS + b"([{'\""))
_UNIFIED = bytes.maketrans(b'[{"', b"(('")
_lock = threading.Lock()

_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_ROUND = bytes.maketrans(b"[]{}", b"()()")
# Begins with a word, not with the start of a line: so the search is ten times as fast.
_CASE = re.compile(r"case\b(?!\s*[=.,:;)\]}+/%|&^<>])")
_CASE_PIECE = re.compile(r"""[rRbBuU]{0,2}("[^"\n]*"|'[^'\n]*')|#[^\n]*|[()\[\]{}:\n]""")
_LINKS = frozenset(
    "+ - * / // % @ ** & | ^ << >> ~ . := ( [ { and await else for if in is lambda not or".split()  # noqa: SIM905
)
# Links at which the parser's time grows fastest with their number.
_COSTLY = frozenset(["(", "[", "{", "lambda", "else"])
_FSTRING = re.compile(r"[rR]?[fFtT][rR]?[\"']")


class TooDeepError(Exception):
    """Source that nests deeper than can be parsed; `place` is a line and column, from 1."""

    def __init__(self, place: tuple[int, int]) -> None:
        super().__init__("too deeply nested")
        self.place = place


def carefully(text: str, work: Callable[[], T]) -> T:
    """Does work that parses a text with LibCST, however deep the text nests.

    Raises:
        TooDeepError: where that would take too much stack or time.
        BaseException: whatever else the work raises.
    """
    if stack_for(text) is None:
        raise TooDeepError((1, 1))
    if is_shallow(text):
        try:
            return on_large_stack(work)
        except RecursionError:
            # Deeper than it looked: brackets in strings and comments hide others.
            pass
    place = excess(text)
    if place is not None:
        raise TooDeepError(place)
    try:
        with deep_recursion():
            return on_large_stack(work)
    except RecursionError:
        raise TooDeepError((1, 1)) from None


def is_shallow(text: str) -> bool:
    """Whether a source certainly nests so little that it needs no care. Cheap and pessimistic."""
    brackets = text.encode("ascii", "ignore").translate(_ROUND, _NOT_BRACKETS)
    bound = 0
    while len(brackets) + bound > SHALLOW_BRACKETS:
        inner = brackets.replace(b"()", b"")
        if len(inner) == len(brackets) or bound > SHALLOW_BRACKETS:
            return False
        brackets, bound = inner, bound + 1
    # A chain of operators, attributes or calls has no comma outside its brackets.
    step = SHALLOW_CHARACTERS
    if any(text.find(",", at, at + step) < 0 for at in range(0, len(text) - step + 1, step)):
        return False
    if text.count("elif") > SHALLOW_BRANCHES or text.count("lambda") > SHALLOW_LAMBDAS:
        return False
    return _heavy_patterns(text) is None


def excess(text: str) -> tuple[int, int] | None:
    """Line and column (from 1) at which a source nests deeper than can be parsed, if it does."""
    heavy = _heavy_patterns(text)
    if heavy is not None:
        return heavy
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = (line + "\n" for line in unified.split("\n"))
    branches = 0
    links = [0]
    lambdas = [0]
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            word = token.string
            if token.type == tokenize.NEWLINE:
                links, lambdas = [0], [0]
            elif token.type == tokenize.OP and word in ")]}":
                links, lambdas = links[:-1] or [0], lambdas[:-1] or [0]
            elif word in _LINKS:
                links[-1] += 3 if word in _COSTLY else 1
                lambdas[-1] += 3 if word == "lambda" else 0
                if word in "([{":
                    links.append(0)
                    lambdas.append(0)
            elif word == ",":
                # A comma ends a chain, except between the parameters of a lambda.
                links[-1] = lambdas[-1]
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
        line_start = max(text.rfind("\n", 0, case.start()), text.rfind("\r", 0, case.start())) + 1
        if text[line_start : case.start()].strip(" \t\f"):
            continue
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


def stack_for(text: str) -> int | None:
    """Bytes of stack that certainly suffice for parsing a source; None when it may need more
    than there is. Cheap, except for files of more than a megabyte.
    """
    marks = text.encode("ascii", "ignore").translate(_UNIFIED, _UNCOUNTED)
    least = _LEAST_STACK + _QUOTE * marks.count(b"'")
    need = (
        least
        + _BRACKET * marks.count(b"(")
        + _OPERATOR * sum(map(marks.count, _OPERATORS))
        + sum(cost * text.count(word) for word, cost in _KEYWORDS.items())
    )
    if need > MOST_STACK:
        try:
            with deep_recursion():
                levels = on_large_stack(lambda: _levels(text))
        except REFUSALS:
            return None
        need = least + _BRACKET * MOST_BRACKETS + _KEYWORDS["lambda"] * levels
    return need if need <= MOST_STACK else None


def _levels(text: str) -> int:
    """The depth of LibCST's tree as Python's own shows it: brackets and strings are missing."""
    deepest = 0
    pending: list[tuple[Any, int]] = [(tree_of(text), 0)]
    while pending:
        node, level = pending.pop()
        level += _own_levels(node)
        deepest = max(deepest, level)
        pending += [(child, level) for child in ast.iter_child_nodes(node)]
    return deepest


def _own_levels(node: ast.AST) -> int:
    """What is a list in Python's tree can be as many levels in LibCST's."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return 1 + len(node.generators)
    if isinstance(node, ast.alias):
        return 1 + node.name.count(".")
    if isinstance(node, ast.ImportFrom):
        return 1 + (node.module or "").count(".")
    return 1


class _Worker:
    """One thread with all the stack there is: memory that a thread frees goes back to an arena
    of its own, so a thread for each file would keep growing."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        with _lock:  # the size for new threads is one for the whole process
            usual = threading.stack_size(MOST_STACK)
            try:
                self.thread = threading.Thread(
                    target=self._serve, name="jaxlint-parse", daemon=True
                )
                self.thread.start()
            finally:
                threading.stack_size(usual)

    def _serve(self) -> None:
        while True:
            self.tasks.get()()


_workers: list[_Worker] = []


def on_large_stack(work: Callable[[], T]) -> T:
    """Runs work that recurses natively on a thread with MOST_STACK bytes of stack.

    Raises:
        BaseException: whatever the work raises.
    """
    if not _workers or _workers[-1].pid != os.getpid():
        _workers.append(_Worker())
    worker = _workers[-1]
    if threading.current_thread() is worker.thread:
        return work()
    results: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            results.put((work(), None))
        except BaseException as error:  # raised again below, in the thread that asked
            results.put((None, error))

    worker.tasks.put(run)
    result, error = results.get()
    if error is not None:
        raise error
    return cast(T, result)

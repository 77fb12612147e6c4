"""Writes a syntax tree out again to learn at which line and column each of its nodes stands.

LibCST's nodes write themselves through a state object that they tell where they begin and end.
This one throws the text away and keeps the places; it can stop at the end of a header.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

Place = tuple[int, int]
Range = tuple[Place, Place]

_NEWLINE = re.compile(r"\r\n?|\n")
SUITES = (cst.IndentedBlock, cst.SimpleStatementSuite)
# Where the header of a compound statement ends or another clause begins.
CLAUSES = (
    cst.IndentedBlock,
    cst.If,
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.MatchCase,
)


class EndOfHeaderError(Exception):
    """Raised when a header is written and what follows has places of its own."""


class Recorder:
    """The state that a tree writes itself through. Lines and columns count from 0.

    `ranges` are the syntactic ranges of nodes by identity, `heads` the places at which suites
    begin, which is right behind the colon. With a `root`, writing stops with EndOfHeaderError at
    the first block or clause that is not the root itself.
    """

    def __init__(self, module: cst.Module, indent: tuple[str, ...] = (), root: Any = None) -> None:
        self.default_indent = module.default_indent
        self.default_newline = module.default_newline
        self.indent_tokens = list(indent)
        self.tokens = [""]  # a module looks whether anything was written
        self.root = root
        self.line = 0
        self.column = 0
        self.ranges: dict[int, Range] = {}
        self.heads: dict[int, Place] = {}
        self._begun: list[Place] = []

    def increase_indent(self, value: str) -> None:
        self.indent_tokens.append(value)

    def decrease_indent(self) -> None:
        self.indent_tokens.pop()

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            lines = _NEWLINE.split(value)
            self.line += len(lines) - 1
            self.column = len(lines[-1])
        else:
            self.column += len(value)

    def pop_trailing_newline(self) -> None:
        """A file without a newline at its end: nothing stands behind it."""

    def before_codegen(self, node: Any) -> None:
        if isinstance(node, SUITES):
            self.heads[id(node)] = (self.line, self.column)
        if self.root is not None and node is not self.root and isinstance(node, CLAUSES):
            raise EndOfHeaderError
        self._begun.append((self.line, self.column))

    def after_codegen(self, node: Any) -> None:
        begun = self._begun.pop()
        if id(node) not in self.ranges:
            self.ranges[id(node)] = (begun, (self.line, self.column))

    def record_syntactic_position(
        self, node: Any, *, start_node: Any = None, end_node: Any = None
    ) -> _Mark:
        return _Mark(self, node, start_node, end_node)


class _Mark:
    """Notes the range of a node from entering to leaving, or of the given nodes inside it."""

    __slots__ = ("begun", "end_node", "node", "recorder", "start_node")

    def __init__(self, recorder: Recorder, node: Any, start_node: Any, end_node: Any) -> None:
        self.recorder = recorder
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.begun = (self.recorder.line, self.recorder.column)

    def __exit__(self, *error: object) -> None:
        recorder = self.recorder
        start, end = self.begun, (recorder.line, recorder.column)
        if self.start_node is not None:
            start = recorder.ranges.get(id(self.start_node), (start, end))[0]
        if self.end_node is not None:
            end = recorder.ranges.get(id(self.end_node), (start, end))[1]
        recorder.ranges[id(self.node)] = (start, end)

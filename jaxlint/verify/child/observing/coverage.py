"""Which functions and lines of the user's files ran while JAX wrote a program down."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.places import UserFiles

Line = tuple[str, int]
Function = tuple[str, int, str]


class Coverage:
    """Lines (file, line) and functions (file, first line, name) that ran under staging."""

    def __init__(self, files: UserFiles) -> None:
        self._files = files
        self.lines: set[Line] = set()
        self.functions: set[Function] = set()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Counts what this thread runs, in place of any other trace function."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self._files or not internals.staged():
            return None
        name = getattr(code, "co_qualname", code.co_name)
        self.functions.add((code.co_filename, code.co_firstlineno, name))
        return self._ran

    def _ran(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._ran

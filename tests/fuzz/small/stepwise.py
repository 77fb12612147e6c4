"""Runs a small module statement by statement and notes the line of each refusal by JAX."""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from small.staging import MODULE, line_of
from small.truth import Specimen, Truth


def observe(
    specimen: Specimen,
    kind: str,
    is_hazard: Callable[[Exception], bool],
    checking: Callable[[], AbstractContextManager[Any]],
) -> Truth:
    """A statement that raised leaves its other lines, and what depends on it, unknown."""
    path = "small_module.py"
    module = types.ModuleType(MODULE)
    hazards: set[int] = set()
    reached: set[int] = set()
    undefined: set[str] = set()
    failure = ""
    sys.modules[MODULE] = module
    try:
        with checking():
            for statement in ast.parse(specimen.source).body:
                code = compile(ast.Module([statement], []), path, "exec")
                try:
                    with _reached(path, reached):
                        exec(code, vars(module))
                except Exception as error:
                    if is_hazard(error):
                        hazards.add(line_of(error, path))
                        undefined |= set(_bound(statement))
                    elif not _follows(error, undefined):
                        failure = f"line {line_of(error, path)}: {error!r}"[:300]
                        break
    finally:
        del sys.modules[MODULE]
    if failure:
        return Truth(failure=failure)
    return Truth(
        frozenset((line, kind) for line in hazards),
        frozenset((line, kind) for line in reached - hazards),
    )


def _bound(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _follows(error: Exception, undefined: set[str]) -> bool:
    """Whether a statement failed for want of what an earlier one would have bound."""
    found = re.match("name '(.*)' is not defined", str(error))
    return isinstance(error, NameError) and found is not None and found[1] in undefined


@contextmanager
def _reached(path: str, lines: set[int]) -> Iterator[None]:
    def trace(frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != path:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)

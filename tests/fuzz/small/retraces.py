"""How often JAX traces what a module jits.

The statements that use what the module set up run twice. A place that jits is a hazard if its
function is traced again in the second run, where nothing is new.
"""

from __future__ import annotations

import ast
import functools
import sys
import types
from typing import Any

import jax

from jaxlint.verify.child.internals import staged
from small.retrace_programs import generate, write
from small.staging import MODULE, line_of
from small.truth import Claim, Family, Specimen, Truth

__all__ = ["FAMILY", "generate", "observe", "write"]

FAMILY = Family(
    "retraces",
    {code: frozenset({"retrace"}) for code in ("JAX501", "JAX502", "JAX503", "JAX504", "JAX505")},
)


def observe(specimen: Specimen) -> Truth:
    """A place that jits says which body it compiles; a lambda or decorated function is its own.

    A body that several places compile belongs to the one in the function that called it.
    """
    try:
        runs = _Runs(specimen)
    except _NoRunError as error:
        return Truth(failure=str(error))
    bodies = {
        (mark.subject, mark.line)
        for mark in specimen.marks
        if mark.kind in ("body", "lambda", "decorated")
    }
    hazards: set[Claim] = set()
    harmless: set[Claim] = set()
    for mark in specimen.marks:
        if mark.kind == "jits":
            lines = {line for subject, line in bodies if subject == mark.subject}
            callers = {runs.scope_of(mark.line)}
        elif mark.kind in ("lambda", "decorated"):
            lines, callers = {mark.line}, None
        else:
            continue
        again = [
            caller
            for line, caller in runs.again
            if line in lines and (callers is None or caller in callers)
        ]
        compiled = mark.kind == "jits" and callers and callers & runs.compiling
        if again or compiled:
            hazards.add((mark.line, "retrace"))
        elif mark.line in runs.reached:
            harmless.add((mark.line, "retrace"))
    return Truth(frozenset(hazards), frozenset(harmless))


class _NoRunError(Exception):
    """The module does not run to its end."""


_listening: list[_Runs] = []


def _compiled(event: str, duration_secs: float, **metadata: str | int) -> None:
    if event == "/jax/core/compile/backend_compile_duration":
        for runs in _listening:
            runs.compiles()


# JAX has no public way to remove a listener, so one is added for good.
jax.monitoring.register_event_duration_secs_listener(_compiled)


class _Runs:
    """Both runs of the statements that use what the others set up.

    `again` holds the body (by the line of its `def` or lambda) and the calling scope of each trace
    of the second run: the line of a function, or for the module the line of the statement.
    `compiling` are the scopes that compiled something then.
    """

    def __init__(self, specimen: Specimen) -> None:
        self.path = "small_module.py"
        self.reached: set[int] = set()
        self.again: list[tuple[int, int]] = []
        self.compiling: set[int] = set()
        self._second = False
        self._tree = ast.parse(specimen.source)
        hot = {mark.line for mark in specimen.marked("use")}
        module = types.ModuleType(MODULE)
        sys.modules[MODULE] = module
        before = sys.gettrace()
        sys.settrace(self._trace)
        _listening.append(self)
        try:
            uses = [each for each in self._tree.body if each.lineno in hot]
            setup = [each for each in self._tree.body if each.lineno not in hot]
            for statements in (setup, uses, uses):
                self._second = statements is uses and bool(self.reached & hot)
                code = compile(ast.Module(statements, []), self.path, "exec")
                exec(code, vars(module))
        except Exception as error:
            sys.settrace(before)
            raise _NoRunError(f"line {line_of(error, self.path)}: {error!r}"[:300]) from error
        finally:
            sys.settrace(before)
            _listening.remove(self)
            del sys.modules[MODULE]

    def _trace(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename != self.path:
            return None
        if event == "line":
            self.reached.add(frame.f_lineno)
        elif event == "call" and self._second and staged():
            line = code.co_firstlineno
            self.again.append((self._definitions.get(line, line), self._scope(frame.f_back)))
        return self._trace

    def _scope(self, frame: types.FrameType | None) -> int:
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return 0 if frame is None else self.scope_of(frame.f_lineno)

    def compiles(self) -> None:
        if self._second:
            self.compiling.add(self._scope(sys._getframe()))

    @functools.cached_property
    def _definitions(self) -> dict[int, int]:
        """The line of `def` by the line where decorators begin."""
        return {
            node.decorator_list[0].lineno: node.lineno
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef) and node.decorator_list
        }

    def scope_of(self, line: int) -> int:
        """The line of the innermost function around a line, itself outside functions."""
        found = [
            node.lineno
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef) and node.lineno < line <= (node.end_lineno or 0)
        ]
        return max(found, default=line)

"""Runs an example on real JAX and records everything that a user could notice."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import os
import random
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

from jaxlint.testing.leaks import tracers_in
from jaxlint.testing.values import Comparable, Text, comparable, readable

_MODULE = "jaxlint_example"
_COMPILED = "/jax/core/compile/backend_compile_duration"


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception and the line of the example that it came from, 0 if from none; `lines` are
    those of the calls that led there as well."""

    error: BaseException
    line: int
    lines: frozenset[int] = frozenset()

    @property
    def kind(self) -> str:
        return type(self.error).__name__

    def is_a(self, *names: str) -> bool:
        """Whether the exception's class, or a base of it, has one of these names."""
        return any(base.__name__ in names for base in type(self.error).__mro__)

    def __str__(self) -> str:
        text = str(self.error).strip().partition("\n")[0]
        return f"{self.kind} at line {self.line}: {text}"


@dataclass(slots=True)
class Outcome:
    """What a run showed.

    `failures` holds one exception, or one for each statement of a run in steps. `leaks` are the
    names that hold a dead tracer, `compilations` those of the second evaluation, if there was one.
    """

    has_value: bool = False
    value: Comparable = field(default_factory=lambda: Text("None"))
    failures: list[Failure] = field(default_factory=list)
    output: str = ""
    errors: str = ""
    logged: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    compilations: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """A parsed program; `filename` is what its frames are recognised by."""

    source: str
    filename: str

    def statements(self) -> list[ast.stmt]:
        return ast.parse(self.source, self.filename).body

    def run(
        self,
        *,
        eager: bool = False,
        in_steps: bool = False,
        twice: bool = False,
        checks_keys: bool = False,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> Outcome:
        """Runs the program in a fresh namespace, with the names that are `given` to it.

        `eager` runs all of it under `jax.disable_jit()`. `in_steps` goes on with the next
        top-level statement after one that raised. `twice` evaluates the last expression again
        and counts what that compiles. `checks_keys` makes every random key a key object and has JAX
        raise where one is used again.

        Each run has functions of its own, so what JAX keeps of other runs are only operations
        such as `jnp.ones`. Keeping these saves most of the time; counting starts without them.
        """
        outcome = Outcome()
        if twice:
            jax.clear_caches()
        random.seed(0)
        np.random.seed(0)
        module = types.ModuleType(_MODULE)
        vars(module).update(given)
        sys.modules[_MODULE] = module
        try:
            with (
                _recording(outcome),
                jax.disable_jit(eager),
                jax.enable_custom_prng(checks_keys),
                jax.debug_key_reuse(checks_keys),
            ):
                value = self._execute(vars(module), outcome, in_steps)
                if twice and outcome.has_value and not outcome.failures:
                    with _counting_compilations(outcome):
                        self._evaluate_last(vars(module), outcome)
                outcome.value = comparable(value)
                outcome.leaks = tracers_in(vars(module), value)
        finally:
            del sys.modules[_MODULE]
        return outcome

    def _execute(self, namespace: dict[str, Any], outcome: Outcome, in_steps: bool) -> Any:
        *body, last = self.statements()
        outcome.has_value = isinstance(last, ast.Expr)
        for statement in body:
            with self._catching(outcome):
                code = compile(ast.Module([statement], []), self.filename, "exec")
                exec(code, namespace)
            if outcome.failures and not in_steps:
                return None
        if not isinstance(last, ast.Expr):
            with self._catching(outcome):
                exec(compile(ast.Module([last], []), self.filename, "exec"), namespace)
            return None
        return self._evaluate_last(namespace, outcome)

    def _evaluate_last(self, namespace: dict[str, Any], outcome: Outcome) -> Any:
        last = self.statements()[-1]
        assert isinstance(last, ast.Expr)
        with self._catching(outcome):
            value = eval(compile(ast.Expression(last.value), self.filename, "eval"), namespace)
            return jax.block_until_ready(value)
        return None

    @contextlib.contextmanager
    def _catching(self, outcome: Outcome) -> Iterator[None]:
        try:
            yield
            jax.effects_barrier()
        except (Exception, SystemExit) as error:
            outcome.failures.append(Failure(error, *self._lines_of(error)))

    def _lines_of(self, error: BaseException) -> tuple[int, frozenset[int]]:
        lines, step = [0], error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self.filename:
                lines.append(step.tb_lineno)
            step = step.tb_next
        return lines[-1], frozenset(lines)


def without(program: Program, line: int) -> Program:
    """The program with the statement at a line left out."""
    tree = _Without(line).visit(ast.parse(program.source, program.filename))
    return Program(ast.unparse(tree), program.filename)


class _Without(ast.NodeTransformer):
    def __init__(self, line: int) -> None:
        self._line = line

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and self._is_there(node):
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)

    def _is_there(self, node: ast.stmt) -> bool:
        return node.lineno <= self._line <= (node.end_lineno or node.lineno)


class _Records(logging.Handler):
    def __init__(self, found: list[str]) -> None:
        super().__init__()
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] not in ("jax", "absl"):
            self._found.append(f"{record.levelname} {readable(record.getMessage())}")


@contextlib.contextmanager
def _recording(outcome: Outcome) -> Iterator[None]:
    """Records output, warnings and logs of every level, in a directory that vanishes."""
    output, errors = io.StringIO(), io.StringIO()
    with (
        tempfile.TemporaryDirectory() as directory,
        contextlib.chdir(directory),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
        warnings.catch_warnings(record=True) as warned,
        _recording_logs(outcome.logged),
    ):
        warnings.simplefilter("always")
        yield
    outcome.output, outcome.errors = readable(output.getvalue()), readable(errors.getvalue())
    outcome.warned = [f"{w.category.__name__} {readable(str(w.message))}" for w in warned]


@contextlib.contextmanager
def _recording_logs(found: list[str]) -> Iterator[None]:
    root, known = logging.getLogger(), set(logging.root.manager.loggerDict)
    level, handlers = root.level, root.handlers[:]
    libraries = logging.getLogger("jax")
    library_level = libraries.level
    root.setLevel(logging.DEBUG)
    root.handlers[:] = [_Records(found)]
    libraries.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
        libraries.setLevel(library_level)
        for name in set(logging.root.manager.loggerDict) - known:
            if not name.startswith("jax"):
                del logging.root.manager.loggerDict[name]


_counters: list[Outcome] = []


def _count(event: str, duration_secs: float, **metadata: str | int) -> None:
    if event == _COMPILED:
        for outcome in _counters:
            outcome.compilations += 1


# JAX has no public way to remove a listener, so one is added for good.
jax.monitoring.register_event_duration_secs_listener(_count)


@contextlib.contextmanager
def _counting_compilations(outcome: Outcome) -> Iterator[None]:
    _counters.append(outcome)
    try:
        yield
    finally:
        _counters.remove(outcome)

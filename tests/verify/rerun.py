"""An explorer that shares nothing with the one it checks: plain JAX, run again after each error.

The expression that failed is wrapped in the source, so that the next run gives it a stub value
and comes to the next failure. Branches are answered both ways. Needs the columns of Python 3.11.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
import time
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rerun_wrapping import Range, Wrap

INTEGERS, FLOATS = (2, 1, 0), (1.0, 0.5, 2.0)
"""What numbers are taken for: the next ones if a run fails for another reason, and at the end."""

HELD = 8
"""Evaluations of a branch with one answer, before answers alternate."""


class Rerun:
    """Finds the failing ranges of a module's function.

    `stage(module)` stages the function of a freshly executed module. `sites` are the ranges
    found, `finished` tells that every answer was tried and every error was understood.
    """

    def __init__(
        self, source: str, path: str, stage: Callable[[dict[str, Any]], object], seconds: float
    ) -> None:
        self._source = source
        self._path = path
        self._stage = stage
        self._deadline = time.process_time() + seconds
        self._wrapped: set[Range] = set()
        self._branches: set[Range] = set()
        self._answers: dict[Range, bool] = {}
        self._counts: dict[Range, int] = {}
        self._last: dict[Range, bool] = {}
        self._asked: list[Range] = []
        self._choice = 0
        self._has_chosen = False
        self._has_numbers = False
        self._ending: BaseException | None = None
        self.sites: list[Range] = []
        self.first: Range | None = None
        self.finished = False
        self.obstacles: list[str] = []

    def run(self) -> Rerun:
        """Search until nothing is left to try."""
        queue: deque[tuple[dict[Range, bool], int]] = deque([({}, 0)])
        tried: set[tuple[Range, bool]] = set()
        last = 0
        while queue:
            answers, self._choice = queue.popleft()
            self._answers, self._has_chosen = dict(answers), False
            if not self._to_the_end():
                return self
            if self._has_chosen and self._ending is not None and self._choice < len(INTEGERS) - 1:
                queue.append((self._answers, self._choice + 1))
            asked = list(dict.fromkeys(self._asked))
            tried.update((where, self._answers.get(where, True)) for where in asked)
            for where in asked:
                other = not self._answers.get(where, True)
                if (where, other) not in tried:
                    tried.add((where, other))
                    queue.append(({**self._answers, where: other}, self._choice))
            if not queue and self._has_numbers and last < len(INTEGERS) - 1:
                last += 1
                queue.append(({}, last))
        self.finished = not self.obstacles
        return self

    def _to_the_end(self) -> bool:
        """Run with one set of answers, wrapping each failure, until none is left.

        Any other error is the program's own and ends the run. False if the time is over.
        """
        while time.process_time() < self._deadline:
            self._ending = error = self._once()
            if error is None:
                return True
            where = self._failing(error)
            is_own = isinstance(error, NotImplementedError)
            if where is None or where in self._wrapped or not is_conversion(error):
                if is_conversion(error) or is_own or where is None:
                    self.obstacles.append(f"{type(error).__name__}: {error}"[:200])
                return True
            if self.first is None:
                self.first = where
            self._wrapped.add(where)
            if type(error).__name__ == "TracerBoolConversionError":
                self._branches.add(where)
            self.sites.append(where)
        self.obstacles.append("the time is over")
        return False

    def _once(self) -> BaseException | None:
        tree = Wrap(self._wrapped).visit(ast.parse(self._source))
        code = compile(ast.fix_missing_locations(tree), self._path, "exec")
        module: dict[str, Any] = {"__name__": "rerun", "__builtins__": builtins}
        module["__rerun_call__"] = self._call
        module["__rerun_item__"] = self._item
        module["__rerun_test__"] = self._test
        module["__rerun_text__"] = self._text
        self._counts, self._last, self._asked = {}, {}, []
        jax.clear_caches()
        try:
            exec(code, module)
            self._stage(module)
        except Exception as error:
            return error
        return None

    def _failing(self, error: BaseException) -> Range | None:
        """The expression whose evaluation raised, in the original source."""
        found: Range | None = None
        step = error.__traceback__
        while step is not None:
            code = step.tb_frame.f_code
            if code.co_filename == self._path:
                found = _position(code, step.tb_lasti)
            step = step.tb_next
        return found

    def _is_here(self, error: BaseException, own: int = 0) -> bool:
        """Whether an error comes from what is wrapped and not from user code that it calls.

        `own` is the number of frames that the wrapping adds to the user's file.
        """
        frames, step = 0, error.__traceback__
        while step is not None:
            frames += step.tb_frame.f_code.co_filename == self._path
            step = step.tb_next
        return frames <= own and is_conversion(error)

    def _answer(self, where: Range) -> bool:
        count = self._counts.get(where, 0)
        self._counts[where] = count + 1
        if count == 0:
            answer = self._answers.get(where, True)
        else:
            answer = self._last[where] if count < HELD else not self._last[where]
        self._last[where] = answer
        self._asked.append(where)
        if len(self._asked) > 2000:
            raise RecursionError("too many branches")
        return answer

    def _tested(self, where: Range, value: Any) -> Any:
        """A value that came about: if its range failed as a branch, the answer to that."""
        return self._answer(where) if where in self._branches and _is_tracer(value) else value

    def _test(self, where: Range, evaluate: Callable[[], Any]) -> Any:
        try:
            value = evaluate()
            bool(value)
        except Exception as error:
            if not self._is_here(error, own=1):
                raise
            return "unhashable" not in str(error) and self._answer(where)
        return value

    def _text(self, where: Range, evaluate: Callable[[], str]) -> str:
        try:
            return evaluate()
        except Exception as error:
            if not self._is_here(error, own=1):
                raise
            return "1.00"

    def _item(self, where: Range, value: Any, index: Any) -> Any:
        try:
            return self._tested(where, value[index])
        except Exception as error:
            if not self._is_here(error):
                raise
        return value[self._loosened(index)]

    def _call(
        self, where: Range, name: str, function: Any, args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        try:
            return self._tested(where, function(*args, **kwargs))
        except Exception as error:
            if not self._is_here(error):
                raise
        if function in (max, min):
            return self._pick(where, args)
        if function in (any, all):
            return self._until(where, function, args[0])
        if function is sorted:
            return self._sorted(where, list(args[0]))
        if function is bool:
            return self._answer(where)
        if function is int:
            return self._chosen(INTEGERS)
        owner = getattr(function, "__self__", None)
        if name in _UPDATES and hasattr(owner, "index"):
            return getattr(owner.array.at[self._loosened(owner.index)], name)(*args, **kwargs)
        if name in ("item", "tolist") and _is_tracer(owner):
            return getattr(np.ones(owner.shape, owner.dtype), name)()
        plain = self._plain
        stand_ins = [(function, self._integer), (function, plain), (getattr(np, name, None), plain)]
        for called, stand_in in stand_ins:
            if called is None:
                continue
            try:
                result = called(*jax.tree.map(stand_in, args), **jax.tree.map(stand_in, kwargs))
                return _like(function, result)
            except Exception as error:
                if not self._is_here(error):
                    raise
        raise NotImplementedError(f"no stub for a call of {function!r}")

    def _chosen(self, numbers: Sequence[float]) -> Any:
        self._has_chosen = self._has_numbers = True
        return numbers[self._choice]

    def _plain(self, value: Any) -> Any:
        """A concrete value of the same shape and dtype."""
        if not _is_tracer(value):
            return value
        if value.ndim:
            return np.full(value.shape, 1, value.dtype)
        if np.issubdtype(value.dtype, np.floating):
            return self._chosen(FLOATS)
        return np.ones((), value.dtype).item()

    def _integer(self, value: Any) -> Any:
        """Scalars that are integers as a number that serves sizes and indices; others as is."""
        if _is_tracer(value) and value.ndim == 0 and np.issubdtype(value.dtype, np.integer):
            return self._chosen(INTEGERS)
        return value

    def _loosened(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return tuple(self._loosened(part) for part in index)
        if isinstance(index, slice):
            bounds = (index.start, index.stop, index.step)
            return slice(*(None if _is_tracer(part) else part for part in bounds))
        if _is_tracer(index):
            if index.dtype == bool:
                return np.ones(index.shape, bool)
            return self._integer(index)
        return index

    def _pick(self, where: Range, args: tuple[Any, ...]) -> Any:
        """What `max` and `min` give if the outcome of each comparison is answered."""
        values = list(args[0]) if len(args) == 1 else list(args)
        best = values[0]
        for value in values[1:]:
            if self._answer(where):
                best = value
        return best

    def _until(self, where: Range, function: Callable[..., bool], values: Any) -> bool:
        for value in values:
            answer = self._answer(where) if _is_tracer(value) else bool(value)
            if answer is (function is any):
                return answer
        return function is all

    def _sorted(self, where: Range, values: list[Any]) -> list[Any]:
        if len(values) == 2 and self._answer(where):
            values.reverse()
        return values


_UPDATES = ("get", "set", "add", "multiply", "min", "max")


def is_conversion(error: BaseException) -> bool:
    """Whether an error says that the value of a tracer was needed."""
    if type(error).__name__ in _CLASSES:
        return True
    text = str(error)
    return any(part in text for part in _TEXTS) and isinstance(
        error, (TypeError, ValueError, IndexError)
    )


_CLASSES = (
    "ConcretizationTypeError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "TracerArrayConversionError",
    "NonConcreteBooleanIndexError",
)
_TEXTS = (
    "unsupported format string passed to",
    "must have static start/stop/step",
    "Shapes must be 1D sequences of concrete values",
    "unhashable type: 'DynamicJaxprTracer'",
    "unhashable type: 'JitTracer'",
    "unhashable type: 'JVPTracer'",
    "unhashable type: 'BatchTracer'",
)


def _position(code: types.CodeType, instruction: int) -> Range | None:
    positions = list(code.co_positions())
    index = instruction // 2
    if sys.version_info < (3, 12) and _is_test(code, index):
        index -= 1
        if dis.opname[code.co_code[2 * index]].startswith("STORE_"):
            index -= 1
    line, end_line, column, end_column = positions[index]
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def _is_test(code: types.CodeType, index: int) -> bool:
    """Whether a jump tests a value.

    Python 3.11 gives such a jump the range of its statement or of the comparison before it. What
    made the value comes right before; an assignment expression stores it in between.
    """
    name = dis.opname[code.co_code[2 * index]]
    return name.startswith("POP_JUMP_") and name.endswith(("_IF_TRUE", "_IF_FALSE"))


def _is_tracer(value: Any) -> bool:
    return isinstance(value, jax.core.Tracer)


def _like(function: Any, result: Any) -> Any:
    """A stub for the result of a function of JAX is traced, as its results are under tracing."""
    if not str(getattr(function, "__module__", "")).startswith("jax"):
        return result
    return jax.tree.map(lambda leaf: jnp.where(True, leaf, leaf), result)

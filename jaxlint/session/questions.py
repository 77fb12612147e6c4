"""Answers questions about values, over all files whose tracing reaches them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from jaxlint.base.errors import Interrupted, PlaceError
from jaxlint.base.explanation import Explanation, Mark
from jaxlint.base.runtime.crash import attempt
from jaxlint.project.project import Universe

if TYPE_CHECKING:
    from jaxlint.engine.machine.project import Context
    from jaxlint.syntax import ir

# Whether nobody waits for the answer any more.
Stop = Callable[[], bool]


def explained(
    universe: Universe,
    context: Callable[[], Context],
    file: str,
    path: str,
    line: int,
    column: int | None,
    stop: Stop,
) -> Explanation:
    """What is known of the values at a place of a file, which is given by its identity and by
    the name that the user knows it by; once `stop` says so, as far as that is known. Raises
    PlaceError."""
    from jaxlint.dataflow.budget import interruptible
    from jaxlint.engine.queries.explain import Notes, Place, explain

    module = _parsed(universe, file, path)
    _check_place(module, path, line, column)
    notes = Notes(Place(file, line, column))
    notes.take(module)
    if not notes.texts:
        place = _shown(path, module.source.shown(line), column)
        raise PlaceError(f"{place}: no name or expression is there")
    with suppress(Interrupted), interruptible(stop):
        for entry in _entries(universe, file):
            _run(partial(explain, notes), universe, context(), entry)
    return Explanation(path, line, column, notes.subjects())


def marked(
    universe: Universe, context: Callable[[], Context], file: str, path: str, stop: Stop
) -> tuple[Mark, ...]:
    """What parameters and assigned names of a file are in traced code; once `stop` says so, as far
    as that is known. Raises PlaceError for a file that cannot be read."""
    from jaxlint.dataflow.budget import interruptible
    from jaxlint.engine.queries.hints import Marks, mark

    _parsed(universe, file, path)
    marks = Marks(file)
    with suppress(Interrupted), interruptible(stop):
        for entry in _entries(universe, file):
            _run(partial(mark, marks), universe, context(), entry)
    return tuple(marks.marks())


def _entries(universe: Universe, file: str) -> Iterator[str]:
    """The files whose tracing may reach a file, itself first."""
    yield file
    callers = universe.names.leading_to((file,))
    yield from (one for one in universe.entries_for(file) if one != file and one in callers)


def _parsed(universe: Universe, file: str, path: str) -> ir.Module:
    from jaxlint.syntax import ir

    universe.add(file, path)
    module = universe.parsed(file)
    if module is None:
        raise PlaceError(f"{path}: no such file")
    if not isinstance(module, ir.Module):
        raise PlaceError(f"{path}:{module.line}:{module.column}: {module.message}")
    return module


def _run(
    ask: Callable[[ir.Module, Context], None], universe: Universe, context: Context, file: str
) -> None:
    """Takes in what tracing that starts in a file sees."""
    from jaxlint.syntax import ir

    module = universe.parsed(file)
    if not isinstance(module, ir.Module):
        return
    try:
        crash = attempt(lambda: ask(module, context))
    finally:
        context.dismantle()
        universe.examined(file)
    if crash is not None:
        raise PlaceError(f"{module.source.path}: {crash.message}")


def _check_place(module: ir.Module, path: str, line: int, column: int | None) -> None:
    lines = module.source.lines
    last = len(lines) - (not lines[-1])
    if not 0 < line <= last:
        raise PlaceError(f"{path}:{line}: no such line, the last is {last}")
    width = len(module.source.line(line))
    if column is not None and not 0 < column <= width:
        place = f"{path}:{module.source.shown(line)}:{column}"
        raise PlaceError(f"{place}: no such column, the last is {width}")


def _shown(path: str, line: str, column: int | None) -> str:
    return f"{path}:{line}" if column is None else f"{path}:{line}:{column}"

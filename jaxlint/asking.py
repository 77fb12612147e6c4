"""Answers the question why a value is traced or static, over all files whose tracing reaches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.base.errors import PlaceError
from jaxlint.base.explanation import Explanation
from jaxlint.project.universe import Universe
from jaxlint.reports import attempt

if TYPE_CHECKING:
    from jaxlint.engine.context import Context
    from jaxlint.engine.explaining import Notes
    from jaxlint.syntax import ir


def explained(
    universe: Universe,
    context: Callable[[], Context],
    file: str,
    path: str,
    line: int,
    column: int | None,
) -> Explanation:
    """What is known of the values at a place of a file, which is given by its identity and by
    the name that the user knows it by. Raises PlaceError."""
    from jaxlint.engine.explaining import Notes, Place
    from jaxlint.syntax import ir

    universe.add(file, path)
    module = universe.parsed(file)
    if module is None:
        raise PlaceError(f"{path}: no such file")
    if not isinstance(module, ir.Module):
        raise PlaceError(f"{path}:{module.line}:{module.column}: {module.message}")
    _check_place(module, path, line, column)
    notes = Notes(Place(file, line, column))
    notes.take(module)
    if not notes.texts:
        raise PlaceError(f"{_shown(path, line, column)}: no name or expression is there")
    for entry in dict.fromkeys((file, *universe.entries_for(file))):
        _note(notes, universe, context(), entry)
    return Explanation(path, line, column, notes.subjects())


def _note(notes: Notes, universe: Universe, context: Context, file: str) -> None:
    """Takes in what tracing that starts in a file sees at the place."""
    from jaxlint.engine.explaining import explain
    from jaxlint.syntax import ir

    module = universe.parsed(file)
    if not isinstance(module, ir.Module):
        return
    try:
        crash = attempt(lambda: explain(notes, module, context))
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
        raise PlaceError(f"{path}:{line}:{column}: no such column, the last is {width}")


def _shown(path: str, line: int, column: int | None) -> str:
    return f"{path}:{line}" if column is None else f"{path}:{line}:{column}"

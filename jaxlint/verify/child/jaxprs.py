"""Private names of JAX in the equations of a jaxpr: places, inputs and constants of loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_Location = tuple[str, int, "int | None", "int | None", "int | None"]


def equation_place(equation: Any, is_user: Callable[[str], bool] | None = None) -> _Location | None:
    """Where user code wrote an equation: file, line, column, end line, end column.

    Lines count from 1, columns from 0; columns are None where this JAX or Python has none.
    The innermost frame is taken, among the files that `is_user` accepts if it is given.
    """
    for frame in _frames(equation):
        if is_user is None or is_user(frame.file_name):
            line = int(frame.start_line)
            column = int(getattr(frame, "start_column", 0) or 0)
            end_line = int(getattr(frame, "end_line", 0) or 0)
            end_column = int(getattr(frame, "end_column", 0) or 0)
            if not end_line or (end_line, end_column) <= (line, column):
                return frame.file_name, line, None, None, None
            return frame.file_name, line, column, end_line, end_column
    return None


def _frames(equation: Any) -> Iterator[Any]:
    """The frames of an equation outside JAX, innermost first."""
    try:
        from jax._src import source_info_util
    except ImportError:
        return
    info = equation.source_info
    for argument in (getattr(info, "traceback", None), info):
        try:
            frames = list(source_info_util.user_frames(argument))
        except (AttributeError, TypeError):
            continue
        yield from frames
        return


def loop_constants(equation: Any) -> int:
    """How many of a loop's first inputs are the same in each iteration; none if it is no loop."""
    name, parameters = str(equation.primitive), equation.params
    if name == "while":
        return int(parameters.get("cond_nconsts", 0)) + int(parameters.get("body_nconsts", 0))
    if name != "scan" or parameters.get("length", 2) < 2:
        return 0
    count = parameters.get("num_consts")
    if count is None:  # Newer versions of JAX keep the inputs of each kind together.
        kinds: Any = getattr(parameters.get("ft_in"), "unpack", tuple)()
        count = len(tuple(kinds[0])) if kinds else 0
    return int(count)


def input_of(equation: Any, program: Any, position: int) -> int:
    """The position among an equation's inputs of an input of a program nested in it."""
    if str(equation.primitive) == "while":
        condition, body = (equation.params.get(f"{part}_nconsts", 0) for part in ("cond", "body"))
        if program is not equation.params.get("cond_jaxpr"):
            return int(position + condition)
        return int(position if position < condition else position + body)
    inputs = getattr(program, "jaxpr", program).invars
    return int(position + len(equation.invars) - len(inputs))

"""What lies between a conversion and the start of a run, and what an error was made of."""

from __future__ import annotations

import os
import sys
import types

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.places import Place, UserFiles, error_places, frame_place

Frame = tuple[str, int, int]
"""A frame: its file, the first line of its code, its instruction."""

Trail = tuple[Frame, ...]

_ROOM = os.path.dirname(os.path.abspath(__file__))
_HERE = os.path.dirname(_ROOM) + os.sep
_HOOKS = tuple(os.path.join(_ROOM, name) for name in ("stack.py", "explore.py", "conversions.py"))


class Stack:
    """The frames between a conversion and the start of the run.

    `trail` is of user code, `below` of the libraries that it called, `above` of those that called
    it, JAX excepted. There is no place if no user code is among them, or if it is the verifier
    itself that asks.
    """

    def __init__(self, stop: types.FrameType | None, files: UserFiles) -> None:
        self.place: Place | None = None
        self.in_jax = False
        self.is_library = False
        self.lines: list[tuple[str, int]] = []
        trail: list[Frame] = []
        below: list[Frame] = []
        above: list[Frame] = []
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename in _HOOKS:
            frame = frame.f_back
        if frame is not None and frame.f_code.co_filename.startswith(_HERE):
            frame = stop
        while frame is not None and frame is not stop:
            code = frame.f_code
            name = code.co_filename
            entry = (name, code.co_firstlineno, frame.f_lasti)
            if name in files:
                if self.place is None:
                    self.place = frame_place(frame)
                trail.append(entry)
                self.lines.append((name, frame.f_lineno))
            elif not name.startswith(_HERE):
                is_jax = internals.is_own_file(name)
                if self.place is None:
                    self.in_jax |= is_jax
                    below.append(entry)
                elif not is_jax:
                    above.append(entry)
            frame = frame.f_back
        self.trail: Trail = tuple(trail)
        self.below: Trail = tuple(below)
        self.above: Trail = tuple(above)


def chain(error: BaseException | None) -> list[BaseException]:
    """An error and those it was raised from or during."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and not any(each is one for one in found):
            found.append(each)
            waiting += [each.__cause__, each.__context__]
    return found


def is_in_chain(error: BaseException, ending: BaseException) -> bool:
    return any(error is one for one in chain(ending))


def ends_with(
    ending: BaseException | None, error: BaseException, place: Place, files: UserFiles
) -> bool:
    """Whether a run ended with an error of a place, or with one that a library made of it."""
    for each in chain(ending):
        places = error_places(each, files)
        if each is error or (places and places[-1] == place):
            return True
    return False


def raised_in(error: BaseException, files: UserFiles) -> bool:
    """Whether the user's own code raised an error, in the place of another it may be."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is not None and step.tb_frame.f_code.co_filename in files

"""Exceptions that jaxlint does not expect, told in words instead of ending the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import described

T = TypeVar("T")


@slotted(frozen=True)
class Crash:
    """An exception that nobody expected, in words."""

    message: str


def attempt(action: Callable[[], T]) -> T | Crash:
    """What the action returns, or the words for the exception it raised.

    Here exceptions end that jaxlint does not expect, unless something better than giving up on the
    file can be done where they come from.
    """
    try:
        return action()
    except Exception as error:
        return Crash(described(error))

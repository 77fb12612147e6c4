"""Functions that are being traced, and the outermost of them in each thread."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jaxlint.verify.child.arguments.signatures import (
    Call,
)
from jaxlint.verify.child.experiments.evidence.syntax import syntax_of
from jaxlint.verify.child.observing.places import Place
from jaxlint.verify.child.observing.probe import Tally
from jaxlint.verify.protocol import Target

if TYPE_CHECKING:
    from jaxlint.verify.child.experiments.evidence.former import Former


@dataclass
class Visit:
    """A function that is being traced, given to the transform that `phrase` names.

    `shown` are the targets at which an error was seen. `is_eager` tells that nothing writes a
    program: the tracers are those of `vmap` or `grad`.
    """

    fn: Callable[..., Any]
    call: Call | None
    phrase: str = ""
    is_eager: bool = False
    tally: Tally | None = None
    watching: contextlib.ExitStack | None = None
    former: Former | None = None
    shown: set[int] = field(default_factory=set)


class Depth(threading.local):
    """The outermost visits of each thread, and the last error that was looked at."""

    def __init__(self) -> None:
        self.outermost: Visit | None = None
        self.eager: Visit | None = None
        self.error: BaseException | None = None


def passed(target: Target, places: list[Place]) -> bool:
    """Whether a trace that ended at these places went past the target's statement."""
    if not places:
        return True
    first, last = syntax_of(target.file).statement_lines(target)
    file = os.path.realpath(target.file)
    return not any(
        first <= place.line <= last and os.path.realpath(place.file) == file for place in places
    )

"""Which studies a recorded run can afford: it must cost the user little more than unrecorded."""

from __future__ import annotations

import sys
import time
import types
from collections import Counter
from collections.abc import Iterable
from typing import Any

from jaxlint.verify.child.arguments.signatures import Call, encode
from jaxlint.verify.child.isolation.fork import Outcome
from jaxlint.verify.protocol import Target

_MOST_STUDIES = 2
_MOST_TIMEOUTS = 3
_SHARE = 0.04
_FREE_SECONDS = 20.0


class Budget:
    """What was spent so far. Seconds are CPU time."""

    def __init__(self) -> None:
        self._studies: Counter[tuple[types.CodeType, int]] = Counter()
        self._timeouts = 0
        self._spent = 0.0

    def affordable(self, call: Call, targets: Iterable[Target]) -> list[Target]:
        """Those of the targets that a study of the call may look for.

        A call that a later process can repeat need not be studied now.
        """
        code = call.fn.__code__
        wanted = [each for each in targets if self._studies[code, each.id] < _MOST_STUDIES]
        if not wanted or self._timeouts >= _MOST_TIMEOUTS:
            return []
        allowance = _SHARE * time.process_time()
        if self._spent > allowance + _FREE_SECONDS:
            return []
        if self._spent > allowance and _is_replayable(call):
            return []
        self._studies.update((code, each.id) for each in wanted)
        return wanted

    def spend(self, outcome: Outcome) -> None:
        """A study is over."""
        self._spent += outcome.seconds
        self._timeouts += not outcome.is_whole


def _is_replayable(call: Call) -> bool:
    """Whether a name leads to the function, and text can rebuild the arguments."""
    name = getattr(call.fn, "__module__", None)
    value: Any = sys.modules.get(name or "")
    if value is None or name == "__main__":
        return False
    for part in call.fn.__qualname__.split("."):
        value = getattr(value, "__dict__", {}).get(part)
        if value is None:
            return False
    return encode(call) is not None

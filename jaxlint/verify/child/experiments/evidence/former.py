"""What flagged code was about to change when the user's own program was traced.

Code that writes in the first trace of a process alone does not write when that is repeated. So what
it changed is put back in the child that repeats the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import Call
from jaxlint.verify.child.experiments.evidence.holders import Holders, Slot
from jaxlint.verify.child.experiments.evidence.subject import Subject
from jaxlint.verify.child.experiments.evidence.watch import user_frame
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.protocol import Config, Target


class Former:
    """Hears of targets that write, and keeps copies of what they write to.

    A place is looked at once for each target: what it held at first counts.
    """

    def __init__(
        self,
        call: Call,
        targets: Sequence[Target],
        probes: Probes,
        files: UserFiles,
        config: Config,
    ) -> None:
        self._files = files
        self._wanted = {target.id for target in targets}
        self._holders = Holders(Subject(call, targets, probes, files, config))
        self._slots: list[Slot] = []

    def reach(self, target: int) -> None:
        if target not in self._wanted or not internals.staged():
            return
        self._wanted.discard(target)
        self._holders.on_reach(target, user_frame(self._files))
        self._slots += self._holders.slots.get(target, ())

    def value(self, target: int, value: Any) -> Any:
        return value

    def put_back(self) -> None:
        """Gives each place what it held when it was found, the first one last."""
        for slot in reversed(self._slots):
            if slot.is_older or slot.is_unsure:
                slot.put_back()

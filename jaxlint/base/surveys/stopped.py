"""Why no traced run came to a statement of a function that such a run entered."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.base.surveys.coverage import Coverage
from jaxlint.base.surveys.inventory import Inventory, Key, Statement
from jaxlint.base.surveys.silence import Reason, Root

_ENDS = frozenset({"return", "raise", "break", "continue"})


class Stopped:
    """The statements of the functions that were reached, and which of them were not."""

    def __init__(
        self, coverage: Coverage, inventories: list[Inventory], reached: frozenset[Key]
    ) -> None:
        self._came = coverage.came
        self._ended = coverage.ended
        self._reached = reached
        self._statements = {
            Key(one.file, it.number): it for one in inventories for it in one.statements
        }

    def reasons(self) -> Iterator[tuple[Key, Reason]]:
        """All that were not come to, with the reason."""
        for key in self._statements:
            reason = self.reason(key)
            if reason is not None:
                yield key, reason

    def reason(self, key: Key) -> Reason | None:
        """Why no traced run came to a statement, None if one did or its function did not run."""
        statement = self._statements.get(key)
        if statement is None or key in self._came:
            return None
        if Key(key.file, statement.function) not in self._reached:
            return None
        return self._reason(key.file, statement)

    def _reason(self, file: str, statement: Statement) -> Reason:
        """Goes back to the place where every path went elsewhere."""
        while True:
            number = statement.after or statement.parent
            before = self._statements.get(Key(file, number))
            if before is None:
                return _cut(statement)
            if Key(file, number) in self._came:
                if statement.after:
                    return self._behind(file, before)
                return _decided(before, statement.role)
            statement = before

    def _behind(self, file: str, before: Statement) -> Reason:
        if before.kind in _ENDS:
            text = f"behind a `{before.kind}`"
        elif Key(file, before.function) in self._ended:
            return _cut(before)
        else:
            what = f"`{before.kind}`" if before.kind else "statement"
            text = f"no path goes on behind this {what}"
        return Reason("behind", Root("behind", text, before.spot), before.spot)


def _cut(statement: Statement) -> Reason:
    root = Root("cut", "function that is not run to its end: size", statement.spot)
    return Reason("cut", root, statement.spot)


def _decided(before: Statement, role: str) -> Reason:
    """Why a block of a statement is not run."""
    asked = f"`{before.asked}`" if before.asked else "what it asks for"
    kind, text = "branch", f"{asked} is always {'false' if role == 'body' else 'true'}"
    if before.kind == "for":
        kind = "loop"
        text = f"{asked} is empty" if role == "body" else "the loop is always left by `break`"
    elif before.kind == "while" and role == "orelse":
        kind, text = "loop", "the loop is always left by `break`"
    elif role == "handler":
        kind, text = "handler", "nothing that the handler takes is raised"
    elif before.kind == "match":
        text = f"no such case of {asked} is possible"
    elif before.kind == "try":
        kind, text = "behind", "the `try` is always left before its end"
    elif before.kind not in ("if", "while"):
        return _cut(before)
    return Reason(kind, Root(kind, text, before.spot), before.spot)

"""The parsed files of a project that were used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.syntax import ir
    from jaxlint.syntax.parse import SyntaxProblem

# How much parsed source is kept, in bytes: its nodes take some twenty-five times as much.
MOST_SOURCE = 1_000_000
# The same where files are asked for again after they had to go.
MOST_NEEDED = 4_000_000


class ParsedFiles:
    """A cache of modules, of what is wrong with files that cannot be parsed, and of None for
    files that cannot be read. The least recently used go first. There is more room for files that
    turned out to be needed again: copies of one library need no more than one of them."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[str, ir.Module | SyntaxProblem | None] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._held = 0
        self._room = MOST_SOURCE
        self._gone: set[str] = set()
        self._held_for_good: dict[str, ir.Module | SyntaxProblem | None] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._held_for_good or path in self._parsed

    def get(self, path: str) -> ir.Module | SyntaxProblem | None:
        """What is kept of a file, which counts as used."""
        if path in self._held_for_good:
            return self._held_for_good[path]
        self._parsed.move_to_end(path)
        return self._parsed[path]

    def keep(
        self, path: str, module: ir.Module | SyntaxProblem | None, size: int
    ) -> ir.Module | SyntaxProblem | None:
        """Takes in a file whose source has this size in bytes, and gives back what was parsed."""
        self._parsed[path] = module
        self._sizes[path] = size
        self._held += size
        if path in self._gone:
            self._gone.discard(path)
            self._room = min(self._room + size, MOST_NEEDED)
        while self._held > self._room and len(self._parsed) > 1:
            oldest, _ = self._parsed.popitem(last=False)
            self._held -= self._sizes.pop(oldest)
            self._gone.add(oldest)
        return module

    def hold(self, path: str) -> None:
        """Keeps a file until it changes: what is analysed names its nodes."""
        if path in self._parsed:
            self._held_for_good[path] = self._parsed[path]
            self._held -= self._sizes.pop(path)
            del self._parsed[path]

    def changed(self, path: str) -> None:
        """Drops what is kept of a file that holds something else now."""
        self._held_for_good.pop(path, None)
        self.forget(path)

    def forget(self, path: str) -> None:
        """Drops what is kept of a file that was used last, if anything is."""
        if path in self._parsed:
            del self._parsed[path]
            self._held -= self._sizes.pop(path)

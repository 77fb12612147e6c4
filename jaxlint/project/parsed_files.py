"""The parsed files of a project that were used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.syntax import ir
    from jaxlint.syntax.parse import SyntaxProblem

# How much parsed source is kept, in bytes: its nodes take some twenty-five times as much, and
# reading it again is cheap.
MOST_SOURCE = 1_000_000


class ParsedFiles:
    """A cache of modules, of what is wrong with files that cannot be parsed, and of None for
    files that cannot be read. The least recently used go first."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[str, ir.Module | SyntaxProblem | None] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._held = 0

    def __contains__(self, path: str) -> bool:
        return path in self._parsed

    def get(self, path: str) -> ir.Module | SyntaxProblem | None:
        """What is kept of a file, which counts as used."""
        self._parsed.move_to_end(path)
        return self._parsed[path]

    def keep(
        self, path: str, module: ir.Module | SyntaxProblem | None, size: int
    ) -> ir.Module | SyntaxProblem | None:
        """Takes in a file whose source has this size in bytes, and gives back what was parsed."""
        self._parsed[path] = module
        self._sizes[path] = size
        self._held += size
        while self._held > MOST_SOURCE and len(self._parsed) > 1:
            oldest, _ = self._parsed.popitem(last=False)
            self._held -= self._sizes.pop(oldest)
        return module

    def forget(self, path: str) -> None:
        """Drops what is kept of a file, if anything is."""
        if path in self._parsed:
            del self._parsed[path]
            self._held -= self._sizes.pop(path)

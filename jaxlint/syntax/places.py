"""Where the nodes of a file are, whether or not its syntax tree is still there.

A tree takes several times the memory of the nodes that it is lowered to, and few files have
anything to show: only the trees used last are held, the others are read once more when a place
in their file is asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from typing import TYPE_CHECKING

from jaxlint.base.text import SourceText, Span
from jaxlint.syntax import ir
from jaxlint.syntax.nesting import deep_recursion, on_large_stack
from jaxlint.syntax.scopes import Origins

if TYPE_CHECKING:
    from jaxlint.syntax.positions import Positions

# How much source may have its trees held, in bytes: they take some seventy times as much.
MOST_HELD = 500_000
# No file has as many nodes: the origins of two files never meet.
_STRIDE = 1 << 32
_files = count()
_held: OrderedDict[Places, int] = OrderedDict()


def module(text: str, path: str) -> ir.Module:
    """The module that a text holds. Raises what `libcst.parse_module` raises."""
    places = Places(SourceText(path, text))
    return ir.Module(places.source, places.read(), places.locate, holds=places.holds)


def release() -> None:
    """Forgets all trees."""
    while _held:
        _held.popitem()[0].release()


class Places:
    """The places of the nodes of one file, each found once."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._first = next(_files) * _STRIDE
        self._count = 0
        self._spans: dict[int, Span] = {}
        self._tree: tuple[Positions, Origins] | None = None

    def read(self) -> tuple[ir.Stmt, ...]:
        """Parses the file and holds its tree for now; its statements."""
        # LibCST is most of the start-up time: who reads no file does without it.
        from libcst import parse_module

        from jaxlint.syntax.lower import lower
        from jaxlint.syntax.positions import Positions

        tree = parse_module(self.source.text)
        origins = Origins(self._first)
        body = lower(tree, origins)
        self._count = len(origins.nodes)
        self._tree = Positions(tree, self.source), origins
        _hold(self, len(self.source.text))
        return body

    def syntax(self) -> tuple[Positions, Origins]:
        """The tree, and what in it the nodes come from."""
        if self._tree is None:
            with deep_recursion():
                on_large_stack(self.read)
        assert self._tree is not None
        return self._tree

    def release(self) -> None:
        """Forgets the tree."""
        self._tree = None

    def holds(self, node: ir.Node | ir.Param) -> bool:
        """Whether a node is one of this file."""
        return 0 < node.origin - self._first <= self._count

    def locate(self, node: ir.Node | ir.Param) -> Span:
        """The place of a node."""
        found = self._spans.get(node.origin)
        if found is None:
            positions, origins = self.syntax()
            found = self._spans[node.origin] = positions.locate(origins[node.origin])
        return found


def _hold(places: Places, size: int) -> None:
    _held.pop(places, None)
    _held[places] = size
    while sum(_held.values()) > MOST_HELD and len(_held) > 1:
        oldest, _ = _held.popitem(last=False)
        oldest.release()

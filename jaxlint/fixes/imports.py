"""What the imports of a module bind, by their looks."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.syntax import ir


def imported_by(node: ir.Node) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the full name of what it is."""
    if isinstance(node, ir.Import):
        for dotted, alias in node.names:
            yield (alias, dotted) if alias is not None else (dotted.partition(".")[0],) * 2
    elif isinstance(node, ir.ImportFrom) and node.names and not node.level:
        for name, alias in node.names:
            yield alias or name, f"{node.module}.{name}"


@answered_once
def for_types(module: ir.Module) -> frozenset[int]:
    """The identities of the nodes that only type checkers read: under `if TYPE_CHECKING:`."""
    return frozenset(
        id(inner)
        for one in walk(module.body, (ir.FunctionDef, ir.ClassDef))
        if isinstance(one, ir.If) and dotted_text(one.test).endswith("TYPE_CHECKING")
        for inner in walk(one.body)
    )

"""Programs with probes on chosen expressions, run as a module of their own."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.protocol import Target


def target(number: int, node: ast.AST, file: str = "forms.py", hazard: Any = "raises") -> Target:
    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return Target(number, file, *place, code="JAX001", hazard=hazard)


def located(source: str) -> list[ast.AST]:
    return [node for node in ast.walk(ast.parse(source)) if hasattr(node, "lineno")]


def flagged(source: str, *texts: str, file: str = "forms.py") -> list[Target]:
    """Targets for the first occurrence of each text."""
    targets = []
    for number, text in enumerate(texts):
        before = source[: source.index(text)].split("\n")
        rows = text.split("\n")
        line, column = len(before), len(before[-1].encode())
        end = len(rows[-1].encode()) + (column if len(rows) == 1 else 0)
        targets.append(
            Target(number, file, line, column, line + len(rows) - 1, end, "JAX001", "raises")
        )
    return targets


def run(code: types.CodeType, **names: Any) -> dict[str, Any]:
    module = types.ModuleType("forms")
    module.__dict__.update(names)
    sys.modules["forms"] = module
    try:
        exec(code, module.__dict__)
    finally:
        del sys.modules["forms"]
    return module.__dict__


def watched(source: str, *texts: str, **names: Any) -> tuple[dict[str, Any], Probes]:
    probes = Probes(flagged(source, *texts))
    namespace = run(probes.compile(source.encode(), "forms.py"), **names)
    assert {} == probes.unplaced
    return namespace, probes

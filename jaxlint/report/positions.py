"""Places of surveys, for programs."""

from __future__ import annotations

from typing import Any

from jaxlint.base.surveys.spot import Spot


def position(spot: Spot) -> dict[str, Any]:
    """A place, for programs."""
    cell = {"cell": spot.cell} if spot.cell else {}
    return {"filename": spot.path, **cell, "line": spot.line, "column": spot.column}

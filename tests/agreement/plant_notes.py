"""Told by the tries that `plant.py` inserts into a project what each of them did.

Imported by the project's own code, in its own environment: it imports JAX and nothing of ours.
"""

from __future__ import annotations

import json
import os
from typing import Any

from jax._src import core

NOTES = "PLANT_NOTES"
"""The variable of the environment that names the file to which lines of JSON are added."""

_told: set[tuple[Any, ...]] = set()


def note(key: str, error: BaseException | None) -> None:
    """Notes that a plant ran, under a trace or not, and the classes of what it raised."""
    is_traced = not core.trace_state_clean()
    raised = () if error is None else tuple(one.__name__ for one in type(error).__mro__)
    seen = (key, is_traced, raised)
    if seen in _told:
        return
    _told.add(seen)
    with open(os.environ[NOTES], "a", encoding="utf-8") as out:
        out.write(json.dumps({"key": key, "traced": is_traced, "raised": raised}) + "\n")

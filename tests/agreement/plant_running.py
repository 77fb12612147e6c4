"""Runs a project's tests with plants in a copy of its checkout, to see which are hazards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from plant_notes import NOTES
from plant_places import Plant, Sources, planted

_HERE = Path(__file__).resolve().parent
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "*.pyc", ".jaxlint_cache")

HELD, WRONG, NOT_RUN = "held", "wrong", "not run"


def labels(
    sources: Sources,
    plants: Iterable[Plant],
    python: str,
    command: Sequence[str],
    seconds: float | None = None,
) -> dict[Plant, str]:
    """What a run of the project's command in a copy says of each plant: that it is a hazard
    wherever it ran under a trace, that it is none, or that it did not run there. All plants are
    tried in one run, each with what it raises caught."""
    wanted = list(plants)
    with tempfile.TemporaryDirectory(prefix="plants-") as folder:
        copy, notes = Path(folder).resolve() / sources.root.name, Path(folder) / "notes"
        shutil.copytree(sources.root, copy, ignore=_LEFT_OUT, symlinks=True)
        by_file: dict[str, list[Plant]] = defaultdict(list)
        for plant in wanted:
            by_file[plant.file].append(plant)
        for file, some in by_file.items():
            text = planted(sources, file, some, note="plant_notes").text
            (copy / file).write_text(text, encoding="utf-8")
        shutil.copy(_HERE / "plant_notes.py", folder)
        environment = _environment(sources.root, copy, folder) | {NOTES: str(notes)}
        _run([python, *command], copy, environment, seconds)
        told = notes.read_text(encoding="utf-8").splitlines() if notes.is_file() else []
    visits: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in map(json.loads, told):
        if row["traced"]:
            visits[row["key"]].append(tuple(row["raised"]))
    return {plant: _label(plant, visits.get(plant.key, [])) for plant in wanted}


def _label(plant: Plant, visits: Sequence[tuple[str, ...]]) -> str:
    if not visits:
        return NOT_RUN
    return HELD if all(map(plant.kind.holds, visits)) else WRONG


def _environment(root: Path, copy: Path, folder: str) -> dict[str, str]:
    """The environment, where Python finds the copy wherever it would find the checkout."""
    before = [one for one in os.environ.get("PYTHONPATH", ".").split(os.pathsep) if one]
    paths = [folder]
    for one in before:
        place = (root / one).resolve()
        is_within = place == root or root in place.parents
        paths.append(str(copy / place.relative_to(root)) if is_within else one)
    given = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    return os.environ | given | {"JAX_PLATFORMS": "cpu"}


def _run(
    command: Sequence[str], where: Path, environment: dict[str, str], seconds: float | None
) -> None:
    """Runs a command. Whether its tests pass does not matter, what they come to does."""
    try:
        subprocess.run(
            command, cwd=where, env=environment, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return

"""Plants hazards into a project where its own tests showed tracers, and sees which are reported.

Usage: python plant.py CHECKOUT OBSERVATIONS [--kinds KIND ...] [--most N] [--seed N]
       [--engine FILE] [--json OUT] [--share PART] [--run PYTHON -- COMMAND ...]

OBSERVATIONS is what `observer.py` wrote, FILE what `holdings.py` wrote of the same checkout. Each
kind is planted at up to N places, spread over the distances from where tracing starts. The
checkout itself is not changed. With `--run`, a part of the plants is tried in a copy of the
checkout by the command that observed it, and what is no hazard there is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from agree import engine_of
from hazards import BY_NAME, KINDS, codes
from observations import Observations, Statements, read
from plant_linting import Linter, Outcome, batches
from plant_places import Plant, Sources, choose
from plant_report import Knowledge, as_json, report
from plant_running import labels

BATCH = 4
"""How many plants of one function are linted together."""


def found(sources: Sources, plants: Sequence[Plant], most: int = BATCH) -> list[Outcome]:
    """What is reported of each plant; so many of one function are linted together."""
    linter = Linter(sources, codes(tuple({plant.kind: None for plant in plants})))
    return [outcome for batch in batches(plants, most) for outcome in linter.lint(batch)]


def sample(plants: Sequence[Plant], share: float, seed: int) -> list[Plant]:
    """A part of the plants, at least one of each kind."""
    chance = random.Random(seed)
    kept: list[Plant] = []
    for name in sorted({plant.kind.name for plant in plants}):
        some = [plant for plant in plants if plant.kind.name == name]
        kept += chance.sample(some, max(1, round(share * len(some))))
    return kept


def _options(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="plant.py", description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("observations", type=Path)
    parser.add_argument("--kinds", nargs="*", choices=sorted(BY_NAME), default=[])
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--run", metavar="PYTHON")
    options = parser.parse_args(arguments[:split])
    command = arguments[split + 1 :]
    if bool(options.run) != bool(command):
        parser.error("--run PYTHON goes together with a command: --run PYTHON -- COMMAND")
    return options, command


def _choose(options: argparse.Namespace, seen: Observations, sources: Sources) -> list[Plant]:
    kinds = [BY_NAME[name] for name in options.kinds] or KINDS
    chosen = (choose(seen, sources, kind, options.most, options.seed) for kind in kinds)
    return [plant for some in chosen for plant in some]


def main(arguments: list[str]) -> int:
    """Plants, lints, and prints what was found."""
    options, command = _options(arguments)
    root = options.checkout.resolve()
    statements, sources = Statements(root), Sources(root)
    seen = read(options.observations, root, statements)
    plants = _choose(options, seen, sources)
    told = options.engine and json.loads(options.engine.read_text(encoding="utf-8"))
    knowledge = Knowledge(told or engine_of(root), seen, statements)
    tried = sample(plants, options.share, options.seed) if options.run else []
    label = labels(sources, tried, options.run, command, options.seconds) if tried else {}
    rows = [knowledge.row(one, label.get(one.plant, "")) for one in found(sources, plants)]
    print("\n".join(report(rows)))
    if options.json:
        options.json.write_text(json.dumps(as_json(rows)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

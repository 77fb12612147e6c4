"""Judging findings with real JAX: the figures of `verify.py`, which has a bound of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import surroundings
from benchmarks.measure import Command
from benchmarks.plan import Plan
from benchmarks.tables import Table

SCRIPT = Path(__file__).with_name("verify.py")


def tables(plan: Plan) -> Iterator[Table]:
    """100 findings in units of importing JAX, with arguments given and with invented ones."""
    table = Table("Verifying 100 findings", (), "x import jax")
    found = subprocess.run([plan.python, "-c", "import jax"], capture_output=True)
    if found.returncode:
        table.add("arguments given", absent=f"{plan.python} has no JAX")
    else:
        _measure(table, plan)
    yield table


def _measure(table: Table, plan: Plan) -> None:
    arguments = ("--json", "--rounds", str(plan.few), "--python", plan.python)
    # JAX is not among the modules that are compiled anew, so it comes as it was installed.
    environment = {**os.environ, "PYTHONPATH": surroundings("")["PYTHONPATH"]}
    command = Command((sys.executable, str(SCRIPT), *arguments), environment)
    measured = json.loads(command.run().output.rstrip().rpartition("\n")[2])
    for name, (figure, allowed) in measured.items():
        table.add(name, figure=figure, allowed=allowed)

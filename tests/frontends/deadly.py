"""A plugin whose rule ends the process that it runs in, for names that ask for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from environments import Environment

ROOT = Path(__file__).parents[2]
# How long a test waits for what must happen, in seconds: long enough for any machine.
PATIENCE = 900.0

# What the rule does about a comparison depends on the name in it.
RULE = '''
"""Ends the process that finds certain names in traced code."""

import os
import signal
import time
from pathlib import Path

from jaxlint.api import Raises, Rule, Severity, facts

MARKS = Path(os.environ["MARKS"])
rule = Rule(
    __name__,
    code="TST101",
    severity=Severity.ERROR,
    witness=Raises("ValueError"),
    since="0.1",
)


@rule.on(facts.Concretized)
def check(fact):
    name = fact.text.partition(" ")[0]
    mark = MARKS / f"{name}.mark"
    if name == "always_deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "deadly_for_the_parent":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1)
    if name == "once_deadly" and not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "endless" or (name == "once_endless" and not mark.exists()):
        mark.write_text(f"{os.getpid()} {os.getppid()}.")
        time.sleep(1_000)
    return ()
'''


def source(name: str) -> str:
    """A module with a finding in line 6, and what the rule does about the name."""
    return f"import jax\n\n\n@jax.jit\ndef f({name}):\n    if {name} > 0:\n        return 1\n"


def installed(directory: Path) -> str:
    """The Python of a new environment, with the plugin installed in it."""
    made = Environment(directory)
    package = made.site / "deadly"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "deadly_name.py").write_text(RULE)
    made.install("deadly", "[jaxlint.rules]\ndeadly = deadly\n")
    return made.python


def environment(marks: Path) -> dict[str, str]:
    """The environment of a process whose rule leaves its marks in a directory."""
    return {**os.environ, "MARKS": str(marks)}


def wait_for(condition: Callable[[], bool]) -> None:
    """Returns once a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_for_mark(marks: Path, name: str) -> tuple[int, int]:
    """The process that came upon a name, and its parent."""
    mark = marks / f"{name}.mark"
    wait_for(lambda: mark.exists() and mark.read_text().endswith("."))
    pid, parent = mark.read_text().rstrip(".").split()
    return int(pid), int(parent)

"""Pages judged by the JAX of another interpreter, in a process of its own.

    python -m jaxlint.testing.elsewhere < jobs > verdicts

That interpreter needs Python 3.11 and JAX, nothing that jaxlint depends on. Jobs and verdicts are
pickled: both sides are this package.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.base.witness import Witness
from jaxlint.testing.pages import Example

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Job:
    """An example to judge, with the hazard that it is the fix of, if any."""

    example: Example
    hazard: Example | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with an example, or why it could not be judged."""

    wrong: tuple[str, ...] = ()
    note: str = ""


def judge_elsewhere(
    python: str, jobs: Sequence[Job], witnesses: Mapping[str, Witness], seconds: float = 900
) -> list[Judgement]:
    """The judgements of another interpreter, in the order of the jobs.

    Raises RuntimeError with what the process said where it ended early, and TimeoutExpired.
    """
    path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [python, "-m", "jaxlint.testing.elsewhere"],
        input=pickle.dumps((list(jobs), dict(witnesses))),
        env=environment,
        capture_output=True,
        timeout=seconds,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-4000:])
    return [Judgement(wrong, note) for wrong, note in pickle.loads(done.stdout)]


def main() -> None:
    # Whatever an example prints must not come between the verdicts.
    output = os.dup(1)
    os.dup2(2, 1)
    jobs, witnesses = pickle.load(sys.stdin.buffer)
    judged = [_judged(job, witnesses) for job in jobs]
    with os.fdopen(output, "wb") as stream:
        # Plain data: the classes of a module that is run are not those of the same one imported.
        pickle.dump([(one.wrong, one.note) for one in judged], stream)


def _judged(job: Job, witnesses: Mapping[str, Witness]) -> Judgement:
    from jaxlint.testing.oracle import judge

    if job.example.no_jax:
        return Judgement(note=f"without JAX: {job.example.no_jax}")
    missing = sorted(_missing(job.example))
    if missing:
        return Judgement(note=f"without {', '.join(missing)}")
    try:
        verdict = judge(job.example, witnesses, job.hazard)
    except Exception as error:
        place = f"{job.example.path}:{job.example.line}"
        return Judgement((f"{place}: cannot be judged: {type(error).__name__}: {error}",))
    return Judgement(verdict.wrong, verdict.note)


def _missing(example: Example) -> set[str]:
    """The packages that an example imports and that are not installed."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(example.program)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return {name for name in names if importlib.util.find_spec(name) is None}


if __name__ == "__main__":
    main()

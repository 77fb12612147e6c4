"""What judging the findings of a project costs, as ratios to what importing JAX costs.

    python benchmarks/verify.py [--python PYTHON] [--rounds N] [--json]

One child judges 100 findings in 20 modules, once with the arguments that the user gives and once
with invented ones. Its CPU time, and that of `import jax` plus the project's own imports, are
those of whole processes, measured in turn by the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from jaxlint.base.text import SourceText
from jaxlint.session.session import Session
from jaxlint.verify import judge, plan
from jaxlint.verify.protocol import Config, Example, Job, Miss, Observation, Target
from jaxlint.verify.run import Verification

MODULES = 20
ALLOWED = 4.0

MODULE = '''\
"""Layer {number}: five findings in four functions."""

import jax
import jax.numpy as jnp
import numpy as np
{link}

SCALE = 2.0


def use(value):
    global SCALE
    SCALE = value


@jax.jit
def clip(grad, limit):
    norm = jnp.sqrt(jnp.sum(grad**2))
    if norm > limit:
        grad = grad * (limit / norm)
    return grad + {number}


@jax.jit
def report(params, loss):
    print("loss", loss)
    return {{name: value * SCALE for name, value in params.items()}}


@jax.jit
def select(rows, count):
    chosen = rows[:count]
    return jnp.tanh(chosen).sum() + {number}


@jax.jit
def decay(state, step):
    def body(carry, row):
        return carry + float(row), row

    return jax.lax.scan(body, step, state)
'''
EXAMPLES = (
    Example("clip", "f32[8], f32[]"),
    Example("report", "{'w': f32[3, 4], 'b': f32[4]}, f32[]"),
    Example("select", "f32[16, 3], i32[]"),
    Example("decay", "f32[5], f32[]"),
)


def write(folder: Path) -> list[Path]:
    """The project: a package whose modules import one another in a row."""
    package = folder / "layers"
    package.mkdir()
    (folder / "pyproject.toml").touch()
    (package / "__init__.py").touch()
    files = []
    for number in range(MODULES):
        link = f"from layers import layer_{number - 1}  # noqa: F401" if number else ""
        files.append(package / f"layer_{number}.py")
        files[-1].write_text(MODULE.format(number=number, link=link))
    return files


def cost(action: list[str], folder: Path) -> float:
    """CPU seconds, user and system, of one Python process and its threads."""
    before = spent()
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(action, cwd=folder, env=environment, check=True)
    return spent() - before


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def targets_in(files: list[Path]) -> list[Target]:
    session = Session()
    sources = {str(file): SourceText(str(file), file.read_text()) for file in files}
    findings = [
        finding
        for path, source in sources.items()
        for finding in session.check_source(source.text, path).findings
    ]
    return plan.targets(findings, session.registry, sources.get)


def verify(jobs: list[Job], config: Config, python: str) -> tuple[float, Counter[str]]:
    """CPU seconds of the child, and how many targets got which verdict."""
    before = spent()
    answers = list(Verification(config, python).execute(jobs))
    seconds = spent() - before
    verdicts = judge.verdicts(
        [target for job in jobs for target in job.targets],
        [each for each in answers if isinstance(each, Observation)],
        [each for each in answers if isinstance(each, Miss)],
    )
    return seconds, Counter(str(verdict.status) for verdict in verdicts.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print ratios and what is allowed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory).resolve()
        files = write(folder)
        targets = targets_in(files)
        given = plan.jobs(targets, (), {str(file): EXAMPLES for file in files})
        roots = plan.roots(map(str, files))
        imports = "import " + ", ".join(f"layers.{file.stem}" for file in files)
        costs: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            alone = cost([options.python, "-c", "import jax"], folder)
            project = cost([options.python, "-c", imports], folder)
            costs.setdefault("import jax", []).append(alone)
            costs.setdefault("the project's own imports", []).append(max(project - alone, 0.0))
            for name, jobs, guess in (
                ("arguments given", given, False),
                ("arguments invented", plan.jobs(targets), True),
            ):
                seconds, verdicts = verify(jobs, Config(roots=roots, guess=guess), options.python)
                costs.setdefault(f"{name}: {dict(verdicts)}", []).append(seconds)
    medians = {name: statistics.median(them) for name, them in costs.items()}
    found = ratios(medians)
    if options.json:
        print(json.dumps(found))
    else:
        report(len(targets), medians, found)


def ratios(costs: dict[str, float]) -> dict[str, tuple[float, float | None]]:
    """For each way of judging, its cost without that of the project's own imports in units of
    `import jax`, and what is allowed of it."""
    unit = costs["import jax"]
    own = costs["the project's own imports"]
    return {
        name: ((seconds - own) / unit, ALLOWED if name.startswith("arguments given") else None)
        for name, seconds in costs.items()
        if name.startswith("arguments")
    }


def report(
    targets: int, costs: dict[str, float], found: dict[str, tuple[float, float | None]]
) -> None:
    """Prints the costs in seconds, and those that have one with their ratio."""
    print(f"{targets} findings in {MODULES} modules, CPU seconds, median")
    for name, seconds in costs.items():
        line = f"  {seconds:6.2f}  {name}"
        if name in found:
            ratio, allowed = found[name]
            line += f"  = {ratio:.1f} x import jax + imports"
            line += "" if allowed is None else f" (allowed {allowed:.0f})"
        print(line)


if __name__ == "__main__":
    main()

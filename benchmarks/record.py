"""What recording costs a test suite, as a ratio of CPU time.

    python benchmarks/record.py [--python PYTHON] [--rounds N] [--lint PATH] [-- COMMAND...]

The command runs plain and recorded, in turns. Both are whole runs, processes that they start
included: that of the linter, and the forked ones that study findings. Without a command, a suite
is made up whose tests trace and run functions of some forty operations; each sixth function has a
finding.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxlint.verify import store

MODULES = 10
TESTS = 60
ALLOWED = 1.1

HEAD = '''\
"""Layers of one model."""

import random
import time

import jax
import jax.numpy as jnp

SCALE = 2.0


def use(value):
    global SCALE
    SCALE = value


def norm(x):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred / jnp.sqrt(jnp.var(x, axis=-1, keepdims=True) + 1e-6)


def attend(q, k, v):
    scores = jnp.einsum("ij,kj->ik", q, k) / jnp.sqrt(q.shape[-1])
    return jax.nn.softmax(jnp.where(scores > -1.0, scores, -1e9), axis=-1) @ v
'''
LAYER = """

def layer_{n}(params, x):
{finding}
    hidden = norm(x) @ params["w"] + params["b"]
    hidden = jax.nn.gelu(hidden) * {n}.5
    hidden = attend(hidden, hidden[::-1], jnp.tanh(hidden))
    hidden = norm(jnp.concatenate([hidden, x], axis=-1)) @ params["u"]
    return jnp.sum(jnp.sin(hidden) * jnp.cos(hidden) + jax.nn.relu(hidden))


apply_{n} = jax.jit(layer_{n})
"""
FINDINGS = (
    "    print(x.sum())",
    "    x = x * SCALE",
    "    x = x + random.random()",
    "    x = x + 0 * time.time()",
    "    x = x - SCALE",
)
TEST = """\
import jax
import jax.numpy as jnp
import pytest

from model import {module}


@pytest.mark.parametrize("size", [{size}])
def test_layer_{n}(size):
    key = jax.random.PRNGKey({n})
    x = jax.random.normal(key, (size, 8))
    params = {{"w": jnp.ones((8, 8)), "b": jnp.zeros(8), "u": jnp.full((16, 8), 0.1)}}
    for scale in range(4):
        assert jnp.isfinite({module}.apply_{n}(params, x * scale))
"""


def write(folder: Path) -> None:
    """A project: a package of modules with six functions each, and a test for each function."""
    (folder / "pyproject.toml").touch()
    package = folder / "model"
    package.mkdir()
    (package / "__init__.py").touch()
    for number in range(MODULES):
        layers = [layer(n) for n in range(number, TESTS, MODULES)]
        (package / f"layers_{number}.py").write_text(HEAD + "".join(layers))
    for n in range(TESTS):
        text = TEST.format(n=n, module=f"layers_{n % MODULES}", size=6 + n % 3)
        (folder / f"test_layer_{n}.py").write_text(text)


def layer(n: int) -> str:
    number, rest = divmod(n, 6)
    finding = FINDINGS[number % len(FINDINGS)] if rest == 0 else '    """Nothing to report."""'
    return LAYER.format(n=n, finding=finding.format(n=n))


def cost(command: list[str], folder: Path) -> float:
    """CPU seconds, user and system, of a command and all its processes."""
    before = spent()
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return spent() - before


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command: list[str], lint: str, folder: Path, rounds: int) -> None:
    """Prints the costs of plain and recorded runs."""
    jaxlint = [sys.executable, "-m", "jaxlint", "record", "--lint", lint, "--", *command]
    cost(command, folder)
    plain, recorded = [], []
    for _ in range(rounds):
        plain.append(cost(command, folder))
        recorded.append(cost(jaxlint, folder))
    linting = cost([sys.executable, "-m", "jaxlint", "check", "--exit-zero", lint], folder)
    ratio = statistics.median(recorded) / statistics.median(plain)
    print("CPU seconds, median of", rounds)
    for name, costs in (("plain", plain), ("recorded", recorded)):
        each = ", ".join(f"{seconds:.2f}" for seconds in costs)
        print(f"  {statistics.median(costs):6.2f}  {name} ({each})")
    print(f"  {linting:6.2f}  of that the linter")
    print(f"  {ratio:6.3f}  ratio (allowed {ALLOWED})")


def observed(folder: Path) -> None:
    """Prints what the last recorded run saw."""
    found = store.read(store.directory(str(folder)))
    groups = [sorted({each.outcome for each in group}) for group in found.seen.values()]
    print(f"{len(groups)} findings observed: {groups}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lint", default=".")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if options.command:
        measure(options.command, options.lint, Path.cwd(), options.rounds)
        return
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory).resolve()
        write(folder)
        suite = [options.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        measure(suite, "model", folder, options.rounds)
        observed(folder)


if __name__ == "__main__":
    main()

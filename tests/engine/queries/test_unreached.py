"""Methods of modules that nothing visible calls: what is found there, real programs run into."""

from __future__ import annotations

import re
import traceback

import pytest

from jaxlint.base.finding import Confidence
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.analyse import analyse
from jaxlint.testing.lint import module_of

LINEN = """\
import jax
import jax.numpy as jnp
import flax.linen as nn

class Block(nn.Module):
    features: int
    deep: bool = False

    @nn.compact
    def __call__(self, x, train: bool, scale=1.0):
        y = nn.Dense(self.features)(x)
        if train:
            y = scale * y
        if self.deep or scale > 2:
            y = nn.relu(y)
        if y.sum() > 0:  # raises: Block(3), (jnp.ones((2, 4)), True)
            return y
        return -y

    @nn.nowrap
    def initial(self, batch: int):
        return jnp.zeros(batch) if batch > 1 else jnp.zeros(1)

class Gate(nn.Module):
    @nn.compact
    def __call__(self, x):
        weight = self.param("weight", nn.initializers.ones, (3,))
        while weight[0] > 2:  # raises: Gate(), (jnp.ones(3),)
            weight = weight / 2
        return weight * x

class Reached(nn.Module):
    def __call__(self, x, rounds=None):
        for _ in range(rounds or 2):
            x = nn.relu(x)
        return x

Reached().apply({}, jnp.ones(3), rounds=3)
"""
EQUINOX = """\
import equinox as eqx
import jax
import jax.numpy as jnp

class Line(eqx.Module):
    slope: jax.Array
    degree: int = eqx.field(static=True, default=1)
    even: bool = False

    def __call__(self, x, *, key=None):
        if self.degree > 1 or self.even:
            x = x**self.degree
        if key is not None:
            x = x + jax.random.normal(key)
        if self.slope > 0:  # raises: Line(jnp.ones(())), (jnp.ones(3),)
            return self.slope * x
        return x

    def _check(self, x):
        assert x > 0
"""
HAIKU = """\
import haiku as hk
import jax
import jax.numpy as jnp

class Shift(hk.Module):
    def __call__(self, x, is_training: bool):
        if is_training:
            x = x + 1
        assert x.min() > 0  # raises: hk.transform(lambda *x: Shift()(*x)), (jnp.ones(3), True)
        return x
"""
_MARK = re.compile(r"# raises: (.*)")
PROGRAMS = {"flax": LINEN, "equinox": EQUINOX, "haiku": HAIKU}
every_program = pytest.mark.parametrize("library", PROGRAMS)


def marked(program: str) -> dict[int, str]:
    lines = program.splitlines()
    return {at: found[1] for at, line in enumerate(lines, 1) if (found := _MARK.search(line))}


@every_program
def test_methods_are_analysed_where_the_user_asks_for_it(library: str) -> None:
    program = PROGRAMS[library]
    found = analyse(module_of(program, "m.py"), Context(framework_methods=True))
    assert list(marked(program)) == sorted(fact.span.line for fact in found)
    assert {fact.confidence for fact in found} == {Confidence.MEDIUM}


@every_program
def test_they_are_left_alone_otherwise(library: str) -> None:
    assert analyse(module_of(PROGRAMS[library], "m.py")) == []


@pytest.mark.jax
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@every_program
def test_real_programs_run_into_what_is_found(library: str) -> None:
    pytest.importorskip(library)
    program = PROGRAMS[library]
    for line, call in marked(program).items():
        space: dict[str, object] = {}
        exec(compile(program, "m.py", "exec"), space)
        assert raised_at(space, call) == line


def raised_at(space: dict[str, object], call: str) -> int:
    """The line on which a compiled call raises; `call` is a module and its arguments, of which
    Python's truth values are static."""
    source = (
        f"model, arguments = {call}\n"
        "static = [n for n, value in enumerate(arguments, 1) if value is True]\n"
        "if hasattr(model, 'init'):\n"
        "    jax.jit(model.init, static_argnums=static)(jax.random.key(0), *arguments)\n"
        "else:\n"
        "    eqx.filter_jit(model)(*arguments)\n"
    )
    with pytest.raises(Exception, match="traced") as caught:
        exec(compile(source, "run.py", "exec"), space)
    frames = traceback.extract_tb(caught.value.__traceback__)
    found = [frame.lineno for frame in frames if frame.filename == "m.py"]
    assert found and found[-1] is not None
    return found[-1]

"""Objects that another library makes: they are of none of the project's classes."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, WALKS, findings

from jaxlint.base.finding import Severity

MADE = """\
import hydra
import jax
import simulator
from lib import settings


def compiled(name):
    kernel = {made}

    @jax.jit
    def run(x):
        return kernel.step(x)

    return run
"""


@pytest.mark.parametrize(
    "made, lines",
    [
        ("simulator.create(name)", ()),
        ("simulator.wrapped(compiled)", (16,)),
        ("hydra.utils.instantiate(name)", (16,)),
        ("settings.create(name)", (16,)),
    ],
    ids=["another library", "of what the project has", "by configuration", "the project"],
)
def test_what_another_library_makes_is_none_of_the_project(
    made: str, lines: tuple[int, ...]
) -> None:
    settings = "def create(name):\n    return globals()[name]()\n"
    found = findings(WALKS, MADE.format(made=made), PARTS, settings=settings)
    assert [(PARTS, line, Severity.WARNING) for line in lines] == found

"""What a setting guards, or what another object holds, is reported, but as no certain error."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint.base.finding import Finding, Severity
from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint

SETTING = """
    import time
    import jax
    from elsewhere import Settings

    settings = Settings()

    @jax.jit
    def step(x):
        if settings.timed:
            started = time.time()
            return x * started
        return x
"""
GIVEN = """
    import jax
    import jax.numpy as jnp
    from elsewhere import Neighbours

    def capacity(positions, most=None):
        if most is None:
            most = int(jnp.sum(positions))
        return positions[:most]

    @jax.jit
    def update(positions, neighbours: Neighbours):
        return capacity(positions, {given})
"""
ANNOTATED = """
    import jax
    import jax.numpy as jnp
    from typing import NamedTuple

    class Neighbours(NamedTuple):
        index: jax.Array

    def find(positions, neighbours=None):
        held = neighbours
        if held is None:
            return Neighbours(jnp.zeros(int(jnp.sum(positions))))
        return held

    @jax.jit
    def update(positions, neighbours: Neighbours):
        return find(positions, neighbours)
"""
KIND = """
    import jax
    import jax.numpy as jnp

    def is_counted(x):
        return x.shape == () and x.dtype == jnp.int32

    @jax.jit
    def step(x):
        total = jnp.sum(x)
        if is_counted(total):
            return x
        return float(total)

    step(jnp.ones(3))
"""
TOLD = """
    import jax

    @jax.jit
    def step(x):
        if isinstance(x, jax.Array) and x.dtype.name in ("float32", "float64"):
            return x
        elif x is None:
            return 0.0
        return float(x)
"""
OF_CLASS = """
    import jax
    from elsewhere import State

    @jax.jit
    def step(x):
        if isinstance(x, State):
            return x.value
        elif isinstance(x, (int, jax.Array)):
            return float(x)
        return x
"""
TRACER = """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(features):
        ids = features.get("ids")
        if {test}:
            return {first}
        return {second}
"""
HIGHEST = "int(jnp.max(jnp.asarray(ids)))"
NO_TRACER = TRACER.format(
    test="ids is not None and not isinstance(ids, jax.core.Tracer)", first=HIGHEST, second=0
)
RETURNED = TRACER.format(test="isinstance(ids, jax.core.Tracer)", first=0, second=HIGHEST)
MADE_WITH = """
    import jax
    from elsewhere import Settings

    class Image:
        def __init__(self, settings: Settings):
            self.settings = settings

        def size(self, x):
            if self.settings.least == self.settings.most:
                return self.settings.most
            return int(x)

    def draw(image: Image):
        return jax.jit(lambda x: image.size(x))
"""
CERTAIN = """
    import jax

    @jax.jit
    def step(x):
        return float(x)

    step(1.0)
"""
OBJECTS = """
    import jax
    import jax.numpy as jnp

    class Solver:
        def __init__(self, step):
            self.step = step

        def run(self, x):
            return self.step(x)

    class Table:
        def __init__(self, rows):
            self.rows = rows

        def put(self, row):
            self.rows[0] = row

        def first(self, x):
            return x if self.rows[0] else -x

    def clipped(x):
        if x > 1:
            return 1.0
        return x

    {constructions}
    print(eager.run(3.0))
    print(jax.jit(compiled.run)(3.0))
"""
UNLIKE = OBJECTS.format(
    constructions="eager, compiled = Solver(clipped), Solver(jnp.sin)\n"
    "    arrays, lists = Table(jnp.ones(3)), Table([1])\n"
    "    lists.put(2)\n"
    "    print(jax.jit(lists.first)(3.0))"
)
ALIKE = OBJECTS.format(constructions="eager, compiled = Solver(clipped), Solver(clipped)")


def findings(program: str) -> list[Finding]:
    """What is found in a program."""
    return lint(textwrap.dedent(program), "program.py", rules_in("jaxlint.rules"))


@pytest.mark.parametrize(
    "program, severities",
    [
        (SETTING, {Severity.WARNING}),
        (GIVEN.format(given="most=neighbours.most"), {Severity.WARNING}),
        (GIVEN.format(given=""), {Severity.ERROR}),
        (ANNOTATED, set()),
        (KIND, {Severity.WARNING}),
        (TOLD, {Severity.WARNING}),
        (OF_CLASS, {Severity.WARNING}),
        (NO_TRACER, {Severity.WARNING}),
        (RETURNED, {Severity.WARNING}),
        (MADE_WITH, {Severity.WARNING}),
        (CERTAIN, {Severity.ERROR}),
    ],
    ids=[
        *("setting", "given", "left out", "annotated", "kind"),
        *("told", "of class", "no tracer", "returned", "made with", "certain"),
    ],
)
def test_what_may_be_switched_off_is_no_error(program: str, severities: set[Severity]) -> None:
    found = findings(program)
    assert severities == {one.severity for one in found if one.code in ("JAX110", "JAX310")}


@pytest.mark.parametrize(
    "program, severities",
    [(UNLIKE, set()), (ALIKE, {Severity.ERROR})],
    ids=["unlike", "alike"],
)
def test_what_another_object_holds_is_not_reported(program: str, severities: set[Severity]) -> None:
    found = findings(program)
    assert severities == {one.severity for one in found}


CHANGED = """
    import jax
    from functools import partial

    class Model:
        def __init__(self):
            self.scale = 2.0

        @partial(jax.jit, static_argnums=0)
        def apply(self, x):
            return x * self.scale

        def rescale(self, scale):
            self.scale = scale

    model = Model()
    model.apply(1.0)
    {later}
"""
ONCE = CHANGED.format(later="")
BETWEEN = CHANGED.format(later="model.rescale(3.0)\n    model.apply(1.0)")


@pytest.mark.parametrize(
    "program, severities",
    [(ONCE, {Severity.WARNING}), (BETWEEN, {Severity.ERROR})],
    ids=["once", "between"],
)
def test_a_change_that_no_later_call_is_seen_after_is_no_error(
    program: str, severities: set[Severity]
) -> None:
    found = findings(program)
    assert severities == {one.severity for one in found if one.code == "JAX207"}


PREPARED = """
    import jax

    class Operator:
        def __init__(self, apply, adjoint=None):
            self.apply = apply
            self._adjoint = adjoint

        def adjoint(self, y):
            if self._adjoint is None:
                self._adjoint = jax.linear_transpose(self.apply, y)
            return self._adjoint(y)

        def compiled(self):
            {before}
            return jax.jit(lambda y: self.adjoint(y))
"""
AT_TIMES = PREPARED.format(before="print(self)")


@pytest.mark.parametrize(
    "program, severities",
    [(AT_TIMES, {Severity.WARNING}), (CERTAIN, set())],
    ids=["at times", "elsewhere"],
)
def test_what_is_done_where_an_attribute_is_none_at_times_is_no_error(
    program: str, severities: set[Severity]
) -> None:
    found = findings(program)
    assert severities == {one.severity for one in found if one.code in ("JAX107", "JAX202")}


REBOUND = """
    import jax
    import jax.numpy as jnp

    def fit(times, sizes, rates):
        @jax.jit
        def step(part, weight):
            return weight - rate * part.sum()

        weight = jnp.zeros(())
        for rate, size in zip(rates, sizes):
            part = times[:{length}]
            for _ in range(3):
                weight = step(part, weight)
        return float(weight)

    fit(jnp.ones(8), (0.25, 1.0), (0.1, 0.2))
"""


@pytest.mark.parametrize(
    "length, severities",
    [
        ("int(times.size * size)", {Severity.WARNING}),
        ("times.size - 1", {Severity.ERROR}),
    ],
)
def test_a_change_that_comes_with_another_length_is_no_error(
    length: str, severities: set[Severity]
) -> None:
    found = findings(REBOUND.format(length=length))
    assert severities == {one.severity for one in found if one.code == "JAX209"}


PARALLEL = """
    import jax
    import numpy as np

    def total(x):
        return jax.lax.psum(x, "i")

    def noise(x, split):
        is_parallel = True if np.prod(np.array(split)) > 1 else False
        if is_parallel:
            x = {used}(x)
        else:
            x = x + np.random.uniform(size=x.shape)
        return x

    def initialise(split):
        return jax.pmap(lambda x: noise(x, split), axis_name="i")
"""


@pytest.mark.parametrize(
    "used, severities", [("total", {Severity.WARNING}), ("abs", {Severity.ERROR})]
)
def test_what_code_does_that_runs_on_one_device_is_no_error_where_it_is_mapped(
    used: str, severities: set[Severity]
) -> None:
    found = findings(PARALLEL.format(used=used))
    assert severities == {one.severity for one in found if one.code == "JAX111"}

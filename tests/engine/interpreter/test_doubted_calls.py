"""What calls in sight lead to is certain, and what none of them leads to is not."""

from __future__ import annotations

import pytest
from test_doubted_branches import findings

from jaxlint.base.finding import Severity

SWITCHED = """
    import jax
    from elsewhere import Settings

    settings = Settings()

    def noisy(params, key):
        first = params + jax.random.normal(key, (3,))
        {test}return first + jax.random.normal(key, (3,))
        return first

    @jax.jit
    def update(params, key):
        if settings.noise:
            return noisy(params, key)
        return params

    update(1.0, jax.random.key(0))
"""


@pytest.mark.parametrize(
    "test, severities",
    [("", {Severity.ERROR}), ("if settings.twice: ", {Severity.WARNING})],
    ids=["always", "switched as well"],
)
def test_a_key_that_a_function_uses_twice_is_an_error_wherever_it_is_called(
    test: str, severities: set[Severity]
) -> None:
    found = findings(SWITCHED.format(test=test))
    assert severities == {one.severity for one in found if one.code == "JAX801"}


CHECKED = """
    import jax
    from functools import partial

    @partial(jax.jit, static_argnames="check")
    def step(x, check):
        if check:
            float(x)
        return x

    {call}
"""


@pytest.mark.parametrize(
    "call, severities",
    [
        ("step(1.0, check=False)", {Severity.WARNING}),
        ("step(1.0, check=True)", {Severity.ERROR}),
        ("print(step)", {Severity.ERROR}),
    ],
    ids=["not checked", "checked", "not called"],
)
def test_what_no_call_in_sight_leads_to_is_no_error(call: str, severities: set[Severity]) -> None:
    found = findings(CHECKED.format(call=call))
    assert severities == {one.severity for one in found if one.code == "JAX310"}


OPTIONAL = """
    import jax
    import numpy as np

    class Rollout:
        def __init__(self, task):
            self.task = task
            self.run = self.roll
            {test}self.run = jax.jit({wrapped})

        def roll(self, x):
            return np.square(x)
"""


@pytest.mark.parametrize(
    "test, wrapped, severity",
    [
        ("", "self.run", Severity.ERROR),
        ("if jax.local_device_count() > 1: ", "self.run", Severity.WARNING),
        ("if jax.local_device_count() > 1: ", "self.roll", Severity.ERROR),
    ],
    ids=["always", "what is called as it is otherwise", "a function of its own"],
)
def test_a_function_that_may_be_called_as_it_is_need_not_be_compiled(
    test: str, wrapped: str, severity: Severity
) -> None:
    found = findings(OPTIONAL.format(test=test, wrapped=wrapped))
    assert [severity] == [one.severity for one in found if one.code == "JAX314"]

"""What is left out of one place goes by what stands there, and by nothing that ran elsewhere."""

from __future__ import annotations

from itertools import permutations

import pytest

from jaxlint.engine.interpreter import loops
from jaxlint.engine.machine import activation
from jaxlint.engine.summaries.charges import Charge
from jaxlint.session.session import Session

HEAD = """\
import elsewhere

import jax
import jax.numpy as jnp


def inner(x, name):
    for _ in elsewhere.parts(name):
        x = x + 1
    return x


def helper(x, name):
    return inner(x, name + "!") * 2


"""


def code(name: str, calls: int) -> str:
    """A compiled function that calls the helper so often, each time with another argument."""
    lines = "".join(f"    x = helper(x, {str(at)!r})  # {name} {at}\n" for at in range(calls))
    end = f"    if x > 0:  # {name}\n        return x\n    return -x\n\n\n"
    return f"@jax.jit\ndef {name}(x):\n{lines}{end}"


FEW, MANY, OTHERS = code("few", 2), code("many", 6), code("others", 6)


def told(program: str) -> set[tuple[str, str]]:
    """What is found, by the text of the line."""
    lines = program.splitlines()
    found = Session().check_source(program, "m.py").findings
    return {(one.code, lines[one.line - 1].strip()) for one in found}


@pytest.mark.parametrize(
    "room, limit", [(activation, "MOST_RUNS"), (loops, "MOST_ENTERED")], ids=["functions", "loops"]
)
def test_what_is_left_out_of_a_function_does_not_depend_on_others(
    room: object, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, limit, 4)
    alone = [told(HEAD + one) for one in (FEW, MANY, OTHERS)]
    found = {one for each in alone for one in each if one[0] != "JAX007"}
    for functions in permutations((FEW, MANY, OTHERS)):
        together = told(HEAD + "".join(functions))
        # What is left out is said once for a file.
        assert found == {one for one in together if one[0] != "JAX007"}
        assert "JAX007" in dict(together)

    assert {("JAX301", "if x > 0:  # few")} == alone[0]
    assert ("JAX007", "def many(x):") in alone[1]


def test_all_is_followed_within_the_limits() -> None:
    found = told(HEAD + FEW + MANY + OTHERS)

    assert {("JAX301", f"if x > 0:  # {name}") for name in ("few", "many", "others")} == found


def test_a_run_that_several_calls_led_to_is_charged_once() -> None:
    shared, first, second, outer = (Charge(at, 9) for at in range(4))
    first.inner = second.inner = [shared]
    outer.inner = [first, second, first]

    assert [outer, first, second, shared] == [*outer.reached((), 9)]
    assert [outer, second] == [*outer.reached({first, shared}, 9)]
    assert [] == [*outer.reached({outer}, 9)]


def test_no_run_is_charged_that_could_not_be_followed_so_deep() -> None:
    first, second, third = (Charge(at, 9) for at in range(3))
    first.inner, second.inner = [second], [third]

    assert [first, second] == [*first.reached((), 2)]
    assert [] == [*first.reached((), 0)]

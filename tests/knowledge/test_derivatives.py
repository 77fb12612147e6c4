"""The modes in which functions of JAX differentiate, asked of the installed JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from jaxlint.knowledge.derivatives import DERIVATIVES, FORWARD_ENDS, FORWARD_THROUGH, REVERSE

jax = pytest.importorskip("jax")

pytestmark = pytest.mark.jax

ONE = (1.0,)
# What has no rule for forward mode.
REVERSE_ALONE = jax.custom_vjp(lambda x: 2.0 * x)
REVERSE_ALONE.defvjp(lambda x: (2.0 * x, None), lambda saved, g: (2.0 * g,))
# What has no reverse mode.
FORWARD_ALONE: Callable[[Any], Any] = lambda x: jax.lax.while_loop(  # noqa: E731
    lambda carry: carry[0] < 3, lambda carry: (carry[0] + 1, 2.0 * carry[1]), (0, x)
)[1]
CALLS: dict[str, Callable[[Any], Any]] = {
    "jvp": lambda f: jax.jvp(f, ONE, ONE),
    "jacfwd": lambda f: jax.jacfwd(f)(1.0),
}


@pytest.mark.parametrize("end", FORWARD_ENDS)
def test_forward_mode_needs_a_rule(end: str) -> None:
    with pytest.raises(TypeError, match="forward-mode"):
        CALLS[end](REVERSE_ALONE)


def test_what_is_linearized_may_be_transposed() -> None:
    _, pushforward = jax.linearize(REVERSE_ALONE, 1.0)
    assert jax.linear_transpose(pushforward, 1.0)(1.0) == (2.0,)
    with pytest.raises(TypeError, match="forward-mode"):
        pushforward(1.0)


@pytest.mark.parametrize("dotted", sorted(DERIVATIVES))
def test_reverse_mode_does_not_go_through_a_while_loop(dotted: str) -> None:
    transform = reduce(getattr, dotted.split(".")[1:], jax)
    if dotted in REVERSE:
        with pytest.raises(ValueError, match="Reverse-mode"):
            transform(FORWARD_ALONE)(1.0)
    else:
        assert transform(FORWARD_ALONE)(1.0) == 8.0


@pytest.mark.parametrize("dotted", sorted(DERIVATIVES))
def test_forward_mode_takes_no_complex_argument(dotted: str) -> None:
    transform = reduce(getattr, dotted.split(".")[1:], jax)
    with pytest.raises(TypeError) as raised:
        transform(lambda x: x**2)(1.0j)
    assert ("real" in str(raised.value)) or dotted not in FORWARD_THROUGH

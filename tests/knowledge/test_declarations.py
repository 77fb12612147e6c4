"""What transforms check when they are applied is what the installed JAX checks."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import pytest

from jaxlint.knowledge.declarations import (
    BY_NAME_ALONE,
    DEMANDING,
    DEPRECATED_OPTIONS,
    OPTIONS,
    POSTPONED,
    SAME_SIGNATURE,
)

TRANSFORMS: dict[str, Any] = {f"jax.{name}": one for name, one in vars(jax).items()}
try:
    from flax import nnx
except ImportError:
    pass
else:
    TRANSFORMS["flax.nnx.jit"] = nnx.jit


def pair(left: Any, right: Any) -> Any:
    return left, right


def endless(value: Any) -> Iterator[Any]:
    yield value


def at_least(version: str) -> bool:
    numbers = [tuple(map(int, re.findall(r"\d+", one)[:3])) for one in (jax.__version__, version)]
    return numbers[0] >= numbers[1]


@pytest.mark.parametrize("name", sorted(DEMANDING))
@pytest.mark.parametrize(
    "operand",
    [1.0, staticmethod(pair), classmethod(pair), property(pair), endless, [pair]],
    ids=["number", "staticmethod", "classmethod", "property", "generator", "list"],
)
def test_what_is_no_function_is_refused(name: str, operand: Any) -> None:
    with pytest.raises(TypeError):
        TRANSFORMS[name](operand)


@pytest.mark.parametrize("name", sorted(SAME_SIGNATURE))
def test_the_signature_is_that_of_the_function(name: str) -> None:
    assert list(inspect.signature(TRANSFORMS[name](pair)).parameters) == ["left", "right"]


@pytest.mark.parametrize("name", sorted(OPTIONS.keys() & TRANSFORMS.keys()))
def test_options_are_checked_at_once(name: str) -> None:
    options, transform = OPTIONS[name], TRANSFORMS[name]
    for option in options.numbers():
        with pytest.raises(TypeError):
            transform(pair, **{option: "left"})
        if options.signature:
            with pytest.raises(ValueError, match="only accepts 2"):
                transform(pair, **{option: 2})
    for option in options.names():
        with pytest.raises(TypeError):
            transform(pair, **{option: 1})
        with pytest.raises(ValueError, match="invalid argnames"):
            transform(pair, **{option: "centre"})
    both = {options.static_numbers: 0, options.donated_numbers: 0}
    with pytest.raises(ValueError, match="cannot intersect"):
        transform(pair, **both)


@pytest.mark.parametrize("option", sorted(DEPRECATED_OPTIONS["jax.jit"]))
def test_options_that_go_warn_or_are_gone(option: str) -> None:
    given = {"backend": "cpu", "device": jax.devices()[0], "abstracted_axes": ({0: "n"}, None)}
    jit: Any = jax.jit
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        with pytest.raises((DeprecationWarning, TypeError, ValueError)):
            jit(pair, **{option: given[option]})


def test_the_releases_in_which_the_form_of_the_call_changed() -> None:
    jit: Any = jax.jit
    if at_least(BY_NAME_ALONE):
        with pytest.raises(TypeError):
            jit(fun=pair)
        with pytest.raises(TypeError):
            jit(pair, None)
    if at_least(POSTPONED):
        assert jit(static_argnums=1)(pair)
    else:
        with pytest.raises(TypeError):
            jit(static_argnums=1)

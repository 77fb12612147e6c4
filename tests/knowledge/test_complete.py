"""The short lists of knowledge that are written by hand name all that JAX shows, and no more."""

from __future__ import annotations

import builtins
import cmath
import importlib
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays import attributes
from jaxlint.knowledge.transforms import HOST_TYPES, TRACER_TYPES

jax = pytest.importorskip("jax")
jnp = importlib.import_module("jax.numpy")
np = importlib.import_module("numpy")

pytestmark = pytest.mark.jax

ONES = np.ones((2, 2), np.float32)
NEEDS_VALUE = {
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
}
OPERANDS = (np.int32(1), np.float32(0.5), np.array([1, 0], np.int32))


def raised(call: Callable[[Any], Any], operand: Any) -> str:
    """The name of what a call raises on a tracer, "" when it works."""
    seen = [""]

    def body(tracer: Any) -> None:
        try:
            call(tracer)
        except Exception as error:
            seen[0] = type(error).__name__

    jax.make_jaxpr(body)(operand)
    return seen[0]


def needing(module: ModuleType, names: list[str]) -> set[str]:
    """The functions of a module that say of a traced number that they need its value."""
    return {
        f"{module.__name__}.{name}"
        for name in names
        if any(raised(getattr(module, name), operand) in NEEDS_VALUE for operand in OPERANDS[:2])
    }


# Functions that need a value too, each handled by itself or more than a conversion.
ELSEWHERE = {"builtins.range", "builtins.memoryview", "builtins.bytes", "builtins.bytearray"}


def test_all_builtins_that_convert_a_number_are_listed() -> None:
    names = [
        name for name in dir(builtins)
        if callable(getattr(builtins, name)) and name.islower() and name[0] != "_" and name not in
        ("breakpoint", "copyright", "credits", "exit", "help", "input", "license", "print", "quit")
    ]  # fmt: skip
    functions = [name for name in dir(operator) if not name.startswith("_")]
    found = needing(builtins, names) | needing(operator, functions)
    assert found - ELSEWHERE == set(lookup.PY_CASTS)


@pytest.mark.parametrize("module", [cmath, math])
def test_all_mathematics_that_convert_a_number_are_listed(module: ModuleType) -> None:
    names = [name for name in dir(module) if callable(getattr(module, name)) and name[0] != "_"]
    missing = [dotted for dotted in needing(module, names) if not lookup.math_function(dotted)]
    assert missing == []


def test_all_methods_that_need_the_value_are_listed() -> None:
    found = {}
    for name in dir(jax.Array):
        method = getattr(jax.Array, name)
        if callable(method) and name not in ("__class__", "__init_subclass__", "__reduce__"):
            for operand in OPERANDS:
                error = raised(lambda value, name=name: getattr(value, name)(), operand)
                if error in NEEDS_VALUE and name not in found:
                    found[name] = error
    listed = lookup.CONCRETISING_METHODS | lookup.HOST_METHODS
    data_dependent = {name for name in found if (s := lookup.method(name)) and s.data}
    assert sorted(set(found) - set(listed) - data_dependent) == []


def test_all_attributes_of_a_tracer_are_listed() -> None:
    static, traced = set(), set()

    def body(tracer: Any) -> None:
        for name in dir(jax.Array):
            if name.startswith("_") or raised(lambda value, name=name: getattr(value, name), ONES):
                continue
            value = getattr(tracer, name)
            if isinstance(value, jax.Array):
                traced.add(name)
            elif not callable(value) and name != "at":
                static.add(name)

    jax.make_jaxpr(body)(ONES)
    assert traced == set(lookup.ARRAY_ATTRIBUTES)
    assert static - set(lookup.STATIC_ATTRIBUTES) == set()


def kind_of(value: Any) -> str:
    """The kind of a dtype or an abstract type of numbers."""
    kinds = {
        "bool": jnp.bool_, "int": jnp.integer, "float": jnp.floating,
        "complex": jnp.complexfloating,
    }  # fmt: skip
    return next((kind for kind, of in kinds.items() if jnp.issubdtype(value, of)), "")


def test_every_dtype_has_its_kind_and_every_name_is_a_dtype() -> None:
    found = {}
    for home in ("jax.numpy", "numpy"):
        module = importlib.import_module(home)
        for name in dir(module):
            value = getattr(module, name)
            scalar = isinstance(value, type(jnp.float32)) or (
                isinstance(value, type) and issubclass(value, np.generic)
            )
            timed = name in ("datetime64", "timedelta64")
            if scalar and not timed and not name.startswith("_") and (kind := kind_of(value)):
                found[f"{home}.{name}"] = kind
    assert {dotted: lookup.dtype_kind(dotted) for dotted in found} == found
    short = {dotted.rpartition(".")[2] for dotted in found}
    elsewhere = {"int_", "float_", "complex_", "float128", "complex256", "longdouble"}
    older = {"float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "int1", "uint1"}
    assert set(attributes._KIND_OF) - short - elsewhere - older == set()


# Names that later versions of NumPy and JAX do not have.
OLDER_CONSTANTS = {"Inf", "Infinity", "NAN", "NaN", "NINF", "PINF", "little_endian"}


@pytest.mark.parametrize("dotted", attributes._CONSTANT_KINDS)
def test_every_constant_has_the_type_that_is_listed(dotted: str) -> None:
    home, _, name = dotted.rpartition(".")
    module = importlib.import_module(home)
    if name in OLDER_CONSTANTS and not hasattr(module, name):
        pytest.skip("not in the installed version")
    value, kind = getattr(module, name), attributes._CONSTANT_KINDS[dotted]
    assert not callable(value)
    assert type(value).__name__ == kind or not kind


def resolve(dotted: str) -> Any:
    home, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(home), name)


def answers(names: frozenset[str]) -> dict[str, bool]:
    """Whether a tracer is an instance of each type that is installed."""
    found = {}

    def body(tracer: Any) -> None:
        for dotted in names:
            if dotted.startswith(("chex.", "flax.")) or dotted.endswith("ArrayLike"):
                continue
            kind = resolve(dotted)
            found[dotted] = isinstance(tracer, getattr(kind, "__origin__", None) or kind)

    jax.make_jaxpr(body)(np.ones(2, np.float32))
    return found


def test_a_tracer_is_an_instance_of_the_array_types() -> None:
    assert set(answers(TRACER_TYPES).values()) == {True}


def test_a_tracer_is_no_instance_of_the_host_types() -> None:
    assert set(answers(HOST_TYPES).values()) == {False}

"""What jaxlint knows of chex is what the installed chex does."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.knowledge.ecosystems.chex import (
    CHEXIFY,
    COMPARING_ASSERTIONS,
    COMPILED_VARIANT,
    CONCRETE_ASSERTIONS,
    JIT_OPTIONS,
    PLAIN_VARIANTS,
    VALUE_ASSERTIONS,
    VARIANTS,
    model,
)

chex = pytest.importorskip("chex")
jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

NEEDING = VALUE_ASSERTIONS | CONCRETE_ASSERTIONS | COMPARING_ASSERTIONS
# How an assertion is called on a tracer with the value 1.0.
CALLS: dict[str, Callable[[Any], object]] = {
    "assert_equal": lambda v: chex.assert_equal(v, 1.0),
    "assert_is_divisible": lambda v: chex.assert_is_divisible(v, 1),
    "assert_numerical_grads": lambda v: chex.assert_numerical_grads(jnp.sum, (v,), 1),
    "assert_scalar_in": lambda v: chex.assert_scalar_in(v, 0, 2),
    "assert_scalar_negative": lambda v: chex.assert_scalar_negative(-v),
    "assert_tree_is_on_device": lambda v: chex.assert_tree_is_on_device(v, platform="cpu"),
    "assert_tree_is_sharded": lambda v: chex.assert_tree_is_sharded(v, devices=jax.devices()),
    "assert_trees_all_close": lambda v: chex.assert_trees_all_close({"a": v}, {"a": v}),
    "assert_trees_all_close_ulp": lambda v: chex.assert_trees_all_close_ulp(v, v),
    "assert_trees_all_equal": lambda v: chex.assert_trees_all_equal(v, v),
}
# Assertions about what every tracer knows.
HARMLESS: dict[str, Callable[[Any], object]] = {
    "assert_axis_dimension": lambda v: chex.assert_axis_dimension(v[None], 0, 1),
    "assert_equal": lambda v: chex.assert_equal(v.shape, ()),
    "assert_equal_rank": lambda v: chex.assert_equal_rank([v, v]),
    "assert_equal_shape": lambda v: chex.assert_equal_shape([v, v]),
    "assert_exactly_one_is_none": lambda v: chex.assert_exactly_one_is_none(v, None),
    "assert_not_both_none": lambda v: chex.assert_not_both_none(v, None),
    "assert_rank": lambda v: chex.assert_rank(v, 0),
    "assert_scalar": lambda v: chex.assert_scalar(1.0),
    "assert_shape": lambda v: chex.assert_shape(v, ()),
    "assert_size": lambda v: chex.assert_size(v, 1),
    "assert_tree_has_only_ndarrays": lambda v: chex.assert_tree_has_only_ndarrays({"a": v}),
    "assert_tree_no_nones": lambda v: chex.assert_tree_no_nones([v]),
    "assert_tree_shape_prefix": lambda v: chex.assert_tree_shape_prefix(v, ()),
    "assert_trees_all_equal_dtypes": lambda v: chex.assert_trees_all_equal_dtypes(v, v),
    "assert_trees_all_equal_shapes": lambda v: chex.assert_trees_all_equal_shapes(v, v),
    "assert_trees_all_equal_sizes": lambda v: chex.assert_trees_all_equal_sizes(v, v),
    "assert_trees_all_equal_structs": lambda v: chex.assert_trees_all_equal_structs(v, v),
    "assert_type": lambda v: chex.assert_type(v, float),
}


def on_tracer(call: Callable[[Any], object], *, checked: bool = False) -> None:
    def run(value: Any) -> Any:
        call(value)
        return value

    compiled = jax.jit(run)
    if checked:
        compiled = chex.chexify(compiled, async_check=False)
    compiled(1.0)


def the_call(dotted: str) -> Callable[[Any], object]:
    name = dotted.rpartition(".")[2]
    return CALLS.get(name) or getattr(chex, name)


@pytest.mark.parametrize(
    "dotted", sorted({*NEEDING, *CHEXIFY, *model.annotations, *model.pytree_decorators})
)
def test_every_name_is_there(dotted: str) -> None:
    home, _, name = dotted.rpartition(".")
    assert hasattr(importlib.import_module(home), name)


@pytest.mark.parametrize("dotted", sorted(NEEDING))
def test_these_fail_on_tracers(dotted: str) -> None:
    with pytest.raises((AssertionError, AttributeError, RuntimeError, TypeError, ValueError)):
        on_tracer(the_call(dotted))


@pytest.mark.parametrize("dotted", sorted(VALUE_ASSERTIONS))
def test_chexify_lets_value_assertions_run(dotted: str) -> None:
    on_tracer(the_call(dotted), checked=True)


@pytest.mark.parametrize("dotted", sorted(CONCRETE_ASSERTIONS | COMPARING_ASSERTIONS))
def test_chexify_does_not_help_the_others(dotted: str) -> None:
    with pytest.raises((AssertionError, AttributeError, NotImplementedError, TypeError)):
        on_tracer(the_call(dotted), checked=True)


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_these_run_on_tracers(name: str) -> None:
    on_tracer(HARMLESS[name])


def test_values_that_are_no_tracers_may_be_asserted() -> None:
    table = jnp.ones(3)
    on_tracer(lambda _: chex.assert_tree_all_finite(table))
    on_tracer(lambda _: chex.assert_scalar_positive(1.0))


def test_a_dataclass_is_a_mapping_unless_it_says_no() -> None:
    @chex.dataclass
    class Mapped:
        a: int

    @chex.dataclass(mappable_dataclass=False)
    class Plain:
        a: int

    assert ["a"] == list(Mapped(a=1))
    assert (1,) == Mapped(a=1).to_tuple()
    assert 1 == Mapped(a=1)["a"]
    assert [1] == jax.tree.leaves(Plain(a=1))
    with pytest.raises(TypeError):
        list(Plain(a=1))


@pytest.mark.parametrize("dotted", sorted(model.aliases))
def test_aliases_name_the_same_object(dotted: str) -> None:
    def found(name: str) -> object:
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute)

    assert found(model.aliases[dotted]) is found(dotted)


@pytest.mark.parametrize("dotted", sorted(VARIANTS))
def test_the_variants_of_a_decorator_are_those_of_chex(dotted: str) -> None:
    takes = inspect.signature(getattr(chex, dotted.partition(".")[2])).parameters

    assert takes[COMPILED_VARIANT].default is VARIANTS[dotted]
    assert takes.keys() >= PLAIN_VARIANTS


def test_the_options_of_a_compiled_variant_are_those_of_chex() -> None:
    from chex._src import variants

    takes = inspect.signature(variants._with_jit).parameters

    assert {name for name, one in takes.items() if one.default is None} == JIT_OPTIONS

"""What is known of functions that take functions, of keys, releases, and array methods."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import (
    HOST_CALLBACKS,
    OPAQUE_WRAPPERS,
    OPERATORS,
    WRAPPERS,
    Wrapper,
)

SEEN = {
    "jit": {"staged"},
    "remat": {"staged"},
    "shard": {"staged"},
    "vmap": {"traced"},
    "ad": {"traced"},
    "custom": {"plain", "staged"},
    "plain": {"plain"},
}
# Wrappers of which no probe exists: they need a jitted function, or another machine.
NOT_PROBED = {"jax.export.export", "jax.experimental.pallas.pallas_call"}
# Transforms that the engine does not know, so what they return is unknown to it.
UNKNOWN_TRANSFORMS = {
    "jax.custom_derivatives.custom_gradient",
    "jax.custom_batching.sequential_vmap",
    "jax.experimental.pjit.pjit",
    "jax.experimental.shard_map.shard_map",
    "jax.lax.composite",
    "jax.numpy.frompyfunc",
    "jax.sharding.auto_axes",
    "jax.sharding.explicit_axes",
    "jax.smap",
}


def of_jax(names: Any) -> list[str]:
    return sorted(name for name in names if name.startswith("jax."))


@pytest.mark.parametrize("dotted", [n for n in of_jax(WRAPPERS) if n not in NOT_PROBED])
def test_a_wrapper_is_what_was_observed(dotted: str) -> None:
    wrapper: Wrapper = WRAPPERS[dotted]
    found = lookup.higher_order(dotted)
    assert found is not None
    assert (found.gives, found.params[0]) == ("function", wrapper.function)
    assert found.sees[wrapper.function] in SEEN[wrapper.kind]
    if wrapper.kind in ("jit", "remat"):
        assert [name for name in wrapper.statics if name and name not in found.params] == []


@pytest.mark.parametrize("dotted", of_jax(OPERATORS))
def test_the_functions_among_the_arguments_are_where_they_were_observed(dotted: str) -> None:
    found = lookup.higher_order(dotted)
    assert found is not None
    spots = {(name, found.params.index(name)) for name in found.sees}
    assert set(OPERATORS[dotted].functions) == spots


@pytest.mark.parametrize(
    "dotted", [n for n in of_jax(HOST_CALLBACKS) if lookup.available(n, "0.10.2")]
)
def test_host_callbacks_run_on_the_host(dotted: str) -> None:
    found = lookup.higher_order(dotted)
    if found is not None:
        assert list(found.sees.values()) == ["host"]
    else:
        assert dotted in {
            "jax.experimental.pure_callback",
            "jax.experimental.host_callback.call",
            "jax.experimental.host_callback.id_tap",
        }


def test_every_observed_transform_is_known_to_the_engine_or_listed() -> None:
    table = importlib.import_module("jaxlint.knowledge.tables.higher_order").TABLE
    transforms = {dotted for dotted, row in table.items() if row[0] == "function"}
    known = {*WRAPPERS, *OPAQUE_WRAPPERS}
    known |= {dotted for dotted in transforms if lookup.canonical(dotted) in known}
    assert transforms - known == UNKNOWN_TRANSFORMS - known


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("jax.random.normal", ("key",)),
        ("jax.random.split", ("key",)),
        ("jax.random.fold_in", ()),
        ("jax.random.clone", ()),
        ("jax.random.key_data", ()),
        ("jax.random.choice", ("key",)),
        ("jax.nn.initializers.zeros", ()),
        ("jax.experimental.rnn.init_lstm_weight", ("rng",)),
        ("jax.numpy.sum", ()),
    ],
)
def test_the_parameters_that_use_up_a_key_are_known(dotted: str, expected: tuple[str, ...]) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert spec.keys == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [("jax.nn.initializers.he_normal", "consumer"), ("jax.nn.initializers.constant", "")],
)
def test_initializers_that_draw_are_told_from_those_that_do_not(dotted: str, expected: str) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert spec.makes == expected


@pytest.mark.parametrize(
    ("dotted", "since", "deprecated", "removed"),
    [
        ("jax.tree_map", "", "0.4.30", "0.6.0"),
        ("jax.numpy.round_", "", "0.4.32", "0.4.38"),
        ("jax.numpy.matvec", "0.4.38", "", ""),
        ("jax.enable_x64", "0.8.0", "", ""),
        ("jax.experimental.enable_x64", "", "0.8.0", "0.9.0"),
        ("jax.experimental.pjit.pjit", "", "0.8.0", ""),
        ("jax.numpy.sum", "", "", ""),
    ],
)
def test_releases_are_known(dotted: str, since: str, deprecated: str, removed: str) -> None:
    assert lookup.release(dotted) == lookup.Release(since, deprecated, removed)


@pytest.mark.parametrize(
    ("dotted", "version", "expected"),
    [
        ("jax.numpy.matvec", "0.4.37", False),
        ("jax.numpy.matvec", "0.4.38", True),
        ("jax.tree_map", "0.5.3", True),
        ("jax.tree_map", "0.10.2", False),
        ("jax.experimental.pjit.pjit", "0.12.0.1", True),
    ],
)
def test_a_name_is_available_from_its_coming_to_its_going(
    dotted: str, version: str, expected: bool
) -> None:
    assert lookup.available(dotted, version) is expected


def test_the_parts_of_a_mixed_tuple_are_known() -> None:
    spec = lookup.function("jax.scipy.linalg.cho_factor")
    assert spec is not None
    assert (spec.result, spec.parts) == ("object", ("array", "static"))


CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes)
# Array methods that numbers, keys or the classes of users often have too.
OFTEN_DEFINED = {
    "byteswap", "choose", "compress", "conj", "conjugate", "copy", "searchsorted", "sort", "take",
    "view",
}  # fmt: skip


def test_methods_that_mark_an_array_are_those_that_no_container_has() -> None:
    methods = set(importlib.import_module("jaxlint.knowledge.tables.methods").TABLE)
    shared = {name for name in methods if any(hasattr(kind, name) for kind in CONTAINERS)}
    assert methods - shared - OFTEN_DEFINED == lookup.ARRAYS_ONLY
    assert OFTEN_DEFINED - shared == OFTEN_DEFINED - {"copy", "sort"}


@pytest.mark.jax
@pytest.mark.parametrize("name", sorted(lookup.ARRAYS_ONLY))
def test_methods_that_mark_an_array_give_arrays(name: str) -> None:
    spec = lookup.method(name)
    assert spec is not None
    assert spec.result == ("tuple" if name == "nonzero" else "array")


@pytest.mark.jax
def test_converters_hold_any_object_and_computing_functions_do_not() -> None:
    jax = pytest.importorskip("jax")
    np = pytest.importorskip("numpy")
    table = importlib.import_module("jaxlint.knowledge.tables.numpy_outcomes").TABLE
    names = [d.removeprefix("numpy.") for d, how in table.items() if how == "raises"]
    holding = set()

    def body(tree: Any) -> None:
        for name in names:
            try:
                result = getattr(np, name)(tree)
            except Exception:
                continue
            alone = isinstance(result, np.ndarray) and result.dtype == object and result.size == 1
            if alone and result.item() is tree:
                holding.add(name)

    ones = np.ones(2, np.float32)
    jax.make_jaxpr(body)({"a": ones, "b": ones})
    # These go over elements, so nobody gives them a tree that is not an array.
    elementwise = {
        "asarray_chkfinite", "asmatrix", "block", "cumulative_prod", "cumulative_sum", "diagflat",
        "nancumprod", "nancumsum", "ravel", "real_if_close", "require", "unique", "unique_values",
    }  # fmt: skip
    assert holding - elementwise == lookup.CONVERTERS

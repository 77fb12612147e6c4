"""Single facts of the knowledge tables, each put to the JAX that is installed."""

from __future__ import annotations

import cmath
import importlib
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from jaxlint.knowledge import lookup

jax = pytest.importorskip("jax")
jnp = importlib.import_module("jax.numpy")
np = importlib.import_module("numpy")

pytestmark = pytest.mark.jax

JAX_TABLES = ("jax_lax", "jax_numpy", "jax_other", "jax_random", "jax_scipy")

FLOATS = np.array([3.0, -1.0, 2.0], np.float32)
INTS = np.array([0, 2, 1], np.int32)
MASK = np.array([True, False, True])
SQUARE = np.array([[4, 1, 2], [1, 5, 3], [2, 3, 6]], np.float32)


def table(name: str) -> dict[str, Any]:
    rows: dict[str, Any] = importlib.import_module(f"jaxlint.knowledge.tables.{name}").TABLE
    return rows


def resolve(dotted: str) -> Any:
    """The object of a full name."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part)
        return value
    raise AttributeError(dotted)


def raised(call: Callable[..., Any], *operands: Any) -> str:
    """The name of what a call raises on tracers, "" when it works."""
    seen: list[str] = []

    def body(*tracers: Any) -> None:
        try:
            call(*tracers)
        except Exception as error:
            seen.append(type(error).__name__)
        else:
            seen.append("")

    jax.make_jaxpr(body)(*operands)
    return seen[0]


def traced(call: Callable[..., Any], *operands: Any) -> Any:
    """The result of a call on tracers."""
    seen: list[Any] = []
    jax.make_jaxpr(lambda *tracers: seen.append(call(*tracers)))(*operands)
    return seen[0]


@pytest.mark.parametrize("name", [*JAX_TABLES, "methods"])
def test_every_role_belongs_to_a_parameter(name: str) -> None:
    lists = (
        "shape", "layout", "static", "data", "bound", "unless", "restructures", "counts", "keys",
    )  # fmt: skip
    strays = []
    for dotted in sorted(table(name)):
        spec = lookup.method(dotted) if name == "methods" else lookup.function(dotted)
        assert spec is not None
        for field in lists:
            strays += [
                (dotted, field, parameter)
                for parameter in getattr(spec, field)
                if parameter not in (*spec.params, "self")
            ]
    assert strays == []


@pytest.mark.parametrize(
    ("call", "parameter", "dotted"),
    [
        (lambda n: jax.image.resize(SQUARE, (n, n), "nearest"), "shape", "jax.image.resize"),
        (lambda n: jax.lax.iota(np.int32, n), "size", "jax.lax.iota"),
        (lambda n: jax.nn.one_hot(INTS, n), "num_classes", "jax.nn.one_hot"),
        (lambda n: jax.random.normal(jax.random.key(0), (n,)), "shape", "jax.random.normal"),
        (lambda n: jax.random.split(jax.random.key(0), n), "num", "jax.random.split"),
        (lambda n: jnp.arange(n), "start", "jax.numpy.arange"),
        (lambda n: jnp.arange(0, n), "stop", "jax.numpy.arange"),
        (lambda n: jnp.eye(n), "N", "jax.numpy.eye"),
        (lambda n: jnp.full((n,), 1.0), "shape", "jax.numpy.full"),
        (lambda n: jnp.identity(n), "n", "jax.numpy.identity"),
        (lambda n: jnp.indices((n, 2)), "dimensions", "jax.numpy.indices"),
        (lambda n: jnp.linspace(0, 1, n), "num", "jax.numpy.linspace"),
        (lambda n: jnp.logspace(0, 1, n), "num", "jax.numpy.logspace"),
        (lambda n: jnp.nonzero(FLOATS, size=n), "size", "jax.numpy.nonzero"),
        (lambda n: jnp.ones(n), "shape", "jax.numpy.ones"),
        (lambda n: jnp.tri(n), "N", "jax.numpy.tri"),
        (lambda n: jnp.zeros((n, 3)), "shape", "jax.numpy.zeros"),
    ],
)
def test_a_traced_size_raises(call: Callable[..., Any], parameter: str, dotted: str) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert (parameter in spec.shape, raised(call, 3) != "") == (True, True)


@pytest.mark.parametrize(
    ("call", "parameter", "dotted"),
    [
        (lambda n: jax.lax.dynamic_slice(SQUARE, (0, 0), (n, n)), "slice_sizes", "dynamic_slice"),
        (lambda n: jax.lax.slice(FLOATS, (n,), (3,)), "start_indices", "slice"),
        (lambda n: jnp.array_split(FLOATS, n), "indices_or_sections", "array_split"),
        (lambda n: jnp.broadcast_to(FLOATS, (n, 3)), "shape", "broadcast_to"),
        (lambda n: jnp.diff(FLOATS, n), "n", "diff"),
        (lambda n: jnp.pad(FLOATS, n), "pad_width", "pad"),
        (lambda n: jnp.reshape(FLOATS, (n, -1)), "shape", "reshape"),
        (lambda n: jnp.resize(FLOATS, (n,)), "new_shape", "resize"),
        (lambda n: jnp.split(FLOATS, n), "indices_or_sections", "split"),
        (lambda n: jnp.tile(FLOATS, n), "reps", "tile"),
        (lambda n: jnp.triu_indices(n), "n", "triu_indices"),
        (lambda n: jnp.vander(FLOATS, n), "N", "vander"),
    ],
)
def test_a_traced_layout_raises(call: Callable[..., Any], parameter: str, dotted: str) -> None:
    spec = lookup.function(f"jax.numpy.{dotted}") or lookup.function(f"jax.lax.{dotted}")
    assert spec is not None
    assert (parameter in spec.layout, raised(call, 1) != "") == (True, True)


@pytest.mark.parametrize(
    ("call", "operand", "dotted", "parameter"),
    [
        (lambda n: jnp.eye(3, k=n), 1, "jax.numpy.eye", "k"),
        (lambda n: jnp.full((3,), n), 1, "jax.numpy.full", "fill_value"),
        (lambda n: jnp.linspace(0, n, 5), 1, "jax.numpy.linspace", "stop"),
        (lambda n: jnp.pad(FLOATS, 1, constant_values=n), 1, "jax.numpy.pad", "constant_values"),
        (lambda n: jnp.quantile(FLOATS, n), 0.5, "jax.numpy.quantile", "q"),
        (lambda n: jnp.roll(FLOATS, n), 1, "jax.numpy.roll", "shift"),
        (lambda n: jnp.take(FLOATS, n), 1, "jax.numpy.take", "indices"),
        (lambda n: jax.lax.dynamic_slice(FLOATS, (n,), (1,)), 1, "jax.lax.dynamic_slice",
         "start_indices"),
        (lambda n: jax.random.uniform(jax.random.key(0), (3,), maxval=n), 1.0,
         "jax.random.uniform", "maxval"),
        (lambda n: jax.random.fold_in(jax.random.key(0), n), 1, "jax.random.fold_in", "data"),
    ],
)  # fmt: skip
def test_a_traced_value_is_fine_where_no_size_is_asked(
    call: Callable[..., Any], operand: Any, dotted: str, parameter: str
) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    needed = (*spec.shape, *spec.layout, *spec.static, *spec.counts)
    assert (parameter in needed, raised(call, operand)) == (False, "")


@pytest.mark.parametrize(
    ("call", "dotted", "parameter"),
    [
        (lambda n: FLOATS + jax.lax.top_k(FLOATS, n)[0], "jax.lax.top_k", "k"),
        (lambda n: jax.nn.softmax(FLOATS, axis=n), "jax.nn.softmax", "axis"),
        (lambda n: jnp.concatenate([FLOATS, FLOATS], axis=n), "jax.numpy.concatenate", "axis"),
        (lambda n: jnp.expand_dims(FLOATS, n), "jax.numpy.expand_dims", "axis"),
        (lambda n: jnp.fft.fft(FLOATS, n), "jax.numpy.fft.fft", "n"),
        (lambda n: jnp.linalg.matrix_power(SQUARE, n), "jax.numpy.linalg.matrix_power", "n"),
        (lambda n: jnp.sum(FLOATS, axis=n), "jax.numpy.sum", "axis"),
        (lambda n: jnp.tril(SQUARE, n), "jax.numpy.tril", "k"),
    ],
)
def test_a_traced_option_raises(call: Callable[..., Any], dotted: str, parameter: str) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert (parameter in spec.static, raised(call, 0) != "") == (True, True)


DATA_DEPENDENT = {
    "jax.numpy.argwhere": (lambda v, **k: jnp.argwhere(v, **k), FLOATS, {"size": 3}),
    "jax.numpy.bincount": (lambda v, **k: jnp.bincount(v, **k), INTS, {"length": 3}),
    "jax.numpy.compress": (lambda v, **k: jnp.compress(v, FLOATS, **k), MASK, {"size": 2}),
    "jax.numpy.delete": (
        lambda v, **k: jnp.delete(FLOATS, v, **k), INTS[:1], {"assume_unique_indices": True},
    ),
    "jax.numpy.extract": (lambda v, **k: jnp.extract(v, FLOATS, **k), MASK, {"size": 2}),
    "jax.numpy.flatnonzero": (lambda v, **k: jnp.flatnonzero(v, **k), FLOATS, {"size": 3}),
    "jax.numpy.intersect1d": (lambda v, **k: jnp.intersect1d(v, v, **k), INTS, {"size": 3}),
    "jax.numpy.nonzero": (lambda v, **k: jnp.nonzero(v, **k), FLOATS, {"size": 3}),
    "jax.numpy.repeat": (
        lambda v, **k: jnp.repeat(FLOATS, v, **k), INTS, {"total_repeat_length": 3},
    ),
    "jax.numpy.roots": (lambda v, **k: jnp.roots(v, **k), FLOATS, {"strip_zeros": False}),
    "jax.numpy.setdiff1d": (lambda v, **k: jnp.setdiff1d(v, v, **k), INTS, {"size": 3}),
    "jax.numpy.setxor1d": (lambda v, **k: jnp.setxor1d(v, v, **k), INTS, {"size": 3}),
    "jax.numpy.union1d": (lambda v, **k: jnp.union1d(v, v, **k), INTS, {"size": 3}),
    "jax.numpy.unique": (lambda v, **k: jnp.unique(v, **k), INTS, {"size": 3}),
    "jax.numpy.unique_all": (lambda v, **k: jnp.unique_all(v, **k), INTS, {"size": 3}),
    "jax.numpy.unique_counts": (lambda v, **k: jnp.unique_counts(v, **k), INTS, {"size": 3}),
    "jax.numpy.unique_inverse": (lambda v, **k: jnp.unique_inverse(v, **k), INTS, {"size": 3}),
    "jax.numpy.unique_values": (lambda v, **k: jnp.unique_values(v, **k), INTS, {"size": 3}),
    "jax.numpy.where": (lambda v, **k: jnp.where(v, **k), MASK, {"size": 3}),
    **{
        f"jax.ops.segment_{name}": (
            lambda v, name=name, **k: getattr(jax.ops, f"segment_{name}")(FLOATS, v, **k),
            INTS, {"num_segments": 3},
        )
        for name in ("max", "min", "prod", "sum")
    },
}  # fmt: skip


@pytest.mark.parametrize("dotted", sorted(DATA_DEPENDENT))
def test_data_decide_the_shape_unless_bounded(dotted: str) -> None:
    call, operand, bound = DATA_DEPENDENT[dotted]
    spec = lookup.function(dotted)
    assert spec is not None
    without = raised(call, operand)
    within = raised(lambda value: call(value, **bound), operand)
    concrete = raised(lambda _: call(operand), 0)
    assert (spec.bound, without != "", within) == (tuple(bound), True, "")
    assert spec.data and (concrete == "") == (spec.concrete != ())


def test_all_data_dependent_functions_are_tested() -> None:
    listed = {
        dotted
        for name in JAX_TABLES
        for dotted in table(name)
        if (spec := lookup.function(dotted)) is not None and spec.data
    }
    assert sorted(listed - {"jax.numpy.trim_zeros"}) == sorted(DATA_DEPENDENT)


def test_trim_zeros_has_no_bound() -> None:
    spec = lookup.function("jax.numpy.trim_zeros")
    assert spec is not None
    found = raised(jnp.trim_zeros, FLOATS)
    assert (spec.data, spec.bound, found) == (("filt",), (), "ConcretizationTypeError")


@pytest.mark.parametrize(
    ("dotted", "call"),
    [
        ("jax.numpy.histogram", lambda v: jnp.histogram(FLOATS, bins=v)),
        ("jax.numpy.histogram_bin_edges", lambda v: jnp.histogram_bin_edges(FLOATS, bins=v)),
        ("jax.random.choice", lambda v: jax.random.choice(jax.random.key(0), v)),
        ("jax.random.permutation", lambda v: jax.random.permutation(jax.random.key(0), v)),
    ],
)
def test_a_zero_dimensional_count_decides_the_shape(dotted: str, call: Callable[..., Any]) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    found = [raised(call, value) != "" for value in (3, FLOATS)]
    assert (len(spec.counts), spec.shape.count("bins"), found) == (1, 0, [True, False])


@pytest.mark.parametrize("name", sorted(lookup.CONCRETISING_METHODS))
def test_concretising_methods_raise_as_stated(name: str) -> None:
    found = raised(lambda value: getattr(value, name)(), np.int32(1))
    assert found == lookup.CONCRETISING_METHODS[name]


@pytest.mark.parametrize("name", sorted(lookup.HOST_METHODS))
def test_host_methods_raise_as_stated(name: str) -> None:
    arguments = (0,) if name == "addressable_data" else ()
    found = raised(lambda value: getattr(value, name)(*arguments), FLOATS)
    assert found == lookup.HOST_METHODS[name]


@pytest.mark.parametrize("name", sorted(lookup.STATIC_ATTRIBUTES))
def test_static_attributes_are_no_arrays(name: str) -> None:
    value = traced(lambda tracer: getattr(tracer, name), FLOATS)
    assert not isinstance(value, jax.Array)


@pytest.mark.parametrize("name", sorted(lookup.ARRAY_ATTRIBUTES))
def test_array_attributes_are_traced(name: str) -> None:
    assert isinstance(traced(lambda tracer: getattr(tracer, name), SQUARE), jax.core.Tracer)


@pytest.mark.parametrize("name", ["device", "flat", "sharding"])
def test_attributes_that_tracers_lack_are_in_no_table(name: str) -> None:
    listed = name in lookup.STATIC_ATTRIBUTES | lookup.ARRAY_ATTRIBUTES
    assert (listed, raised(lambda value: getattr(value, name), FLOATS) != "") == (False, True)


@pytest.mark.parametrize("dotted", sorted(lookup.PY_CASTS))
def test_python_casts_raise_as_stated(dotted: str) -> None:
    assert raised(resolve(dotted), np.int32(1)) == lookup.PY_CASTS[dotted]


@pytest.mark.parametrize("module", [cmath, math])
def test_mathematics_that_let_a_tracer_pass_are_not_listed(module: ModuleType) -> None:
    passing = []
    for name in sorted(vars(module)):
        function = getattr(module, name)
        if not callable(function) or name.startswith("_"):
            continue
        for arguments in (lambda v: (v,), lambda v: (v, v), lambda v: ([v, v],)):
            for operand in (np.float32(0.5), np.int32(2)):
                if raised(lambda v, f=function, a=arguments: f(*a(v)), operand) == "":
                    passing.append(f"{module.__name__}.{name}")
    assert [dotted for dotted in sorted(set(passing)) if lookup.math_function(dotted)] == []

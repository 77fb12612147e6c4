"""What jaxlint knows of flax is what the installed flax does."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from jaxlint.engine.domain.values import Sequence, Static
from jaxlint.engine.frameworks.flax.linen_layers import MODES
from jaxlint.engine.frameworks.flax.linen_lifted import KINDS
from jaxlint.engine.frameworks.flax.linen_methods import METHODS
from jaxlint.engine.frameworks.flax.linen_scopes import read_mutable
from jaxlint.engine.frameworks.flax.nnx import CONTROL, FUNCTIONS
from jaxlint.engine.frameworks.flax.nnx_state import VARIABLES
from jaxlint.knowledge.ecosystems.flax import model

flax = pytest.importorskip("flax")
jax = pytest.importorskip("jax")
nn = importlib.import_module("flax.linen")
nnx = importlib.import_module("flax.nnx")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

X = jnp.ones((4, 2))
KEY = 0
NAMED = {
    *model.aliases,
    *model.wrappers,
    *model.opaque,
    *model.functions,
    *model.pytree_bases,
    *model.pytree_decorators,
    *model.plain_bases,
    *model.static_fields,
    *model.transparent,
    *KINDS,
    *VARIABLES,
}


def found(dotted: str) -> Any:
    parts = dotted.split(".")
    for at in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:at]))
        except ImportError:
            continue
        for name in parts[at:]:
            value = getattr(value, name)
        return value
    raise AttributeError(dotted)


def is_tracer(value: object) -> bool:
    return isinstance(value, jax.core.Tracer)


@pytest.mark.parametrize("dotted", sorted(NAMED))
def test_every_name_is_in_flax(dotted: str) -> None:
    assert found(dotted) is not None


@pytest.mark.parametrize("dotted", sorted(model.aliases))
def test_an_alias_is_the_same_function(dotted: str) -> None:
    assert found(dotted) is found(model.aliases[dotted])


@pytest.mark.parametrize("name", sorted(METHODS))
def test_a_module_of_linen_has_its_methods(name: str) -> None:
    assert callable(getattr(nn.Module, name))


@pytest.mark.parametrize("name", sorted({*CONTROL, *FUNCTIONS}))
def test_nnx_has_its_functions(name: str) -> None:
    assert callable(getattr(nnx, name))


def test_modes_are_parameters_of_layers() -> None:
    assert {"deterministic", "use_running_average", "decode"} <= MODES
    assert "use_running_average" in nn.BatchNorm.__dataclass_fields__
    assert "deterministic" in nn.Dropout.__dataclass_fields__


# -- what is a tracer in what nnx transforms ------------------------------------------------------


def seen(run: Callable[[Callable[..., Any]], object]) -> list[tuple[bool, bool, bool]]:
    """For each time the body ran: is a weight of the module, is `x`, is a number a tracer?"""
    found: list[tuple[bool, bool, bool]] = []

    def body(module: Any, x: Any, number: Any) -> Any:
        weight = module.kernel[...]
        found.append((is_tracer(weight), is_tracer(x), is_tracer(number)))
        assert not is_tracer(module.in_features)
        return (x @ weight).sum()

    run(body)
    return found


def linear() -> Any:
    return nnx.Linear(2, 3, rngs=nnx.Rngs(0))


PROBES: dict[str, tuple[Callable[[Callable[..., Any]], object], tuple[bool, bool, bool]]] = {
    "flax.nnx.jit": (lambda f: nnx.jit(f)(linear(), X, 3), (True, True, True)),
    "flax.nnx.remat": (lambda f: nnx.remat(f)(linear(), X, 3), (True, True, True)),
    "flax.nnx.remat, static": (
        lambda f: nnx.remat(f, static_argnums=(2,))(linear(), X, 3),
        (True, True, False),
    ),
    "flax.nnx.grad": (lambda f: nnx.grad(f)(linear(), X, 3), (True, False, False)),
    "flax.nnx.value_and_grad": (
        lambda f: nnx.value_and_grad(f, argnums=1)(linear(), X, 3),
        (False, True, False),
    ),
    "flax.nnx.vmap": (
        lambda f: nnx.vmap(f, in_axes=(None, 0, None))(linear(), X, 3),
        (False, True, False),
    ),
    "flax.nnx.cond": (lambda f: nnx.cond(True, f, f, linear(), X, 3), (True, True, True)),
    "jax.jit": (lambda f: jax.jit(f)(linear(), X, 3), (True, True, True)),
    "jax.grad": (lambda f: jax.grad(f)(linear(), X, 3), (True, False, False)),
}


@pytest.mark.parametrize("name", sorted(PROBES))
def test_what_a_transform_makes_of_its_arguments(name: str) -> None:
    run, expected = PROBES[name]
    assert {expected} == set(seen(run))


# -- state of nnx -----------------------------------------------------------------------------


class Counter(nnx.Module):
    def __init__(self) -> None:
        self.count = nnx.Variable(jnp.zeros((), int))
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.count[...] += 1
        return x


BACK: dict[str, Callable[[Any], object]] = {
    "flax.nnx.jit": lambda m: nnx.jit(lambda m, x: m(x))(m, X),
    "flax.nnx.grad": lambda m: nnx.grad(lambda m, x: m(x).sum(), argnums=1)(m, X),
    "flax.nnx.vmap": lambda m: nnx.vmap(lambda m, x: m(x), in_axes=(None, 0))(m, X),
    "flax.nnx.remat": lambda m: nnx.remat(lambda m, x: m(x))(m, X),
    "flax.nnx.cond": lambda m: nnx.cond(True, lambda m, x: m(x), lambda m, x: m(x), m, X),
}
LOST: dict[str, Callable[[Any], object]] = {
    "jax.jit": lambda m: jax.jit(lambda m, x: m(x))(m, X),
    "jax.vmap": lambda m: jax.vmap(lambda m, x: m(x), in_axes=(None, 0))(m, X),
    "jax.checkpoint": lambda m: jax.checkpoint(lambda m, x: m(x))(m, X),
    "jax.grad": lambda m: jax.grad(lambda m, x: m(x).sum(), allow_int=True)(m, X),
    "jax.lax.cond": lambda m: jax.lax.cond(True, lambda m, x: m(x), lambda m, x: x, m, X),
}


@pytest.mark.parametrize("name", sorted(BACK))
def test_transforms_of_nnx_bring_changes_back(name: str) -> None:
    counter = Counter()
    BACK[name](counter)
    assert 1 == int(counter.count[...])


@pytest.mark.parametrize("name", sorted(LOST))
def test_transforms_of_jax_lose_changes(name: str) -> None:
    counter = Counter()
    LOST[name](counter)
    assert 0 == int(counter.count[...])


def set_attribute(counter: Any, x: Any) -> Any:
    counter.calls = 3
    return x


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "a variable": lambda counter, x: counter(x),
    "an attribute": set_attribute,
    "nnx.update": lambda counter, x: (nnx.update(counter, nnx.state(counter)), x)[1],
    "what is merged": lambda counter, x: nnx.merge(*nnx.split(counter))(x),
}
AROUND: dict[str, Callable[[Callable[[Any], Any]], object]] = {
    "jax.jit": lambda f: jax.jit(f)(X),
    "nnx.jit": lambda f: nnx.jit(f)(X),
    "jax.vmap": lambda f: jax.vmap(f)(X),
    "jax.grad": lambda f: jax.grad(lambda x: f(x).sum())(X),
    "nnx.grad": lambda f: nnx.grad(lambda x: f(x).sum())(X),
    "jax.checkpoint": lambda f: jax.checkpoint(f)(X),
    "jax.lax.scan": lambda f: jax.lax.scan(lambda c, x: (c, f(x)), 0, X),
    "jax.eval_shape": lambda f: jax.eval_shape(f, X),
}


@pytest.mark.parametrize("around", sorted(AROUND))
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_captured_object_cannot_be_changed(around: str, change: str) -> None:
    counter = Counter()
    with pytest.raises(flax.errors.TraceContextError):
        AROUND[around](lambda x: CHANGES[change](counter, x))


@pytest.mark.parametrize("around", sorted(AROUND))
def test_a_copy_belongs_to_the_trace_that_made_it(around: str) -> None:
    counter = Counter()
    AROUND[around](lambda x: nnx.merge(*nnx.split(counter), copy=True)(nnx.clone(counter)(x)))
    assert 0 == int(counter.count[...])


TAKES: dict[str, Callable[[Any, Any], Any]] = {
    "nnx.jit": lambda m, x: nnx.jit(lambda m, x: m(x))(m, x),
    "nnx.grad": lambda m, x: nnx.grad(lambda m: m(x).sum())(m),
    "nnx.value_and_grad": lambda m, x: nnx.value_and_grad(lambda x, m: m(x).sum())(x, m)[0],
    "nnx.vmap": lambda m, x: nnx.vmap(lambda m, x: m(x), in_axes=(None, 0))(m, x),
    "nnx.remat": lambda m, x: nnx.remat(lambda m, x: m(x))(m, x),
    "nnx.cond": lambda m, x: nnx.cond(True, lambda m, x: m(x), lambda m, x: m(x), m, x),
    "nnx.jit, in a list": lambda m, x: nnx.jit(lambda m, x: m[0](x))([m], x),
}


@pytest.mark.parametrize("around", ["jax.jit", "nnx.jit", "jax.grad", "jax.lax.scan"])
@pytest.mark.parametrize("name", sorted(TAKES))
def test_a_transform_of_nnx_takes_no_captured_object(name: str, around: str) -> None:
    module = linear()
    with pytest.raises((flax.errors.TraceContextError, ValueError)):
        AROUND[around](lambda x: TAKES[name](module, jnp.atleast_2d(x)))


def test_a_transform_of_jax_takes_captured_objects() -> None:
    module = linear()
    jax.jit(lambda x: jax.grad(lambda m: m(x).sum())(module))(X)


LAYERS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], bool]] = {
    "Dropout": (lambda: nnx.Dropout(0.5, rngs=nnx.Rngs(0)), lambda m: m(X), True),
    "Dropout, rate 0": (lambda: nnx.Dropout(0.0, rngs=nnx.Rngs(0)), lambda m: m(X), False),
    "Dropout, deterministic": (
        lambda: nnx.Dropout(0.5, deterministic=True, rngs=nnx.Rngs(0)),
        lambda m: m(X),
        False,
    ),
    "Dropout, told so": (
        lambda: nnx.Dropout(0.5, rngs=nnx.Rngs(0)),
        lambda m: m(X, deterministic=True),
        False,
    ),
    "Dropout, other keys": (
        lambda: nnx.Dropout(0.5, rngs=nnx.Rngs(0)),
        lambda m: m(X, rngs=nnx.Rngs(1)),
        False,
    ),
    "BatchNorm": (lambda: nnx.BatchNorm(2, rngs=nnx.Rngs(0)), lambda m: m(X), True),
    "BatchNorm, running": (
        lambda: nnx.BatchNorm(2, use_running_average=True, rngs=nnx.Rngs(0)),
        lambda m: m(X),
        False,
    ),
    "BatchNorm, told so": (
        lambda: nnx.BatchNorm(2, rngs=nnx.Rngs(0)),
        lambda m: m(X, use_running_average=True),
        False,
    ),
    "LayerNorm": (lambda: nnx.LayerNorm(2, rngs=nnx.Rngs(0)), lambda m: m(X), False),
    "Linear": (lambda: nnx.Linear(2, 2, rngs=nnx.Rngs(0)), lambda m: m(X), False),
    "Rngs": (lambda: nnx.Rngs(0), lambda m: m.noise(), True),
    "Rngs, default": (lambda: nnx.Rngs(0), lambda m: m(), True),
    "Rngs, drawing": (lambda: nnx.Rngs(0), lambda m: m.normal((2,)), True),
    "Linear, made of keys": (lambda: nnx.Rngs(0), lambda m: nnx.Linear(2, 2, rngs=m)(X), True),
    "Dropout, made of keys": (lambda: nnx.Rngs(0), lambda m: nnx.Dropout(0.5, rngs=m)(X), True),
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_which_layers_change_when_they_are_called(name: str) -> None:
    make, call, changes = LAYERS[name]
    module = make()
    try:
        jax.jit(lambda _: call(module))(0)
    except flax.errors.TraceContextError:
        assert changes
    else:
        assert not changes


def traces(change: Callable[[Any], None]) -> int:
    counter = Counter()
    runs = []

    @nnx.jit
    def step(counter: Any) -> Any:
        runs.append(1)
        change(counter)
        return jnp.zeros(())

    for _ in range(5):
        step(counter)
    return len(runs)


def test_a_python_counter_compiles_on_every_call() -> None:
    def count(counter: Any) -> None:
        counter.calls += 1

    def settle(counter: Any) -> None:
        counter.calls = 7

    def count_in_variable(counter: Any) -> None:
        counter.count[...] += 1

    assert 5 == traces(count)
    assert traces(settle) <= 2
    assert 1 == traces(count_in_variable)


# -- linen ------------------------------------------------------------------------------------


def test_what_makes_a_collection_mutable() -> None:
    class Both(nn.Module):
        @nn.compact
        def __call__(self) -> Any:
            return self.is_mutable_collection("a"), self.is_mutable_collection("b")

    def strings(*names: str) -> Sequence:
        return Sequence("list", [Static(name) for name in names], None)

    given = [(True, Static(True)), (False, Static(False)), ("a", Static("a"))]
    given += [(["a", "b"], strings("a", "b")), ([], strings())]
    for real, abstract in given:
        result = Both().apply({}, mutable=real)
        answer = read_mutable(abstract)
        assert answer.pair is (len(result) == 2 and isinstance(result[1], dict))
        flags = result[0] if answer.pair else result
        assert flags == (answer.allows("a"), answer.allows("b"))


CELLS = ("GRUCell", "LSTMCell", "OptimizedLSTMCell", "SimpleCell", "MGUCell")


@pytest.mark.parametrize("name", CELLS)
def test_cells_give_a_carry_and_an_array(name: str) -> None:
    cell = getattr(nn, name)(2)
    key = jax.random.key(KEY)
    carry = cell.initialize_carry(key, X.shape)
    (_, y), _ = cell.init_with_output(key, carry, X)
    assert isinstance(y, jax.Array)


@pytest.mark.parametrize("lift", ["flax.linen.remat", "flax.linen.jit"])
def test_lifted_classes_count_self_among_static_arguments(lift: str) -> None:
    kinds: list[bool] = []

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x: Any, flag: Any) -> Any:
            kinds.append(is_tracer(flag))
            return nn.Dense(2)(x)

    made = found(lift)(Block, static_argnums=(2,))()
    made.init(jax.random.key(KEY), X, True)
    assert {False} == set(kinds)
    kinds.clear()
    found(lift)(Block)().init(jax.random.key(KEY), X, True)
    assert True in kinds

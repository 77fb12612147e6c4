"""Calls are made abstract, stored without values, and staged again as they were."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import json
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlint.verify.child.arguments import signatures
from jaxlint.verify.child.arguments.avals import is_weak
from jaxlint.verify.child.arguments.signatures import (
    Call,
    Unreplayable,
    abstract,
    decode,
    describe,
    encode,
)


class Pair(NamedTuple):
    first: Any
    second: Any = None


@dataclasses.dataclass(frozen=True)
class Layer:
    size: int
    weight: Any

    def apply(self, x: Any) -> Any:
        return x * self.weight + self.size


jax.tree_util.register_pytree_node(
    Layer, lambda layer: ((layer.weight,), layer.size), lambda size, held: Layer(size, *held)
)


class Options:
    def __init__(self) -> None:
        raise AssertionError("fields are restored without running __init__")


class Slotted:
    __slots__ = ("name", "other")


class Mode(enum.Enum):
    FAST = 1


MARKER = object.__new__(Options)


class Counter(int):
    """More than its fields."""


class Odd:
    def __reduce__(self) -> Any:
        raise TypeError("not to be copied")


@dataclasses.dataclass
class Strict:
    weight: Any
    name: str

    def __post_init__(self) -> None:
        assert isinstance(self.name, str)


jax.tree_util.register_pytree_node(
    Strict, lambda strict: ((strict.weight, strict.name), None), lambda _, held: Strict(*held)
)


def options(**fields: Any) -> Options:
    made = object.__new__(Options)
    made.__dict__.update(fields)
    return made


def function(x: Any, n: int = 2, *rest: Any, params: Any = None, **more: Any) -> Any:
    return x


def replayed(value: Any) -> Any:
    data = encode(Call(function, (value,), {"params": value}))
    assert data is not None
    call = decode(function, json.loads(json.dumps(data)))
    assert data == encode(call)
    return call.args[0]


def array(*shape: int, dtype: Any = np.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def test_arrays_become_abstract_and_the_rest_stays() -> None:
    live = {"w": jnp.ones((3, 4)), "n": 3, "s": "text", "t": (np.zeros(2), None, jnp.tanh)}
    call = abstract(function, (live, np.float64(1.0)), {"params": Pair(jnp.int8(1), Mode.FAST)})
    (held, scalar), pair = call.args, call.kwargs["params"]
    assert array(3, 4) == held["w"]
    assert (3, "text", None, jnp.tanh) == (held["n"], held["s"], held["t"][1], held["t"][2])
    assert array(2) == held["t"][0], "with JAX's default precision"
    assert array() == scalar
    assert Pair(array(dtype=np.int8), Mode.FAST) == pair


def test_strings_and_objects_of_numpy_stay_what_they_are() -> None:
    words, things = np.array(["a"]), np.array([None])
    assert (words, things) == abstract(function, (words, things), {}).args


def test_static_arguments_are_kept_by_name_position_or_test() -> None:
    x, y = jnp.ones(2), np.ones(2)
    assert abstract(function, (x, y), {"z": y}, static=[1, "z"]).args[1] is y
    assert abstract(function, (x, y), {"z": y}, static=[1, "z"]).kwargs["z"] is y
    found: list[Call] = []

    def inside(traced: Any) -> Any:
        found.append(abstract(function, (traced, x, y), {}, static=signatures.is_known))
        return traced

    jax.make_jaxpr(inside)(x)
    (call,) = found
    assert (array(2), True, True) == (call.args[0], call.args[1] is x, call.args[2] is y)


def test_weak_types_and_typed_keys_survive() -> None:
    found: list[Call] = []
    jax.make_jaxpr(lambda x, k: found.append(abstract(function, (x, k), {})) or x)(
        1.0, jax.random.key(0)
    )
    (call,) = found
    again = decode(function, json.loads(json.dumps(encode(call))))
    for each in (call, again):
        assert is_weak(each.args[0])
        staged = signatures.stager(Call(lambda x, k: (x, jax.random.normal(k)), each.args))()
        assert staged.in_avals[0].weak_type
        assert jax.random.key(0).dtype == staged.in_avals[1].dtype


def test_vmapped_arguments_have_the_shape_that_the_function_sees() -> None:
    found: list[Call] = []
    jax.vmap(lambda x: found.append(abstract(function, (x,), {})) or x)(jnp.ones((5, 3)))
    assert array(3) == found[0].args[0]


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -(2**70), 1.5, float("-inf"), "text", b"bytes", 2 - 1j, ..., slice(1, None),
        range(2, 9, 3), [1, [2]], (1, ()), {"a": {1: "b"}}, {1, 2}, frozenset("ab"), Mode.FAST,
        np.dtype("int16"), np.float32, jnp.float32, jnp.bfloat16, np.int8(3), np.float32(0.1),
        np.complex64(1j), np.bool_(True), jnp.tanh, jax.nn.relu, np.sin, len, function, Layer,
        Layer.apply, np, Pair(1, (2,)), Pair(array(2), "b"), Layer(3, array(2, 3)),
        array(4, dtype=jnp.bfloat16), array(dtype=bool), array(0, 3, dtype=np.uint32), int,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_values_come_back(value: Any) -> None:
    back = replayed(value)
    assert value == back
    assert type(value) is type(back)


def test_not_a_number_comes_back() -> None:
    assert np.isnan(replayed(float("nan")))


def test_objects_come_back_by_their_fields() -> None:
    slotted = Slotted()
    slotted.name = "n"
    back = replayed(options(n=3, deep=options(mode=Mode.FAST), fn=jnp.exp, slotted=slotted))
    assert (3, Mode.FAST, jnp.exp) == (back.n, back.deep.mode, back.fn)
    assert "n" == back.slotted.name
    assert not hasattr(back.slotted, "other")


def test_an_object_that_its_module_names_comes_back_itself() -> None:
    assert replayed([MARKER])[0] is MARKER
    assert replayed(object.__new__(Options)) is not MARKER


def test_dictionaries_of_other_kinds_come_back() -> None:
    ordered = collections.OrderedDict(b=array(2), a=1)
    assert ["b", "a"] == list(replayed(ordered))
    assert ordered == replayed(ordered)
    default = replayed(collections.defaultdict(list, {"k": array(3)}))
    assert ([], array(3)) == (default["new"], default["k"])


def test_partials_and_methods_come_back() -> None:
    partial = replayed(functools.partial(function, 1, n=2))
    assert (function, (1,), {"n": 2}) == (partial.func, partial.args, partial.keywords)
    method = replayed(Layer(3, 2.0).apply)
    assert 13.0 == method(5)


def cyclic() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


@pytest.mark.parametrize(
    "value",
    [
        lambda: 1, np.ones(2), jnp.ones(2), "x" * 1000, 2**1000, cyclic(), Counter(3), Odd(),
        object(), iter([1]), options(table=np.ones(2)), [[jnp.ones(())]], sys.stdout,
        np.random.default_rng(0), types.SimpleNamespace(f=lambda: 1),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_cannot_be_stored_is_not(value: Any) -> None:
    assert encode(Call(function, (1, value))) is None


def test_what_is_gone_cannot_be_replayed() -> None:
    data = encode(Call(function, (Layer(1, 2.0), Mode.FAST, Pair(1))))
    text = json.dumps(data)
    for old in ("Layer", "FAST", "Pair", "instance", "named", __name__):
        with pytest.raises(Unreplayable):
            decode(function, json.loads(text.replace(old, "Gone")))


def test_objects_of_a_script_are_found_in_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "script.py"
    path.write_text("class Thing:\n    n = 1\ndef step(thing): return thing.n\n")

    def module(name: str) -> Any:
        made = types.ModuleType(name)
        made.__file__ = str(path)
        monkeypatch.setitem(sys.modules, name, made)
        exec(path.read_text(), made.__dict__)
        return made

    script = module("__main__")
    data = encode(Call(script.step, (script.Thing(),)))
    monkeypatch.undo()
    loaded = module("loaded_script")
    assert type(decode(loaded.step, data).args[0]) is loaded.Thing
    with pytest.raises(Unreplayable, match="script"):
        decode(function, data)


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((array(4),), {"n": 2}, "x: f32[4], n=2"),
        ((1, 2, array(3), None), {}, "x=1, n=2, rest[0]: f32[3], rest[1]=None"),
        ((array(),), {"params": {"w": array(3, 4), "b": array(4, dtype=np.int32)}},
         "x: f32[], params: {w: f32[3,4], b: i32[4]}"),
        ((array(2, dtype=bool),), {"extra": (1, "s")}, "x: bool[2], extra=(1, 's')"),
        ((Pair(array(dtype=jnp.bfloat16), 3),), {}, "x: Pair(first: bf16[], second=3)"),
        ((np.ones(3), jnp.tanh), {}, "x=np f64[3], n=tanh"),
        ((Layer(2, array(1)),), {}, "x: Layer(size=2, weight: f32[1])"),
    ],
)  # fmt: skip
def test_describe(args: Any, kwargs: Any, text: str) -> None:
    assert text == describe(Call(function, args, kwargs))


def test_descriptions_are_short_and_never_show_arrays() -> None:
    many = {f"name{number}": array(number) for number in range(100)}
    text = describe(Call(function, (many, "v" * 500), {"params": np.full(3, 7.25)}))
    assert 200 >= len(text)
    assert "..." in text
    assert "7.25" not in describe(Call(function, (np.full(3, 7.25), jnp.full(3, 7.25))))


def test_a_function_without_a_signature_is_described_by_position() -> None:
    assert "[0]: f32[2], [1]=3" == describe(Call(min, (array(2), 3)))


def test_each_staging_runs_the_body_again() -> None:
    runs = []

    def body(x: Any, n: int) -> Any:
        runs.append(n)
        return x * n

    stage = signatures.stager(Call(body, (array(3), 2)))
    first, second = stage(), stage()
    assert [2, 2] == runs
    assert str(first) == str(second)
    assert 1 == len(first.in_avals), "static arguments are no inputs"


def test_jax_names_the_arguments_as_ever() -> None:
    def step(x: Any, n: int, *, params: Any) -> Any:
        return x if params["w"].sum() > n else -x

    call = Call(step, (array(3), 2), {"params": {"w": array(2), "name": "layer"}})
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        signatures.stager(call)()
    assert "function step" in str(caught.value)
    assert "params['w']" in str(caught.value)


def test_results_need_not_be_arrays_unless_jax_returns_them() -> None:
    class Opaque:
        pass

    def helper(x: Any) -> Any:
        return {"a": x, "b": "text", "c": Opaque(), "d": 2, "e": 2**80, "f": np.array(["s"])}

    call = Call(helper, (array(3),))
    assert 2 == len(signatures.stager(call)().out_avals)
    with pytest.raises(TypeError):
        signatures.stager(call, entry=True)()


def test_generators_are_run() -> None:
    def steps(x: Any) -> Any:
        yield x + 1
        yield x * 2

    staged = signatures.stager(Call(steps, (array(3),)))()
    assert ["add", "mul"] == [equation.primitive.name for equation in staged.eqns]


def test_a_jitted_function_and_a_method_are_staged() -> None:
    jitted = jax.jit(lambda x, n: x * n, static_argnums=1)
    assert (3,) == signatures.stager(Call(jitted, (array(3), 2)))().out_avals[0].shape
    method = Layer(1, 2.0).apply
    assert (3,) == signatures.stager(Call(method, (array(3),)))().out_avals[0].shape
    partial = functools.partial(function, n=1)
    assert (3,) == signatures.stager(Call(partial, (array(3),)))().out_avals[0].shape


def test_classes_may_check_what_they_are_made_of() -> None:
    call = Call(lambda strict: strict.weight * len(strict.name), (Strict(array(3), "abc"),))
    (equation,) = signatures.stager(call)().eqns
    assert "3.0" in str(equation)


def test_wider_types_than_jax_computes_with_are_narrowed() -> None:
    call = Call(function, (array(3, dtype=np.float64),))
    assert np.float32 == signatures.stager(call)().in_avals[0].dtype


def test_fresh_functions_can_be_jitted() -> None:
    runs = []

    def body(x: Any, mode: str) -> Any:
        runs.append(mode)
        return x

    new = signatures.fresh(Call(body, (array(3),), {"mode": "fast"}))
    jitted = jax.jit(new.fn)
    for _ in range(2):
        assert [(3,)] == [out.shape for out in jitted.eval_shape(*new.args, **new.kwargs)]
    assert ["fast"] == runs


def test_containers_that_cannot_be_taken_apart_stay() -> None:
    mixed = {1: jnp.ones(2), "a": 2}
    assert abstract(function, (mixed,), {}).args[0] is mixed
    call = Call(lambda mixed, x: mixed[1] * x, (mixed, array(2)))
    assert (2,) == signatures.stager(call)().out_avals[0].shape
    assert "x={1: jax f32[2], a: 2}" == describe(Call(function, (mixed,)))

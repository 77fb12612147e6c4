"""Arguments made up for functions that nothing else tells of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from inventing import Load, described, entered, everything, files, lines_run, load, only, target

from jaxlint.verify.child.arguments.invent import Budget, calls

__all__ = ["load"]


def test_array_annotations_are_traced(load: Load) -> None:
    made = only(load("def f(x: jax.Array): return x + 1"))
    assert made.strength == "annotation"
    assert made.assumption == "`x` is a traced f32[4]"
    assert described(made) == "x: f32[4]"


def test_flags_texts_and_callables_are_never_traced(load: Load) -> None:
    module = load(
        """
        from collections.abc import Callable
        def f(x: jax.Array, flag: bool, name: str, g: Callable, has_aux=False, mode="a"):
            return g(x) if flag or has_aux else x
        """
    )
    for made in calls(module, [target(module, "g(x) if")], files(module)):
        assert made.assumption.count("`") == 2
        assert made.assumption.startswith("`x` is a traced")


def test_a_number_is_static_first_and_a_target_gets_it_traced_too(load: Load) -> None:
    module = load("def f(x: jax.Array, rate: float):\n    return x * (rate if rate else 1)\n")
    assert described(only(module)) == "x: f32[4], rate=0.5"
    with_target = list(calls(module, [target(module, "rate if rate")], files(module)))
    assert "rate" not in with_target[0].assumption
    assert any("`rate` is a traced f32[]" in made.assumption for made in with_target)


def test_a_class_that_cannot_be_made_is_not_taken_for_an_array(load: Load) -> None:
    module = load(
        """
        class Closed:
            def __init__(self):
                raise RuntimeError
        def f(x: jax.Array, closed: Closed):
            return x if closed else -x
        """
    )
    (made,) = (made for made in everything(module) if made.call.fn is module.f)
    assert described(made) == "x: f32[4], closed=None"


def test_an_integer_annotation_stays_static(load: Load) -> None:
    module = load("def f(n: int):\n    return jnp.zeros(n) if n > 1 else 0\n")
    made = list(calls(module, [target(module, "n > 1")], files(module)))
    assert made
    assert not any(each.traced for each in made)


def test_a_default_none_is_tried_before_arrays(load: Load) -> None:
    made = only(load("def f(x, mask=None):\n    return x if mask is None else x * mask\n"))
    assert described(made) == "x: f32[4]"
    assert "mask" not in made.assumption


def test_records_are_built_by_field(load: Load) -> None:
    module = load(
        """
        from typing import NamedTuple
        class Inner(NamedTuple):
            key: jax.Array
            step: int = 0
        class State(NamedTuple):
            inner: Inner
            value: jax.Array
        def f(state: State):
            return jax.random.normal(state.inner.key) + state.value + state.inner.step
        """
    )
    made = only(module)
    assert described(made) == (
        "state: State(inner: Inner(key: u32[2], step: i32[]), value: f32[4])"
    )
    assert made.assumption.startswith("`state` is a traced State(")


def test_an_ordinary_object_is_made_with_static_arguments(load: Load) -> None:
    module = load(
        """
        import dataclasses
        @dataclasses.dataclass
        class Config:
            width: int
            name: str
        def f(x: jax.Array, config: Config):
            return jnp.ones(config.width) * x.sum()
        """
    )
    made = only(module)
    assert "config" not in made.assumption
    assert "Config(width=2, name='a')" in described(made)


def test_methods_get_an_object_of_a_class_that_implements_them(load: Load) -> None:
    module = load(
        """
        class Base:
            def __init__(self, size: int, flag=False):
                self.size = size
            def run(self, x: jax.Array):
                return self.inner(x) + self.size
            def inner(self, x):
                raise NotImplementedError
            @property
            def zero(self):
                return jnp.zeros(self.size)
            @staticmethod
            def double(x: jax.Array):
                return x * 2
            @classmethod
            def make(cls, x: jax.Array):
                return x * 3
        class Derived(Base):
            def inner(self, x):
                return x * 2
        """
    )
    assert {"run", "inner", "zero", "double", "make"} <= {
        name.rpartition(".")[2] for name in entered(module)
    }
    assert {"return self.inner(x) + self.size", "return x * 2"} <= lines_run(module)


def test_decorated_functions_keep_their_transforms(load: Load) -> None:
    module = load(
        """
        @partial(jax.jit, static_argnames="n")
        def f(x, n):
            return jnp.zeros(n) + x
        g = jax.vmap(lambda x: x.sum())
        """
    )
    assert "return jnp.zeros(n) + x" in lines_run(module)
    assert any("g = jax.vmap" in line for line in lines_run(module))


def test_a_body_whose_transform_refuses_the_object_is_called_without_it(load: Load) -> None:
    module = load(
        """
        class Model:
            def __init__(self, width: int):
                self.width = width
            @jax.jit
            def apply(self, x: jax.Array):
                return x * self.width
        """
    )
    assert "return x * self.width" in lines_run(module)


def test_the_products_of_a_factory_are_called(load: Load) -> None:
    module = load(
        """
        from typing import NamedTuple
        class State(NamedTuple):
            count: jax.Array
        def factory(rate: float):
            assert isinstance(rate, float)
            def init(params):
                return State(jnp.zeros_like(params))
            def update(grads, state):
                moved = state.count + rate
                return jax.tree.map(lambda g: g * moved, grads), State(moved)
            return init, update
        """
    )
    assert {"init", "update", "<lambda>"} <= entered(module)
    assert "moved = state.count + rate" in lines_run(module)


def test_call_sites_in_the_module(load: Load) -> None:
    module = load(
        """
        def f(table, n):
            return [table["w"] @ jnp.ones((n, 2)) for _ in range(n)]
        def g(x, n):
            return jnp.eye(n) @ x
        def main():
            x = jnp.zeros((7, 5))
            return g(x, 7)
        """
    )
    (made,) = (made for made in everything(module) if made.call.fn is module.g)
    assert made.strength == "call-site"
    assert described(made) == "x: f32[7,5], n=7"


def test_the_search_goes_on_until_the_lines_are_reached(load: Load) -> None:
    module = load(
        """
        def f(a, b):
            batch, width = a.shape
            c = jnp.einsum("ij,k->ik", a, b)
            return c.reshape(batch, -1)
        """
    )
    assert "return c.reshape(batch, -1)" in lines_run(module)
    assert {made.strength for made in everything(module)} == {"search"}


def test_only_functions_that_lead_to_a_target_are_called(load: Load) -> None:
    module = load(
        """
        def helper(v):
            return 1 if v > 0 else 2
        def caller(x: jax.Array):
            return helper(x.sum())
        def other(x: jax.Array):
            return x
        """
    )
    wanted = [target(module, "v > 0")]
    made = list(calls(module, wanted, files(module)))
    assert {each.call.fn for each in made} == {module.helper, module.caller}
    assert made[0].call.fn is module.helper
    assert list(calls(module, wanted, files(module), is_open=lambda it: False)) == []


def test_a_target_that_is_settled_ends_the_search(load: Load) -> None:
    module = load("def f(x):\n    return x if x > 0 else 2\n")
    wanted = [target(module, "x > 0")]
    settled: set[int] = set()
    made = []
    for each in calls(module, wanted, files(module), is_open=lambda it: it.id not in settled):
        made.append(each)
        settled.add(0)
    assert [each.assumption for each in made] == ["`x` is a traced f32[]"]


def test_whatever_the_code_raises_costs_one_try_only(load: Load) -> None:
    module = load(
        """
        class Awkward:
            def __init__(self):
                raise SystemExit("no")
            def run(self, x: jax.Array):
                return x
        def leaves(x: jax.Array):
            raise SystemExit("gone")
        def fine(x: jax.Array):
            return x - 1
        """
    )
    assert {"leaves", "fine"} <= entered(module)


def test_a_limit_ends_one_try(load: Load) -> None:
    import contextlib

    class EndedError(BaseException):
        pass

    @contextlib.contextmanager
    def limit() -> Iterator[None]:
        yield
        raise EndedError

    module = load("def f(x: jax.Array): return x\ndef g(x: jax.Array): return x\n")
    made = list(calls(module, None, files(module), Budget(tries=1), limit=limit))
    assert {each.call.fn for each in made} == {module.f, module.g}


def test_the_budget_of_time_holds(load: Load) -> None:
    module = load("def f(x: jax.Array): return x\n")
    assert list(calls(module, None, files(module), Budget(seconds=0.0))) == []


@pytest.mark.parametrize(
    "body",
    [
        "return {name: leaf * 2 for name, leaf in tree.items()}",
        "return sum(leaf.sum() for leaf in tree.values())",
        "return [tree[name] + 1 for name in tree.keys()]",
    ],
)
def test_what_is_used_as_a_mapping_is_a_dict_of_arrays(load: Load, body: str) -> None:
    module = load(f"def f(tree):\n    {body}\n")
    assert described(only(module)) == "tree: {a: f32[4], b: f32[4]}"


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ("return tree['w'] @ tree['b']", "w: f32[4], b: f32[4]"),
        ("return tree.get('w') + tree.get('b', 0)", "w: f32[4], b: f32[4]"),
        ("return [tree['w'] + leaf for leaf in tree.values()]", "w: f32[4]"),
    ],
)
def test_a_mapping_has_the_keys_that_it_is_indexed_by(load: Load, body: str, keys: str) -> None:
    module = load(f"def f(tree):\n    {body}\n")
    assert described(only(module)) == f"tree: {{{keys}}}"


@pytest.mark.parametrize("hint", ["dict", "dict[str, jax.Array]"])
def test_an_annotated_mapping_has_the_keys_that_it_is_indexed_by(load: Load, hint: str) -> None:
    module = load(f"def f(tree: {hint}):\n    return tree['w'] * 2\n")
    made = everything(module)[0]
    assert described(made).startswith("tree: {w: f32[")
    assert made.strength == "annotation"


def test_a_configuration_that_is_used_as_a_mapping_is_static(load: Load) -> None:
    module = load(
        """
        def f(x, config):
            if config.get("bias"):
                return x + config["bias"]
            return x
        """
    )
    wanted = [target(module, 'config.get("bias")')]
    for made in [*everything(module), *calls(module, wanted, files(module))]:
        assert "config" not in made.traced
    assert 'return x + config["bias"]' in lines_run(module)


def test_what_has_no_traced_argument_is_assumed_to_be_called_under_trace(load: Load) -> None:
    module = load(
        """
        class World:
            def __init__(self):
                if jnp.zeros(()) > 0:
                    raise ValueError

        def check():
            return 1 if jnp.zeros(()) > 0 else 2
        """
    )
    assert {made.assumption for made in everything(module)} == {
        "`World` is called while JAX traces",
        "`check` is called while JAX traces",
    }


@pytest.mark.parametrize("name", ["has_aux", "is_training", "use_bias", "layer_name"])
def test_flags_and_texts_without_a_default_are_never_traced(load: Load, name: str) -> None:
    module = load(f"def f(x, {name}):\n    if {name}:\n        return x\n    return x + 1\n")
    wanted = [target(module, f"if {name}:")]
    made = list(calls(module, wanted, files(module)))
    assert made
    assert all(name not in each.traced for each in made)

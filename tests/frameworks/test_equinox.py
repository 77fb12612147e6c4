"""What jaxlint knows of Equinox, diffrax, jaxtyping and kin is what the installed ones do."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jaxlint.engine.frameworks import diffrax as solvers
from jaxlint.engine.frameworks.equinox import modules as frameworks
from jaxlint.knowledge.ecosystems import diffrax as of_diffrax
from jaxlint.knowledge.ecosystems import jaxtyping as of_jaxtyping
from jaxlint.knowledge.ecosystems import lineax as of_lineax
from jaxlint.knowledge.ecosystems import optimistix as of_optimistix
from jaxlint.knowledge.ecosystems.equinox import LAYERS, LIBRARY, Layer, model
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

eqx = pytest.importorskip("equinox")
jax = pytest.importorskip("jax")
np = pytest.importorskip("numpy")
jnp = jax.numpy
pytestmark = [pytest.mark.jax, pytest.mark.filterwarnings("ignore")]

VALUES: dict[str, Callable[[], Any]] = {
    "array": lambda: jnp.ones(2),
    "integers": lambda: jnp.array([1, 2]),
    "numpy": lambda: np.ones(2),
    "float": lambda: 1.0,
    "int": lambda: 1,
    "bool": lambda: True,
    "str": lambda: "mean",
}
ARRAYS = {"array", "integers", "numpy"}
LAYER_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "Identity": (),
    "MLP": (2, 2, 4, 1),
    "Dropout": (0.5,),
    "PReLU": (),
    "Embedding": (3, 2),
    "LayerNorm": (2,),
    "RMSNorm": (2,),
    "GroupNorm": (1, 2),
    "BatchNorm": (2, "batch"),
    "MultiheadAttention": (1, 2),
    "RotaryPositionalEmbedding": (2,),
    "Pool": (0, jax.lax.add, 1, 1),
    "AdaptivePool": (1, 1, jnp.mean),
    "Conv": (1, 2, 2, 1),
    "ConvTranspose": (1, 2, 2, 1),
}


def found(dotted: str) -> Any:
    """A library's object by its dotted name."""
    names = dotted.split(".")
    for cut in range(len(names) - 1, 0, -1):
        try:
            value: Any = importlib.import_module(".".join(names[:cut]))
        except ImportError:
            continue
        for name in names[cut:]:
            value = getattr(value, name)
        return value
    raise AssertionError(f"no module of {dotted}")


def dotted_names() -> Iterator[str]:
    yield from model.aliases
    yield from model.wrappers
    yield from model.functions
    yield from model.pytree_bases | model.static_fields | model.plain_bases
    yield from (name.removesuffix("(...)") for name in model.transparent)
    yield from (LIBRARY + name for name in LAYERS)
    yield from (name for name in frameworks._TABLE if not name.endswith("(...)"))
    yield from of_jaxtyping.model.annotations
    yield from of_jaxtyping.model.transparent
    yield from of_diffrax.model.functions
    yield from of_diffrax.model.pytree_bases | solvers._MAKERS
    yield from of_optimistix.SOLVES | of_optimistix.model.functions.keys()
    yield from of_lineax.model.functions


@pytest.mark.parametrize("dotted", sorted(set(dotted_names())))
def test_the_library_has_what_the_tables_name(dotted: str) -> None:
    pytest.importorskip(dotted.partition(".")[0])
    assert found(dotted) is not None


# -- transforms ------------------------------------------------------------------------------------


def traced_in(transform: Callable[..., Any]) -> set[str]:
    """The names of the values of a dict that a transformed function sees as tracers."""
    seen: set[str] = set()

    def run(values: dict[str, Any]) -> Any:
        seen.update(k for k, v in values.items() if isinstance(v, jax.core.Tracer))
        return values["array"].sum()

    transform(run)({name: make() for name, make in VALUES.items()})
    return seen


@pytest.mark.parametrize(
    "name", [n for n, w in model.wrappers.items() if w.kind in ("jit", "remat", "vmap")]
)
def test_arrays_alone_are_traced(name: str) -> None:
    if name == "equinox.filter_pmap":
        pytest.skip("maps over as many devices as there are rows")
    assert traced_in(found(name)) == ARRAYS


@pytest.mark.parametrize("name", ["filter_grad", "filter_value_and_grad"])
def test_floating_point_arrays_alone_are_differentiated(name: str) -> None:
    assert traced_in(getattr(eqx, name)) == {"array", "numpy"}


@pytest.mark.parametrize("name", [n for n, w in model.wrappers.items() if w.kind == "ad"])
def test_the_first_argument_alone_is_differentiated(name: str) -> None:
    seen: list[bool] = []

    def run(x: Any, y: Any, *, z: Any) -> Any:
        seen.extend(isinstance(v, jax.core.Tracer) for v in (x, y, z))
        return x.sum() * y.sum() * z.sum()

    if name.endswith("grad"):
        found(name)(run)(jnp.ones(2), jnp.ones(2), z=jnp.ones(2))
        assert seen == [True, False, False]
    else:
        found(name)(lambda x: run(x, jnp.ones(2), z=jnp.ones(2)))(jnp.ones(2))
        assert seen[:3] == [True, False, False]


@pytest.mark.parametrize("name", ["filter_jit", "filter_vmap", "filter_checkpoint"])
def test_results_that_are_no_arrays_come_back_as_they_are(name: str) -> None:
    array, number, text = getattr(eqx, name)(lambda x: (x, 3, "a"))(jnp.ones(2))
    assert isinstance(array, jax.Array)
    assert (number, text) == (3, "a")


def test_the_gradient_of_what_is_no_array_is_none() -> None:
    values = {name: make() for name, make in VALUES.items()}
    grads = eqx.filter_grad(lambda v: v["array"].sum() + v["numpy"].sum())(values)
    assert {name for name, grad in grads.items() if grad is not None} == {"array", "numpy"}


# -- modules ---------------------------------------------------------------------------------------


def made(name: str, seed: int = 0) -> Any:
    """A layer of this name."""
    key = jax.random.key(seed)
    linear = eqx.nn.Linear(2, 2, key=key)
    if name in ("Sequential",):
        return eqx.nn.Sequential([linear])
    if name == "Lambda":
        return eqx.nn.Lambda(jax.nn.relu)
    if name == "WeightNorm":
        return eqx.nn.WeightNorm(linear)
    if name == "SpectralNorm":
        return eqx.nn.SpectralNorm(linear, "weight", key=key)
    args = LAYER_ARGUMENTS.get(name, (1,) if "Pool" in name else (2, 2))
    if name.startswith("Conv") and name not in LAYER_ARGUMENTS:
        args = (2, 2, 1)
    cls = getattr(eqx.nn, name)
    try:
        return cls(*args, key=key)
    except TypeError:
        return cls(*args)


def leaves_of(layer: Any) -> dict[str, list[Any]]:
    """The leaves of each field that is not static."""
    fields = [f for f in dataclasses.fields(layer) if not f.metadata.get("static")]
    return {f.name: jax.tree.leaves(getattr(layer, f.name)) for f in fields}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_layer_holds_what_the_table_says(name: str) -> None:
    known: Layer = LAYERS[name]
    leaves = leaves_of(made(name))
    assert set(known.arrays) <= set(leaves)
    assert all(eqx.is_array(leaf) for field in known.arrays for leaf in leaves[field])
    assert all(callable(leaf) for field in known.functions for leaf in leaves[field])
    for field in known.numbers:
        assert all(isinstance(leaf, (int, float)) for leaf in leaves[field])
    for field, inner in known.inner.items():
        assert type(getattr(made(name), field)) is getattr(eqx.nn, inner)
    functions = {f for f, held in leaves.items() if any(callable(leaf) for leaf in held)}
    assert functions <= {*known.functions, *known.inner, "layers", "layer"}


@pytest.mark.parametrize("name", sorted(set(LAYERS) - {"Sequential", "WeightNorm"}))
def test_layers_that_draw_differ_by_the_key(name: str) -> None:
    one, other = (jax.tree.leaves(eqx.filter(made(name, seed), eqx.is_array)) for seed in (0, 1))
    differ = any((a != b).any() for a, b in zip(one, other, strict=True))
    assert LAYERS[name].draws == differ


@pytest.mark.parametrize("name", ["Linear", "MLP", "LSTMCell", "GRUCell", "LayerNorm", "Dropout"])
def test_a_call_gives_what_the_table_says(name: str) -> None:
    layer, x = made(name), jnp.ones(2)
    args = (x, (x, x)) if name == "LSTMCell" else (x, x) if name == "GRUCell" else (x,)
    given = {"key": jax.random.key(0)} if name == "Dropout" else {}
    leaves = jax.tree.leaves(layer(*args, **given))
    assert len(leaves) == (2 if LAYERS[name].result == "pair" else 1)
    assert all(isinstance(leaf, jax.Array) for leaf in leaves)


def test_converters_run_after_an_initialiser_too() -> None:
    class Converted(eqx.Module):
        value: Any = eqx.field(converter=jnp.asarray)

        def __init__(self) -> None:
            self.value = 1.0

    assert isinstance(Converted().value, jax.Array)


def test_annotations_of_class_variables_are_no_fields() -> None:
    program = (
        "import equinox as eqx, jax\n"
        "from typing import ClassVar\n"
        "class Base(eqx.Module):\n"
        "    order: ClassVar[int] = 0\n"
        "    name: eqx.AbstractVar[str]\n"
        "class Diagonals(Base):\n"
        "    name: str\n"
        "    offsets: tuple = eqx.field(static=True)\n"
        "    values: jax.Array\n"
        "@jax.jit\n"
        "def f(x):\n"
        "    made = Diagonals('a', (1,), x)\n"
        "    return x if made.offsets[0] > 0 else -x\n"
        "f(jax.numpy.ones(2))\n"
    )
    assert [] == lint(program, "program.py", builtin_rules().values())
    exec(compile(program, "program", "exec", dont_inherit=True), {"__name__": "__main__"})


# -- what is refused -------------------------------------------------------------------------------

REFUSED = {
    "Linear": None,
    "MLP": "activation",
    "Lambda": "fn",
    "Sequential": None,
    "AvgPool1d": "operation",
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_plain_jit_refuses_functions_among_the_leaves(name: str) -> None:
    leaf = REFUSED[name]
    if leaf is None:
        jax.jit(lambda layer: 0)(made(name))
    else:
        with pytest.raises(TypeError, match="abstract array"):
            jax.jit(lambda layer: 0)(made(name))


@pytest.mark.parametrize(
    "transform", [jax.jit, jax.checkpoint], ids=lambda transform: transform.__name__
)
def test_a_module_with_arrays_has_no_hash(transform: Any) -> None:

    class Scale(eqx.Module):
        factor: Any

        def __call__(self, x: Any) -> Any:
            return self.factor * x

        def twice(self, x: Any) -> Any:
            return 2 * self.factor * x

    for function in (made("Linear"), Scale(jnp.ones(2)), Scale(jnp.ones(2)).twice):
        with pytest.raises(TypeError, match="unhashable"):
            transform(function)(jnp.ones(2))
    for function in (Scale(2.0), Scale(2.0).twice, Scale(jnp.ones(2)).__call__):
        transform(function)(jnp.ones(2))
    transform(eqx.nn.Lambda(jax.nn.relu))(jnp.ones(2))
    jax.vmap(made("Linear"))(jnp.ones((3, 2)))


# -- annotations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dotted", sorted(of_jaxtyping.model.annotations))
def test_annotations_promise_the_kind_of_dtype(dotted: str) -> None:
    pytest.importorskip("jaxtyping")
    annotation, promised = found(dotted), of_jaxtyping.model.annotations[dotted]
    dtypes = getattr(annotation, "dtypes", None)
    if isinstance(dtypes, (list, tuple)):
        prefixes = {next((p for p in _PREFIXES if str(d).startswith(p)), "") for d in dtypes}
        assert promised == "" or {_PREFIXES.get(p, "") for p in prefixes} == {promised}
    else:
        assert promised == ""


_PREFIXES = {
    "bool": "bool", "uint": "int", "int": "int", "float": "float", "bfloat": "float",
    "complex": "complex",
}  # fmt: skip


@pytest.mark.parametrize("name", of_diffrax.ABSTRACT)
def test_what_one_derives_from_is_a_module(name: str) -> None:
    diffrax = pytest.importorskip("diffrax")
    assert issubclass(getattr(diffrax, name), eqx.Module)

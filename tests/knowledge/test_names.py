"""Names, dtypes, constants, results and effects that the knowledge tables answer for."""

from __future__ import annotations

import importlib
import sys

import pytest
from imports_of_jax import marked

from jaxlint.knowledge import lookup
from jaxlint.knowledge.host import effects, purity


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("jax._src.api.jit", "jax.jit"),
        ("jax._src.lax.control_flow.loops.scan", "jax.lax.scan"),
        ("jax._src.lax.lax.add", "jax.lax.add"),
        ("jax._src.numpy.lax_numpy.arange", "jax.numpy.arange"),
        ("jax._src.numpy.reductions.sum", "jax.numpy.sum"),
        ("jax._src.random.split", "jax.random.split"),
        ("jax._src.tree_util.tree_map", "jax.tree.map"),
        ("jax.experimental.pjit.pjit", "jax.jit"),
        ("jax.experimental.shard_map.shard_map", "jax.shard_map"),
        ("jax.numpy.abs", "jax.numpy.abs"),
        ("jax.numpy.absolute", "jax.numpy.absolute"),
        ("jax.remat", "jax.checkpoint"),
        ("jax.tree_map", "jax.tree.map"),
        ("jax.tree_util.tree_leaves", "jax.tree.leaves"),
        ("numba.jit", "numba.jit"),
        ("numpy.abs", "numpy.abs"),
    ],
)
def test_every_spelling_has_one_public_name(dotted: str, expected: str) -> None:
    assert lookup.canonical(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("jax.device_count", "static"),
        ("jax.lax.axis_size", "static"),
        ("jax.lax.psum", "same"),
        ("jax.lax.stop_gradient", "same"),
        ("jax.nn.initializers.he_normal", "object"),
        ("jax.numpy.float32", "array"),
        ("jax.numpy.iinfo", "static"),
        ("jax.numpy.issubdtype", "static"),
        ("jax.numpy.linalg.eigh", "tuple"),
        ("jax.numpy.meshgrid", "tuple"),
        ("jax.numpy.shape", "static"),
        ("jax.random.key", "key"),
        ("jax.random.split", "key"),
        ("jax.typeof", "static"),
    ],
)
def test_results_have_their_kind(dotted: str, expected: str) -> None:
    spec = lookup.function(dotted)
    assert spec is not None
    assert spec.result == expected


@pytest.mark.parametrize("dotted", ["jax.jit", "jax.lax.scan", "jax.numpy.nosuch", "os.remove"])
def test_unknown_functions_and_transforms_have_no_specification(dotted: str) -> None:
    assert lookup.function(dotted) is None


@pytest.mark.parametrize(
    ("dotted", "kind", "dtype"),
    [
        ("builtins.int", "int", False),
        ("jax.numpy.bfloat16", "float", True),
        ("jax.numpy.bool_", "bool", True),
        ("jax.numpy.uint8", "int", True),
        ("numpy.complex64", "complex", True),
        ("numpy.pi", "", False),
        ("torch.float32", "", False),
    ],
)
def test_dtypes_know_their_kind(dotted: str, kind: str, dtype: bool) -> None:
    assert (lookup.dtype_kind(dotted), lookup.is_dtype(dotted)) == (kind, dtype)


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("jax.lax.Precision.HIGHEST", ""),
        ("jax.numpy.newaxis", "NoneType"),
        ("math.pi", "float"),
        ("numpy.inf", "float"),
        ("os.sep", "str"),
        ("numpy.sin", None),
    ],
)
def test_constants_are_known(dotted: str, expected: str | None) -> None:
    assert lookup.constant(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("absl.logging.info", "log"),
        ("builtins.open", "io"),
        ("builtins.print", "print"),
        ("datetime.datetime.now", "clock"),
        ("jax.debug.print", None),
        ("jax.numpy.save", "io"),
        ("jax.random.normal", None),
        ("logging.getLogger", None),
        ("math.sqrt", None),
        ("numpy.random.default_rng", None),
        ("numpy.random.normal", "rng"),
        ("os.path.join", None),
        ("os.urandom", "rng"),
        ("random.random", "rng"),
        ("time.perf_counter", "clock"),
        ("uuid.uuid4", "rng"),
        ("warnings.warn", "log"),
    ],
)
def test_calls_have_their_effect(dotted: str, expected: str | None) -> None:
    assert lookup.effect(dotted) == expected


@pytest.mark.parametrize(
    ("constructor", "method", "expected"),
    [
        ("builtins.open", "write", "io"),
        ("logging.getLogger", "info", "log"),
        ("logging.getLogger", "addHandler", None),
        ("numpy.random.RandomState", "randn", "rng"),
        ("numpy.random.default_rng", "integers", "rng"),
        ("pathlib.Path", "joinpath", None),
        ("pathlib.Path", "write_text", "io"),
        ("random.Random", "shuffle", "rng"),
        ("tensorboardX.SummaryWriter", "add_scalar", "log"),
        ("tqdm.tqdm", "set_postfix", "log"),
    ],
)
def test_methods_of_constructed_objects_have_their_effect(
    constructor: str, method: str, expected: str | None
) -> None:
    kind = lookup.constructed_kind(constructor)
    assert kind is not None
    assert lookup.method_effect(kind, method) == expected


def test_only_serialisers_need_a_traced_operand() -> None:
    known = [lookup.needs_traced(name) for name in ("json.dumps", "json.dump", "builtins.open")]
    assert known == [True, False, False]


@pytest.mark.parametrize(
    "module", ["builtins", "datetime", "json", "logging", "math", "os", "pickle", "random",
               "shutil", "subprocess", "time"],
)  # fmt: skip
def test_effects_of_installed_modules_exist(module: str) -> None:
    later_or_elsewhere = {"os.startfile", "random.binomialvariate", "time.clock"}
    names = [name for name in effects._EFFECT_OF if name.rpartition(".")[0] == module]
    removed = {"numpy.random.tomaxint"}
    home = importlib.import_module(module)
    missing = {name for name in names if not hasattr(home, name.rpartition(".")[2])}
    assert sorted(missing - later_or_elsewhere - removed) == []


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("numpy.array", "raises"),
        ("numpy.array_equal", "swallows"),
        ("numpy.clip", "raises"),
        ("numpy.concatenate", "raises"),
        ("numpy.dot", "raises"),
        ("numpy.float32", "raises"),
        ("numpy.linalg.norm", "raises"),
        ("numpy.maximum", "raises"),
        ("numpy.mean", "delegates"),
        ("numpy.ndim", "static"),
        ("numpy.reshape", "delegates"),
        ("numpy.result_type", "static"),
        ("numpy.shape", "static"),
        ("numpy.sin", "raises"),
        ("numpy.sum", "delegates"),
        ("numpy.take", "other"),
        ("numpy.where", "raises"),
        ("numpy.random.normal", None),
        ("pandas.read_csv", None),
    ],
)
def test_numpy_functions_do_what_was_measured(dotted: str, expected: str | None) -> None:
    assert lookup.numpy_function(dotted) == expected


@pytest.mark.parametrize("dotted", marked(sorted(purity.REPLACING | purity.GIVING)))
def test_what_makes_changed_copies_exists(dotted: str) -> None:
    module, _, name = dotted.rpartition(".")
    if dotted == "copy.replace" and sys.version_info < (3, 13):
        pytest.skip("came with Python 3.13")
    assert callable(getattr(importlib.import_module(module), name))

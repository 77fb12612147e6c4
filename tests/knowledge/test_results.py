"""The dtypes of results are what the installed JAX makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations_with_replacement, product
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.engine.domain.dtypes import made_dtype, typed, width
from jaxlint.engine.domain.pytrees import INEXACT
from jaxlint.engine.domain.values import Concrete, Sequence, Static, Value
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.results import (
    COUNTED,
    INEXACT_RESULTS,
    NOT_PROMOTED,
    PROMOTED,
    PROMOTED_COUNTS,
    PROMOTED_INEXACT,
    REAL_PARTS,
    SAME_DTYPE,
)
from jaxlint.knowledge.arrays.widths import width_of
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

pytestmark = pytest.mark.jax
MODULES = (
    "jax.numpy",
    "jax.numpy.linalg",
    "jax.numpy.fft",
    "jax.nn",
    "jax.lax",
    "jax.ops",
    "jax.scipy.linalg",
    "jax.scipy.special",
)
KINDS = {"bool": jnp.bool_, "int": jnp.int32, "float": jnp.float32, "complex": jnp.complex64}
SORTS = {
    "bool": jnp.bool_,
    "int": jnp.integer,
    "float": jnp.floating,
    "complex": jnp.complexfloating,
}
NARROW = (jnp.bfloat16, jnp.float16, jnp.int8, jnp.uint8)
MORE = PROMOTED | PROMOTED_COUNTS | PROMOTED_INEXACT
ONE = COUNTED | INEXACT_RESULTS | REAL_PARTS | SAME_DTYPE
PLACE: Any = ir.Const
# What functions need beside arrays.
REQUIRED: dict[str, Any] = {
    "axis_name": "i",
    "destination": 0,
    "dimension": 0,
    "indices_or_sections": 2,
    "num_segments": 2,
    "pad_width": 1,
    "repeats": 2,
    "reps": 2,
    "segment_ids": jnp.zeros(2, int),
    "shape": (2, 2),
    "shift": 1,
    "sizes": (2,),
    "source": 0,
    "subscripts": "...,...->...",
}


def functions(names: frozenset[str]) -> list[Any]:
    found = []
    for home in MODULES:
        module = import_module(home)
        for name in sorted(names):
            function, spec = getattr(module, name, None), lookup.function(f"{home}.{name}")
            if function is not None and spec is not None and spec.result in ("array", "list"):
                found.append(pytest.param(f"{home}.{name}", function, spec, id=f"{home}.{name}"))
    return found


def as_value(given: Any) -> Value:
    if isinstance(given, (list, tuple)):
        return Sequence("list", [as_value(one) for one in given], None)
    if not isinstance(given, jax.Array):
        return Static(given)
    kind = next(kind for kind, dtype in SORTS.items() if jnp.issubdtype(given.dtype, dtype))
    return Concrete(kind, given.ndim, not given.weak_type and width_of(given.dtype.name))


def arguments(spec: FunctionSpec, arrays: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    """What a function may be called with that is to make something of arrays."""
    if "condition" in spec.params or "pred" in spec.params or "condlist" in spec.params:
        yield dict(zip(spec.params, (jnp.ones(arrays[0].shape, bool), *arrays), strict=False))
        yield dict(zip(spec.params, ([arrays[0] > 0], [*arrays], 0), strict=False))
        return
    yield {spec.params[0]: [*arrays]}
    left, given = [*arrays], dict[str, Any]()
    for name in spec.params if spec.positional < 0 else spec.params[: spec.positional]:
        if name in REQUIRED:
            given[name] = REQUIRED[name]
        elif left and name not in NOT_PROMOTED:
            given[name] = left.pop(0)
    yield given


def abstract(function: Any, given: dict[str, Any]) -> Any:
    """What a call gives, with the shapes and dtypes alone."""
    return jax.eval_shape(lambda: function(*given.values()))


def check(dotted: str, function: Any, spec: FunctionSpec, count: int) -> None:
    name = dotted.rpartition(".")[2]
    operands = [
        jnp.full(shape, 1, dtype) if strong else jnp.asarray(dtype(1).item())
        for shape in ((2, 2), ())
        for dtype in (
            [*KINDS.values(), *NARROW] if shape or count == 1 else (jnp.int32, jnp.float32)
        )
        for strong in ((True,) if shape else (True, False))
    ]
    shaped = [array for array in operands if array.shape]
    scalars = [array for array in operands if not array.shape]
    pairs = combinations_with_replacement(shaped, count)
    mixed = [
        one for one in product(scalars, repeat=count) if len({x.weak_type for x in one}) == count
    ]
    for arrays in (*pairs, *mixed):
        for given in arguments(spec, arrays):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = abstract(function, given)
            except Exception:
                continue
            real = jax.tree.leaves(made)[0]
            bound = {key: (as_value(one), PLACE) for key, one in given.items()}
            kind = made_dtype(name, spec, bound)
            accepted = (jnp.inexact,) if kind == INEXACT else (SORTS.get(kind, jnp.generic),)
            assert any(jnp.issubdtype(real.dtype, one) for one in accepted), (given, kind, real)
            result = typed(dotted, spec, bound, Concrete(kind, real.ndim))
            assert isinstance(result, Concrete)
            assert not (result.strong and real.weak_type), (given, real)
            assert width(result) in ("", width_of(real.dtype.name)), (given, width(result), real)


@pytest.mark.parametrize(("dotted", "function", "spec"), functions(ONE))
def test_results_of_one_array(dotted: str, function: Any, spec: FunctionSpec) -> None:
    check(dotted, function, spec, 1)


@pytest.mark.parametrize(("dotted", "function", "spec"), functions(MORE))
def test_results_of_several_arrays(dotted: str, function: Any, spec: FunctionSpec) -> None:
    check(dotted, function, spec, 2)


def test_every_name_is_one_of_a_function() -> None:
    known = {name for home in MODULES for name in dir(import_module(home))}
    assert ONE | MORE - {"flatten"} <= known | {"flatten"}

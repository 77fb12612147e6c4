"""The questions that the engine asks of the tables, gathered in one place."""

from jaxlint.knowledge.arrays import (
    ARRAY_ATTRIBUTES,
    ARRAYS_ONLY,
    CONCRETISING_METHODS,
    HOST_METHODS,
    STATIC_ATTRIBUTES,
    constant,
    dtype_kind,
    is_dtype,
    method,
)
from jaxlint.knowledge.coercions import PY_CASTS, math_function
from jaxlint.knowledge.effects import constructed_kind, effect, method_effect, needs_traced
from jaxlint.knowledge.functions import FunctionSpec, canonical, function
from jaxlint.knowledge.higher_order import HigherOrder, higher_order
from jaxlint.knowledge.numpy_calls import CONVERTERS, numpy_function
from jaxlint.knowledge.releases import Release, available, release

__all__ = [
    "ARRAYS_ONLY",
    "ARRAY_ATTRIBUTES",
    "CONCRETISING_METHODS",
    "CONVERTERS",
    "HOST_METHODS",
    "PY_CASTS",
    "STATIC_ATTRIBUTES",
    "FunctionSpec",
    "HigherOrder",
    "Release",
    "available",
    "canonical",
    "constant",
    "constructed_kind",
    "dtype_kind",
    "effect",
    "function",
    "higher_order",
    "is_dtype",
    "math_function",
    "method",
    "method_effect",
    "needs_traced",
    "numpy_function",
    "release",
]

"""The questions that the engine asks of the tables, gathered in one place."""

from jaxlint.knowledge.arrays import (
    ARRAY_ATTRIBUTES,
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
from jaxlint.knowledge.numpy_calls import numpy_function

__all__ = [
    "ARRAY_ATTRIBUTES",
    "CONCRETISING_METHODS",
    "HOST_METHODS",
    "PY_CASTS",
    "STATIC_ATTRIBUTES",
    "FunctionSpec",
    "canonical",
    "constant",
    "constructed_kind",
    "dtype_kind",
    "effect",
    "function",
    "is_dtype",
    "math_function",
    "method",
    "method_effect",
    "needs_traced",
    "numpy_function",
]

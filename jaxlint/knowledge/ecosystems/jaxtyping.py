"""What jaxlint knows of jaxtyping.

Source: the jaxtyping documentation, "Array annotations": `Float[Array, "batch dim"]` is an array
whose dtype is a floating-point one. `ScalarLike` also holds Python numbers and is left out.
"""

from __future__ import annotations

from jaxlint.knowledge.models import Model

_KINDS = {
    "bool": ("Bool",),
    "complex": ("Complex", "Complex64", "Complex128"),
    "float": (
        "BFloat16", "Float", "Float16", "Float32", "Float64", "Float8e4m3b11fnuz", "Float8e4m3fn",
        "Float8e4m3fnuz", "Float8e5m2", "Float8e5m2fnuz",
    ),
    "int": (
        "Int", "Int16", "Int2", "Int32", "Int4", "Int64", "Int8", "Integer", "UInt", "UInt16",
        "UInt2", "UInt32", "UInt4", "UInt64", "UInt8",
    ),
    "": ("Array", "Inexact", "Key", "Num", "PRNGKeyArray", "Real", "Scalar", "Shaped"),
}  # fmt: skip

model = Model(
    "jaxtyping",
    transparent=frozenset({"jaxtyping.jaxtyped"}),
    annotations={f"jaxtyping.{name}": kind for kind, names in _KINDS.items() for name in names},
)

"""The abstract domain: what the tracer knows of a Python value, and how two of them join.

Values without identity are immutable and shared; the heap kinds (`Sequence`, `Mapping`,
`Instance`) are mutable objects whose identity is that of the Python object they stand for. The
engine imports all kinds from here; each stands in the module of its subject.
"""

from __future__ import annotations

from jaxlint.engine.domain.kinds.array_values import (
    Concrete,
    NumPy,
    Ref,
    Traced,
    as_traced,
)
from jaxlint.engine.domain.kinds.callables import (
    Bound,
    Function,
    Method,
    Partial,
    Transformed,
)
from jaxlint.engine.domain.kinds.containers import (
    AGES,
    MOST_ELEMENTS,
    Heap,
    Iterator,
    Mapping,
    Sequence,
)
from jaxlint.engine.domain.kinds.lattice import (
    MOST_NESTED,
    MOST_OPTIONS,
    join,
    join_all,
)
from jaxlint.engine.domain.kinds.objects import (
    Class,
    Descriptor,
    Instance,
)
from jaxlint.engine.domain.kinds.value import (
    BOOL,
    COMPILED,
    COMPLEX,
    FALSE,
    INT,
    MADE_BY,
    MAY_BE_STATIC,
    NONE,
    OF_OWN,
    REBUILT,
    SHAPE,
    STATIC,
    STR,
    TRUE,
    UNSET,
    LibraryName,
    NonNone,
    Perhaps,
    Static,
    Union,
    Unknown,
    Value,
    is_none,
    options,
)

__all__ = [
    "AGES",
    "BOOL",
    "COMPILED",
    "COMPLEX",
    "FALSE",
    "INT",
    "MADE_BY",
    "MAY_BE_STATIC",
    "MOST_ELEMENTS",
    "MOST_NESTED",
    "MOST_OPTIONS",
    "NONE",
    "OF_OWN",
    "REBUILT",
    "SHAPE",
    "STATIC",
    "STR",
    "TRUE",
    "UNSET",
    "Bound",
    "Class",
    "Concrete",
    "Descriptor",
    "Function",
    "Heap",
    "Instance",
    "Iterator",
    "LibraryName",
    "Mapping",
    "Method",
    "NonNone",
    "NumPy",
    "Partial",
    "Perhaps",
    "Ref",
    "Sequence",
    "Static",
    "Traced",
    "Transformed",
    "Union",
    "Unknown",
    "Value",
    "as_traced",
    "is_none",
    "join",
    "join_all",
    "options",
]

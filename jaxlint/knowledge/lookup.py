"""The questions that the engine asks of the tables, gathered in one place."""

from jaxlint.knowledge.arrays.attributes import (
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
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.functions import canonical as _canonical
from jaxlint.knowledge.functions import function as _function
from jaxlint.knowledge.higher_order import HigherOrder, higher_order
from jaxlint.knowledge.host.conversions import PY_CASTS, math_function
from jaxlint.knowledge.host.effects import constructed_kind, effect, method_effect, needs_traced
from jaxlint.knowledge.host.numpy_calls import CONVERTERS, numpy_function
from jaxlint.knowledge.models import Model, model_of
from jaxlint.knowledge.releases import (
    Release,
    Removal,
    Supported,
    available,
    release,
    removal,
    supported,
)
from jaxlint.knowledge.transforms import (
    COMPILE_TIME_CONTEXTS,
    CONCRETE_TESTS,
    FALSE_WHILE_TRACED,
    OPAQUE_WRAPPERS,
    PYTREE_BASES,
    PYTREE_DECORATORS,
    STATIC_FIELDS,
    TRANSPARENT,
    WRAPPERS,
    Wrapper,
)

__all__ = [
    "ARRAYS_ONLY",
    "ARRAY_ATTRIBUTES",
    "CONCRETISING_METHODS",
    "CONVERTERS",
    "FALSE_WHILE_TRACED",
    "HOST_METHODS",
    "PY_CASTS",
    "STATIC_ATTRIBUTES",
    "FunctionSpec",
    "HigherOrder",
    "Model",
    "Release",
    "Removal",
    "Supported",
    "Wrapper",
    "array_annotation",
    "available",
    "canonical",
    "constant",
    "constructed_kind",
    "dtype_kind",
    "effect",
    "function",
    "hides_source",
    "higher_order",
    "is_dtype",
    "is_known",
    "is_module_base",
    "is_opaque_wrapper",
    "is_plain_base",
    "is_pytree_base",
    "is_static_annotation",
    "is_static_field",
    "is_transparent",
    "kept_name",
    "makes_pytree",
    "math_function",
    "method",
    "method_effect",
    "model_of",
    "needs_traced",
    "numpy_function",
    "release",
    "removal",
    "supported",
    "wrapper",
]


def canonical(dotted: str) -> str:
    """The canonical name of a JAX function or of one of a library with a model. The names of
    `typing_extensions` are those of `typing`."""
    top, dot, rest = dotted.partition(".")
    if top == "typing_extensions":
        return f"typing{dot}{rest}"
    model = model_of(dotted)
    if model is not None:
        dotted = model.aliases.get(dotted, dotted)
    return _canonical(dotted)


def function(dotted: str) -> FunctionSpec | None:
    """What the function of this canonical name does; None when that is not known."""
    model = model_of(dotted)
    return _function(dotted) if model is None else model.functions.get(dotted)


def hides_source(dotted: str) -> bool:
    """Whether the tables speak for a library, so that its source is not read where a project
    has it."""
    top = dotted.partition(".")[0]
    if top in ("jax", "jaxlib", "numpy"):
        return True
    model = model_of(top)
    return model is not None and not model.is_summary


def kept_name(dotted: str) -> str | None:
    """The name by which a model speaks for a definition in its library's own source; None where
    the source is followed. Private modules are no part of the name."""
    top, *rest = dotted.split(".")
    model = model_of(top)
    if model is None or not model.kept:
        return None
    public = ".".join([top, *(part for part in rest if not part.startswith("_"))])
    return canonical(public) if public in model.kept else None


def is_known(dotted: str) -> bool:
    """Whether any table says something of a name of JAX's own modules."""
    if canonical(dotted) != dotted or removal(dotted) is not None:
        return True
    return dotted in COMPILE_TIME_CONTEXTS or dotted in CONCRETE_TESTS


def wrapper(dotted: str) -> Wrapper | None:
    """The contract of a transform that takes a function and returns one."""
    model = model_of(dotted)
    found = None if model is None else model.wrappers.get(dotted)
    return WRAPPERS.get(dotted) if found is None else found


def is_opaque_wrapper(dotted: str) -> bool:
    """Whether this wraps functions, without our knowing what becomes traced in them."""
    model = model_of(dotted)
    return dotted in OPAQUE_WRAPPERS or (model is not None and dotted in model.opaque)


def makes_pytree(dotted: str) -> bool:
    """Whether this decorates classes whose fields then are children of a pytree."""
    model = model_of(dotted)
    return dotted in PYTREE_DECORATORS or (model is not None and dotted in model.pytree_decorators)


def is_pytree_base(dotted: str) -> bool:
    """Whether a class that derives from this is a pytree of its fields."""
    model = model_of(dotted)
    return dotted in PYTREE_BASES or (model is not None and dotted in model.pytree_bases)


def is_module_base(dotted: str) -> bool:
    """Whether methods of classes that derive from this run in compiled code, as a rule."""
    model = model_of(dotted)
    return model is not None and dotted in model.modules


def is_plain_base(dotted: str) -> bool:
    """Whether this library class lets attributes be read and set as Python does."""
    model = model_of(dotted)
    return model is not None and dotted in model.plain_bases


def is_static_field(dotted: str) -> bool:
    """Whether this declares a field of a class, which may be static."""
    model = model_of(dotted)
    return dotted in STATIC_FIELDS or (model is not None and dotted in model.static_fields)


def is_transparent(dotted: str) -> bool:
    """Whether this decorator gives back what it is given, as far as tracing goes."""
    model = model_of(dotted)
    return dotted in TRANSPARENT or (model is not None and dotted in model.transparent)


def is_static_annotation(dotted: str) -> bool:
    """Whether `name[...]` annotates a field or a parameter that is static."""
    model = model_of(dotted)
    return model is not None and dotted in model.static_annotations


def array_annotation(dotted: str) -> str | None:
    """The kind of dtype of the arrays that this annotates, "" for any; None if it is no such
    annotation of a library with a model."""
    model = model_of(dotted)
    return None if model is None else model.annotations.get(dotted)

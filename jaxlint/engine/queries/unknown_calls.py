"""Why it is not known what a call calls, and what a value is called by."""

from __future__ import annotations

from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    MADE_BY,
    OF_OWN,
    Bound,
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Method,
    Partial,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.knowledge import lookup
from jaxlint.project.modules import STANDARD_LIBRARY

_REFUSED = "body that is not run: recursion or size"
_UNMATCHED = "call that cannot be matched"
# Results that tell that nothing is known of what was called, by the kind of the callee.
_BLANK = frozenset(
    {
        "call",
        "call of an object",
        _UNMATCHED,
        "method",
        "method of a library object",
        "method of a pytree parameter",
        "method of a transformed function",
    }
)


def bare(func: Value) -> Value:
    while isinstance(func, (Transformed, Partial, Bound, Descriptor)):
        func = func.func
    return func


def full_name(func: Value) -> str:
    """The name of a library function, "" for everything else."""
    func = bare(func)
    named = isinstance(func, LibraryName) and not func.dotted.startswith("builtins.")
    return func.dotted if named and isinstance(func, LibraryName) else ""


def reason_of(func: Value, result: Value, refused: set[int]) -> str:
    """Why it is not known what is called, "" where it is."""
    given = result.reason if isinstance(result, Unknown) else ""
    unmatched = given if given == _UNMATCHED and isinstance(func, Transformed) else ""
    func = bare(func)
    if isinstance(func, Union):
        each = [reason_of(one, result, refused) for one in func.options if not is_none(one)]
        return min(each, default="")
    if isinstance(func, Unknown):
        return of_unknown(func)
    if isinstance(func, Traced):
        return "value that is not known: parameter that is called"
    if isinstance(func, Function):
        return _REFUSED if id(func.node) in refused else unmatched
    if isinstance(func, LibraryName):
        return _of_library(func.dotted, given)
    if isinstance(func, (Instance, FrameworkObject, Method)):
        return _of_object(func, given)
    if isinstance(func, (Class, Static)) and given != "call of a static value":
        return ""
    return f"value that is not known: {given}" if given else ""


def of_unknown(value: Value) -> str:
    """Why a value that is called is not known: where it comes from. "" for others."""
    if not isinstance(value, Unknown):
        return ""
    origin = value.reason.removeprefix(MADE_BY).removesuffix(OF_OWN)
    if origin != value.reason and origin.isidentifier():
        return f"object of {_library(origin)}: {origin}"
    return f"value that is not known: {value.reason}"


def _of_library(dotted: str, given: str) -> str:
    """Why a call of a library's name is not known, "" where it is."""
    top = dotted.partition(".")[0]
    blank = {f"{MADE_BY}{top}", f"{MADE_BY}{top}{OF_OWN}", f"{dotted} without a model"}
    if given not in blank and not (top == "numpy" and given == "NumPy function"):
        return ""
    if top in ("jax", "jaxlib", "numpy") or lookup.model_of(dotted) is not None:
        return f"function without a model: {dotted}"
    if not top:
        return f"module that is not found: {dotted.rpartition('.')[0] or dotted}"
    return f"{_library(top)}: {dotted.rpartition('.')[0] or dotted}"


def _library(top: str) -> str:
    if top in STANDARD_LIBRARY:
        return "standard library without a model"
    if top in ("jax", "jaxlib", "numpy") or lookup.model_of(top) is not None:
        return "function without a model"
    return "third party without a model"


def _of_object(func: Instance | FrameworkObject | Method, given: str) -> str:
    """Why a call of an object or of its method is not known, "" where it is."""
    runs = isinstance(func, Instance) and func.cls.find("__call__") is not None
    if given not in _BLANK or runs:
        return ""
    owner = func.owner if isinstance(func, Method) else func
    if isinstance(owner, FrameworkObject):
        name = f"{owner.dotted}.{func.name}" if isinstance(func, Method) else owner.dotted
        return f"function without a model: {name}"
    return f"value that is not known: {given}"

"""Functions of JAX that compute what those of NumPy, SciPy and `math` compute."""

from __future__ import annotations

from jaxlint.knowledge import lookup
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

_RENAMED = {
    "numpy.asanyarray": "jax.numpy.asarray",
    "numpy.ascontiguousarray": "jax.numpy.asarray",
    "numpy.asfortranarray": "jax.numpy.asarray",
    "numpy.fix": "jax.numpy.trunc",
    "numpy.half": "jax.numpy.float16",
    "numpy.row_stack": "jax.numpy.vstack",
    "math.dist": "",
    "math.erf": "jax.scipy.special.erf",
    "math.erfc": "jax.scipy.special.erfc",
    "math.gamma": "jax.scipy.special.gamma",
    "math.lgamma": "jax.scipy.special.gammaln",
    "math.pow": "jax.numpy.float_power",
}
# Those of NumPy that JAX has with another contract, or that call a function for each element.
_OTHERS = frozenset({
    "apply_along_axis", "apply_over_axes", "copyto", "from_dlpack", "frombuffer", "fromfile",
    "fromfunction", "fromiter", "frompyfunc", "fromstring", "load", "piecewise", "place", "put",
    "putmask", "save", "savez", "vectorize", "double", "float64", "int64", "uint64", "cdouble",
    "complex128", "int_", "uint", "longdouble",
})  # fmt: skip
# So many arguments by position mean the same, where that is not all of them.
_ALIKE = {
    "jax.numpy.concatenate": 2,
    "jax.numpy.empty_like": 2,
    "jax.numpy.full_like": 3,
    "jax.numpy.histogram": 3,
    "jax.numpy.histogram2d": 4,
    "jax.numpy.histogramdd": 3,
    "jax.numpy.linalg.matrix_rank": 1,
    "jax.numpy.linalg.pinv": 1,
    "jax.numpy.ones_like": 2,
    "jax.numpy.zeros_like": 2,
}
_ABSENT = frozenset({
    "comb", "factorial", "fma", "frexp", "fsum", "isqrt", "modf", "perm", "polar", "prod", "rect",
    "remainder", "sumprod", "ulp", "isclose", "ldexp",
})  # fmt: skip
_KEYWORDS = {"jax.numpy.clip": {"a": "arr", "a_min": "min", "a_max": "max"}}
_WIDE = frozenset({
    "float64", "double", "int64", "uint64", "complex128", "cdouble", "longdouble", "object",
    "object_", "str", "str_",
})  # fmt: skip


def namesake(dotted: str) -> str:
    """The function of JAX that computes what a function of NumPy, `math` or SciPy does, "" where
    there is none. Source: documentation of `jax.numpy` and `jax.scipy`."""
    module, _, name = dotted.partition(".")
    if dotted in _RENAMED:
        return _RENAMED[dotted]
    if dotted.startswith(("scipy.linalg.", "scipy.special.")):
        return f"jax.{dotted}" if lookup.function(f"jax.{dotted}") is not None else ""
    absent = _OTHERS if module == "numpy" else _ABSENT
    known = module in ("numpy", "math") and name not in absent
    found = f"jax.numpy.{name}"
    return found if known and lookup.function(lookup.canonical(found)) is not None else ""


def renamed_keywords(dotted: str) -> dict[str, str]:
    """What parameters of a NumPy function are called in its namesake."""
    return _KEYWORDS.get(dotted, {})


def most_by_position(dotted: str) -> int:
    """How many arguments by position mean the same to a namesake, -1 for any number."""
    spec = lookup.function(lookup.canonical(dotted))
    most = 1 if dotted.startswith("jax.scipy.") else -1 if spec is None else spec.positional
    return _ALIKE.get(dotted, most)


def takes(dotted: str, call: ir.Call) -> bool:
    """Whether the namesake of the function that is called takes the same arguments, and needs no
    more to give a result of known shape."""
    spec = lookup.function(lookup.canonical(dotted))
    if spec is None or any(a.star for a in call.args) or not _is_bounded(spec, call):
        return False
    keywords = {renamed_keywords(dotted).get(a.keyword, a.keyword) for a in call.args if a.keyword}
    count = sum(a.keyword is None for a in call.args)
    most = most_by_position(dotted)
    if not keywords <= set(spec.params) - {"out"} or (count > most and most >= 0):
        return False
    if "out" in spec.params[:count] and most >= 0:
        return False
    return not any(_is_wide(a.value) for a in call.args)


def _is_wide(node: ir.Expr) -> bool:
    """Whether this names a dtype that arrays of JAX have at request only, or never."""
    if isinstance(node, ir.Const):
        return node.value in _WIDE if isinstance(node.value, str) else False
    name = node.attr if isinstance(node, ir.Attribute) else getattr(node, "id", "")
    return name in _WIDE


def _is_bounded(spec: FunctionSpec, call: ir.Call) -> bool:
    """Whether the shape of a result depends on no values."""
    given = {*spec.params[: len(call.args)], *(a.keyword for a in call.args)}
    return not spec.family or (bool(spec.unless) and given.issuperset(spec.unless))

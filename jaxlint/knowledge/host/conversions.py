"""Python builtins and mathematics modules that need the concrete value of their argument."""

from __future__ import annotations

# What each raises for a traced zero-dimensional array of a suitable dtype.
PY_CASTS = {
    "builtins.bin": "TracerIntegerConversionError",
    "builtins.bool": "TracerBoolConversionError",
    "builtins.chr": "TracerIntegerConversionError",
    "builtins.complex": "ConcretizationTypeError",
    "builtins.float": "ConcretizationTypeError",
    "builtins.hex": "TracerIntegerConversionError",
    "builtins.int": "ConcretizationTypeError",
    "builtins.oct": "TracerIntegerConversionError",
    "operator.index": "TracerIntegerConversionError",
    "operator.not_": "TracerBoolConversionError",
    "operator.truth": "TracerBoolConversionError",
}

# `math.prod` and `math.sumprod` are missing: they only multiply and add, so a tracer passes.
_MATHEMATICS = {
    "math": "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist "
    "erf erfc exp exp2 expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot isclose "
    "isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter perm pow "
    "radians remainder sin sinh sqrt tan tanh trunc ulp",
    "cmath": "acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log "
    "log10 phase polar rect sin sinh sqrt tan tanh",
    "statistics": "fmean geometric_mean harmonic_mean mean median median_high median_low mode "
    "pstdev pvariance quantiles stdev variance",
    "fractions": "Fraction",
    "decimal": "Decimal",
}
_MATH_NAMES = frozenset(
    f"{module}.{name}" for module, names in _MATHEMATICS.items() for name in names.split()
)


def math_function(dotted: str) -> bool:
    """Whether this is a function of Python's mathematics modules that a tracer makes raise."""
    return dotted in _MATH_NAMES

"""What attributes and methods of arrays and tracers give, dtypes and constants."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from jaxlint.knowledge.functions import FunctionSpec, spec_from

# Concrete under `jax.jit`. `sharding` and `device` are missing: a tracer has neither.
STATIC_ATTRIBUTES = frozenset({
    "aval", "dtype", "itemsize", "nbytes", "ndim", "shape", "size", "weak_type",
})  # fmt: skip

ARRAY_ATTRIBUTES = frozenset({"T", "mT", "real", "imag"})

# Methods that need the value: what each raises on a tracer of a suitable dtype and shape.
CONCRETISING_METHODS = {
    "__array__": "TracerArrayConversionError",
    "__bool__": "TracerBoolConversionError",
    "__complex__": "ConcretizationTypeError",
    "__float__": "ConcretizationTypeError",
    "__index__": "TracerIntegerConversionError",
    "__int__": "ConcretizationTypeError",
    "item": "ConcretizationTypeError",
    "tobytes": "ConcretizationTypeError",
    "tolist": "ConcretizationTypeError",
}

# Methods about buffers and devices, of which a tracer has none: what each raises.
HOST_METHODS = {
    "addressable_data": "ConcretizationTypeError",
    "block_until_ready": "AttributeError",
    "copy_to_host_async": "AttributeError",
    "delete": "ConcretizationTypeError",
    "devices": "ConcretizationTypeError",
    "is_deleted": "ConcretizationTypeError",
    "on_device_size_in_bytes": "ConcretizationTypeError",
}

# Methods of arrays that containers do not have. An object of a registered class may, and then
# computes the result from its leaves.
ARRAYS_ONLY = frozenset({
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "clip", "cumprod",
    "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "nonzero", "prod", "ptp",
    "ravel", "repeat", "reshape", "round", "squeeze", "std", "sum", "swapaxes", "trace",
    "transpose", "var",
})  # fmt: skip

_KINDS = {
    "bool": "bool bool_",
    "int": "byte short intc int_ long longlong int2 int4 int8 int16 int32 int64 intp ubyte ushort "
    "uintc uint ulong ulonglong uint2 uint4 uint8 uint16 uint32 uint64 uintp "
    "integer signedinteger unsignedinteger int1 uint1",
    "float": "half single double longdouble float_ float16 float32 float64 float128 bfloat16 "
    "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3fn "
    "float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu floating",
    "complex": "csingle cdouble clongdouble complex_ complex64 complex128 complex256 "
    "complexfloating",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_DTYPE_HOMES = frozenset({"jax.numpy", "numpy", "jax.dtypes", "ml_dtypes"})
_PYTHON_KINDS = {f"builtins.{name}": name for name in ("bool", "int", "float", "complex")}

# By module and the type of what a name stands for.
_CONSTANTS = {
    "math": {"float": "e inf nan pi tau"},
    "cmath": {"float": "e inf nan pi tau", "complex": "infj nanj"},
    "numpy": {
        "float": "e euler_gamma inf nan pi Inf Infinity NAN NaN NINF PINF",
        "NoneType": "newaxis",
        "bool": "little_endian",
    },
    "jax.numpy": {"float": "e euler_gamma inf nan pi Inf NaN NINF PINF", "NoneType": "newaxis"},
    "sys": {
        "int": "maxsize maxunicode",
        "str": "byteorder platform version",
        "": "version_info float_info hash_info int_info",
    },
    "string": {
        "str": "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits "
        "printable punctuation whitespace",
    },
    "os": {"str": "sep linesep name pathsep"},
}
_CONSTANT_KINDS = {
    f"{module}.{name}": kind
    for module, kinds in _CONSTANTS.items()
    for kind, names in kinds.items()
    for name in names.split()
}
_CONSTANT_HOMES = (
    "jax.lax.Precision.",
    "jax.lax.GatherScatterMode.",
    "jax.lax.FftType.",
    "jax.lax.RoundingMethod.",
    "jax.lax.RandomAlgorithm.",
    "jax.lax.DotAlgorithmPreset.",
    "jax.image.ResizeMethod.",
)


def dtype_kind(dotted: str) -> str:
    """The kind of numbers in arrays of a dtype given by its full name, "" when it is none."""
    if dotted in _PYTHON_KINDS:
        return _PYTHON_KINDS[dotted]
    home, _, name = dotted.rpartition(".")
    return _KIND_OF.get(name, "") if home in _DTYPE_HOMES else ""


def is_dtype(dotted: str) -> bool:
    """Whether this is the full name of a dtype of JAX or NumPy (`builtins.int` is not)."""
    return dotted not in _PYTHON_KINDS and dtype_kind(dotted) != ""


def constant(dotted: str) -> str | None:
    """The type of a constant by its name in Python, as `float` of `math.pi` and `NoneType` of
    `np.newaxis`, "" where it is of a class of its own, as members of enums are; None where the
    name is not known to be one."""
    return "" if dotted.startswith(_CONSTANT_HOMES) else _CONSTANT_KINDS.get(dotted)


@cache
def method(name: str) -> FunctionSpec | None:
    """What the method of `jax.Array` does; `params` leaves out the array itself.

    Methods that need the concrete value are in `CONCRETISING_METHODS` instead.
    """
    # Imported at the first question, to keep start-up fast.
    row = import_module("jaxlint.knowledge.tables.methods").TABLE.get(name)
    return None if row is None else spec_from(row)

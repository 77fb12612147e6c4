"""What JAX refuses as an argument of a compiled function: no array, and no pytree of arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Transformed,
    Value,
    options,
)
from jaxlint.engine.inference.constant_names import PLAIN_BASES, decorators, dotted
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_DEPTH = 5
_KINDS = {
    "str": "a string",
    "bytes": "bytes",
    "dtype": "a dtype",
    "range": "a range",
    "ellipsis": "`...`",
}
_CONTAINERS = {"set": "a set", "range": "a range", "deque": "a deque", "slice": "a slice"}
_OBJECTS = {"logger": "a logger", "rng": "a random generator", "path": "a path"}
_DTYPES = frozenset(
    f"{module}.{name}"
    for module in ("numpy", "jax.numpy")
    for name in [
        *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int_", "float_"),
    ]
)
_CALLABLE_BUILTINS = frozenset({"abs", "all", "any", "len", "max", "min", "print", "round", "sum"})
_CLASSES = frozenset(["bool", "complex", "dict", "float", "int", "list", "set", "str", "tuple"])
# A class with one of these may say itself how JAX sees it.
_SPEAKS = frozenset(
    ["__array__", "__array_interface__", "__init_subclass__", "__jax_array__", "tree_flatten"]
)
_PLAIN_DECORATORS = frozenset({"dataclasses.dataclass", "functools.total_ordering", "typing.final"})


def refused(
    machine: Machine, frame: Frame, value: Value, node: ir.Expr | None, depth: int = _DEPTH
) -> str:
    """What a value is, or what is in it, if JAX certainly takes it for no array."""
    if depth == 0:
        return ""
    found = [_refused(machine, frame, one, node, depth) for one in options(value)]
    return found[0] if all(found) else ""


def _refused(machine: Machine, frame: Frame, value: Value, node: ir.Expr | None, depth: int) -> str:
    if isinstance(value, Static):
        if isinstance(value.const, Member):
            return "" if value.const.cls.tree or _is_number(value.const.cls) else "an enum member"
        return _KINDS.get(value.kind, "")
    if isinstance(value, (Sequence, Mapping)):
        return _of_container(machine, frame, value, node, depth)
    if isinstance(value, LibraryName):
        return _of_library(value.dotted)
    if isinstance(value, (Function, Bound)):
        return "a function"
    if isinstance(value, Transformed):
        return "a function" if value.record.dotted.startswith("jax.") else ""
    if isinstance(value, Class):
        return "a class"
    if isinstance(value, Iterator):
        return "an iterator"
    if isinstance(value, Partial):
        made = isinstance(node, ir.Call) and dotted(frame, node.func) == "functools.partial"
        return "a function" if made else ""
    if isinstance(value, EffectfulObject):
        return _OBJECTS.get(value.kind, "")
    return _of_object(machine, frame, value, depth) if isinstance(value, Instance) else ""


def _is_number(cls: Class) -> bool:
    """Whether members of an enumeration are numbers too, or may be."""
    return any(name not in ("enum.Enum", "enum.StrEnum") for name in cls.externals())


def _of_library(name: str) -> str:
    if name in _DTYPES:
        return "a dtype"
    head, _, last = name.rpartition(".")
    if head == "builtins":
        return "a function" if last in _CALLABLE_BUILTINS else "a class" * (last in _CLASSES)
    if head in ("numpy", "math"):
        known = lookup.numpy_function(name) is not None or lookup.math_function(name)
        return "a function" if known else ""
    return "a function" if lookup.function(name) is not None else ""


def _of_container(
    machine: Machine, frame: Frame, value: Sequence | Mapping, node: ir.Expr | None, depth: int
) -> str:
    if isinstance(value, Mapping):
        parts: list[tuple[str, Value]] = [("a dict", one) for one in value.items.values()]
    elif value.kind in _CONTAINERS:
        return _CONTAINERS[value.kind]
    else:
        parts = [(f"a {value.kind}", one) for one in value.items or ()]
    nodes: tuple[ir.Expr | None, ...] = ()
    if isinstance(node, ir.Sequence):
        nodes = node.items
    elif isinstance(node, ir.Dict):
        nodes = tuple(one for _, one in node.items)
    for at, (whole, one) in enumerate(parts):
        inner = nodes[at] if len(nodes) == len(parts) else None
        what = refused(machine, frame, one, inner, depth - 1)
        if what:
            return what if " with " in what else f"{whole} with {what}"
    return ""


def _of_object(machine: Machine, frame: Frame, value: Instance, depth: int) -> str:
    cls = value.cls
    if cls.tree == "leaves" and not value.generic and value.tree is None:
        for name, held in value.fields.items():
            if name in cls.fields and name not in cls.meta:
                what = refused(machine, frame, held, None, depth - 1)
                if what:
                    return f"a `{cls.name}` with {what} in `{name}`"
        return ""
    return f"a `{cls.name}`, which is no pytree" if is_no_pytree(machine, cls) else ""


def is_no_pytree(machine: Machine, cls: Class) -> bool:
    """Whether objects of a class are certainly neither arrays nor pytrees, as its file and those
    that import it say."""
    return is_leaf_class(cls) and not any(_may_be_registered(machine, one) for one in cls.lineage)


def _may_be_registered(machine: Machine, cls: Class) -> bool:
    """Whether a file that imports the one of a class may register it."""
    modules, home = machine.context.modules, cls.home
    module = None if home is None else home.root.module
    if modules is None or module is None or not module.file:
        return home is not machine.globals
    return bool(modules.registering(module.file, cls.name))


def is_leaf_class(cls: Class) -> bool:
    """Whether objects of a class are certainly no pytrees, and so leaves of the trees that hold
    them."""
    if cls.tree or cls.opaque or cls.node is None:
        return False
    for one in cls.lineage:
        made = decorators(one)
        if made is None or any(name not in _PLAIN_DECORATORS for name, _ in made):
            return False
        if one.tree or not _SPEAKS.isdisjoint(one.namespace):
            return False
        if any(base not in PLAIN_BASES for base in one.externals()):
            return False
        module = None if one.home is None else one.home.root.module
        if module is None or one.name in _registered(module):
            return False
    return True


@lru_cache(maxsize=256)
def _registered(module: ir.Module) -> frozenset[str]:
    """Names that a module gives to functions that register something: classes may be among
    them, in ways that are not followed. A class that an argument calls is not among them."""
    if "register" not in module.source.text:
        return frozenset()
    found: set[str] = set()
    for node in walk(module.body):
        given: tuple[Any, ...] = ()
        if isinstance(node, ir.Call):
            given = tuple(argument.value for argument in node.args)
        elif isinstance(node, ir.For):
            given = (node.iter,)
        within = [*walk(given)]
        called = {id(one.func) for one in within if isinstance(one, ir.Call)}
        found |= {one.id for one in within if isinstance(one, ir.Name) and id(one) not in called}
    return frozenset(found)

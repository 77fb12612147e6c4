"""What has a hash, and how objects of a class compare: what compiled programs are found by."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import walk
from jaxlint.dataflow.structure import bindings_in
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.values import (
    Class,
    Concrete,
    Function,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Value,
    is_none,
    options,
)
from jaxlint.engine.inference import host_calls
from jaxlint.engine.inference.constant_names import PLAIN_BASES, decorators, dotted
from jaxlint.engine.inference.host_code import live
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

_CHANGEABLE = {"list": "a list", "set": "a set", "deque": "a deque"}
# Libraries whose mappings have a hash, and are dicts to the engine.
_FROZEN = ("freeze", "FrozenDict", "frozendict")
_ARRAYS = frozenset(
    f"numpy.{name}"
    for name in [
        *("array", "asarray", "arange", "ones", "zeros", "full", "empty", "eye", "linspace"),
    ]
)
_DEPTH = 4
# What a class decorator makes of equality: of the fields, with a hash if it is frozen.
_DATACLASS = "dataclasses.dataclass"
_FROZEN_CLASSES = frozenset({"flax.struct.dataclass"})
_HARMLESS = frozenset(
    [
        *("functools.total_ordering", "typing.final", "typing.runtime_checkable"),
        *("jax.tree_util.register_dataclass", "jax.tree_util.register_pytree_node_class"),
        *("jax.tree_util.register_pytree_with_keys_class", "jax.tree_util.register_static"),
        *_FROZEN_CLASSES,
        _DATACLASS,
    ]
)


def unhashable(
    machine: Machine, frame: Frame, value: Value, node: ir.Expr | None, depth: int = _DEPTH
) -> str:
    """What a value is, if it certainly has no hash."""
    if depth == 0:
        return ""
    found = [_unhashable(machine, frame, one, node, depth) for one in options(value)]
    return found[0] if all(found) else ""


def _unhashable(
    machine: Machine, frame: Frame, value: Value, node: ir.Expr | None, depth: int
) -> str:
    if isinstance(value, Concrete):
        return "a jax array"
    if isinstance(value, NumPy):
        found = value.axes or _is_array(frame, node) or _reads_as_array(machine, frame, node)
        return "a NumPy array" if found else ""
    if isinstance(value, Mapping):
        text = machine.module.source.text
        return "" if any(word in text for word in _FROZEN) else "a dict"
    if isinstance(value, Instance):
        return _of_object(machine, frame, value, depth)
    if not isinstance(value, Sequence):
        return ""
    if value.kind in _CHANGEABLE:
        return _CHANGEABLE[value.kind] if _is_display(frame, value, node) else ""
    nodes = node.items if isinstance(node, ir.Sequence) else ()
    for at, item in enumerate(value.items or ()) if value.kind == "tuple" else ():
        inner = nodes[at] if at < len(nodes) else None
        what = unhashable(machine, frame, item, inner, depth - 1)
        if what:
            return f"a tuple with {what}"
    return ""


def _is_display(frame: Frame, value: Sequence, node: ir.Expr | None) -> bool:
    """Whether a set is one that changes: the engine makes no difference between the kinds."""
    if value.kind != "set":
        return True
    if isinstance(value.made, (ir.Sequence, ir.Comprehension)):
        return True
    return isinstance(node, ir.Call) and dotted(frame, node.func) == "builtins.set"


def _is_array(frame: Frame, node: ir.Expr | None) -> bool:
    """Whether an expression makes a NumPy array, and not a scalar."""
    if isinstance(node, ir.Name):
        func = frame.home().func
        module = frame.root.module
        body = func.body if func is not None else (module.body if module else ())
        found = bindings_in(body).get(node.id, [])
        made = found[0][0] if len(found) == 1 else None
        return isinstance(made, ir.Call) and _is_array(frame, made)
    return isinstance(node, ir.Call) and dotted(frame, node.func) in _ARRAYS


def _reads_as_array(machine: Machine, frame: Frame, node: ir.Expr | None) -> bool:
    """Whether the source says of an expression that it gives an array with an axis."""
    found = None if node is None else host_calls.reader(machine).read(live(frame), node)
    return found is not None and bool(rank_of(found)) and not isinstance(found, Sequence)


def _of_object(machine: Machine, frame: Frame, value: Instance, depth: int) -> str:
    by_fields = compares(value.cls)
    if by_fields == "nothing":
        return f"a `{value.cls.name}`"
    if by_fields != "fields" or value.generic:
        return ""
    for name in value.cls.fields:
        held = value.fields.get(name)
        if held is None or left_out(value.cls, name):
            continue
        what = unhashable(machine, frame, held, None, depth - 1)
        if what and not (isinstance(held, Sequence) and held.kind == "set"):
            return f"a `{value.cls.name}` with {what} in `{name}`"
    return ""


def left_out(cls: Class, name: str) -> bool:
    """Whether a field says itself what it is to comparisons."""
    for one in cls.lineage:
        for node in walk(one.node.body) if one.node is not None else ():
            if isinstance(node, ir.AnnAssign) and isinstance(node.target, ir.Name):
                value = node.value
                if node.target.id == name and isinstance(value, ir.Call):
                    return any(a.keyword in ("compare", "hash") for a in value.args)
    return False


def compares(cls: Class) -> str:
    """By what programs are found for objects of a class: "identity", "fields" (all of them),
    "code" (methods of its own), "nothing" (no hash), or "" where that is not known."""
    if cls.opaque:
        return ""
    for one in cls.lineage:
        found = _of_class(one)
        if found != "inherited":
            return found
    return "fields" if cls.compares else "identity"


def _of_class(cls: Class) -> str:
    names = cls.namespace
    made = decorators(cls)
    if made is None or any(name not in _HARMLESS for name, _ in made):
        return ""
    if "__hash__" in names:
        return "nothing" if is_none(names["__hash__"]) else "code"
    for name, given in made:
        if name in _FROZEN_CLASSES:
            return "fields"
        if name == _DATACLASS and given.get("eq", True) is not False:
            if given.get("frozen") or given.get("unsafe_hash"):
                return "code" if "__eq__" in names else "fields"
            return "nothing" if all(isinstance(v, bool) for v in given.values()) else ""
    if "__eq__" in names:
        return "nothing"
    bases = cls.externals()
    if all(base in PLAIN_BASES for base in bases):
        return "inherited"
    return "fields" if "typing.NamedTuple" in bases else ""


def constant_equality(cls: Class) -> ir.FunctionDef | None:
    """`__eq__` of a class, if it finds all of its objects equal and they have one hash."""
    equal, made = cls.find("__eq__"), cls.find("__hash__")
    if not isinstance(equal, Function) or not isinstance(made, Function):
        return None
    same = _looks_at_nothing(equal.node) and _looks_at_nothing(made.node)
    return equal.node if same else None


def _looks_at_nothing(function: ir.FunctionDef) -> bool:
    """Whether a method gives the same for all objects of a class."""
    body = [one for one in function.body if not _is_text(one)]
    if len(body) != 1 or not isinstance(body[0], ir.Return):
        return False
    value = body[0].value
    if isinstance(value, ir.Const):
        return value.value is not NotImplemented and value.value is not False
    return isinstance(value, ir.Call) and _of_type(value)


def _of_type(node: ir.Call) -> bool:
    """`isinstance(other, Config)`, `hash(type(self))`, `hash("Config")` and kin."""
    name = _head(node)
    inner = node.args[0].value if node.args else None
    if name in ("isinstance", "id"):
        return name == "isinstance" or isinstance(inner, ir.Attribute)
    return name == "hash" and (
        isinstance(inner, ir.Const)
        or (isinstance(inner, ir.Call) and _head(inner) == "type")
        or (isinstance(inner, ir.Attribute) and inner.attr in ("__class__", "__name__"))
    )


def _head(node: ir.Call) -> str:
    return node.func.id if isinstance(node.func, ir.Name) else ""


def _is_text(node: Any) -> bool:
    return isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Const)


def compared(cls: Class) -> frozenset[str] | None:
    """The attributes that `__eq__` of a class looks at, None where it does more than that."""
    equal, made = cls.find("__eq__"), cls.find("__hash__")
    if not isinstance(equal, Function) or not isinstance(made, Function):
        return None
    found: set[str] = set()
    params = {param.name for param in equal.node.params}
    for node in walk(equal.node.body):
        if isinstance(node, ir.Attribute):
            if isinstance(node.value, ir.Name) and node.value.id in params:
                found.add(node.attr)
        elif isinstance(node, ir.Call) and _head(node) not in ("isinstance", "type"):
            return None
    hidden = any(name.startswith("__") and name != "__class__" for name in found)
    return None if hidden else frozenset(found)

"""chex: assertions in traced code, dataclasses that are mappings.

Assertions about shapes, ranks and types see what tracers know. Those about values need the
values, or `chex.chexify`, which hands them out of the compiled program.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from jaxlint.dataflow.names import dotted_text, free_names
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.pytrees import finds_traced, is_number
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Method,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
    as_traced,
    join_all,
)
from jaxlint.engine.frameworks import chex_variants
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.pytree_registration import register_fields
from jaxlint.engine.operations.object_attributes import traced_field
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge.ecosystems.chex import (
    CHEXIFY,
    COMPARING_ASSERTIONS,
    CONCRETE_ASSERTIONS,
    VALUE_ASSERTIONS,
)
from jaxlint.syntax import ir

# The base that a mapping dataclass gets.
MAPPING = "chex.MappableDataclass"
_CHECKED = "chex.chexify(...)"
# It gives back the function, which then counts how often it is traced.
_COUNTED = "chex.assert_max_traces"
_CALLABLE = (Bound, Function, Partial, Transformed)
_MOST_CALLS = 4
# The functions that a file wraps in `chexify`.
_wrapped: WeakKeyDictionary[Machine, list[FrameworkObject]] = WeakKeyDictionary()


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """Functions of chex."""
    if dotted == _COUNTED:
        func = args.get(0, "fn")
        return func if isinstance(func, _CALLABLE) else Partial(LibraryName(_COUNTED), (), {})
    if dotted.startswith("chex.assert_"):
        _assert(machine, frame, node, dotted, args)
        return NONE
    if dotted in ("chex.dataclass", "chex.mappable_dataclass"):
        return _dataclass(dotted, args)
    if dotted in CHEXIFY:
        return _chexify(machine, frame, node, dotted, args)
    if dotted == "chex.block_until_chexify_assertions_complete":
        return NONE
    return chex_variants.call(machine, frame, node, dotted, args)


# -- assertions --------------------------------------------------------------------------------


def _assert(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    if frame.trace.is_host or not isinstance(node, ir.Call):
        return
    given = [(value, place) for value, place in args.pairs() if finds_traced(value) is not None]
    if not given:
        return
    value, place = given[0]
    traced = finds_traced(value)
    if dotted in VALUE_ASSERTIONS:
        if not _is_chexified(machine):
            _misused(machine, frame, node, place, traced, "chex-value")
    elif dotted in CONCRETE_ASSERTIONS:
        _misused(machine, frame, node, place, traced, "chex-concrete")
    elif dotted in COMPARING_ASSERTIONS:
        both = all(map(_has_number, args.positional[:2])) and len(args.positional) >= 2
        plain = as_traced(value)
        if both and plain is not None and plain.leaf and plain.kind != "ad":
            _misused(machine, frame, node, place, traced, "chex-concrete")


def _has_number(value: Value) -> bool:
    """Whether comparing this with an array gives an array."""
    array = isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf)
    return array or is_number(value)


def _misused(
    machine: Machine,
    frame: Frame,
    node: ir.Call,
    place: ir.Expr,
    traced: Traced | None,
    kind: str,
) -> None:
    trail = None if traced is None else traced.trail
    text = machine.module.text_of(place)
    misused(machine, frame, node, kind, text, dotted_text(node.func), trail)


def _is_chexified(machine: Machine) -> bool:
    """Whether the running code is part of a function that `chexify` wraps, or that such a
    function may call."""
    running = {frame.name for frame in machine.frames_around()}
    return any(not running.isdisjoint(_reached(one)) for one in _wrapped.get(machine, ()))


def _reached(checked: FrameworkObject) -> set[str]:
    """The names of the functions that a checked one is made of or calls."""
    names = checked.state.get("names")
    if isinstance(names, set):
        return names
    found: set[str] = set()
    func = checked.given(0, "fn")
    plain = None if func is None else plain_function(func)
    if plain is not None:
        _collect(plain, found, _MOST_CALLS)
    checked.state["names"] = found
    return found


def _collect(func: Function, found: set[str], depth: int) -> None:
    if func.node.name in found:
        return
    found.add(func.node.name)
    for name in free_names(func.node) if depth else ():
        scope: Frame | None = func.frame
        while scope is not None and name not in scope.env:
            scope = scope.enclosing()
        inner = None if scope is None else plain_function(scope.env[name])
        if inner is not None:
            _collect(inner, found, depth - 1)


def _chexify(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func = args.get(0, "fn")
    if func is None:
        return Partial(LibraryName(dotted), (), dict(args.keywords), frame.loop)
    made = FrameworkObject(_CHECKED, args, node, frame.trace)
    _wrapped.setdefault(machine, []).append(made)
    if isinstance(func, Transformed):
        machine.borrow(func.record)
        func.record.escaped = True
    return made


def invoke(machine: Machine, frame: Frame, node: ir.Expr, made: Value, args: Args) -> Value | None:
    """A checked function is called: it runs as the function that it wraps."""
    if not isinstance(made, FrameworkObject) or made.dotted != _CHECKED:
        return None
    func = made.given(0, "fn")
    return (
        machine.unknown("checked function")
        if func is None
        else machine.call(frame, node, func, args)
    )


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """`checked.wait_checks`, what mapping dataclasses have beside their fields, and the variant of
    a test."""
    if isinstance(owner, FrameworkObject):
        return Method(owner, attr, node) if attr == "wait_checks" else None
    found = chex_variants.attribute(machine, frame, node, owner, attr)
    if found is not None:
        return found
    return Method(owner, attr, node) if attr in _METHODS and _is_mapping(owner) else None


# -- dataclasses -------------------------------------------------------------------------------

_METHODS = frozenset({"get", "items", "keys", "to_tuple", "values"})


def _dataclass(dotted: str, args: Args) -> Value:
    cls = args.get(0, "cls")
    if not isinstance(cls, Class):
        return Partial(LibraryName(dotted), (), dict(args.keywords)) if cls is None else cls
    flag = args.keywords.get("mappable_dataclass")
    is_mapping = not (isinstance(flag, Static) and flag.const is False)
    cls.compares = cls.generates = True
    cls.makes_record()
    register_fields(cls, None, None)
    if is_mapping:
        cls.bases = (*cls.bases, LibraryName(MAPPING))
        cls.libraries = [*cls.libraries, MAPPING]
    return cls


def _is_mapping(owner: Value) -> bool:
    return isinstance(owner, Instance) and MAPPING in owner.cls.externals()


def _field(machine: Machine, node: ir.Expr, owner: Instance, name: str) -> Value:
    held = owner.fields.get(name)
    if held is None and owner.tree is not None:
        held = owner.fields[name] = traced_field(owner, name, node)
    return held or machine.unknown("field of a dataclass")


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """Methods of mapping dataclasses: keys are the names of the fields."""
    if isinstance(owner, FrameworkObject):
        return NONE if name == "wait_checks" else None
    if not isinstance(owner, Instance) or not _is_mapping(owner):
        return None
    names = list(owner.cls.fields)
    keys: list[Value] = [Static(each) for each in names]
    values = [_field(machine, node, owner, each) for each in names]
    if name == "to_tuple":
        return Sequence("tuple", values, frame.trace, None, frame.path)
    if name in ("__iter__", "keys"):
        return Iterator(join_all(keys), frame.trace, keys, "view", node)
    if name == "values":
        return Iterator(join_all(values), frame.trace, values, "view", node)
    if name == "items":
        pairs: list[Value] = [
            Sequence("tuple", [key, value], frame.trace)
            for key, value in zip(keys, values, strict=True)
        ]
        return Iterator(join_all(pairs), frame.trace, pairs, "view", node)
    if name == "get":
        return item(machine, frame, node, owner, args.get(0, "key") or NONE)
    return None


def item(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, index: Value) -> Value | None:
    """`record["field"]`."""
    if not isinstance(owner, Instance) or not _is_mapping(owner):
        return None
    const = index.const if isinstance(index, Static) and isinstance(index.const, KEYS) else None
    if const in owner.cls.fields:
        return _field(machine, node, owner, str(const))
    return machine.unknown("item of a dataclass")


HOOKS = Hooks(
    library="chex", call=call, invoke=invoke, attribute=attribute, method=method, item=item
)

"""Where a linen module runs: the variables it is given, what it may change, and its phase.

A linen module is an object of fields until `init` or `apply` binds it to variables; then
`setup` runs, and it is frozen. Source: flax documentation, "The Flax Module lifecycle".
"""

from __future__ import annotations

from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, FrameworkTuple
from jaxlint.engine.domain.kinds.value import present, refilled
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.frameworks.inner_traces import outlives, staged_inside
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.moves import Move
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.engine.summaries.viewpoints import Description
from jaxlint.facts.provenance import Provenance
from jaxlint.syntax import ir

LIBRARY = "flax.linen."
MODULE = "flax.linen.Module"
# The field of a bound module that holds its `Scope`.
SCOPE = "<scope>"
# How deep modules in the fields of modules are bound.
MOST_NESTED = 4
_BEFORE = frozenset({"__init__", "__post_init__"})
# Transforms that linen lifts.
_LIFTED = "nn."
# What makes a method compact, called as a decorator or not.
COMPACTING = frozenset({"flax.linen.compact", "flax.linen.compact_name_scope"})


@slotted(frozen=True)
class Mutable:
    """The `mutable` argument of `apply`: names of collections, all but `names` for `but`, or None
    where it cannot be read. A `pair` is returned unless it is False."""

    names: frozenset[str] | None
    but: bool = False
    pair: bool | None = None

    def allows(self, collection: str) -> bool | None:
        """Whether a collection may be changed, None where that is not known."""
        if self.names is None or not collection:
            return None
        return (collection in self.names) is not self.but


INITIAL = Mutable(frozenset({"intermediates"}), but=True, pair=False)
UNREADABLE = Mutable(None)


def read_mutable(value: Value | None) -> Mutable:
    """What `mutable=value` says."""
    if value is None:
        return Mutable(frozenset(), pair=False)
    if isinstance(value, Static) and value.known:
        const = value.const
        if const is True:
            return Mutable(frozenset(), but=True, pair=True)
        if const is False:
            return Mutable(frozenset(), pair=False)
        return Mutable(frozenset({const}), pair=True) if isinstance(const, str) else UNREADABLE
    if isinstance(value, Sequence) and value.items is not None and value.element is None:
        names = [i.const for i in value.items if isinstance(i, Static) and i.known]
        if len(names) == len(value.items) and all(isinstance(n, str) for n in names):
            return Mutable(frozenset(names), pair=True)
    return UNREADABLE


class Initialization:
    """One run of `init`, in `trace`; `made` are the places that have made their variables."""

    __slots__ = ("made", "trace")

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.made: set[int] = set()


class Scope(Value):
    """What a module is bound to; its submodules share it. `initialization` is the run of `init`
    that binds it, None where it is bound to variables."""

    __slots__ = ("initialization", "mutable", "rngs", "variables")

    def __init__(
        self,
        variables: Value | None,
        mutable: Mutable,
        rngs: Value | None,
        initialization: Initialization | None = None,
    ) -> None:
        self.variables = variables
        self.mutable = mutable
        self.rngs = rngs
        self.initialization = initialization

    @property
    def initializing(self) -> bool:
        """Whether variables are made."""
        return self.initialization is not None

    def children(self) -> list[Value]:
        """The variables and the keys, as far as they are known."""
        return present((self.variables, self.rngs))

    def rebuild(self, children: list[Value]) -> Value:
        return self.entered(*refilled((self.variables, self.rngs), children))

    def entered(self, variables: Value | None, rngs: Value | None) -> Scope:
        """The same inside a trace."""
        return Scope(variables, self.mutable, rngs, self.initialization)


def _described(description: Description, scope: Scope) -> Any:
    """What calls are told apart by that are given a bound module."""
    known = description.met(scope)
    if known is not None:
        return ("#", known)
    held = description.optional(scope.variables), description.optional(scope.rngs)
    return ("L", *held, scope.mutable, scope.initializing)


Description.kinds[Scope] = _described
Move.kinds.add(Scope)


def is_module_class(cls: Class) -> bool:
    """Whether a class derives from `nn.Module` or from one of linen's layers."""
    return any(
        name.startswith(LIBRARY) and name[len(LIBRARY) :][:1].isupper() for name in cls.externals()
    )


def is_module(value: Value) -> bool:
    """Whether a value is an object of linen: a module of the project, or one of the library's."""
    if isinstance(value, Instance):
        return is_module_class(value.cls)
    return isinstance(value, FrameworkObject) and value.dotted.startswith(LIBRARY)


def scope_of(value: Value) -> Scope | None:
    """What a module is bound to, None where it is not bound."""
    if isinstance(value, FrameworkObject):
        held = value.state.get("scope")
    else:
        held = value.fields.get(SCOPE) if isinstance(value, Instance) else None
    return held if isinstance(held, Scope) else None


# -- what runs --------------------------------------------------------------------------------


def _self_of(frame: Frame) -> Instance | None:
    """The module whose method an activation is."""
    func = frame.func
    if func is None or frame.cls is None or not func.params:
        return None
    owner = frame.env.get(func.params[0].name)
    return owner if isinstance(owner, Instance) and is_module_class(owner.cls) else None


def current(machine: Machine) -> Instance | None:
    """The module whose method runs, the innermost one."""
    around = machine.frames_until(lambda frame: _self_of(frame) is not None)
    return _self_of(around[-1]) if around else None


def compacted(machine: Machine, func: Value) -> None:
    """A function becomes a compact method of the modules whose class holds it."""
    plain = _function(func)
    if plain is not None:
        machine.program.compact.add(id(plain.node))


def _held(cls: Class, func: ir.FunctionDef) -> dict[str, Value]:
    """What a class makes of a function, by the names that it gives it."""
    found: dict[str, Value] = {}
    for one in reversed(cls.lineage):
        for name, value in one.namespace.items():
            plain = _function(value)
            if plain is not None and plain.node is func:
                found[name] = value
    return found


def _function(value: Value) -> Function | None:
    return plain_function(value.func if isinstance(value, Descriptor) else value)


def _names(cls: Class, func: ir.FunctionDef) -> set[str]:
    return {func.name, *_held(cls, func)}


def _may_be_compact(machine: Machine, cls: Class, func: ir.FunctionDef) -> bool:
    """Whether a method is decorated, perhaps with `nn.compact`, or wrapped in some other way."""
    if func.decorators or id(func) in machine.program.compact:
        return True
    held = _held(cls, func)
    return not held or not all(isinstance(value, Function) for value in held.values())


def phase(machine: Machine, owner: Instance) -> str:
    """What a module allows now: "setup", "before" (its construction), "compact" (submodules
    perhaps, no attributes) or "frozen"; "" where it is not bound, and may be changed."""
    # A frame that is older than the module runs none of its methods.
    around = machine.frames_until(lambda frame: False, owner.age)
    running = [f.func for f in around if f.func and _self_of(f) is owner]
    for func in running:
        names = _names(owner.cls, func)
        if "setup" in names:
            return "setup"
        if names & _BEFORE:
            return "before"
    is_bound = scope_of(owner) is not None
    if any(_may_be_compact(machine, owner.cls, func) for func in running):
        # Any other decorator leaves it open who calls the method: `setup` may do so.
        is_sure = is_bound or any(id(func) in machine.program.compact for func in running)
        return "compact" if is_sure else ""
    if is_bound:
        return "frozen"
    # An object that stands for all of its class: this one runs when it is bound.
    runs = owner.generic and bool(running) and "__call__" in _names(owner.cls, running[-1])
    return "frozen" if runs else ""


# -- binding ----------------------------------------------------------------------------------


def bound(machine: Machine, frame: Frame, node: ir.Expr, value: Value, scope: Scope) -> Value:
    """A copy of a module bound to variables, `setup` done; containers of modules likewise."""
    return _bound(machine, frame, node, value, scope, MOST_NESTED)


def _bound(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, scope: Scope, depth: int
) -> Value:
    if depth == 0:
        return value
    if isinstance(value, Sequence) and value.items is not None:
        items = [_bound(machine, frame, node, one, scope, depth - 1) for one in value.items]
        changed = any(new is not old for new, old in zip(items, value.items, strict=True))
        return FrameworkTuple(MODULE, items, frame.trace, None) if changed else value
    if isinstance(value, Mapping):
        known = {
            k: _bound(machine, frame, node, v, scope, depth - 1) for k, v in value.items.items()
        }
        changed = any(known[k] is not v for k, v in value.items.items())
        return Mapping(known, frame.trace, value.element, value.open) if changed else value
    if isinstance(value, FrameworkObject) and is_module(value):
        made = FrameworkObject(value.dotted, value.args, value.made, frame.trace)
        made.state = {**value.state, "scope": scope}
        return made
    if not (isinstance(value, Instance) and is_module(value)):
        return value
    copy = Instance(value.cls, frame.trace, path=frame.path)
    copy.fields = {
        name: _bound(machine, frame, node, field, scope, depth - 1)
        for name, field in value.fields.items()
        if name in value.cls.fields or not value.generic
    }
    copy.fields[SCOPE] = scope
    set_up(machine, frame, node, copy)
    return copy


def set_up(machine: Machine, frame: Frame, node: ir.Expr, module: Instance) -> None:
    """Runs `setup` of a bound module."""
    found = module.cls.find("setup")
    if isinstance(found, Function):
        machine.invoke(found, Args([module], nodes=[node]), frame.trace, node, frame)


def frozen(frame: Frame, value: Value, depth: int = MOST_NESTED) -> Value:
    """What an attribute that `setup` sets becomes: lists are tuples from then on."""
    if isinstance(value, Sequence) and value.kind in ("list", "tuple") and depth:
        items = value.items
        known = None if items is None else [frozen(frame, one, depth - 1) for one in items]
        rest = None if value.element is None else frozen(frame, value.element, depth - 1)
        if value.kind == "list":
            return FrameworkTuple(MODULE, known, frame.trace, rest)
        return Sequence("tuple", known, frame.trace, rest, frame.path)
    return value


# -- variables --------------------------------------------------------------------------------


def makes_variables(
    machine: Machine, frame: Frame, scope: Scope, place: ir.Node | None, subject: str
) -> None:
    """Variables are made at a place, the first time that it runs in `init`: in a trace of JAX's own
    they are tracers that outlive it."""
    initialization = scope.initialization
    if initialization is None or place is None:
        return
    # What is kept of the run changes as it goes on.
    machine.dynamic.effects.private = True
    trace = staged_inside(frame, initialization.trace, _LIFTED)
    if trace is None:
        initialization.made.add(id(place))
    elif id(place) not in initialization.made:
        outlives(machine, trace, "linen-jax-transform", subject)


def variable(
    machine: Machine, frame: Frame, node: ir.Node, scope: Scope, collection: str, leaf: bool = True
) -> Value:
    """An array of a collection: traced where the variables are. `leaf` is False for what may be
    a tree of them."""
    variables = scope.variables
    if isinstance(variables, Mapping):
        variables = variables.items.get(collection, variables.element)
    traced = None if variables is None else finds_traced(variables)
    if traced is not None:
        return Traced(traced.trail.part(node), traced.kind, leaf=leaf)
    if isinstance(variables, Concrete) and leaf:
        return variables
    return machine.unknown("variable of a module")


def tree(machine: Machine, frame: Frame, node: ir.Node, depth: int = 1) -> Value:
    """The variables that `init` gives, or `apply` of mutable collections: a dict of dicts."""
    if machine.is_staged(frame) and frame.trace.entry is not None:
        trail = Provenance(node, None, frame.trace.entry, function=frame.name)
        inner: Value = Traced(trail, leaf=False)
    else:
        inner = machine.unknown("variables of a module")
    known: dict[str, Value] = {}
    if depth:
        known["params"] = Mapping({}, frame.trace, inner, open=True)
    return Mapping(known, frame.trace, inner, open=True)

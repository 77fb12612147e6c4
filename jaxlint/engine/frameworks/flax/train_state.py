"""`flax.training.train_state.TrainState`: a pytree with a static `apply_fn` and optimizer."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Class,
    Instance,
    LibraryName,
    Method,
    Partial,
    Static,
    Value,
)
from jaxlint.engine.evaluation.classes import bind_fields, replaced
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.attributes import attribute as attribute_of
from jaxlint.syntax import ir

NAME = "flax.training.train_state.TrainState"
CREATE = f"{NAME}.create"
_FIELDS = ("step", "apply_fn", "params", "tx", "opt_state")
_STATIC = frozenset({"apply_fn", "tx"})


def _inherited(cls: Class) -> None:
    """The fields of the library's class come first."""
    cls.fields = {**dict.fromkeys(_FIELDS, (None, None)), **cls.fields}
    cls.meta |= _STATIC
    cls.tree = "leaves"


def _library_class() -> Class:
    cls = Class("TrainState", None, (LibraryName(NAME),))
    _inherited(cls)
    return cls


BASE = _library_class()


def is_state_class(cls: Class) -> bool:
    """Whether this is the library's class or derives from it."""
    return NAME in cls.externals()


def define(machine: Machine, frame: Frame, node: ir.ClassDef, cls: Class) -> None:
    """A class that derives from `TrainState` has its fields."""
    if is_state_class(cls):
        _inherited(cls)


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """`TrainState(...)`, and `create` of it or of a class that derives from it, given first."""
    if dotted == NAME:
        made = Instance(BASE, frame.trace, path=frame.path)
        bind_fields(machine, frame, node, made, BASE, args)
        return made
    if dotted != CREATE:
        return None
    first = args.get(0, "")
    cls = first if isinstance(first, Class) else BASE
    made = Instance(cls, frame.trace, path=frame.path)
    given = Args([], dict(args.keywords), args.rest, args.more)
    given.keywords.setdefault("step", Static(0))
    tx, params = args.keywords.get("tx"), args.keywords.get("params")
    if tx is not None and params is not None:
        init = attribute_of(machine, frame, node, tx, "init")
        inside = Args([params], nodes=[args.node(-1, "params", node)])
        given.keywords.setdefault("opt_state", machine.call(frame, node, init, inside))
    bind_fields(machine, frame, node, made, cls, given)
    return made


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """What the library's class defines."""
    if isinstance(owner, Class) and is_state_class(owner):
        return Partial(LibraryName(CREATE), (owner,), {}, frame.loop) if attr == "create" else None
    if isinstance(owner, Instance) and is_state_class(owner.cls) and attr == "apply_gradients":
        return Method(owner, attr, node)
    return None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """`state.apply_gradients(grads=...)`: a new state, of the same structure."""
    if not isinstance(owner, Instance) or not is_state_class(owner.cls):
        return None
    if name != "apply_gradients":
        return None
    keywords = {k: v for k, v in args.keywords.items() if k != "grads"}
    made = replaced(frame, owner, Args([], keywords, None, args.more))
    step = owner.fields.get("step")
    if step is not None and "step" not in keywords:
        made.fields["step"] = Static(kind="int") if isinstance(step, Static) else step
    return made

"""Methods of a project's own classes that change nothing and return a changed copy of their object.

`lens.moved(0.1)` as a statement does nothing if `moved` returns `dataclasses.replace(self, ...)`,
another object of the class, or what a method of that sort gives. That is read off the source: what
such a method does besides is bind names and fill containers that it made.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import CONSTRUCTORS, OWN_SCOPES, dotted_text, is_stub, targets_of, walk
from jaxlint.engine.checks.effects.purity import is_pure, visible_effect
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Class,
    Function,
    Instance,
    LibraryName,
    Traced,
    Transformed,
    Unknown,
    Value,
    options,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.evaluation.presumed_classes import classes
from jaxlint.engine.inference.definitions import bindings, returns_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import asked_of, named_after
from jaxlint.engine.summaries.transformed import innermost
from jaxlint.knowledge.host.purity import (
    BODIES,
    COPYING,
    FILLED,
    MUTATORS,
    REPLACING,
    REPLACING_METHODS,
)
from jaxlint.project.class_members import is_common
from jaxlint.syntax import ir

# How deep methods that call methods of the same object are followed.
_DEPTH = 4
_ACTS = (ir.Yield, ir.Await, ir.Delete, ir.With)
_CONTAINERS = (ir.Sequence, ir.Dict, ir.Comprehension)


@slotted(frozen=True, eq=False)
class _Method:
    """A method of objects of a class; `owner` is the name that it has for its object."""

    machine: Machine
    cls: Class
    func: Function
    owner: str


# -- of which object -----------------------------------------------------------------------------


def only_copies(machine: Machine, frame: Frame, called: ir.Expr) -> tuple[bool | None, bool]:
    """Whether a method is one that only makes a changed copy of its object, None where no class of
    the project tells; and whether that is sure: the class of the object is known."""
    if not isinstance(called, ir.Attribute):
        return None, False
    owner = peek(machine, frame, called.value)
    known = [] if owner is None else [one for one in options(owner) if isinstance(one, Instance)]
    found = [one.cls for one in known]
    if not known:
        found = _presumed(machine, frame, called, owner)
    kinds = [cls for cls in found if not _is_open(cls, called.attr)]
    if not kinds:
        return None, bool(known)
    return all(is_copying(machine, cls, called.attr) for cls in kinds), bool(known)


def _is_open(cls: Class, name: str) -> bool:
    """Whether a class leaves it to others what a method does."""
    func = cls.find(name)
    return isinstance(func, Function) and is_stub(func.node)


def _presumed(
    machine: Machine, frame: Frame, called: ir.Attribute, owner: Value | None
) -> list[Class]:
    """The classes that an object may be of about which nothing but its name is known, and what is
    asked of it. A method that many objects have tells nothing: the object goes by the name of its
    class then."""
    is_tree = isinstance(owner, Traced) and not owner.leaf
    if not (owner is None or isinstance(owner, Unknown) or is_tree):
        return []
    asked = asked_of(frame, called.value)
    if asked is None or called.attr not in asked.called:
        return []
    if is_common(called.attr) and not asked.kin:
        asked = named_after(asked, dotted_text(called.value))
    return [] if asked is None else classes(machine, frame, asked, is_tree=False)


# -- the method ----------------------------------------------------------------------------------


def is_copying(machine: Machine, cls: Class, name: str, depth: int = _DEPTH) -> bool:
    """Whether a method of a class changes nothing and returns a changed copy of its object."""
    method = _method_of(machine, cls, name)
    if method is None or not depth:
        return False
    node = method.func.node
    if node.is_generator or node.is_async or node.globals or node.nonlocals:
        return False
    given = [_origin(method, one.value, depth) for one in returns_of(node)]
    copies = "copy" in given and None not in given
    return copies and all(_is_quiet(method, one, depth) for one in walk(node.body, OWN_SCOPES))


def _method_of(machine: Machine, cls: Class, name: str) -> _Method | None:
    member = cls.find(name)
    func = innermost(member) if isinstance(member, Transformed) else member
    if not isinstance(func, Function) or not func.node.params:
        return None
    if func.node.decorators and not isinstance(member, Transformed):
        return None
    return _Method(machine, cls, func, func.node.params[0].name)


def _origin(method: _Method, node: ir.Expr | None, depth: int) -> str | None:
    """What an expression gives: a "copy" of the object of a method, or that itself ("own"); None
    for anything else."""
    if isinstance(node, ir.IfExp):
        return _both(_origin(method, one, depth) for one in (node.body, node.orelse))
    if isinstance(node, ir.Name):
        bound = bindings(method.func.node.body).get(node.id, [])
        if node.id == method.owner and not bound:
            return "own"
        # The name may be bound to what is made of what it held before.
        found = [_origin_of_bound(method, one, node.id, depth) for one in bound] if depth else []
        return _both(found)
    return _made(method, node, depth - 1) if isinstance(node, ir.Call) and depth else None


def _origin_of_bound(method: _Method, node: ir.Expr | None, name: str, depth: int) -> str | None:
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        root = node.func.value
        if isinstance(root, ir.Name) and root.id == name:
            return "copy" if _replaces(method, node.func.attr, depth - 1) else None
    if isinstance(node, ir.Call) and any(_is_name(one.value, name) for one in node.args):
        dotted = _library(method, node)
        return "copy" if dotted in REPLACING else None
    return _origin(method, node, depth - 1)


def _both(found: Iterable[str | None]) -> str | None:
    kinds = {*found}
    return None if None in kinds or not kinds else "copy" if "copy" in kinds else "own"


def _made(method: _Method, node: ir.Call, depth: int) -> str | None:
    """The same of a call."""
    func = node.func
    if isinstance(func, ir.Attribute) and _origin(method, func.value, depth) is not None:
        return "copy" if _replaces(method, func.attr, depth) else None
    if _is_own_class(method, func):
        return "copy"
    dotted = _library(method, node)
    given = [one.value for one in node.args if not one.star]
    if dotted in REPLACING or dotted in COPYING:
        return "copy" if any(_origin(method, one, depth) for one in given) else None
    if dotted in BODIES and any(_origin(method, one, depth) for one in given[1:]):
        body = given[0]
        pure = isinstance(body, ir.Lambda) or is_pure(method.machine, _peek(method, body))
        return "copy" if pure else None
    return None


def _replaces(method: _Method, name: str, depth: int) -> bool:
    """Whether a method of the object gives a changed copy: one of a library for records, or one
    of the class."""
    if name in REPLACING_METHODS and method.cls.find(name) is None:
        return True
    return is_copying(method.machine, method.cls, name, depth)


def _is_own_class(method: _Method, func: ir.Expr) -> bool:
    """Whether a call makes an object of the class: by its name, `type(self)` or `__class__`."""
    if isinstance(func, ir.Call):
        is_type = dotted_text(func.func) == "type" and len(func.args) == 1
        return is_type and _is_name(func.args[0].value, method.owner)
    if attribute_of(func, method.owner) == "__class__":
        return True
    made = _peek(method, func)
    if not isinstance(made, Class) or not {*made.lineage} & {*method.cls.lineage}:
        return False
    return all(_only_fills(method.machine, made, name) for name in CONSTRUCTORS)


def _only_fills(machine: Machine, cls: Class, name: str) -> bool:
    """Whether a constructor changes nothing but the object that it makes."""
    found = _method_of(machine, cls, name)
    if found is None:
        return cls.find(name) is None
    return all(
        _is_quiet(found, one, 1, fills=True) for one in walk(found.func.node.body, OWN_SCOPES)
    )


def _is_name(node: ir.Expr, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def _library(method: _Method, node: ir.Call) -> str:
    found = _peek(method, node.func)
    return found.dotted if isinstance(found, LibraryName) else ""


def _peek(method: _Method, node: ir.Expr) -> Value | None:
    root = dotted_text(node).partition(".")[0]
    local = root in method.func.node.bound
    return None if local or not root else peek(method.machine, method.func.frame, node)


# -- what it does besides ------------------------------------------------------------------------


def _is_quiet(method: _Method, node: object, depth: int, fills: bool = False) -> bool:
    """Whether a part of a method changes nothing that is there when it is called; a constructor
    `fills` its object."""
    if isinstance(node, _ACTS):
        return False
    if isinstance(node, ir.Call):
        return _is_quiet_call(method, node, depth, fills)
    if isinstance(node, ir.ExprStmt):
        return isinstance(node.value, ir.Const) or (
            isinstance(node.value, ir.Call) and (fills or _fills_local(method, node.value.func))
        )
    return all(_is_own_target(method, one, fills) for one in targets_of(node))


def _is_own_target(method: _Method, target: ir.Expr, fills: bool) -> bool:
    if isinstance(target, ir.Sequence):
        return all(_is_own_target(method, one, fills) for one in target.items)
    if isinstance(target, ir.Starred):
        return _is_own_target(method, target.value, fills)
    if isinstance(target, ir.Name):
        return True
    return _is_local(method, target) or (fills and bool(attribute_of(target, method.owner)))


def _is_quiet_call(method: _Method, node: ir.Call, depth: int, fills: bool) -> bool:
    func = node.func
    if isinstance(func, ir.Attribute) and func.attr in MUTATORS:
        # Unless it is one of an update, or of what is not a container: those have results.
        return _fills_local(method, func) or not _is_part(func.value, method.owner)
    own = attribute_of(func, method.owner)
    if own:
        found = _method_of(method.machine, method.cls, own)
        if found is None or not depth:
            return True
        body = walk(found.func.node.body, OWN_SCOPES)
        return all(_is_quiet(found, one, depth - 1, fills) for one in body)
    called = _peek(method, func)
    return called is None or visible_effect(method.machine, called) is None


def _is_part(node: ir.Expr, owner: str) -> bool:
    """Whether this is an object, an attribute of it, or an item of one."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        if isinstance(node, ir.Attribute) and node.attr == "at":
            return False
        node = node.value
    return _is_name(node, owner)


def _fills_local(method: _Method, func: ir.Expr) -> bool:
    """Whether a method is one by which a container changes that was made here."""
    return (
        isinstance(func, ir.Attribute) and func.attr in MUTATORS and _is_local(method, func.value)
    )


def _is_local(method: _Method, node: ir.Expr) -> bool:
    """Whether this is what a method made itself, or a part of it."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    if not isinstance(node, ir.Name) or node.id == method.owner:
        return False
    bound = bindings(method.func.node.body).get(node.id, [])
    return bool(bound) and all(_is_new(method, one) for one in bound)


def _is_new(method: _Method, node: ir.Expr | None) -> bool:
    if isinstance(node, _CONTAINERS):
        return True
    if not isinstance(node, ir.Call):
        return False
    if isinstance(node.func, ir.Attribute) and node.func.attr == "copy":
        return True
    dotted = _library(method, node)
    return dotted in FILLED or dotted in COPYING or dotted in REPLACING

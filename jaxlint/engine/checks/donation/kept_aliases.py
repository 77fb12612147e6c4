"""Attributes that keep an array which another attribute holds, and which a method gives away later.

`self.target = self.params` makes no copy, nor do `self.params = p` and `self.target = p`: once
`self.params` goes to a compiled function that donates it, `self.target` is gone as well. So is what
a hook keeps of the object that it is given: `self.last = trainer.params`. What is read in which
order the calls of methods decide, so that all of this is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import OWN_SCOPES, dotted_text, each_assigned, walk
from jaxlint.engine.checks.donation.donated_arguments import is_donated
from jaxlint.engine.domain.values import Class, Descriptor, Function, Transformed, Value
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.evaluation.presumed_classes import classes
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import Asked, asked_within, named_after
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# How many classes are looked at that an object may be of.
_MOST_CLASSES = 4


@slotted(frozen=True, eq=False)
class _Alias:
    """`self.holder = owner.attr` in a method; `owner` is the object itself or a parameter. Or both
    attributes of the object are given one local value (`is_twin`), the holder as `source`."""

    method: ir.FunctionDef
    holder: str
    source: ir.Expr
    owner: str
    attr: str
    is_twin: bool = False

    @property
    def text(self) -> str:
        """The attribute that is given away, as written."""
        return f"{self.owner}.{self.attr}"


@slotted(frozen=True, eq=False)
class _Gift:
    """A call in a method that gives an attribute of the object away."""

    method: ir.FunctionDef
    call: ir.Call


_GIFTS: PerRun[dict[int, dict[str, list[_Gift]]]] = PerRun(dict)


def _judge(machine: Machine) -> None:
    """Reports what the classes of the file keep and other code gives away."""
    for cls in machine.program.classes:
        if cls.home is machine.globals and cls.node is not None:
            for alias in _aliases(cls.node):
                _judge_alias(machine, cls, alias)


def _judge_alias(machine: Machine, cls: Class, alias: _Alias) -> None:
    own = alias.method.params[0].name
    givers = [cls] if alias.owner == own else _presumed(machine, cls, alias)
    for giver in givers:
        gifts = _gifts(machine, giver).get(alias.attr, [])
        gift = next((one for one in gifts if _is_read_after(cls, alias, one)), None)
        if gift is None or (not alias.is_twin and _is_put_back(cls, alias)):
            continue
        is_here = giver.home is machine.globals
        machine.emit(
            facts.Donated(
                machine.module,
                alias.source,
                alias.method.name,
                kind="kept",
                target=alias.text,
                callee=dotted_text(gift.call.func),
                given=gift.call if is_here else None,
                possible=True,
                holder=f"{own}.{alias.holder}",
            )
        )
        return


# -- what is kept --------------------------------------------------------------------------------


@answered_once
def _aliases(cls: ir.ClassDef) -> tuple[_Alias, ...]:
    """The attributes of an object to which its class assigns another one as it is."""
    found = []
    for method in cls.body:
        if not isinstance(method, ir.FunctionDef) or not method.params:
            continue
        names = {param.name for param in method.params}
        for one in walk(method.body, OWN_SCOPES):
            for target, value in each_assigned(one):
                holder = attribute_of(target, method.params[0].name)
                root = value.value if isinstance(value, ir.Attribute) else None
                if not holder or not isinstance(value, ir.Attribute):
                    continue
                if isinstance(root, ir.Name) and root.id in names:
                    found.append(_Alias(method, holder, value, root.id, value.attr))
        found += _twins(method)
    return tuple(one for one in found if one.attr != one.holder or _is_given(one))


def _twins(method: ir.FunctionDef) -> Iterator[_Alias]:
    """The attributes that a method leaves with the same value of a parameter or a name."""
    last: dict[str, ir.Expr | None] = {}
    for one in walk(method.body, OWN_SCOPES):
        for target, value in each_assigned(one):
            if attr := attribute_of(target, method.params[0].name):
                last[attr] = value
    held = [(attr, name) for attr, value in last.items() for name in _names(value)]
    given, bound = {param.name for param in method.params}, bindings(method.body)
    for holder, name in held:
        if len(bound.get(name.id, ())) != (name.id not in given):
            continue
        for attr, other in held:
            if attr != holder and other.id == name.id:
                yield _Alias(method, holder, name, method.params[0].name, attr, True)


def _names(value: ir.Expr | None) -> list[ir.Name]:
    """The names of which one is what is assigned."""
    options = (value.body, value.orelse) if isinstance(value, ir.IfExp) else (value,)
    return [one for one in options if isinstance(one, ir.Name)]


def _is_given(alias: _Alias) -> bool:
    return alias.owner != alias.method.params[0].name


def _presumed(machine: Machine, cls: Class, alias: _Alias) -> list[Class]:
    """The classes that the object may be of of which an attribute is kept: by its annotation or
    the name that it goes by."""
    asked = None
    if isinstance(alias.source, ir.Attribute):
        asked = asked_within(alias.method, cls.node, alias.source.value)
    asked = asked or Asked()
    wanted = asked if asked.kin else named_after(asked, alias.owner)
    if cls.home is None or wanted is None:
        return []
    return classes(machine, cls.home, wanted, is_tree=False)[:_MOST_CLASSES]


# -- what is given away --------------------------------------------------------------------------


def _gifts(machine: Machine, cls: Class) -> dict[str, list[_Gift]]:
    """The calls by which methods of a class give attributes of their object away."""
    known = _GIFTS.of(machine)
    if id(cls) not in known:
        known[id(cls)] = {}
        for method in _methods(cls):
            for call in walk(method.body, OWN_SCOPES):
                given = [attribute_of(one.value, method.params[0].name) for one in _plain(call)]
                if any(given):
                    for name in _given_away(machine, cls, method, call, given):
                        known[id(cls)].setdefault(name, []).append(_Gift(method, call))
    return known[id(cls)]


def _plain(call: object) -> tuple[ir.Argument, ...]:
    """The arguments of a call by position, up to one that is several."""
    args = call.args if isinstance(call, ir.Call) else ()
    end = next((at for at, one in enumerate(args) if one.star or one.keyword), len(args))
    return args[:end]


def _given_away(
    machine: Machine, cls: Class, method: ir.FunctionDef, call: ir.Call, given: list[str]
) -> Iterator[str]:
    attr = attribute_of(call.func, method.params[0].name)
    func: Value | None
    first = 0
    if attr:
        func = generic_instance(machine, cls).fields.get(attr)
        if func is None:
            func, first = cls.find(attr), 1
    else:
        is_local = not is_chain(call.func) or cls.home is None
        func = None if is_local or cls.home is None else peek(machine, cls.home, call.func)
    if isinstance(func, Transformed) and func.record.donates:
        for at, name in enumerate(given):
            if name and is_donated(func.record, at + first, ""):
                yield name


def _methods(cls: Class) -> Iterator[ir.FunctionDef]:
    for one in cls.lineage:
        for member in one.namespace.values():
            func = member.func if isinstance(member, Descriptor) else member
            inner = func.inner if isinstance(func, Transformed) else func
            if isinstance(inner, Function) and inner.node.params:
                yield inner.node


# -- what is read --------------------------------------------------------------------------------


def _is_read_after(cls: Class, alias: _Alias, gift: _Gift) -> bool:
    """Whether some method reads what is kept, other than where it was kept just before."""
    for method in _methods(cls):
        order = {id(one): at for at, one in enumerate(walk(method.body))}
        for one in _reads(method, alias.holder):
            if method is not alias.method:
                return True
            kept, read = order[id(alias.source)], order[id(one)]
            gone = order.get(id(gift.call), 0)
            if read < kept or kept < gone < read:
                return True
    return False


def _reads(method: ir.FunctionDef, attr: str) -> Iterator[ir.Expr]:
    """Where a method reads an attribute of its object: not its shape, nor whether there is one."""
    hidden: set[int] = set()
    for one in walk(method.body):
        if isinstance(one, ir.Attribute) and one.attr in lookup.STATIC_ATTRIBUTES:
            hidden.add(id(one.value))
        if isinstance(one, ir.Compare):
            hidden.add(id(one.left))
        hidden.update(id(target) for target, _ in each_assigned(one))
        if attribute_of(one, method.params[0].name) == attr and id(one) not in hidden:
            yield one


def _is_put_back(cls: Class, alias: _Alias) -> bool:
    """Whether what was kept goes back to where it was, or something else comes in its place."""
    is_given, is_kept = _is_given(alias), False
    for method in [alias.method] if is_given else _methods(cls):
        own = method.params[0].name
        owner = alias.owner if is_given else own
        for one in walk(method.body, OWN_SCOPES):
            for target, value in each_assigned(one):
                is_kept |= value is alias.source
                if attribute_of(target, owner) != alias.attr or value is None:
                    continue
                if attribute_of(value, own) == alias.holder:
                    return True
                if is_kept and method is alias.method and isinstance(value, ir.Attribute):
                    return True
    return False


CHECK = Check("kept-aliases", on_finish=_judge)

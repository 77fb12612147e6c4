"""What else a registry holds: functions and classes that another name would have chosen.

`POLICIES[name](...)` with a name from a configuration runs one policy. The others are there for
other configurations. A first run of traced code follows the one that was chosen and notes that
there are others; a second one (`presuming`) runs these in its place. All that only the second run
finds is uncertain.
"""

from __future__ import annotations

from typing import Final

from jaxlint.dataflow.names import is_stub
from jaxlint.engine.domain.arguments import Args, takes
from jaxlint.engine.domain.circumstances import CHOICES, PRESUMING
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Candidates, among
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    Instance,
    Mapping,
    Partial,
    Sequence,
    Unknown,
    Value,
    options,
)
from jaxlint.engine.evaluation.classes import instantiate
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.presumptions import MOST_FOLLOWED
from jaxlint.syntax import ir

# How many others are followed.
MOST_OTHERS: Final = 12


def chosen(machine: Machine, key: ir.Expr, registry: Mapping, value: Value) -> Value:
    """A value that is read from a dictionary: a function or class is noted to be one of several,
    where the key is not written out."""
    if isinstance(key, ir.Const) or len(registry.items) < 2:
        return value
    one = value.cls if isinstance(value, Instance) else value
    if isinstance(one, (Class, Function)) and one.registry is None:
        machine.alters(one)
        one.registry = registry
    return value


def one_of(unknown: Unknown, registry: Mapping, parts: list[Value]) -> Value:
    """What a registry holds under a key that is not known: a function or class of those that are
    known, or a tuple with one, where all that it is known to hold are tuples of one length."""
    rows = [one.items or [] for one in parts if isinstance(one, Sequence) and one.kind == "tuple"]
    if len(rows) < max(2, len(parts)) or len({*map(len, rows)}) > 1:
        return among(unknown, parts)
    columns = [among(unknown, column) for column in zip(*rows, strict=True)]
    if not any(isinstance(one, Candidates) for one in columns):
        return unknown
    return Sequence("tuple", [*columns], registry.born)


def constructed(machine: Machine, cls: Class, args: Args) -> None:
    """An object of a class is made; the first one of an analysis shows what its likes are given."""
    is_plain = args.rest is None and args.more is None
    if cls.registry is not None and cls.given is None and is_plain:
        machine.alters(cls)
        cls.given = args


def others(
    machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args
) -> list[tuple[Value, Args]]:
    """What stands beside a function that traced code calls, or beside the class of the object that
    it is a method of, with the arguments of the same call; nothing in the first run."""
    owner = args.positional[0] if args.positional and func.owner is not None else None
    cls = owner.cls if isinstance(owner, Instance) else None
    registry = func.registry if cls is None else cls.registry
    if not isinstance(registry, Mapping) or (cls is not None and _is_within(frame, node)):
        return []
    machine.dynamic.effects.asks |= CHOICES
    if not machine.asks(PRESUMING).presuming:
        return []
    if sum(machine.counters.runs.values()) >= MOST_FOLLOWED:
        return []
    if cls is None:
        found = [one for one in _functions_beside(registry, func) if may_take(one, args)]
        return [(one, args) for one in found[:MOST_OTHERS]]
    inside = args.behind(1)
    made: list[tuple[Value, Args]] = [
        (Bound(method, one), inside)
        for held in registry.items.values()
        for one in _objects(machine, cls, held)
        if isinstance(method := one.cls.find(func.node.name), Function) and not is_stub(method.node)
    ]
    return made[:MOST_OTHERS]


def beside(func: Value | None, place: ir.Expr) -> list[Value]:
    """The other functions of the registry that a wrapped function was chosen from, in partials with
    the same arguments where it is in one. `place` is the expression that is wrapped."""
    if isinstance(func, Partial):
        given = func.args, func.keywords, func.loop
        inner = place.args[0].value if isinstance(place, ir.Call) and place.args else place
        return [Partial(one, *given) for one in beside(func.func, inner)]
    registry = func.registry if isinstance(func, Function) else None
    if not isinstance(func, Function) or not isinstance(registry, Mapping):
        return []
    if isinstance(place, ir.Name) and place.id == func.node.name:
        return []
    return [*_functions_beside(registry, func)[:MOST_OTHERS]]


def _functions_beside(registry: Mapping, func: Function) -> list[Function]:
    held = registry.items.values()
    return [one for one in held if isinstance(one, Function) and one.node is not func.node]


def _is_within(frame: Frame, node: ir.Expr) -> bool:
    """Whether a method of an object calls another one of the same."""
    callee = node.func if isinstance(node, ir.Call) else node
    owner = callee.value if isinstance(callee, ir.Attribute) else None
    if isinstance(owner, ir.Call):
        return isinstance(owner.func, ir.Name) and owner.func.id == "super"
    func = frame.home().func
    first = func.params[0].name if func is not None and func.params else ""
    return isinstance(owner, ir.Name) and owner.id == first


def may_take(func: Value, args: Args) -> bool:
    """Whether a call may pass these arguments to a function; of other values nothing is known."""
    return not isinstance(func, Function) or takes(func, args)


def _objects(machine: Machine, cls: Class, held: Value) -> list[Instance]:
    """The objects that another entry of a registry stands for: itself, or what a class makes of
    the arguments that the chosen one was called with."""
    if isinstance(held, Instance):
        return [] if held.cls == cls else [held]
    if not isinstance(held, Class) or held == cls or not isinstance(cls.given, Args):
        return []
    if held.home is None or held.node is None:
        return []
    known = machine.summaries.examples.get((id(held), "registered"))
    if known is None:
        place = ir.Name(held.node.origin, held.name)
        with machine.importing(held.home), machine.quiet():
            frame = Frame("function", held.home, machine.host)
            made = instantiate(machine, frame, place, held, cls.given)
        known = [one for one in options(made) if isinstance(one, Instance)]
        machine.summaries.examples[id(held), "registered"] = known
    return known

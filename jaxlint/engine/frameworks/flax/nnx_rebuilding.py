"""Objects of nnx as a transformed function sees them: rebuilt, with traced arrays."""

from __future__ import annotations

from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.kinds.array_values import TRACER_KINDS, TracerKind
from jaxlint.engine.domain.possibilities import Candidates, among
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.traversal import rebuilt, walk_values
from jaxlint.engine.domain.values import (
    REBUILT,
    Concrete,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Traced,
    Union,
    Unknown,
    Value,
    join_all,
)
from jaxlint.engine.frameworks.flax.nnx_state import (
    HANDED,
    LIBRARY,
    MOST_NESTED,
    StatePassed,
    fields_or_items,
    handed_of,
    is_object,
    is_variable,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.transforms.trace_boundary import enter as enter_leaf
from jaxlint.engine.transforms.trace_boundary import root_of
from jaxlint.knowledge.applications import Application
from jaxlint.syntax import ir


def enter(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    owner: Value,
) -> Value | None:
    """An object as a transformed function sees it: rebuilt, its arrays traced. One of the function
    `REBUILT` is none of its arguments: it belongs to the code that made it, and nothing is lost of
    it."""
    if not is_object(owner) or trace.entry is None:
        return None
    LOOKS.at(trace)
    plain = not _keeps(trace.entry.application)
    handed = StatePassed(trace, name, plain, handed_of(owner))
    if function == REBUILT:
        return _own(_Rebuilder(machine, trace, place, name, "", handed).value(owner))
    return _Rebuilder(machine, trace, place, name, function, handed).value(owner)


def spread(machine: Machine, trace: Trace, param: ir.Param, owner: Value) -> Value | None:
    """An object that a mapped function is given whole, by `in_axes` of None: rebuilt, its arrays
    those outside, its random keys the same in every run."""
    if trace.entry is None:
        return None
    LOOKS.at(trace)
    plain = not _keeps(trace.entry.application)
    handed = StatePassed(trace, param.name, plain, handed_of(owner))
    handed.spread = True
    return _Spreader(machine, trace, param, param.name, "", handed).value(owner)


def unread(machine: Machine, trace: Trace, param: ir.Param, owner: Value) -> Value | None:
    """An object that is given to a derivative by a part of it, or by none: rebuilt, and nothing is
    said of its arrays."""
    if trace.entry is None:
        return None
    LOOKS.at(trace)
    plain = not _keeps(trace.entry.application)
    handed = StatePassed(trace, param.name, plain, handed_of(owner))
    return _Unread(machine, trace, param, param.name, "", handed).value(owner)


def _own(value: Value, depth: int = 5) -> Value:
    for one in walk_values(value, fields_or_items, depth):
        if isinstance(one, FrameworkObject):
            one.state.pop(HANDED, None)
        elif isinstance(one, Instance):
            one.fields.pop(HANDED, None)
    return value


def _keeps(how: Application) -> bool:
    """Whether changes are brought back, or the function is run for its shapes alone."""
    asks = how.transform.endswith(("make_jaxpr", "export")) or how.is_abstract_evaluation
    return asks or "nnx" in how.transform.split(".")


class _Rebuilder:
    """Rebuilds objects that may share parts."""

    def __init__(
        self,
        machine: Machine,
        trace: Trace,
        place: ir.Node | ir.Param,
        name: str,
        function: str,
        handed: StatePassed,
    ) -> None:
        self.machine = machine
        self.trace = trace
        self.place = place
        self.name = name
        self.function = function
        self.handed = handed
        self.made: dict[int, Value] = {}
        self.kind: TracerKind = (
            "abstract" if trace.staged else TRACER_KINDS.get(trace.kind, "abstract")
        )

    def value(self, value: Value, depth: int = MOST_NESTED) -> Value:
        if depth == 0:
            return Unknown("deep object")
        if id(value) in self.made:
            return self.made[id(value)]
        if isinstance(value, Union):
            return join_all([self.value(one, depth - 1) for one in value.options])
        if isinstance(value, Candidates):
            options = [self.value(one, depth - 1) for one in value.options]
            return among(Unknown(value.reason), options)
        if isinstance(value, (Sequence, Mapping)):
            return rebuilt(value, lambda one: self.value(one, depth - 1), self.trace)
        if isinstance(value, FrameworkObject) and is_object(value):
            return self._product(value)
        if isinstance(value, Instance) and is_object(value):
            return self._instance(value, depth)
        return self._leaf(value) if isinstance(value, (Concrete, NumPy, Traced)) else value

    def _leaf(self, value: Value) -> Value:
        if isinstance(value, Unknown):
            return value
        return enter_leaf(
            self.machine, self.trace, self.place, self.name, self.function, value, self.kind
        )

    def _product(self, value: FrameworkObject) -> FrameworkObject:
        made = FrameworkObject(value.dotted, value.args, value.made, self.trace)
        self.made[id(value)] = made
        made.state = {**value.state, HANDED: self.handed, "parts": {}}
        if self.handed.spread:
            return made
        held = value.state.get("value")
        # Nothing but parameters is differentiated by, whatever other variables hold.
        differentiated = self.trace.kind != "ad" or value.dotted == f"{LIBRARY}Param"
        if isinstance(held, Value) and differentiated:
            made.state["value"] = self.array() if isinstance(held, Unknown) else self._leaf(held)
        if differentiated or not is_variable(value):
            made.state["array"] = self.array()
        return made

    def _instance(self, value: Instance, depth: int) -> Instance:
        made = Instance(value.cls, self.trace)
        self.made[id(value)] = made
        for name, field in value.fields.items():
            if name != HANDED:
                made.fields[name] = self.value(field, depth - 1)
        made.fields[HANDED] = self.handed
        return made

    def array(self) -> Traced:
        """What an array of the object is that nothing more is known of."""
        return Traced(root_of(self.trace, self.place, self.name, self.function), self.kind)


class _Spreader(_Rebuilder):
    """Rebuilds objects whose arrays stay as they are."""

    def _leaf(self, value: Value) -> Value:
        return value


class _Unread(_Rebuilder):
    """Rebuilds objects of whose arrays nothing is known."""

    def _leaf(self, value: Value) -> Value:
        return Unknown("array that may not be traced")

    def _product(self, value: FrameworkObject) -> FrameworkObject:
        made = super()._product(value)
        for name in ("array", "value"):
            made.state.pop(name, None)
        return made

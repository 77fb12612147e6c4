"""Objects that are split and merged: the whole has the variables of its states, which belong to
the trace that they were made in (since flax 0.11; before, a change of them was lost).

Source: flax documentation of `nnx.split`, `nnx.merge` and `nnx.clone`, and
`tests/frameworks/test_flax.py`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.traversal import rebuilt
from jaxlint.engine.domain.values import (
    REBUILT,
    Instance,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Union,
    Unknown,
    Value,
    as_traced,
    join_all,
)
from jaxlint.engine.frameworks.flax.nnx_rebuilding import enter
from jaxlint.engine.frameworks.flax.nnx_state import (
    GRAPH,
    HANDED,
    LIBRARY,
    MERGED,
    MOST_NESTED,
    RANDOM,
    STATE,
    handed_of,
    is_captured,
    is_object,
    is_variable,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# The variable that an object of a class changes, and the classes that filters find it by.
_COUNT = ("RngCount", "RngState", "Variable")
_CLASSES = {
    **dict.fromkeys((*RANDOM, f"{LIBRARY}Dropout", f"{LIBRARY}RngCount"), _COUNT),
    f"{LIBRARY}BatchNorm": ("BatchStat", "Variable"),
    f"{LIBRARY}LoRAParam": ("LoRAParam", "Param", "Variable"),
    f"{LIBRARY}RngKey": ("RngKey", "RngState", "Variable"),
}


def part(
    frame: Frame, node: ir.Expr, dotted: str, args: Args, owner: Value | None, at: int = 0
) -> FrameworkObject:
    """The structure of an object, or the state of it for one of several filters."""
    made = FrameworkObject(dotted, args, node, frame.trace)
    handed = None if owner is None else handed_of(owner)
    if handed is not None and dotted == STATE:
        made.state[HANDED] = handed
    made.state["of"] = owner
    made.state["at"] = at
    return made


def split(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.split(node, *filters)`: the structure, and a state for each filter."""
    owner = args.get(0, "node")
    if args.rest is not None:
        return machine.unknown("split object")
    count = max(len(args.positional) - 1, 1)
    states = [part(frame, node, STATE, args, owner, at) for at in range(count)]
    whole: list[Value] = [part(frame, node, GRAPH, args, owner), *states]
    return Sequence("tuple", whole, frame.trace, None, frame.path)


def graphdef(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.graphdef(node)`."""
    return part(frame, node, GRAPH, args, args.get(0, "node"))


def clone(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.clone(node)`: another object, of this trace."""
    owner = args.get(0, "node")
    if owner is None or not frame.trace.is_host:
        return machine.unknown(REBUILT)
    return _Whole(frame, [("", True)]).value(owner)


def merge(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.merge(graphdef, *states)`: an object of this trace, its arrays those of the states."""
    graph, state = args.get(0, "graphdef"), args.get(1, "state")
    owner = graph.state.get("of") if isinstance(graph, FrameworkObject) else None
    if owner is None:
        return machine.unknown(REBUILT)
    if "copy" not in args.keywords and args.rest is None and args.more is None:
        whole = _merged(frame, owner, args.positional[1:])
        if whole is not None:
            return whole
    entered = isinstance(state, FrameworkObject) and handed_of(state) is not None
    inside = isinstance(state, FrameworkObject) and state.born is frame.trace
    traced = as_traced(state) if state is not None else None
    if frame.trace.entry is None or not (traced or (entered and inside)):
        return machine.unknown(REBUILT)
    made = enter(machine, frame.trace, node, "", REBUILT, owner)
    return made if made is not None else machine.unknown(REBUILT)


def _merged(frame: Frame, owner: Value, states: list[Value]) -> Value | None:
    """The whole, if some of its states belong to the trace around, or all to the host."""
    outside = [_is_outside(frame, one) for one in states]
    if not any(outside):
        return None
    return _Whole(frame, list(zip(map(_filter, states), outside, strict=True))).value(owner)


def _is_outside(frame: Frame, state: Value) -> bool:
    if not isinstance(state, FrameworkObject) or state.dotted != STATE:
        return False
    handed = handed_of(state)
    if handed is not None and handed.trace is frame.trace:
        return False
    of = state.state.get("of", state)
    return frame.trace.is_host or any(is_captured(frame, one) for one in (state, of))


def _filter(state: Value) -> str | None:
    """The class of the variables that a state has of those before, "" for all, None where that
    is not known."""
    if not isinstance(state, FrameworkObject) or state.args is None:
        return None
    filters, at = state.args.positional[1:], state.state.get("at", 0)
    one = filters[at] if at < len(filters) else None
    if one is None or (isinstance(one, Static) and one.const in (..., True)):
        return "" if one is not None or not filters else None
    known = isinstance(one, LibraryName) and one.dotted.startswith(LIBRARY)
    return one.dotted[len(LIBRARY) :] if isinstance(one, LibraryName) and known else None


class _Whole:
    """Makes the objects of a whole anew, with the variables of states from outside."""

    def __init__(self, frame: Frame, states: list[tuple[str | None, bool]]) -> None:
        self.frame = frame
        self.states = states
        self.made: dict[int, Value] = {}

    def value(self, value: Value, depth: int = MOST_NESTED) -> Value:
        if depth == 0:
            return Unknown("deep object")
        if id(value) not in self.made:
            self.made[id(value)] = self._made(value, depth - 1)
        return self.made[id(value)]

    def _made(self, value: Value, depth: int) -> Value:
        if isinstance(value, Union):
            return join_all([self.value(one, depth) for one in value.options])
        if isinstance(value, (Sequence, Mapping)):
            return rebuilt(value, lambda one: self.value(one, depth), self.frame.trace)
        if isinstance(value, Instance) and is_object(value):
            made = Instance(value.cls, self.frame.trace)
            self.made[id(value)] = made
            made.fields = {
                name: self.value(one, depth) for name, one in value.fields.items() if name != HANDED
            }
            return made
        if isinstance(value, FrameworkObject) and is_object(value):
            return self._product(value)
        return value

    def _product(self, value: FrameworkObject) -> FrameworkObject:
        shared = self._is_outside(value.dotted)
        if shared and is_variable(value):
            return value
        made = value.again()
        made.state[MERGED] = True
        if not shared:
            made.born = self.frame.trace
            for name in (HANDED, "array", "parts", "value"):
                made.state.pop(name, None)
        return made

    def _is_outside(self, dotted: str) -> bool:
        short = dotted[len(LIBRARY) :]
        for name, outside in self.states:
            if name is None:
                return False
            if name in ("", *_CLASSES.get(dotted, (short, "Variable"))):
                return outside
        return False

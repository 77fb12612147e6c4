"""One array at two places of a container that is given away: `State(params=p, target=p)`.

Each place is an argument of the compiled program, so that its buffer would be given away twice. The
program has to read both places: JAX drops the others. A result has to fit the buffer: else JAX
keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import chain_text, dotted_text, walk
from jaxlint.engine.checks.donation.donated_arguments import Argument, arguments
from jaxlint.engine.checks.donation.synced_places import copied_by, named_places, step, synced
from jaxlint.engine.checks.donation.use_after_donation import DONATED
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.special_values import OpaqueArray
from jaxlint.engine.domain.values import (
    Concrete,
    Instance,
    Mapping,
    Sequence,
    Static,
    Transformed,
    Value,
)
from jaxlint.engine.inference.aliasing import MOST_NESTED, arrays, several
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.knowledge.arrays.buffers import COPYING, UNEXECUTED
from jaxlint.syntax import ir

Path = tuple[tuple[str, str], ...]
"""The way to a place in a container: of each step the name or key, and how it is written."""


@slotted(frozen=True, eq=False)
class _Shared:
    """An array at two places of a container."""

    array: Concrete | OpaqueArray
    first: Path
    second: Path


def _called(machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args) -> None:
    """A transformed function has been called."""
    record: TransformUse = func.record
    if not record.donates or not frame.trace.is_host or machine.dynamic.idle or record.refused:
        return
    called = node.func if isinstance(node, ir.Call) else None
    if isinstance(called, ir.Attribute) and called.attr in UNEXECUTED:
        return
    for one in arguments(record, args):
        if one.given:
            _take_back(machine, record, one)
        if one.given and not _judge_array(machine, frame, node, record, one):
            _judge_text(machine, frame, node, record, one)


def _take_back(machine: Machine, record: TransformUse, one: Argument) -> None:
    """What no result fits was not given away."""
    for array in arrays(one.value):
        mark = typestate.marked(machine, DONATED, array)
        if mark is not None and mark.node is one.node and not _fits(record, array):
            typestate.unmark(machine, DONATED, array)


def _judge_array(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, one: Argument
) -> bool:
    """Whether the arrays of an argument are known to be shared."""
    shared = _shared(one.value)
    if shared is None or not _fits(record, shared.array):
        return False
    read = _reads(record, one, shared.first[0][0], shared.second[0][0])
    if read is not False and id(shared.array) not in several(machine, frame):
        possible = read is None or isinstance(shared.array, OpaqueArray)
        _emit(machine, frame, node, record, one, _apart(shared), possible)
    return True


def _judge_text(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, one: Argument
) -> None:
    """An argument of which the text tells that two places hold the same arrays."""
    text = chain_text(one.node)
    found = synced(machine, frame, node, text) if text else None
    if found is None or not _reads(record, one, found.source, found.target):
        return
    if isinstance(one.value, Instance) and one.value.cls.tree != "leaves":
        return
    if any(isinstance(leaf, Static) for leaf in _at(one.value, found.target)):
        return
    _emit(machine, frame, node, record, one, found.places, True)


def _at(value: Value, place: str) -> list[Value]:
    return [inner for (name, _), inner in _inside(value) if name == place]


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    one: Argument,
    places: tuple[str, str],
    possible: bool,
) -> None:
    text = chain_text(one.node)
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    machine.emit(
        facts.Donated(
            machine.module,
            node,
            frame.name,
            kind="twice",
            target=text + places[0],
            callee=callee or function_name(record.func),
            possible=possible or machine.silences().unsure > 0,
            other=text + places[1],
        )
    )


# -- where arrays are ----------------------------------------------------------------------------


def _shared(value: Value) -> _Shared | None:
    """The first array that a container holds at two places."""
    if not isinstance(value, (Instance, Mapping, Sequence)):
        return None
    seen: dict[int, Path] = {}
    for path, array in _places(value, (), MOST_NESTED):
        before = seen.setdefault(id(array), path)
        if before is not path:
            return _Shared(array, before, path)
    return None


def _apart(shared: _Shared) -> tuple[str, str]:
    """How two places are written, without what follows alike in both."""
    first, second = list(shared.first), list(shared.second)
    while len(first) > 1 and len(second) > 1 and first[-1] == second[-1]:
        del first[-1], second[-1]
    return "".join(how for _, how in first), "".join(how for _, how in second)


def _places(value: Value, path: Path, depth: int) -> Iterator[tuple[Path, Concrete | OpaqueArray]]:
    """The arrays in a container that JAX takes apart, each with the way to it."""
    if isinstance(value, (Concrete, OpaqueArray)):
        yield path, value
    elif depth:
        for step, inner in _inside(value):
            yield from _places(inner, (*path, step), depth - 1)


def _inside(value: Value) -> Iterator[tuple[tuple[str, str], Value]]:
    if isinstance(value, Instance):
        if value.cls.tree and not value.generic:
            for name, inner in value.fields.items():
                if is_child(value.cls, name):
                    yield (name, f".{name}"), inner
    elif isinstance(value, Mapping):
        for key, inner in value.items.items():
            yield (str(key), f"[{key!r}]"), inner
    elif isinstance(value, Sequence) and value.kind in ("list", "tuple"):
        for at, inner in enumerate(value.items or ()):
            yield (str(at), f"[{at}]"), inner


# -- what the program does with them -------------------------------------------------------------


def _fits(record: TransformUse, array: Concrete | OpaqueArray) -> bool:
    """Whether a result may take the buffer of an array, as far as the results are known."""
    if not record.runs or array.rank is None:
        return True
    leaves = (leaf for result in record.runs.values() for leaf in _leaves(result, MOST_NESTED))
    made = (leaf for leaf in leaves if not isinstance(leaf, Static))
    return any(getattr(leaf, "rank", None) in (None, array.rank) for leaf in made)


def _leaves(value: Value, depth: int) -> Iterator[Value]:
    steps = list(_inside(value)) if depth else []
    if not steps:
        yield value
    for _, inner in steps:
        yield from _leaves(inner, depth - 1)


def _reads(record: TransformUse, one: Argument, first: str, second: str) -> bool | None:
    """Whether the program reads both places, None where code that is given the whole may."""
    func = plain_function(record.func)
    if func is None or not one.name:
        return None
    found = _uses(func.node, one.name)
    if found.keeps(first) and found.keeps(second) and (first != second or found.whole):
        return True
    return None if found.handed or first == second else False


@slotted(frozen=True, eq=False)
class _Uses:
    """What a function does with a parameter: the places that it reads, those that copies of the
    `whole` have something else at, and whether it is `handed` on to other code."""

    read: frozenset[str]
    whole: bool
    replaced: frozenset[str]
    handed: bool

    def keeps(self, name: str) -> bool:
        """Whether the program needs what is at a place."""
        return name in self.read or (self.whole and name not in self.replaced)


@answered_once
def _uses(func: ir.FunctionDef, name: str) -> _Uses:
    read: set[str] = set()
    replaced: set[str] = set()
    whole: set[int] = set()
    parts: set[int] = set()
    found: list[ir.Name] = []
    for one in walk(func.body):
        if isinstance(one, ir.Name) and one.id == name:
            found.append(one)
        elif isinstance(one, ir.Return) and one.value is not None:
            whole.add(id(one.value))
        elif isinstance(one, ir.Sequence):
            whole |= {id(item) for item in one.items}
        elif isinstance(one, ir.Call) and (copied := copied_by(one)) is not None:
            whole.add(id(copied))
            if isinstance(copied, ir.Name) and copied.id == name:
                replaced.update(named_places(one))
        elif (place := step(one)) and isinstance(one.value, ir.Name) and one.value.id == name:
            parts.add(id(one.value))
            read.add(place)
    read -= COPYING
    handed = any(id(one) not in whole and id(one) not in parts for one in found)
    return _Uses(
        frozenset(read), any(id(one) in whole for one in found), frozenset(replaced), handed
    )


CHECK = Check("shared-buffers", on_transformed_result=_called)

"""Objects of the standard library that hold values: deques, special dicts, namespaces."""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import INT, Class, Instance, Mapping, Sequence, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib.builtin_functions import call_builtin
from jaxlint.engine.operations.containers.dicts import union
from jaxlint.syntax import ir


def deque(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    inside = Args(args.positional[:1], nodes=args.nodes[:1])
    made = call_builtin(machine, frame, node, "list", inside)
    if isinstance(made, Sequence):
        made.kind = "deque"
    return made


def ordered_dict(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return call_builtin(machine, frame, node, "dict", args)


def counter(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return Mapping({}, frame.trace, INT, open=True, path=frame.path, made=node)


def default_dict(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A dict whose missing values the factory makes."""
    factory = args.get(0, "")
    element = None if factory is None else machine.call(frame, node, factory, Args())
    return Mapping({}, frame.trace, element, open=True, path=frame.path, made=node)


def namespace(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`types.SimpleNamespace`: an object of a class without methods."""
    return _record("SimpleNamespace", frame, args)


def local(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`threading.local`."""
    return _record("local", frame, args)


def _record(name: str, frame: Frame, args: Args) -> Value:
    made = Instance(Class(name, None, ()), frame.trace, path=frame.path)
    made.fields.update(args.keywords)
    return made


NAMESPACES = {
    "argparse.Namespace": namespace,
    "threading.local": local,
    "types.SimpleNamespace": namespace,
}


def chain_map(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`collections.ChainMap(*maps)`: the first map that has a key gives its value."""
    made = Mapping({}, frame.trace, path=frame.path, made=node)
    for value in reversed(args.positional):
        if not isinstance(value, Mapping):
            return machine.unknown("chain of maps")
        made = union(frame, made, value)
    return made


def copied(frame: Frame, node: ir.Expr, args: Args) -> Value | None:
    """A container of the same elements, None for anything else."""
    value = args.get(0, "x")
    if isinstance(value, Mapping):
        return Mapping(
            dict(value.items), frame.trace, value.element, value.open, frame.path, made=node
        )
    if isinstance(value, Sequence) and value.kind != "tuple":
        items = None if value.items is None else list(value.items)
        return Sequence(value.kind, items, frame.trace, value.element, frame.path, made=node)
    return None

"""flax.nnx: objects with state, which methods change as Python does.

Source: flax documentation, "NNX Basics" and the API reference of `flax.nnx`.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Class,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.evaluation.classes import bind_fields, generic_instance
from jaxlint.engine.frameworks.flax.nnx_merging import clone, graphdef, merge, part, split
from jaxlint.engine.frameworks.flax.nnx_rebuilding import enter, spread, unread
from jaxlint.engine.frameworks.flax.nnx_state import (
    LIBRARY,
    RANDOM,
    RNGS,
    STATE,
    VARIABLES,
    change,
    is_object,
    is_object_class,
    is_variable_class,
    note_drawn,
    takes,
)
from jaxlint.engine.inference.signatures import WRAPPING
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.engine.transforms.control_flow import run_like
from jaxlint.syntax import ir

# How many objects of a class host code makes that are told apart.
MOST_BUILT = 6
# By the name of nnx: JAX's function that runs the same bodies.
CONTROL = {
    "cond": "jax.lax.cond",
    "switch": "jax.lax.switch",
    "while_loop": "jax.lax.while_loop",
    "fori_loop": "jax.lax.fori_loop",
    "eval_shape": "jax.eval_shape",
    "jvp": "jax.jvp",
    "vjp": "jax.vjp",
}


# -- classes ------------------------------------------------------------------------------------


def define(machine: Machine, frame: Frame, node: ir.ClassDef, cls: Class) -> None:
    """Modules of nnx are pytrees whose structure nnx knows."""
    if is_object_class(cls):
        cls.tree = "own"


def build(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> Value | None:
    """A class of the project that derives from one of nnx is called."""
    if is_variable_class(cls):
        base = next(name for name in cls.externals() if name in VARIABLES)
        return _variable(base, frame, node, args)
    if not is_object_class(cls):
        return None
    known = _alike(machine, frame, cls, args)
    if known is not None and known[1] in known[0]:
        found = known[0][known[1]]
        machine.summaries.again[id(found)] = found
        return found
    made = Instance(cls, frame.trace, path=frame.path)
    if known is not None:
        known[0][known[1]] = made
        if frame.loop is not None:
            machine.summaries.again[id(made)] = made
    init = cls.find("__init__")
    if isinstance(init, Function):
        nodes = [node, *args.nodes]
        inside = Args(
            [made, *args.positional],
            args.keywords,
            args.rest,
            args.more,
            nodes,
            args.keyword_nodes,
        )
        machine.invoke(init, inside, frame.trace, node, frame)
    elif cls.fields:
        bind_fields(machine, frame, node, made, cls, args)
    return made


def _alike(
    machine: Machine, frame: Frame, cls: Class, args: Args
) -> tuple[dict[str, Value], str] | None:
    """The objects of a class that the host has made so far, by what they were given.

    One object stands for all that are made alike, and for those behind the first few.
    """
    if not frame.trace.is_host:
        return None
    given = tuple(map(_argument_key, args.positional))
    named = tuple((name, _argument_key(value)) for name, value in args.keywords.items())
    alike = repr((given, named, args.rest is not None, args.more is not None))
    held = machine.summaries.alike.setdefault(id(cls), {})
    return held, alike if alike in held or len(held) < MOST_BUILT else next(iter(held))


def _argument_key(value: Value) -> object:
    return ("p", value.dotted) if isinstance(value, FrameworkObject) else shape_key(value)


def parameter(machine: Machine, trace: Trace, cls: Class, made: Traced) -> Value | None:
    """An argument of such a class that no visible call passes."""
    if not is_object_class(cls):
        return None
    name = made.trail.name
    return enter(
        machine,
        trace,
        made.trail.node,
        name,
        made.trail.function,
        generic_instance(machine, cls),
    )


def kept(
    machine: Machine, trace: Trace, dotted: str, param: ir.Param | None, value: Value
) -> Value | None:
    """An argument that a transform does not trace: most rebuild it all the same."""
    if not is_object(value):
        return None
    if trace.kind == "vmap" and param is not None:
        return spread(machine, trace, param, value)
    if trace.kind == "ad" and param is not None and dotted.startswith(LIBRARY):
        return unread(machine, trace, param, value)
    whole = dotted.startswith("jax.") and "vmap" not in dotted and "map" not in dotted
    return None if whole else machine.unknown("argument that is not traced")


def called(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> Value | None:
    """What a transform of nnx made is called."""
    if record.dotted.startswith(LIBRARY):
        takes(machine, frame, record.dotted.removeprefix("flax."), args)
    return None


# -- names of the library -------------------------------------------------------------------------


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A name of `flax.nnx` is called."""
    short = dotted[len(LIBRARY) :]
    if dotted in VARIABLES:
        return _variable(dotted, frame, node, args)
    if short in FUNCTIONS:
        return FUNCTIONS[short](machine, frame, node, args)
    if short in CONTROL:
        plain = CONTROL[short]
        takes(machine, frame, f"nnx.{short}", args)
        return run_like(machine, frame, node, plain, f"nnx.{short}", args)
    last = short.rpartition(".")[2]
    if not last[:1].isupper():
        return None
    rngs = args.keywords.get("rngs")
    if isinstance(rngs, FrameworkObject) and rngs.dotted in RANDOM and dotted != RNGS:
        change(machine, frame, node, rngs)
        note_drawn(rngs)
    return FrameworkObject(dotted, args, node, frame.trace)


def _variable(dotted: str, frame: Frame, node: ir.Expr, args: Args) -> FrameworkObject:
    made = FrameworkObject(dotted, args, node, frame.trace)
    given = args.get(0, "value")
    if given is not None:
        made.state["value"] = given
    return made


def _list(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    given = args.get(0, "it")
    if given is None:
        return Sequence("list", [], frame.trace, None, frame.path)
    element, items, _ = iterate(machine, frame, args.node(0, "it", node), given, "for")
    rest = None if items is not None else element
    known = None if items is None else list(items)
    return Sequence("list", known, frame.trace, rest, frame.path)


def _dict(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    given = args.get(0, "mapping")
    held = dict(given.items) if isinstance(given, Mapping) else {}
    loose = args.more is not None or (given is not None and not isinstance(given, Mapping))
    rest = machine.unknown("element of a dict") if loose else None
    return Mapping({**held, **args.keywords}, frame.trace, rest, loose, frame.path)


def _state(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.state(node, *filters)`: what the function then returns may be the changes."""
    owner = args.get(0, "node")
    count = len(args.positional) - 1
    states: list[Value] = [part(frame, node, STATE, args, owner, at) for at in range(max(count, 1))]
    if count < 2 and args.rest is None:
        return states[0]
    known = None if args.rest is not None else states
    return Sequence("tuple", known, frame.trace, states[0] if known is None else None, frame.path)


def _update(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    owner = args.get(0, "node")
    if owner is not None and is_object(owner):
        change(machine, frame, node, owner, "nnx.update", args.node(0, "node", node))
    return NONE


def _pop(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return _state(machine, frame, node, args)


def _decorator(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`@nnx.split_rngs(splits=2)`: the function is called with other random keys."""
    if args.positional:
        return machine.unknown("forked random keys")
    return LibraryName(WRAPPING)


def _cached_partial(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional or args.rest is not None:
        return machine.unknown("partial of unknown arguments")
    return Partial(args.positional[0], tuple(args.positional[1:]), dict(args.keywords), frame.loop)


def _data(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`nnx.data(value)`: what a module holds as a part of its state, be it an array or not."""
    value = args.get(0, "value")
    return (
        machine.unknown("data of a module") if value is None or isinstance(value, Static) else value
    )


Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
FUNCTIONS: dict[str, Handler] = {
    "Dict": _dict,
    "List": _list,
    "cached_partial": _cached_partial,
    "clone": clone,
    "data": _data,
    "fork_rngs": _decorator,
    "graphdef": graphdef,
    "merge": merge,
    "pop": _pop,
    "split": split,
    "split_rngs": _decorator,
    "state": _state,
    "update": _update,
    "variables": _state,
}

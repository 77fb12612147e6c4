"""What annotations promise of values whose arrays alone are traced, and of what they hold."""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    MAY_BE_STATIC,
    NONE,
    Class,
    Concrete,
    Instance,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    join,
    join_all,
)
from jaxlint.engine.inference.parameters import array_dtype
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

# How deep objects in the fields of objects are rebuilt.
MOST_NESTED = 3
# Python's own classes of numbers and text.
HOST = frozenset({"bool", "bytes", "complex", "float", "int", "str"})
# Annotations of what may be an array or a Python number.
_EITHER = frozenset({"ArrayLike", "Numeric", "Scalar", "ScalarLike"})
_LISTS = {"list": "list", "List": "list", "tuple": "tuple", "Tuple": "tuple", "Sequence": "list"}
_DICTS = frozenset({"dict", "Dict", "Mapping"})


def annotated(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    made: Traced,
    trace: Trace,
    depth: int = MOST_NESTED,
) -> Value:
    """What such a value is where arrays are traced as `made` and all else is static."""
    if isinstance(node, ir.Const):
        return NONE if node.value is None else _unsure(machine)
    if isinstance(node, ir.BinOp) and node.op == "|":
        sides = (node.left, node.right)
        return join_all([annotated(machine, frame, side, made, trace, depth) for side in sides])
    if isinstance(node, ir.Subscript):
        return _subscripted(machine, frame, node, made, trace, depth)
    if not isinstance(node, (ir.Name, ir.Attribute)):
        return _unsure(machine)
    with machine.quiet():  # Nothing evaluates annotations but who asks for them.
        value = machine.eval(frame, node)
    if isinstance(value, Class) and value.tree == "leaves" and depth:
        return rebuilt(machine, value, made, trace, depth - 1)
    if not isinstance(value, LibraryName):
        return _unsure(machine)
    library, _, short = value.dotted.rpartition(".")
    if library == "builtins" and short in HOST:
        return Static(kind=short)
    dtype = None if short in _EITHER and library != "jaxtyping" else array_dtype(value.dotted)
    if dtype is not None:
        return _array(made, trace, dtype)
    return _layer(machine, value.dotted, made, trace)


def _unsure(machine: Machine) -> Value:
    return machine.unknown(MAY_BE_STATIC)


def _array(made: Traced, trace: Trace, dtype: str) -> Value:
    """An array: what is differentiated holds floating-point numbers."""
    if made.kind == "ad" and dtype != "float" and dtype != "complex" and not trace.staged:
        return Concrete(dtype) if dtype else Union((Traced(made.trail, made.kind), Concrete()))
    return Traced(made.trail, made.kind, dtype)


def _layer(machine: Machine, dotted: str, made: Traced, trace: Trace) -> Value:
    """An object of a library's class that is known as a pytree."""
    product = FrameworkObject(dotted, None, None, trace)
    answer = machine.frameworks.ask(
        "enter", product, machine, trace, made.trail.node, "", "", product
    )
    return _unsure(machine) if answer is None else answer


def _subscripted(
    machine: Machine, frame: Frame, node: ir.Subscript, made: Traced, trace: Trace, depth: int
) -> Value:
    with machine.quiet():
        base = machine.eval(frame, node.value)
    dotted = base.dotted if isinstance(base, LibraryName) else ""
    short = dotted.rpartition(".")[2]
    parts = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)

    def inside(part: ir.Expr) -> Value:
        return annotated(machine, frame, part, made, trace, depth)

    if dotted in ("typing.Optional", "typing.Union"):
        options = list(map(inside, parts))
        return join_all([*options, NONE] if short == "Optional" else options)
    if dotted == "typing.Annotated":
        return inside(parts[0])
    dtype = array_dtype(dotted) if dotted else None
    if dtype is not None:
        held = inside(parts[0])
        return _array(made, trace, dtype) if isinstance(held, Traced) else held
    if short in _LISTS and depth:
        kind = _LISTS[short]
        several = kind != "tuple" or (len(parts) == 2 and _is_ellipsis(parts[1]))
        if several:
            return Sequence(kind, None, trace, inside(parts[0]))
        return Sequence(kind, list(map(inside, parts)), trace)
    if short in _DICTS and depth and len(parts) == 2:
        return Mapping({}, trace, inside(parts[1]), open=True)
    return _unsure(machine)


def _is_ellipsis(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is Ellipsis


def rebuilt(
    machine: Machine, cls: Class, made: Traced, trace: Trace, depth: int = MOST_NESTED
) -> Value:
    """An object of a class of the project for any caller, its fields as they are annotated.

    One of a class that others derive from may be an object of theirs.
    """
    classes = machine.classes()
    if depth < MOST_NESTED and any(c != cls and c.derives(cls) for c in classes):
        return _unsure(machine)
    instance = Instance(cls, trace)
    for name, (annotation, default) in cls.fields.items():
        frame = cls.home or machine.globals
        if name in cls.meta:
            instance.fields[name] = Static()
        elif annotation is not None:
            trail = made.trail.part(made.trail.node)
            field = Traced(trail, made.kind, leaf=False)
            value = annotated(machine, frame, annotation, field, trace, depth)
            held = default.default if isinstance(default, FieldSpec) else default
            # What is not passed keeps its default, an array or not.
            instance.fields[name] = join(value, held) if isinstance(held, Static) else value
        else:
            instance.fields[name] = _unsure(machine)
    return instance

"""What the signature of a function says of its parameters: names, kinds, annotations."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypeGuard

from jaxlint.base.dataclass import replace
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Field
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.special_values import Deferred
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
    is_none,
    join,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_SCALARS = {"float": "float", "int": "int", "bool": "bool", "complex": "complex"}
_ARRAYS = frozenset(
    {
        "jax.Array",
        "jax.numpy.ndarray",
        "chex.Array",
        "numpy.ndarray",
        "jax.typing.ArrayLike",
        "chex.Scalar",
        "chex.PRNGKey",
        "chex.Numeric",
        "flax.typing.Array",
    }
)
# The last names of containers of any length, in lower case, as annotations spell them.
_SEQUENCES = frozenset({"list", "tuple", "sequence", "iterable", "collection", "mutablesequence"})
_MAPPINGS = frozenset({"dict", "mapping", "mutablemapping", "ordereddict"})
# How many objects are followed within each other by the annotations of their fields.
MOST_WITHIN: Final = 3
# Where annotations of arrays, numbers and containers come from.
_KNOWN = frozenset(
    {"builtins", "chex", "collections", "jax", "jaxtyping", "numpy", "typing", "typing_extensions"}
)
_OTHERS = frozenset(
    [
        *("str", "bytes", "Callable", "type", "Type", "object", "Any", "Hashable", "Literal"),
        *("dtype", "DType", "Dtype", "DTypeLike", "PrecisionLike", "Mesh", "Sharding", "Device"),
    ]
)


def signature(func: Value) -> list[ir.Param]:
    """The parameters that callers of a function value still have to pass."""
    if isinstance(func, Transformed):
        return signature(func.inner)
    if isinstance(func, Bound):
        rest = signature(func.func)
        # `*args` takes the object and whatever else is passed.
        return rest if rest and rest[0].kind == "vararg" else rest[1:]
    if isinstance(func, Partial):
        rest = signature(func.func)
        taken = len(func.args)
        kept = [
            p
            for at, p in enumerate(rest)
            if at >= taken or p.kind in ("vararg", "keyword", "kwarg")
        ]
        return _after_named(kept, func.keywords)
    return list(func.node.params) if isinstance(func, Function) else []


def shown_by(func: Function) -> Function | None:
    """The function whose signature Python shows for one that takes any arguments:
    `functools.wraps(other)`."""
    if {param.kind for param in func.node.params} != {"vararg", "kwarg"}:
        return None
    found = func.shows
    return found if isinstance(found, Function) and found.owner is None else None


def _after_named(params: list[ir.Param], given: Collection[str]) -> list[ir.Param]:
    """The parameters left by keywords: those after one of them are to be passed by name."""
    first = next((at for at, p in enumerate(params) if p.name in given), len(params))
    left = params[:first]
    for param in params[first:]:
        if param.name not in given and param.kind != "vararg":
            plain = param.kind == "plain"
            left.append(replace(param, kind="keyword") if plain else param)
    return left


def array_dtype(dotted: str) -> str | None:
    """The kind of dtype of the arrays that a name annotates, "" for any, None for no arrays."""
    return "" if dotted in _ARRAYS else lookup.array_annotation(dotted)


def annotated_value(
    machine: Machine, func: Function, param: ir.Param, made: Traced, trace: Trace
) -> Value:
    """The traced argument that an annotation promises; `made` where it says nothing."""
    if param.annotation is None or param.kind in ("vararg", "kwarg"):
        return made
    value = _by_annotation(machine, func.frame, param.annotation, made, trace)
    # `state: State = None`: what is annotated as an object may be left out.
    optional = isinstance(value, Instance) and is_none(func.defaults.get(param.name, value))
    return join(NONE, value) if optional else value


def _by_annotation(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    made: Traced,
    trace: Trace,
    within: tuple[Class, ...] = (),
) -> Value:
    """What an annotation promises, of a field `within` objects of some classes."""
    node = unquoted(node)
    if isinstance(node, ir.Const):
        return NONE if node.value is None else made
    if isinstance(node, ir.BinOp) and node.op == "|":
        left = _by_annotation(machine, frame, node.left, made, trace, within)
        return join(left, _by_annotation(machine, frame, node.right, made, trace, within))
    if isinstance(node, ir.Subscript):
        return _subscripted(machine, frame, node, made, trace, within)
    if not _is_path(node):
        return made
    with machine.quiet():  # Nothing evaluates annotations but who asks for them.
        value = machine.eval(frame, node)
    if isinstance(value, Class):
        return object_of(machine, value, made, trace, within)
    dotted = value.dotted if isinstance(value, LibraryName) else ""
    short = dotted.rpartition(".")[2] or (node.id if isinstance(node, ir.Name) else node.attr)
    if dotted.startswith("builtins.") and short in _SCALARS:
        return Traced(made.trail, made.kind, _SCALARS[short], 0, True, weak=True)
    dtype = array_dtype(dotted)
    if dotted and dtype is not None:
        return Traced(made.trail, made.kind, dtype, None, True)
    if _is_foreign(dotted):
        # A container as a rule, which the library makes a pytree.
        return Traced(made.trail, made.kind, leaf=False)
    if short in _OTHERS or isinstance(value, Static):
        return machine.unknown("parameter of a host type") if short != "Any" else made
    return made


def _is_path(node: ir.Expr) -> TypeGuard[ir.Name | ir.Attribute]:
    """Whether an expression only names something. Another one, such as a call, is no type that
    a reader knows, and may call the function whose annotation it is."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


def _is_foreign(dotted: str) -> bool:
    """Whether a name is that of a class of some library that is known for no arrays."""
    root, _, short = dotted.partition(".")
    return bool(short) and root not in _KNOWN and "array" not in short.lower()


def _subscripted(
    machine: Machine,
    frame: Frame,
    node: ir.Subscript,
    made: Traced,
    trace: Trace,
    within: tuple[Class, ...],
) -> Value:
    if not _is_path(node.value):
        return made
    with machine.quiet():
        base = machine.eval(frame, node.value)
    dotted = base.dotted if isinstance(base, LibraryName) else ""
    if dotted == "typing.Optional":
        return join(NONE, _by_annotation(machine, frame, node.index, made, trace, within))
    if dotted == "typing.Union":
        parts = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)
        values = [_by_annotation(machine, frame, p, made, trace, within) for p in parts]
        result = values[0] if values else made
        for value in values[1:]:
            result = join(result, value)
        return result
    if dotted and (dtype := lookup.array_annotation(dotted)) is not None:
        return Traced(made.trail, made.kind, dtype, None, True)
    if dotted.rpartition(".")[2] in ("Callable", "Literal", "Type", "type"):
        return machine.unknown("parameter of a host type")
    if dotted == "typing.Annotated" and isinstance(node.index, ir.Sequence):
        return _by_annotation(machine, frame, node.index.items[0], made, trace, within)
    return _container(machine, frame, dotted, node.index, made, trace, within) or made


def _container(
    machine: Machine,
    frame: Frame,
    dotted: str,
    index: ir.Expr,
    made: Traced,
    trace: Trace,
    within: tuple[Class, ...],
) -> Value | None:
    """A container that is annotated to hold objects of the project, None where it is none."""
    kind = lookup.canonical(dotted).rpartition(".")[2].lower()
    parts = index.items if isinstance(index, ir.Sequence) else (index,)
    if kind in _MAPPINGS and len(parts) == 2:
        held = _held(machine, frame, parts[1], made, trace, within)
        return None if held is None else Mapping({}, trace, held, open=True)
    if kind not in _SEQUENCES:
        return None
    kind = "tuple" if kind == "tuple" else "list"
    is_fixed = kind == "tuple" and not (isinstance(parts[-1], ir.Const) and len(parts) == 2)
    if not is_fixed:
        held = _held(machine, frame, parts[0], made, trace, within)
        return None if held is None else Sequence(kind, None, trace, held)
    found = [_held(machine, frame, part, made, trace, within) for part in parts]
    if not any(found):
        return None
    plain = [Traced(made.trail, made.kind, leaf=False) for _ in found]
    return Sequence(kind, [one or rest for one, rest in zip(found, plain, strict=True)], trace)


def _held(
    machine: Machine,
    frame: Frame,
    annotation: ir.Expr,
    made: Traced,
    trace: Trace,
    within: tuple[Class, ...],
) -> Instance | Field | None:
    """An object of the class of the project that an annotation names, or of one that derives from
    it, as far as these are pytrees."""
    named = peek(machine, frame, unquoted(annotation))
    if not isinstance(named, Class):
        return None
    found = object_of(machine, named, Traced(made.trail, made.kind, leaf=False), trace, within)
    return found if isinstance(found, (Instance, Field)) else None


def unquoted(annotation: ir.Expr) -> ir.Expr:
    """What an annotation names that stands in a string; any other one as it is."""
    text = annotation.value if isinstance(annotation, ir.Const) else None
    names = text.split(".") if isinstance(text, str) else []
    if not names or not all(name.isidentifier() for name in names):
        return annotation
    found: ir.Expr = ir.Name(annotation.origin, names[0])
    for name in names[1:]:
        found = ir.Attribute(annotation.origin, found, name)
    return found


def object_of(
    machine: Machine, cls: Class, made: Traced, trace: Trace, within: tuple[Class, ...] = ()
) -> Value:
    """Any object of a class that is passed into a trace; `made` stands for its leaves. It may be a
    field `within` objects of other classes. Classes may refer to each other: of those around, none
    is followed again."""
    if cls in within or len(within) > MOST_WITHIN:
        return made
    answer = machine.frameworks.ask("parameter", cls, machine, trace, cls, made)
    if answer is not None:
        return answer
    if not cls.tree or cls.tree == "own":
        # Those that derive from it may be pytrees.
        reason = machine.unknown("parameter of a class that is no pytree").reason
        return Field(reason, (Traced(made.trail, made.kind),))
    instance = Instance(cls, trace)
    instance.tree = made
    for name, (annotation, _) in cls.fields.items():
        if annotation is None or not is_child(cls, name):
            continue
        field = Traced(made.trail, made.kind, leaf=False)
        instance.fields[name] = _field(machine, cls, annotation, field, trace, within)
    for name in cls.meta:
        instance.fields[name] = Static()
    return instance


def _field(
    machine: Machine,
    cls: Class,
    annotation: ir.Expr,
    made: Traced,
    trace: Trace,
    within: tuple[Class, ...],
) -> Value:
    """What a child of a pytree holds."""
    frame, around, annotation = cls.home or machine.globals, (*within, cls), unquoted(annotation)
    if not isinstance(annotation, (ir.Name, ir.Attribute, ir.Subscript)):
        return made
    if _plain(frame, annotation):
        return _by_annotation(machine, frame, annotation, made, trace, around)
    named = peek(machine, frame, annotation)
    if not isinstance(named, Class):
        return made
    found = object_of(machine, named, made, trace, around)
    return made if isinstance(found, Unknown) else found


def _plain(frame: Frame, annotation: ir.Expr) -> bool:
    """Whether an annotation names no class of the project."""
    head = annotation
    while isinstance(head, (ir.Attribute, ir.Subscript)):
        head = head.value
    if not isinstance(head, ir.Name):
        return False
    return not isinstance(frame.env.get(head.id), (Class, Deferred))

"""What JAX asks of classes that are registered as pytrees: it makes their objects itself, of leaves
that are no arrays or of another shape, and it compares what is not a leaf."""

from __future__ import annotations

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_child
from jaxlint.engine.domain.values import (
    STATIC,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    NumPy,
    Value,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.constant_names import dotted
from jaxlint.engine.inference.parameters import array_dtype
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

# What arrays tell of their structure.
_TOLD = frozenset({"dtype", "ndim", "shape", "size"})
# What takes no placeholder for a leaf, nor a tracer.
_CONVERTING = frozenset(
    ["builtins.complex", "builtins.float", "builtins.int", "numpy.array", "numpy.asarray"]
)
# What makes one truth of a compared array.
_REDUCING = frozenset(
    ["builtins.all", "builtins.any", "jax.numpy.all", "jax.numpy.any", "numpy.all", "numpy.any"]
)
_ORDERS = frozenset({"<", "<=", ">", ">="})
_ASKED = frozenset({"hasattr", "isinstance", "type"})


def constructor_takes(machine: Machine, frame: Frame, cls: Class, fields: set[str]) -> None:
    """A dataclass is registered whose own `__init__` does not take the fields by their names."""
    init = cls.namespace.get("__init__")
    if not isinstance(init, Function) or not fields:
        return
    params = init.node.params[1:]
    if any(one.kind == "kwarg" for one in params):
        return
    missing = sorted(fields - {one.name for one in params if one.kind in ("plain", "keyword")})
    if missing:
        misused(machine, frame, init.node, "pytree-constructor", cls.name, missing[0])


def checked_when_made(
    machine: Machine,
    frame: Frame,
    cls: Class,
    children: set[str],
    unflatten: Value | None = STATIC,
) -> None:
    """A class is registered whose constructor checks the structure of its leaves, and which JAX
    makes objects of by its constructor, as its unflatten function does where it has one."""
    maker = unflatten.func if isinstance(unflatten, Descriptor) else unflatten
    if maker is not STATIC and not (isinstance(maker, Function) and _constructs(maker.node, cls)):
        return
    for name in ("__init__", "__post_init__"):
        found = cls.namespace.get(name)
        if isinstance(found, Function):
            for place in _checks(found.node, children):
                misused(machine, frame, place, "pytree-check", cls.name, name)
            for place in _comparisons(found, children):
                misused(machine, frame, place, "pytree-test", cls.name, name)
            for place in _conversions(found, children):
                misused(machine, frame, place, "pytree-conversion", cls.name, name)


def _constructs(maker: ir.FunctionDef, cls: Class) -> bool:
    """Whether a function calls the class, by its first parameter or by its name."""
    names = {cls.name, *(one.name for one in maker.params[:1])}
    calls = (one for one in walk(maker.body) if isinstance(one, ir.Call))
    return any(dotted_text(one.func) in names for one in calls)


def _checks(init: ir.FunctionDef, children: set[str]) -> list[ir.Node]:
    """The statements of a constructor that raise where its leaves are not of some structure."""
    owner = init.params[0].name if init.params else ""
    leaves = children | {f"{owner}.{name}" for name in children}
    found: list[ir.Node] = []
    for one in init.body:
        raises = isinstance(one, ir.If) and any(isinstance(it, ir.Raise) for it in one.body)
        if isinstance(one, ir.Assert) or (isinstance(one, ir.If) and raises):
            if _asks_structure(one.test, leaves):
                found.append(one.test)
        elif isinstance(one, ir.If):
            return found  # The check of a kind, or a way out, may stand in front of the others.
    return found


def _comparisons(init: Function, children: set[str]) -> list[ir.Node]:
    """What a constructor tests of the values of its leaves, whatever they are: a leaf that is
    ordered against a number is one itself, no container."""
    owner = init.node.params[0].name if init.node.params else ""
    leaves = children | {f"{owner}.{name}" for name in children}
    tests = []
    for one in init.node.body:
        if isinstance(one, (ir.Assert, ir.If)):
            tests.append(one.test)
        if isinstance(one, ir.If) and not any(isinstance(it, ir.Raise) for it in one.body):
            break
    return [test for test in tests if _asks_value(init, test, leaves)]


def _asks_value(init: Function, test: ir.Expr, leaves: set[str]) -> bool:
    """Whether a test certainly orders a leaf against a number."""
    nodes = list(walk(test))
    calls = (one for one in nodes if isinstance(one, ir.Call))
    if any(dotted(init.frame, one.func) not in _REDUCING for one in calls):
        return False
    first = test.operand if isinstance(test, ir.UnaryOp) else test
    first = first.values[0] if isinstance(first, ir.BoolOp) else first
    return any(_orders(one, leaves) for one in walk(first) if isinstance(one, ir.Compare))


def _orders(node: ir.Compare, leaves: set[str]) -> bool:
    sides = (node.left, *node.comparators)
    chains = [one for one in sides if isinstance(one, (ir.Attribute, ir.Name))]
    is_ordered = all(op in _ORDERS for op in node.ops)
    return (
        is_ordered
        and any(dotted_text(one) in leaves for one in chains)
        and any(_is_number(one) for one in sides)
    )


def _is_number(node: ir.Expr) -> bool:
    plain = node.operand if isinstance(node, ir.UnaryOp) else node
    return isinstance(plain, ir.Const) and type(plain.value) in (int, float)


def _conversions(init: Function, children: set[str]) -> list[ir.Node]:
    """What a constructor makes numbers or arrays of NumPy of that are leaves, whatever they are."""
    owner = init.node.params[0].name if init.node.params else ""
    leaves = children | {f"{owner}.{name}" for name in children}
    found: list[ir.Node] = []
    for one in init.node.body:
        if isinstance(one, ir.If):
            break  # It may be about what is given.
        value = one.value if isinstance(one, ir.Assign) else None
        if isinstance(value, ir.Call) and len(value.args) >= 1:
            given = dotted_text(value.args[0].value)
            if given in leaves and dotted(init.frame, value.func) in _CONVERTING:
                found.append(value)
    return found


def _asks_structure(test: ir.Expr, leaves: set[str]) -> bool:
    """Whether a test asks leaves for their structure, whatever they are. Leaves that are compared
    with each other may agree in other shapes too."""
    nodes = list(walk(test))
    calls = [one for one in nodes if isinstance(one, ir.Call)]
    if any(dotted_text(one.func) in _ASKED for one in calls):
        return False
    told = (one for one in nodes if isinstance(one, ir.Attribute) and one.attr in _TOLD)
    return len({dotted_text(one.value) for one in told} & leaves) == 1


def static_arrays(machine: Machine, frame: Frame, made: Instance) -> None:
    """An object is made: what is no child of it is compared, which arrays cannot be."""
    cls = made.cls
    if cls.node is None or cls.tree not in ("leaves", "some") or cls.opaque:
        return
    if "equinox.Module" in cls.externals():
        return  # Equinox has a rule of its own for these.
    for name, value in made.fields.items():
        if is_child(cls, name) is False and _is_array(machine, cls, name, value):
            place = _declared(cls, name)
            if place is not None:
                misused(machine, frame, place, "pytree-metadata", cls.name, name)


def _is_array(machine: Machine, cls: Class, name: str, value: Value) -> bool:
    """Whether a value is an array that is not known to be a scalar. Of what NumPy gives, where
    much is a scalar, the annotation of the field says so."""
    if isinstance(value, Concrete):
        return value.rank != 0
    annotation = cls.fields[name][0] if name in cls.fields else None
    if not isinstance(value, NumPy) or annotation is None or cls.home is None:
        return False
    named = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    kind = peek(machine, cls.home, named)
    return isinstance(kind, LibraryName) and array_dtype(kind.dotted) is not None


def _declared(cls: Class, name: str) -> ir.Node | None:
    """Where a class says that a field is no child: its declaration, or what `tree_flatten` gives
    beside the children."""
    if cls.tree == "leaves":
        return cls.fields[name][0] if name in cls.fields else None
    flatten = cls.find("tree_flatten")
    if not isinstance(flatten, Function) or not flatten.node.params:
        return None
    owner = flatten.node.params[0].name
    parts = [one for one in walk(flatten.node.body) if attribute_of(one, owner) == name]
    return parts[0] if len(parts) == 1 else None

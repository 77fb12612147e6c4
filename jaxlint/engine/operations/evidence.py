"""What code does with a value says what it is."""

from __future__ import annotations

from jaxlint.dataflow.structure import layout
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.possibilities import Element, Field
from jaxlint.engine.domain.special_values import At
from jaxlint.engine.domain.values import Concrete, LibraryName, NumPy, Static, Traced, Value
from jaxlint.engine.evaluation import guesses
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.arrays.immutability import UPDATE_METHODS
from jaxlint.syntax import ir

_NUMBERS = ("int", "float", "complex")
# Methods that no number and no container has.
OF_ARRAYS = frozenset(
    {
        "all",
        "any",
        "argmax",
        "argmin",
        "argsort",
        "astype",
        "cumprod",
        "cumsum",
        "max",
        "mean",
        "min",
        "prod",
        "ravel",
        "reshape",
        "squeeze",
        "std",
        "sum",
        "transpose",
        "var",
    }
)
# Attributes that arrays have, and no tuple and no list.
REFUSED = frozenset({"astype", "dtype", "ndim", "ravel", "reshape", "shape"})


def field_of(node: ir.Expr, owner: Traced, reason: str) -> Field:
    """An attribute of what may be a pytree: an array, unless the class keeps it static."""
    trail = owner.trail.part(node, optional=True)
    return Field(reason, (Traced(trail, owner.kind),))


def as_numbers(
    frame: Frame, left: Value, right: Value, left_node: ir.Expr, right_node: ir.Expr
) -> tuple[Value, Value]:
    """The operands of an operator that takes numbers: what is combined with a number or an array
    is one itself."""
    if isinstance(left, Element) and _is_number(right):
        return _known(frame, left, left_node), right
    if isinstance(right, Element) and _is_number(left):
        return left, _known(frame, right, right_node)
    return left, right


def _is_number(value: Value) -> bool:
    if isinstance(value, Static):
        return value.kind in _NUMBERS
    return isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf)


def _known(frame: Frame, value: Element, node: ir.Expr) -> Traced:
    """An element that is an array. The name that it is read from stands for that from here on."""
    if isinstance(node, ir.Name) and frame.env.get(node.id) is value:
        frame.env[node.id] = value.leaf
    return value.leaf


def refine(frame: Frame, node: ir.Expr, value: Traced) -> None:
    """What a use says of a variable holds for its later uses."""
    base = _base(node)
    if isinstance(base, ir.Name) and isinstance(frame.env.get(base.id), Traced):
        frame.env[base.id] = value


def _base(node: ir.Expr) -> ir.Expr:
    """What an attribute or an item is read of."""
    return node.value if isinstance(node, (ir.Attribute, ir.Subscript)) else node


def refuse(machine: Machine, frame: Frame, node: ir.Expr) -> Value:
    """An attribute of arrays is read of a tuple or a list. Python raises, so that what is said of
    this value elsewhere does not hold here: its variable holds something unknown from here on."""
    unknown = machine.unknown("attribute that no container has")
    base = _base(node)
    if isinstance(base, ir.Name) and base.id in frame.env:
        frame.env[base.id] = unknown
    return unknown


def updated(machine: Machine, frame: Frame, node: ir.Expr, value: Traced) -> Value:
    """`at` of a parameter that may be a pytree: an index tells that it is an array, unless its
    annotation names a class. Objects of several libraries have such an attribute."""
    param = value.trail.node
    if isinstance(param, ir.Param) and _names_class(machine, frame, param.annotation):
        unknown = machine.unknown("field of a pytree parameter")
        return guesses.part(machine, node, value, unknown)
    return At(value)


def is_view(machine: Machine, node: ir.Subscript) -> bool:
    """Whether this is `at[index]` of something unknown, of which no update is made here: of an
    array reference, that is a part of it, which may be assigned to."""
    if not isinstance(node.value, ir.Attribute) or node.value.attr != "at":
        return False
    around = layout(machine.sources.owner(node, machine.module).body).around(node)
    return not isinstance(around, ir.Attribute) or around.attr not in UPDATE_METHODS


def _names_class(machine: Machine, frame: Frame, annotation: ir.Expr | None) -> bool:
    """Whether an annotation names one class, perhaps in a string."""
    if isinstance(annotation, ir.Const):
        return isinstance(annotation.value, str)
    if not isinstance(annotation, (ir.Name, ir.Attribute)):
        return False
    with machine.quiet():
        named = machine.eval(frame, annotation)
    return not (isinstance(named, LibraryName) and named.dotted.startswith("typing."))

"""Array references in Pallas kernels: what they allow, and what kernels capture.

A reference has a shape and a dtype, is read and written by subscripts, and is no array: operators
and functions of arrays refuse it. A kernel may not capture arrays (JAX documentation, "Pallas
Quickstart", and the error "captures constants" of `pallas_call`).
"""

from __future__ import annotations

import re
from typing import Final

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import assigned
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced, is_number
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    LibraryName,
    Method,
    NumPy,
    Ref,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
)
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Why that is unknown which `jax.new_ref` gives: its elements are concrete in some transforms.
REFERENCE = "reference"
_MAKES = re.compile(r"\b(new_ref|array_ref|mutable_array)\b|\bpallas\b")
# The kind of the traces in which kernels run.
KERNEL: Final = "pallas"
# They read the shape and the dtype of what they are given, and nothing else.
_SHAPED = frozenset({"empty_like", "full_like", "ones_like", "zeros_like"})

# Methods of arrays that references have too: they give a reference.
_OWN = frozenset({"reshape", "transpose", "view"})


class KernelRef(Ref):
    """A reference that a kernel is given as parameter `name`.

    It is `sure` where the argument is known to be one array: a tree of arrays comes as a tree of
    references. `rebound` are the places where the kernel gives its name to an array.
    """

    __slots__ = ("name", "rebound", "sure")

    def __init__(self, trail: Provenance, name: str = "", sure: bool = True) -> None:
        super().__init__(trail)
        self.name = name
        self.sure = sure
        self.rebound: list[ir.Node] = []


def may_be(machine: Machine, value: Value) -> bool:
    """Whether a value may be a reference: a parameter of that name, or in a file that has some."""
    if isinstance(value, Unknown):
        return value.reason == REFERENCE
    if not isinstance(value, Traced):
        return False
    step = value.trail
    while step.parent is not None:
        if value.leaf and not step.call:
            return False
        step = step.parent
    return is_name(step.name) or has_references(machine)


def has_references(machine: Machine) -> bool:
    """Whether a file makes references itself, or has kernels, which are given them."""
    return _makes(machine.module.source.text)


@answered_once
def _makes(text: str) -> bool:
    return _MAKES.search(text) is not None


def is_name(name: str) -> bool:
    """Whether code that calls something by this name says that it is a reference."""
    return name.rpartition(".")[2].rpartition("_")[2] in ("ref", "refs")


def kernel_of(trace: Trace) -> Trace | None:
    """The trace of the kernel whose program this code is part of, if there is one."""
    one: Trace | None = trace
    while one is not None and one.kind != KERNEL:
        # Compiled functions and transforms inside a kernel have programs of their own.
        one = one.parent if one.kind == "staged" else None
    return one


def _emit(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    trail: Provenance | None,
    kind: str,
    subject: ir.Node,
) -> None:
    text = machine.module.text_of(subject)
    misused(machine, frame, node, kind, text, trail=trail)


def operated(machine: Machine, frame: Frame, operands: list[tuple[Value, ir.Expr]]) -> Value:
    """An operator or a function of arrays gets a reference: it raises."""
    for value, node in operands:
        if isinstance(value, Ref):
            if isinstance(value, KernelRef) and value.sure and not frame.trace.is_host:
                _emit(machine, frame, node, value.trail, "ref-unread", node)
            break
    return machine.unknown("operator on a reference")


def compared(node: ir.Expr, left: Value, right: Value) -> list[tuple[Value, ir.Expr]]:
    """The operands of a comparison with their expressions."""
    if isinstance(node, ir.Compare) and len(node.comparators) == 1:
        return [(left, node.left), (right, node.comparators[0])]
    return [(left, node), (right, node)]


def called(machine: Machine, frame: Frame, dotted: str, args: Args) -> Value | None:
    """A JAX function gets references, None where it may take them."""
    if not any(isinstance(value, Ref) for value in args.positional):
        return None
    spec = lookup.function(dotted)
    is_array = spec is not None and spec.result == "array"
    if not is_array or dotted.rpartition(".")[2] in _SHAPED:
        return None
    return operated(machine, frame, list(zip(args.positional, args.nodes, strict=False)))


def call_method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Ref, method: Method, args: Args
) -> Value:
    """`ref.get()`, `ref.set(value)`; methods of arrays are none of a reference's."""
    if method.name == "set":
        for value, place in args.pairs():
            _written(machine, frame, place, owner, value)
        return NONE
    if method.name in ("get", "swap"):
        trail = Provenance(node, owner.trail, owner.trail.entry)
        return Traced(trail) if not frame.trace.is_host else machine.unknown("reference")
    holder = method.place.value if isinstance(method.place, ir.Attribute) else None
    is_array_method = lookup.method(method.name) is not None and method.name not in _OWN
    if is_array_method and holder is not None:
        return operated(machine, frame, [(owner, holder)])
    return machine.unknown("method of a reference")


def stored(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Ref,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`ref[index] = value`."""
    _written(machine, frame, node, owner, value)


def _written(machine: Machine, frame: Frame, node: ir.Expr, owner: Ref, value: Value) -> None:
    """A value is written through a reference."""
    if isinstance(value, KernelRef) and value.sure and isinstance(owner, KernelRef):
        _emit(machine, frame, node, value.trail, "ref-stored", node)
    if machine.dynamic.watch is not None:
        machine.dynamic.watch(frame, node, [value])


def rebound(machine: Machine, frame: Frame, name: str, value: Value, node: ir.Node) -> None:
    """The name of a reference is given to an array, which leaves the reference alone."""
    if machine.dynamic.watch is None:
        return
    old = frame.env.get(name)
    array = isinstance(value, Traced) and value.leaf
    if isinstance(old, KernelRef) and old.name == name and (array or is_number(value)):
        old.rebound.append(node)


def item_assigned(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: Traced,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """An element of an array that a kernel has read is assigned: arrays never change."""
    read = isinstance(target.value, ir.Name) and owner.leaf and owner.kind == "abstract"
    if read and kernel_of(frame.trace) is not None:
        _emit(machine, frame, target, owner.trail, "ref-item", target.value)


# -- what a kernel captures --------------------------------------------------------------------


class Watch:
    """Looks at the operations of a kernel for arrays that come from outside.

    `captured` are tracers of the code around that the kernel sees by name.
    """

    __slots__ = ("captured", "machine")

    def __init__(self, machine: Machine, captured: list[Value]) -> None:
        self.machine = machine
        self.captured = captured

    def __call__(self, frame: Frame, node: ir.Node, operands: list[Value]) -> None:
        if self.machine.dynamic.compile_time or kernel_of(frame.trace) is None:
            return
        if isinstance(node, ir.Call) and _name(node.func) in _SHAPED:
            return
        for value, place in _placed(node, operands):
            if self._is_captured(frame, value, place):
                _emit(self.machine, frame, place, None, "kernel-captures", place)
                return
        if _makes_constant(node, operands):
            _emit(self.machine, frame, node, None, "kernel-constant", node)

    def _is_captured(self, frame: Frame, value: Value, place: ir.Node) -> bool:
        if isinstance(value, Concrete):
            return True
        if isinstance(value, NumPy):
            return isinstance(place, ir.Expr) and _is_wide(self.machine, frame, place)
        return any(value is one for one in self.captured)


def _placed(node: ir.Node, operands: list[Value]) -> list[tuple[Value, ir.Node]]:
    """Operands with the expressions that they come from, as far as these are plain."""
    places: list[ir.Expr] = []
    if isinstance(node, ir.BinOp):
        places = [node.left, node.right]
    elif isinstance(node, ir.Call):
        places = [a.value for a in node.args]
        if len(places) + 1 == len(operands) and isinstance(node.func, ir.Attribute):
            places = [node.func.value, *places]
    elif isinstance(node, (ir.Subscript, ir.Attribute)):
        places = [node.value]
        operands = operands[:1]
    elif isinstance(node, ir.AugAssign):
        places = [node.target, node.value]
    elif isinstance(node, ir.Compare):
        places = [node.left, *node.comparators]
    if len(places) != len(operands):
        return [(value, node) for value in operands]
    return list(zip(operands, places, strict=True))


def _name(func: ir.Expr) -> str:
    return func.attr if isinstance(func, ir.Attribute) else getattr(func, "id", "")


def _makes_constant(node: ir.Node, operands: list[Value]) -> bool:
    """Whether `jnp.array([...])` makes an array of numbers, which is a constant."""
    if not isinstance(node, ir.Call) or _name(node.func) not in ("array", "asarray"):
        return False
    first = operands[0] if operands else NONE
    return isinstance(first, Sequence) and bool(first.items) and _is_numbers(first)


def _is_numbers(value: Value) -> bool:
    if isinstance(value, Sequence):
        return value.items is not None and all(map(_is_numbers, value.items))
    return is_number(value) and finds_traced(value) is None


# -- NumPy arrays with elements: scalars become part of the program, arrays do not -----------------


_MAKERS = frozenset({"arange", "eye", "full", "identity", "linspace", "ones", "zeros"})


def _is_wide(machine: Machine, frame: Frame, node: ir.Expr) -> bool:
    """Whether an expression is certainly a NumPy array that is no scalar."""
    if isinstance(node, ir.Name):
        made = _only_value(machine, frame, node.id)
        return made is not None and _is_wide(machine, frame, made)
    if not isinstance(node, ir.Call) or not node.args:
        return False
    func = machine.eval(frame, node.func)
    if not isinstance(func, LibraryName) or not func.dotted.startswith("numpy."):
        return False
    name, first = _name(node.func), node.args[0].value
    if name in ("array", "asarray"):
        return isinstance(first, ir.Sequence) and bool(first.items)
    if name in ("full", "ones", "zeros"):
        sized = isinstance(first, ir.Const) and isinstance(first.value, int)
        return sized or (isinstance(first, ir.Sequence) and bool(first.items))
    return name in _MAKERS


def _only_value(machine: Machine, frame: Frame, name: str) -> ir.Expr | None:
    """The expression that a variable of the code around is bound to, if there is just one."""
    scope: Frame | None = frame
    while scope is not None and name not in scope.env:
        scope = scope.enclosing()
    holder = None if scope is None else scope.func or scope.module
    if scope is None or holder is None:
        return None
    found = [
        value
        for targets, value in map(assigned, holder.body)
        if any(isinstance(target, ir.Name) and target.id == name for target in targets)
    ]
    constant = isinstance(scope.env[name], (NumPy, Static))
    return found[0] if len(found) == 1 and constant else None


CHECK = Check(
    "references",
    on_name_store=rebound,
    on_item_store=(Typed(stored, (Ref,)), Typed(item_assigned, (Traced,))),
)

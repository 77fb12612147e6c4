"""Arrays where Python or NumPy code takes them for something else: what happens, as facts."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.values import Method, Static, Traced, Value, as_traced
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host_only import HOST_ATTRIBUTES, HOST_METHODS
from jaxlint.syntax import ir


def refuse(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    value: Value,
    kind: str,
    subject: str = "",
    detail: str = "",
    errors: tuple[str, ...] = ("TypeError",),
    masked: bool = False,
) -> None:
    """Reports that `value` is used in a way that arrays refuse, or answer otherwise than meant."""
    traced = as_traced(value)
    trail = None if traced is None else traced.trail
    entry = frame.trace.entry
    fact = facts.ArrayMismatch(
        machine.module, node, frame.name, entry, trail, kind=kind, subject=subject, detail=detail
    )
    fact.errors, fact.masked = errors, masked
    machine.emit(fact)


def method_called(
    machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args
) -> None:
    """A method that only arrays on a device have."""
    error = HOST_METHODS.get(method.name)
    owner = method.owner
    if error is not None and isinstance(owner, Traced) and owner.leaf:
        place = method.place.value if isinstance(method.place, ir.Attribute) else node
        refuse(machine, frame, place, owner, "host-method", method.name, "", (error,))


def attribute_read(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str) -> None:
    """An attribute that only arrays on a device have; `getattr` and `hasattr` may ask for it."""
    error = HOST_ATTRIBUTES.get(attr)
    plain = isinstance(node, ir.Attribute) and node.attr == attr
    if error is not None and isinstance(owner, Traced) and plain:
        place = node.value if isinstance(node, ir.Attribute) else node
        refuse(machine, frame, place, owner, "host-attribute", attr, "", (error,))


def pickled(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Writing a traced value, or a container of some."""
    given = args.get(0, "obj") or args.get(0, "value")
    traced = None if given is None else finds_traced(given)
    if traced is not None and not frame.trace.is_host:
        place = args.node(0, "obj", node)
        refuse(machine, frame, place, traced, "pickled", callee_of(node, dotted))


def callee_of(node: ir.Expr, dotted: str) -> str:
    """A function as it is written where it is called."""
    return dotted_text(node.func) if isinstance(node, ir.Call) else dotted


def compared(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    found: tuple[Value, ir.Expr] | None,
) -> Value:
    """`np.array_equal` and kin: what cannot be converted counts as different."""
    if found is not None and not frame.trace.is_host:
        refuse(machine, frame, found[1], found[0], "compared", callee_of(node, dotted), errors=())
    return Static(kind="bool")


def delegated(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, found: tuple[Value, ir.Expr]
) -> None:
    """A NumPy function that asks the array's own method."""
    if lookup.numpy_function(dotted) != "delegates" and dotted != "numpy.take":
        return
    refuse(machine, frame, found[1], found[0], "delegated", callee_of(node, dotted), dotted, ())


CHECK = Check(
    "host-conversions",
    on_method_result=(Typed(method_called, (Traced,)),),
    on_host_attribute=attribute_read,
    on_numpy_call=delegated,
)

"""Events of a run, and the checks that subscribe to them.

The interpreter, the operations, the transforms and the models emit events and know no check. A
check is one value in one module; `queries.checks` lists all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, TypeVar

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Heap, Instance, Static, Value
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.facts.core import Fact
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir

Handler = Callable[..., None]
H = TypeVar("H", bound=Handler)
T = TypeVar("T")


Bound = Mapping[str, tuple[Value, ir.Expr]]
Operands = tuple[Value, Value]
Handlers = list[tuple[ir.Expr | None, list[Value], tuple[ir.Stmt, ...]]]
# The machine, which every handler takes first, is of the type that the checks declare.
M = Any
Call = Callable[[M, Frame, ir.Expr, Any, Args], None]
CallResult = Callable[[M, Frame, ir.Expr, Any, Args, Value], None]
LibraryCall = Callable[[M, Frame, ir.Expr, str, Args], None]
Use = Callable[[M, Frame, ir.Expr, TransformUse, Args], None]
Operator = Callable[
    [M, Frame, ir.Node, str, Operands, tuple[ir.Expr, ir.Expr]],
    None,
]

ItemStore = Callable[[M, Frame, ir.Subscript, Any, Value, Value, str], None]
Caught = Callable[[M, Frame, list[Fact], tuple[ir.Stmt, ...], Handlers, bool], None]


@slotted(frozen=True, eq=False)
class Named(Generic[H]):
    """A handler of events that are about a name; of all names if none are given."""

    handler: H
    names: Collection[str] | None = None


@slotted(frozen=True, eq=False)
class Typed(Generic[H]):
    """A handler of events that are about a value; of those of some types."""

    handler: H
    types: tuple[type[Value], ...]


@slotted(frozen=True, eq=False)
class Check:
    """What detects one hazard: the handlers of the events that it listens to.

    Every handler takes the machine first, then what its field says, and gives nothing back. The
    frame is that of the code that runs; the node is the place of the event.
    """

    name: str
    # -- calls: before, and with their results. `args` are the `Args` of the call.
    # frame, node, func, args: a value of any kind is called.
    on_call: Call | None = None
    # frame, node, dotted, args: something imported or built in is called; by its canonical name.
    on_library_call: tuple[Named[LibraryCall], ...] = ()
    # The same, when it has been called.
    on_library_result: tuple[Named[LibraryCall], ...] = ()
    # func, args: a function of the project is called.
    on_function_call: Callable[[M, Function, Args], None] | None = None
    # frame, node, func, args, result: one that a decorator wraps has been called.
    on_decorated_result: CallResult | None = None
    # frame, node, cls, args: an object was made.
    on_construction: Call | None = None
    # frame, node, method, args: a method that is no function was called; by the type of its owner.
    on_method_result: tuple[Typed[Call], ...] = ()
    # -- transformed functions; `record` is the use of the transform.
    # frame, record, args: a transform is applied.
    on_transform: Callable[[M, Frame, TransformUse, Args], None] | None = None
    # frame, node, dotted, args: a transform is given options alone.
    on_postponed_transform: LibraryCall | None = None
    # frame, node, func, args: the transformed function is called.
    on_transformed_call: Call | None = None
    # The same, when it has been called.
    on_transformed_result: Call | None = None
    # frame, record: it is called for the first time.
    on_first_call: Callable[[M, Frame, TransformUse], None] | None = None
    # frame, node, record, args: it compiles, and is called.
    on_compiled_call: Use | None = None
    # frame, node, record, args: it calls its function as it is.
    on_plain_call: Use | None = None
    # frame, node, record, args, result: host code has called it with these arguments.
    on_traced_result: Callable[[M, Frame, ir.Expr, TransformUse, Args, Value], None] | None = None
    # record: it is to run for the arguments that its contract allows.
    on_entry: Callable[[M, TransformUse], None] | None = None
    # frame, node, dotted, args: control flow or the like runs its functions at once.
    on_control_flow: LibraryCall | None = None
    # frame, trace, node, func, args, result: a function has run in a trace of its own.
    on_trace_end: Callable[[M, Frame, Trace, ir.Expr, Value, Args, Value], None] | None = None
    # -- functions of arrays. `bound` are the arguments and their nodes by the parameters' names.
    # frame, spec, dotted, callee, bound
    on_array_call: Callable[[M, Frame, FunctionSpec, str, str, Any], None] | None = None
    # frame, node, dotted, bound, result
    on_array_result: tuple[Named[Callable[[M, Frame, ir.Expr, str, Any, Value], None]], ...] = ()
    # frame, node, dotted, args: a dtype of `jax.numpy` is called.
    on_dtype_call: LibraryCall | None = None
    # frame, node, dotted, found: a function of NumPy is given a tracer, `found` with its node.
    on_numpy_call: Callable[[M, Frame, ir.Expr, str, Any], None] | None = None
    # frame, node, operands: JAX computes.
    on_computation: Callable[[M, Frame, ir.Node, list[Value]], None] | None = None
    # -- operators and formats.
    # frame, node, op, values, nodes: a binary operator, or a comparison, of what may be arrays.
    on_operation: Operator | None = None
    # The same, of an array on one side at least.
    on_array_operation: Operator | None = None
    # frame, node, value, spec, callee: a value becomes text.
    on_format: Callable[[M, Frame, ir.Expr, Value, str, str], None] | None = None
    # frame, template, right, node: `template % right`.
    on_percent_format: Callable[[M, Frame, Static, Value, ir.Expr], None] | None = None
    # frame, template, args: `template.format(...)`.
    on_template_format: Callable[[M, Frame, Static, Args], None] | None = None
    # -- reading.
    # frame, node, dotted: an attribute of something imported; by the whole name.
    on_library_attribute: Callable[[M, Frame, ir.Expr, str], None] | None = None
    # frame, node, dotted: `name[...]` of something imported.
    on_library_item: Callable[[M, Frame, ir.Subscript, str], None] | None = None
    # frame, node, owner, attr: an attribute of a tracer that NumPy arrays alone have.
    on_host_attribute: Callable[[M, Frame, ir.Expr, Value, str], None] | None = None
    # frame, node, owner, attr: an attribute of what is taken for an array, which no array has.
    on_array_attribute: Callable[[M, Frame, ir.Expr, Value, str], None] | None = None
    # frame, node, owner, result: a `cached_property` of an object, in traced code.
    on_cached_property: Callable[[M, Frame, ir.Expr, Instance, Value], None] | None = None
    # frame, node, array, how: an element of an array of host code.
    on_element: Callable[[M, Frame, ir.Subscript, Value, Any], None] | None = None
    # frame, node, base, index, update: an array, or its `at`, is indexed.
    on_index: Callable[[M, Frame, ir.Subscript, Value, Value, bool], None] | None = None
    # frame, node, array, method, args: `array.at[index].method(...)`.
    on_array_update: Callable[[M, Frame, ir.Expr, Value, str, Args], None] | None = None
    # frame, node, array, how: an array is iterated over.
    on_array_iteration: Callable[[M, Frame, ir.Expr, Any, str], None] | None = None
    # frame, node: `in`, in traced code.
    on_membership: Callable[[M, Frame, ir.Compare], None] | None = None
    # frame, node, value, container: whether a container holds a value.
    on_containment: Callable[[M, Frame, ir.Node, Value, Value], None] | None = None
    # frame, node, value, what, mapping: a value is hashed as a key or element.
    on_hash: Callable[..., None] | None = None
    # -- storing.
    # frame, target, value, node: a value is taken apart for several targets.
    on_unpacking: Callable[[M, Frame, ir.Sequence, Value, ir.Node], None] | None = None
    # frame, name, value, node
    on_name_store: Callable[[M, Frame, str, Value, ir.Node], None] | None = None
    # frame, node, owner, attr: by the type of the owner.
    on_attribute_store: tuple[Typed[Callable[[M, Frame, ir.Expr, Any, str], None]], ...] = ()
    # frame, node, owner, index, value, how: by the type of the owner.
    on_item_store: tuple[
        Typed[Callable[[M, Frame, ir.Subscript, Any, Value, Value, str], None]], ...
    ] = ()
    # frame, node, owner, index: `del owner[index]`; by the type of the owner.
    on_item_delete: tuple[Typed[Callable[[M, Frame, ir.Subscript, Any, Value], None]], ...] = ()
    # frame, node, owner, how: a container or object of the code that runs is changed in place.
    on_change: Callable[[M, Frame, ir.Node, Heap, str], None] | None = None
    # -- statements.
    # frame, node, value
    on_assignment: Callable[[M, Frame, ir.Assign, Value], None] | None = None
    # frame, node, old, right: `target op= right`.
    on_augmented: Callable[[M, Frame, ir.AugAssign, Value, Value], None] | None = None
    # frame, node, value: an expression whose value nobody takes.
    on_discard: Callable[[M, Frame, ir.ExprStmt, Value], None] | None = None
    # frame, node, value: a context of `with` is entered.
    on_enter: Callable[[M, Frame, ir.Expr, Value], None] | None = None
    # frame, node, dotted, began: one is left that was entered at a moment; by its name.
    on_exit: tuple[Named[Callable[[M, Frame, ir.Expr, str, int], None]], ...] = ()
    # frame, node: an import of either form.
    on_import: Callable[[M, Frame, ir.Import | ir.ImportFrom], None] | None = None
    # frame, node, defaults: a function is defined.
    on_definition: Callable[[M, Frame, ir.FunctionDef, Mapping[str, Value]], None] | None = None
    # frame, hidden, body, handlers, suppresses: what handlers of traced code catch.
    on_handlers: (
        Callable[[M, Frame, list[Fact], tuple[ir.Stmt, ...], Handlers, bool], None] | None
    ) = None
    # loop, targets, node, iterable, body
    on_loop_start: Callable[..., None] | None = None
    # frame, loop
    on_loop_end: Callable[[M, Frame, Loop], None] | None = None
    # frame, node, iterable, before: a function is called for each element; `before` counts what
    # was staged until then.
    on_repetition: Callable[[M, Frame, ir.Expr, Value, int], None] | None = None
    # -- the whole file has run.
    on_finish: Callable[[M], None] | None = None


class ByName(dict[str, tuple[Handler, ...]]):
    """Handlers by the names that events are about, in the order of the checks."""

    def __init__(self, rows: Iterable[Named[Any]]) -> None:
        found = list(rows)
        self._always = tuple(row.handler for row in found if row.names is None)
        for name in {name for row in found for name in row.names or ()}:
            self[name] = tuple(
                row.handler for row in found if row.names is None or name in row.names
            )

    def __missing__(self, name: str) -> tuple[Handler, ...]:
        return self._always


class ByTypeOf(dict[type, tuple[Handler, ...]]):
    """Handlers by the types of the values that events are about, in the order of the checks."""

    def __init__(self, rows: Iterable[Typed[Any]]) -> None:
        self._rows = tuple(rows)

    def __missing__(self, kind: type) -> tuple[Handler, ...]:
        found = tuple(row.handler for row in self._rows if issubclass(kind, row.types))
        self[kind] = found
        return found


class Subscriptions:
    """The handlers of every event; each attribute is a field of `Check` without `on_`."""

    checks: tuple[Check, ...]
    array_attribute: tuple[Handler, ...]
    array_call: tuple[Handler, ...]
    array_iteration: tuple[Handler, ...]
    array_operation: tuple[Handler, ...]
    array_result: ByName
    array_update: tuple[Handler, ...]
    assignment: tuple[Handler, ...]
    attribute_store: ByTypeOf
    augmented: tuple[Handler, ...]
    cached_property: tuple[Handler, ...]
    call: tuple[Handler, ...]
    change: tuple[Handler, ...]
    compiled_call: tuple[Handler, ...]
    computation: tuple[Handler, ...]
    construction: tuple[Handler, ...]
    containment: tuple[Handler, ...]
    control_flow: tuple[Handler, ...]
    definition: tuple[Handler, ...]
    discard: tuple[Handler, ...]
    dtype_call: tuple[Handler, ...]
    element: tuple[Handler, ...]
    enter: tuple[Handler, ...]
    entry: tuple[Handler, ...]
    exit: ByName
    finish: tuple[Handler, ...]
    first_call: tuple[Handler, ...]
    format: tuple[Handler, ...]
    function_call: tuple[Handler, ...]
    decorated_result: tuple[Handler, ...]
    handlers: tuple[Handler, ...]
    hash: tuple[Handler, ...]
    host_attribute: tuple[Handler, ...]
    import_: tuple[Handler, ...]
    index: tuple[Handler, ...]
    item_delete: ByTypeOf
    item_store: ByTypeOf
    library_attribute: tuple[Handler, ...]
    library_call: ByName
    library_item: tuple[Handler, ...]
    library_result: ByName
    loop_end: tuple[Handler, ...]
    loop_start: tuple[Handler, ...]
    membership: tuple[Handler, ...]
    method_result: ByTypeOf
    name_store: tuple[Handler, ...]
    unpacking: tuple[Handler, ...]
    numpy_call: tuple[Handler, ...]
    operation: tuple[Handler, ...]
    percent_format: tuple[Handler, ...]
    plain_call: tuple[Handler, ...]
    postponed_transform: tuple[Handler, ...]
    repetition: tuple[Handler, ...]
    template_format: tuple[Handler, ...]
    trace_end: tuple[Handler, ...]
    traced_result: tuple[Handler, ...]
    transform: tuple[Handler, ...]
    transformed_call: tuple[Handler, ...]
    transformed_result: tuple[Handler, ...]

    def __init__(self, checks: tuple[Check, ...] = ()) -> None:
        self.checks = checks
        for name, kind in _EVENTS.items():
            rows = [getattr(check, "on_" + name.rstrip("_")) for check in checks]
            made = kind(one for row in rows for one in row) if kind is not None else _plain(rows)
            setattr(self, name, made)

    def plus(self, *checks: Check) -> Subscriptions:
        """These, and those of more checks."""
        return subscriptions((*self.checks, *checks)) if checks else self


_KINDS = {"ByName": ByName, "ByTypeOf": ByTypeOf}
# How the handlers of each event are found; None for those that all hear.
_EVENTS = {
    name: _KINDS.get(kind)
    for name, kind in Subscriptions.__annotations__.items()
    if name != "checks"
}


def _plain(handlers: Iterable[Handler | None]) -> tuple[Handler, ...]:
    return tuple(handler for handler in handlers if handler is not None)


@lru_cache(maxsize=16)
def subscriptions(checks: tuple[Check, ...]) -> Subscriptions:
    """The handlers of some checks, in their order."""
    return Subscriptions(checks)


class PerRun(Generic[T]):
    """State of a check that belongs to one run."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make

    def of(self, machine: Any) -> T:
        """The state in the run of a machine."""
        states: dict[PerRun[Any], Any] = machine.check_states
        if self not in states:
            states[self] = self._make()
        found: T = states[self]
        return found

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
from jaxlint.engine.domain.environment import Frame, Loop, Trace
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
    # frame, node, func, args, result
    on_function_result: CallResult | None = None
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
    # frame, node, op, values, nodes: a binary operator of what may be arrays.
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


class ByName:
    """Handlers by the names that events are about."""

    __slots__ = ("_always", "_of")

    def __init__(self, rows: Iterable[Named[Any]]) -> None:
        found = list(rows)
        self._always = tuple(row.handler for row in found if row.names is None)
        names = {name for row in found for name in row.names or ()}
        self._of = {
            name: tuple(row.handler for row in found if row.names is None or name in row.names)
            for name in names
        }

    def of(self, name: str) -> tuple[Handler, ...]:
        """The handlers of events about a name, in the order of the checks."""
        return self._of.get(name, self._always)


class ByTypeOf:
    """Handlers by the types of the values that events are about."""

    __slots__ = ("_of", "_rows")

    def __init__(self, rows: Iterable[Typed[Any]]) -> None:
        self._rows = tuple(rows)
        self._of: dict[type, tuple[Handler, ...]] = {}

    def of(self, value: Value) -> tuple[Handler, ...]:
        """The handlers of events about a value, in the order of the checks."""
        kind = type(value)
        found = self._of.get(kind)
        if found is None:
            found = tuple(row.handler for row in self._rows if issubclass(kind, row.types))
            self._of[kind] = found
        return found


class Subscriptions:
    """The handlers of every event; each attribute is a field of `Check` without `on_`."""

    def __init__(self, checks: tuple[Check, ...] = ()) -> None:
        self.checks = checks
        self.call = _plain(c.on_call for c in checks)
        self.library_call = ByName(row for c in checks for row in c.on_library_call)
        self.library_result = ByName(row for c in checks for row in c.on_library_result)
        self.function_call = _plain(c.on_function_call for c in checks)
        self.function_result = _plain(c.on_function_result for c in checks)
        self.construction = _plain(c.on_construction for c in checks)
        self.method_result = ByTypeOf(row for c in checks for row in c.on_method_result)
        self.transform = _plain(c.on_transform for c in checks)
        self.postponed_transform = _plain(c.on_postponed_transform for c in checks)
        self.transformed_call = _plain(c.on_transformed_call for c in checks)
        self.transformed_result = _plain(c.on_transformed_result for c in checks)
        self.first_call = _plain(c.on_first_call for c in checks)
        self.compiled_call = _plain(c.on_compiled_call for c in checks)
        self.plain_call = _plain(c.on_plain_call for c in checks)
        self.traced_result = _plain(c.on_traced_result for c in checks)
        self.entry = _plain(c.on_entry for c in checks)
        self.control_flow = _plain(c.on_control_flow for c in checks)
        self.trace_end = _plain(c.on_trace_end for c in checks)
        self.array_call = _plain(c.on_array_call for c in checks)
        self.array_result = ByName(row for c in checks for row in c.on_array_result)
        self.dtype_call = _plain(c.on_dtype_call for c in checks)
        self.numpy_call = _plain(c.on_numpy_call for c in checks)
        self.computation = _plain(c.on_computation for c in checks)
        self.array_operation = _plain(c.on_array_operation for c in checks)
        self.operation = _plain(c.on_operation for c in checks)
        self.format = _plain(c.on_format for c in checks)
        self.percent_format = _plain(c.on_percent_format for c in checks)
        self.template_format = _plain(c.on_template_format for c in checks)
        self.library_attribute = _plain(c.on_library_attribute for c in checks)
        self.library_item = _plain(c.on_library_item for c in checks)
        self.host_attribute = _plain(c.on_host_attribute for c in checks)
        self.cached_property = _plain(c.on_cached_property for c in checks)
        self.element = _plain(c.on_element for c in checks)
        self.index = _plain(c.on_index for c in checks)
        self.array_update = _plain(c.on_array_update for c in checks)
        self.array_iteration = _plain(c.on_array_iteration for c in checks)
        self.membership = _plain(c.on_membership for c in checks)
        self.containment = _plain(c.on_containment for c in checks)
        self.hash = _plain(c.on_hash for c in checks)
        self.name_store = _plain(c.on_name_store for c in checks)
        self.attribute_store = ByTypeOf(row for c in checks for row in c.on_attribute_store)
        self.item_store = ByTypeOf(row for c in checks for row in c.on_item_store)
        self.item_delete = ByTypeOf(row for c in checks for row in c.on_item_delete)
        self.change = _plain(c.on_change for c in checks)
        self.assignment = _plain(c.on_assignment for c in checks)
        self.augmented = _plain(c.on_augmented for c in checks)
        self.discard = _plain(c.on_discard for c in checks)
        self.enter = _plain(c.on_enter for c in checks)
        self.exit = ByName(row for c in checks for row in c.on_exit)
        self.import_ = _plain(c.on_import for c in checks)
        self.definition = _plain(c.on_definition for c in checks)
        self.handlers = _plain(c.on_handlers for c in checks)
        self.loop_start = _plain(c.on_loop_start for c in checks)
        self.loop_end = _plain(c.on_loop_end for c in checks)
        self.repetition = _plain(c.on_repetition for c in checks)
        self.finish = _plain(c.on_finish for c in checks)

    def plus(self, *checks: Check) -> Subscriptions:
        """These, and those of more checks."""
        return subscriptions((*self.checks, *checks)) if checks else self


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

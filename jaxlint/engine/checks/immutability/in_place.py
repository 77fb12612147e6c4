"""JAX arrays never change: what code does that changes NumPy arrays, and what JAX makes of it."""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.host_conversions import callee_of, pickled, refuse
from jaxlint.engine.checks.concretization.type_tests import isscalar_called
from jaxlint.engine.checks.immutability import references
from jaxlint.engine.checks.recompilation.cache_clears import CLEARING, cleared
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_number, is_plain, map_leaves
from jaxlint.engine.domain.special_values import OPERATION, At, OpaqueArray
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import alternatives, known, walk_values
from jaxlint.engine.domain.values import (
    Concrete,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    as_traced,
    options,
)
from jaxlint.engine.machine.events import Check, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.immutability import IN_PLACE, MISSING_METHODS, UPDATE_METHODS
from jaxlint.knowledge.host_only import PICKLERS
from jaxlint.syntax import ir

_MISSING = ("AttributeError",)
_UNWRITTEN = ("NotImplementedError", "TypeError")
_ASKED = ("NotImplementedError", "ValueError")
# Methods that give a changed copy where those of NumPy change the array.
_COPYING = frozenset({"byteswap", "sort"})


def is_array(value: Value) -> bool:
    """Whether a value is certainly an array of JAX, on every path."""
    return all(
        isinstance(one, (Concrete, OpaqueArray)) or (isinstance(one, Traced) and one.leaf)
        for one in alternatives(value)
    )


def _first(value: Value) -> Value:
    """The option that says most: one that is traced."""
    return next((o for o in options(value) if isinstance(o, Traced)), options(value)[0])


# -- stores ------------------------------------------------------------------------------------


def item_stored(
    machine: Machine,
    frame: Frame,
    target: ir.Subscript,
    owner: Value,
    index: Value,
    value: Value,
    how: str,
) -> None:
    """`owner[index] = value` or `owner[index] += value`."""
    _changed(machine, frame, target, owner, index, how)


def _changed(
    machine: Machine, frame: Frame, target: ir.Subscript, owner: Value, index: Value, how: str
) -> None:
    if isinstance(owner, At):
        kind = "at-delete" if how == "delete" else "at-store"
        masked = _is_mask(index)
        refuse(machine, frame, target, owner.array, kind, _base(target), how, masked=masked)
        return
    if machine.dynamic.watch is not None and isinstance(owner, Traced):
        return  # A kernel: what it reads and then stores into has a rule of its own.
    if isinstance(index, Static) and index.kind == "str":
        return  # A dict, whatever an annotation says.
    if references.may_be(machine, owner):
        return
    if not is_array(owner) and not (isinstance(owner, Traced) and _is_of_arrays(index)):
        return
    errors = _MISSING if how == "delete" else ("TypeError",)
    text, masked = dotted_text(target.value), _is_mask(index)
    refuse(machine, frame, target, _first(owner), "item", text, how, errors, masked)


def _is_mask(index: Value) -> bool:
    """Whether an index is a traced mask, or has one among its parts."""
    if isinstance(index, Sequence) and index.kind == "tuple":
        return any(map(_is_mask, index.items or ()))
    traced = as_traced(index)
    return traced is not None and traced.dtype == "bool"


def _base(target: ir.Subscript) -> str:
    """The array whose `.at[...]` is stored into."""
    inner: ir.Expr = target
    while isinstance(inner, ir.Subscript):
        inner = inner.value
    return dotted_text(inner).removesuffix(".at")


def _is_of_arrays(index: Value) -> bool:
    """Whether an index says that what is indexed is an array, and no list or dict."""
    if isinstance(index, Sequence):
        parts = index.items or []
        if index.kind == "slice":
            return False
        return index.kind == "tuple" and any(
            isinstance(p, Sequence) and p.kind == "slice" for p in parts
        )
    return is_array(index) and not isinstance(index, Static)


def attribute_stored(
    machine: Machine, frame: Frame, target: ir.Expr, owner: Value, attr: str
) -> None:
    """`owner.attr = value`, for an attribute that arrays have."""
    known = attr in lookup.STATIC_ATTRIBUTES or attr in lookup.ARRAY_ATTRIBUTES
    if known and is_array(owner):
        refuse(
            machine, frame, target, _first(owner), "attribute", _owner_of(target), attr, _MISSING
        )


def _owner_of(target: ir.Expr) -> str:
    return dotted_text(target.value) if isinstance(target, ir.Attribute) else ""


# -- methods -----------------------------------------------------------------------------------


def method_called(
    machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args
) -> None:
    """A method of an array, or of its `.at`."""
    owner, name = method.owner, method.name
    if isinstance(owner, At):
        if name not in UPDATE_METHODS or not owner.indexed:
            kind = "at-method" if owner.indexed else "at-unindexed"
            refuse(machine, frame, node, owner.array, kind, name, "", _MISSING)
        return
    if not is_array(owner):
        return
    if name in MISSING_METHODS:
        refuse(machine, frame, node, owner, "method", name, "", _MISSING)
    elif name == "__setitem__" and isinstance(method.place, ir.Attribute):
        refuse(machine, frame, node, owner, "item", dotted_text(method.place.value), "assign")
    elif "out" in args.keywords and lookup.method(name) is not None:
        _check_out(machine, frame, node, name, args)


def of_method(name: str, made: Value) -> Value:
    """What a method gives of an array of which nothing is known."""
    spec = lookup.method(name)
    known = spec is not None and spec.result == "array" and not spec.restructures
    return OpaqueArray(made.reason) if known and type(made) is Unknown else made


def combined(left: Value, right: Value) -> OpaqueArray | None:
    """The result of an operator on an array of which nothing is known, and a number or array."""
    both = (left, right)
    if not any(isinstance(one, OpaqueArray) for one in both):
        return None
    plain = all(is_array(one) or isinstance(one, NumPy) or is_number(one) for one in both)
    return OpaqueArray(OPERATION) if plain else None


def discarded(machine: Machine, frame: Frame, statement: ir.ExprStmt, value: Value) -> None:
    """`x.sort()` as a statement: the array stays as it is."""
    node = statement.value
    if not (isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute)):
        return
    if node.func.attr not in _COPYING or not _is_path(node.func.value):
        return
    with machine.quiet():
        owner = machine.eval(frame, node.func.value)
    if is_array(owner):
        text = dotted_text(node.func.value)
        refuse(machine, frame, node, _first(owner), "copied", text, node.func.attr, ())


def _is_path(node: ir.Expr) -> bool:
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


# -- functions ---------------------------------------------------------------------------------


def function_called(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, made: Value
) -> Value:
    """A library function: those that change an argument, `out`, and `.at[...]` as an array."""
    if dotted in IN_PLACE:
        _in_place(machine, frame, node, dotted, args)
    elif dotted in CLEARING:
        cleared(machine, frame, node)
    elif dotted == "numpy.isscalar":
        isscalar_called(machine, frame, node, dotted, args)
    elif dotted in PICKLERS:
        pickled(machine, frame, node, dotted, args)
    elif dotted == "jax.device_get":
        return map_leaves(made, _fetched, frame.trace) if is_plain(made) else made
    elif dotted.startswith("jax.numpy."):
        if "out" in args.keywords:
            _check_out(machine, frame, node, callee_of(node, dotted), args)
        for value, place in args.pairs() if At in map(type, args.positional) else ():
            if isinstance(value, At):
                text = machine.module.text_of(place)
                refuse(machine, frame, place, value.array, "at-operand", text)
    if type(made) is Unknown and made.reason == OPERATION:
        spec = lookup.function(dotted)
        if spec is not None and spec.result in ("array", "key") and not spec.restructures:
            return OpaqueArray(made.reason)
    return made


def _fetched(value: Value) -> Value:
    return NumPy(value.dtype) if isinstance(value, Concrete) else value


def _check_out(machine: Machine, frame: Frame, node: ir.Expr, callee: str, args: Args) -> None:
    """`out=` is for NumPy arrays alone."""
    given = args.keywords["out"]
    if is_array(given) or isinstance(given, NumPy):
        refuse(machine, frame, node, given, "out", callee, "", _UNWRITTEN)


def _in_place(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    callee = callee_of(node, dotted)
    parameter = IN_PLACE[dotted]
    owner = args.get(0, parameter)
    if owner is None or args.rest is not None:
        return
    if dotted.startswith("jax."):
        asked = args.keywords.get("inplace")
        silent = args.more is not None or (asked is not None and not _is_true(asked))
        if not silent:
            refuse(machine, frame, node, owner, "inplace", callee, "", _ASKED)
    elif is_array(owner):
        errors: tuple[str, ...] = ("TypeError",)
        if dotted.endswith("fill_diagonal"):
            errors = _UNWRITTEN
        if dotted.startswith("operator."):
            how = "delete" if dotted.endswith("delitem") else "assign"
            errors = _MISSING if how == "delete" else errors
            text = dotted_text(args.node(0, parameter, node))
            refuse(machine, frame, node, _first(owner), "item", text, how, errors)
        else:
            refuse(machine, frame, node, _first(owner), "function", callee, "", errors)


def _is_true(value: Value) -> bool:
    return isinstance(value, Static) and value.const is True


# -- `.at[...]` ----------------------------------------------------------------------------------


def operand(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """`x.at[i] + v`."""
    left, right = values
    if type(left) is not At and type(right) is not At:
        return
    for value in values:
        if isinstance(value, At) and isinstance(node, ir.BinOp):
            place = node.left if value is left else node.right
            refuse(machine, frame, place, value.array, "at-operand", machine.module.text_of(place))


def called(machine: Machine, frame: Frame, node: ir.Expr, func: At) -> Value:
    """`x.at(i)`."""
    text = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    refuse(machine, frame, node, func.array, "at-call", text.removesuffix(".at"))
    return machine.unknown("call of an update")


def returned(
    machine: Machine,
    frame: Frame,
    trace: Trace,
    node: ir.Expr,
    func: Value,
    args: Args,
    result: Value,
) -> None:
    """A traced function gives back `x.at[i]` instead of an array."""
    held = walk_values(result, known, 1) if trace.staged else ()
    for one in held:
        if isinstance(one, At):
            place = one.place or node
            refuse(machine, frame, place, one.array, "at-operand", machine.module.text_of(place))


def item_deleted(
    machine: Machine, frame: Frame, target: ir.Subscript, owner: Value, index: Value
) -> None:
    """`del x[i]`."""
    _changed(machine, frame, target, owner, index, "delete")


CHECK = Check(
    "in-place",
    on_method_result=(Typed(method_called, (Traced, Concrete, OpaqueArray, At)),),
    on_attribute_store=(Typed(attribute_stored, (Traced, Concrete, OpaqueArray, Union)),),
    on_item_store=(Typed(item_stored, (Traced, Concrete, OpaqueArray, At, Union)),),
    on_item_delete=(Typed(item_deleted, (Traced, Concrete, OpaqueArray, At, Union)),),
    on_operation=operand,
    on_discard=discarded,
    on_trace_end=returned,
)

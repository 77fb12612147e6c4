"""What a function will do to the keys that it is given, read off its text where it has not run.

Compiled functions run for arguments of any sort when the code that calls them has run.
"""

from __future__ import annotations

from functools import partial

from jaxlint.dataflow.names import bound_names, walk
from jaxlint.engine.checks.prng import stream_keys
from jaxlint.engine.checks.prng.call_effects import arguments, called_for, replayed, use_up
from jaxlint.engine.checks.prng.key_reuse import MATCHING, Use, emit, fact_of, spend_all, text_of
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args, fits
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import Origin
from jaxlint.engine.domain.layouts import AxisSpec
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Function,
    LibraryName,
    Sequence,
    Transformed,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Transforms whose functions run once for each call, with the keys that the call is given.
_AS_CALLED = frozenset({"ad", "jit", "remat"})
_ELSEWHERE = ("jax.pmap", "jax.make_jaxpr", "jax.export")
# How deep helpers are followed.
MOST_NESTED = 2
_PLAIN = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.ExprStmt, ir.Return)
# Where an expression may leave a part of itself out, or run it later.
_PARTIAL = (ir.BoolOp, ir.IfExp, ir.Comprehension, ir.Lambda, ir.FunctionDef)


_FORESEEN: PerRun[dict[int, dict[str, Use]]] = PerRun(dict)
# The marks from before the calls of wrapped functions that run now.
_BEFORE: PerRun[dict[int, typestate.Typestate]] = PerRun(dict)


def foreseen(machine: Machine, func: Function, depth: int = MOST_NESTED) -> dict[str, Use]:
    """How a function certainly consumes its parameters."""
    summaries = _FORESEEN.of(machine)
    known = summaries.get(id(func.node))
    if known is not None:
        return known
    found: dict[str, Use] = {}
    summaries[id(func.node)] = found
    names = {param.name for param in func.node.params}
    for statement in func.node.body:
        if isinstance(statement, _PLAIN):
            for part in walk(statement.value, _PARTIAL):
                if isinstance(part, ir.Call):
                    _call(machine, func, part, names, found, depth)
        elif any(isinstance(part, (ir.Return, ir.Raise)) for part in walk(statement, _PARTIAL)):
            break
        for part in walk(statement, _PARTIAL):
            names -= bound_names(part)
        if isinstance(statement, ir.Return):
            break
    return found


def _call(
    machine: Machine,
    func: Function,
    node: ir.Call,
    names: set[str],
    found: dict[str, Use],
    depth: int,
) -> None:
    plain = [a.value for a in node.args if a.keyword is None and not a.star]
    if not any(isinstance(value, ir.Name) and value.id in names for value in plain):
        return
    callee = peek(machine, func.frame, node.func)
    if isinstance(callee, LibraryName):
        spec = lookup.function(lookup.canonical(callee.dotted))
        key = plain[0].id if isinstance(plain[0], ir.Name) else ""
        if spec is not None and spec.keys == ("key",) and key in names:
            found.setdefault(key, _use(callee.dotted.rpartition(".")[2], node))
        return
    inner = plain_function(callee) if isinstance(callee, (Function, Transformed)) else None
    if inner is None or inner.owner is not None or depth == 0:
        return
    uses = foreseen(machine, inner, depth - 1)
    for param, value in zip(inner.node.params, plain, strict=False):
        if isinstance(value, ir.Name) and value.id in names and param.name in uses:
            found.setdefault(value.id, uses[param.name])


def _use(name: str, node: ir.Call) -> Use:
    if name != "split":
        return Use("draw", name, name)
    if len(node.args) == 1:
        return Use("split", name, name, 2)
    number = node.args[1].value
    known = number.value if isinstance(number, ir.Const) else None
    return Use("split", name, name, known if isinstance(known, int) else -1)


def begins(machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args) -> None:
    """A wrapped function is about to be called, with these marks."""
    _BEFORE.of(machine)[id(node)] = typestate.current(machine, typestate.OWN)


def transformed(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> None:
    """A wrapped function is called: what it does to the keys among its arguments is done here,
    once, whatever the transform did when it called the function."""
    before = _BEFORE.of(machine).pop(id(node), typestate.EMPTY)
    inner = func.inner
    calls, maps = _reach(func)
    _given_to_devices(machine, frame, node, func, inner, args)
    if not calls:
        return
    typestate.taken_back(machine, "key", node, before)
    if maps:
        _mapped(machine, frame, node, inner, args)
        _given_to_all(machine, frame, node, func, inner, args)
    elif isinstance(inner, Bound):
        _applied(machine, frame, node, inner.func, args, inner.owner)
    else:
        _applied(machine, frame, node, inner, args)


def _reach(func: Transformed) -> tuple[bool, bool]:
    """Whether all transforms of a function call it as they are called, or for each of many
    elements; and whether one of them does the latter."""
    waiting: list[TransformUse] = []
    inner: Value = func
    while isinstance(inner, Transformed) and inner.record.reach is None:
        waiting.append(inner.record)
        inner = inner.func
    calls, maps = inner.record.reach if isinstance(inner, Transformed) else (True, False)
    for record in reversed(waiting):
        kind = record.wrapper.kind
        maps |= kind == "vmap"
        calls &= kind in _AS_CALLED or kind == "vmap"
        calls &= not record.dotted.startswith(_ELSEWHERE)
        record.reach = calls, maps
    return calls, maps


def _mapped(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> None:
    """A function that is mapped over arrays of keys consumes all of them."""
    if isinstance(func, LibraryName):
        spec = lookup.function(lookup.canonical(func.dotted))
        name = func.dotted.rpartition(".")[2]
        if spec is not None and spec.keys == ("key",) and args.positional:
            use = Use("draw", name, name)
            spend_all(machine, frame, node, args.positional[0], args.node(0, "", node), use)
    if not isinstance(func, Function):
        return
    given = arguments(func.node, args, node)
    for name, use in _uses(machine, func).items():
        if name in given:
            here = called_for(func.node, node, use)
            spend_all(machine, frame, node, *given[name], here)


def _given_to_all(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, inner: Value, args: Args
) -> None:
    """A function that is mapped over some of its arguments draws with a key that all runs get. One
    that splits it may be a whole simulation, which is compared for other parameters, unless what
    it draws has the shape of what it is mapped over."""
    axes = func.record.axes
    if func.record.wrapper.kind != "vmap" or not isinstance(inner, Function):
        return
    if not isinstance(axes, Sequence) or axes.items is None or args.rest is not None:
        return
    inner = inner.wraps if isinstance(inner.wraps, Function) else inner
    uses, given = _uses(machine, inner), [*zip(inner.node.params, axes.items, strict=False)]
    mapped = {param.name for param, axis in given if not is_none(axis)}
    for (param, axis), place in zip(given, args.nodes, strict=False):
        use = uses.get(param.name) if is_none(axis) else None
        if use is not None and _draws(machine, inner, use, mapped):
            is_written = isinstance(place, (ir.Attribute, ir.Name, ir.Subscript))
            text, callee = text_of(machine, place) if is_written else param.name, inner.node.name
            fact = fact_of(machine, frame, node, "unmapped", text, callee, possible=True)
            emit(machine, frame, fact)


def _given_to_devices(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, inner: Value, args: Args
) -> None:
    """A function that devices run on their parts of an array draws numbers for these with a key
    that all devices get."""
    layer: Value = func
    while isinstance(layer, Transformed) and layer.record.wrapper.kind in ("jit", "remat"):
        if layer.record.dotted.endswith("pmap"):
            break
        layer = layer.func
    if not isinstance(layer, Transformed) or not isinstance(inner, Function) or args.rest:
        return
    parts = _parted(layer.record)
    given = [*zip(inner.node.params, parts, strict=False)]
    mapped = {param.name for param, is_part in given if is_part}
    uses = _uses(machine, inner) if mapped and len(mapped) < len(given) else {}
    for param, is_part in given:
        use = uses.get(param.name) if is_part is False else None
        drawn = None if use is None else _drawn_for(machine, inner, param.name, mapped)
        if use is not None and use.how == "draw" and drawn is not None:
            subject, callee = param.name, use.sampler
            fact = fact_of(machine, frame, drawn, "replicated", subject, callee, possible=True)
            fact.module = machine.sources.owner(drawn, machine.module)
            emit(machine, frame, fact)


def _parted(record: TransformUse) -> list[bool | None]:
    """Which arguments devices get parts of, one by one: False for those that all get whole."""
    axes, is_shard = record.axes, record.wrapper.kind == "shard"
    is_pmap = record.dotted.endswith("pmap")
    if not (is_shard or is_pmap) or not isinstance(axes, Sequence) or axes.items is None:
        return []
    if is_pmap:
        return [not is_none(one) for one in axes.items]
    specs = [one.entries if isinstance(one, AxisSpec) else None for one in axes.items]
    return [None if one is None or None in one else any(one) for one in specs]


def _drawn_for(machine: Machine, func: Function, name: str, mapped: set[str]) -> ir.Call | None:
    """Where a function draws numbers of the shape of a part with the key of a parameter."""
    for node in walk(func.node.body):
        if isinstance(node, ir.Call) and any(map(partial(_has_shape, mapped), node.args)):
            keys = [one.value for one in node.args if one.keyword in (None, "key")]
            if any(isinstance(key, ir.Name) and key.id == name for key in keys):
                callee = peek(machine, func.frame, node.func)
                spec = lookup.function(callee.dotted) if isinstance(callee, LibraryName) else None
                if spec is not None and spec.keys == ("key",):
                    return node
    return None


def _draws(machine: Machine, func: Function, use: Use, mapped: set[str]) -> bool:
    """Whether a function draws with a key numbers of its own for what it is mapped over."""
    if use.how == "draw":
        return use.sampler not in MATCHING
    for node in walk(func.node.body):
        shaped = isinstance(node, ir.Call) and any(map(partial(_has_shape, mapped), node.args))
        callee = peek(machine, func.frame, node.func) if shaped else None
        spec = lookup.function(callee.dotted) if isinstance(callee, LibraryName) else None
        if spec is not None and spec.keys == ("key",):
            return True
    return False


def _has_shape(names: set[str], argument: ir.Argument) -> bool:
    """Whether an argument is the shape of one of some names."""
    value = argument.value
    if not isinstance(value, ir.Attribute) or value.attr != "shape":
        return False
    return isinstance(value.value, ir.Name) and value.value.id in names


def _uses(machine: Machine, func: Function) -> dict[str, Use]:
    spent = machine.summaries.spent.get(id(func.node))
    if spent is None:
        return foreseen(machine, func)
    found: dict[str, Use] = {}
    for (kind, _), mark in spent.marks.items():
        key = mark.subject
        if kind != "key" or not mark.is_sure or not isinstance(key, Origin) or "/" in key:
            continue
        if key.root.holder.func is func.node and key.root.parameter:
            found[key.root.parameter] = mark.detail
    return found


def constructed(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> None:
    """A class is called: what its initialiser does to the keys that it is given is done here."""
    init = cls.find("__init__")
    if init is not None:
        _applied(machine, frame, node, init, args, cls)


def _applied(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: Value,
    args: Args,
    owner: Value | None = None,
) -> None:
    if not isinstance(func, Function) or args.rest is not None:
        return
    first = [] if owner is None else [owner]
    inside = Args(
        [*first, *args.positional],
        args.keywords,
        None,
        None,
        [node] * len(first) + args.nodes,
        args.keyword_nodes,
    )
    if not fits(func.node, inside):
        return
    given = arguments(func.node, inside, node)
    stream_keys.handed_on(machine, frame, node, func, given)
    if id(func.node) in machine.summaries.spent:
        replayed(machine, frame, node, func.node, given)
        return
    for name, use in foreseen(machine, func).items():
        if name in given:
            value, place = given[name]
            use_up(machine, frame, node, func.node, value, place, use)


CHECK = Check(
    "syntactic-summary",
    on_transformed_call=begins,
    on_transformed_result=transformed,
    on_construction=constructed,
)

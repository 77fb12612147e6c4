"""Calls of functions that use random keys up.

What a function does to its parameters, and to keys of the code around that it names, is done by
each call of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.base.dataclass import replace
from jaxlint.dataflow.names import CONSTRUCTORS, dotted_text
from jaxlint.engine.checks.prng import carried_keys
from jaxlint.engine.checks.prng.key_reuse import MATCHING, Use, emit, fact_of, is_shared, spend
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import Origin, keyed, named, origin_of
from jaxlint.engine.domain.values import MOST_NESTED, Bound, Function, Sequence, Transformed, Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jaxlint.engine.machine.machine import Machine


def settled(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: ir.FunctionDef,
    args: Args,
    result: Value,
) -> Value:
    """A function was called: what it consumed and what it gives, in terms of its arguments."""
    spent = machine.summaries.spent.get(id(func))
    uses = spent if spent is not None and spent.marks else None
    if (
        not uses
        and type(getattr(result, "dtype", None)) is not Origin
        and type(result) is not Sequence
    ):
        return result
    given = arguments(func, args, node)
    if uses:
        carried_keys.check(machine, frame, func, uses, given, result)
        replayed(machine, frame, node, func, given)
    return handed_out(func, given, result)


def arguments(func: ir.FunctionDef, args: Args, node: ir.Expr) -> dict[str, tuple[Value, ir.Expr]]:
    """The arguments of a call by the names of the parameters, with their expressions."""
    names = [p.name for p in func.params if p.kind in ("plain", "positional")]
    each = zip(args.positional, args.nodes, strict=False)
    given: dict[str, tuple[Value, ir.Expr]] = dict(zip(names, each, strict=False))
    for name, value in args.keywords.items():
        given[name] = (value, args.keyword_nodes.get(name, node))
    return given


def use_up(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: ir.FunctionDef,
    value: Value,
    place: ir.Expr,
    use: Use,
) -> None:
    """A function that is called here consumes an argument."""
    key = named(machine, frame, value, place)
    if key is not None and key.many is None:
        here = called_for(func, node, use, is_shared(frame, place))
        spend(machine, frame, node, place, key, here)


def called_for(func: ir.FunctionDef, node: ir.Expr, use: Use, shared: bool = False) -> Use:
    """What a call of a function does to a key that the function uses in this way."""
    callee, target = func.name, id(func)
    if func.name in CONSTRUCTORS and isinstance(node, ir.Call):
        callee, target = dotted_text(node.func).rpartition(".")[2], 0
    return Use(use.how, callee, use.sampler, use.parts, shared, target=target, at=use.at)


def replayed(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: ir.FunctionDef,
    given: Mapping[str, tuple[Value, ir.Expr]],
) -> None:
    """What a function did to the keys that it was given, or that it names, a call of it does."""
    spent = machine.summaries.spent.get(id(func))
    if spent is None or not spent.marks:
        return
    for (kind, _), mark in spent.marks.items():
        origin = mark.subject
        if kind != "key" or not mark.is_sure or not isinstance(origin, Origin):
            continue
        use: Use = mark.detail
        root = origin.root
        if root.holder.func is not func:
            if not use.shared or not (
                root.holder in machine.dynamic.frames or root.holder is frame.root
            ):
                continue
            if _calls_for_each(node) and isinstance(mark.node, ir.Call):
                if use.sampler not in MATCHING:
                    fact = fact_of(machine, frame, mark.node, "loop", use.subject, use.callee)
                    emit(machine, frame, fact)
            else:
                again = replace(called_for(func, node, use), shared=True, subject=use.subject)
                spend(machine, frame, node, node, origin, again)
            continue
        if root.parameter in given:
            value, place = given[root.parameter]
            key = named(machine, frame, value, place)
            if key is not None and (key.many is None or "/" in origin):
                again = called_for(func, node, use, is_shared(frame, place))
                spend(machine, frame, node, place, origin.rebased(key), again)


def branch_taken(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: Value,
    operands: list[Value],
    nodes: list[ir.Expr],
) -> None:
    """What a branch did to the keys among its operands, the call that chooses it does."""
    plain = func.func if isinstance(func, Bound) else func
    if isinstance(plain, Transformed) and plain.record.wrapper.kind == "jit":
        plain = plain.inner
    if isinstance(plain, Function) and len(nodes) == len(operands):
        args = Args([*operands], nodes=[*nodes])
        if isinstance(func, Bound):
            args = Args([func.owner, *operands], nodes=[node, *nodes])
        replayed(machine, frame, node, plain.node, arguments(plain.node, args, node))


def _calls_for_each(node: ir.Expr) -> bool:
    """Whether a call calls a function for each element or leaf of something."""
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    return callee == "map" or callee.endswith(("tree.map", "tree_map", "tree_map_with_path"))


def handed_out(
    func: ir.FunctionDef,
    given: Mapping[str, tuple[Value, ir.Expr]],
    value: Value,
    depth: int = MOST_NESTED,
) -> Value:
    """The result of a call: which of the keys that the call was given."""
    if type(value) is Sequence and value.kind == "tuple" and value.items is not None and depth:
        items = [handed_out(func, given, one, depth - 1) for one in value.items]
        if all(new is old for new, old in zip(items, value.items, strict=True)):
            return value
        return Sequence("tuple", items, value.born, value.element, value.path, value.made)
    origin = origin_of(value)
    if origin is None:
        return value
    own = origin.root.holder.func is func and origin.root.parameter in given
    key = origin_of(given[origin.root.parameter][0]) if own else None
    return keyed(value, None if key is None else origin.rebased(key))

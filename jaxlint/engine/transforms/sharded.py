"""What `jax.shard_map` makes of arguments, and asks of results: over which axes of its mesh they
vary.

Source: JAX documentation of `jax.shard_map` (`in_specs`, `out_specs`, `check_vma`);
`tests/rules/sharding-mismatch.md` runs each of these contracts.
"""

from __future__ import annotations

from jaxlint.engine.domain.layouts import AxisSpec
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.spreads import spread_of, spread_over
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import paired, rebuilt
from jaxlint.engine.domain.values import Mapping, Sequence, Traced, Value
from jaxlint.engine.inference.definitions import returned
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import is_leaf
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.facts.spread import Spread

_DEPTH = 5
_TREES = (Mapping, Sequence)


def laid_out(record: TransformUse, trace: Trace, at: int, value: Value) -> Value:
    """An argument in the body of `shard_map`: it varies over the axes that it is split over."""
    if record.wrapper.kind != "shard":
        return value
    layout = record.axes
    if isinstance(layout, Sequence):
        items = layout.items if layout.kind == "tuple" else None
        layout = items[at] if items is not None and 0 <= at < len(items) else None
    return value if layout is None else _spread(value, layout, trace, _DEPTH)


def _spread(value: Value, layout: Value, trace: Trace, depth: int) -> Value:
    """A tree whose leaves vary as a prefix of it says."""
    if isinstance(layout, AxisSpec):
        return _everywhere(
            value, Spread(frozenset(layout.names), None not in layout.entries), trace
        )
    if not (isinstance(value, _TREES) and isinstance(layout, _TREES) and depth):
        return value
    each = iter([*paired(value, layout)])
    if len(paired(value, layout)) != len(value.children()):
        return value
    return rebuilt(value, lambda _: _spread(*next(each), trace, depth - 1), trace)


def _everywhere(value: Value, spread: Spread | None, trace: Trace) -> Value:
    def leaf(one: Value) -> Value:
        return spread_over(one, spread) if isinstance(one, Traced) else one

    return map_leaves(value, leaf, trace)


def check_result(machine: Machine, trace: Trace, record: TransformUse, result: Value) -> Value:
    """The results of a body fit `out_specs`; what they are outside, where the axes are not bound
    any more."""
    for leaf, spec in _specified(result, record.out_axes, _DEPTH):
        found = _misfit(record, leaf, spec)
        if found is not None:
            _tell(machine, trace, record, *found)
            break
    return _everywhere(result, None, trace)


def _specified(value: Value, layout: Value | None, depth: int) -> list[tuple[Value, AxisSpec]]:
    """The leaves of a result, each with what a prefix says of it."""
    if isinstance(value, _TREES) and isinstance(layout, AxisSpec) and depth:
        inside = [] if value.items is None else value.children()
        return [pair for one in inside for pair in _specified(one, layout, depth - 1)]
    if isinstance(layout, AxisSpec):
        return [(value, layout)]
    pairs = [] if layout is None or not depth else paired(value, layout)
    return [pair for one, it in pairs for pair in _specified(one, it, depth - 1)]


def _misfit(record: TransformUse, leaf: Value, spec: AxisSpec) -> tuple[str, str, str] | None:
    """What is wrong with a result that is put together by a specification."""
    rank = rank_of(leaf) if is_leaf(leaf) else None
    if rank is not None and rank < len(spec.entries):
        count, number = len(spec.entries), f"{rank} dimension" + "s" * (rank != 1)
        return "layout-result", f"{count} entr" + ("y" if count == 1 else "ies"), number
    if not record.checks or None in spec.entries:
        return None
    missing = sorted(spread_of(leaf).over.difference(spec.names))
    return ("layout-spread", f'"{missing[0]}"', "") if missing else None


def _tell(
    machine: Machine, trace: Trace, record: TransformUse, kind: str, subject: str, detail: str
) -> None:
    plain = plain_function(record.func)
    place = record.node if plain is None else returned(plain.node)
    if not machine.dynamic.idle and is_uncaught(machine):
        name = "function" if plain is None else plain.node.name
        misused(machine, (name, trace.entry), place, kind, subject, detail)

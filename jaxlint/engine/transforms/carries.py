"""What control flow gives to its functions and gets back from them: the contracts of `lax`."""

from __future__ import annotations

from jaxlint.engine.checks.concretization.static_arguments import needs_static
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_inexact
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.spreads import spread_of
from jaxlint.engine.domain.traversal import paired
from jaxlint.engine.domain.values import Instance, Mapping, Sequence, Static, Traced, Value, is_none
from jaxlint.engine.inference.array_parameters import default_of
from jaxlint.engine.inference.axes import (
    described,
    has_axes,
    may_have_axes,
    next_has_axes,
    test_has_axes,
)
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.inference.relative_lengths import leaves_written, unlike_lengths
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import (
    all_leaves,
    callee_of,
    describe,
    fits_branch,
    fits_loop,
    is_leaf,
    kind_of,
    leaves,
    number_of_parts,
    paired_leaves,
    refuse,
    shapes_differ,
    structure,
    tree_difference,
)
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import OPERATORS
from jaxlint.syntax import ir


def check_call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The arguments of control flow that are no functions."""
    operator = OPERATORS.get(dotted)
    if operator is None or machine.dynamic.eager:
        return
    spec = lookup.higher_order(dotted)
    by_position = () if spec is None else spec.params[: spec.positional]
    for name in operator.options if not frame.trace.is_host else ():
        at = by_position.index(name) if name in by_position else -1
        value = args.get(at, name)
        if value is not None:
            place, callee = args.node(at, name, node), callee_of(node, dotted)
            needs_static(machine, frame, place, value, "option", callee, dotted, name)
    if operator.sequence is not None:
        _check_sequence(machine, frame, node, dotted, args, operator.sequence)
    elif operator.selector:
        _check_scalar(machine, frame, node, dotted, args, operator.selector)


def _check_sequence(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, at: int
) -> None:
    """What is scanned over has to have a leading axis, or the number of steps be given."""
    given = args.get(at, "xs")
    if args.rest is not None or args.more is not None:
        return
    place = args.node(at, "xs", node)
    callee = callee_of(node, dotted)
    if given is None or is_none(given):
        length = args.get(3, "length")
        if dotted.endswith("scan") and (length is None or is_none(length)):
            refuse(machine, frame, node, "scan-length", "xs", callee=callee)
        return
    default = default_of(machine, frame, place, given)
    for leaf in leaves(given if default is None else default):
        if is_scalar(leaf):
            whole, unsure = describe(given if default is None else default), default is not None
            about = "scan-leaves", describe(leaf), whole, callee
            refuse(machine, frame, place, *about, unsure=unsure)
            return
    lengths = sorted({one for one in map(_leading, leaves(given)) if one is not None})
    if len(lengths) > 1:
        first, second = lengths[:2]
        refuse(machine, frame, place, "scan-lengths", str(first), str(second), callee)
    elif odd := unlike_lengths(machine, frame, leaves_written(machine, frame, place)):
        refuse(machine, frame, place, "scan-lengths", *odd[1:3], callee, unsure=odd[3])
    asked = args.get(3, "length")
    number = asked.const if dotted.endswith("scan") and isinstance(asked, Static) else None
    if type(number) is int and len(lengths) == 1 and number != lengths[0]:
        refuse(machine, frame, place, "scan-lengths", str(lengths[0]), str(number), callee)


def _leading(value: Value) -> int | None:
    """The length of the first axis of an array."""
    dims = dims_of(value) if is_leaf(value) else None
    return dims[0] if dims else None


def steps_of(args: Args) -> int | None:
    """How many steps a scan takes."""
    asked, xs = args.get(3, "length"), args.get(2, "xs")
    if isinstance(asked, Static) and type(asked.const) is int:
        return asked.const
    return None if xs is None else next(iter(map(_leading, leaves(xs))), None)


def is_scalar(value: Value) -> bool:
    """Whether a value certainly has no axis; a parameter that is annotated as a number may."""
    if isinstance(value, Traced):
        return value.leaf and value.rank == 0 and not value.weak
    return is_leaf(value) and rank_of(value) == 0


def _check_scalar(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, name: str
) -> None:
    """The predicate or index that selects a branch is one number."""
    value = args.get(0, name)
    if value is None:
        return
    place, callee = args.node(0, name, node), callee_of(node, dotted)
    several = has_axes(machine, frame, place, value)
    broken = name == "index" and is_inexact(value)
    if several or broken or structure(value) not in ("leaf", ""):
        what = described(value) if several else describe(value)
        refuse(machine, frame, place, "selector", what, name, callee)


# -- results -------------------------------------------------------------------------------------


def check_scan(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    carry: Value,
    result: Value,
    args: Args,
) -> None:
    """A scan's body gives the next carry and one output, in a pair."""
    items = result.items if isinstance(result, Sequence) else None
    known, count = structure(result), number_of_parts(result)
    pair = items if items is not None and len(items) == 2 else None
    if known in ("leaf", "None") or (known and count is not None and count != 2):
        refuse(machine, frame, node, "scan-pair", describe(result), callee=callee_of(node, dotted))
    elif pair is not None:
        check_carry(machine, frame, node, dotted, carry, pair[0], args)


def check_carry(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    carry: Value,
    result: Value,
    args: Args,
) -> None:
    """The next carry has the structure, the shapes and the dtypes of the one before."""
    if machine.dynamic.eager:
        return
    callee = callee_of(node, dotted)
    differs = tree_difference(carry, result)
    if differs is not None:
        old, new = map(describe, differs)
        new = _other(differs[0]) if old == new else new
        refuse(machine, frame, node, "carry-tree", old, new, callee)
        return
    for old_leaf, new_leaf in paired_leaves(carry, result):
        if not fits_loop(old_leaf, new_leaf) or shapes_differ(old_leaf, new_leaf):
            old, new = describe(old_leaf), describe(new_leaf)
            refuse(machine, frame, node, "carry-type", old, new, callee)
            return
        uneven = _uneven(frame, old_leaf, new_leaf)
        if uneven is not None:
            refuse(machine, frame, node, "carry-type", *uneven, callee)
            return
    spread = _spread(machine, frame, node, dotted, carry, result, args)
    if spread is not None:
        old, new = describe(spread[0]), described(spread[1])
        refuse(machine, frame, node, "carry-type", old, new, callee)


def _uneven(frame: Frame, one: Value, other: Value) -> tuple[str, str] | None:
    """What two arrays in `shard_map` are, of which one varies over an axis of the mesh that the
    other certainly does not vary over: types have these axes in them."""
    if not frame.trace.shards:
        return None
    first, second = spread_of(one), spread_of(other)
    for left, right, is_turned in ((first, second, False), (second, first, True)):
        odd = sorted(right.over - left.over) if left.exact else []
        if odd:
            axis = f'the mesh axis "{odd[0]}"'
            even, uneven = (
                f"an array that is the same all along {axis}",
                f"one that varies over {axis}",
            )
            return (uneven, even) if is_turned else (even, uneven)
    return None


# The body of a loop and the carry that it starts with, by position and name, and which parameter
# of the body takes the carry.
_LOOPS = {
    "jax.lax.fori_loop": ((2, "body_fun"), (3, "init_val"), 1),
    "jax.lax.scan": ((0, "f"), (1, "init"), 0),
    "jax.lax.while_loop": ((1, "body_fun"), (2, "init_val"), 0),
}


def _spread(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    carry: Value,
    result: Value,
    args: Args,
) -> tuple[Value, Value] | None:
    """A number of the carry for which the body returns an array with axes, as what it is computed
    from tells where the run does not."""
    if dotted not in _LOOPS:
        return None
    body_at, start_at, param = _LOOPS[dotted]
    pairs = [((), carry, result)] if is_scalar(carry) else _numbered(carry, result)
    pairs = [(at, old, new) for at, old, new in pairs if is_scalar(old) and may_have_axes(new)]
    body = args.get(*body_at) if pairs else None
    if body is None:
        return None
    first = (0,) if dotted == "jax.lax.scan" else ()
    start = term(frame, args.node(*start_at, node), machine)
    for at, old, new in pairs:
        if next_has_axes(machine, body, param, start, first + at):
            return old, new
    return None


def _numbered(one: Value, other: Value) -> list[tuple[tuple[int, ...], Value, Value]]:
    """What stands at the same places in two tuples."""
    both = isinstance(one, Sequence) and isinstance(other, Sequence)
    pairs = paired(one, other) if both else []
    return [((at,), old, new) for at, (old, new) in enumerate(pairs)]


def _other(value: Value) -> str:
    """A word for what differs from a container or object of the same sort."""
    if isinstance(value, Mapping):
        return "a dict with other keys"
    what = "with other static fields" if isinstance(value, Instance) else "of another length"
    return f"{describe(value)} {what}"


def check_combined(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, elems: Value, result: Value
) -> None:
    """What combines two elements gives one: as many arrays, of the same dtypes and shapes."""
    callee = callee_of(node, dotted)
    before, after = all_leaves(elems), all_leaves(result)
    if machine.dynamic.eager:
        return
    known = before is not None and after is not None
    if before is not None and after is not None and len(before) > len(after):
        given, made = f"{len(before)} arrays", f"{len(after) or 'none'}"
        refuse(machine, frame, node, "combined-tree", given, made, callee)
        return
    pairs = zip(before or (), after or (), strict=False)
    for old, new in pairs if known else paired_leaves(elems, result):
        if not fits_branch(old, new) or shapes_differ(old, new):
            given, made = describe(old), describe(new)
            refuse(machine, frame, node, "combined-type", given, made, callee)
            return


def check_shape(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    inside: list[Value],
    result: Value,
) -> None:
    """A carry that is made of itself with more or fewer rows or axes has another shape each time,
    whatever it starts with."""
    if machine.dynamic.eager:
        return
    before = inside[-1] if dotted != "jax.lax.scan" else inside[0]
    pair = isinstance(result, Sequence) and result.items and dotted == "jax.lax.scan"
    after = result.items[0] if pair and isinstance(result, Sequence) and result.items else result
    if any(_is_unlike(old, new) for old, new in _places(before, after)):
        callee = callee_of(node, dotted)
        refuse(machine, frame, node, "carry-type", "an array", "one of another shape", callee)


def _places(one: Value, other: Value, depth: int = 5) -> list[tuple[Value, Value]]:
    """What stands at the same places in two pytrees, parameters included that may be pytrees."""
    pairs = paired(one, other) if depth else []
    if not pairs or structure(one) != structure(other):
        return [(one, other)]
    return [pair for left, right in pairs for pair in _places(left, right, depth - 1)]


def _is_unlike(old: Value, new: Value) -> bool:
    """Whether an array is made of another one whose shape it does not have."""
    if not isinstance(old, Traced) or not isinstance(new, Traced):
        return False
    return any(one is old.trail for one in new.trail.unlike)


def check_test(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, result: Value, args: Args
) -> None:
    """The test of a loop gives one truth value."""
    if machine.dynamic.eager:
        return
    several = is_leaf(result) and bool(rank_of(result))
    test, body = args.get(0, "cond_fun"), args.get(1, "body_fun")
    if may_have_axes(result) and test is not None and body is not None:
        several = test_has_axes(machine, test, body)
    wrong = kind_of(result) not in ("", "bool") or structure(result) not in ("leaf", "")
    if several or wrong:
        what = described(result) if several else describe(result)
        refuse(machine, frame, node, "loop-test", what, callee=callee_of(node, dotted))


def check_branches(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, results: list[Value]
) -> None:
    """All branches give the same structure, shapes and dtypes."""
    if machine.dynamic.eager or len(results) < 2:
        return
    callee, first = callee_of(node, dotted), results[0]
    for other in results[1:]:
        differs = tree_difference(first, other)
        if differs is not None:
            one, two = map(describe, differs)
            two = _other(differs[0]) if one == two else two
            refuse(machine, frame, node, "branch-tree", one, two, callee)
            return
        for left, right in paired_leaves(first, other):
            if not fits_branch(left, right) or shapes_differ(left, right):
                refuse(machine, frame, node, "branch-type", describe(left), describe(right), callee)
                return
            uneven = _uneven(frame, left, right)
            if uneven is not None:
                refuse(machine, frame, node, "branch-type", *uneven, callee)
                return

"""What `jax.jvp` asks of tangents, and what `jax.vjp` gives asks of cotangents.

Source: JAX documentation of `jax.jvp`, `jax.vjp` and `jax.linearize`;
`tests/rules/grad-output-misuse.md` runs each of these contracts.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import INEXACT, WHOLE, is_promised
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.values import Value
from jaxlint.engine.inference.array_parameters import is_array_parameter, is_named_alike
from jaxlint.engine.inference.axes import described, may_have_axes, result_has_axes
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import (
    callee_of,
    describe,
    is_leaf,
    kind_of,
    leaves,
    paired_leaves,
    refuse,
    shapes_differ,
    structure,
    tree_difference,
)
from jaxlint.syntax import ir


def check_tangents(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """`jax.jvp(f, primals, tangents)`: tuples or lists that fit each other."""
    primals, tangents = args.get(1, "primals"), args.get(2, "tangents")
    if primals is None or tangents is None or args.rest is not None:
        return
    callee = callee_of(node, dotted)
    for value, at, name in ((primals, 1, "primals"), (tangents, 2, "tangents")):
        place = args.node(at, name, node)
        is_array = is_array_parameter(machine, frame, place, value)
        if is_array or structure(value) in ("leaf", "dict"):
            what = "an array" if is_array else describe(value)
            refuse(machine, frame, place, "jvp-tuple", what, name, callee)
            return
    place = args.node(2, "tangents", node)
    if not _compare(machine, frame, place, primals, tangents, "tangent", callee):
        return
    if check_whole(machine, frame, place, tangents, callee):
        _check_names(machine, frame, args.node(1, "primals", node), primals, args, callee)


def _check_names(
    machine: Machine, frame: Frame, place: ir.Expr, primals: Value, args: Args, callee: str
) -> None:
    """What goes by the name of the function's own argument most likely is that argument alone."""
    func = args.get(0, "fun")
    if func is not None and is_named_alike(machine, frame, place, primals, func):
        refuse(machine, frame, place, "jvp-tuple", "an array", "primals", callee, unsure=True)


def check_whole(
    machine: Machine, frame: Frame, place: ir.Expr, tangents: Value, callee: str
) -> bool:
    """No tangent is a whole number: those of whole numbers are of the dtype `float0`."""
    for leaf in leaves(tangents):
        if kind_of(leaf) in WHOLE and not is_promised(leaf):
            refuse(machine, frame, place, "tangent-whole", describe(leaf), callee=callee)
            return False
    return True


def check_cotangent(
    machine: Machine, frame: Frame, node: ir.Expr, args: Args, primals: int
) -> None:
    """A call of what `jax.vjp` gives, with a cotangent that fits the result of the function."""
    value = args.keywords.get("value")
    given = args.positional[primals:]
    if value is None or args.rest is not None or len(given) != 1:
        return
    place, callee = args.node(primals, "", node), callee_of(node, "vjp")
    if not _compare(machine, frame, place, value, given[0], "cotangent", callee):
        return
    if rank_of(given[0]) == 0 and is_leaf(given[0]) and may_have_axes(value):
        func = args.keywords.get("fun")
        if func is not None and result_has_axes(machine, func):
            what = f"cotangent|{described(value)}"
            refuse(machine, frame, place, "tangent", describe(given[0]), what, callee)


def _compare(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    value: Value,
    given: Value,
    what: str,
    callee: str,
) -> bool:
    """Whether a tangent or cotangent may have the structure, the axes and the kind of numbers of
    the value that it belongs to."""
    odd = tree_difference(value, given)
    if odd is None:
        pairs = paired_leaves(value, given)
        odd = next((pair for pair in pairs if shapes_differ(*pair) or _is_other(*pair)), None)
    if odd is not None:
        left, right = describe(odd[0]), describe(odd[1])
        if left != right:
            refuse(machine, frame, place, "tangent", right, f"{what}|{left}", callee)
            return False
    return True


def _is_other(value: Value, tangent: Value) -> bool:
    """Whether a number has a derivative, and what is given for one is of another kind."""
    if is_promised(value) or is_promised(tangent):
        return False
    if not (is_leaf(value) and is_leaf(tangent)):
        return False
    kinds = kind_of(value), kind_of(tangent)
    if kinds[0] == INEXACT:
        return kinds[1] in WHOLE
    return kinds[0] in ("float", "complex") and kinds[1] not in ("", INEXACT, kinds[0])

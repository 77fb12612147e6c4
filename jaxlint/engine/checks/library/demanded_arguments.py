"""Arguments that a function of JAX refuses whatever else it is given: a word that is none of those
it knows, operands of several dtypes, a list where it takes an array.

Source: the API reference of JAX; `knowledge/contracts.py` has the contracts.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.engine.checks.concretization.list_operands import is_list
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_promised
from jaxlint.engine.domain.values import Static, Value
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of, describe, fits_branch, is_leaf, refuse
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.knowledge.contracts import ARRAYS, DEMANDING, SAME_DTYPE, TUPLES, WORDS, words_of
from jaxlint.knowledge.signatures import signatures
from jaxlint.syntax import ir

_Given = tuple[Value, ir.Expr]


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A function that demands something of its arguments is called."""
    if machine.dynamic.idle or args.rest is not None:
        return
    for name in WORDS.get(dotted, ()):
        for value, place in _given(machine, node, dotted, args, name):
            word = value.const if isinstance(value, Static) else None
            words = words_of(dotted, name, word) if isinstance(word, str) else None
            if words is not None and is_uncaught(machine):
                detail = " ".join((name, repr(word), *sorted(words)))
                misused(machine, frame, place, "refused-word", dotted, detail)
    if dotted in SAME_DTYPE:
        _check_dtypes(machine, frame, node, dotted, args)
    for name in ARRAYS.get(dotted, ()):
        for value, place in _given(machine, node, dotted, args, name):
            if is_list(machine, frame, value, place):
                refuse(machine, frame, place, "list-operand", name, callee=callee_of(node, dotted))
    for name in TUPLES.get(dotted, ()):
        for value, place in _given(machine, node, dotted, args, name):
            certain = is_leaf(value) or is_list(machine, frame, value, place, ("list",))
            if certain and not is_promised(value) and is_uncaught(machine):
                misused(machine, frame, place, "refused-no-tuple", dotted, name)


def _given(machine: Machine, node: ir.Expr, dotted: str, args: Args, name: str) -> Iterator[_Given]:
    """The argument for a parameter, which may stand at another place in another release: there it
    is given none."""
    known = signatures(dotted, machine.context.newest_jax)
    places = {one.by_position.index(name) if name in one.by_position else -1 for one in known}
    at = places.pop() if len(places) == 1 else -1
    value = args.get(at, name)
    if value is not None:
        yield value, args.node(at, name, node)


def _check_dtypes(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The operands have one dtype."""
    found = [
        one for name in SAME_DTYPE[dotted] for one in _given(machine, node, dotted, args, name)
    ]
    found = [(value, place) for value, place in found if not is_promised(value)]
    for value, place in found[1:]:
        first = found[0][0]
        if not (is_leaf(first) and is_leaf(value)) or fits_branch(first, value):
            continue
        if not machine.silences().unsure and is_uncaught(machine):
            detail = f"{describe(first)}|{describe(value)}"
            misused(machine, frame, place, "refused-dtypes", dotted, detail)
        return


CHECK = Check("demanded-arguments", on_library_call=(Named(called, DEMANDING),))

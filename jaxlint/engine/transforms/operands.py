"""What transforms take apart before they run a function: arrays, and pytrees of arrays alone.

`jax.jit` and its kin say so of all arguments that are not static (`checks/recompilation/
call_sites`); this is about what is mapped, differentiated, carried, scanned over or passed to a
branch.
"""

from __future__ import annotations

from jaxlint import facts
from jaxlint.engine.checks.recompilation.non_arrays import refused
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Instance, Sequence, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.transforms.callables import branches_of
from jaxlint.knowledge.transforms import OPERATORS
from jaxlint.syntax import ir

# Classes of these bases have a rule of their own for what is in them.
_SPOKEN_FOR = frozenset({"equinox.Module"})


def refuse_operand(
    machine: Machine,
    frame: Frame,
    place: ir.Expr,
    value: Value,
    callee: str,
    by: str,
    name: str = "",
) -> bool:
    """Reports what is no array, and no pytree of arrays, where the transform `by` takes nothing
    else. Whether it was reported."""
    if isinstance(value, Instance) and not _SPOKEN_FOR.isdisjoint(value.cls.externals()):
        return False
    what = refused(machine, frame, value, place)
    if not what or machine.silences().unsure:
        return False
    fact = facts.Refusal(machine.module, place, frame.name, frame.trace.entry)
    fact.kind, fact.subject, fact.detail, fact.by = "no-array", name, what, by
    fact.callee = callee
    machine.emit(fact)
    return True


def check_operands(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> bool:
    """What control flow and its kin hand on to their functions. False where something of it is
    refused."""
    operator = OPERATORS.get(dotted)
    if operator is None or machine.dynamic.eager or args.rest is not None:
        return True
    callee = callee_of(node, dotted)
    found = False
    for value, place, name in _operands(node, dotted, args):
        found |= refuse_operand(machine, frame, place, value, callee, dotted, name)
    return not found


def _operands(node: ir.Expr, dotted: str, args: Args) -> list[tuple[Value, ir.Expr, str]]:
    """The operands of a call with their expressions and, where they have one, their names."""
    operator = OPERATORS[dotted]
    found: list[tuple[Value, ir.Expr, str]] = []
    for name, at in operator.leaves:
        value = args.get(at, name)
        if value is not None:
            found.append((value, args.node(at, name, node), name))
    start = operator.operands if operator.inputs is None else operator.inputs
    if start is None or _is_single(dotted, args):
        return found
    if dotted.endswith(".cond"):
        places = {id(value): place for value, place in args.pairs()}
        given = [one for _, each in branches_of(args) or () for one in each]
        return [*found, *((one, places.get(id(one), node), "") for one in given)]
    for at in range(start, len(args.positional)):
        found.append((args.positional[at], args.node(at, "", node), ""))
    return found


def _is_single(dotted: str, args: Args) -> bool:
    """Whether `switch` has one branch alone, which is called as it is."""
    branches = args.get(1, "branches")
    items = branches.items if isinstance(branches, Sequence) else None
    return dotted.endswith(".switch") and (items is None or len(items) < 2)

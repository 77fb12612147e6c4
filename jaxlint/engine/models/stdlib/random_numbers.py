"""What the functions of Python's `random` give: Python values, or those that they are given."""

from __future__ import annotations

from typing import Final

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.values import INT, NONE, NumPy, Sequence, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.syntax import ir

_INTEGERS: Final = frozenset({"binomialvariate", "getrandbits", "randint", "randrange"})
_SEVERAL: Final = frozenset({"choices", "sample"})
_NOTHING: Final = frozenset({"seed", "shuffle"})


def drawn(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of a function that draws random numbers on the host."""
    library, _, name = dotted.rpartition(".")
    if library != "random":
        return NumPy()
    if name in _NOTHING:
        return NONE
    if name == "choice" or name in _SEVERAL:
        given = args.get(0, "seq" if name == "choice" else "population")
        if given is None:
            return machine.unknown("element that is drawn")
        element = widened(iterate(machine, frame, node, given, "unpacking")[0])
        if name == "choice":
            return element
        return Sequence("list", None, frame.trace, element, frame.path, made=node)
    if name in _INTEGERS:
        return INT
    return Static(kind="bytes" if name == "randbytes" else "float")

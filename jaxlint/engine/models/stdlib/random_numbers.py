"""What functions that draw random numbers on the host give: those of Python's `random` Python
values, or what they are given, those of NumPy arrays."""

from __future__ import annotations

from typing import Final

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import named_dtype
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.values import INT, NONE, NumPy, Sequence, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.syntax import ir

_INTEGERS: Final = frozenset({"binomialvariate", "getrandbits", "randint", "randrange"})
_SEVERAL: Final = frozenset({"choices", "sample"})
_NOTHING: Final = frozenset({"seed", "shuffle"})
# NumPy's functions and methods that draw whole and real numbers; `tests/knowledge/
# test_host_calls.py` asks NumPy.
WHOLE: Final = frozenset(
    {"binomial", "geometric", "integers", "poisson", "randint", "random_integers"}
)
REAL: Final = frozenset(
    {
        *("beta", "exponential", "gamma", "gumbel", "laplace", "logistic", "lognormal", "normal"),
        *("rand", "randn", "random", "random_sample", "standard_normal", "uniform"),
    }
)


def drawn(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of a function that draws random numbers on the host."""
    library, _, name = dotted.rpartition(".")
    if library != "random":
        return drawn_array(name, args)
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


def drawn_array(name: str, args: Args) -> NumPy:
    """What a function or method of this name in `numpy.random` gives. What it draws one at a time
    may be a number of Python's."""
    several = "size" in args.keywords or name in ("rand", "randn")
    if not several and not any(isinstance(one, Sequence) for one in args.positional):
        return NumPy()
    asked = args.keywords.get("dtype")
    if asked is not None:
        return NumPy(named_dtype(asked))
    return NumPy("int" if name in WHOLE else "float" if name in REAL else "")

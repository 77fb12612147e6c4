"""What a callback declares, held against what its function takes and gives.

JAX compares the arrays that come back with `result_shape_dtypes` each time the callback runs: how
many there are, their shapes and their dtypes. How they are nested does not matter.

Source: JAX documentation, "External callbacks"; `jax.pure_callback`.
"""

from __future__ import annotations

from itertools import product

from jaxlint.base.dataclass import replace, slotted
from jaxlint.dataflow.dead_stores import is_never_read
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.shapes import differ, dims_of
from jaxlint.engine.domain.values import (
    NUMBERS,
    LibraryName,
    Sequence,
    Static,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference import host_calls
from jaxlint.engine.inference.definitions import body_of
from jaxlint.engine.inference.host_code import ARRAYS, Reader, array, live
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import function_name
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.callbacks import DECLARED, OWN_OPTIONS, STRICT
from jaxlint.knowledge.host.purity import CALLBACK
from jaxlint.syntax import ir

# Arrays of which not even the rank is known are taken to have each of so many axes.
_RANKS = (0, 1, 2)
# As many arrays of unknown rank are told apart.
_MOST_OPEN = 2
# Words for numbers of the kinds that are told apart.
_NUMBERS = {
    "bool": "truth values",
    "complex": "complex numbers",
    "float": "floating-point numbers",
    "int": "whole numbers",
}


@slotted(frozen=True)
class Problem:
    """What does not fit, with words for what comes back and for what is declared."""

    kind: str
    got: str = ""
    declared: str = ""
    sure: bool = True

    @property
    def late(self) -> bool:
        """Whether it raises when the callback runs, not before."""
        return self.kind not in ("callback-described", "callback-shapes")


def called(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """A callback is called."""
    func, spec = args.get(0, "callback"), args.node(1, DECLARED, node)
    known = args.rest is None and args.more is None and spec is not node
    if not known or func is None or set(args.keywords) - OWN_OPTIONS[dotted]:
        return
    problem = _of_all(
        [
            (ranks, _problem(machine, frame, dotted, func, spec, args, ranks))
            for ranks in _open(args)
        ]
    )
    if problem is None:
        return
    dropped = problem.late and is_dropped(frame, node, dotted)
    if (dropped and not frame.trace.is_host) or not is_uncaught(machine):
        return
    words = f"{function_name(func)}|{problem.got}|{problem.declared}"
    misused(
        machine,
        frame,
        node,
        problem.kind,
        callee_of(node, dotted),
        words,
        place=spec,
        unsure=dropped or not problem.sure,
    )


def is_dropped(frame: Frame, node: ir.Expr, dotted: str) -> bool:
    """Whether compiled code has no use for the result of a pure callback, so that it never runs."""
    if dotted not in CALLBACK:
        return False
    statements = walk(body_of(frame))
    alone = any(isinstance(one, ir.ExprStmt) and one.value is node for one in statements)
    return alone or is_never_read(frame.home().func, node)


def _of_all(found: list[tuple[dict[int, int], Problem | None]]) -> Problem | None:
    """What is wrong however many axes the arrays have, or unless they have none: nobody asks for
    one number of a function that reduces what it is given to one."""
    last = found[-1][1]
    if last is None or all(one is not None for _, one in found):
        return last
    with_axes = [one for ranks, one in found if 0 not in ranks.values()]
    reduced = all(one is not None and one.got == "()" for one in with_axes)
    return replace(last, sure=False) if reduced else None


def _open(args: Args) -> list[dict[int, int]]:
    """How many axes the arrays may have of which that is not known, by their places."""
    places = [at for at, one in enumerate(args.positional) if at > 1 and _is_open(one)]
    if len(places) > _MOST_OPEN:
        return [{}]
    return [dict(zip(places, ranks, strict=True)) for ranks in product(_RANKS, repeat=len(places))]


def _is_open(value: Value) -> bool:
    return isinstance(value, (*ARRAYS, Unknown)) and rank_of(value) is None


def _problem(
    machine: Machine,
    frame: Frame,
    dotted: str,
    func: Value,
    spec: ir.Expr,
    args: Args,
    ranks: dict[int, int],
) -> Problem | None:
    """What does not fit, if the arrays have so many axes."""
    given, stand_ins = list(args.positional[2:]), dict[int | str, Value]()
    for at, rank in ranks.items():
        known, place = args.positional[at], args.nodes[at]
        stands = array(dtype_of(known), rank)
        given[at - 2] = stands
        if isinstance(known, ARRAYS):
            stand_ins[id(known)] = stands
        if isinstance(place, ir.Name):
            stand_ins[place.id] = stands
    reader = host_calls.reader(machine, stand_ins)
    declared = _declared(reader, frame, spec)
    if isinstance(declared, Problem) or declared is None:
        return declared
    found = {_compared(dotted, one, declared) for one in _results(reader, func, given)}
    return found.pop() if len(found) == 1 else None


def _results(reader: Reader, func: Value, given: list[Value]) -> list[Value | None]:
    if isinstance(func, LibraryName):
        nodes: list[ir.Expr] = [ir.Name(ir.NOWHERE, f"{at}") for at in range(len(given))]
        return [host_calls.of_library(func.dotted, Args(given, nodes=nodes))]
    return reader.results(func, given)


# -- what is declared ------------------------------------------------------------------------------


def _declared(reader: Reader, frame: Frame, spec: ir.Expr) -> list[Value] | Problem | None:
    """The arrays that a callback declares, None where they are not known."""
    code = live(frame)
    found = _described(reader.read(code, spec))
    if isinstance(spec, ir.Attribute) and spec.attr == "shape" and isinstance(found, list):
        # That of an array without axes is an empty tuple.
        of_array = not found and isinstance(reader.read(code, spec.value), ARRAYS)
        return Problem("callback-described", _WORDS["shape"]) if of_array else None
    return found


# Words for what describes no array.
_WORDS = {"dtype": "a dtype", "shape": "a shape", "int": "a shape", "float": "a number"}


def _described(value: Value | None) -> list[Value] | Problem | None:
    if value is None:
        return None
    if is_none(value):
        return []
    if isinstance(value, ARRAYS):
        return [value]
    if value in host_calls.MALFORMED:
        return Problem("callback-shapes", host_calls.MALFORMED[value])
    if isinstance(value, Static):
        is_plain = value.kind in NUMBERS or value.kind in ("dtype", "shape")
        word = _WORDS.get(value.kind, f"a {value.kind}")
        return Problem("callback-described", word) if is_plain else None
    if isinstance(value, LibraryName):
        is_dtype = lookup.is_dtype(value.dotted)
        return Problem("callback-described", "a dtype") if is_dtype else None
    if type(value) is not Sequence or value.items is None:
        return None
    parts = [_described(one) for one in value.items]
    wrong = next((one for one in parts if isinstance(one, Problem)), None)
    if wrong is not None or None in parts:
        return wrong
    return [leaf for one in parts if isinstance(one, list) for leaf in one]


# -- what comes back -------------------------------------------------------------------------------


def _leaves(value: Value | None) -> list[Value | None] | None:
    """The arrays of a result, None for a part of which nothing is known, and where it is not known
    how many parts there are."""
    if value is None:
        return None
    if is_none(value):
        return []
    if isinstance(value, (*ARRAYS, Static)):
        return [value]
    if type(value) is not Sequence or value.items is None:
        return None
    found: list[Value | None] = []
    for one in value.items:
        inner = _leaves(one)
        found += [None] if inner is None else inner
    return found


def _compared(dotted: str, result: Value | None, declared: list[Value]) -> Problem | None:
    leaves = _leaves(result)
    if leaves is None:
        return None
    sure = None not in leaves
    if not declared:
        return Problem("callback-unwanted") if leaves and sure and dotted in STRICT else None
    if not leaves:
        return Problem("callback-none")
    if len(leaves) != len(declared):
        return Problem("callback-count", f"{len(leaves)}", _arrays(len(declared)), sure)
    unlike = (_unlike(*pair) for pair in zip(leaves, declared, strict=True))
    return next((one for one in unlike if one is not None), None)


def _unlike(got: Value | None, asked: Value) -> Problem | None:
    """What is wrong with an array that comes back."""
    if got is None:
        return None
    ranks = rank_of(got), rank_of(asked)
    if None not in ranks and (ranks[0] != ranks[1] or differ(got, asked)):
        return Problem("callback-shape", _shape(got), _shape(asked))
    kinds = dtype_of(got), dtype_of(asked)
    if _NUMBERS.keys() >= {*kinds} and kinds[0] != kinds[1]:
        return Problem("callback-dtype", _NUMBERS[kinds[0]], _NUMBERS[kinds[1]])
    return None


def _arrays(count: int) -> str:
    return "one array" if count == 1 else f"{count} arrays"


def _shape(value: Value) -> str:
    dims = dims_of(value) or ()
    return f"({', '.join('_' if n is None else str(n) for n in dims)}{',' * (len(dims) == 1)})"


CHECK = Check("callback-results", on_library_call=(Named(called, OWN_OPTIONS),))

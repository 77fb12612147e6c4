"""What the code that ran has asked of JAX, in numbers that the code around it can compare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    COMPILED,
    Concrete,
    LibraryName,
    Mapping,
    Method,
    NonNone,
    Sequence,
    Static,
    Union,
    Unknown,
    Value,
)
from jaxlint.knowledge.host.costs import MAPS, RUNS, TRACES_ONLY, WAITING_METHODS, WAITS
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.domain.environment import Frame


class Cost(NamedTuple):
    """How much of each kind there was: operations that became part of a traced program, eager
    operations, calls of compiled functions, and whatever waits, or may, for results."""

    staged: int = 0
    eager: int = 0
    launched: int = 0
    waited: int = 0

    def since(self, before: Cost) -> Cost:
        return Cost(
            self.staged - before.staged,
            self.eager - before.eager,
            self.launched - before.launched,
            self.waited - before.waited,
        )


NOTHING = Cost()


class CostMeter:
    """The counts of a whole run so far."""

    __slots__ = ("eager", "first", "launched", "staged", "supposed", "timed", "waited")

    def __init__(self) -> None:
        self.staged = 0
        self.eager = 0
        self.launched = 0
        self.waited = 0
        # Where a module's own code first works with devices.
        self.first: ir.Node | None = None
        # Whether a clock was read.
        self.timed = False
        # Facts about host code, by the functions around it.
        self.supposed: list[tuple[set[int], Any]] = []

    def now(self) -> Cost:
        return Cost(self.staged, self.eager, self.launched, self.waited)

    def since(self, before: Cost) -> Cost:
        return self.now().since(before)

    def again(self, done: Cost) -> None:
        """What was done once is done once more."""
        self.staged += done.staged
        self.eager += done.eager
        self.launched += done.launched
        self.waited += done.waited

    def operated(self, frame: Frame, node: ir.Node) -> None:
        if frame.trace.is_host:
            self.eager += 1
            if self.first is None and frame.kind == "module":
                self.first = node
        else:
            self.staged += 1

    def called(self, is_host: bool, dotted: str, is_compiled: bool) -> None:
        """What the transform `dotted` made is called."""
        if not is_host:
            self.staged += 1
        elif is_compiled:
            self.launched += 1
        else:
            self.eager += dotted not in TRACES_ONLY

    def asked(self, frame: Frame, node: ir.Node, value: Value, sink: str) -> bool:
        """Python asks for a value; False, so that it ends a chain of questions."""
        if frame.trace.is_host and holds_array(value):
            may_be_flag = isinstance(value, Unknown) and value.reason != COMPILED
            self.waited += sink in _CONVERSIONS or not may_be_flag
            _note(frame, node, (value,))
        return False

    def method(self, frame: Frame, node: ir.Node, method: Method, args: Args) -> None:
        """A method of something that is no object of the file is called."""
        if frame.trace.is_host:
            is_object = isinstance(method.owner, EffectfulObject)
            self.waited += method.name in WAITING_METHODS or (is_object and _any_array(args))
            if method.name in WAITING_METHODS:
                _note(frame, node, (method.owner,))

    def external(self, frame: Frame, node: ir.Node, dotted: str, args: Args) -> None:
        """Host code calls something of a library."""
        before = self.waited
        if dotted.startswith("jax."):
            self.waited += dotted in WAITS or (dotted in MAPS and _reads_leaves(args))
            self.eager += dotted in RUNS
        elif dotted.startswith("builtins."):
            self.waited += dotted[9:] in _READS and _any_array(args)
        elif not dotted.startswith(_APART):
            self.waited += _is_strange(dotted) or _any_array(args)
        if self.waited > before:
            _note(frame, node, args.positional)

    def unknown(self, is_host: bool, is_launched: bool) -> None:
        """Host code calls something of which nothing is known but that it may be compiled."""
        self.launched += is_host and is_launched
        self.waited += is_host and not is_launched


# Questions that are asked of arrays: other ones are asked of flags and numbers all the time.
_CONVERSIONS = frozenset({"cast", "format", "method", "numpy"})
# Builtin functions that read the values of arrays.
_READS = frozenset(
    {
        "all",
        "any",
        "bool",
        "complex",
        "float",
        "format",
        "hash",
        "int",
        "list",
        "max",
        "min",
        "print",
        "repr",
        "round",
        "set",
        "sorted",
        "str",
        "tuple",
    }
)
# Modules that do nothing with arrays, but pass them on.
_APART = (
    "collections.",
    "contextlib.",
    "copy.",
    "dataclasses.",
    "datetime.",
    "functools.",
    "itertools.",
    "math.",
    "operator.",
    "time.",
    "timeit.",
    "typing.",
)
_PLAIN = ("argparse.", "logging.", "numpy.", "os.", "random.", "re.", "sys.", "warnings.")


def _note(frame: Frame, node: ir.Node, values: Iterable[Value]) -> None:
    """Every iteration of the loop around waits for an array."""
    turns = None if frame.loop is None else frame.loop.watched
    if turns is None or turns.began is not frame.path:
        return
    if any(isinstance(value, Concrete) for value in values):
        turns.read.append(node)


def _is_strange(dotted: str) -> bool:
    return not dotted.startswith(_PLAIN)


def _reads_leaves(args: Args) -> bool:
    """Whether the leaves of a tree are given to something that may read them."""
    func = args.get(0, "f")
    return not (isinstance(func, LibraryName) and func.dotted.startswith("jax."))


def _any_array(args: Args) -> bool:
    return any(map(holds_array, args.values()))


def holds_array(value: Value | None, depth: int = 3) -> bool:
    """Whether a value is, or may be, or may hold, an array on a device."""
    if value is None or isinstance(value, Static):
        return False
    if isinstance(value, (Concrete, Unknown, NonNone)) or depth == 0:
        return True
    if isinstance(value, Union):
        return any(holds_array(one, depth - 1) for one in value.options)
    if isinstance(value, (Sequence, Mapping)):
        items = value.items.values() if isinstance(value, Mapping) else value.items or ()
        return any(holds_array(one, depth - 1) for one in (*items, value.element))
    return False

"""Abstract values to draw, an order on them, and expressions to put them through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import INEXACT
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    Function,
    Iterator,
    LibraryName,
    Mapping,
    NonNone,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    join,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.queries.analyse import FRAMEWORKS, SEMANTICS
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

HEADER = "import jax, jax.numpy as jnp, numpy as np\ndef g(x, y=1):\n    return x\n"


def module_of(source: str) -> ir.Module:
    module = parse(source, "file.py")
    assert isinstance(module, ir.Module), module
    return module


_HOME = module_of(HEADER + "def h(x):\n    return 1\n")
_ENTRY = TraceEntry(_HOME.body[0], Application(EntryKind.JITTED), "f")
_HOST = Frame("module", None, Trace("host", None, None, staged=False))
_FUNCTIONS = [Function(node, _HOST, {}) for node in _HOME.body if isinstance(node, ir.FunctionDef)]
_PLACE = next(node for node in _HOME.body if isinstance(node, ir.FunctionDef)).body[0]

DTYPES = st.sampled_from(("", "int", "float", "bool"))
RANKS = st.sampled_from((None, 0, 1))
STATICS = st.one_of(
    st.sampled_from((None, True, 0, 1, 1.5, "", "a", 1j, b"")).map(
        lambda const: NONE if const is None else Static(const)
    ),
    st.sampled_from(("", "int", "float", "str", "shape", "bool", "dtype")).map(
        lambda kind: Static(kind=kind)
    ),
)
TRACED = st.builds(
    Traced,
    st.just(Provenance(_ENTRY.node, None, _ENTRY, name="x", function="f")),
    st.sampled_from(("abstract", "batch", "ad")),
    DTYPES,
    RANKS,
    st.sampled_from((True, True, False)),
    st.booleans(),
)
OTHERS = st.one_of(
    st.builds(Concrete, DTYPES, RANKS),
    st.builds(NumPy, DTYPES),
    st.sampled_from(("a", "b")).map(Unknown),
    st.just(NonNone("a")),
    st.sampled_from(("jax.numpy.sum", "builtins.int", "numpy")).map(LibraryName),
    st.sampled_from(_FUNCTIONS),
    st.builds(TracedString, TRACED, st.just(_PLACE)),
)


def _tuple(items: list[Value]) -> Value:
    return Sequence("tuple", items, _HOST.trace)


VALUES: st.SearchStrategy[Value] = st.recursive(
    st.one_of(STATICS, TRACED, TRACED, OTHERS),
    lambda inner: st.one_of(st.lists(inner, max_size=2).map(_tuple), st.builds(join, inner, inner)),
    max_leaves=4,
)


def canonical(value: Value) -> Any:
    """What a value says, whatever the order of its alternatives and why it is traced."""
    if isinstance(value, Union):
        return ("choice", frozenset(map(canonical, value.options)))
    if isinstance(value, Sequence) and value.items is not None:
        return (value.kind, tuple(map(canonical, value.items)))
    if isinstance(value, TracedString):
        return "text"
    if isinstance(value, Static):
        return ("static", value.kind, repr(value.const))
    if isinstance(value, Traced):
        return ("traced", value.kind, value.dtype, value.rank, value.leaf, value.weak)
    if isinstance(value, Concrete):
        return ("concrete", value.dtype, value.rank)
    if isinstance(value, NumPy):
        return ("numpy", value.dtype)
    if isinstance(value, Unknown):
        return type(value).__name__
    if isinstance(value, LibraryName):
        return ("external", value.dotted)
    return id(value)


def below(a: Value, b: Value) -> bool:
    """Whether `b` stands for everything that `a` stands for. Containers compare by structure."""
    if isinstance(b, NonNone):
        return not any(o is NONE for o in options(a)) and type(a) is not Unknown
    if isinstance(b, Unknown):
        return True
    if isinstance(a, Union) or isinstance(b, Union):
        return all(any(_below(x, y) for y in options(b)) for x in options(a))
    return _below(a, b)


def _below(a: Value, b: Value) -> bool:
    if isinstance(a, Static) and isinstance(b, Static):
        if b.known or b.const is None or a.const is None:
            return type(a) is type(b) and repr(a.const) == repr(b.const)
        return b.kind in ("", a.kind)
    if isinstance(b, Traced) and not b.leaf and isinstance(a, Sequence):
        return all(below(item, b) for item in _held(a))
    if type(a) is not type(b):
        return False
    if isinstance(a, Traced) and isinstance(b, Traced):
        known = a.kind == b.kind and b.leaf <= a.leaf and b.weak <= a.weak
        return known and _array_below(a, b)
    if isinstance(a, Concrete) and isinstance(b, Concrete):
        return _array_below(a, b)
    if isinstance(a, NumPy) and isinstance(b, NumPy):
        return b.dtype in ("", a.dtype)
    if isinstance(a, LibraryName) and isinstance(b, LibraryName):
        return a.dotted == b.dotted
    return _container_below(a, b)


def _held(value: Sequence) -> list[Value]:
    return value.items if value.items is not None else [value.element or NONE]


def _array_below(a: Traced | Concrete, b: Traced | Concrete) -> bool:
    wider = b.dtype == INEXACT and a.dtype in ("float", "complex")
    return (wider or b.dtype in ("", a.dtype)) and b.rank in (None, a.rank)


def _container_below(a: Value, b: Value) -> bool:
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        if a.kind != b.kind or (a.items is None and b.items is not None):
            return False
        if a.items is not None and b.items is not None:
            same = len(a.items) == len(b.items)
            return same and all(map(below, a.items, b.items))
        rest = b.element or NONE
        return all(below(item, rest) for item in _held(a))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        known = a.items.keys() <= b.items.keys() or b.open
        return known and all(below(v, b.items[k]) for k, v in a.items.items() if k in b.items)
    if isinstance(a, Iterator) and isinstance(b, Iterator):
        return below(a.element, b.element)
    return a is b or canonical(a) == canonical(b) or not isinstance(a, Function)


@dataclass
class Outcome:
    """What an expression gave, and what was reported of it."""

    value: Value
    reported: set[Any]


class Expression:
    """An expression over `a` and `b`, in code that JAX traces."""

    def __init__(self, text: str) -> None:
        self.module = module_of(f"{HEADER}{text}\n")
        statement = self.module.body[-1]
        assert isinstance(statement, ir.ExprStmt)
        self.node = statement.value

    def run(self, **values: Value) -> Outcome:
        """Evaluates it, with these values for its names."""
        machine = Machine(self.module, SEMANTICS, FRAMEWORKS)
        machine.block(machine.globals, self.module.body[:-1])
        trace = Trace("jit", machine.host, _ENTRY, staged=True)
        frame = Frame("function", machine.globals, trace)
        frame.env = dict(values)
        value = machine.eval(frame, self.node)
        return Outcome(
            value,
            {
                (type(fact).__name__, id(fact.node), getattr(fact, "sink", ""))
                for fact in machine.collected.facts
                if fact.is_traced
            },
        )

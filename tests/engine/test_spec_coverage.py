"""Every construct of Python and every entry of the engine's tables occurs in a specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from jaxlint.engine.models import dispatch, higher_order
from jaxlint.engine.models.stdlib import builtin_functions, data_classes, functional
from jaxlint.engine.operations.pytrees import jax_tree
from jaxlint.engine.transforms import control_flow
from jaxlint.knowledge import lookup, shardings, transforms
from jaxlint.knowledge.host.purity import MEMOS_WITH_OPTIONS
from jaxlint.knowledge.tables import methods
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of
from jaxlint.testing.reveal import read_specifications

HERE = Path(__file__).parent
ABSTRACT = frozenset({ir.Node, ir.Expr, ir.Stmt, ir.Pattern, ir.Module})
NODES = frozenset(
    kind
    for kind in vars(ir).values()
    if isinstance(kind, type)
    and is_dataclass(kind)
    and kind.__module__.startswith("jaxlint.syntax.")
)

ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^")
OPERATORS = {
    *ARITHMETIC,
    *(f"{op}=" for op in ARITHMETIC),
    *("~", "not", "and", "or", "is", "is not", "in", "not in"),
    *("<", "<=", ">", ">=", "==", "!="),
}

# Entries that no specification can show, and why.
EXEMPT = {
    **dict.fromkeys(
        ("jax.experimental.host_callback.call", "jax.experimental.host_callback.id_tap"),
        "JAX no longer has it",
    ),
    **dict.fromkeys(MEMOS_WITH_OPTIONS, "not among what the tests need"),
    "jax.custom_transpose": "JAX does not export it",
    "jax.experimental.pure_callback": "JAX no longer has it",
    "jax.export.export": "gives a program, not a value",
    "jax.profiler.TraceAnnotation": "writes a profile",
}
LIBRARIES = (
    *("absl.", "attr.", "attrs.", "chex.", "equinox.", "flax.", "haiku.", "jax_dataclasses."),
    *("parameterized.", "penzai.", "pytest.", "pytest_asyncio.", "tjax."),
)


def every_program() -> Iterator[ir.Module]:
    for path in sorted(HERE.rglob("*.md")):
        for specification in read_specifications(path):
            yield module_of(specification.program, specification.path)


def inside(node: Any) -> Iterator[Any]:
    """Every part of a syntax tree."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack.extend(one)
        elif is_dataclass(one):
            yield one
            stack.extend(getattr(one, f.name) for f in fields(one) if f.name != "origin")


class Occurrences:
    """What occurs in some programs: kinds of nodes, operators, full names, attributes."""

    def __init__(self, programs: Iterable[ir.Module]) -> None:
        self.kinds: set[type] = set()
        self.operators: set[str] = set()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        for program in programs:
            nodes = list(inside(program.body))
            imported = _imports(nodes)
            for node in nodes:
                self.kinds.add(type(node))
                self._add(node, imported)

    def _add(self, node: Any, imported: dict[str, str]) -> None:
        if isinstance(node, (ir.BinOp, ir.UnaryOp, ir.BoolOp)):
            self.operators.add(node.op)
        elif isinstance(node, ir.AugAssign):
            self.operators.add(f"{node.op}=")
        elif isinstance(node, ir.Compare):
            self.operators.update(node.ops)
        elif isinstance(node, ir.Attribute):
            self.attributes.add(node.attr)
        self._add_name(node, imported)

    def _add_name(self, node: Any, imported: dict[str, str]) -> None:
        parts: list[str] = []
        while isinstance(node, ir.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ir.Name):
            head = imported.get(node.id, f"builtins.{node.id}")
            self.names.add(lookup.canonical(".".join([head, *reversed(parts)])))


def _imports(nodes: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ir.Import):
            for dotted, alias in node.names:
                top = dotted.partition(".")[0]
                found[alias or top] = dotted if alias else top
        elif isinstance(node, ir.ImportFrom):
            for name, alias in node.names or ():
                found[alias or name] = f"{node.module}.{name}"
    return found


@pytest.fixture(scope="module")
def seen() -> Occurrences:
    return Occurrences(every_program())


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def entries(*tables: Iterable[str]) -> set[str]:
    """Names in tables that a program can write: JAX's, Python's and no other library's."""
    return {
        lookup.canonical(name)
        for table in tables
        for name in table
        if not name.endswith("(...)") and not name.startswith(LIBRARIES)
    }


def test_every_kind_of_node_occurs(seen: Occurrences) -> None:
    assert [] == sorted(kind.__name__ for kind in NODES - ABSTRACT - seen.kinds)


def test_every_operator_occurs(seen: Occurrences) -> None:
    assert [] == sorted(OPERATORS - seen.operators)


def test_every_builtin_occurs(seen: Occurrences) -> None:
    table = {f"builtins.{name}" for name in builtin_functions._TABLE if name != "reveal"}
    assert [] == sorted(table - seen.names)


@pytest.mark.parametrize("kind", [str, bytes, list, tuple, dict, set], ids=lambda it: it.__name__)
def test_every_method_of_a_builtin_type_occurs(seen: Occurrences, kind: type) -> None:
    beside = public(str) if kind is bytes else set()
    assert [] == sorted(public(kind) - beside - seen.attributes)


def test_every_function_of_the_standard_library_occurs(seen: Occurrences) -> None:
    tables = (dispatch._PYTHON, functional.TABLE, data_classes.TABLE)
    assert [] == sorted(entries(*tables) - seen.names - EXEMPT.keys())


def test_every_function_of_jax_that_the_engine_treats_by_itself_occurs(seen: Occurrences) -> None:
    tables = (higher_order.TABLE, jax_tree.HANDLERS, control_flow.IMMEDIATE)
    assert [] == sorted(entries(*tables) - seen.names - EXEMPT.keys())


def test_every_transform_occurs(seen: Occurrences) -> None:
    tables = (
        transforms.WRAPPERS,
        transforms.OPERATORS,
        transforms.OPAQUE_WRAPPERS,
        transforms.HOST_CALLBACKS,
        transforms.COLLECTIVES,
        transforms.HOST_OBJECTS,
        shardings.MESHES,
        shardings.SHARDINGS,
        shardings.SPECS,
    )
    assert [] == sorted(entries(*tables) - seen.names - EXEMPT.keys())


def test_every_method_and_attribute_of_an_array_occurs(seen: Occurrences) -> None:
    table = {*methods.TABLE, *lookup.STATIC_ATTRIBUTES, *lookup.ARRAY_ATTRIBUTES}
    assert [] == sorted(table - seen.attributes)


def test_nothing_that_occurs_is_exempt(seen: Occurrences) -> None:
    assert set() == EXEMPT.keys() & seen.names


def test_what_does_not_occur_is_noticed() -> None:
    seen = Occurrences([module_of("import jax as j\nj.numpy.sin(-x)", "small.py")])
    assert {"jax.numpy.sin", "jax.numpy", "builtins.x", "jax"} == seen.names
    assert {ir.Import, ir.ExprStmt, ir.Call, ir.Attribute, ir.Name} < seen.kinds
    assert {"-"} == seen.operators
    assert ir.While not in seen.kinds

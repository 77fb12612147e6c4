"""What every kind of value answers: what it holds, the same of other parts, how it joins."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator as Iterates
from inspect import signature
from typing import Any

import pytest

import jaxlint.engine
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.special_values import At, FieldSpec, Structure, Super
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.typestate import Typestate
from jaxlint.engine.domain.values import (
    FALSE,
    INT,
    NONE,
    TRUE,
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Mapping,
    Method,
    NonNone,
    NumPy,
    Partial,
    Perhaps,
    Sequence,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    join,
    join_all,
)
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

HOST = Trace("host", None, None, staged=False)
A, B, C = Static(1), Static("b"), Concrete("float", 2)
# Kinds that are shared by all that refer to them, and what the engine keeps in environments.
NOT_WALKED = (Class, Typestate)


def _module() -> ir.Module:
    module = parse("def f(x, y=1):\n    return x\n", "file.py")
    assert isinstance(module, ir.Module)
    return module


NODE = _module().body[0]
assert isinstance(NODE, ir.FunctionDef)
CLASS = Class("Point", None, ())
FUNCTION = Function(NODE, Frame("module", None, HOST), {"y": A})


def traced(kind: str = "abstract", dtype: str = "", **options: Any) -> Traced:
    entry = TraceEntry(NODE, Application(EntryKind.JITTED), "f")
    return Traced(Provenance(NODE, None, entry, "x", "f"), kind, dtype, **options)


def instance(**fields: Value) -> Instance:
    made = Instance(CLASS, HOST)
    made.fields = dict(fields)
    return made


def kinds() -> Iterates[type[Value]]:
    """All kinds of values, those of frameworks and checks included."""
    for module in pkgutil.walk_packages(jaxlint.engine.__path__, "jaxlint.engine."):
        importlib.import_module(module.name)
    todo = Value.__subclasses__()
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        yield kind


def _takes_values(kind: type[Value]) -> bool:
    if "__init__" not in kind.__dict__:
        return False
    given = [str(one.annotation) for one in signature(kind.__init__).parameters.values()]
    return any(re.search(r"\b(Value|Args)\b", text) for text in given)


def test_a_kind_that_is_made_of_values_says_which_it_holds() -> None:
    silent = [
        kind.__name__
        for kind in kinds()
        if _takes_values(kind)
        and not issubclass(kind, NOT_WALKED)
        and (kind.children is Value.children or kind.rebuild is Value.rebuild)
    ]
    assert silent == []


HOLDING = [
    Union((A, B)),
    Sequence("list", [A, B], HOST, C),
    Sequence("tuple", None, HOST, C),
    Sequence("list", [A], HOST),
    Mapping({"a": A, "b": B}, HOST, C),
    Mapping({"a": A}, HOST, open=True),
    Iterator(C, HOST, [A, B]),
    instance(x=A, y=C),
    Descriptor("property", FUNCTION),
    FUNCTION,
    Bound(FUNCTION, instance()),
    Partial(FUNCTION, (A, B), {"y": C}),
    Method(C, "sum"),
    Transformed(FUNCTION, None),
    Structure(C),
    At(C, True),
    Super(CLASS, instance()),
    FieldSpec(None, A, None, FUNCTION),
    FrameworkObject("optax.adam", Args([A], {"b1": B}, more=C), None, HOST),
]


@pytest.mark.parametrize("value", HOLDING, ids=lambda value: type(value).__name__)
def test_a_value_is_rebuilt_of_its_children(value: Value) -> None:
    children = value.children()
    assert children
    others: list[Value] = [Static(at) for at in range(len(children))]
    made = value.rebuild(others)
    assert made is not value
    assert type(made) is type(value)
    assert made.children() == others
    assert value.children() == children


@pytest.mark.parametrize("value", [A, NumPy(), C, LibraryName("jax.jit"), Unknown("?"), traced()])
def test_what_holds_nothing_stays(value: Value) -> None:
    assert value.children() == []
    assert value.rebuild([]) is value


ALIKE = [
    (Static(1), Static(1), "Static(1)"),
    (Static(1), Static(2), "Static(int)"),
    (TRUE, Static(1), "Static()"),
    (NumPy("int"), NumPy("int"), ("NumPy", "int")),
    (NumPy("int"), NumPy("float"), ("NumPy", "")),
    (Concrete("int", 1), Concrete("int", 2), ("Concrete", "int")),
    (traced(dtype="int"), traced(dtype="float"), "Traced(abstract, ?)"),
    (LibraryName("jax.jit"), LibraryName("jax.jit"), "<jax.jit>"),
]


@pytest.mark.parametrize(("one", "other", "expected"), ALIKE)
def test_values_of_one_kind_join_to_one(one: Value, other: Value, expected: Any) -> None:
    made = join(one, other)
    told = (type(made).__name__, getattr(made, "dtype", None))
    assert expected in (told, repr(made))


UNLIKE = [
    (NONE, INT),
    (INT, C),
    (traced("ad"), traced("abstract")),
    (traced(leaf=True), traced(leaf=False)),
    (LibraryName("jax.jit"), LibraryName("jax.vmap")),
    (FUNCTION, Function(NODE, Frame("module", None, HOST), {})),
    (Sequence("list", [A], HOST), Sequence("list", [A], HOST)),
    (Sequence("tuple", [A], HOST), Sequence("tuple", [A, B], HOST)),
    (instance(x=A), instance(x=A)),
]


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_others_are_alternatives(one: Value, other: Value) -> None:
    made = join(one, other)
    assert isinstance(made, Union)
    assert made.options == (one, other)


def test_tuples_join_element_by_element() -> None:
    made = join(Sequence("tuple", [A, C], HOST), Sequence("tuple", [Static(2), NONE], HOST))
    assert repr(made) == f"tuple([Static(int), Choice{(C, NONE)}])"


def test_objects_of_a_pytree_class_join_where_only_their_leaves_differ() -> None:
    tree = Class("State", None, ())
    tree.tree = "leaves"
    forms = []
    for leaf, flag in ((Concrete("int"), TRUE), (Concrete("float"), TRUE), (C, FALSE)):
        made = Instance(tree, HOST)
        made.fields = {"leaf": leaf, "flag": flag}
        forms.append(made)
    joined = join(forms[0], forms[1])
    assert isinstance(joined, Instance) and joined not in forms
    assert joined.fields["flag"] is TRUE
    assert isinstance(join(forms[0], forms[2]), Union)


def test_what_is_not_known_absorbs_and_remembers_none() -> None:
    assert type(join(A, Unknown("why"))) is Unknown
    assert type(join(NONE, Unknown("why"))) is Perhaps
    assert type(join(Perhaps("why"), A)) is Perhaps
    assert type(join(NonNone("why"), NonNone("that"))) is NonNone


def test_many_alternatives_are_not_known() -> None:
    assert repr(join_all([INT, NumPy(), NONE, C, FUNCTION])) == "Unknown(too many alternatives)"

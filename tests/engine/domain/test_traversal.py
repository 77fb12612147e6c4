"""Walks over values: into what they go, how deep, and what is made of containers."""

from __future__ import annotations

from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import (
    alternatives,
    elements,
    known,
    paired,
    parts,
    rebuilt,
    walk_values,
)
from jaxlint.engine.domain.values import (
    NONE,
    Class,
    Concrete,
    Instance,
    Mapping,
    Sequence,
    Static,
    Union,
    Value,
)

HOST = Trace("host", None, None, staged=False)
A, B, C = Static(1), Static(2), Concrete()


def tuple_of(*items: Value) -> Sequence:
    return Sequence("tuple", list(items), HOST)


def test_selectors_say_what_is_known_and_what_is_common() -> None:
    listed, loose = Sequence("list", [A], HOST, B), Mapping({"a": A}, HOST, C)
    held = Instance(Class("Point", None, ()), HOST)
    held.fields = {"x": A, "y": C}
    assert [known(one) for one in (listed, loose, held, A)] == [[A], [A], [], []]
    assert [elements(one) for one in (listed, loose, held, A)] == [[A, B], [A, C], [], []]
    assert [parts(one) for one in (listed, loose, held, A)] == [[A], [A], [A, C], []]


def test_a_walk_comes_to_the_outer_before_the_inner() -> None:
    inner = tuple_of(A, B)
    outer = tuple_of(inner, C)
    assert list(walk_values(outer, known, 2)) == [outer, inner, A, B, C]
    assert list(walk_values(outer, known, 1)) == [outer, inner, C]
    assert list(walk_values(outer, known, 0)) == [outer]


def test_a_walk_through_what_holds_itself_ends() -> None:
    knot = Sequence("list", [A], HOST)
    assert knot.items is not None
    knot.items.append(knot)
    assert len(list(walk_values(knot, known, 3))) == 7


def test_what_is_walked_may_change_on_the_way() -> None:
    outer = Sequence("list", [tuple_of(A)], HOST)
    seen = []
    for one in walk_values(outer, known, 2):
        seen.append(one)
        if one is outer:
            outer.items = [B]
    assert seen == [outer, B]


def test_alternatives_of_alternatives_are_alternatives() -> None:
    assert alternatives(A) == [A]
    assert alternatives(Union((A, Union((B, NONE))))) == [A, B, NONE]


def test_a_container_is_rebuilt_with_changed_elements() -> None:
    trace = Trace("jit", HOST, None, staged=True)
    names = {id(A): "a", id(B): "b", id(C): "c"}

    def change(value: Value) -> Value:
        return Static(names[id(value)])

    listed = rebuilt(Sequence("list", [A, B], HOST, C), change, trace)
    assert isinstance(listed, Sequence)
    assert repr(listed.children()) == "[Static(a), Static(b), Static(c)]"
    assert (listed.kind, listed.born) == ("list", trace)
    keyed = rebuilt(Mapping({"x": A}, HOST, None, True), change, trace, "path")
    assert isinstance(keyed, Mapping)
    assert (repr(keyed.items), keyed.open, keyed.path) == ("{'x': Static(a)}", True, "path")


def test_the_change_may_change_the_old_container() -> None:
    old = Sequence("list", [A, B], HOST)

    def change(value: Value) -> Value:
        assert old.items is not None
        old.items.append(C)
        return value

    made = rebuilt(old, change, HOST)
    assert made.children() == [A, B]


def test_pairs_stand_at_the_same_places() -> None:
    assert paired(tuple_of(A, B), tuple_of(C)) == [(A, C)]
    assert paired(Mapping({"x": A, "y": B}, HOST), Mapping({"y": C}, HOST)) == [(B, C)]
    assert paired(tuple_of(A), A) == []

"""How many elements things have."""

from __future__ import annotations

import pytest

from jaxlint.engine.domain.values import INT, SHAPE, Concrete, Static
from jaxlint.engine.inference import lengths
from jaxlint.engine.inference.lengths import EXTENT, EXTENTS, Range, Sized


def test_a_range_is_listed_while_it_is_short() -> None:
    listed = lengths.numbers_of(Range(3, numbers=range(3)))
    assert listed is not None
    assert [0, 1, 2] == [one.const for one in listed if isinstance(one, Static)]
    assert lengths.numbers_of(Range(33, numbers=range(33))) is None
    assert lengths.numbers_of(Range(3)) is None


@pytest.mark.parametrize(("length", "is_long"), [(2, False), (31, False), (32, True)])
def test_a_short_array_is_not_long(length: int, is_long: bool) -> None:
    assert lengths.is_long(Sized("float32", 1, length)) is is_long


def test_an_array_of_unknown_length_counts_as_long() -> None:
    assert lengths.is_long(Concrete("float32", 1))
    assert not lengths.is_long(None)
    assert lengths.of_shape(EXTENTS) is EXTENT
    assert lengths.of_shape(SHAPE) is INT

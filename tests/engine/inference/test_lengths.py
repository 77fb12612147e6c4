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
def test_the_length_of_a_short_array_is_a_small_number(length: int, is_long: bool) -> None:
    array = Sized("float32", 1, length)
    assert lengths.length_of(array) is (EXTENT if is_long else INT)
    assert lengths.shape_of(array) is (EXTENTS if is_long else SHAPE)


def test_an_array_of_unknown_length_counts_as_long() -> None:
    assert lengths.length_of(Concrete("float32", 1)) is EXTENT
    assert lengths.length_of(None) is INT
    assert lengths.of_shape(EXTENTS) is EXTENT
    assert lengths.of_shape(SHAPE) is INT

"""Ranges of integers."""

from __future__ import annotations


def count_of(numbers: range) -> int:
    """How many numbers a range has, even if no container could hold them."""
    return (numbers[-1] - numbers[0]) // numbers.step + 1 if numbers else 0

"""Annotations are read, never run."""

from __future__ import annotations

import pytest

from jaxlint.testing.lint import reveals

PROGRAM = """
from __future__ import annotations
import jax

@jax.jit
def f(a, x: ANNOTATION):
    reveal(x)
    return x
"""


@pytest.mark.parametrize("annotation", ["CALL", "CALL.of", "CALL.of.it", "CALL[2]", "CALL.of[2]"])
def test_an_annotation_that_calls_its_own_function_is_not_followed(annotation: str) -> None:
    annotation = annotation.replace("CALL", "f(f, a.shape)")

    assert {7: "traced"} == reveals(PROGRAM.replace("ANNOTATION", annotation), "file.py")

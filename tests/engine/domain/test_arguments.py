"""Which calls Python accepts, as Python itself says."""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import Any

import pytest

from jaxlint.engine.domain.arguments import Args, fits
from jaxlint.engine.domain.values import STATIC
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of

SIGNATURES = [
    "a=0, b=1",
    "a=0, b=1, /, other=1",
    "a=0, *, b=1",
    "a=0, *rest, b=1",
    "a=0, b=1, **more",
    "a=0, b=1, /, **more",
]
KEYWORDS = ["a", "b", "other"]
GIVEN = list(chain.from_iterable(combinations(KEYWORDS, n) for n in range(3)))


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_call_fits_where_python_binds_its_arguments(signature: str) -> None:
    source = f"def f({signature}): pass"
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    (function,) = module_of(source, "f.py").body
    assert isinstance(function, ir.FunctionDef)
    for count, names in product(range(4), GIVEN):
        try:
            namespace["f"](*[0] * count, **dict.fromkeys(names, 0))
            accepted = True
        except TypeError:
            accepted = False
        args = Args([STATIC] * count, dict.fromkeys(names, STATIC))
        assert fits(function, args) is accepted, (count, names)

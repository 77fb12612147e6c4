"""What fixes make of the hard cases runs on real JAX, where the case did, and computes the same.

Only names of the module are compared that are numbers and arrays, and only where the case is about
nothing else than how they are computed.
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from test_fixes import CASES, RULES, cases

from jaxlint.testing.lint import lint

# Rules whose fixes change values: lost updates are made, and draws become independent.
OTHER_VALUES = {"JAX152", "JAX801", "JAX802", "JAX803", "JAX804", "JAX806", "JAX807"}


def changed() -> Iterator[Any]:
    for path in CASES:
        for case in cases(path):
            code, before, after, _ = case.values
            if before != after:
                yield pytest.param(code, before, after, id=case.id)


def run(program: str) -> dict[str, Any] | Exception:
    """What the names of a program are in the end, or why it does not get there."""
    names: dict[str, Any] = {"__name__": "case"}
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        try:
            exec(compile(program, "case.py", "exec", dont_inherit=True), names)
        except Exception as error:
            return error
    return names


@pytest.mark.jax
@pytest.mark.parametrize(("code", "before", "after"), list(changed()))
def test_fixed_code_runs_where_the_code_did(
    code: str, before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    monkeypatch.setattr(logging.root, "disabled", True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = run(before)
        if isinstance(one, Exception):
            pytest.skip(f"the case raises {type(one).__name__}")
        other = run(after)
    if isinstance(other, Exception):
        raise other
    rules = [rule for rule in RULES if rule.default or rule.code == code]
    if OTHER_VALUES.isdisjoint(finding.code for finding in lint(before, "case.py", rules)):
        for name in sorted(one.keys() & other.keys()):
            if _is_number(one[name]) and _is_number(other[name]):
                pair = map(np.asarray, (one[name], other[name]))
                np.testing.assert_allclose(*pair, rtol=1e-4, err_msg=name)


def _is_number(value: Any) -> bool:
    import jax
    import numpy as np

    if isinstance(value, jax.Array):
        return not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended)
    return isinstance(value, (np.ndarray, np.generic, int, float))

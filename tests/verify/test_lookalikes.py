"""Healthy programs that look like each hazard: nothing is shown, neither first nor next."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import jax
import pytest
from bench import BOOL, F, V, bench
from healthy_calls import DONATES, KEYS, RECOMPILES, UNROLLS
from healthy_effects import EFFECTS
from healthy_programs import FREEZES, LEAKS
from healthy_traces import RAISES

from jaxlint.verify.protocol import Config

__all__ = ["bench"]

K = jax.ShapeDtypeStruct((2,), "uint32")
CONVERSIONS = (
    *(*BOOL, "TypeError", "ConcretizationTypeError", "IndexError"),
    *("TracerArrayConversionError", "TracerIntegerConversionError", "KeyError"),
)

CASES = [
    (hazard, name, source)
    for hazard, cases in {
        "raises": RAISES,
        "effects": EFFECTS,
        "freezes": FREEZES,
        "leaks": LEAKS,
        "recompiles": RECOMPILES,
        "unrolls": UNROLLS,
        "reuses-key": KEYS,
        "donates": DONATES,
    }.items()
    for name, source in cases.items()
]


@pytest.mark.parametrize(
    ("hazard", "source"),
    [pytest.param(hazard, source, id=f"{hazard}: {name}") for hazard, name, source in CASES],
)
def test_a_healthy_program_is_not_shown(bench: Any, hazard: str, source: str) -> None:
    made = bench(dedent(source), hazard, CONVERSIONS if hazard == "raises" else ())
    args: tuple[Any, ...] = (F,)
    if "def f(tree)" in source:
        args = ({"a": F},)
    elif "def f(key)" in source:
        args = (K,)
    elif "def f(config, x)" in source:
        args = (made.module.config, F)
    elif hazard == "donates":
        args = (V,)
    found = made.study("f", *args, config=Config(execute=True))
    assert {"absent", "eager"} >= {each.outcome for each in found}, found

"""What docs/semantics.md says of JAX is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jaxlint.base.witness import Expects
from jaxlint.testing.pages import Example, read_page
from jaxlint.testing.rulebook import builtin_rules

PATH = Path(__file__).parents[2] / "docs" / "semantics.md"
PAGE = read_page(PATH, "semantics")


@pytest.mark.jax
@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: example.heading)
def test_jax_does_what_is_said(example: Example) -> None:
    from jaxlint.testing.oracle import judge

    assert () == judge(example, {"semantics": Expects()}).wrong
    assert "\n" in example.code.strip(), "the last line is what is expected"


def test_the_rules_that_are_named_exist() -> None:
    named = set(re.findall(r"JAX\d{3}", PATH.read_text(encoding="utf-8")))
    assert named
    assert named <= {rule.code for rule in builtin_rules().values()}

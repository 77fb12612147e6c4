"""Specifications are read right, and a wrong `reveal` is caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.testing.markers import PageError
from jaxlint.testing.reveal import Specification, mistakes, read_specifications


def specified(directory: Path, code: str) -> list[Specification]:
    path = directory / "spec.md"
    path.write_text(f"# Title\n\n```py\n{code}\n```\n")
    return read_specifications(path)


def test_a_wrong_reveal_is_caught(tmp_path: Path) -> None:
    (specification,) = specified(tmp_path, "x = reveal(1)  # revealed: static")
    assert [] == mistakes(specification, {4: "static"}, by_jax=True)
    assert [f"{tmp_path}/spec.md:4: revealed traced, not static"] == mistakes(
        specification, {4: "traced"}, by_jax=True
    )
    assert [f"{tmp_path}/spec.md:4: revealed nothing, not static"] == mistakes(
        specification, {}, by_jax=False
    )


def test_jax_may_say_anything_where_the_engine_knows_nothing(tmp_path: Path) -> None:
    (specification,) = specified(tmp_path, "reveal(1)  # revealed: unknown")
    assert [] == mistakes(specification, {4: "static"}, by_jax=True)
    assert 1 == len(mistakes(specification, {4: "static"}, by_jax=False))


@pytest.mark.parametrize("code", ["1", "reveal(1)", "1  # revealed: static", "reveal(1)  # traced"])
def test_every_reveal_has_its_comment(tmp_path: Path, code: str) -> None:
    with pytest.raises(PageError, match="each `reveal` needs one comment"):
        specified(tmp_path, code)


@pytest.mark.jax
def test_jax_joins_what_it_says_at_one_line(tmp_path: Path) -> None:
    from jaxlint.testing.oracle import reveals

    code = "def f(x):\n    return reveal(x)  # revealed: mixed\n\nf(1)\njax.jit(f)([1])"
    (specification,) = specified(tmp_path, code)
    assert {5: "mixed"} == reveals(specification.program, specification.path)

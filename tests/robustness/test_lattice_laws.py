"""Laws that joins keep, and what more knowledge of an operand may do to a result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from lattice import VALUES, Expression, below, canonical

from jaxlint.engine.domain.environment import join_envs
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    NumPy,
    Static,
    Traced,
    Unknown,
    Value,
    join,
    join_all,
    options,
)
from jaxlint.engine.summaries.fingerprints import key

LAWS = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
FEW = settings(LAWS, max_examples=30, phases=[Phase.generate])
ENVS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@LAWS
@given(VALUES, VALUES)
def test_a_join_does_not_depend_on_the_order(a: Value, b: Value) -> None:
    assert canonical(join(a, b)) == canonical(join(b, a))


@LAWS
@given(VALUES, VALUES, VALUES)
def test_a_join_does_not_depend_on_the_grouping(a: Value, b: Value, c: Value) -> None:
    assert canonical(join(join(a, b), c)) == canonical(join(a, join(b, c)))


@LAWS
@given(VALUES, VALUES)
def test_a_join_with_a_part_of_it_changes_nothing(a: Value, b: Value) -> None:
    both = join(a, b)

    assert canonical(a) == canonical(join(a, a))
    assert canonical(both) == canonical(join(both, a)) == canonical(join(b, both))


@LAWS
@given(VALUES, VALUES)
def test_a_join_stands_for_both_sides(a: Value, b: Value) -> None:
    both = join(a, b)

    assert below(a, both) and below(b, both)


@LAWS
@given(st.lists(VALUES, min_size=1, max_size=6))
def test_more_alternatives_never_say_more(values: list[Value]) -> None:
    for count in range(1, len(values)):
        assert below(join_all(values[:count]), join_all(values[: count + 1]))


@LAWS
@given(ENVS, ENVS, ENVS)
def test_environments_join_as_their_values_do(
    a: dict[str, Value], b: dict[str, Value], c: dict[str, Value]
) -> None:
    def said(env: dict[str, Value]) -> dict[str, Any]:
        return {name: canonical(value) for name, value in env.items()}

    assert said(a) == said(join_envs(a, a)) == said(join_envs(a, {}))
    assert said(join_envs(a, b)) == said(join_envs(b, a))
    assert said(join_envs(join_envs(a, b), c)) == said(join_envs(a, join_envs(b, c)))


EXPRESSIONS = (
    "a + b",
    "a * b",
    "a - b",
    "a @ b",
    "a / b",
    "-a",
    "~a",
    "not a",
    "a and b",
    "a or b",
    "a if b else 1",
    "1 if a else b",
    "a < b",
    "0 < a < 3",
    "a == b",
    "a is None",
    "a in (1, b)",
    "1 in a",
    "a.shape",
    "a.ndim",
    "a.dtype",
    "a.T",
    "a.sum()",
    "a.item()",
    "a.at[0].set(b)",
    "a[0]",
    "a[b]",
    "a[1:]",
    "(1, 2, 3)[a]",
    "{'k': a}['k']",
    "[a, b]",
    "(a, *b)",
    "[e for e in a]",
    "len(a)",
    "int(a)",
    "float(a)",
    "bool(a)",
    "str(a)",
    "f'{a} {b}'",
    "abs(a)",
    "sum(a)",
    "sum((a, b))",
    "max(a, b)",
    "sorted((a, b))",
    "range(a)",
    "isinstance(a, tuple)",
    "hasattr(a, 'shape')",
    "tuple(a)",
    "list(zip((a,), (b,)))",
    "g(a)",
    "g(b, y=a)",
    "(lambda x: x)(a)",
    "jnp.sin(a)",
    "jnp.where(a, b, 0)",
    "jnp.zeros(a)",
    "jnp.stack([a, b])",
    "np.sum(a)",
    "np.asarray(a)",
    "jax.lax.cond(a, lambda x: x, lambda x: x, b)",
    "jax.tree.map(jnp.sin, (a, b))",
)
_BUILT = {text: Expression(text) for text in EXPRESSIONS}


# What Python or JAX refuses for values of other sorts: there is no result to know less of.
ARITHMETIC = frozenset(
    ["a + b", "a * b", "a - b", "a @ b", "a / b", "a < b", "0 < a < 3", "sum((a, b))"]
)
REFUSING = {"a.item()": "a", "sum(a)": "a", "(1, 2, 3)[a]": "a", "a[b]": "b"}


def _is_none(value: Value) -> bool:
    """Whether the value may be None, which most operations refuse."""
    return any(option is NONE for option in options(value))


def _is_number(value: Value) -> bool:
    """Whether arithmetic takes the value."""
    return isinstance(value, (Traced, Concrete, NumPy, Unknown)) or (
        isinstance(value, Static) and value.kind in ("int", "float", "bool", "")
    )


def _fits(text: str, values: dict[str, Value]) -> bool:
    """Whether the expression has a result for every alternative of its operands."""
    asked = "ab" if text in ARITHMETIC else REFUSING.get(text, "")
    numbers = all(_is_number(o) for name in asked for o in options(values[name]))
    if text == "a.item()":
        numbers &= not any(isinstance(option, Static) for option in options(values["a"]))
    return numbers and not any(map(_is_none, values.values()))


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_knowing_more_of_an_operand_never_says_less_of_the_result(text: str) -> None:
    expression = _BUILT[text]

    @FEW
    @given(VALUES, VALUES, VALUES)
    def monotone(a: Value, other: Value, b: Value) -> None:
        assume(_fits(text, {"a": a, "b": b}) and _fits(text, {"a": other, "b": b}))
        whole = join(a, other)
        part = expression.run(a=a, b=b)
        all_ = expression.run(a=whole, b=b)
        assert below(part.value, all_.value), (part.value, all_.value)
        assert part.reported or not all_.reported

    monotone()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_values_with_one_key_give_one_result(text: str) -> None:
    expression = _BUILT[text]

    @FEW
    @given(VALUES, VALUES, VALUES)
    def alike(a: Value, other: Value, b: Value) -> None:
        assume(key(a) == key(other))
        one, same = expression.run(a=a, b=b), expression.run(a=other, b=b)
        assert below(one.value, same.value) and below(same.value, one.value)
        assert one.reported == same.reported

    alike()


def test_the_order_tells_values_apart() -> None:
    known, loose = join(NONE, NONE), Unknown("")

    assert below(known, loose) and not below(loose, known)

"""Why tracing does not reach a statement."""

from __future__ import annotations

import pytest
from silences import of, reasons

BRANCHES = {
    "if": (
        "    if x is None:\n        return 0\n    return x\n",
        6,
        "branch",
        "`x is None` is always false",
    ),
    "else": (
        "    if x is not None:\n        return x\n    return 0\n",
        8,
        "behind",
        "no path goes on",
    ),
    "elif": (
        "    if x is None:\n        return 0\n    elif x.ndim < 0:\n        return 1\n"
        "    return x\n",
        6,
        "branch",
        "`x is None` is always false",
    ),
    "return": ("    return x\n    return 2\n", 7, "behind", "behind a `return`"),
    "for": ("    for y in []:\n        x = y\n    return x\n", 7, "loop", "`[]` is empty"),
    "while": (
        "    while x is None:\n        x = 1\n    return x\n",
        7,
        "branch",
        "`x is None` is always false",
    ),
    "case": (
        "    match 3:\n        case 'a':\n            return 1\n    return x\n",
        8,
        "branch",
        "no such case of `3` is possible",
    ),
    "nested": (
        "    if x is None:\n        y = 1\n        if y:\n            return y\n    return x\n",
        9,
        "branch",
        "`x is None` is always false",
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_statements_that_no_run_comes_to_have_a_reason(name: str) -> None:
    body, line, kind, text = BRANCHES[name]
    found = of("@jax.jit\ndef step(x):\n" + body)
    line = line if name not in ("if", "elif") else 7
    reason = found.reason("model.py", line)
    assert reason is not None
    assert reason.kind == kind
    assert text in reason.text
    assert found.reason("model.py", 6) is None


def test_an_elif_that_is_come_to_decides_by_itself() -> None:
    body = "    if n.flag:\n        return 0\n    elif x is None:\n        return 1\n    return x\n"
    found = of("@jax.jit\ndef step(x, n):\n" + body)
    reason = found.reason("model.py", 9)
    assert reason is not None
    assert reason.root.place is not None
    assert reason.root.place.line == 8
    assert "`x is None` is always false" in reason.text


def test_a_function_that_only_such_a_statement_calls_has_its_reason() -> None:
    source = (
        "def helper(x):\n    return x\n\n"
        "@jax.jit\ndef step(x):\n    if x is None:\n        return helper(x)\n    return x\n"
    )
    found = of(source)
    reason = reasons(found)["helper"]
    assert reason.kind == "branch"
    assert reason == found.reason("model.py", 10)
    assert [(len(one.functions), len(one.statements)) for one in found.groups()] == [(1, 1)]


def test_lines_between_those_of_a_statement_belong_to_it() -> None:
    body = "    if x is None:\n        x = (\n            1\n        )\n    return x\n"
    source = "@jax.jit\ndef step(\n    x,\n):\n" + body
    found = of(source)
    inside = found.reason("model.py", 10)
    assert inside is not None
    assert inside == found.reason("model.py", 9)

"""Observes the functions of JAX that take functions."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from knowledge_bodies import BODIES, Given, Use, bodies_of
from knowledge_probe import FAILED, POSITIONAL, structure
from knowledge_public import public_callables

Seen = list[tuple[bool, bool]]


def run(function: Any, use: Use) -> tuple[Any, dict[int, Seen]]:
    """What a call outside of any trace gives, and what the bodies saw."""
    given = Given(use)
    try:
        return given.run(function), given.seen
    except Exception:
        return FAILED, given.seen


def run_staged(function: Any, use: Use) -> tuple[Any, dict[int, Seen]]:
    """The same in staged code, where the arrays of floats are tracers."""
    parts = (use.arguments, use.keywords, use.then)
    leaves, tree = jax.tree.flatten(parts, is_leaf=lambda leaf: leaf is None)
    arrays = [isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype == np.float32
              for leaf in leaves]  # fmt: skip
    out: list[Any] = [FAILED]
    seen: dict[int, Seen] = {}

    def body(traced: list[Any]) -> None:
        tracers = iter(traced)
        filled = [next(tracers) if array else leaf
                  for leaf, array in zip(leaves, arrays, strict=True)]  # fmt: skip
        arguments, keywords, then = jax.tree.unflatten(tree, filled)
        given = Given(replace(use, arguments=arguments, keywords=keywords, then=then))
        seen.update(given.seen)
        given.seen = seen
        out[0] = given.run(function)

    try:
        jax.make_jaxpr(body)([leaf for leaf, array in zip(leaves, arrays, strict=True) if array])
    except Exception:
        out[0] = FAILED
    return out[0], seen


def sees(outside: Seen, staged: Seen) -> str:
    """What a function is called with, in one word.

    "staged" (tracers, and what it makes itself is traced), "traced" (tracers, nothing staged),
    "plain" (the arguments as they are) or "host" (values, when the program runs).
    """
    if not outside and not staged:
        return ""
    if any(traced for traced, _ in outside):
        return "staged" if all(made for _, made in outside) else "traced"
    return "plain" if not outside or any(traced for traced, _ in staged) else "host"


def row(function: Any, use: Use) -> tuple[Any, ...] | None:
    """What a function gives, its parameters, and what the functions among them see."""
    result, outside = run(function, use)
    within, staged = run_staged(function, use)
    if result is FAILED and within is FAILED:
        return None
    usual = within if result is FAILED or not callable(result) else result
    gives = "function" if callable(usual) else structure(usual) if usual is not FAILED else ""
    views = {
        name: word
        for name, body in bodies_of(function, use).items()
        if (word := sees(outside.get(id(body), []), staged.get(id(body), [])))
    }
    parameters = inspect.signature(function).parameters.values()
    names = " ".join(p.name for p in parameters)
    return gives, names, sum(p.kind in POSITIONAL for p in parameters), views


def rows(unknown: list[str]) -> dict[str, tuple[Any, ...]]:
    """The rows of all functions that take functions."""
    table = {}
    for dotted, function in public_callables().items():
        if dotted in BODIES:
            found = row(function, BODIES[dotted])
            if found is None:
                unknown.append(dotted)
            else:
                table[dotted] = found
    return table

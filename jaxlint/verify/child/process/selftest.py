"""Checks that the explorer understands this JAX: tiny functions with known sites.

If one is judged otherwise, no verdict of this process can be trusted.
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.explore import explore
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.sites import Found

_SOURCE = """\
import numpy as np
import jax, jax.numpy as jnp
def branch(x, n, v):
    if x > 0:
        return float(x)
    return int(n)
def hidden(x, n, v):
    y = np.sin(v)
    while n > 3:
        n = fewer(n)
    return jnp.arange(n), y
def handled(x, n, v):
    try:
        return int(n)
    except TypeError:
        return jnp.zeros((n, 2))
def loops(x, n, v):
    def body(carry, row):
        return carry, row if row > 0 else -row
    return jax.lax.scan(body, x, v), [1, 2, 3][n]
def indices(x, n, v):
    return v[v > 0], v[:n], v.at[v > 0].add(1.0), x.item()
def clean(x, n, v):
    y = jnp.where(x > 0, x, -x) + v[n]
    return y if v.ndim == 1 and y is not None else x
def fewer(n, steps=iter(range(1000))):
    next(steps)
    return n - 1
"""
"""The steps of the loop are counted: where every tracer counts as true, it has no other end."""

_SITES = {
    "branch": ["4 bool", "5 float", "6 int"],
    "hidden": ["11 shape", "8 array", "9 bool"],
    "handled": ["14 int guarded", "16 shape"],
    "loops": ["19 bool", "20 index"],
    "indices": ["22 item", "22 mask", "22 mask", "22 slice"],
    "clean": [],
}
_FIRST = {"branch": (4, 7, 12), "hidden": (8, 8, 17), "loops": (19, 29, 36)}


def selftest() -> str:
    """Empty if exploring works on this JAX, else what differs."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "known_sites.py")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(_SOURCE)
        namespace: dict[str, Any] = {"__name__": "known_sites"}
        exec(compile(_SOURCE, path, "exec"), namespace)
        differences = [_staging()]
        files = UserFiles([path])
        for name, expected in _SITES.items():
            differences.append(_compare(name, _explored(namespace[name], files), expected))
    return "; ".join(text for text in differences if text)


def _staging() -> str:
    answers = [internals.staged()]

    def ask(x: Any) -> Any:
        answers.append(internals.staged())
        return x

    program = jax.make_jaxpr(ask)(_scalar("float32"))
    if answers != [False, True] or program.jaxpr.eqns:
        return f"staging is not told apart: {answers}"
    return ""


def _scalar(dtype: str, *shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def _explored(function: Callable[..., object], files: UserFiles) -> Found:
    def stage() -> object:
        @functools.wraps(function)
        def fresh(*args: Any) -> Any:
            return function(*args)

        return jax.make_jaxpr(fresh)(_scalar("float32"), _scalar("int32"), _scalar("float32", 3))

    return explore(stage, files)


def _compare(name: str, found: Found, expected: list[str]) -> str:
    precise = sys.version_info >= (3, 11)
    seen = [
        f"{site.place.line} {site.kind}" + (" guarded" if sighting.guarded else "")
        for site, sighting in found.sites.items()
    ]
    wanted = expected if precise else sorted(set(expected))
    if sorted(seen) != sorted(wanted) or found.exhausted:
        ending = f" (last run: {found.endings[-1]})" if found.endings and found.endings[-1] else ""
        return f"{name} has sites {sorted(seen)}, expected {sorted(wanted)}{ending}"
    first = _FIRST.get(name)
    if first is None:
        return ""
    place = found.first.place if found.first else None
    where = (place.line, place.column, place.end_column) if place else None
    if where != (first if precise else (first[0], None, None)):
        return f"{name} stops first at {where}, expected {first}"
    return ""

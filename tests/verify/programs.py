"""Random modules that mix JAX, NumPy and Python, to put the explorer to the test.

The generator knows the shape of every value, so that programs run, and never whether a value is
traced: only JAX decides that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

HEADER = """\
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

SCALE = 1.5
TABLE = np.array([0.5, -1.0, 2.0, 3.0])
CONSTANT = jnp.array([1.0, -2.0, 0.5])
HISTORY = []


def record(value):
    HISTORY.append(1)
    return value
"""

SHAPES: dict[str, tuple[str, tuple[int, ...]]] = {
    "f": ("float32", ()),
    "i": ("int32", ()),
    "b": ("bool", ()),
    "v": ("float32", (3,)),
    "m": ("bool", (3,)),
}
"""Kinds of values: float, int and bool scalars, a vector, a mask."""


@dataclass(frozen=True)
class Program:
    """A module with a function `step`, and its arguments: a kind, or a static value."""

    seed: int
    source: str
    arguments: tuple[tuple[str, Any], ...]


def programs(count: int, seed: int = 0) -> Iterator[Program]:
    """Programs for consecutive seeds."""
    for number in range(seed, seed + count):
        yield generate(number)


def generate(seed: int) -> Program:
    """The program of a seed."""
    return _Writer(random.Random(seed)).program(seed)


@dataclass
class _Scope:
    """Names in reach, by kind. Functions have a kind of result."""

    values: dict[str, list[str]]
    functions: dict[str, list[str]] = field(default_factory=dict)

    def copy(self) -> _Scope:
        return _Scope(
            {kind: list(names) for kind, names in self.values.items()},
            {kind: list(names) for kind, names in self.functions.items()},
        )


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.numbers = 0

    def program(self, seed: int) -> Program:
        scope = _Scope({"f": ["SCALE"], "v": ["TABLE[:3]", "CONSTANT"]})
        self.lines = HEADER.splitlines()
        for _ in range(self.rng.randint(1, 3)):
            self.helper(scope)
        arguments = self.arguments()
        for name, kind in arguments:
            if kind in SHAPES:
                scope.values.setdefault(kind, []).append(name)
        scope.values.setdefault("i", []).append("size")
        scope.values.setdefault("b", []).append("flag")
        if ("params", "dict") in arguments:
            scope.values["f"].append("params['a']")
            scope.values["v"].append("params['b']")
        self.emit(0, "", "", f"def step({', '.join(name for name, _ in arguments)}):")
        self.block(1, scope, depth=0, count=self.rng.randint(3, 7))
        self.emit(1, f"return {self.value('f', scope, 2)}, {self.value('v', scope, 1)}")
        return Program(seed, "\n".join(self.lines) + "\n", tuple(arguments))

    def arguments(self) -> list[tuple[str, Any]]:
        chosen: list[tuple[str, Any]] = [("x", "f"), ("n", "i"), ("v", "v")]
        if self.rng.random() < 0.5:
            chosen.append(("y", "f"))
        if self.rng.random() < 0.4:
            chosen.append(("mask", "m"))
        if self.rng.random() < 0.4:
            chosen.append(("params", "dict"))
        chosen.append(("size", self.rng.choice([1, 2, 3])))
        chosen.append(("flag", self.rng.choice([True, False])))
        chosen.append(("mode", self.rng.choice(["'fast'", "'slow'"])))
        chosen.append(("extra", self.rng.choice([None, "f"])))
        return chosen

    def emit(self, indent: int, *lines: str) -> None:
        self.lines += [("    " * indent + line) if line else "" for line in lines]

    def name(self, prefix: str = "t") -> str:
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    def helper(self, scope: _Scope) -> None:
        name, kind = self.name("helper"), self.rng.choice("ffiv")
        inner = scope.copy()
        inner.values.setdefault("f", []).append("p")
        inner.values.setdefault("v", []).append("q")
        self.emit(0, "", "", f"def {name}(p, q):")
        self.block(1, inner, depth=1, count=self.rng.randint(1, 3))
        self.emit(1, f"return {self.value(kind, inner, 2)}")
        scope.functions.setdefault(kind, []).append(name)

    def block(self, indent: int, scope: _Scope, depth: int, count: int) -> None:
        for _ in range(count):
            weights = [8, 5, 2, 2, 1, 1, 2, 2, 1, 1]
            makers: list[Callable[[int, _Scope, int], None]] = [
                self.assign,
                self.branch,
                self.repeat,
                self.loop,
                self.check,
                self.effect,
                self.closure,
                self.scan,
                self.attempt,
                self.fori,
            ]
            if depth >= 2:
                makers, weights = makers[:1], weights[:1]
            self.rng.choices(makers, weights)[0](indent, scope, depth)

    def assign(self, indent: int, scope: _Scope, depth: int) -> None:
        kind = self.rng.choice("fffiivvbm")
        existing = [name for name in scope.values.get(kind, []) if name.isidentifier()]
        rebound = [name for name in existing if name[0] == "t"]
        text = self.value(kind, scope, 3)
        if rebound and self.rng.random() < 0.3:
            self.emit(indent, f"{self.rng.choice(rebound)} = {text}")
            return
        name = self.name()
        self.emit(indent, f"{name} = {text}")
        scope.values.setdefault(kind, []).append(name)

    def branch(self, indent: int, scope: _Scope, depth: int) -> None:
        name, kind = self.name(), self.rng.choice("ffiv")
        inner = scope.copy()
        self.emit(indent, f"if {self.test(scope)}:")
        self.block(indent + 1, inner, depth + 1, self.rng.randint(0, 2))
        self.emit(indent + 1, f"{name} = {self.value(kind, inner, 2)}")
        inner = scope.copy()
        if self.rng.random() < 0.3:
            self.emit(indent, f"elif {self.test(scope)}:")
            self.emit(indent + 1, f"{name} = {self.value(kind, inner, 2)}")
        self.emit(indent, "else:")
        self.block(indent + 1, inner, depth + 1, self.rng.randint(0, 1))
        self.emit(indent + 1, f"{name} = {self.value(kind, inner, 2)}")
        scope.values.setdefault(kind, []).append(name)

    def repeat(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.name()
        self.emit(indent, f"{name} = {self.value('f', scope, 1)}")
        near = [name for name in scope.values["f"] if name in ("p", "x", "carry", "c")]
        bound = self.rng.choice(["3.0", "SCALE", *near])
        self.emit(indent, f"while {name} < {bound} + 1:")
        self.block(indent + 1, scope.copy(), depth + 1, self.rng.randint(0, 1))
        self.emit(indent + 1, f"{name} = {name} + {self.rng.choice(['1.0', 'abs(SCALE)'])}")
        scope.values["f"].append(name)

    def loop(self, indent: int, scope: _Scope, depth: int) -> None:
        name, total = self.name("k"), self.name()
        inner = scope.copy()
        self.emit(indent, f"{total} = {self.value('f', scope, 1)}")
        number = self.value("i", scope, 0)
        source, kind = self.rng.choice(
            [(f"range({number})", "i"), ("range(2)", "i"), (self.value("v", scope, 0), "f")]
        )
        self.emit(indent, f"for {name} in {source}:")
        inner.values.setdefault(kind, []).append(name)
        self.block(indent + 1, inner, depth + 1, self.rng.randint(0, 2))
        self.emit(indent + 1, f"{total} = {total} + {self.value('f', inner, 1)}")
        scope.values["f"].append(total)

    def check(self, indent: int, scope: _Scope, depth: int) -> None:
        self.emit(indent, f"assert {self.test(scope)} or True")

    def effect(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.plain(scope)
        forms = [f"HISTORY.append(f'{{{name}:.2f}}')", f"record({self.value('f', scope, 1)})"]
        self.emit(indent, self.rng.choice(forms))

    def closure(self, indent: int, scope: _Scope, depth: int) -> None:
        name, kind = self.name("inner"), self.rng.choice("fv")
        inner = scope.copy()
        inner.values["f"].append("p")
        inner.values["v"].append("q")
        if self.rng.random() < 0.5:
            self.emit(indent, f"{name} = lambda p, q: {self.value(kind, inner, 2)}")
        else:
            if self.rng.random() < 0.3:
                self.emit(indent, "@jax.jit")
            self.emit(indent, f"def {name}(p, q):")
            self.block(indent + 1, inner, depth + 1, self.rng.randint(0, 2))
            self.emit(indent + 1, f"return {self.value(kind, inner, 2)}")
        scope.functions.setdefault(kind, []).append(name)

    def scan(self, indent: int, scope: _Scope, depth: int) -> None:
        name, body = self.name(), self.name("body")
        inner = scope.copy()
        inner.values["f"] += ["carry", "row"]
        self.emit(indent, f"def {body}(carry, row):")
        self.block(indent + 1, inner, depth + 1, self.rng.randint(0, 2))
        after = self.value("f", inner, 1)
        self.emit(indent + 1, f"return jnp.float32({after}), jnp.float32(row) + carry")
        start, rows = self.value("f", scope, 0), self.value("v", scope, 0)
        self.emit(indent, f"_, {name} = jax.lax.scan({body}, jnp.float32({start}), {rows})")
        scope.values["v"].append(name)

    def fori(self, indent: int, scope: _Scope, depth: int) -> None:
        name = self.name()
        inner = scope.copy()
        inner.values["f"].append("c")
        inner.values.setdefault("i", []).append("k")
        body = f"lambda k, c: jnp.float32({self.value('f', inner, 1)})"
        self.emit(indent, f"{name} = jax.lax.fori_loop(0, 3, {body}, jnp.float32(0.0))")
        scope.values["f"].append(name)

    def attempt(self, indent: int, scope: _Scope, depth: int) -> None:
        name, kind = self.name(), self.rng.choice("fi")
        caught = self.rng.choice(["TypeError", "Exception", "ValueError"])
        self.emit(indent, "try:")
        self.emit(indent + 1, f"{name} = {self.value(kind, scope, 2)}")
        self.emit(indent, f"except {caught}:")
        self.emit(indent + 1, f"{name} = {self.value(kind, scope, 1)}")
        scope.values.setdefault(kind, []).append(name)

    def plain(self, scope: _Scope) -> str:
        """The name of a float: before Python 3.12 an f-string holds no quotes of its own kind."""
        return self.rng.choice([name for name in scope.values["f"] if name.isidentifier()])

    def test(self, scope: _Scope) -> str:
        f, i, v = (self.value(kind, scope, 1) for kind in "fiv")
        forms = [
            f"{f} > {self.value('f', scope, 1)}",
            f"{f} > 0 and {i} > 1",
            f"{f} < 0 or {self.value('b', scope, 1)}",
            f"not {f} > 1",
            f"0 < {f} < 2",
            f"{i} in (1, 2)",
            f"{i} in {{1, 2}}",
            f"jnp.any({v} > 0)",
            f"any(e > 0 for e in {v})",
            f"{i} == 2",
            f"flag and {f} > 0" if "flag" in scope.values.get("b", []) else f"{f} > 3",
            "mode == 'fast'" if "flag" in scope.values.get("b", []) else f"{v}.ndim == 1",
            "extra is None" if "flag" in scope.values.get("b", []) else f"{i} > 0",
            self.value("b", scope, 1),
        ]
        return self.rng.choice(forms)

    def value(self, kind: str, scope: _Scope, depth: int) -> str:
        names = scope.values.get(kind, [])
        if depth <= 0 or (names and self.rng.random() < 0.25):
            return self.rng.choice([*names, *([] if names and depth else LITERALS[kind])])
        functions = scope.functions.get(kind, [])
        if functions and self.rng.random() < 0.2:
            f, v = self.value("f", scope, depth - 1), self.value("v", scope, depth - 1)
            return f"{self.rng.choice(functions)}({f}, {v})"
        form = self.rng.choice(FORMS[kind])
        parts = {
            letter + number: self.value(letter, scope, depth - 1)
            for letter in SHAPES
            for number in ("", "2")
            if "{" + letter + number + "}" in form
        }
        parts["name"] = self.plain(scope)
        if "{test}" in form:
            parts["test"] = self.test(scope)
        return form.format(**parts)


LITERALS = {
    "f": ["0.5", "2.0", "SCALE"],
    "i": ["1", "2"],
    "b": ["True", "False"],
    "v": ["CONSTANT", "np.ones(3)", "jnp.arange(3.0)"],
    "m": ["np.array([True, False, True])", "(CONSTANT > 0)"],
}

FORMS = {
    "f": [
        "({f} + {f2})",
        "({f} * {f2})",
        "({f} - 1)",
        "abs({f})",
        "jnp.sin({f})",
        "jnp.sum({v})",
        "{v}.mean()",
        "{v}[0]",
        "{v}[{i}]",
        "{v}[:{i}].sum()",
        "{v}[{m}].sum()",
        "jnp.asarray({v})[{v2} > 0].sum()",
        "float({f})",
        "math.exp({f})",
        "np.cos({f})",
        "np.sum({v})",
        "max({f}, {f2})",
        "min({v})",
        "sorted([{f}, {f2}])[0]",
        "jnp.asarray({f}).item()",
        "({f} if {test} else {f2})",
        "jnp.where({b}, {f}, {f2})",
        "jnp.zeros(({i} % 3 + 1, 2)).sum()",
        "jnp.arange({i}).sum()",
        "jnp.repeat({v}, {i}).sum()",
        "jnp.nonzero({v})[0].sum()",
        "jnp.unique({v})[0]",
        "TABLE[{i}]",
        "[0.5, 1.5, {f}][{i} % 3]",
        "len(f'{{{name}:.1f}}')",
        "float(jnp.asarray({v}).tolist()[0])",
        "jnp.asarray({v}).at[{m}].add(1.0).sum()",
        "jnp.asarray({v}).at[0].set({f})[0]",
        "{{1: 0.5}}.get({i}, {f})",
        "sum({v})",
        "jnp.reshape({v}, (-1,))[{i} % 3]",
        "jax.lax.cond({b}, lambda w: w + 1.0, lambda w: w * 1.0, jnp.float32({f}))",
        "jax.grad(lambda w: jnp.sum(w * {v}))(jnp.float32({f}))",
        "(lambda w: w + {f2})({f})",
    ],
    "i": [
        "({i} + 1)",
        "({i} * {i2})",
        "abs({i})",
        "int({f})",
        "int({i})",
        "len({v})",
        "{v}.shape[0]",
        "jnp.argmax({v})",
        "round({f})",
        "({i} if {test} else {i2})",
        "math.floor({f})",
        "np.argmax({v})",
    ],
    "b": [
        "({f} > {f2})",
        "({i} == {i2})",
        "bool({f})",
        "jnp.any({m})",
        "jnp.isfinite({f})",
        "np.any({v})",
        "all(e > 0 for e in {v})",
        "isinstance({f}, float)",
    ],
    "v": [
        "({v} + {v2})",
        "({v} * {f})",
        "jnp.sin({v})",
        "jnp.where({m}, {v}, {v2})",
        "np.tanh({v})",
        "np.array([{f}, {f2}, 1.0])",
        "jnp.stack([{f}, {f2}, 1.0])",
        "jnp.clip({v}, 0.0, {f})",
        "jax.vmap(lambda e: e * {f})(jnp.asarray({v}))",
        "jax.vmap(lambda e: e if e > 0 else -e)(jnp.asarray({v}))",
        "jnp.asarray([e * 2 for e in {v}])",
        "jnp.asarray([e if e > 0 else 0.0 for e in {v}])",
        "jnp.cumsum({v})",
        "jnp.asarray({v}).at[{i} % 3].set({f})",
        "jnp.linspace(0.0, {f}, 3)",
        "np.concatenate([{v}[:1], {v2}[1:]])",
        "jnp.concatenate([{v}[:1], {v2}[1:]])",
    ],
    "m": [
        "({v} > {f})",
        "({v} > 0)",
        "jnp.isfinite({v})",
        "np.isfinite({v})",
    ],
}

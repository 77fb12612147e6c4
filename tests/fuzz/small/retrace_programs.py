"""Modules that jit functions in loops, calls, methods and factories."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from small.truth import Specimen, assemble

_HEADER = """\
import functools
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

signal = jnp.array([1.0, -2.0, 0.5])
signals = [signal, signal + 1.0]


def energy(x):  #@ body energy
    return jnp.sum(x * x)


def scaled(factor, x):  #@ body scaled
    return factor * x


class Model:
    def __init__(self, rate):
        self.rate = rate
        self.fast_loss = jax.jit(self.loss)
        self.step = None

    def loss(self, x):  #@ body loss
        return jnp.sum(x) * self.rate

    @staticmethod
    def norm(x):  #@ body norm
        return jnp.sqrt(jnp.sum(x * x))

    @classmethod
    def size(cls, x):  #@ body size
        return jnp.sum(jnp.abs(x))


model = Model(0.5)
compiled = {}
""".splitlines()

# `{f}` is the function's name, `{x}` an array. Lines that jit say whose body they compile.
_JITTED = {
    "lambda": (
        "jax.jit(lambda v: v * 2.0)({x})  #@ lambda {u}",
        "jax.jit(lambda v, w=1.0: jnp.tanh(v) * w)({x})  #@ lambda {u}",
        "lax.map(jax.jit(lambda v: v + 1.0), {x})  #@ lambda {u}",
    ),
    "partial": (
        "jax.jit(partial(scaled, 2.0))({x})  #@ jits scaled",
        "jax.jit(functools.partial(scaled, factor=2.0))(x={x})  #@ jits scaled",
        "partial(jax.jit(scaled), 2.0)({x})  #@ jits scaled",
    ),
    "method": (
        "jax.jit(model.loss)({x})  #@ jits loss",
        "jax.jit(Model.norm)({x})  #@ jits norm",
        "jax.jit(model.norm)({x})  #@ jits norm",
        "jax.jit(Model.size)({x})  #@ jits size",
        "model.fast_loss({x})",
    ),
    "transform": (
        "jax.jit(jax.grad(energy))({x})  #@ jits energy",
        "jax.jit(jax.vmap(energy))({x}[None])  #@ jits energy",
        "jax.jit(jax.value_and_grad(energy))({x})  #@ jits energy",
        "jax.grad(jax.jit(energy))({x})  #@ jits energy",
        "jax.vmap(jax.jit(energy))({x}[None])  #@ jits energy",
        "jax.jit(jax.checkpoint(energy))({x})  #@ jits energy",
    ),
    "function": (
        "jax.jit(energy)({x})  #@ jits energy",
        "jax.jit(jnp.tanh)({x})",
        "partial(jax.jit, donate_argnums=())(energy)({x})  #@ jits energy",
    ),
}
_NAMES = ["predict", "evaluate", "apply_all", "rotate", "project", "blend", "relax"]


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.definitions: list[str] = []
        self.uses: list[str] = []
        self._used: Counter[str] = Counter()

    def name(self, pool: Iterable[str]) -> str:
        base = self.rng.choice(list(pool))
        self._used[base] += 1
        return base if self._used[base] == 1 else f"{base}_{self._used[base]}"

    def jitted(self, x: str) -> tuple[str, str]:
        """An expression that compiles and calls something, and the mark of its line."""
        kind = self.rng.choice(sorted(_JITTED))
        text = self.rng.choice(_JITTED[kind]).format(x=x, u=self.name(["site"]))
        expression, _, mark = text.partition("  #@ ")
        return expression, f"  #@ {mark}" if mark else ""

    def use(self, line: str) -> None:
        self.uses += [f"{line}  #@ use module"]


def generate(seed: int) -> Specimen:
    return write(random.Random(seed), seed)


def write(rng: random.Random, seed: int = 0) -> Specimen:
    writer = _Writer(rng)
    for _ in range(rng.randint(1, 3)):
        rng.choice(_SCENES)(writer)
    return assemble(seed, [*_HEADER, "", *writer.definitions, *writer.uses])


def _in_function(writer: _Writer) -> None:
    name, (made, mark) = writer.name(_NAMES), writer.jitted("x")
    writer.definitions += [f"def {name}(x):", f"    return {made}{mark}", ""]
    _use(writer, name)


def _use(writer: _Writer, name: str) -> None:
    if writer.rng.random() < 0.5:
        writer.use(f"[{name}(each) for each in signals]")
    else:
        writer.use(f"for each in signals:\n    {name}(each)".split("\n")[0])
        writer.uses.append(f"    {name}(each)")


def _in_loop(writer: _Writer) -> None:
    made, mark = writer.jitted("each")
    if writer.rng.random() < 0.3:
        writer.use("for each in signals:")
        writer.uses.append(f"    {made}{mark}")
        return
    name = writer.name(_NAMES)
    inner = writer.rng.choice(
        (
            ["done = []", "for each in xs:", f"    done.append({made}){mark}", "return done"],
            [f"return [{made} for each in xs]{mark}"],
            ["each = xs[0]", "for _ in range(2):", f"    last = {made}{mark}", "return last"],
            [
                "each, n = xs[0], 0",
                "while n < 2:",
                "    n += 1",
                f"    last = {made}{mark}",
                "return last",
            ],
        )
    )
    writer.definitions += [f"def {name}(xs):", *(f"    {line}" for line in inner), ""]
    writer.use(f"{name}(signals)")


def _in_two_steps(writer: _Writer) -> None:
    """The function that is jitted has a name of its own first."""
    name, site = writer.name(_NAMES), writer.name(["site"])
    bound, target = writer.rng.choice(
        (
            (f"f = lambda v: v * 2.0  #@ body {site}", site),
            ("f = partial(scaled, 2.0)", "scaled"),
            ("f = model.loss", "loss"),
            ("f = jax.grad(energy)", "energy"),
            ("f = energy", "energy"),
        )
    )
    writer.definitions += [
        f"def {name}(x):",
        f"    {bound}",
        f"    fast = jax.jit(f)  #@ jits {target}",
        "    return fast(x)",
        "",
    ]
    _use(writer, name)


def _local_function(writer: _Writer) -> None:
    name, inner = writer.name(_NAMES), writer.name(["step", "inner", "one"])
    defined = [f"def {inner}(v):  #@ body {inner}", "    return v * 0.5 + offset"]
    decorated = [
        "@jax.jit",
        f"def {inner}(v):  #@ decorated {inner}",
        "    return v * 0.5 + offset",
    ]
    lines = writer.rng.choice(
        (
            [*decorated, f"return {inner}(x)"],
            [*decorated, "for _ in range(3):", f"    x = {inner}(x)", "return x"],
            [*defined, f"return jax.jit({inner})(x)  #@ jits {inner}"],
            [*defined, f"fast = jax.jit({inner})  #@ jits {inner}", "return fast(x) + fast(x)"],
            [
                "for _ in range(2):",
                *(f"    {d}" for d in [*decorated, f"x = {inner}(x)"]),
                "return x",
            ],
        )
    )
    writer.definitions += [
        f"def {name}(x):",
        "    offset = 1.0",
        *(f"    {line}" for line in lines),
        "",
    ]
    _use(writer, name)


def _factory(writer: _Writer) -> None:
    made, u = writer.name(["make_step", "build_filter", "new_head"]), writer.name(["site"])
    cached = writer.rng.choice(
        ([], [], ["@functools.lru_cache(maxsize=None)"], ["@functools.cache"])
    )
    body = writer.rng.choice(
        (
            [f"return jax.jit(lambda v: v * rate)  #@ lambda {u}"],
            [
                "@jax.jit",
                f"def step(v):  #@ decorated {u}",
                "    return v * rate",
                "",
                "return step",
            ],
        )
    )
    writer.definitions += [*cached, f"def {made}(rate):", *(f"    {line}" for line in body), ""]
    if writer.rng.random() < 0.6:
        kept = writer.name(["decay", "head", "smooth"])
        writer.definitions.append(f"{kept} = {made}(0.5)")
        _use(writer, kept)
    else:
        writer.use(f"[{made}(0.5)(each) for each in signals]")


def _memo(writer: _Writer) -> None:
    name, u = writer.name(_NAMES), writer.name(["site"])
    lines = writer.rng.choice(
        (
            [
                f"if {name!r} not in compiled:",
                f"    compiled[{name!r}] = jax.jit(lambda v: v * 2.0)  #@ lambda {u}",
                f"return compiled[{name!r}](x)",
            ],
            [
                "if model.step is None:",
                f"    model.step = jax.jit(lambda v: v * 2.0)  #@ lambda {u}",
                "return model.step(x)",
            ],
            [
                f"fast = compiled.get({name!r})",
                "if fast is None:",
                f"    fast = jax.jit(lambda v: v * 2.0)  #@ lambda {u}",
                f"    compiled[{name!r}] = fast",
                "return fast(x)",
            ],
        )
    )
    writer.definitions += [f"def {name}(x):", *(f"    {line}" for line in lines), ""]
    _use(writer, name)


def _in_trace(writer: _Writer) -> None:
    """What is jitted in traced code is compiled with it."""
    name, (made, mark) = writer.name(_NAMES), writer.jitted("x")
    inner = [f"y = {made}{mark}", "return x + 1.0"]
    if writer.rng.random() < 0.4:
        inner = ["for _ in range(2):", *(f"    {line}" for line in inner[:1]), inner[1]]
    writer.definitions += ["@jax.jit", f"def {name}(x):", *(f"    {line}" for line in inner), ""]
    _use(writer, name)


def _in_class(writer: _Writer) -> None:
    cls, (made, mark) = writer.name(["Filter", "Policy"]), writer.jitted("x")
    own, own_mark = writer.rng.choice(
        (("jax.jit(self.smooth)(x)", "  #@ jits smooth"), (made, mark), ("self.fast(x)", ""))
    )
    writer.definitions += [
        f"class {cls}:",
        "    def __init__(self):",
        "        self.fast = jax.jit(self.smooth)",
        "",
        "    def smooth(self, x):  #@ body smooth",
        "        return (x + jnp.roll(x, 1)) / 2",
        "",
        "    def __call__(self, x):",
        f"        return {own}{own_mark}",
        "",
        f"{cls.lower()} = {cls}()",
    ]
    _use(writer, cls.lower())


_SCENES = (
    _in_function,
    _in_function,
    _in_loop,
    _in_loop,
    _in_two_steps,
    _local_function,
    _local_function,
    _factory,
    _memo,
    _in_trace,
    _in_class,
)

"""Modules whose compiled functions capture what the host changes between calls."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from small.truth import Specimen, assemble

_IMPORTS = """\
import dataclasses
import functools
import types

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

results = []
start = jnp.array([1.0, -2.0, 0.5])
wide = jnp.ones((2, 3))
""".splitlines()


@dataclass(frozen=True)
class _Thing:
    """Something to capture: `{s}` is its name; `changes` are alternatives."""

    define: str
    read: str
    changes: tuple[str, ...]


_THINGS = (
    _Thing("{s} = 0.5", "{s}", ("{s} = 0.25", "{s} = {s} * 3.0", "{s} += 1.0", "set_{s}(2.5)")),
    _Thing("{s} = jnp.ones(3)", "{s}", ("{s} = jnp.zeros(3)", "{s} = {s} * 2", "set_{s}(4.0)")),
    _Thing("{s} = (0.5, 2.0)", "{s}[0]", ("{s} = (1.5, 2.0)",)),
    _Thing(
        "{s} = {{'rate': 0.5, 'other': 1}}",
        "{s}['rate']",
        (
            "{s}['rate'] = 0.25",
            "{s}['rate'] *= 3.0",
            "{s}.update(rate=2.0)",
            "{s}['other'] = 7",
            "{s} = {{'rate': 4.0}}",
        ),
    ),
    _Thing("{s} = [0.5, 2.0]", "{s}[0]", ("{s}[0] = 3.0", "{s}.reverse()", "{s}.append(1.0)")),
    _Thing("{s} = [0.5, 2.0]", "sum({s})", ("{s}.append(1.0)", "{s}.pop()", "{s}.clear()")),
    _Thing(
        "{s} = np.ones(3)", "{s}", ("{s}[:] = 2.0", "{s}[0] += 1.0", "{s} += 1.0", "{s}.fill(4.0)")
    ),
    _Thing(
        "{s} = types.SimpleNamespace(rate=0.5, other=1)",
        "{s}.rate",
        ("{s}.rate = 0.25", "{s}.other = 3", "setattr({s}, 'rate', 9.0)"),
    ),
    _Thing(
        "class {S}:\n    rate = 0.5\n    other = 1",
        "{S}.rate",
        ("{S}.rate = 0.25", "{S}.rate *= 3.0", "{S}.other = 3"),
    ),
    _Thing(
        "@dataclasses.dataclass\nclass {S}:\n    rate: float = 0.5\n{s} = {S}()",
        "{s}.rate",
        ("{s}.rate = 0.25", "{s}.rate += 1.0", "{s} = {S}(3.0)"),
    ),
    _Thing("{s} = {{'inner': [1.0, 2.0]}}", "{s}['inner'][1]", ("{s}['inner'][1] = 4.0",)),
    _Thing(
        "def {s}(value):\n    return value.sum() * 0.5",
        "{s}({x})",
        ("{s} = lambda value: value.sum()",),
    ),
)
_NOUNS = [
    "rate",
    "gravity",
    "slope",
    "gain",
    "offset",
    "settings",
    "config",
    "target",
    "bias",
    "table",
]
_VERBS = ["update", "relax", "smooth", "advance", "descend", "project", "blend"]
_MATH = ("{x} = jnp.tanh({x})", "{x} = {x} * 0.5 + 1.0", "{x} = jnp.where({x} > 0, {x}, -{x})")


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.setup: list[str] = []
        self.functions: list[str] = []
        self.calls: list[str] = []
        self._used: Counter[str] = Counter()

    def name(self, pool: Iterable[str]) -> str:
        base = self.rng.choice(list(pool))
        self._used[base] += 1
        return base if self._used[base] == 1 else f"{base}_{self._used[base]}"

    def body(self, x: str, read: str, token: str) -> list[str]:
        lines = [f"{x} = {x} * {read} + {x}  #@ read {token}"]
        for _ in range(self.rng.randint(0, 2)):
            place = self.rng.choice((0, len(lines)))
            lines.insert(place, self.rng.choice(_MATH).format(x=x))
        return lines

    def function(self, name: str, params: str, body: list[str], result: str) -> list[str]:
        return [f"def {name}({params}):", *indented([*body, f"return {result}"]), ""]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def generate(seed: int) -> Specimen:
    return write(random.Random(seed), seed)


def write(rng: random.Random, seed: int = 0) -> Specimen:
    writer = _Writer(rng)
    for _ in range(rng.randint(1, 3)):
        rng.choice((_of_module, _of_module, _of_module, _of_self, _of_closure, _of_loop))(writer)
    lines = [*_IMPORTS, *writer.setup, "", *writer.functions, *writer.calls]
    return assemble(seed, lines)


# -- captures of the module ----------------------------------------------------------------


def _of_module(writer: _Writer) -> None:
    rng = writer.rng
    thing, token, x = rng.choice(_THINGS), writer.name(_NOUNS), rng.choice(("x", "state", "batch"))
    names = {"s": token, "S": token.title().replace("_", ""), "x": x}
    writer.setup += thing.define.format(**names).split("\n")
    change = rng.choice(thing.changes).format(**names)
    name = writer.name(_VERBS)
    body = writer.body(x, thing.read.format(**names), token)
    if rng.random() < 0.2:
        writer.functions += writer.function(f"inner_{name}", x, body, x)
        body = [f"{x} = inner_{name}({x})"]
    call = rng.choice(_CONTEXTS)(writer, name, x, body)
    changes = _sequence(writer, call, f"{change}  #@ change {token}")
    if changes and change.startswith("set_"):
        setter = ["def set_{s}(value):", "    global {s}", "    {s} = value", ""]
        writer.functions += [line.format(**names) for line in setter]


def _sequence(writer: _Writer, call: str, changed: str) -> bool:
    """Calls around a change, in orders that matter and others that do not; is it among them?"""
    first, other = ([f"results.append({call.format(given)})"] for given in ("start", "wide"))
    change = [changed]
    lines = writer.rng.choice(
        (
            first + change + first,
            first + change + first,
            first + first + change + first + first,
            change + first + first,
            first + first + change,
            first + first,
            first + change + other,
            first + change + other + first,
            [*first, "jax.clear_caches()", *change, *first],
            [*first, *change, "jax.clear_caches()", *first],
        )
    )
    writer.calls += lines
    return changed in lines


def _decorated(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += ["@jax.jit", *writer.function(name, x, body, x)]
    return f"{name}({{}})"


def _assigned(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += [*writer.function(name, x, body, x), f"fast_{name} = jax.jit({name})", ""]
    return f"fast_{name}({{}})"


def _wrapped_per_call(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    return f"jax.jit({name})({{}})"


def _chained(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    inner = writer.rng.choice((f"jax.vmap({name})", f"jax.checkpoint({name})"))
    outer = writer.rng.choice(("jax.jit({})", "{}", "{}"))
    writer.functions += [f"mapped_{name} = {outer.format(inner)}", ""]
    return f"mapped_{name}({{}})"


def _scanned(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, f"{x}, _", body, f"{x}, None")
    call = f"lax.scan({name}, {{}}, None, length=2)[0]"
    if writer.rng.random() < 0.5:
        return call
    writer.functions += ["@jax.jit", *writer.function(f"all_{name}", x, [], call.format(x))]
    return f"all_{name}({{}})"


def _differentiated(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, f"{x}.sum()")
    outer = writer.rng.choice(("jax.jit(jax.grad({}))", "jax.grad({})", "jax.grad(jax.jit({}))"))
    writer.functions += [f"slope_{name} = {outer.format(name)}", ""]
    return f"slope_{name}({{}})"


def _host(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    return f"{name}({{}})"


def _method(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    cls = writer.name(["Model", "Trainer"])
    writer.functions += [
        f"class {cls}:",
        "    @functools.partial(jax.jit, static_argnums=0)",
        *indented(writer.function(name, f"self, {x}", body, x)),
        f"{cls.lower()} = {cls}()",
        "",
    ]
    return f"{cls.lower()}.{name}({{}})"


_CONTEXTS = (
    _decorated,
    _decorated,
    _assigned,
    _assigned,
    _wrapped_per_call,
    _chained,
    _scanned,
    _differentiated,
    _host,
    _method,
)


# -- captures of objects, closures and loops -----------------------------------------------


def _of_self(writer: _Writer) -> None:
    rng = writer.rng
    cls, name = writer.name(["Planet", "Solver", "Cell"]), writer.name(_VERBS)
    token = writer.name(["weight", "mass", "level"])
    body = writer.body("x", f"self.{token}", token)
    bound = rng.random() < 0.5
    made = [f"self.{token} = 0.5", "self.steps = 0"]
    if bound:
        made.append(f"self.{name} = jax.jit(self._{name})")
    inner, owner = f"_{name}" if bound else name, cls.lower()
    change = rng.choice(
        (
            f"{owner}.{token} = 0.25",
            f"{owner}.{token} += 1.0",
            f"{owner}.set(3.0)",
            f"{owner}.steps = 3",
        )
    )
    changes = _sequence(writer, f"{owner}.{name}({{}})", f"{change}  #@ change {token}")
    setter = writer.function("set", "self, value", [f"self.{token} = value"], "self")
    writer.functions += [
        f"class {cls}:",
        *indented(writer.function("__init__", "self", made[:-1], "None")[:-2]),
        f"        {made[-1]}",
        "",
        *([] if bound else ["    @functools.partial(jax.jit, static_argnums=0)"]),
        *indented(writer.function(inner, "self, x", body, "x")),
        *indented(setter if changes and ".set(" in change else []),
        f"{owner} = {cls}()",
        "",
    ]


def _of_closure(writer: _Writer) -> None:
    rng = writer.rng
    token, name = writer.name(_NOUNS), writer.name(_VERBS)
    change = rng.choice((f"{token} = {token} * 2.0", f"{token} = 4.0", f"{token} += 1.0"))
    order = rng.choice(("after", "before", "loop", "none"))
    body = writer.body("x", token, token)
    jitted = ["@jax.jit", *writer.function(name, "x", body, "x")]
    kept = [f"results.append({name}(start))"]
    changed = [f"{change}  #@ change {token}"]
    inner = {
        "after": [*jitted, *kept, *changed, *kept],
        "before": [*changed, *jitted, *kept, *kept],
        "loop": [*jitted, "for _ in range(3):", *indented([*kept, *changed])],
        "none": [*jitted, *kept, *kept],
    }[order]
    writer.functions += [f"def run_{name}(start):", f"    {token} = 0.5", *indented(inner), ""]
    writer.calls += [f"run_{name}(start)"]


def _of_loop(writer: _Writer) -> None:
    """Functions made in a loop, called at once or later."""
    rng = writer.rng
    token, name = writer.name(["power", "scale", "factor"]), writer.name(["heads", "layers"])
    default = rng.random() < 0.3
    params = f"x, {token}={token}" if default else "x"
    made = f"{name}.append(jax.jit(lambda {params}: x * {token}))  #@ read {token}"
    loop = [f"for {token} in (1.0, 2.0, 3.0):  #@ change {token}", f"    {made}"]
    at_once = ["    results.append({}[-1]({}))".format(name, rng.choice(("start", "wide")))]
    later = [f"for head in {name}:", "    results.append(head(start))"]
    parts = {"once": [*loop, *at_once], "later": [*loop, *later], "both": [*loop, *at_once, *later]}
    writer.calls += [f"{name} = []", *parts[rng.choice(sorted(parts))]]

"""Modules whose functions do things to the host, reached in many ways."""

from __future__ import annotations

import random
from collections import Counter

from small.acts import ACTS, IMPORTS, LOGS, Act
from small.truth import Specimen, assemble

_MATH = (
    "{x} = jnp.tanh({x})",
    "{x} = {x} * 0.5 + 1.0",
    "{x} = jnp.where({x} > 0, {x}, -{x})",
    "{v} = {x} - {x}.mean()",
    "{v} = {x}.shape[0]\n{x} = {x} / {v}",
)
_NOUNS = ["state", "level", "signal", "weights", "batch", "field"]
_STATES = [
    "history",
    "seen",
    "totals",
    "journal",
    "queue",
    "record",
    "stats",
    "buffer",
    "tally",
    "notes",
]
_VERBS = ["update", "relax", "smooth", "advance", "descend", "project", "blend"]
_CLASSES = ["Meter", "Ledger", "Config", "Schedule", "Monitor", "Tracker"]
_LOCALS = ["item", "rows", "value", "part", "scale", "stamp"]


class _Writer:
    """One module: what it has set up, its functions, and its calls."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.setup: list[str] = []
        self.functions: list[str] = []
        self.calls: list[str] = []
        self._used: Counter[str] = Counter()

    def name(self, pool: list[str]) -> str:
        base = self.rng.choice(pool)
        self._used[base] += 1
        return base if self._used[base] == 1 else f"{base}_{self._used[base]}"

    def body(self, x: str, acts: int) -> list[str]:
        """Statements of a function over the array `x`, declarations first."""
        declared: list[str] = []
        lines: list[str] = []
        for _ in range(acts):
            if self.rng.random() < 0.4:
                names = {"x": x, "v": self.name(_LOCALS)}
                lines += self.rng.choice(_MATH).format(**names).split("\n")
            chosen = self.rng.choice(ACTS[self.rng.choice(sorted(ACTS))])
            lines += self._act(chosen, x, declared)
        return [f"global {name}" for name in declared] + lines

    def _act(self, chosen: Act, x: str, declared: list[str]) -> list[str]:
        names = {
            "x": x,
            "s": self.name(_STATES),
            "v": self.name(_LOCALS),
            "X": self.name(_CLASSES),
        }
        self.setup += [line.format(**names) for line in chosen.setup]
        if chosen.declared:
            declared.append(chosen.declared.format(**names))
        lines = [line.format(**names) for line in chosen.lines]
        if len(lines) > 1 or self.rng.random() > 0.15:
            return lines
        blocks = [
            ["for _ in range(2):", f"    {lines[0]}"],
            ["try:", f"    {lines[0]}", "finally:", "    pass"],
        ]
        # A warning about a shape is meant for each trace.
        if chosen not in LOGS:
            blocks.append([f"if {x}.ndim == 1:", f"    {lines[0]}"])
        return self.rng.choice(blocks)

    def function(self, name: str, params: str, body: list[str], result: str) -> list[str]:
        return [f"def {name}({params}):", *indented([*body, f"return {result}"]), ""]

    def lines(self) -> list[str]:
        return [*IMPORTS.splitlines(), "", *self.setup, "", *self.functions, *self.calls]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def write(rng: random.Random, seed: int = 0) -> Specimen:
    writer = _Writer(rng)
    writer.setup += ["results = []", "signal_in = jnp.array([1.0, -2.0, 0.5])"]
    for _ in range(rng.randint(1, 3)):
        _scene(writer)
    return assemble(seed, writer.lines())


def generate(seed: int) -> Specimen:
    return write(random.Random(seed), seed)


# -- how a function comes to be called -----------------------------------------------------


def _scene(writer: _Writer) -> None:
    rng = writer.rng
    x, name = rng.choice(_NOUNS), writer.name(_VERBS)
    body = writer.body(x, rng.randint(1, 3))
    if rng.random() < 0.25:
        body = _behind_helper(writer, x, body)
    call = rng.choice(_CONTEXTS)(writer, name, x, body)
    if rng.random() < 0.5:
        writer.calls += [f"for _ in range({rng.randint(2, 3)}):", f"    {call}"]
    else:
        writer.calls += [call] * rng.randint(2, 3)


def _behind_helper(writer: _Writer, x: str, body: list[str]) -> list[str]:
    helper = writer.name(["apply_step", "inner_part", "helper"])
    writer.functions += writer.function(helper, x, body, x)
    if writer.rng.random() < 0.3:
        writer.calls += [f"results.append({helper}(signal_in))"] * 2
    return [f"{x} = {helper}({x})"]


def _decorated(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += ["@jax.jit", *writer.function(name, x, body, x)]
    return f"results.append({name}(signal_in))"


def _assigned(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    writer.functions += [f"fast_{name} = jax.jit({name})", ""]
    return f"results.append(fast_{name}(signal_in))"


def _static_argument(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions.append('@functools.partial(jax.jit, static_argnames=("rounds",))')
    repeated = ["for _ in range(rounds):", f"    {x} = {x} * 0.5"]
    writer.functions += writer.function(name, f"{x}, rounds=2", [*body, *repeated], x)
    return f"results.append({name}(signal_in, rounds=2))"


def _host(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    return f"results.append({name}(signal_in))"


def _vmapped(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    wrapped = writer.rng.choice(
        (f"jax.vmap({name})", f"jax.jit(jax.vmap({name}))", f"jax.vmap(jax.jit({name}))")
    )
    writer.functions += [f"batched_{name} = {wrapped}", ""]
    return f"results.append(batched_{name}(jnp.ones((2, 3))))"


def _differentiated(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, f"{x}.sum()")
    wrapped = writer.rng.choice(
        (f"jax.grad({name})", f"jax.jit(jax.grad({name}))", f"jax.value_and_grad({name})")
    )
    writer.functions += [f"slope_{name} = {wrapped}", ""]
    return f"results.append(slope_{name}(signal_in))"


def _scanned(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, f"{x}, _", body, f"{x}.astype(jnp.float32), None")
    return f"results.append(lax.scan({name}, signal_in, None, length=2)[0])"


def _looped(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, f"index, {x}", body, f"{x}.astype(jnp.float32)")
    return f"results.append(lax.fori_loop(0, 2, {name}, signal_in))"


def _conditional(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, f"{x}.astype(jnp.float32)")
    call = f"lax.cond({x}.sum() > 0, {name}, lambda other: other, {x})"
    writer.functions += ["@jax.jit", *writer.function(f"maybe_{name}", x, [], call)]
    return f"results.append(maybe_{name}(signal_in + 3.0))"


def _method(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    cls = writer.name(["Trainer", "Model", "Solver"])
    extra = ["self.steps_done += 1"] if writer.rng.random() < 0.4 else []
    writer.functions += [
        f"class {cls}:",
        *indented(["def __init__(self):", "    self.steps_done = 0", ""]),
        *indented(["@functools.partial(jax.jit, static_argnums=0)"]),
        *indented(writer.function(name, f"self, {x}", [*body, *extra], x)),
        f"{cls.lower()} = {cls}()",
        "",
    ]
    return f"results.append({cls.lower()}.{name}(signal_in))"


def _bound_method(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    cls = writer.name(["Agent", "Filter", "Policy"])
    kept = writer.rng.choice((f"self.last = {x}", "self.count = self.count + 1", "self.mode = 1"))
    writer.functions += [
        f"class {cls}:",
        *indented(["def __init__(self):", "    self.last = None", "    self.count = 0"]),
        *indented([f"    self.{name} = jax.jit(self._{name})", ""]),
        *indented(writer.function(f"_{name}", f"self, {x}", [*body, kept], x)),
        f"{cls.lower()} = {cls}()",
        "",
    ]
    return f"results.append({cls.lower()}.{name}(signal_in))"


def _closure(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    jitted = writer.rng.random() < 0.7
    kept = writer.rng.choice(("calls += 1", f"calls = {x}.sum()"))
    inner = ["nonlocal calls", *body, kept, "marks.append(len(marks))"]
    writer.functions += [
        f"def make_{name}():",
        *indented(["calls = 0", "marks = []", ""]),
        *indented(["@jax.jit"] if jitted else []),
        *indented(writer.function(name, x, inner, x)),
        f"    return {name}",
        "",
        f"{name} = make_{name}()",
    ]
    return f"results.append({name}(signal_in))"


def _driven(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    """A function of the host that jits a function of its own and keeps a list."""
    inner = [*body, "losses.append(len(losses))" if writer.rng.random() < 0.5 else "pass"]
    writer.functions += [
        f"def run_{name}(start):",
        *indented(["losses = []", "", "@jax.jit"]),
        *indented(writer.function(name, x, inner, x)),
        *indented(["for _ in range(3):", f"    start = {name}(start)", "    losses.append(0.0)"]),
        "    return start",
        "",
    ]
    return f"results.append(run_{name}(signal_in))"


def _nested(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    """The function is local to a traced one, and so is the list that it changes."""
    inner = [*body, "parts.append(1)", "count += 1"]
    writer.functions += [
        "@jax.jit",
        f"def outer_{name}({x}):",
        *indented(["parts = []", "count = 0", ""]),
        *indented([f"def {name}({x}):", "    nonlocal count"]),
        *indented(indented([*inner, f"return {x}"])),
        *indented(["", f"return {name}({name}({x})) * len(parts)"]),
        "",
    ]
    return f"results.append(outer_{name}(signal_in))"


def _default_list(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    inner = [*body, "kept.append(1)"]
    writer.functions += writer.function(name, f"{x}, kept=[]", inner, x)
    wrapper = writer.function(f"outer_{name}", x, [], f"{name}({x})")
    writer.functions += ["@jax.jit", *wrapper]
    return f"results.append(outer_{name}(signal_in))"


def _called_back(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    shaped = "jax.ShapeDtypeStruct((3,), jnp.float32)"
    result = f"np.asarray({x}, np.float32)"
    writer.functions += writer.function(name, x, body, result)
    call = f"io_callback({name}, {shaped}, {x}, ordered=True)"
    writer.functions += ["@jax.jit", *writer.function(f"outer_{name}", x, [], call)]
    return f"results.append(outer_{name}(signal_in))"


def _stacked(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    inner = writer.rng.choice(("@jax.vmap", "@jax.checkpoint", "@jax.jit"))
    writer.functions += ["@jax.jit", inner, *writer.function(name, x, body, x)]
    return f"results.append({name}(jnp.ones((2, 3))))"


def _lambda(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, x)
    writer.functions += [f"fast_{name} = jax.jit(lambda value: {name}(value) * 2.0)", ""]
    return f"results.append(fast_{name}(signal_in))"


def _partial(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    inner = [*body, "kept.append(len(kept))"]
    writer.functions += writer.function(name, f"kept, {x}", inner, x)
    writer.functions += [f"rows_{name} = []"]
    writer.functions += [f"fast_{name} = jax.jit(functools.partial({name}, rows_{name}))", ""]
    return f"results.append(fast_{name}(signal_in))"


def _while(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    step = [f"turn, {x} = carry", *body]
    writer.functions += writer.function(name, "carry", step, f"turn + 1, {x}.astype(jnp.float32)")
    loop = f"lax.while_loop(lambda carry: carry[0] < 2, {name}, (0, signal_in))"
    return f"results.append({loop}[1])"


def _switched(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    writer.functions += writer.function(name, x, body, f"{x}.astype(jnp.float32)")
    branches = f"[lambda other: other, {name}]"
    return f"results.append(lax.switch(1, {branches}, signal_in))"


def _static_object(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    cls = writer.name(["Options", "Plan"])
    kept = writer.rng.choice(("options.uses += 1", f"options.last = {x}", "uses = options.uses"))
    writer.functions += [f"class {cls}:", "    uses = 0", "    last = None", ""]
    writer.functions.append("@functools.partial(jax.jit, static_argnums=1)")
    writer.functions += writer.function(name, f"{x}, options", [*body, kept], x)
    writer.functions += [f"{cls.lower()} = {cls}()", ""]
    return f"results.append({name}(signal_in, {cls.lower()}))"


def _inherited(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    base, cls = writer.name(["Base", "Module"]), writer.name(["Linear", "Decoder"])
    writer.functions += [
        f"class {base}:",
        "    def __init__(self):",
        "        self.uses = 0",
        f"        self.{name} = jax.jit(self.forward)",
        "",
        f"class {cls}({base}):",
        *indented(writer.function("forward", f"self, {x}", [*body, "self.uses += 1"], x)),
        f"{cls.lower()} = {cls}()",
        "",
    ]
    return f"results.append({cls.lower()}.{name}(signal_in))"


def _callable_object(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    cls = writer.name(["Scorer", "Encoder"])
    kept = writer.rng.choice(("self.uses += 1", "uses = self.uses"))
    writer.functions += [
        f"class {cls}:",
        "    uses = 0",
        "",
        *indented(writer.function("__call__", f"self, {x}", [*body, kept], x)),
        f"fast_{name} = jax.jit({cls}())",
        "",
    ]
    return f"results.append(fast_{name}(signal_in))"


def _argument_dict(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    """What is stored in an argument is stored in a copy of it."""
    inner = [f"{x} = inputs['value']", *body, f"inputs['value'] = {x}", "inputs['turns'] = 1"]
    writer.functions += ["@jax.jit", *writer.function(name, "inputs", inner, "inputs")]
    return f"results.append({name}({{'value': signal_in}})['value'])"


def _staged_only(writer: _Writer, name: str, x: str, body: list[str]) -> str:
    """Traced at each call, whatever else: nothing is compiled."""
    writer.functions += writer.function(name, x, body, x)
    call = writer.rng.choice(("jax.make_jaxpr({})(signal_in)", "jax.eval_shape({}, signal_in)"))
    return f"results.append({call.format(name)})"


_CONTEXTS = (
    _decorated,
    _decorated,
    _assigned,
    _static_argument,
    _host,
    _vmapped,
    _differentiated,
    _scanned,
    _looped,
    _conditional,
    _method,
    _bound_method,
    _closure,
    _driven,
    _nested,
    _default_list,
    _called_back,
    _stacked,
    _lambda,
    _partial,
    _while,
    _switched,
    _static_object,
    _inherited,
    _callable_object,
    _argument_dict,
    _staged_only,
)

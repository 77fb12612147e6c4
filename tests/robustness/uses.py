"""Programs that use what the models know at every place where a value can stand.

A name is an annotation, a field, a base, an argument, a default and a result, under each transform;
then its attributes and methods are used, those that its library knows and others.
"""

from __future__ import annotations

import random
from functools import cache

from vocabulary import ATTRIBUTES, FORMS, LENIENT, members, names, transforms

from jaxlint.engine.transforms.control_flow import IMMEDIATE

# How many names one program uses.
SIZE = 4
HEADER = """
import chex, collections, dataclasses, diffrax, distrax, einops, enum, equinox, flax, functools
import haiku, jax, jaxtyping, lineax, numpy, numpyro, optax, optimistix, typing
import jax.numpy as jnp
from typing import *
class Config:
    size: int = 3
    def __init__(self, size): self.size = size
def own(*args, **options): return args[0] if args else options
"""
BASES = (
    "equinox.Module",
    "flax.linen.Module",
    "flax.nnx.Module",
    "haiku.Module",
    "typing.NamedTuple",
    "object",
    "flax.struct.PyTreeNode",
    "typing.Generic[typing.TypeVar('T')]",
    "enum.Enum",
    "numpyro.distributions.Distribution",
    "flax.training.train_state.TrainState",
)
CLASS_DECORATORS = (
    "",
    "@dataclasses.dataclass",
    "@dataclasses.dataclass(frozen=True)",
    "@flax.struct.dataclass",
    "@chex.dataclass",
    "@jax.tree_util.register_dataclass",
    "@jax.tree_util.register_pytree_node_class",
)
# What can be done with a value `{0}`; `{1}` is another one, and `x` an argument.
USES = (
    "{0}({1}, x)",
    "{0}(x)(x)",
    "{0}(*{1}, **{0})",
    "{0}[0]",
    "{0}[..., None]",
    "{0}['a']",
    "{0}[{1}]",
    "{0}[1:{1}]",
    "y = {0} + {1}",
    "y = -{0}, ~{0}, not {0}",
    "y = {0} < 3, {0} == {1}, {0} is None, {0} in {1}, x not in {0}",
    "y = x @ {0}, 2 ** {0}, {0} << 1",
    "{0} += 1",
    "{0} = {0} * x",
    "{0}.other",
    "{0}.other.more(x)",
    "{0}.other = x",
    "{0}.other += {1}",
    "{0}[0] = x",
    "{0}[0] += {1}",
    "del {0}.other",
    "del {0}[0]",
    "y, *z = {0}",
    "(y, z), w = {0}",
    "y = [e for e in {0}]",
    "y = {{e: x for e in {0}}}",
    "y = sum(e * x for e in {0} if e)",
    "for e in {0}: x = x + e",
    "for e, g in zip({0}, {1}): e(g)",
    "while {0}: x = x + 1",
    "if {0}: x = x + 1",
    "y = x if {0} else {1}",
    "y = {0} and x or {1}",
    "assert {0}, x",
    "with {0} as y: y(x)",
    "with {0}(x): {1}(x)",
    "y = f'{{{0}}} {{{0}!r:>{{x}}}}'",
    "y = '%s' % {0}, '{{}}'.format({0}), str({0}), repr({0})",
    "isinstance({0}, {1}) and isinstance(x, type({0}))",
    "isinstance({0}, (int, {1})) or issubclass({0}, {1})",
    "len({0}), abs({0}), round({0}), min({0}, x), sorted({0}), hash({0}), iter({0}), next({0})",
    "float({0}), int({0}), bool({0}), list({0}), dict({0}), tuple({0}), set({0}), range({0})",
    "getattr({0}, 'other', x), hasattr({0}, 'other'), setattr({0}, 'other', x), vars({0})",
    "print({0}), callable({0}), id({0}), isinstance({0}, jax.core.Tracer), dir({0})",
    "y = lambda: {0}(x)",
    "y = functools.partial({0}, {1})(x)",
    "y = functools.partial(own, {1}, k={0})(x)",
    "y = functools.wraps({0})(own)",
    "y = super({0}, {1}).call(x)",
    "y = jnp.sum({0}), jnp.asarray({0}), jnp.where({0}, x, {1}), jnp.zeros({0}), jnp.stack({0})",
    "y = numpy.sum({0}), numpy.asarray({0}), numpy.float32({0}), numpy.random.normal({0})",
    "y = jnp.reshape(x, {0}), x.astype({0}), x.at[{0}].set({1}), x[{0}], x.sum(axis={0})",
    "y = jax.random.split({0}), jax.random.normal({0}, {1}), jax.random.fold_in({0}, 1)",
    "y = jax.tree.map({0}, {1}), jax.tree.leaves({0}), jax.tree.map(own, {0}, {1})",
    "y = jax.tree_util.tree_flatten({0}), jax.tree.structure({0}), jax.tree.reduce({0}, {1})",
    "y = jax.lax.scan({0}, {1}, x), jax.lax.scan(own, {0}, {1}), jax.lax.map({0}, {1})",
    "y = jax.lax.cond({0}, own, own, {1}), jax.lax.cond(x, {0}, {1}, x)",
    "y = jax.lax.while_loop({0}, own, {1}), jax.lax.while_loop(own, own, {0})",
    "y = jax.lax.fori_loop(0, {0}, own, {1}), jax.lax.switch({0}, [{1}], x)",
    "y = jax.jit({0})(x), jax.jit(own)({0}), jax.jit(own, static_argnums={0})(x)",
    "y = jax.vmap({0})(x), jax.vmap(own, in_axes={0})({1}), jax.vmap(own)({0})",
    "y = jax.grad({0})(x), jax.grad(own)({0}), jax.value_and_grad(own, argnums={0})(x)",
    "y = jax.checkpoint({0})(x), jax.pmap(own)({0}), jax.eval_shape({0}, x)",
    "y = equinox.filter_jit({0})(x), equinox.filter_grad(own)({0}), equinox.filter_vmap({0})(x)",
    "y = equinox.partition({0}, equinox.is_array), equinox.tree_at(own, {0}, x)",
    "y = equinox.combine({0}, {1}), equinox.filter({0}, {1}), equinox.apply_updates({0}, {1})",
    "y = optax.apply_updates({0}, {1}), optax.chain({0}, {1}).init(x), optax.global_norm({0})",
    "y = optax.chain({0}).update(x, {1}, x), optax.masked({0}, {1}).update(x, x)",
    "y = flax.linen.scan({0})({1}), flax.linen.jit({0})(x), flax.nnx.jit({0})({1})",
    "y = flax.linen.Sequential([{0}, {1}])(x), flax.nnx.merge({0}, {1}), flax.nnx.split({0})",
    "y = haiku.transform({0}).init(x, {1}), haiku.get_parameter({0}, {1})",
    "y = haiku.Sequential({0})(x), haiku.Sequential([{0}, {1}])(x)",
    "y = numpyro.sample({0}, {1}), numpyro.sample('a', {0}, obs={1}), numpyro.param('a', {0})",
    "y = numpyro.infer.MCMC({0}).run(x, {1}), numpyro.infer.SVI({0}, {1}, x).run(x, 3)",
    "y = distrax.Normal({0}, {1}).sample(seed=x), distrax.Independent({0}).log_prob({1})",
    "y = diffrax.diffeqsolve({0}, {1}, 0, 1, 1, x), diffrax.diffeqsolve(own, {0}, x, x, x, {1})",
    "y = einops.rearrange({0}, 'a b -> b a'), einops.repeat(x, 'a -> a b', b={0})",
    "y = chex.assert_shape({0}, {1}), chex.chexify({0})(x), chex.assert_trees_all_close({0}, {1})",
    "y = jax.experimental.pallas.pallas_call({0}, out_shape={1})(x)",
    "y = jax.experimental.pallas.pallas_call(own, out_shape=x, grid={0})({1})",
    "y = jax.pure_callback({0}, {1}, x), jax.debug.print('{{}}', {0}), jax.debug.callback({0}, x)",
    "y = jax.device_put({0}, {1}), jax.block_until_ready({0}), jax.lax.stop_gradient({0})",
    "y = dataclasses.replace({0}, other=x), dataclasses.asdict({0}), copy.deepcopy({0})",
    "y = {0}.replace(other={1}), {0}._replace(other=x), {0}.at[0].set({1})",
    "y = [{0}, {1}] * 3, ({0},) + ({1},), {{'a': {0}, **{1}}}, {{{0}, {1}}}",
    "z.append({0})",
    "global y; y = {0}",
    "raise {0} from {1}",
    "return {0}",
    "yield {0}",
    "yield from {0}",
    "await {0}",
    "try: {0}(x)\nexcept {1} as error: x = error",
    "match {0}:\n    case [y, *z]: x = y\n    case {{'a': y}}: x = y",
    "match {0}:\n    case Config(size=y) | Config(y): x = y\n    case Config.other: x = y",
    "@{0}\ndef inner(y: {1} = {0}) -> {0}: return {0}, y",
    "class Inner({0}):\n    part: {1} = {0}\n    def call(self, y: {0}): return self.part, y, {1}",
)  # fmt: skip


DECORATED = (
    "@{0}",
    "@{0}",
    "@functools.partial({0}, static_argnums=0)",
    "@functools.partial({0}, static_argnames=('a',))",
    "@{0}(donate_argnums=0)",
    "@jax.jit\n@{0}",
    "@{0}\n@jax.vmap",
    "@staticmethod\n@{0}",
)


class Writer:
    """Writes functions that use a few names, as a seed says."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def form(self, name: str) -> str:
        """An annotation of a name, most often itself."""
        return name if self.rng.random() < 0.5 else self.rng.choice(FORMS).format(name)

    def made(self, name: str) -> str:
        """An expression that calls the name."""
        given = ("", "x", "own", "0.1, 3", "own, own", "x, key=x", "x, rngs=x", "*x", "**x", name)
        return f"{name.partition('[')[0]}({self.rng.choice(given)})"

    def member(self, name: str) -> str:
        """An attribute that objects of this library may have."""
        known = members(name.partition(".")[0])
        return self.rng.choice(known if known and self.rng.random() < 0.8 else ATTRIBUTES)

    def used(self, value: str, name: str) -> list[str]:
        """Statements that use a value."""
        other = self.rng.choice((value, name, self.made(name), "x", "own", "Config"))
        if self.rng.random() < 0.5:
            attr = self.member(name)
            options = ("", "x", f"x, {value}", "x, x, x", "own, x", f"{other}, key=x")
            given = self.rng.choice(options)
            text = self.rng.choice(
                ("{0}.{1}", "y = {0}.{1}({2})", "z = {0}.{1}({2})", "y = {0}.{1}({2})({2})",
                 "y = {0}.{1}.{3}({2})", "{0}.{1} = own({2})", "{0}.{1}[0] = x", "{0}.{1} += x",
                 "y = jax.jit({0}.{1})({2})", "y, z = {0}.{1}({2})", "y = {0}[0].{1}({2})")
            ).format(value, attr, given, self.member(name))  # fmt: skip
        else:
            text = self.rng.choice(USES).format(value, other)
        lines = text.split("\n")
        block = self.rng.random()
        for begin, share in (("if x:", 0.05), ("for _ in range(2):", 0.1), ("for _ in x:", 0.12)):
            if block < share:
                return [begin, *(f"    {line}" for line in lines)]
        return lines

    def body(self, values: list[str], name: str, count: int) -> list[str]:
        """Statements that use values."""
        first, last = values[0], values[-1]
        lines = [f"y = z = x; u = ({first}, x); v = [{last}]; w = {{'a': {first}, 'b': {last}}}"]
        for _ in range(count):
            lines += self.used(self.rng.choice(values), name)
        return lines

    def function(self, index: int, name: str, count: int = 8) -> list[str]:
        """A function under a transform, with a name at each place of its signature, and calls."""
        rng = self.rng
        transform = rng.choice(transforms())
        decorated = rng.choice(DECORATED).format(transform).split("\n")
        plain = [line for line in decorated if not line.startswith("@static")]
        lines = [
            *plain,
            f"def f{index}(a: {self.form(name)}, x, b: {self.form(name)} = {name}, "
            f"c={self.made(name)}, *d: {self.form(name)}, **e: {self.form(name)})"
            f" -> {self.form(name)}:",
        ]
        values = ["a", "a", "b", "c", "d", "e", "u", "v", name, f"h{index}", f"g{index}"]
        lines += [f"    {line}" for line in self.body(values, name, count)]
        lines += [f"    return {rng.choice((*values, 'x', self.made(name)))}"]
        given = rng.choice((f"{name}, x", f"{self.made(name)}, 3", f"h{index}, h{index}", "x, x"))
        lines += [f"f{index}({given})", f"own({transform}(f{index}))({given})"]
        immediate = rng.choice(tuple(IMMEDIATE))
        given = ", ".join(rng.sample([f"f{index}", name, f"h{index}", "own", "x"], 3))
        return [f"h{index} = {self.made(name)}", f"g{index} = {name}", *lines,
                f"{immediate}({given})"]  # fmt: skip

    def annotated(self, index: int, name: str, transform: str, most: int = 24) -> list[str]:
        """A function that calls the attributes which objects of an annotated class may have."""
        known = members(name.partition(".")[0])
        chosen = self.rng.sample(known, min(most, len(known)))
        lines = [f"@{transform}", f"def n{index}(a: {name}, b: {self.form(name)}, x, *c: {name}):"]
        for attr in (*chosen, *ATTRIBUTES):
            given = self.rng.choice(("x, x, x", "x", "", "b, a", "own, x", "x, key=x, seed=b"))
            lines.append(f"    {self.rng.choice('abu')}.{attr}, a.{attr}({given})")
        lines.insert(2, f"    u = a({given}); v = b(x); w, *y = c; z = a + x, x * a, a[0], len(a)")
        return [*lines, "    return a, b, u"]

    def holder(self, index: int, name: str, count: int = 6) -> list[str]:
        """A class with fields of a name, or derived from it, whose methods use them."""
        rng = self.rng
        base = rng.choice((*BASES, *BASES, name))
        values = ["self", "self.p", "self.q", "self.r", "self.s", "a", name]
        transform = rng.choice(("flax.linen.compact", "property", "classmethod", *transforms()))
        decorator = rng.choice(CLASS_DECORATORS)
        setup = rng.choice(("setup", "__init__", "__post_init__", "init"))
        return [
            *([decorator] if decorator else []),
            f"class C{index}({base}):",
            f"    p: {self.form(name)}",
            f"    q: {self.form(name)} = {name}",
            f"    r: {self.form(name)} = dataclasses.field(default_factory={name})",
            f"    def {setup}(self, a: {self.form(name)} = {name}, x=1):",
            f"        self.s = {rng.choice(('a', name, self.made(name)))}",
            *(f"        {line}" for line in self.body(values, name, count // 2)),
            f"    {rng.choice(('', '@' + transform))}",
            f"    def __call__(self, a: {self.form(name)}, x=2):",
            *(f"        {line}" for line in self.body(values, name, count)),
            f"        return {rng.choice(values)}",
            f"o{index} = C{index}({rng.choice(('', name, self.made(name), 'p=x, q=x'))})",
            f"o{index}({rng.choice(('x', name))})",
            f"o{index}.apply(o{index}.init(x, {name}), {name})",
            f"@{rng.choice(transforms())}",
            f"def t{index}(o: C{index}, x, p: {self.form(name)}):",
            *(f"    {line}" for line in self.body(["o", "o.p", "o.q", "o.s", "p"], name, count)),
            f"    return {rng.choice(('o', 'o(x)', 'o.p', 'x'))}",
            f"t{index}(o{index}, x, {name})",
        ]


@cache
def groups() -> tuple[tuple[str, ...], ...]:
    """All names in groups of a few, those of JAX and NumPy last: they are many."""
    libraries = sorted(names(), key=lambda library: library in ("jax", "numpy"))
    return tuple(
        names()[library][at : at + SIZE]
        for library in libraries
        for at in range(0, len(names()[library]), SIZE)
    )


def program(seed: int) -> tuple[str, tuple[str, ...]]:
    """A program that uses each name of a group in functions and in a class, and the names.

    Neighbouring seeds take neighbouring groups.
    """
    chosen = groups()[seed % len(groups())]
    writer = Writer(random.Random(f"uses {seed}"))
    future = "from __future__ import annotations\n" if writer.rng.random() < 0.3 else ""
    lines: list[str] = []
    for index, name in enumerate(chosen):
        lines += writer.annotated(index, name, writer.rng.choice(LENIENT))
        lines += writer.function(index, name)
        lines += writer.holder(index, name)
    return future + HEADER + "\n".join(line for line in lines if line.strip()) + "\n", chosen

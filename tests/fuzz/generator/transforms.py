"""Statements that hand a function of their own to JAX."""

from __future__ import annotations

from generator.functions import enter
from generator.names import STEPS
from generator.scope import Parameter, Scope
from generator.writer import Writer

_CASTS = {"f": "jnp.float32({})", "v": "jnp.asarray({}, jnp.float32)", "i": "jnp.int32({})"}


def cast(kind: str, text: str) -> str:
    """An expression with the dtype that a loop carries."""
    return _CASTS[kind].format(text)


def _function(
    w: Writer, scope: Scope, given: list[tuple[str, str]], results: list[str], count: int
) -> str:
    """A local function of some parameters that returns values of fixed dtypes."""
    name = w.fresh(scope, "", STEPS)
    w.emit(f"def {name}({', '.join(each for each, _ in given)}):")
    inner = enter(w, scope, [Parameter(each, kind) for each, kind in given])
    w.indent += 1
    w.block(inner, 1, count)
    texts = [cast(kind, w.value(kind, inner, 2)) for kind in results]
    w.emit(f"return {', '.join(texts)}")
    w.indent -= 1
    return name


def scan(w: Writer, scope: Scope, depth: int) -> None:
    """A scan over a vector or a matrix."""
    kind, (rows, row) = w.choice("ffv"), w.choice([("V", "F"), ("M", "V"), ("Q", "I"), ("", "")])
    carry = w.choice(["carry", "state", "acc"])
    given = [(carry, {"f": "F", "v": "V"}[kind]), (w.choice(["x", "row", "_"]), row)]
    given[1] = given[1] if row else ("_", "")
    name = _local(w, scope, [each for each in given if each[1]], given, [kind, "f"])
    start = cast(kind, w.value(kind, scope, 1))
    over = w.value(rows, scope, 1) if rows else "None, length=3"
    last, outs = w.fresh(scope, kind, "last final carry_out"), w.fresh(scope, "V", "outs ys trace")
    w.emit(f"{last}, {outs} = jax.lax.scan({name}, {start}, {over})")
    w.bind(scope, last, given[0][1])
    w.bind(scope, outs, "V")


def _local(
    w: Writer,
    scope: Scope,
    known: list[tuple[str, str]],
    given: list[tuple[str, str]],
    results: list[str],
) -> str:
    """A local function some of whose parameters are of no use."""
    name = w.fresh(scope, "", STEPS)
    w.emit(f"def {name}({', '.join(each for each, _ in given)}):")
    inner = enter(w, scope, [Parameter(each, kind) for each, kind in known])
    w.indent += 1
    w.block(inner, 1, w.rng.randint(0, 2))
    texts = [cast(kind, w.value(kind, inner, 2)) for kind in results]
    w.emit(f"return {', '.join(texts)}")
    w.indent -= 1
    return name


def cond(w: Writer, scope: Scope, depth: int) -> None:
    """A choice that JAX makes."""
    kind = w.choice("fv")
    held = {"f": "F", "v": "V"}[kind]
    operand = cast(kind, w.value(kind, scope, 1))
    name = w.fresh(scope, held)
    if w.chance(0.4):
        arms = [_function(w, scope, [("operand", held)], [kind], 1) for _ in range(2)]
    else:
        inner = enter(w, scope, [Parameter("operand", held)])
        arms = [f"lambda operand: {cast(kind, w.value(kind, inner, 2))}" for _ in range(2)]
    if w.chance(0.3):
        head = f"jax.lax.switch({w.value('n', scope, 1)}, [{', '.join(arms)}], {operand})"
    else:
        head = f"jax.lax.cond({w.value('b', scope, 1)}, {', '.join(arms)}, {operand})"
    w.emit(f"{name} = {head}")
    w.bind(scope, name, held)


def loop(w: Writer, scope: Scope, depth: int) -> None:
    """A loop that JAX runs. One of unknown length has no gradient in reverse."""
    kind = w.choice("ffv")
    held = {"f": "F", "v": "V"}[kind]
    if depth or w.is_differentiated or w.chance(0.5):
        is_fixed = depth or w.is_differentiated or w.chance(0.5)
        name = _function(w, scope, [("i", "I"), ("acc", held)], [kind], w.rng.randint(0, 2))
        stop = w.choice("23") if is_fixed else w.value("n", scope, 1)
        head = f"jax.lax.fori_loop(0, {stop}, {name}, "
    else:
        name = _function(w, scope, [("acc", held)], [kind], w.rng.randint(0, 1))
        norm = "acc" if kind == "f" else "jnp.sum(acc)"
        limit = w.value("f", enter(w, scope, [Parameter("acc", held)]), 0)
        head = f"jax.lax.while_loop(lambda acc: {norm} < {limit}, {name}, "
    result = w.fresh(scope, held)
    w.emit(f"{result} = {head}{cast(kind, w.value(kind, scope, 1))})")
    w.bind(scope, result, held)


def mapped(w: Writer, scope: Scope, depth: int) -> None:
    """A function of one row, over all rows."""
    rows, row = w.choice([("V", "F"), ("M", "V")])
    name = _function(w, scope, [(w.choice(["row", "example", "x"]), row)], ["f"], 1)
    result = w.fresh(scope, "V")
    how = w.choice(["jax.vmap({})({})", "jax.lax.map({}, {})", "jax.jit(jax.vmap({}))({})"])
    w.emit(f"{result} = {how.format(name, w.value(rows, scope, 1))}")
    w.bind(scope, result, "V")


def differentiated(w: Writer, scope: Scope, depth: int) -> None:
    """The gradient of a function of floats."""
    kind = w.choice("fv")
    held = {"f": "F", "v": "V"}[kind]
    name = _function(w, scope, [(w.choice(["x", "theta", "w"]), held)], ["f"], w.rng.randint(0, 2))
    at = cast(kind, w.value(kind, scope, 1))
    if w.chance(0.4):
        value, slope = w.fresh(scope, "F", "loss cost objective_value"), w.fresh(scope, held)
        w.emit(f"{value}, {slope} = jax.value_and_grad({name})({at})")
        w.bind(scope, value, "F")
    else:
        slope = w.fresh(scope, held, "slope gradient grad_out")
        how = w.choice(["jax.grad({})", "jax.grad(jax.checkpoint({}))", "jax.jacrev({})"])
        w.emit(f"{slope} = {how.format(name)}({at})")
    w.bind(scope, slope, held)


STATEMENTS = ((3, scan), (3, cond), (2, loop), (2, mapped), (2, differentiated))

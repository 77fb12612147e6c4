"""Functions of a module that are more than a plain definition."""

from __future__ import annotations

from generator import functions
from generator.kinds import NUMERIC
from generator.names import FUNCTIONS
from generator.scope import Function, Parameter, Scope
from generator.writer import Writer


def custom(w: Writer, scope: Scope) -> None:
    """A function with a derivative of its own, and one that takes it."""
    name = w.fresh(scope, "", "soft_clip safe_log straight_through smooth_abs")
    inner = functions.enter(w, scope, [Parameter("x", "F")])
    text = f"jnp.sin(x) * {w.value('f', inner, 1)}"
    if w.chance(0.5):
        w.emit("", "", "@jax.custom_jvp", f"def {name}(x):", f"    return jnp.float32({text})")
        w.emit("", "", f"@{name}.defjvp", f"def {name}_jvp(primals, tangents):")
        w.emit("    (x,) = primals", "    (x_dot,) = tangents")
        w.emit(f"    return {name}(x), x_dot * jnp.cos(x)")
    else:
        w.emit("", "", "@jax.custom_vjp", f"def {name}(x):", f"    return jnp.float32({text})")
        w.emit("", "", f"def {name}_fwd(x):", f"    return {name}(x), jnp.cos(x)")
        w.emit("", "", f"def {name}_bwd(slope, g):", "    return (g * slope,)")
        w.emit("", "", f"{name}.defvjp({name}_fwd, {name}_bwd)")
    slope = f"{name}_slope"
    w.emit("", "", f"{slope} = jax.grad({name})")
    for each in (name, slope):
        function = Function(each, (Parameter("x", "F", "only"),), "F")
        scope.functions.append(function)
        w.uncalled.append(function)


def factory(w: Writer, scope: Scope) -> None:
    """A function that makes functions, and what it makes."""
    name = w.fresh(scope, "", "make_scaler make_penalty build_step with_factor make_update")
    held, result = w.choice("fvng"), w.choice("fv")
    outer = functions.enter(w, scope, [Parameter("setting", held)])
    parameters = functions.signature(w, outer, [w.choice("fv")])[:1]
    made = w.fresh(outer, "", "scaled apply inner wrapped")
    w.emit("", "", f"def {name}(setting):")
    w.indent += 1
    if w.chance(0.4):
        w.block(outer, 2, 1)
    w.emit(f"def {made}({functions.written(parameters)}):")
    functions.body(w, functions.enter(w, outer, parameters), result, w.rng.randint(0, 2), 1)
    w.emit("", f"return {made}")
    w.indent -= 1
    text = w.fresh(scope, "", f"{made}_by_{held if held.isalpha() else 'x'} fixed_{made}")
    w.emit("", "", f"{text} = {name}({w.value(held, scope, 0)})")
    _offer(w, scope, Function(text, parameters, result))
    direct = Function(f"{name}({w.value(held, scope, 0)})", parameters, result)
    if w.chance(0.5):
        scope.functions.append(direct)


def decorator(w: Writer, scope: Scope) -> None:
    """A decorator of the module, and a function under it."""
    name = w.fresh(scope, "", "counted scaled_by_two traced_name logged")
    after = w.choice(["result", "result * 2.0", "result + args[0]", "jnp.asarray(result)"])
    w.emit("", "", f"def {name}(function):")
    w.emit("    @functools.wraps(function)", "    def wrapper(*args, **kwargs):")
    w.emit("        result = function(*args, **kwargs)", f"        return {after}")
    w.emit("", "    return wrapper")
    under = w.fresh(scope, "", FUNCTIONS)
    parameters = tuple(Parameter(f"{'xyz'[i]}", "f", "only") for i in range(w.rng.randint(1, 2)))
    w.emit("", "", f"@{name}", f"def {under}({functions.written(parameters)}):")
    functions.body(w, functions.enter(w, scope, parameters), "f", w.rng.randint(0, 2), 1)
    _offer(w, scope, Function(under, parameters, "f"))


def recursive(w: Writer, scope: Scope) -> None:
    """A function that calls itself, a few times."""
    name = w.fresh(scope, "", "power nested_sum halve_until repeat_apply")
    kind = w.choice("fv")
    parameters = (Parameter("x", kind), Parameter("depth", "n"))
    w.emit("", "", f"def {name}(x, depth):")
    inner = functions.enter(w, scope, parameters)
    w.emit("    if depth <= 0:", f"        return {w.form(f'${kind}', inner, 1)}")
    w.emit(f"    return {w.form(f'${kind} * 0.5', inner, 1)} + {name}(x, depth - 1)")
    fixed = Function(f"{name}", (Parameter("x", kind), Parameter("depth", "literal")), kind)
    _offer(w, scope, fixed)


def variadic(w: Writer, scope: Scope) -> None:
    """A function that hands on what it gets."""
    targets = [each for each in scope.functions if _takes_numbers(each)]
    if not targets:
        factory(w, scope)
        return
    target = w.choice(targets)
    name = w.fresh(scope, "", "call_with forwarded apply_to run_with")
    w.emit("", "", f"def {name}(*args, **kwargs):")
    if w.chance(0.5):
        w.emit(
            "    given = len(args) + len(kwargs)", f"    assert given <= {len(target.parameters)}"
        )
    w.emit(f"    return {target.text}(*args, **kwargs)")
    _offer(w, scope, Function(name, target.parameters, target.result))


def _takes_numbers(function: Function) -> bool:
    return bool(function.parameters) and all(
        each.kind in NUMERIC and each.style in ("positional", "only")
        for each in function.parameters
    )


def _offer(w: Writer, scope: Scope, function: Function) -> None:
    scope.functions.append(function)
    w.uncalled.append(function)


MAKERS = (custom, factory, decorator, recursive, variadic)

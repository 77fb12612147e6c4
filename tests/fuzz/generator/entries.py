"""Entry points of every kind, and the statements of a module that call them."""

from __future__ import annotations

from collections.abc import Sequence

from generator import functions, transforms
from generator.kinds import ARGUMENTS, DATA, LITERALS
from generator.names import ENTRIES, STEPS
from generator.scope import Function, Parameter, Scope
from generator.writer import Writer

_PLAIN = ("f", "v", "v", "m", "i", "P", "d", "T", "L", "k", "?f", "?v")
_STATIC = ("n", "b", "s", "f", "i", "?f", "g")


def entry(w: Writer, scope: Scope) -> list[str]:
    """An entry point of some kind; the statements that call it."""
    makers = [decorated, assigned, gradient, mapped, scanned]
    return w.rng.choices(makers, [5, 3, 2, 2, 1])[0](w, scope)


def _parameters(w: Writer, scope: Scope, *, is_jitted: bool) -> tuple[Parameter, ...]:
    """Parameters of an entry point. Under `jit`, what is not static is a JAX array."""
    classes = [name for name, each in w.structures.items() if each.flavour != "plain"]
    kinds = [w.choice([*_PLAIN, *classes]) for _ in range(w.rng.randint(2, 4))]
    if is_jitted:
        kinds += [w.choice(_STATIC) for _ in range(w.rng.randint(0, 2))]
        kinds = [_upper(w, kind) for kind in kinds]
    found = functions.signature(w, scope, kinds)
    return tuple(each for each in found if each.style not in ("varargs", "varkw"))


def _upper(w: Writer, kind: str) -> str:
    return kind.upper() if kind in ("f", "v", "m", "i") and w.chance(0.4) else kind


def static_names(w: Writer, parameters: tuple[Parameter, ...]) -> list[str]:
    """The parameters that a jit must or may take as static: those of a hashable kind."""
    names = []
    for parameter in parameters:
        is_needed = parameter.kind in ("s", "g", "z", "h") or _is_frozen(w, parameter.kind)
        may_be = parameter.kind in ("n", "b", "i", "f", "?f")
        if is_needed or (may_be and w.chance(0.45)):
            names.append(parameter.name)
    return names


def _is_frozen(w: Writer, kind: str) -> bool:
    return kind in w.structures and w.structures[kind].flavour == "frozen"


def options(w: Writer, function: Function, names: list[str]) -> str:
    """The arguments of `jax.jit` that name static parameters."""
    if not names:
        return ""
    places = [place for place, each in enumerate(function.parameters) if each.name in names]
    by_name = any(function.parameters[place].style != "positional" for place in places)
    if by_name or w.chance(0.6):
        named = names[0] if len(names) == 1 and w.chance(0.5) else tuple(names)
        return f", static_argnames={named!r}"
    return f", static_argnums={places[0] if len(places) == 1 else tuple(places)}"


def define(
    w: Writer, scope: Scope, parameters: tuple[Parameter, ...], result: str, decorator: str = ""
) -> Function:
    """An entry point's function; it calls the helpers that nothing has called yet."""
    name = w.fresh(scope, "", ENTRIES)
    w.emit("", "")
    if decorator:
        w.emit(decorator)
    w.emit(f"def {name}({functions.written(parameters)}):")
    inner = functions.enter(w, scope, parameters)
    w.indent += 1
    functions.use_uncalled(w, inner)
    w.branches = min(w.branches, 5)
    w.indent -= 1
    functions.body(w, inner, result, w.rng.randint(2, 5))
    return Function(name, parameters, result)


def _result(w: Writer) -> str:
    nodes = [name for name, each in w.structures.items() if each.is_tree]
    return w.choice(["f", "f", "v", "v", "m", "T", "d", "P", "L", *nodes])


def decorated(w: Writer, scope: Scope) -> list[str]:
    """A function under a decorator."""
    parameters = _parameters(w, scope, is_jitted=True)
    names = static_names(w, parameters)
    given = options(w, Function("", parameters, ""), names)
    made = f"@functools.partial(jax.jit{given})" if given else "@jax.jit"
    function = define(w, scope, parameters, _result(w), made)
    if not names and all(each.kind in DATA for each in parameters):
        scope.functions.append(function)
    return calls(w, function.text, parameters, names)


def assigned(w: Writer, scope: Scope) -> list[str]:
    """A function that is jitted when the module has defined it."""
    parameters = _parameters(w, scope, is_jitted=True)
    function = define(w, scope, parameters, _result(w))
    names = static_names(w, parameters)
    given = options(w, function, names)
    name = w.fresh(scope, "", f"{function.text}_jit fast_{function.text} compiled")
    w.emit("", "", f"{name} = jax.jit({function.text}{given})")
    return calls(w, name, parameters, names)


def gradient(w: Writer, scope: Scope) -> list[str]:
    """A function that is differentiated, eagerly or under jit."""
    kinds = [
        w.choice("fvmP"),
        *(w.choice(["f", "v", "d", "n"]) for _ in range(w.rng.randint(0, 2))),
    ]
    parameters = _positional(w, kinds)
    w.is_differentiated = True
    function = define(w, scope, parameters, "f")
    w.is_differentiated = False
    how = w.choice(["jax.grad({})", "jax.value_and_grad({})", "jax.jit(jax.grad({}))"])
    return calls(w, how.format(function.text), parameters)


def mapped(w: Writer, scope: Scope) -> list[str]:
    """A function of one row that is mapped over all."""
    kinds = [w.choice("fv"), *(w.choice("fvm") for _ in range(w.rng.randint(0, 2)))]
    parameters = _positional(w, kinds)
    function = define(w, scope, parameters, w.choice("fvT"))
    axes = [0, *(w.choice([0, None]) for _ in parameters[1:])]
    axes = [None if each.kind == "m" else axis for axis, each in zip(axes, parameters, strict=True)]
    option = "" if all(axis == 0 for axis in axes) else f", in_axes={tuple(axes)}"
    how = w.choice(["jax.vmap({}{})", "jax.jit(jax.vmap({}{}))"]).format(function.text, option)
    wider = {"f": "v", "v": "m"}
    given = [
        Parameter(each.name, wider[each.kind] if axis == 0 else each.kind)
        for axis, each in zip(axes, parameters, strict=True)
    ]
    return calls(w, how, tuple(given))


def _positional(w: Writer, kinds: list[str]) -> tuple[Parameter, ...]:
    inner = Scope()
    return tuple(Parameter(w.fresh(inner, kind), kind) for kind in kinds)


def scanned(w: Writer, scope: Scope) -> list[str]:
    """A function of a carry and a row that a scan runs."""
    kind, (rows, row) = w.choice("fv"), w.choice([("v", "F"), ("m", "V")])
    held = {"f": "F", "v": "V"}[kind]
    name = w.fresh(scope, "", STEPS)
    w.emit("", "", f"def {name}(carry, row):")
    inner = functions.enter(w, scope, [Parameter("carry", held), Parameter("row", row)])
    w.indent += 1
    functions.use_uncalled(w, inner)
    w.block(inner, 0, w.rng.randint(2, 4))
    texts = [transforms.cast(kind, w.value(kind, inner)), w.value("f", inner)]
    w.emit(f"return {', '.join(texts)}")
    w.indent -= 1
    start = transforms.cast(kind, w.choice(ARGUMENTS[kind]))
    return [f"jax.lax.scan({name}, {start}, {w.choice(ARGUMENTS[rows])})"]


def calls(
    w: Writer, text: str, parameters: tuple[Parameter, ...], static: Sequence[str] = ()
) -> list[str]:
    """One call or two of an entry point, as statements."""
    return [f"{text}({_arguments(w, parameters, static)})" for _ in range(w.choice([1, 1, 2]))]


def _arguments(w: Writer, parameters: tuple[Parameter, ...], static: Sequence[str]) -> str:
    given = []
    for parameter in parameters:
        text = argument(w, parameter.kind, is_static=parameter.name in static)
        if parameter.style == "positional":
            given.append(text)
        elif not parameter.default or w.chance(0.5):
            given.append(f"{parameter.name}={text}")
    return ", ".join(given)


def argument(w: Writer, kind: str, *, is_static: bool = False) -> str:
    """A value that a module passes to its entry points."""
    if kind in w.structures:
        fields = w.structures[kind].fields
        values = LITERALS if _is_frozen(w, kind) else ARGUMENTS
        return f"{kind}({', '.join(f'{each}={w.choice(values[held])}' for each, held in fields)})"
    if is_static or kind not in ARGUMENTS:
        return w.choice(LITERALS[kind])
    return w.choice(ARGUMENTS[kind])

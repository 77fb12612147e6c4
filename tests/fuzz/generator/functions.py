"""Function definitions: signatures, bodies, closures, lambdas, generators."""

from __future__ import annotations

from collections.abc import Sequence

from generator.kinds import KEYS, LITERALS, NUMERIC
from generator.names import FUNCTIONS
from generator.scope import Function, Parameter, Scope
from generator.writer import Writer

_GIVEN = (
    "f",
    "f",
    "f",
    "v",
    "v",
    "v",
    "n",
    "i",
    "m",
    "b",
    "s",
    "L",
    "d",
    "P",
    "T",
    "?f",
    "?v",
    "g",
)
_RESULTS = ("f", "f", "f", "v", "v", "v", "m", "n", "i", "b", "T", "d", "L")


def signature(w: Writer, scope: Scope, kinds: Sequence[str]) -> tuple[Parameter, ...]:
    """Parameters of some kinds, with names that may hide those around."""
    inner = Scope(taken=set(_RESERVED))
    has_more = w.chance(0.08)
    if has_more:
        inner.taken.update(KEYS)
    found: list[Parameter] = []
    style = "positional"
    for kind in kinds:
        if style == "positional" and found and w.chance(0.25):
            style = w.choice(["default", "keyword"])
        elif style == "default" and w.chance(0.3):
            style = "keyword"
        name = w.fresh(inner, kind)
        literal = w.choice(LITERALS[kind]) if kind in LITERALS else ""
        if kind.startswith("?"):
            literal = "None"
        usual = literal if style == "default" or (style == "keyword" and w.chance(0.6)) else ""
        mine = "positional" if style == "default" and not usual else style
        if kind in w.structures and style == "default":
            style = mine = "keyword"
            usual = ""
        found.append(Parameter(name, kind, mine, usual))
    if style == "positional" and w.chance(0.1):
        found.append(Parameter(w.fresh(inner, "L", "terms values extras"), "L", "varargs"))
    if has_more:
        found.append(Parameter(w.fresh(inner, "d", "options overrides"), "d", "varkw"))
    return tuple(found)


_RESERVED = frozenset({"SCALE", "TABLE", "HISTORY"})


def written(parameters: Sequence[Parameter]) -> str:
    """Parameters as they stand in a definition."""
    texts: list[str] = []
    for parameter in parameters:
        if parameter.style == "keyword" and not any(text.startswith("*") for text in texts):
            texts.append("*")
        stars = {"varargs": "*", "varkw": "**"}.get(parameter.style, "")
        usual = f"={parameter.default}" if parameter.default else ""
        texts.append(f"{stars}{parameter.name}{usual}")
    return ", ".join(texts)


def enter(w: Writer, scope: Scope, parameters: Sequence[Parameter]) -> Scope:
    """The scope of a function's body."""
    inner = scope.nested()
    for parameter in parameters:
        inner.hide(parameter.name)
    for parameter in parameters:
        kind = parameter.kind
        if parameter.style == "varkw":
            inner.taken.add(parameter.name)
            inner.values += [(f"{parameter.name}['{key}']", "f") for key in KEYS]
            inner.values.append((parameter.name, "d"))
        else:
            w.bind(inner, parameter.name, kind)
    return inner


def body(w: Writer, inner: Scope, result: str, count: int, depth: int = 0) -> None:
    """Statements of a function and what it returns."""
    w.indent += 1
    count_state(w, inner)
    if count > 1 and w.chance(0.15) and result in NUMERIC:
        w.branches += 1
        w.block(inner, depth, 1)
        w.emit(f"if {w.test(inner)}:")
        w.emit(f"    return {w.value(result, inner, 1)}")
        count -= 1
    w.block(inner, depth, count)
    w.emit(f"return {w.value(result, inner)}")
    w.indent -= 1


def count_state(w: Writer, inner: Scope) -> None:
    """Some functions count their calls in a global."""
    if w.chance(0.05) and "CALLS" in inner.taken:
        w.emit("global CALLS", "CALLS += 1")


def helper(w: Writer, scope: Scope) -> None:
    """A function of the module for others to call."""
    name = w.fresh(scope, "", FUNCTIONS)
    kinds = [w.choice(_GIVEN) for _ in range(w.rng.randint(1, 4))]
    kinds += [w.choice(list(w.structures))] if w.structures and w.chance(0.4) else []
    parameters = signature(w, scope, kinds)
    result = w.choice([*_RESULTS, *w.structures])
    w.emit("", "")
    if w.chance(0.12) and all(each.kind in NUMERIC for each in parameters):
        w.emit(w.choice(["@jax.jit", "@jax.checkpoint"]))
        result = w.choice("fv")
        parameters = tuple(each for each in parameters if each.style != "varkw")
    w.emit(f"def {name}({written(parameters)}):")
    body(w, enter(w, scope, parameters), result, w.rng.randint(1, 4), 1)
    function = Function(name, parameters, result)
    scope.functions.append(function)
    w.uncalled.append(function)


def closure(w: Writer, scope: Scope, depth: int) -> None:
    """A function inside a function, and a call of it."""
    name = w.fresh(scope, "", "inner apply objective residual_of local_step weigh")
    result = w.choice("ffv")
    parameters = signature(w, scope, [w.choice("fvn") for _ in range(w.rng.randint(1, 2))])
    parameters = tuple(each for each in parameters if each.style not in ("varargs", "varkw"))
    form = w.rng.randrange(6)
    if form == 0 and all(each.style == "positional" for each in parameters):
        text = w.value(result, enter(w, scope, parameters))
        w.emit(f"{name} = lambda {written(parameters)}: {text}")
    elif form == 1:
        _bound(w, scope, name)
        return
    elif form == 2:
        _counter(w, scope, name)
        return
    else:
        if form == 3:
            w.emit("@jax.jit")
        w.emit(f"def {name}({written(parameters)}):")
        inner = enter(w, scope, parameters)
        body(w, inner, result, w.rng.randint(0, 2), depth + 1)
    function = Function(name, parameters, result)
    scope.functions.append(function)
    use(w, scope, function)


def use(w: Writer, scope: Scope, function: Function) -> None:
    """A statement that calls a function."""
    name = w.fresh(scope, function.result)
    w.emit(f"{name} = {w.call(function, scope, 1)}")
    w.bind(scope, name, function.result)


def use_uncalled(w: Writer, scope: Scope) -> None:
    """Calls of the functions that nothing has called yet."""
    for function in [each for each in w.uncalled if each in scope.functions]:
        use(w, scope, function)


def _bound(w: Writer, scope: Scope, name: str) -> None:
    """A call of a partial application."""
    function = Function(name, (Parameter("right", "f", "only"),), "f")
    first = w.value("f", scope, 1)
    made = w.choice(["operator.add", "operator.mul", "lambda left, right: left - right"])
    w.emit(f"{name} = functools.partial({made}, {first})")
    scope.functions.append(function)
    use(w, scope, function)


def _counter(w: Writer, scope: Scope, name: str) -> None:
    """A function that rebinds a variable of the one around it."""
    count = w.fresh(scope, "n", "calls seen_so_far visits")
    w.emit(f"{count} = 0", f"def {name}(amount):")
    w.emit(f"    nonlocal {count}", f"    {count} += 1", f"    return amount * {count}")
    function = Function(name, (Parameter("amount", "f"),), "f")
    scope.functions.append(function)
    use(w, scope, function)
    w.bind(scope, count, "n", own=False)


def generator(w: Writer, scope: Scope, depth: int) -> None:
    """A generator, and a loop or a sum over it."""
    name = w.fresh(scope, "", "pieces_of stream walk produce")
    source = w.choice(["$v", "$L", "range(2)"])
    w.emit(f"def {name}(factor):")
    w.indent += 1
    w.emit(w.form(f"for value in {source}:", scope, 1), "    yield value * factor")
    w.indent -= 1
    total = w.fresh(scope, "f")
    w.emit(f"{total} = sum({name}({w.value('f', scope, 1)}))")
    w.bind(scope, total, "f")


STATEMENTS = ((4, closure), (1, generator))

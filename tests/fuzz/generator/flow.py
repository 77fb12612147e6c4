"""Statements that bind names and decide where execution goes."""

from __future__ import annotations

from generator.conditions import CONSTANT
from generator.kinds import LITERALS, MODES
from generator.scope import Scope
from generator.writer import Writer

_ASSIGNED = "ffffFFFpiInbBvvvVVVmMaAqQsLldPTWhzg"
_JOINED = "ffFivVb"


def assign(w: Writer, scope: Scope, depth: int) -> None:
    """Bind a new name, or one of this function's own anew."""
    rebound = [name for name, kind in scope.own.items() if kind in "fFvVmMiI"]
    if rebound and w.chance(0.25):
        name = w.choice(rebound)
        w.emit(f"{name} = {w.value(scope.own[name], scope)}")
        return
    kind = w.choice(_ASSIGNED)
    text, held = w.typed(kind, scope)
    w.emit(f"{(name := w.fresh(scope, kind))} = {text}")
    w.bind(scope, name, held)


def augment(w: Writer, scope: Scope, depth: int) -> None:
    """An augmented assignment. NumPy arrays would change in place, so JAX arrays and numbers."""
    names = [name for name, kind in scope.own.items() if kind in "fFVMiI"]
    if not names:
        assign(w, scope, depth)
        return
    name = w.choice(names)
    kind = scope.own[name]
    text = w.value("i" if kind in "iI" else "f", scope, 1)
    w.emit(f"{name} {w.choice(['+=', '-=', '*='])} {text}")


def unpack(w: Writer, scope: Scope, depth: int) -> None:
    """Bind several names at once."""
    forms = [
        ("$T", ("f", "v")),
        ("$f, $v", ("f", "v")),
        ("$F, $F2", ("F", "F")),
        ("divmod($i, 2)", ("i", "i")),
        ("$v.shape, $f", ("h", "f")),
        ("jax.random.split($k)", ("k", "k")),
        ("jax.value_and_grad(lambda values: jnp.sum(values ** 2))($V)", ("F", "V")),
        ("$d.values()", ("f", "f")),
        ("$f, *$L", ("f", "*L")),
        ("$m", ("v", "v", "v")),
        ("jax.vjp(lambda values: values * $f, $V)", ("V", "pullback")),
        ("jax.jvp(jnp.sin, ($V,), (jnp.ones(3),))", ("V", "V")),
        ("jax.lax.top_k($V, 2)", ("_", "_")),
        ("$m.shape", ("n", "n")),
    ]
    pattern, kinds = w.choice(forms)
    text = w.form(pattern, scope, 2)
    names = [w.fresh(scope, kind.strip("*_"), _POOLS.get(kind, "")) for kind in kinds]
    stars = ["*" if kind.startswith("*") else "" for kind in kinds]
    targets = ", ".join(star + name for star, name in zip(stars, names, strict=True))
    w.emit(f"{targets} = {text}")
    for name, kind in zip(names, kinds, strict=True):
        if kind == "*L":
            w.bind(scope, name, "l")
        elif kind in LITERALS or (len(kind) == 1 and kind != "_"):
            w.bind(scope, name, kind)


_POOLS = {"pullback": "pullback vjp_fn", "_": "top ranks best"}


def branch(w: Writer, scope: Scope, depth: int) -> None:
    """An `if` whose arms bind the same name."""
    w.branches += 1
    kind = w.choice(_JOINED)
    name = w.fresh(scope, kind)
    inner = _arm(w, scope, depth, f"if {_condition(w, scope)}:", w.rng.randint(0, 1))
    _bind_last(w, inner, name, kind)
    if w.chance(0.2):
        inner = _arm(w, scope, depth, f"elif {w.test(scope)}:", 0)
        _bind_last(w, inner, name, kind)
    inner = _arm(w, scope, depth, "else:", w.rng.randint(0, 1))
    _bind_last(w, inner, name, kind)
    w.bind(scope, name, kind)


def update(w: Writer, scope: Scope, depth: int) -> None:
    """An `if` without `else` that changes what is there."""
    names = [name for name, kind in scope.own.items() if kind in "fFvVmMi"]
    if not names:
        branch(w, scope, depth)
        return
    w.branches += 1
    name = w.choice(names)
    test = w.form(w.choice(CONSTANT), scope, 1) if w.chance(0.3) else _condition(w, scope)
    inner = _arm(w, scope, depth, f"if {test}:", w.rng.randint(0, 1))
    _bind_last(w, inner, name, scope.own[name])


def default(w: Writer, scope: Scope, depth: int) -> None:
    """Give a value that may be None one that is not."""
    held = [(name, kind) for name, kind in scope.own.items() if kind in ("?f", "?v")]
    if not held:
        update(w, scope, depth)
        return
    name, kind = w.choice(held)
    form = w.rng.randrange(3)
    if form == 0:
        _bind_last(w, _arm(w, scope, depth, f"if {name} is None:", 0), name, kind[1])
        w.bind(scope, name, kind[1])
    elif form == 1:
        plain = w.value(kind[1], scope, 1)
        w.emit(f"{name} = {plain} if {name} is None else {name}")
        w.bind(scope, name, kind[1])
    else:
        inner = scope.inner()
        w.emit(f"if {name} is not None:")
        w.bind(inner, name, kind[1])
        w.indent += 1
        assign(w, inner, depth + 1)
        update(w, inner, 2) if w.chance(0.3) else augment(w, inner, 2)
        w.indent -= 1


def _arm(w: Writer, scope: Scope, depth: int, header: str, count: int) -> Scope:
    """An arm of a branch; one statement has to follow."""
    w.emit(header)
    inner = scope.inner()
    w.indent += 1
    w.block(inner, depth + 1, count)
    w.indent -= 1
    return inner


def _bind_last(w: Writer, inner: Scope, name: str, kind: str) -> None:
    w.indent += 1
    w.emit(f"{name} = {w.value(kind, inner)}")
    w.indent -= 1


def _condition(w: Writer, scope: Scope) -> str:
    """A condition of a statement, which may bind a name."""
    if w.chance(0.06):
        name = w.fresh(scope, "f")
        text = f"({name} := {w.value('f', scope, 1)}) > 0.5"
        w.bind(scope, name, "f")
        return text
    return w.test(scope)


def repeat(w: Writer, scope: Scope, depth: int) -> None:
    """A `while` that ends."""
    w.branches += 1
    if w.chance(0.5):
        name = w.fresh(scope, "n", "step count rounds tries")
        w.emit(f"{name} = 0")
        w.bind(scope, name, "i")
        test, last = f"{name} < {w.value('n', scope, 1)}", f"{name} += 1"
        if w.chance(0.3):
            test += f" and {w.value('f', scope, 1)} > 0"
    else:
        name = w.fresh(scope, "f")
        w.emit(f"{name} = {w.form(w.choice(['1.0', 'abs($f)', '$f * 0.0']), scope, 1)}")
        w.bind(scope, name, "f")
        test, last = f"{name} < {w.value('f', scope, 0)} + 1.0", f"{name} = 2.0 * {name} + 1.0"
    w.emit(f"while {test}:")
    inner = scope.inner()
    inner.own.pop(name, None)
    w.indent += 1
    w.block(inner, depth + 1, w.rng.randint(0, 1))
    w.emit(last)
    w.indent -= 1


_LOOPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("range($n)", (("n", "i"),)),
    ("range(2)", (("n", "i"),)),
    ("range($v.shape[0])", (("n", "i"),)),
    ("range(len($L))", (("n", "i"),)),
    ("$v", (("f", "f"),)),
    ("$L", (("f", "f"),)),
    ("$m", (("v", "v"),)),
    ("$W", (("v", "v"),)),
    ("enumerate($v)", (("n", "i"), ("f", "f"))),
    ("enumerate($L)", (("n", "i"), ("f", "f"))),
    ("zip($v, $v2)", (("f", "f"), ("f", "f"))),
    ("zip($L, $v)", (("f", "f"), ("f", "f"))),
    ("$d.items()", (("s", "str"), ("f", "f"))),
    ("$d.values()", (("f", "f"),)),
    ("$d", (("s", "str"),)),
    ("reversed($L)", (("f", "f"),)),
    ("sorted($d.items())", (("s", "str"), ("f", "f"))),
    ("('mean', 'sum')", (("s", "s"),)),
    ("(0.5, $f)", (("f", "f"),)),
    ("jax.random.split($k, 2)", (("k", "k"),)),
    ("$P.items()", (("s", "str"), ("m", "leaf"))),
    ("map(abs, $L)", (("f", "f"),)),
)

_POOL = {
    "n": "i j k t",
    "f": "value item term weight",
    "v": "row vector chunk",
    "s": "name key label",
    "k": "subkey step_key",
    "m": "leaf array",
}


def loop(w: Writer, scope: Scope, depth: int) -> None:
    """A `for` that accumulates, may leave early, and may have an `else`."""
    w.branches += 1
    kind = w.choice("fffv")
    total = w.fresh(scope, kind, "total acc result energy running")
    start = {"f": "0.0", "v": "jnp.zeros(3)"}[kind] if w.chance(0.6) else w.value(kind, scope, 1)
    w.emit(f"{total} = {start}")
    w.bind(scope, total, kind)
    source, bound = w.choice(_LOOPS)
    names = [w.fresh(scope, held, _POOL[held]) for held, _ in bound]
    w.emit(f"for {', '.join(names)} in {w.form(source, scope, 1)}:")
    inner = scope.inner()
    for name, (_, held) in zip(names, bound, strict=True):
        if held == "leaf":
            inner.values.append((f"jnp.sum({name})", "F"))
        elif held != "str":
            w.bind(inner, name, held, own=False)
    w.indent += 1
    leaves = w.chance(0.2)
    if leaves:
        w.emit(f"if {w.test(inner)}:")
        w.emit(f"    {w.choice(['break', 'continue'])}")
    w.block(inner, depth + 1, w.rng.randint(0, 1))
    w.emit(f"{total} = {total} + {_last(w, inner, kind, names, bound)}")
    w.indent -= 1
    if w.chance(0.1):
        w.emit("else:")
        w.indent += 1
        w.emit(f"{total} = {w.value(kind, scope, 1)}")
        w.indent -= 1


def _last(
    w: Writer, inner: Scope, kind: str, names: list[str], bound: tuple[tuple[str, str], ...]
) -> str:
    """What a loop adds: most often something made of what it goes through."""
    held = {each[1]: name for name, each in zip(names, bound, strict=True)}
    if "f" in held and w.chance(0.6):
        return w.form(f"{held['f']} * $f", inner, 1)
    if "v" in held and kind == "v" and w.chance(0.6):
        return w.form(f"{held['v']} * $f", inner, 1)
    if "leaf" in held and w.chance(0.8):
        return f"jnp.sum({held['leaf']})"
    return w.form(f"${kind}", inner, 2) if w.chance(0.6) else w.form(f"${kind} * 0.5", inner, 1)


def choose(w: Writer, scope: Scope, depth: int) -> None:
    """A `match`."""
    w.branches += 1
    kind = w.choice("fFv")
    name = w.fresh(scope, kind)
    subject, cases = w.choice(
        [
            ("$s", [repr(MODES[0]), f"{MODES[1]!r} | {MODES[2]!r}"]),
            ("$n", ["1", "2 | 3"]),
            ("$v.ndim", ["1"]),
            ("$T", ["(first, second)"]),
            ("$L", ["[first]", "[first, *others]"]),
            ("$d", ["{'scale': first}"]),
            ("$f", ["float()"]),
        ]
    )
    w.emit(f"match {w.form(subject, scope, 1)}:")
    w.indent += 1
    for case in [*cases, "_"]:
        w.emit(f"case {case}:")
        inner = scope.inner()
        if "first" in case:
            w.bind(inner, "first", "f", own=False)
            scope.taken.update(("first", "second", "others"))
        _bind_last(w, inner, name, kind)
    w.indent -= 1
    w.bind(scope, name, kind)


def attempt(w: Writer, scope: Scope, depth: int) -> None:
    """A `try` whose arms bind the same name."""
    kind = w.choice("fiFv")
    name = w.fresh(scope, kind)
    error = w.choice(["TypeError", "ValueError", "Exception", "(TypeError, ValueError)"])
    w.emit("try:")
    _bind_last(w, scope.inner(), name, kind)
    w.emit(f"except {error}:")
    _bind_last(w, scope.inner(), name, kind)
    if w.chance(0.15):
        w.emit("finally:")
        w.indent += 1
        assign(w, scope.inner(), 2)
        w.indent -= 1
    w.bind(scope, name, kind)


def within(w: Writer, scope: Scope, depth: int) -> None:
    """A `with` around a few statements."""
    manager = w.choice(
        [
            "jax.named_scope('block')",
            "jax.default_matmul_precision('float32')",
            "contextlib.nullcontext()",
            "contextlib.suppress(KeyError)",
            "jax.debug_nans(False)",
        ]
    )
    if w.chance(0.2):
        name = w.fresh(scope, "f")
        w.emit(f"with contextlib.nullcontext({w.value('f', scope, 1)}) as {name}:")
        w.bind(scope, name, "f")
    else:
        w.emit(f"with {manager}:")
    w.indent += 1
    assign(w, scope, depth + 1)
    w.block(scope, depth + 1, w.rng.randint(0, 1))
    w.indent -= 1


def check(w: Writer, scope: Scope, depth: int) -> None:
    """An assertion about values or shapes that holds."""
    forms = ["$v.shape == (3,)", "$m.ndim == 2", "len($L) > 0", "$f > 0 or True", "$n >= 0 or $b"]
    w.emit(f"assert {w.form(w.choice(forms), scope, 1)}")


def forget(w: Writer, scope: Scope, depth: int) -> None:
    """Delete a name, or change a container of this function."""
    lists = [name for name, kind in scope.own.items() if kind == "l"]
    dicts = [name for name, kind in scope.own.items() if kind == "d"]
    forms = [(name, "{0}.append($f)") for name in lists]
    forms += [(name, "{0}.extend([$f, $f2])") for name in lists]
    forms += [(name, "{0}[0] = $f") for name in lists]
    forms += [(name, "{0}['scale'] = $f") for name in dicts]
    forms += [(name, "{0}.update(shift=$f)") for name in dicts]
    forms += [(name, "{0}.setdefault('shift', $f)") for name in dicts]
    if not forms:
        name = w.fresh(scope, "l")
        w.emit(f"{name} = []", w.form(f"{name}.append($f)", scope, 1))
        w.bind(scope, name, "l")
        return
    name, pattern = w.choice(forms)
    w.emit(w.form(pattern.format(name), scope, 1))


STATEMENTS = (
    (26, assign),
    (5, augment),
    (6, unpack),
    (6, branch),
    (4, update),
    (4, default),
    (2, repeat),
    (6, loop),
    (2, choose),
    (2, attempt),
    (2, within),
    (2, check),
    (3, forget),
)

"""Generated modules of a given size: shapes of code that an analysis must follow in linear time.

Each shape stands under each transform: a function that `jit`, `grad`, `vmap` or `scan` traces, or
a method of a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

_HEAD = """\
import functools

import jax
import jax.numpy as jnp
import numpy as np

"""
# Codes that no rule has.
_UNKNOWN = tuple(f"{number:03}" for number in range(10, 100))
# The size to measure first.
LEAST = 50
# A traced function or method of one array by name: its decorator, signature, and what uses it.
_CONTEXTS: dict[str, tuple[str, str, str, str]] = {
    "jit": ("", "@jax.jit\n", "def {name}(x):", "out_{name} = {name}(jnp.ones(3))\n"),
    "grad": ("", "", "def {name}(x):", "d_{name} = jax.grad({name})\nd_{name}(1.0)\n"),
    "vmap": ("", "", "def {name}(x):", "v_{name} = jax.vmap({name})(jnp.ones(3))\n"),
    "scan": (
        "",
        "",
        "def {name}(x, step=None):",
        "@jax.jit\ndef s_{name}(x):\n"
        "    return jax.lax.scan(lambda c, s: ({name}(c), s), x, jnp.ones(3))\n",
    ),
    "class": (
        "class C_{name}:\n",
        "    @functools.partial(jax.jit, static_argnums=0)\n",
        "    def {name}(self, x):",
        "m_{name} = C_{name}().{name}(jnp.ones(3))\n",
    ),
}
CONTEXTS = tuple(_CONTEXTS)

Lines = list[str]
Body = Callable[[int], Lines]


def traced(context: str, name: str, body: Lines) -> str:
    """A function or method with these statements, traced under a transform."""
    before, decorator, signature, after = _CONTEXTS[context]
    indent = "        " if before else "    "
    parts = (before, decorator, signature + "\n")
    head = "".join(part.format(name=name) for part in parts)
    lines = "".join(f"{indent}{line}\n" for line in body)
    return f"{head}{lines}\n{after.format(name=name)}\n"


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of module: its text by size and transform, and the smallest size to measure."""

    name: str
    text: Callable[[int, str], str]
    least: int = LEAST

    def source(self, size: int, context: str) -> str:
        return _HEAD + self.text(size, context)


# -- bodies: one function whose size grows --------------------------------------------------------


def _repeated(line: str, result: str = "x", first: Lines | None = None) -> Body:
    """A statement again and again: `{i}` counts, `{h}` is the one before."""
    start = first or []
    return lambda n: [
        *start,
        *(part for i in range(n) for part in line.format(i=i + 1, h=i).split("\n")),
        f"return {result.format(n=n)}",
    ]


def _joined(term: str, join: str) -> Body:
    return lambda n: ["return " + join.join(term.format(i=i) for i in range(n))]


def _wrapped(around: str, inner: str = "x") -> Body:
    def body(n: int) -> Lines:
        left, _, right = around.partition("{}")
        return [f"return {left * n}{inner}{right * n}"]

    return body


def _chain_of_tests(n: int) -> Lines:
    lines = ["if x.ndim == 0:", "    y = x"]
    for i in range(n):
        lines += [f"elif x.ndim == {i + 1}:", f"    y = x * {i}"]
    return [*lines, "else:", "    y = -x", "return y"]


def _dictionary(n: int) -> Lines:
    shown = ", ".join(f'"k{i}": x + {i}' for i in range(n))
    reads = [f'y = y + d["k{i}"]' for i in range(n)]
    return [f"d = {{{shown}}}", "y = x", *reads, "return y"]


def _called_items(n: int) -> Lines:
    lines = ["d = {}"]
    for i in range(n):
        lines += [f'd["k{i}"] = x * {i}']
    return [*lines, "return jax.tree.map(jnp.sin, d)"]


def _closures(n: int) -> Lines:
    lines = ["def g0(y):", "    return y + x"]
    for i in range(n):
        lines += [f"def g{i + 1}(y):", f"    return g{i}(y) + x"]
    return [*lines, f"return g{n}(x)"]


def _sibling_closures(n: int) -> Lines:
    lines = ["y = x"]
    for i in range(n):
        lines += [f"def g{i}(z):", f"    return z * y + {i}", f"y = g{i}(y)"]
    return [*lines, "return y"]


def _loop_body(n: int) -> Lines:
    inner = [f"    x = x + jnp.sin(x) * {i}" for i in range(n)]
    return ["for _ in range(3):", *inner, "return x"]


def _branches(n: int) -> Lines:
    lines = []
    for i in range(n):
        lines += [f"if x.shape == ({i},):", f"    x = x + {i}", "else:", "    x = jnp.sin(x)"]
    return [*lines, "return x"]


def _hazards(n: int) -> Lines:
    lines = []
    for i in range(n):
        lines += [f"if x > {i}:", f"    print(x, {i})"]
    return [*lines, "return x"]


def _locals(n: int) -> Lines:
    made = [f"a{i} = x + {i}" for i in range(n)]
    return [*made, "def use(z):", *(f"    z = z + a{i}" for i in range(n)), "    return z",
            "return use(x)"]  # fmt: skip


def _handlers(n: int) -> Lines:
    lines = []
    for i in range(n):
        lines += ["try:", f"    x = x + {i}", "except ValueError:", "    x = jnp.sin(x)"]
    return [*lines, "return x"]


def _appended(n: int) -> Lines:
    return ["rows = []", *(f"rows.append(x * {i})" for i in range(n)), "return jnp.stack(rows)"]


def _unpacked(n: int) -> Lines:
    lines = ["a, b = x, x"]
    for _ in range(n):
        lines += ["a, b = b, a + b"]
    return [*lines, "return a"]


def _conditionals(n: int) -> Lines:
    line = "x = jax.lax.cond(x.sum() > 0, lambda v: v + x, lambda v: v * {}, x)"
    return [*(line.format(i) for i in range(n)), "return x"]


def _static_conditionals(n: int) -> Lines:
    return [*(f"x = x + {i} if x.ndim > {i} else jnp.sin(x)" for i in range(n)), "return x"]


_BODIES: dict[str, Body] = {
    "residual chain": _repeated("x = x + jnp.tanh(x)"),
    "residual chain, rounded": _repeated("x = x + jnp.round(x)"),
    "newton steps": _repeated("y = y * (1.5 - 0.5 * x * y * y)", "y", ["y = x"]),
    "names once each": _repeated("h{i} = jnp.tanh(h{h}) + h{h}", "h{n}", ["h0 = x"]),
    "reused layer": _repeated(
        "h = h @ x\nh = h / jnp.sqrt(jnp.mean(h * h) + 1e-6)\nh = h + jnp.where(h > 0, h, 0.1 * h)",
        "h.sum()",
        ["h = x"],
    ),
    "division and logarithm": _repeated(
        "y = jnp.where(y > 0, jnp.log(y) / y, y)", "y", ["y = x"]
    ),
    "subscripts": _repeated("x = x[..., None] * x[0] - x[{i}:]"),
    "updates": _repeated("x = x.at[{i}].set(x[{h}])"),
    "shapes": _repeated("y = jnp.ones(x.shape) + y.reshape(x.shape)", "y", ["y = x"]),
    "integer steps": _repeated("y = jnp.floor(y) + (y > {i})", "y", ["y = x"]),
    "casts": _repeated("y = (y + x).astype(jnp.float32) * {i}", "y", ["y = x"]),
    "keys": _repeated(
        "key, sub = jax.random.split(key)\nx = x + jax.random.normal(sub, x.shape)",
        "x",
        ["key = jax.random.key(0)"],
    ),
    "one key": _repeated("x = x + jax.random.normal(key, x.shape)", "x",
                         ["key = jax.random.key(0)"]),
    "numbers": _repeated("n = n + {i}\nx = x * n", "x", ["n = 1"]),
    "reused numbers": _repeated("n = n + n * n", "x * n", ["n = x.shape[0]"]),
    "text": _repeated("s = s + f'{{s}}{i}'", "x", ["s = 'a'"]),
    "tuples": _repeated("t = (t, t)", "x", ["t = (x, x)"]),
    "lists": _repeated("t = [*t, x]", "jnp.stack(t)", ["t = [x]"]),
    "nested calls": _wrapped("jnp.sin({})"),
    "nested operators": _wrapped("(1.0 + {})"),
    "nested items": _wrapped("[{}][0]"),
    "nested conditionals": _wrapped("({} if x.ndim else x)"),
    "long sum": _joined("x", " + "),
    "long product of calls": _joined("jnp.sin(x) ** {i}", " * "),
    "long test": _joined("x.ndim == {i}", " or "),
    "long comparison": _joined("x.ndim", " < "),
    "long list": lambda n: [f"return jnp.array([{', '.join(['x'] * n)}])"],
    "chain of tests": _chain_of_tests,
    "branches": _branches,
    "conditional expressions": _static_conditionals,
    "lax.cond": _conditionals,
    "dictionary": _dictionary,
    "dictionary, item by item": _called_items,
    "nested closures": _closures,
    "closures side by side": _sibling_closures,
    "captured names": _locals,
    "loop": _loop_body,
    "hazards in one function": _hazards,
    "handlers": _handlers,
    "appended": _appended,
    "unpacked": _unpacked,
}  # fmt: skip


def _of_body(body: Body) -> Callable[[int, str], str]:
    return lambda n, context: traced(context, "f", body(n))


# -- modules: many functions, classes, calls or comments ------------------------------------------


def _functions(n: int, context: str) -> str:
    return "".join(traced(context, f"f{i}", ["if x > 0:", "    return x", "return -x"])
                   for i in range(n))  # fmt: skip


def _ignored(n: int, context: str) -> str:
    body = ["if x > 0:  # jaxlint: ignore[branch-on-traced] known", "    return x", "return -x"]
    return "".join(traced(context, f"f{i}", body) for i in range(n))


def _long_ignore(n: int, context: str) -> str:
    names = ", ".join(f"JAX{_UNKNOWN[i % len(_UNKNOWN)]}" for i in range(n))
    body = [f"if x > 0:  # jaxlint: ignore[{names}]", "    return x", "return -x"]
    return traced(context, "f", body)


def _ignored_files(n: int, context: str) -> str:
    codes = (_UNKNOWN[i % len(_UNKNOWN)] for i in range(n))
    lines = "".join(f"# jaxlint: ignore-file[JAX{code}] known\n" for code in codes)
    return lines + traced(context, "f", ["if x > 0:", "    return x", "return -x"])


def _left_imports(n: int, context: str) -> str:
    """Functions whose fixes each leave an import without a use."""
    imports = "".join(f"from math import sin as s{i}\n" for i in range(n))
    names = ", ".join(f"cos as c{i}" for i in range(n))
    bodies = ([f"return s{i}(x) + c{i}(x)"] for i in range(n))
    functions = (traced(context, f"f{i}", body) for i, body in enumerate(bodies))
    return f"{imports}from math import {names}\n\n{''.join(functions)}"


def _decorators(n: int, context: str) -> str:
    helper = "def same(f):\n    return f\n\n\n"
    stack = "@same\n" * n + "def g(x):\n    return x + 1\n\n\n"
    return helper + stack + traced(context, "f", ["return g(x)"])


def _wrappers(n: int, context: str) -> str:
    helper = "def logged(f):\n    @functools.wraps(f)\n    def inner(*args):\n"
    helper += "        return f(*args)\n    return inner\n\n\n"
    stack = "@logged\n" * n + "def g(x):\n    return x + 1\n\n\n"
    return helper + stack + traced(context, "f", ["return g(x)"])


def _stacked(n: int, context: str) -> str:
    stack = "@jax.jit\n" * n + "def g(x):\n    if x > 0:\n        return x\n    return -x\n\n\n"
    return stack + traced(context, "f", ["return g(x)"])


def _gradients(n: int, context: str) -> str:
    chain = "def h(x):\n    return x\n\n\n" + "h = jax.grad(h)\n" * n
    return chain + traced(context, "f", ["return h(x)"])


def _traced_parameters(n: int, context: str) -> str:
    params = ", ".join(f"p{i}" for i in range(n))
    return f"@jax.jit\ndef g({params}, *args, **kwargs):\n    return p0\n\n\n" + traced(
        context, "f", ["return x"]
    )


def _methods(n: int, context: str) -> str:
    if context != "class":
        methods = "".join(f"    def m{i}(self, x):\n        return x + {i}\n\n" for i in range(n))
        use = [*(f"x = o.m{i}(x)" for i in range(n)), "return x"]
        return f"class O:\n{methods}\no = O()\n\n{traced(context, 'f', use)}"
    one = "    @functools.partial(jax.jit, static_argnums=0)\n    def m{i}(self, x):\n"
    one += "        if x > {i}:\n            return x\n        return self.m{h}(x)\n\n"
    first = "    def m0(self, x):\n        return x\n\n"
    return f"class O:\n{first}" + "".join(one.format(i=i + 1, h=i) for i in range(n))


def _own_methods(n: int, context: str) -> str:
    """Jitted methods that do not call each other."""
    one = "    @jax.jit\n    def m{i}(self, x):\n        return x + self.scale\n\n"
    methods = "".join(one.format(i=i) for i in range(n))
    init = "    def __init__(self):\n        self.scale = 1.0\n\n"
    return f"class O:\n{init}{methods}\n{traced(context, 'f', ['return O().m0(x)'])}"


def _classes(n: int, context: str) -> str:
    one = "class O{i}:\n    def __init__(self):\n        self.scale = {i}.0\n\n"
    one += "    def __call__(self, x):\n        return x * self.scale\n\n\n"
    use = [*(f"x = O{i}()(x)" for i in range(n)), "return x"]
    return "".join(one.format(i=i) for i in range(n)) + traced(context, "f", use)


def _hierarchy(n: int, context: str) -> str:
    first = "class O0:\n    def scale(self, x):\n        return x\n\n\n"
    one = "class O{i}(O{h}):\n    def m{i}(self, x):\n        return self.scale(x)\n\n\n"
    made = "".join(one.format(i=i + 1, h=i) for i in range(n))
    return first + made + traced(context, "f", [f"return O{n}().m{n}(x)"])


def _attributes(n: int, context: str) -> str:
    made = "".join(f"        self.a{i} = {i}.0\n" for i in range(n))
    use = [*(f"x = x * o.a{i}" for i in range(n)), "return x"]
    return f"class O:\n    def __init__(self):\n{made}\no = O()\n\n{traced(context, 'f', use)}"


def _calls(n: int, context: str, body: str, tail: str = "", head: str = "") -> str:
    """Functions of which each calls others: `{i}` is its number, `{h}` that of the one before,
    `{j}` and `{k}` those of the two that follow, in a ring."""
    text = f"def g0(x{tail}):\n    return x + 1\n\n\n"
    for i in range(1, n + 1):
        inner = body.format(i=i, h=i - 1, j=i % n + 1, k=(i + 1) % n + 1)
        text += f"{head}def g{i}(x{tail}):\n    return {inner}\n\n\n"
    return text + traced(context, "f", [f"return g{n}(x)"])


def _instances(n: int, context: str) -> str:
    text = "class O:\n    def __init__(self, inner):\n        self.inner = inner\n\n"
    text += "    def __call__(self, x):\n        return self.inner(x) + self.inner(x)\n\n\n"
    text += "o0 = O(jnp.sin)\n" + "".join(f"o{i + 1} = O(o{i})\n" for i in range(n))
    return text + "\n" + traced(context, "f", [f"return o{n}(x)"])


def _higher(n: int, context: str) -> str:
    text = "def twice(f):\n    def g(x):\n        return f(f(x))\n    return g\n\n\n"
    text += "t0 = jnp.sin\n" + "".join(f"t{i + 1} = twice(t{i})\n" for i in range(n))
    return text + "\n" + traced(context, "f", [f"return t{n}(x)"])


def _arguments(n: int, context: str) -> str:
    """One helper, called with a constant of its own each time."""
    helper = "def helper(x, k):\n    return x * k\n\n\n"
    use = [*(f"x = helper(x, {i})" for i in range(n)), "return x"]
    return helper + traced(context, "f", use)


def _host_calls(n: int, context: str) -> str:
    """A traced function, called by host code again and again."""
    text = traced(context, "f", ["return x + 1"])
    name = {"grad": "d_f", "class": "C_f().f", "scan": "s_f"}.get(context, "f")
    return text + "".join(f"y{i} = {name}(jnp.ones({i + 1}))\n" for i in range(n))


def _globals(n: int, context: str) -> str:
    made = "".join(f"a{i} = np.ones({i + 1})\n" for i in range(n))
    use = [*(f"x = x + a{i}" for i in range(n)), "return x"]
    return made + "\n" + traced(context, "f", use)


def _host_loops(n: int, context: str) -> str:
    text = traced(context, "f", ["return x + 1"])
    name = {"grad": "d_f", "class": "C_f().f", "scan": "s_f"}.get(context, "f")
    loop = "for i in range(100):\n    y{n} = {name}(jnp.ones(3) * i)\n    print(float(y{n}))\n"
    return text + "".join(loop.format(n=i, name=name) for i in range(n))


def _host_chain(n: int, context: str) -> str:
    """Host code in a loop that reuses names."""
    text = traced(context, "f", ["return x + 1"])
    name = {"grad": "d_f", "class": "C_f().f", "scan": "s_f"}.get(context, "f")
    lines = "".join("    n = n + n * 2\n    m = n - m\n" for _ in range(n))
    return f"{text}n = m = 1\nfor i in range(100):\n{lines}    y = {name}(jnp.ones(n - m))\n"


def _parameters(n: int, context: str) -> str:
    params = ", ".join(f"p{i}=None" for i in range(n))
    used = "\n".join(f"    if p{i} is not None:\n        x = x + p{i}" for i in range(n))
    helper = f"def helper(x, {params}):\n{used}\n    return x\n\n\n"
    passed = ", ".join(f"p{i}=x" for i in range(n))
    return helper + traced(context, "f", [f"return helper(x, {passed})"])


_MODULES: dict[str, Callable[[int, str], str]] = {
    "functions": _functions,
    "suppressed functions": _ignored,
    "imports that fixes leave": _left_imports,
    "long ignore list": _long_ignore,
    "comments for the file": _ignored_files,
    "decorators": _decorators,
    "wrappers": _wrappers,
    "stacked transforms": _stacked,
    "gradients of gradients": _gradients,
    "traced parameters": _traced_parameters,
    "methods": _methods,
    "jitted methods": _own_methods,
    "classes": _classes,
    "class hierarchy": _hierarchy,
    "attributes": _attributes,
    "call chain": partial(_calls, body="g{h}(x) * {i}"),
    "jitted call chain": partial(_calls, body="g{h}(x) * {i}", head="@jax.jit\n"),
    "diamonds": partial(_calls, body="g{h}(x) + g{h}(x + {i})"),
    "diamonds of constants": partial(_calls, body="g{h}(x, k + 1) + g{h}(x, k + 2)", tail=", k=0"),
    "diamonds of functions": partial(
        _calls, body="g{h}(x, jnp.sin) + g{h}(x, lambda v: v + {i})", tail=", k=jnp.cos"
    ),
    "diamonds of dictionaries": partial(
        _calls, body='g{h}(x, {{"a": x, **k}}) + g{h}(x, {{"b": x, **k}})', tail=", k={}"
    ),
    "mutual recursion": partial(_calls, body="g{j}(x) + g{k}(x - 1)"),
    "composed objects": _instances,
    "composed functions": _higher,
    "constants for a helper": _arguments,
    "calls from host code": _host_calls,
    "globals": _globals,
    "host loops": _host_loops,
    "host chain": _host_chain,
    "parameters": _parameters,
}


# Where something is cut off that grows faster, from which size on that shows.
_LEAST = {
    "diamonds of constants": 100,
    "diamonds of functions": 100,
    "diamonds of dictionaries": 100,
    "mutual recursion": 100,
}


def shapes() -> Iterator[Shape]:
    """All shapes."""
    for name, body in _BODIES.items():
        yield Shape(name, _of_body(body))
    for name, text in _MODULES.items():
        yield Shape(name, text, _LEAST.get(name, LEAST))

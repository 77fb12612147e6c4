"""Short sources whose values or whose cost would grow without bound, were there none."""

from __future__ import annotations

import pytest
from robustness import counting, session, watchdog

HEADER = "import functools, itertools, jax, jax.numpy as jnp\n"
BIG = "1" + "0" * 30
LONG = "0x" + "f" * 5000

# What Python itself computes only with much time or memory, or not at all.
CONSTANTS = (
    "'a' * 1000000000",
    f"'a' * {BIG}",
    "'%1000000000d' % 5",
    "'%.1000000000f' % 1.5",
    "'%*d' % (1000000000, 1)",
    "'%c' % 1114112",
    "'%(a)s' % 1",
    "'{:1000000000}'.format(1)",
    "'{}{}'.format(1)",
    "'abc'.center(1000000000)",
    "f'{1:1000000000}'",
    "b'a' * 1000000000",
    "[0] * 1000000000",
    "(0,) * -1",
    f"str({LONG})",
    f"f'{{{LONG}}}'",
    f"({LONG}).bit_length()",
    f"{{{LONG}: 1}}",
    f"'%d' % {LONG}",
    f"float({LONG})",
    f"1.5 < {LONG}",
    f"range({BIG})",
    f"range({BIG})[{BIG}]",
    f"[1, 2][{BIG}]",
    f"[1].insert({BIG}, 1)",
    f"x.shape[{BIG}]",
    f"jnp.zeros({BIG})",
    "list(range(1000000000))",
    "len(range(10**400))",
    f"jnp.arange({BIG}, 10**400, 3)",
    f"jax.lax.scan(x, x, jnp.arange({LONG}))",
    f"jnp.zeros(({LONG}, 10**400))[{LONG}]",
    f"itertools.islice([1, 2], {BIG})",
    "itertools.islice([1, 2], -1)",
    "list(itertools.product([1, 2], repeat=1000000000))",
    "list(itertools.product([1, 2], repeat=-1))",
    "itertools.combinations(x, 1000000000)",
    "list(itertools.combinations([1], -1))",
    f"[] * {BIG}",
    f"[1] * -{BIG}",
    "sorted(1, 2)",
    "sorted('b', 'a')",
    "[a for a in range(100000) for b in range(100000)]",
    "list(itertools.product(range(1000), repeat=5))",
    "pow(3, 1000000000)",
    "1 << 1000000000",
    "1 // 0",
    "1.0 % 0",
    "int('x')",
    "int('1', 99)",
    "int('9' * 5000)",
    "int(1e999)",
    "chr(-1)",
    "ord('ab')",
    "min([])",
    "max()",
    "super()",
    "next([])",
    "slice()",
    "[].pop()",
    "{}.popitem()",
    "'x'.split('')",
    "'x'.encode('nope')",
    "[1, 2][::0]",
    "'abc'[1:2:0]",
    "range(1, 2, 0)",
    "1 < 'a'",
    "[3, 'a'].sort()",
    "5 in 'abc'",
    "hash([])",
    "{[]: 1}",
    "{**1}",
    "[*1]",
    "'\\ud800'",
)
PLACES = (
    "y = {0}\n",
    "@jax.jit\ndef f(x, k):\n    y = {0}\n    for z in ({0}):\n        y = y + z\n"
    "    if ({0}):\n        return y\n    y += ({0})\n    return ({0})\n",
    "class A:\n    a = {0}\n    def __init__(self, x=({0})):\n        self.x = {0}\n"
    "    @jax.jit\n    def f(self, x):\n"
    "        return jnp.sum({0}) + jnp.zeros({0})[{0}] + self.x[{0}]\n",
)


def steps(source: str) -> int:
    """What it costs to check a source, which must not crash."""
    with counting() as count, watchdog():
        before = count()
        report = session().check_source(HEADER + source, "file.py")
        assert not report.crashed, report.findings
        assert ["JAX001"] != [finding.code for finding in report.findings], report.findings
        return count() - before


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_that_python_cannot_compute_is_not_computed(constant: str) -> None:
    for place in PLACES:
        assert steps(place.format(constant)) < 1000


TRACED = "@jax.jit\ndef f(x, c):\n"
NODE = "class N:\n def __init__(s, n):\n  s.n = n\n  s.k = [n, s]\n"
ENDS = (
    " print(a, b); g(a); d.append(a); reveal(a)\n"
    " y = (a if c else b), a == b, a < b, sorted(a), max(a, b), jnp.sum(a), jnp.asarray(b)\n"
    " return jax.tree.map(jnp.sin, (a, b)), jax.lax.scan(lambda c, _: (b, c), a, None)\n"
)


def _chain(lines: str, times: int = 40) -> str:
    return TRACED + " a = [x]\n b = (c,)\n" + lines * times + ENDS


GROWTHS = {
    "sums": _chain(" a = a + a\n b = b + b\n"),
    "sums in place": _chain(" a += a\n b += b\n"),
    "extended": _chain(" a.extend(a)\n"),
    "unpacked": _chain(" a = [*a, *a]\n b = (*b, *b)\n"),
    "repeated": _chain(" a = a * 3\n b = b * 30\n b = b + b\n"),
    "copied": _chain(" a = list(a) + list(a)\n"),
    "chained": _chain(" a = list(itertools.chain(a, a))\n"),
    "comprehended": _chain(" a = [e for e in a for _ in (1, 2)]\n"),
    "texts": _chain(" a = f'{a}{a}'\n b = 'a' if c else 'b'\n b = b + b\n"),
    "pairs": _chain(" a = (a, a)\n b = (b, b)\n"),
    "lists of lists": _chain(" a = [a, a]\n b = [b, b]\n"),
    "dicts of dicts": _chain(" a = {1: a, 2: a}\n b = {1: b, 2: b}\n"),
    "static pairs": TRACED + " a = b = 1\n" + " a = (a, a)\n b = (b, b)\n" * 40 + ENDS,
    "objects": NODE + _chain(" a = N(a)\n b = N(b)\n"),
    "objects that hold themselves": NODE + _chain(" a = N(b)\n b = N(a)\n a.n = b\n", 3),
    "containers that hold themselves": _chain(" a.append(a)\n b = {1: b, 2: a}\n b[3] = b\n", 4),
    "containers that may hold themselves": TRACED
    + " a = [1]\n b = {1: 2}\n a.append(a if c else x)\n b[3] = b if c else a\n"
    + ENDS.replace("y =", "y = x + a, b * x, -a, jnp.sum(b),"),
    "lists that grow while they are mapped": TRACED
    + " a = [x]\n jax.tree.map(lambda e: a.append(e), a)\n a = map(lambda e: a.append(e), a)\n"
    + " b = [x]\n return a, [b.append(e) for e in b], [b.extend(b) for e in b]\n",
    "dicts that grow while they are mapped": TRACED
    + " a = {1: x}\n jax.tree.map(lambda e: a.update({len(a): e, c: 2, 'k': 3}), a)\n"
    + " for k in a: a[k, k] = x\n return [a.setdefault(7, e) for e in a.values()]\n",
    "objects that grow while they are mapped": "import equinox as eqx\nclass N(eqx.Module):\n"
    " a: jax.Array\n"
    + TRACED
    + " n = N(x)\n return jax.tree.map(lambda e: setattr(n, 'b', e), n)\n",
    "iterators": _chain(" a = (e for e in (a, a))\n b = list(zip(b, b))\n"),
    "choices": _chain(" if c.any(): a = (a, a)\n else: a = (a, (a, b))\n"),
    "partials": _chain(" g = functools.partial(f, a, b)\n a = g\n"),
    "nested functions": TRACED + " g = jnp.sin\n" + " g = (lambda h: lambda y: h(h(y)))(g)\n" * 40,
    "transforms": "f = jnp.sin\n" + "f = jax.grad(jax.jit(lambda x, f=f: f(x) + f([x])))\n" * 40,
    "wrappers": "def w(f):\n @functools.wraps(f)\n def i(*a):\n  return f(*a) + f(a)\n return i\n"
    + "@w\n" * 40
    + TRACED
    + " return x\n",
    "bases": "".join(
        f"class C{at}({', '.join(f'C{at - back}' for back in (1, 2) if at >= back) or 'object'}):\n"
        " y = 1\n"
        for at in range(40)
    )
    + TRACED
    + " return C39().z + C39.z + super(C39).z\n",
    "properties": "class A:\n"
    + "".join(f" @property\n def p{at}(s): return s.p{at + 1} + s.p{at + 1}\n" for at in range(40))
    + TRACED
    + " return A().p0\n",
    "calls": "".join(
        f"def f{at}(x, y=1): return f{at * 7 % 61}(f{at * 11 % 61}(x, [y]), {{1: x}})\n"
        for at in range(61)
    )
    + TRACED
    + " return f1(x)\n",
}


def _nest(line: str, depth: int, last: str) -> str:
    return "".join(" " * at + line.format(at) for at in range(depth)) + " " * depth + last


NESTS = {
    "loops": lambda n: _nest("for x{} in y:\n", n, "z = z + 1\n"),
    "endless loops": lambda n: _nest("while x{}:\n", n, "z = z + 1\n"),
    "classes in loops": lambda n: (
        "".join(" " * at + ("class C:\n" if at % 2 else "for x in y:\n") for at in range(2 * n))
        + " " * (2 * n)
        + "z = z + 1\n"
    ),
    "classes in known elements": lambda n: (
        TRACED
        + "".join(
            " " * (at + 1) + ("class C:\n" if at % 2 else "for x in (1, c):\n")
            for at in range(2 * n)
        )
        + " " * (2 * n + 1)
        + "z = x + 1\n"
    ),
    "known elements": lambda n: TRACED + _nest(" for x{} in (1, c):\n", n, " x = x + 1\n"),
    "comprehensions": lambda n: (
        "T = (1,) * 16\n" + TRACED + f" return {'[' * n}e{' for e in T]' * n}\n"
    ),
    "clauses": lambda n: "T = (1,) * 16\n" + TRACED + f" return [e{' for e in T' * n} if False]\n",
    "mapped functions": lambda n: (
        "T = (1,) * 8\n" + TRACED + f" return {'list(map(lambda a: ' * n}1{', T))' * n}\n"
    ),
    "branches": lambda n: TRACED + _nest(" if x > 0:\n", n, " return x\n"),
    "functions": lambda n: (
        TRACED
        + _nest(" def g(x):\n", n, " return x\n")
        + "".join(" " * at + " return g(x) + g([x]) + g(1)\n" for at in reversed(range(n)))
    ),
}


@pytest.mark.parametrize("name", sorted(GROWTHS))
def test_what_doubles_forty_times_stays_small(name: str) -> None:
    # Sixty functions that call each other take some four hundred each.
    assert steps(GROWTHS[name]) < 30_000


@pytest.mark.parametrize("name", sorted(NESTS))
def test_the_cost_of_nesting_does_not_grow_exponentially(name: str) -> None:
    costs = [steps(NESTS[name](depth)) for depth in (6, 12)]

    assert costs[1] < 8 * costs[0] + 5000


@pytest.mark.parametrize(
    "statements",
    [
        " x = x + 1\n" * 600,
        " if x.any(): x = x + 1\n" * 600,
        "".join(f" if x.any(): a{at} = x\n" for at in range(600)),
        "".join(f" if x.any(): return x + {at}\n" for at in range(600)),
        "".join(f" HELD[{at}].append(x)\n" for at in range(600)),
        " if x: pass\n" + " elif c: y = 1\n" * 600,
    ],
)
def test_long_functions_cost_what_their_lines_cost(statements: str) -> None:
    assert steps(f"HELD = {{}}\n{TRACED}{statements} return x\n") < 10_000

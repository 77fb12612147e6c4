"""Broken and rearranged Python: real files cut, shuffled, nested, and mixed with JAX code."""

from __future__ import annotations

import random
import re
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotating import annotated
from rearranged import rearrange

# Names of standard library folders whose files are not part of what Python promises.
_INSTALLED = {"site-packages", "dist-packages"}
_LEFT_OUT = {*_INSTALLED, "__pycache__"}
# An excerpt is this many lines at most: long files take time, and their middles are alike.
MOST_LINES = 160
HEADER = "import functools, jax, jax.numpy as jnp, numpy as np\nfrom jax import lax\n"

SNIPPETS = (
    "@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n",
    "@functools.partial(jax.jit, static_argnames='n')\ndef power(x, n):\n"
    "    for _ in range(n):\n        x = x * x\n    return x\n",
    "def step(carry, row):\n    print(carry)\n    return carry + row, float(row)\n"
    "out = lax.scan(step, 0.0, jnp.ones(3))\n",
    "class Cell:\n    count = 0\n    @jax.jit\n    def __call__(self, x):\n"
    "        self.count += 1\n        return self.last(x)\n    def last(self, x):\n"
    "        self.seen = x\n        return x.sum()\n",
    "grads = jax.vmap(jax.grad(lambda w, x: (w * x).sum()), in_axes=(None, 0))\n",
    "def fix(f):\n    return jax.jit(lambda *a, **k: f(fix(f))(*a, **k))\n",
    "loop = lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, [*c[1:]]), (0, 1.0))\n",
    "history = []\n@jax.jit\ndef record(x):\n    history.append(x)\n"
    "    return {k: v for k, v in zip('ab', (x, history))}\n",
    "match jnp.ones(3):\n    case [first, *rest] if first > 0:\n        total = sum(rest)\n",
)

_WORDS = (  # noqa: SIM905
    "jax jnp np lax self x y f jit vmap grad scan cond None True shape append print range len if "
    "else for while def class return yield await async lambda with try except finally match case "
    "import from as global nonlocal del assert raise not and or in is * ** := -> @ = == [ ] ( ) "
    "{ } : ; , . ... \\ 0 1.5e3 0x1F 1_0 'text' f'{x!r:>{y}}' b'' \"\"\" ''' #"
).split()
_CHARACTERS = "\0\f\t\v\r\x1a\x7f\u00a0\u00e9\u2028\u202e\u3000\ufeff\U0001f600\u0661\u0301"
_COOKIES = ("latin-1", "utf-8", "utf-16", "ascii", "cp1252", "nothing", "hex", "utf_7", "shift_jis")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


@cache
def corpus() -> tuple[Path, ...]:
    """Every file of the standard library and of the installed packages, in a fixed order. Which
    files these are depends on no change of jaxlint, which is left out."""
    paths = sysconfig.get_paths()
    found = {
        path
        for path in Path(paths["stdlib"]).rglob("*.py")
        if not _LEFT_OUT & set(path.parts[len(Path(paths["stdlib"]).parts) :])
    }
    # An environment may borrow packages from another one.
    for installed in (Path(place) for place in sys.path if Path(place).name in _INSTALLED):
        own = installed / "jaxlint"
        found.update(path for path in installed.rglob("*.py") if own not in path.parents)
    return tuple(sorted(found))


@cache
def _about_jax() -> tuple[Path, ...]:
    return tuple(path for path in corpus() if b"jax" in path.read_bytes())


@dataclass(frozen=True)
class Mutant:
    """A file that was tampered with: where it came from, and what was done to it."""

    origin: str
    steps: tuple[str, ...]
    data: bytes

    @property
    def kloc(self) -> float:
        """Its size in thousand lines: 80 characters count as one, and 100 are the least.

        Below that, what each file costs outweighs what its lines cost.
        """
        return max(self.data.count(b"\n"), len(self.data) / 80, 100) / 1000


def mutant(rng: random.Random) -> Mutant:
    """One file of the corpus, or an excerpt of one, after a few mutations."""
    path = rng.choice(_about_jax() if rng.random() < 0.4 else corpus())
    text = _excerpt(rng, path.read_bytes().decode("utf-8", "replace"))
    return mutate(rng, text, str(path))


def mutate(rng: random.Random, text: str, origin: str = "") -> Mutant:
    """A source after a few mutations. It mentions JAX, so that nothing skips it."""
    if rng.random() < 0.8:
        text = HEADER + text.replace("from __future__", "from functools", 1)
    steps = []
    if rng.random() < 0.5:
        steps.append(annotated.__name__)
        text = annotated(rng, text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        step = rng.choices(_STEPS, _WEIGHTS)[0]
        text = step(rng, text)
        steps.append(step.__name__)
    if "jax" not in text:
        text += "\n# jax\n"
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        steps.append("broken_bytes")
        data = broken_bytes(rng, data)
    return Mutant(origin, tuple(steps), data)


def _excerpt(rng: random.Random, text: str) -> str:
    """Neighbouring lines that begin, where possible, at the start of a statement."""
    lines = text.split("\n")
    if len(lines) <= MOST_LINES:
        return text
    first = rng.randrange(len(lines) - MOST_LINES // 2)
    while first and (not lines[first] or lines[first][0] in " \t)]}#"):
        first -= 1
    return "\n".join(lines[first : first + rng.randint(MOST_LINES // 4, MOST_LINES)]) + "\n"


def _span(rng: random.Random, length: int, most: int) -> tuple[int, int]:
    start = rng.randint(0, length)
    return start, min(length, start + rng.randint(0, most))


def truncated(rng: random.Random, text: str) -> str:
    """The start of a source, which may end anywhere."""
    return text[: rng.randint(0, len(text))]


def span_deleted(rng: random.Random, text: str) -> str:
    """A source in which a stretch of characters is missing."""
    start, end = _span(rng, len(text), 200)
    return text[:start] + text[end:]


def span_repeated(rng: random.Random, text: str) -> str:
    """A source in which a stretch of characters stands several times."""
    start, end = _span(rng, len(text), 100)
    return text[:start] + text[start:end] * rng.choice((2, 3, 20)) + text[end:]


def tokens_changed(rng: random.Random, text: str) -> str:
    """Tokens swapped, deleted, duplicated or replaced by others."""
    tokens = _TOKEN.findall(text)
    solid = [at for at, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice((1, 1, 2, 4)) if solid else 0):
        a, b = rng.choice(solid), rng.choice(solid)
        action = rng.randrange(4)
        if action == 0:
            tokens[a], tokens[b] = tokens[b], tokens[a]
        elif action == 1:
            tokens[a] = ""
        elif action == 2:
            tokens[a] += " " + tokens[a]
        else:
            tokens[a] = rng.choice(_WORDS)
    return "".join(tokens)


def names_unified(rng: random.Random, text: str) -> str:
    """A source in which a few names became one: of JAX, of a function, of anything."""
    names = sorted(set(re.findall(r"\b[a-zA-Z_]\w*\b", text)))
    if not names:
        return text
    one = rng.choice([*_WORDS[:16], *names])
    chosen = set(rng.sample(names, min(len(names), rng.choice((1, 2, 5)))))
    return re.sub(r"\b[a-zA-Z_]\w*\b", lambda m: one if m[0] in chosen else m[0], text)


def lines_changed(rng: random.Random, text: str) -> str:
    """Lines swapped, deleted, repeated, or indented in another way."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 3))):
        a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
        action = rng.randrange(5)
        if action == 0:
            lines[a], lines[b] = lines[b], lines[a]
        elif action == 1:
            lines[a] = ""
        elif action == 2:
            lines[a] = f"{lines[a]}\n{lines[a]}"
        elif action == 3:
            lines[a] = rng.choice((" ", "    ", "\t", "\f")) + lines[a]
        else:
            lines[a] = lines[a].lstrip()
    return "\n".join(lines)


def line_ends_changed(rng: random.Random, text: str) -> str:
    """Other line ends, or none at the end."""
    return text.rstrip("\n").replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\n\f", "\\\n")))


def character_inserted(rng: random.Random, text: str) -> str:
    """A character that sources seldom hold."""
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice((*_CHARACTERS, "\ud800")) + text[at:]


def snippet_spliced(rng: random.Random, text: str) -> str:
    """JAX code between two lines, indented as the one before it."""
    lines = text.split("\n")
    at = rng.randint(0, len(lines))
    before = lines[at - 1] if at else ""
    indent = before[: len(before) - len(before.lstrip())] if rng.random() < 0.8 else ""
    lines[at:at] = [indent + line for line in rng.choice(SNIPPETS).splitlines()]
    return "\n".join(lines)


_NESTS: tuple[Callable[[str, int], str], ...] = (
    lambda it, n: "(" * n + it + ")" * n,
    lambda it, n: "[" * n + it + "]" * n,
    lambda it, n: "f(" * n + it + ")" * n,
    lambda it, n: "jax.jit(" * n + it + ")" * n,
    lambda it, n: "{1: " * n + it + "}" * n,
    lambda it, n: "lambda x: " * n + it,
    lambda it, n: "not " * n + it,
    lambda it, n: "-" * n + it,
    lambda it, n: f"{it} if {it} else " * n + it,
    lambda it, n: f" {'+' if n % 2 else 'and'} ".join([it] * n),
    lambda it, n: it + ".x" * n,
    lambda it, n: it + "()" * n,
    lambda it, n: it + "[0]" * n,
    lambda it, n: "[" * n + it + " for x in y]" * n,
    lambda it, n: f"({it} := " * n + "0" + ")" * n,
)
_BLOCKS = (
    "if x > 0:",
    "for x in range(3):",
    "while x:",
    "def f(x, y=f):",
    "@jax.jit\n{}def g(x):",
    "class C(f):",
    "with f(x) as y:",
    "try:\n{0}    f(x)\n{0}except TypeError:",
    "match x:\n{0}  case [y, *z]:\n{0}    f(y)\n{0}if z:",
)


def deeply_nested(rng: random.Random, text: str) -> str:
    """An expression, or blocks, nested deeper than people write.

    LibCST's own time is quadratic in depth: more than a hundred levels are left to the tests
    of hostile sources, which bound what they may cost.
    """
    depth = rng.choice((3, 10, 30, 50, 90))
    names = list(re.finditer(r"\b[a-z_]\w*\b", text))
    if names and rng.random() < 0.7:
        match = rng.choice(names)
        nested = rng.choice(_NESTS)(match[0], depth)
        return text[: match.start()] + nested + text[match.end() :]
    lines = []
    for level in range(min(depth, 110)):
        indent = " " * level
        lines += [indent + line for line in rng.choice(_BLOCKS).format(indent).split("\n")][:1]
    lines = [line for line in lines if not line.lstrip().startswith(("try", "match", "@"))]
    lines = [" " * level + line.lstrip() for level, line in enumerate(lines)]
    return f"{text}\n" + "\n".join([*lines, " " * len(lines) + "return f(x)"]) + "\n"


def cookie_added(rng: random.Random, text: str) -> str:
    """A source that names an encoding, often another one than its own."""
    return f"# -*- coding: {rng.choice(_COOKIES)} -*-\n{text}"


def broken_bytes(rng: random.Random, data: bytes) -> bytes:
    """Bytes that are no text, or text of another encoding."""
    at = rng.randint(0, len(data))
    return rng.choice(
        (
            data[:at],
            data[:at] + bytes([rng.randrange(256)]) + data[at:],
            b"\xef\xbb\xbf" + data,
            b"\xff\xfe" + data,
            data.decode("utf-8", "replace").encode("utf-16"),
            data[:at] + rng.randbytes(20) + data[at:],
        )
    )


_WEIGHTED: dict[Callable[[random.Random, str], str], int] = {
    rearrange: 30,
    tokens_changed: 6,
    snippet_spliced: 6,
    lines_changed: 3,
    names_unified: 8,
    truncated: 3,
    span_deleted: 2,
    span_repeated: 2,
    deeply_nested: 3,
    character_inserted: 1,
    line_ends_changed: 1,
    cookie_added: 1,
}
_STEPS, _WEIGHTS = list(_WEIGHTED), list(_WEIGHTED.values())

"""The labels of hand-written modules are known."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from contract import Labels, Program
from held_programs import HELD
from labels import label

pytestmark = pytest.mark.jax

HEADER = (
    "import collections, contextlib, dataclasses, functools, itertools, logging, random; "
    "import sys, time; import jax, jax.numpy as jnp, numpy as np"
)
"""The first line of every module here."""


def whole(text: str) -> str:
    return HEADER + "\n" + text.lstrip("\n")


def labels_of(folder: Path, text: str) -> Labels:
    """The labels of a module, whose own first line is the second."""
    return label(Program(0, whole(text)), folder)


def held(labels: Labels) -> dict[tuple[int, str], str]:
    """The kinds of names by line and name."""
    return {(each.line, each.name): each.kind for each in labels.names}


_EXPECTED = re.compile(r"#: (.*)$")


def expected(text: str) -> dict[tuple[int, str], str]:
    """What comments say: "#: x=traced n=static" names all that has a label on its line."""
    found = {}
    for line, each in enumerate(whole(text).splitlines(), 1):
        if match := _EXPECTED.search(each):
            for pair in match[1].split():
                name, _, kind = pair.partition("=")
                found[line, name] = kind
    return found


def marked_lines(text: str) -> set[int]:
    lines = whole(text).splitlines()
    return {line for line, each in enumerate(lines, 1) if "#:" in each}


@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_held_names(text: str, tmp_path: Path) -> None:
    labels = labels_of(tmp_path, text)
    assert labels.endings == ()
    lines = marked_lines(text)
    assert {key: kind for key, kind in held(labels).items() if key[0] in lines} == expected(text)


def test_statement_of_several_lines_has_its_first(tmp_path: Path) -> None:
    labels = labels_of(tmp_path, HELD["several lines"])
    assert {each.line for each in labels.names} == {4, 7, 10}
    assert {4, 7, 10} == labels.executed


def test_label_names_its_function(tmp_path: Path) -> None:
    text = """
@jax.jit
@functools.wraps(abs)
def f(x):
    return (lambda y: y)(x)
f(1.0)
"""
    labels = labels_of(tmp_path, text)
    assert [(each.function, each.first, each.line, each.name) for each in labels.names] == [
        ("f", 4, 5, "x"),
        ("<lambda>", 5, 5, "y"),
    ]


EFFECTS = {
    "calls": """
log = logging.getLogger("x")
from datetime import datetime
from time import perf_counter
from random import choice
@jax.jit
def f(x):
    print(x)  #: print
    print("sizes", [x])  #: print
    print(f"now {x}")  #: print
    print("now", x.shape)  #: output
    log.debug("x")  #: log
    logging.info("x")  #: log
    a = time.time() + perf_counter()  #: clock
    b = datetime.now()  #: clock
    c = random.random() + choice([1])  #: rng
    d = np.random.normal()  #: rng
    open("/dev/null").close()  #: io
    sys.stdout.write("x")  #: io
    time.sleep(3600)  #: clock
    return x + c + d
f(1.0)
print(time.time(), random.random())
""",
    "containers": """
HISTORY = []
COUNTS = {"n": 0}
KINDS = set()
TABLE = np.zeros(3)
NESTED = {"rows": [[1]]}
def note(value):
    HISTORY.append(value)  #: container
    return value
def make():
    seen = []
    @jax.jit
    def step(x):
        seen.append(1)  #: container
        return x
    return step
@jax.jit
def f(x):
    own = []
    own.append(x)
    COUNTS["n"] += 1  #: container
    KINDS.add(1)  #: container
    KINDS.add(1)
    TABLE[0] = 2.0  #: container
    NESTED["rows"][0].pop()  #: container
    HISTORY.append(
        note(1)
    )
    return HISTORY.clear() or x  #: container
f(1.0)
HISTORY.append(3)
make()(1.0)
def outside():
    local = []
    def inner(params):
        params["x"] = 1
        local.append(1)  #: container
        return params
    local.append(2)
    return jax.jit(inner)({"x": 2})
outside()
""",
    "containers of an outer trace": """
@jax.jit
def f(x):
    rows = []
    def body(carry, row):
        rows.append(1)  #: container
        mine = [row]
        mine.append(carry)
        return carry, row
    for _ in range(2):
        rows.append(2)
    return jax.lax.scan(body, x, jnp.ones(3))
f(1.0)
""",
    "variables": """
STEP = 0
SAME = 1
def make():
    count = 0
    def step(x):
        nonlocal count
        mine = 0
        def inner():
            nonlocal mine
            mine += 1
        inner()
        count += 1  #: nonlocal
        return x
    return jax.jit(step)
@jax.jit
def f(x):
    global STEP, SAME
    STEP += 1  #: global
    SAME = SAME
    return x
f(1.0)
STEP = 5
make()(1.0)
""",
    "attributes": """
class Model:
    made = 0
    def __init__(self):
        self.calls = 0
        self.sizes = {}
    def apply(self, x):
        self.calls += 1  #: attribute
        self.sizes["x"] = x.shape  #: container
        Model.made += 1  #: attribute
        return x
model = Model()
def plain(x):
    return x
@jax.jit
def f(x):
    own = Model()
    own.calls = 3
    plain.calls = 1  #: attribute
    return model.apply(x)
f(1.0)
model.calls = 0
""",
    "iterators and generators of random numbers": """
numbers = itertools.count()
names = iter(["a", "b"])
def endless():
    n = 0
    while True:
        yield n
        n += 1
source = endless()
next(source)
rng = np.random.default_rng(0)
@jax.jit
def f(x):
    a = next(numbers)  #: iterator
    b = next(names)  #: iterator
    c = next(source)  #: iterator
    d = rng.normal()  #: rng
    mine = iter([1])
    next(mine)
    return x + a + d
f(1.0)
next(numbers)
""",
    "between statements": """
STACK = [0.0, 1.0, 2.0, 3.0]
def plain(v):
    w = v
    return w
@jax.jit
def f(x):
    y = plain(STACK.pop())  #: container
    if STACK.pop() > 1:  #: container
        y = y + 1
    g = lambda: STACK.append(1)  #: container
    g()
    return x + y
@jax.jit
def g(x):
    z = x
    return z
STACK.append(g(f(1.0)))
g(STACK.pop())
""",
}


@pytest.mark.parametrize("text", EFFECTS.values(), ids=EFFECTS)
def test_effects(text: str, tmp_path: Path) -> None:
    labels = labels_of(tmp_path, text)
    assert labels.endings == ()
    wanted = {
        (line, match[1])
        for line, each in enumerate(whole(text).splitlines(), 1)
        if (match := _EXPECTED.search(each))
    }
    multiline = {(line, "container") for line in _starts(whole(text), "HISTORY.append(")}
    assert {(each.line, each.kind) for each in labels.effects} == wanted | multiline
    assert all(each.staged for each in labels.effects)


def _starts(source: str, text: str) -> list[int]:
    """Lines that are nothing but the start of a call."""
    return [line for line, each in enumerate(source.splitlines(), 1) if each.strip() == text]


def test_effects_without_jit_are_not_staged(tmp_path: Path) -> None:
    text = """
SEEN = []
def f(x):
    SEEN.append(1)
    return x
jax.vmap(f)(jnp.ones(3))
"""
    (effect,) = labels_of(tmp_path, text).effects
    assert (effect.kind, effect.line, effect.staged) == ("container", 4, False)


def test_dead_lines_are_not_executed(tmp_path: Path) -> None:
    text = """
@jax.jit
def f(x):
    if x.ndim > 2:
        return 0
    if x > 0:
        return x
    return -x
f(1.0)
"""
    labels = labels_of(tmp_path, text)
    assert labels.executed == {4, 6, 7, 8}
    assert [(site.kind, site.line, site.column, site.end_column) for site in labels.sites] == [
        ("bool", 6, 7, 12)
    ]


def test_guarded_sites_and_loops(tmp_path: Path) -> None:
    text = """
@jax.jit
def f(x):
    try:
        y = float(x[0])
    except TypeError:
        y = 0.0
    for e in x:
        y += int(e)
    return y
f(jnp.ones(2))
"""
    labels = labels_of(tmp_path, text)
    assert {(site.kind, site.line, site.guarded) for site in labels.sites} == {
        ("float", 5, True),
        ("int", 9, False),
    }
    assert [(site.kind, site.line) for site in labels.loops] == [("iter", 8)]


def test_site_of_a_test_with_a_long_body(tmp_path: Path) -> None:
    body = "        x = x + 1\n" * 60
    text = f"@jax.jit\ndef f(x):\n    if not x > 0:\n{body}    return x\nf(1.0)\n"
    (site,) = labels_of(tmp_path, text).sites
    assert (site.line, site.column, site.end_line, site.end_column) == (4, 11, 4, 16)


def test_an_error_is_an_ending(tmp_path: Path) -> None:
    labels = labels_of(tmp_path, "@jax.jit\ndef f(x):\n    return x.nothing\nf(1.0)\n")
    assert len(labels.endings) == 1
    assert labels.endings[0].startswith("AttributeError")
    assert labels.executed == {4}


def test_a_module_without_end_is_exhausted(tmp_path: Path) -> None:
    labels = labels_of(tmp_path, "@jax.jit\ndef f(x):\n    while True:\n        x = 1\nf(1.0)\n")
    assert labels.exhausted
    assert labels.executed == {4, 5}


def test_conversions_in_library_traces_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "shelved.py").write_text("import jax\nask = jax.jit(lambda x: int(x) + 1)\n")
    monkeypatch.syspath_prepend(str(library))
    text = "import shelved\n@jax.jit\ndef f(x):\n    return shelved.ask(x)\nf(1)\n"
    for _ in range(2):
        labels = labels_of(tmp_path, text)
        assert [(site.kind, site.line) for site in labels.sites] == [("shape", 5)]
    sys.modules.pop("shelved")

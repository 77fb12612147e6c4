"""How sure facts are: what is certain, what takes a call that nobody makes, and what is a guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.finding import Confidence, Severity
from jaxlint.base.text import Span
from jaxlint.engine.queries.analyse import analyse
from jaxlint.facts import Fact
from jaxlint.project.file_systems.files import Memory
from jaxlint.registry.index import Index
from jaxlint.session.session import Session
from jaxlint.settings import Settings
from jaxlint.testing.lint import module_of
from jaxlint.testing.rulebook import builtin_rules

TOUR = Path(__file__).parents[3] / "fixtures" / "tour"
PRELUDE = "import jax, lib; import jax.numpy as jnp; from jax import lax\n"
HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW


def judged(program: str, *, guesses: bool = True) -> dict[int, Fact]:
    """The facts of a program by line, the first line being that below the prelude."""
    found = analyse(module_of(PRELUDE + program, "m.py"), guesses=guesses)
    return {fact.span.line - 1: fact for fact in found}


CERTAIN = """
@jax.jit
def f(x):
    if x > 0:
        return x
    return float(x)
"""
OPTIONAL = """
@jax.jit
def f(x, limit=None):
    if limit is not None:
        if limit > 0:
            return x
    return -x
"""
OTHER_ARGUMENTS = """
@jax.jit
def f(x, *rest):
    if rest:
        if rest[0] > 0:
            return x
    return -x
f(jnp.ones(3))
"""
CONTAINER = """
@jax.jit
def f(x, params):
    if not params:
        return x
    return params["w"] @ x
"""
UNRESOLVED_CALL = """
@jax.jit
def f(x):
    y = lib.scaled(x)
    if y > 0:
        return x
    return -x
"""
UNRESOLVED_METHOD = """
def loss(model, x):
    out = model.forward(x)
    assert out.sum() > 0
    return out
jax.jit(loss)(lib.model(), jnp.ones(3))
"""
FIELD = """
@jax.jit
def f(state):
    while state.time < 10:
        state = state.advance()
    return state
"""


@pytest.mark.parametrize(
    "program, line, confidence, reason",
    [
        (CERTAIN, 4, HIGH, ""),
        (CERTAIN, 6, HIGH, ""),
        (OPTIONAL, 5, MEDIUM, "`limit` is traced only if it is passed"),
        (OTHER_ARGUMENTS, 5, MEDIUM, "no call of `f` is seen that leads here"),
        (CONTAINER, 4, LOW, "`params` is taken to be an array: it may be a container"),
        (UNRESOLVED_CALL, 5, LOW, "`lib.scaled(x)` is taken to be an array"),
        (UNRESOLVED_METHOD, 4, LOW, "`model.forward(x)` is taken to be an array"),
        (FIELD, 4, LOW, "`state.time` is taken to be an array"),
    ],
)
def test_a_fact_says_how_sure_it_is_and_why(
    program: str, line: int, confidence: Confidence, reason: str
) -> None:
    fact = judged(program)[line]
    doubt = fact.doubt()
    assert confidence is fact.confidence
    assert reason in ("" if doubt is None else doubt.message)
    assert (doubt is None) == (confidence is HIGH)
    assert ("may be traced" in fact.why()) == (confidence is LOW)


@pytest.mark.parametrize(
    "program",
    [CONTAINER, UNRESOLVED_CALL, UNRESOLVED_METHOD, FIELD],
)
def test_nobody_who_does_not_ask_sees_guesses(program: str) -> None:
    assert judged(program, guesses=False) == {}


SILENT = [
    """
@jax.jit
def f(x):
    if lib.flag(3) and lib.SETTING:
        return x
    return -x
""",
    """
@jax.jit
def f(x):
    if lib.length(x.shape) > 2:
        return x
    return -x
""",
    """
def f(x):
    return x if lib.positive(x) else -x
f(jnp.ones(3))
""",
    """
@jax.jit
def f(params):
    total = 0.0
    for name, value in params.items():
        if name.startswith("w") and len(value.shape) > 1:
            total += value.sum()
    return total
""",
]


@pytest.mark.parametrize("program", SILENT)
def test_what_has_nothing_to_do_with_tracers_is_no_guess(program: str) -> None:
    assert judged(program) == {}


def place(fact: Fact) -> tuple[type, Span, Confidence]:
    return type(fact), fact.span, fact.confidence


@pytest.mark.parametrize("path", sorted(TOUR.glob("*.py")), ids=lambda path: path.stem)
def test_guesses_come_on_top_and_are_never_errors(path: Path) -> None:
    module = module_of(path.read_text(encoding="utf-8"), str(path))
    plain, all_of_them = analyse(module), analyse(module, guesses=True)
    assert [place(fact) for fact in plain] == [place(fact) for fact in all_of_them[: len(plain)]]
    index = Index(builtin_rules().values())
    for fact in all_of_them[len(plain) :]:
        assert fact.confidence is LOW
        for _, check in index.checks(type(fact)):
            assert all(found.severity is not Severity.ERROR for found in check(fact))


LIBRARY = """
import jax

class Model:
    def check(self, n):
        return jax.jit(jax.vmap(self.one))(n)

    def one(self, x):
        return x
"""
CALLER = """
import jax
from lib import Model

for _ in range(3):
    Model().check(jax.numpy.ones(3))
"""


def test_guesses_are_told_from_what_is_found_in_another_module() -> None:
    files = Memory({"pyproject.toml": "", "lib.py": LIBRARY, "main.py": CALLER})
    session = Session(Settings(min_confidence=LOW), files)
    session.ask(["lib.py", "main.py"])

    assert {("lib.py", 6, "JAX505")} == {
        (one.filename, one.line, one.code)
        for name in ("lib.py", "main.py")
        for one in session.check(name).findings
    }

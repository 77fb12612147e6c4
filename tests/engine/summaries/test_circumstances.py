"""A call goes by those parts of the circumstances around it that it asks for, and by no others."""

from __future__ import annotations

import pytest

from jaxlint.engine.domain.circumstances import (
    CAUGHT,
    CONDITIONS,
    IN_TEST,
    MUTED,
    NOTHING,
    PRESUMING,
    UNSURE,
    Circumstances,
    agree,
    tells_more,
)
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

PLAIN = Circumstances(False, False, False, False, False, NOTHING, NOTHING, 0)
OTHERS = {
    MUTED: PLAIN._replace(muted=True),
    UNSURE: PLAIN._replace(unsure=True),
    CONDITIONS: PLAIN._replace(conditional=True),
    IN_TEST: PLAIN._replace(in_test=True),
    CAUGHT: PLAIN._replace(caught=frozenset([frozenset(["TypeError"])])),
    PRESUMING: PLAIN._replace(presuming=2),
}


@pytest.mark.parametrize("asked", OTHERS)
def test_circumstances_agree_in_what_was_not_asked_for(asked: int) -> None:
    other = OTHERS[asked]

    assert not agree(PLAIN, other, asked)
    assert not agree(PLAIN, other, asked | MUTED)
    assert all(agree(PLAIN, other, bit) for bit in OTHERS if bit != asked)
    assert agree(PLAIN, other, 0)


@pytest.mark.parametrize("asked", [MUTED, UNSURE, IN_TEST, CAUGHT])
def test_less_is_found_where_something_hides_it(asked: int) -> None:
    assert tells_more(PLAIN, OTHERS[asked])
    assert not tells_more(OTHERS[asked], PLAIN)


def test_as_much_is_found_behind_an_open_test() -> None:
    assert tells_more(PLAIN, OTHERS[CONDITIONS])
    assert tells_more(OTHERS[CONDITIONS], PLAIN)


HELPER = """
import jax

def drawn(key):
    return jax.random.normal(key) + jax.random.uniform(key)
"""
# In tests, equal draws are compared on purpose; in others, they are a mistake.
IN_A_TEST = """
import jax
from lib.helper import drawn

def test_drawn():
    drawn(jax.random.key(0))
"""
ELSEWHERE = """
import jax
from lib.helper import drawn

@jax.jit
def noise(key):
    return drawn(key)

noise(jax.random.key(0))
"""
EXPECTED = """
import jax
from lib.helper import positive

@jax.jit
def f(x):
    try:
        return positive(x)
    except jax.errors.TracerBoolConversionError:
        return x
"""
RAISES = """
import jax

def positive(x):
    return x if x > 0 else -x
"""
USED = """
import jax
from lib.helper import positive

@jax.jit
def f(x):
    return positive(x)
"""
CASES = {
    "in a test": (HELPER, IN_A_TEST, ELSEWHERE, "JAX801"),
    "what raises is caught": (RAISES, EXPECTED, USED, "JAX301"),
}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", CASES)
def test_what_a_call_finds_is_found_where_it_counts(name: str, order: int) -> None:
    helper, hidden, told, code = CASES[name]
    files = {
        "lib/__init__.py": "",
        "lib/helper.py": helper,
        "test_hidden.py": hidden,
        "used.py": told,
    }
    session = Session(files=Memory(files))
    found = {
        path: {one.code for one in session.check(path).findings if one.severity == "error"}
        for path in ["test_hidden.py", "used.py"][::order]
    }

    assert {"test_hidden.py": set(), "used.py": {code}} == found

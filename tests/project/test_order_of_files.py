"""Neither the order in which files are checked nor what was checked before changes a finding.

Files are checked one after another in one session, in any order, and each in a session of its own.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from projects import Tree, every_tree

from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

Found = tuple[str, int, str, str, str]

RESULTS = """\
def flags(x):
    return [1, 2]


def options(x):
    return {"a": 1, "x": x}


class Box:
    def __init__(self, held):
        self.held = held


def boxed(x):
    return Box([x])
"""
CHANGES_RESULTS = """\
import jax
from lib.shared import boxed, flags, options


@jax.jit
def f(x):
    found = flags(x)
    found.append(x)
    kept = options(x)
    kept["a"] = x
    boxed(1).held.append(x)
    return found
"""
USES_RESULTS = """\
import jax
from lib.shared import boxed, flags, options


@jax.jit
def g(x):
    for one in flags(x):
        if one > 1:
            x = x + 1
    if options(x)["a"] > 0 and boxed(1).held[0] > 0:
        return x
    return x
"""
STATE = """\
scale = 2
table = {"a": 1}


class Settings:
    rate = 1


settings = Settings()


def scaled(x):
    if scale > 1 and table["a"] and Settings.rate and settings.rate:
        return x * scale
    return x
"""
CHANGES_STATE = """\
import jax
import jax.numpy as jnp
import lib.shared
from lib.shared import Settings, settings, table

lib.shared.scale = jnp.ones(())
table["a"] = jnp.ones(())
Settings.rate = jnp.ones(())
settings.rate = jnp.ones(())


@jax.jit
def f(x):
    lib.shared.scale = x
    table["a"] = x
    return lib.shared.scaled(x)
"""
USES_STATE = """\
import jax
from lib.shared import scaled


@jax.jit
def g(x):
    return scaled(x)
"""
FACTS = """\
import jax


@jax.jit
def clipped(x, most):
    if x > most:
        return most
    return x


def checked(x):
    if x > 0:
        return x
    return -x
"""
CALLS = """\
import jax
from lib.shared import checked, clipped


@jax.jit
def f(x):
    return checked(x) + clipped(x, 1.0)


def g(x):
    return checked(3)
"""
CALLS_TOO = """\
import jax
from lib.shared import checked, clipped


@jax.jit
def first(a):
    return clipped(a, 2.0)


@jax.jit
def second(b):
    if b > 1:
        return b
    return checked(b * 2)
"""
REGISTRY = """\
import jax


class Sum:
    def __init__(self, loss):
        self.loss = loss

    def value(self, x):
        return self.loss(x).sum()


class Most:
    def __init__(self, loss):
        self.loss = loss

    def value(self, x):
        found = self.loss(x)
        return found if found > 0 else -found


AGENTS = {"sum": Sum, "most": Most}


def best(x):
    return x if x > 0 else -x


def plain(x):
    return -x


PICKS = {"plain": plain, "best": best}
"""
CHOOSES = """\
import sys

import jax
from lib.shared import AGENTS, PICKS


def own_loss(x):
    return x * 2 if sys.argv else float(x)


name, other = "sum", "plain"
agent = AGENTS[name](own_loss)
pick = PICKS[other]


@jax.jit
def f(x):
    return agent.value(x) + pick(x)
"""
USES_ONE = """\
import jax
from lib.shared import Sum, plain


@jax.jit
def g(x, loss):
    return Sum(lambda y: y + 1).value(x) + plain(x) + loss.value(x)
"""
CASES = {
    "registry": (REGISTRY, CHOOSES, USES_ONE),
    "results": (RESULTS, CHANGES_RESULTS, USES_RESULTS),
    "state": (STATE, CHANGES_STATE, USES_STATE),
    "facts": (FACTS, CALLS, CALLS_TOO),
}


def project(name: str) -> dict[str, str]:
    shared, first, second = CASES[name]
    return {
        "pyproject.toml": "",
        "lib/__init__.py": "",
        "lib/shared.py": shared,
        "lib/first.py": first,
        "lib/second.py": second,
    }


def checked(session: Session, path: str) -> list[Found]:
    """The findings of one file."""
    return sorted(
        (one.filename, one.line, one.code, str(one.severity), str(one.confidence))
        for one in session.check(path).findings
    )


def found_in(paths: list[str], order: list[str]) -> set[Found]:
    """The findings in these files of a new session that checks some of them."""
    session = Session()
    session.ask(paths)
    return {one for path in order for one in checked(session, path)}


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_files_changes_no_finding(name: str) -> None:
    files = project(name)
    paths = [path for path in files if path.endswith(".py")]
    alone = {path: checked(Session(files=Memory(files)), path) for path in paths}
    for order in permutations(paths):
        session = Session(files=Memory(files))
        assert alone == {path: checked(session, path) for path in order}
        # A file that was checked before has the same findings again.
        assert alone == {path: checked(session, path) for path in order}


def test_a_change_of_a_result_stays_in_the_file_that_makes_it() -> None:
    session = Session(files=Memory(project("results")))
    checked(session, "lib/first.py")

    assert [] == checked(session, "lib/second.py")


def test_a_change_of_shared_state_stays_in_the_file_that_makes_it() -> None:
    session = Session(files=Memory(project("state")))
    assert "JAX201" in [code for _, _, code, _, _ in checked(session, "lib/first.py")]

    assert [] == checked(session, "lib/second.py")


def test_a_fact_is_told_of_each_call() -> None:
    session = Session(files=Memory(project("facts")))
    for path, lines in (
        ("lib/first.py", [7, 7]),
        ("lib/second.py", [7, 12, 14]),
        ("lib/first.py", [7, 7]),
    ):
        found = checked(session, path)
        assert [(path, line, "JAX301") for line in lines] == [one[:3] for one in found]


def test_a_change_of_a_shared_function_is_seen() -> None:
    memory = Memory(project("facts"))
    session = Session(files=memory)
    before = checked(session, "lib/first.py")
    memory.contents["lib/shared.py"] = FACTS.replace("if x > 0:", "if True:").encode()
    session.changed("lib/shared.py")
    after = checked(session, "lib/first.py")
    memory.contents["lib/shared.py"] = FACTS.encode()
    session.changed("lib/shared.py")

    assert len(before) == len(after) + 1
    assert before == checked(session, "lib/first.py")


@every_tree
def test_a_tree_has_the_findings_of_its_files(tree: Tree) -> None:
    paths = [str(tree.root / file) for file in tree.files]
    alone = {one for path in paths for one in found_in(paths, [path])}

    assert alone == found_in(paths, paths)
    assert alone == found_in(paths, paths[::-1])

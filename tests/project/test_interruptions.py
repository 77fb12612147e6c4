"""An analysis that is given up leaves nothing behind that changes what others find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from projects import Tree, every_tree
from sharing import CASES, project
from test_shared_calls import told

from jaxlint.base.errors import Interrupted
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

# A module that runs while the one that it imports is not there in full.
CIRCLE = {
    "lib/__init__.py": "",
    "lib/first.py": """\
def limited(x):
    return LIMIT(x)


def same(x):
    return x


from lib import second

TABLE = second.TABLE
LIMIT = same(same)
""",
    "lib/second.py": """\
from lib.first import limited

TABLE = [limited]


def grown(x):
    if TABLE[0](x) > 0:
        return x
    return -x
""",
    "lib/one.py": """\
import jax
from lib import first


@jax.jit
def step(x):
    return first.second.grown(x)
""",
}


def interruptions() -> Iterator[Callable[[], bool]]:
    """Whether to stop, for one attempt after another: each gets one call further."""
    calls = 0
    while True:
        left = iter([False] * calls)
        yield lambda left=left: next(left, True)  # type: ignore[misc]
        calls += 1


def examined_in_the_end(session: Session, path: str) -> int:
    """Examines a file, and gives up after each call that its analysis follows. How often."""
    for times, stop in enumerate(interruptions()):
        try:
            session.examine(session.files.identity(path), stop)
            return times
        except Interrupted:
            continue
    raise AssertionError


@pytest.mark.parametrize("name", [*CASES, "a circle"])
def test_what_was_given_up_changes_no_finding(name: str) -> None:
    files = project(name) if name in CASES else CIRCLE
    paths = [path for path in files if path.endswith(".py")]
    session = Session(files=Memory(files))
    times = [examined_in_the_end(session, path) for path in paths]
    found = {path: told(session, path) for path in paths}
    apart = {path: told(Session(files=Memory(files)), path) for path in paths}

    assert any(times)
    assert found == apart
    assert any(apart.values())


@every_tree
def test_a_tree_that_was_given_up_has_the_same_findings(tree: Tree) -> None:
    paths = [str(tree.root / file) for file in tree.files]
    session = Session()
    session.ask(paths)
    for path, stop in zip(paths, interruptions(), strict=False):
        with suppress(Interrupted):
            session.glance(path, stop)
    fresh = Session()
    fresh.ask(paths)

    assert {path: told(fresh, path) for path in paths} == {
        path: told(session, path) for path in paths
    }

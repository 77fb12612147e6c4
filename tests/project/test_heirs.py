"""Which classes of a project derive from one, and code that is given objects of them."""

from __future__ import annotations

from jaxlint.project.file_facts import Reader
from jaxlint.project.file_systems.files import Memory
from jaxlint.project.project import Universe
from jaxlint.session.session import Session

BASE = """\
import abc
import equinox as eqx
import jax

class AbstractSolver(eqx.Module):
    @abc.abstractmethod
    def step(self, y): ...

@eqx.filter_jit
def solve(solver: AbstractSolver, y: jax.Array):
    return solver.step(y)
"""
HEIR = """\
from .base import AbstractSolver

class Clipped(AbstractSolver):
    most: float = 1.0

    def step(self, y):
        if y > self.most:
            return self.most * y
        return y
"""
HARMLESS = HEIR.replace("if y > self.most:", "if self.most > 2:")
FILES = {"lib/__init__.py": "", "lib/base.py": BASE, "lib/heir.py": HEIR, "pyproject.toml": ""}


def codes(session: Session, path: str) -> list[tuple[str, int, str]]:
    found = session.check(path).findings
    return [(one.filename, one.line, one.code) for one in found]


def test_classes_are_read_with_their_bases() -> None:
    source = (
        b"class A: ...\nclass B(A): ...\nclass C(mod.A[T], Generic[T, U], strict=True): ...\n"
        b"class D(\n    A,\n    metaclass=Meta,\n): ...\n    class Inner(A): ...\n"
        b"class E[T](A): ...\n"
    )
    found = {own: bases for own, *bases in Reader(["jax"]).contents("a.py", "a", source).classes}
    assert ["B", "C", "D", "E"] == list(found)
    assert all("A" in bases for bases in found.values())


def test_classes_that_derive_from_one_are_found_in_the_files_that_import_it() -> None:
    files = Memory({**FILES, "other.py": "class Other(AbstractSolver): ...\n"})
    universe = Universe(files.identity("."), files)
    base = files.identity("lib/base.py")
    assert [(files.identity("lib/heir.py"), "Clipped")] == universe.heirs(base, "AbstractSolver")
    assert [] == universe.heirs(base, "Clipped")


def test_an_entry_is_followed_into_classes_that_it_does_not_import() -> None:
    expected = [("lib/heir.py", 7, "JAX301")]
    for asked in ("lib/heir.py", "lib/base.py"):
        session = Session(files=Memory(FILES))
        session.ask([asked, "lib/heir.py"])
        shown = {one for path in (asked, "lib/heir.py") for one in codes(session, path)}
        assert expected == sorted(shown)


def test_a_change_of_a_class_is_seen_by_code_that_is_given_objects_of_it() -> None:
    memory = Memory(FILES)
    session = Session(files=memory)
    assert [("lib/heir.py", 7, "JAX301")] == codes(session, "lib/heir.py")
    memory.contents["lib/heir.py"] = HARMLESS.encode()
    session.changed("lib/heir.py")
    assert [] == codes(session, "lib/heir.py")
    memory.contents["lib/heir.py"] = HEIR.replace("AbstractSolver):", "object):").encode()
    session.changed("lib/heir.py")
    assert [] == codes(session, "lib/heir.py")
    memory.contents["lib/heir.py"] = HEIR.encode()
    session.changed("lib/heir.py")
    assert [("lib/heir.py", 7, "JAX301")] == codes(session, "lib/heir.py")

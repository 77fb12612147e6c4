"""Which files lead into which by the names that they mention, and that nothing is lost by it.

In each case, `lib/target.py` holds the hazard, and names lead to it from some files, from others
not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from projects import Tree, every_tree

from jaxlint.project.callers.project_names import ProjectNames
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

TARGET = """\
def clip(x):
    if x > 0:
        return x
    return -x
"""
JITTED = """\


@jax.jit
def step(x):
    return {}(x)
"""
TARGET_PATH = "lib/target.py"


@dataclass(frozen=True)
class Case:
    """Files beside the target; those in `leading` lead to it."""

    files: dict[str, str]
    leading: frozenset[str]
    target: str = TARGET


def jitted(imports: str, called: str) -> str:
    return f"import jax\n{imports}\n" + JITTED.format(called)


def case(files: dict[str, str], *leading: str, target: str = TARGET) -> Case:
    return Case(files, frozenset(leading), target)


REGISTRY = """\
TABLE = {}


def register(function):
    TABLE[function.__name__] = function
    return function


def lookup(name):
    return TABLE[name]
"""
REGISTERED = "from lib.registry import register\n\n\n@register\n" + TARGET
USES_REGISTRY = """\
import jax
import lib.target
from lib.registry import lookup


@jax.jit
def step(x):
    return lookup("clip")(x)
"""
HOOK = """\
class Base:
    known = {}

    def __init_subclass__(cls):
        cls.known[cls.__name__] = cls
"""
HOOKED = """\
from lib.base import Base


class Clip(Base):
    def __call__(self, x):
        if x > 0:
            return x
        return -x
"""
USES_HOOK = """\
import jax
import lib.target
from lib.base import Base


@jax.jit
def step(x):
    return Base.known["Clip"]()(x)
"""
SOLVER = """\
import abc
import equinox as eqx
import jax


class Solver(eqx.Module):
    @abc.abstractmethod
    def step(self, x): ...


@eqx.filter_jit
def solve(solver: Solver, x: jax.Array):
    return solver.step(x)
"""
CLIPPED = """\
from lib.solver import Solver


class Clipped(Solver):
    most: float = 1.0

    def step(self, x):
        if x > self.most:
            return self.most * x
        return x
"""
CASES = {
    "a name": case(
        {
            "lib/uses.py": jitted("from lib.target import clip", "clip"),
            "lib/renames.py": jitted("from .target import clip as cut", "cut"),
            "lib/asks.py": jitted("import lib.target", "lib.target.clip"),
            "lib/shortens.py": jitted("from lib import target as t", "t.clip"),
            "lib/star.py": jitted("from lib.target import *", "clip"),
            "lib/inside.py": "import jax\n\n\n@jax.jit\ndef step(x):\n"
            "    from lib.target import clip\n\n    return clip(x)\n",
            "lib/other.py": "import jax\nfrom lib import target\n\n\ndef step(box, x):\n"
            "    return box.clip(x)\n",
            "lib/speaks.py": '"""It has `clip` of `lib.target`."""\nfrom lib.target import clip\n'
            "# clip(x)\nprint('a clip')\n",
        },
        *(f"lib/{name}.py" for name in ("uses", "renames", "asks", "shortens", "star", "inside")),
    ),
    "a package": case(
        {
            "lib/__init__.py": "from lib.target import clip\nfrom lib import other\n",
            "lib/other.py": "def clip(x):\n    return x\n",
            "uses.py": jitted("import lib", "lib.clip"),
            "others.py": jitted("import lib", "lib.other.clip"),
        },
        "uses.py",
    ),
    "through helpers": case(
        {
            "lib/near.py": "from lib.target import clip\n\n\ndef near(x):\n    return clip(x)\n\n\n"
            "def unrelated(x):\n    return x\n",
            "lib/far.py": jitted("from lib.near import near", "near"),
            "lib/apart.py": jitted("from lib.near import unrelated", "unrelated"),
        },
        "lib/near.py",
        "lib/far.py",
    ),
    "a module as a value": case(
        {
            "lib/given.py": "import jax\nfrom lib import target\n\n\ndef run(module, x):\n"
            "    return jax.jit(module.clip)(x)\n\n\ndef go(x):\n    return run(target, x)\n",
            "lib/asks.py": "import jax\nimport lib.target as t\n\n\n@jax.jit\ndef step(x):\n"
            "    return getattr(t, 'clip')(x)\n",
            "lib/ignores.py": "import lib.target as t\n\n\ndef step(x):\n    return t.other(x)\n",
        },
        "lib/given.py",
        "lib/asks.py",
    ),
    "a table": case(
        {
            "lib/table.py": "from lib.target import clip\n\nTABLE = {'clip': clip}\n",
            "lib/uses.py": "import jax\nfrom lib.table import TABLE\n\n\n@jax.jit\ndef step(x):\n"
            "    return TABLE['clip'](x)\n",
            "lib/apart.py": "from lib import table\n",
        },
        "lib/table.py",
        "lib/uses.py",
    ),
    "a registry": case(
        {
            "lib/registry.py": REGISTRY,
            "lib/uses.py": USES_REGISTRY,
            "lib/also.py": "from lib.registry import register\n\n\n@register\ndef also(x):\n"
            "    return x\n",
        },
        "lib/registry.py",
        "lib/uses.py",
        target=REGISTERED,
    ),
    "a registry that is filled from outside": case(
        {
            "lib/registry.py": "TABLE = {}\n",
            "lib/fills.py": "from lib import registry\nfrom lib.target import clip\n\n"
            "registry.TABLE['clip'] = clip\n",
            "lib/uses.py": "import jax\nimport lib.fills\nfrom lib.registry import TABLE\n\n\n"
            "@jax.jit\ndef step(x):\n    return TABLE['clip'](x)\n",
            "lib/first.py": "import lib.fills\n",
        },
        "lib/fills.py",
        "lib/uses.py",
    ),
    "a class that hears of others": case(
        {
            "lib/base.py": HOOK,
            "lib/uses.py": USES_HOOK,
            "lib/first.py": "import lib.uses\n",
        },
        "lib/uses.py",
        target=HOOKED,
    ),
    "an abstract class": case(
        {
            "lib/solver.py": SOLVER,
            "lib/names.py": "from lib.solver import Solver\n\n\ndef name(solver: Solver):\n"
            "    return solver.name\n",
        },
        "lib/solver.py",
        target=CLIPPED,
    ),
    "a name that a function assigns": case(
        {
            "lib/state.py": "from lib.target import clip\n\nfound = None\n\n\ndef fill():\n"
            "    global found\n    found = clip\n\n\ndef get():\n    return found\n",
            "lib/uses.py": "import jax\nfrom lib.state import fill, get\n\nfill()\n\n\n@jax.jit\n"
            "def step(x):\n    return get()(x)\n",
        },
        "lib/state.py",
        "lib/uses.py",
    ),
    "a fixture": case(
        {
            "tests/conftest.py": "import pytest\nfrom lib.target import clip\n\n\n@pytest.fixture\n"
            "def clipped():\n    return clip\n",
            "tests/test_step.py": "import jax\n\n\ndef test_step(clipped):\n"
            "    jax.jit(clipped)(1.0)\n",
            "tests/test_other.py": "import jax\n\n\ndef test_other():\n    jax.jit(abs)(1.0)\n",
        },
        "tests/conftest.py",
        "tests/test_step.py",
    ),
    "code in strings": case(
        {
            "lib/shows.py": "import jax\nfrom lib.target import clip\n\n\n@jax.jit\ndef step(x):\n"
            '    raise ValueError(f"no {clip(x)}")\n',
            "lib/long.py": "import jax\nfrom lib.target import clip\n\n\n@jax.jit\ndef step(x):\n"
            '    raise ValueError(f"""\nno {clip(x)}\n""")\n',
            "lib/annotated.py": "from lib import target\n\n\ndef name(f: 'target.clip'):\n"
            "    return f\n",
        },
        "lib/shows.py",
        "lib/long.py",
        "lib/annotated.py",
    ),
}


def files_of(one: Case) -> dict[str, str]:
    return {"pyproject.toml": "", "lib/__init__.py": "", TARGET_PATH: one.target} | one.files


@pytest.mark.parametrize("name", CASES)
def test_names_lead_to_a_file(name: str) -> None:
    one = CASES[name]
    universe = Session(files=Memory(files_of(one))).project(TARGET_PATH)

    assert universe.names.leading_to([TARGET_PATH]) - {TARGET_PATH} == one.leading


def told(files: Memory, path: str) -> list[object]:
    """All that is said of a file that is asked for alone."""
    session = Session(files=files)
    session.ask([path])
    return list(session.check(path).findings)


def follow_imports(patch: pytest.MonkeyPatch) -> None:
    """Every file that imports one may lead there."""
    patch.setattr(ProjectNames, "leading_to", lambda self, paths: frozenset(self._files.modules()))


@pytest.mark.parametrize("name", CASES)
def test_a_file_alone_has_the_findings_of_all_that_import_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Memory(files_of(CASES[name]))
    paths = [path for path in files.contents if path.endswith(".py")]
    found = {path: told(files, path) for path in paths}
    follow_imports(monkeypatch)

    assert found == {path: told(files, path) for path in paths}


# The tracer does not follow all that names may lead to.
NOT_FOLLOWED = {"a class that hears of others", "a fixture"}


@pytest.mark.parametrize("name", sorted(CASES.keys() - NOT_FOLLOWED))
def test_the_hazard_is_found_from_elsewhere(name: str) -> None:
    assert told(Memory(files_of(CASES[name])), TARGET_PATH)


@every_tree
def test_a_file_of_a_tree_alone_has_the_findings_of_all_that_import_it(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Memory(tree.memory())
    paths = [str(tree.root / file) for file in tree.files]
    found = {path: told(files, path) for path in paths}
    follow_imports(monkeypatch)

    assert found == {path: told(files, path) for path in paths}


def test_a_change_of_what_a_file_mentions_is_seen() -> None:
    files = Memory(files_of(CASES["through helpers"]))
    universe = Session(files=files).project(TARGET_PATH)
    before = universe.names.leading_to([TARGET_PATH])
    files.contents["lib/near.py"] = b"def near(x):\n    return x\n"
    universe.changed("lib/near.py")

    assert before - universe.names.leading_to([TARGET_PATH]) == {"lib/near.py", "lib/far.py"}


def test_names_may_stand_for_each_other_in_a_long_chain() -> None:
    chain = "".join(f"x{at} = x{at - 1}\n" for at in range(1, 3000))
    files = {
        "lib/registry.py": f"{REGISTRY}\n\nx0 = TABLE\n{chain}",
        "lib/fills.py": "from lib import registry\nfrom lib.target import clip\n\n"
        "registry.x2999['clip'] = clip\n",
        "lib/uses.py": "import jax\nimport lib.fills\nfrom lib.registry import x2999\n\n\n"
        "@jax.jit\ndef step(x):\n    return x2999['clip'](x)\n",
        "lib/first.py": "import lib.fills\n",
    }
    universe = Session(files=Memory(files_of(case(files)))).project(TARGET_PATH)

    assert {"lib/fills.py", "lib/uses.py"} <= universe.names.leading_to([TARGET_PATH])


def test_a_glance_at_a_file_searches_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(files=Memory(files_of(CASES["through helpers"])))
    searched: list[object] = []
    real = ProjectNames.leading_to

    def leading_to(self: ProjectNames, paths: Iterable[str]) -> frozenset[str]:
        searched.append(paths)
        return real(self, paths)

    monkeypatch.setattr(ProjectNames, "leading_to", leading_to)
    session.glance("lib/near.py")
    assert not searched
    session.check("lib/near.py")
    assert searched

"""Analyses of the files of a project share modules and calls: no finding tells that they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from projects import Tree, every_tree
from sharing import CASES, project
from worlds import changes, state

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.machine import activation
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.operations import modules
from jaxlint.engine.queries import analyse
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session
from jaxlint.syntax import ir

Told = tuple[Any, ...]


def told(session: Session, path: str) -> list[Told]:
    """All that is said of a file."""
    found = session.check(path).findings
    return sorted(
        (one.line, one.column, one.code, one.severity, one.confidence, one.message, one.because)
        for one in found
    )


@pytest.mark.parametrize("name", CASES)
def test_calls_that_stand_for_others_change_no_finding(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = project(name)
    paths = [path for path in files if path.endswith(".py")]
    together = Session(files=Memory(files))
    found = {path: told(together, path) for path in (*paths, *paths)}
    again = Session(files=Memory(files))
    backwards = {path: told(again, path) for path in reversed(paths)}
    monkeypatch.setattr(Machine, "shares", False)
    apart = {path: told(Session(files=Memory(files)), path) for path in paths}

    assert found == apart
    assert backwards == apart
    assert any(apart.values())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_what_is_left_out_does_not_depend_on_what_other_files_ran(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activation, "MOST_RUNS", most)
    files = project(name)
    together = Session(files=Memory(files))
    told(together, "lib/one.py")

    assert told(Session(files=Memory(files)), "lib/two.py") == told(together, "lib/two.py")


@every_tree
def test_sharing_changes_no_finding_of_a_tree(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tree.root / file) for file in tree.files]

    def found() -> dict[str, list[Told]]:
        session = Session()
        session.ask(paths)
        return {path: told(session, path) for path in paths}

    shared = found()
    monkeypatch.setattr(Machine, "shares", False)
    assert shared == found()


@every_tree
def test_an_analysis_leaves_shared_modules_as_they_were(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences: list[str] = []
    trace: Callable[..., Machine] = analyse.trace

    def watched(module: Any, *given: Any, **named: Any) -> Machine:
        context: Context | None = named.get("context")
        before = state(context.worlds[0]) if context is not None and context.worlds else {}
        machine = trace(module, *given, **named)
        differences.extend(changes(before))
        return machine

    monkeypatch.setattr(analyse, "trace", watched)
    session = Session()
    for file in tree.files:
        session.check(str(tree.root / file))

    assert differences == []


def test_a_call_of_another_file_is_not_run_again() -> None:
    files = {**project("a helper"), "lib/deep.py": ""}
    counted: list[int] = []
    session = Session(files=Memory(files))
    context = session._projects.context(session.project("lib/one.py"))
    for path in ("lib/one.py", "lib/two.py"):
        module = session.project(path).parsed(path)
        machine = analyse.trace(module, context=context)  # type: ignore[arg-type]
        counted.append(machine.counters.activations)

    # The compiled function itself, for the call that is seen and for any.
    assert counted[1] < counted[0]


def test_classes_are_the_same_in_import_cycles() -> None:
    """Code in other files has a class of its own for each class of the file that is analysed."""
    files = {
        "pyproject.toml": "",
        "lib/__init__.py": "",
        "lib/shapes.py": (
            "import jax\nfrom lib.tests import is_box\n\n\nclass Box:\n    def __init__(self, x):\n"
            "        self.x = x\n\n\n@jax.jit\ndef f(x):\n    box = Box(x)\n"
            "    if is_box(box):\n        return x\n    return x if box.x > 0 else -x\n"
        ),
        "lib/tests.py": (
            "from lib import shapes\n\n\ndef is_box(x):\n    return isinstance(x, shapes.Box)\n"
        ),
    }
    assert Session(files=Memory(files)).check("lib/shapes.py").findings == ()


def test_a_crash_in_a_shared_module_is_one_for_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    run = modules._run

    def crashing(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...]) -> None:
        if frame.module is not None and frame.module.file == "lib/shared.py":
            raise ValueError("crash")
        run(machine, frame, body)

    monkeypatch.setattr(modules, "_run", crashing)
    session = Session(files=Memory(project("a helper")))
    for path in ("lib/one.py", "lib/two.py", "lib/one.py"):
        assert "JAX009" in [finding.code for finding in session.check(path).findings]

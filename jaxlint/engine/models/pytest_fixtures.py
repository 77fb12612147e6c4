"""pytest's fixtures: a parameter of a test that has the name of one holds what that gives.

Source: pytest documentation, "How to use fixtures" and "Override fixtures on various levels": of
the test's class, then its module, then the `conftest.py` files of the directories around, the
nearest first.
"""

from __future__ import annotations

from collections.abc import Iterator as Iterates

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkTuple
from jaxlint.engine.domain.values import (
    Class,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Partial,
    Static,
    Value,
    join_all,
)
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.modules import module_frame, resolved
from jaxlint.knowledge.test_runners import CONFTEST, FIXTURES, PARAM, REQUEST, TEST_CASES
from jaxlint.syntax import ir

# What a function is that `pytest.fixture` decorates.
FIXTURE = "pytest.fixture(...)"
# Directories around a test whose `conftest.py` is read, and fixtures that fixtures ask for.
MOST_DIRECTORIES = 4
MOST_NESTED = 6
Options = dict[str, Value]


def fixture(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`@pytest.fixture`, with options or without: calling the result is an error in pytest."""
    func = args.get(0, "fixture_function")
    if isinstance(func, Function):
        return Partial(LibraryName(FIXTURE), (func,), dict(args.keywords))
    return Partial(LibraryName("pytest.fixture"), (), dict(args.keywords))


def _called(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return machine.unknown("call of a fixture")


TABLE = {**dict.fromkeys(FIXTURES, fixture), FIXTURE: _called}


def of_value(value: Value | None) -> tuple[Function, Options] | None:
    """The function of a fixture and its options; None for anything else."""
    if isinstance(value, Partial) and isinstance(value.func, LibraryName) and value.args:
        func = value.args[0]
        if value.func.dotted == FIXTURE and isinstance(func, Function):
            return func, value.keywords
    return None


def is_collected(func: Function) -> bool:
    """Whether pytest calls a function as a test with fixtures."""
    return func.node.name.startswith("test") and func.frame.kind in ("class", "module")


class Fixtures:
    """The fixtures that a function asks for by the names of its parameters."""

    def __init__(self, machine: Machine, func: Function, is_fixture: bool = False) -> None:
        self.machine = machine
        self.asked: dict[str, tuple[Function, Options]] = {}
        if is_fixture or is_collected(func) or _is_fixture(func):
            owner = func.owner
            if owner is not None and TEST_CASES.intersection(owner.externals()):
                return
            for param in func.node.params[owner is not None :]:
                found = _find(machine, func, param.name)
                if found is not None and found[0].node is not func.node:
                    self.asked[param.name] = found

    def parameters(self) -> dict[str, list[Value]]:
        """What the fixtures with parameters are made for, one of each at a time."""
        found: dict[str, list[Value]] = {}
        for name, (func, chosen) in self.asked.items():
            if "params" in chosen:
                _, known, _ = iterate(
                    self.machine, func.frame, _place(func), chosen["params"], "parameters"
                )
                made = [
                    self._made(name, self._request(_unwrapped(one)), MOST_NESTED)
                    for one in known or ()
                ]
                if made:
                    found[name] = made
        return found

    def values(self, given: dict[str, Value]) -> dict[str, Value]:
        """What the other fixtures give to one call."""
        names = [name for name in self.asked if name not in given]
        return {name: self._made(name, None, MOST_NESTED) for name in names}

    def _request(self, param: Value) -> Instance:
        made = Instance(Class("FixtureRequest", None, ()), self.machine.host)
        made.fields["param"] = param
        return made

    def _made(self, name: str, request: Value | None, depth: int) -> Value:
        func, _ = self.asked[name]
        machine = self.machine
        if not depth or func.node in machine.dynamic.stack:
            return machine.unknown("fixture")
        inner = Fixtures(machine, func, is_fixture=True)
        keywords: dict[str, Value] = {}
        for one, values in inner.parameters().items():
            keywords[one] = join_all(values)
        for one in inner.asked:
            if one not in keywords:
                keywords[one] = inner._made(one, None, depth - 1)
        if request is not None:
            keywords[REQUEST] = request
        elif any(param.name == REQUEST for param in func.node.params):
            keywords[REQUEST] = machine.unknown("request of a fixture")
        positional: list[Value] = []
        if func.owner is not None:
            positional.append(generic_instance(machine, func.owner))
        frame = Frame("function", func.frame.root, machine.host)
        made = machine.call(frame, _place(func), func, Args(positional, keywords))
        return made.element if isinstance(made, Iterator) else made


def _unwrapped(value: Value) -> Value:
    if isinstance(value, FrameworkTuple) and value.dotted == PARAM and value.items:
        return value.items[0]
    return value


def _place(func: Function) -> ir.Expr:
    return ir.Name(func.node.origin, func.node.name)


def _is_fixture(func: Function) -> bool:
    held = func.frame.env.get(func.node.name)
    found = of_value(held)
    return found is not None and found[0].node is func.node


def _find(machine: Machine, func: Function, name: str) -> tuple[Function, Options] | None:
    if func.owner is not None:
        found = of_value(func.owner.find(name))
        if found is not None:
            return found
    for frame in _frames(machine, func):
        held = frame.env.get(name)
        if held is not None:
            held = frame.env[name] = resolved(machine, held)
        found = of_value(held) or _renamed(frame, name)
        if found is not None:
            return found
    return None


def _renamed(frame: Frame, name: str) -> tuple[Function, Options] | None:
    """`@pytest.fixture(name="x")`."""
    for value in frame.env.values():
        found = of_value(value)
        chosen = found[1].get("name") if found else None
        if isinstance(chosen, Static) and chosen.const == name:
            return found
    return None


def _frames(machine: Machine, func: Function) -> Iterates[Frame]:
    """The modules whose fixtures a function may ask for, the nearest first."""
    root = func.frame.root
    yield root
    modules, module = machine.context.modules, root.module
    if modules is None or module is None:
        return
    for level in range(1, MOST_DIRECTORIES + 1):
        place = modules.find(module.file, CONFTEST, level)
        frame = None if place is None else module_frame(machine, place)
        if frame is not None:
            yield frame

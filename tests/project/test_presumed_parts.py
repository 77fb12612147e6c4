"""Objects in pytrees of which nothing is known, and objects of classes that leave their methods to
others: what code asks of them tells which classes of the project they may be of."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity

PART = """\
import abc
import dataclasses
import jax


@dataclasses.dataclass
class Surface:
    gap: jax.Array

    def sag(self, r):
        raise NotImplementedError

    def height(self, r):
        return self.gap + self.sag(r)


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Conic(Surface):
    conic: jax.Array
    order: int = dataclasses.field(default=2, metadata=dict(static=True))

    def sag(self, r):
        {test}
            return r
        return r * self.conic


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Plane(Surface):
    def sag(self, r):
        return 0 * r


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Tree:
    gap: jax.Array

    def drawn(self, r):
        raise NotImplementedError


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Oak(Tree):
    conic: jax.Array
    order: int = dataclasses.field(default=2, metadata=dict(static=True))

    def drawn(self, r):
        {test}
            return r
        return r * self.conic
"""
TRACED, HOST = "if self.conic == -1:", "if self.order == 2:"
USES = {
    "an element": "    for one in lens.surfaces:\n        r = one.height(r)\n    return r\n",
    "an enumerated element": (
        "    for i, one in enumerate(lens.surfaces):\n        r = one.height(r) + i\n    return r\n"
    ),
    "an element at an index": "    one = lens.surfaces[0]\n    return one.height(r) + one.gap\n",
    "an element of the argument": "    return sum([one.height(r) for one in lens])\n",
    "an attribute": "    return lens.front.height(r)\n",
    "an attribute of an attribute": "    front = lens.group.front\n    return front.height(r)\n",
}
ANNOTATED = {
    "a base that is no pytree": ("lens: Surface", "lens.height(r)"),
    "a base that is a pytree": ("lens: Tree", "lens.drawn(r)"),
    "objects of a base": ("lens: list[Tree]", "sum([one.drawn(r) for one in lens])"),
}
HEAD = "import jax\nfrom lib.part import Surface, Tree\n\n\n@jax.jit\n"


def lines(test: str, code: str) -> list[tuple[int, Severity]]:
    found = findings(PART.replace("{test}", test), HEAD + code, RUN)
    return [(line, severity) for _, line, severity in found]


@pytest.mark.parametrize("how", USES)
def test_parts_of_unknown_pytrees_are_objects_too(how: str) -> None:
    code = "def run(lens, r):\n" + USES[how]
    assert [severity for _, severity in lines(TRACED, code)] == [Severity.WARNING]
    assert lines(HOST, code) == []


@pytest.mark.parametrize("how", ANNOTATED)
def test_classes_that_derive_from_an_annotated_one_define_what_it_leaves(how: str) -> None:
    param, value = ANNOTATED[how]
    code = f"def run({param}, r):\n    return {value}\n"
    assert [severity for _, severity in lines(TRACED, code)] == [Severity.WARNING]
    assert lines(HOST, code) == []


def test_elements_of_containers_of_the_host_are_no_tracers() -> None:
    code = "def run(r):\n    for one in MADE:\n        r = one.height(r)\n    return r\n"
    made = "MADE = [Plane(1.0)]\n\n\n@jax.jit\n"
    assert lines(TRACED, "def other(r):\n    return r\n\n\n" + made + code) == []


HOOKS = """\
class Clip:
    def on_grads(self, grads):
        return grads


class Scale(Clip):
    def on_grads(self, grads):
        return 2 * grads


class Stop:
    def on_grads(self, grads{more}):
        if grads > 0:
            return grads
        return -grads
"""
STEPS = """\
import jax


class Trainer:
    def __init__(self, hooks=()):
        self.hooks = tuple(hooks)
        self.step = jax.jit(self._step)

    def _step(self, grads):
        for hook in self.hooks:
            grads = hook.on_grads(grads)
        return grads
"""


def test_a_class_beside_a_family_that_takes_the_same_is_as_likely() -> None:
    found = findings(HOOKS.replace("{more}", ""), STEPS, RUN)
    assert [(line, severity) for _, line, severity in found] == [(11, Severity.WARNING)]
    assert findings(HOOKS.replace("{more}", ", at=0"), STEPS, RUN) == []


METER = """\
class Meter:
    def update(self, value):
        self.value = float(value)


class Printer:
    def update(self, value):
        print(value.shape)
"""
WATCHED = """\
import jax
{head}

class Trainer:
    def __init__(self, {param}):
        self.{name} = {name}
        self.step = jax.jit(self._step)

    def _step(self, loss):
        if self.{name} is not None:
            self.{name}.update(loss)
        return loss
"""


def watched(param: str, head: str) -> str:
    name = param.split("=")[0].split(":")[0]
    return WATCHED.format(head=head, param=param, name=name)


@pytest.mark.parametrize("param", ["meter=None", "meter", "sink: Meter"])
def test_a_common_method_is_that_of_the_class_that_goes_by_the_name(param: str) -> None:
    own = {line for _, line, _ in findings(METER, watched(param, METER), RUN)}
    assert own & {4, 8, 9} == {4}
    code = watched(param, "from lib.parts import Meter\n")
    assert {line for _, line, _ in findings(METER, code, PARTS)} == ({3} if ":" in param else set())


@pytest.mark.parametrize("param", ["sink", "printer"])
def test_other_names_tell_nothing_of_a_common_method(param: str) -> None:
    assert findings(METER, watched(param, METER), RUN) == []


ENVS = """\
class Wall:
    def step(self, x, v):
        if x > 1:
            return -v
        return v

    def reset(self, x):
        return x
"""
ROLLS = """\
import jax


class Runner:
    def __init__(self, env):
        self.env = env
        self.roll = jax.jit(self._roll)

    def _roll(self, x):
        def body(x, _):
            return {step}, x

        return jax.lax.scan(body, x, None, length=3)
"""


def test_a_method_that_a_transform_of_traced_code_is_given_is_followed() -> None:
    handed = "jax.vmap(self.env.step)(x, x) + jax.vmap(self.env.reset)(x)"
    assert [line for _, line, _ in findings(ENVS, ROLLS.replace("{step}", handed), RUN)] == [11]
    other = handed.replace("self.env.step", "self.env.slide")
    assert findings(ENVS, ROLLS.replace("{step}", other), RUN) == []
    data = "jax.vmap(abs)(self.env.step) + jax.vmap(self.env.reset)(x)"
    assert findings(ENVS, ROLLS.replace("{step}", data), RUN) == []

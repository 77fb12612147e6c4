"""Where the engine asks what a framework does: with its objects, and with classes built on its own.

Each framework's answers stand in a module of `jaxlint.engine.frameworks`; what is not answered
(None) is treated like any library without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.kinds.containers import AGES
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Class, Instance, LibraryName, Sequence, Traced, Value
from jaxlint.syntax import ir


class FrameworkObject(Value):
    """An object that a library's class or function made: an optimizer, a layer, a distribution.

    `dotted` is the class or function by its canonical name, `args` what it was given, `made` the
    expression, `born` the trace that it was made in. `args` and `made` are None where an
    annotation says what the object is, but not how it was made. `state` is for the framework to
    keep what it needs to know later; "tree" in it is a tracer that stands for the arrays of a
    pytree inside a trace. `birth` is the age at which it was made.
    """

    __slots__ = ("args", "birth", "born", "dotted", "made", "state")

    def __init__(
        self, dotted: str, args: Args | None, made: ir.Expr | None, born: Trace | None
    ) -> None:
        self.dotted = dotted
        self.args = args
        self.made = made
        self.born = born
        self.birth = next(AGES)
        self.state: dict[str, Any] = {}

    def again(self) -> FrameworkObject:
        """Another object, made alike and in the same state."""
        made = FrameworkObject(self.dotted, self.args, self.made, self.born)
        made.state = {k: {**v} if isinstance(v, dict) else v for k, v in self.state.items()}
        return made

    def children(self) -> list[Value]:
        """What it was made of."""
        return [] if self.args is None else self.args.values()

    def rebuild(self, children: list[Value]) -> Value:
        args = None if self.args is None else self.args.refilled(children)
        made = FrameworkObject(self.dotted, args, self.made, self.born)
        made.state = {**self.state}
        return made

    def given(self, index: int, name: str) -> Value | None:
        """The argument at a position or with a name, None where it was not passed or how the
        object was made is not known."""
        return None if self.args is None else self.args.get(index, name)

    @property
    def tree(self) -> Traced | None:
        """A tracer that stands for the arrays that the object certainly holds."""
        found = self.state.get("tree")
        return found if isinstance(found, Traced) else None

    def __repr__(self) -> str:
        return f"<{self.dotted}()>"


class FrameworkTuple(Sequence):
    """A tuple that a library made of a container: its methods are asked of the framework."""

    __slots__ = ("dotted",)

    def __init__(self, dotted: str, items: list[Value] | None, born: Any, element: Value | None):
        super().__init__("tuple", items, born, element)
        self.dotted = dotted


Hook = Callable[..., Value | None]
"""An answer, or None where the framework has none."""


@slotted(frozen=True)
class Hooks:
    """What one framework answers. In each, `machine`, `frame` and `node` come first.

    - `call(machine, frame, node, dotted, args)`: a name of the library is called;
    - `attribute(machine, frame, node, owner, attr)`: `owner.attr`, of a `FrameworkObject`, or of an
      `Instance` whose class derives from the library's and says nothing of `attr` itself;
    - `method(machine, frame, node, owner, name, args)`: what `attribute` gave as a
      `Method(owner, name)` is called;
    - `invoke(machine, frame, node, owner, args)`: a `FrameworkObject` is called, or an `Instance`
      of such a class: for one that defines `__call__`, None means that this simply runs;
    - `store(machine, frame, node, owner, attr, value)`: `owner.attr = value`, asked before the
      engine's own reading of it; anything but None ends it there;
    - `build(machine, frame, node, cls, args)`: such a class is called; None leaves it to the
      engine, which makes an `Instance` by `__init__` or the fields;
    - `enter(machine, trace, node, name, function, owner)`: what such an object passed to a
      transformed function is inside the trace (`name` is the parameter, `function` its
      function); None: it is rebuilt from its leaves if it is a pytree, unknown otherwise;
    - `define(machine, frame, node, cls)`: a class that derives from the library's is defined;
    - `augment(machine, frame, node, owner, attr, value)`: `owner.attr += ...` or the like,
      asked before `store` and otherwise the same;
    - `operand(machine, frame, node, owner)`: what a `FrameworkObject` is to an operator of arrays;
    - `arithmetic(machine, frame, node, op, left, right)`: what an operator gives of which a
      `FrameworkObject` or a name of the library is an operand; `right` is None for one operand;
    - `item(machine, frame, node, owner, index)`: `owner[index]` of a `FrameworkObject`;
    - `put(machine, frame, node, owner, index, value)`: `owner[index] = value` of one;
    - `parameter(machine, trace, cls, made)`: a parameter that such a class annotates, where
      no call is seen (`made` is the tracer that stands for it otherwise);
    - `kept(machine, trace, dotted, param, value)`: what an argument for `param` that the transform
      `dotted` does not trace is inside;
    - `receiver(machine, frame, node, cls, made)`: `self` of a method of such a class that compiled
      code is taken to call (`made` stands for what is traced of it); None: any object of it.

    `ran(machine, trace, node, func, args, result)` is told whenever a function has run in a
    trace of its own, for any objects.
    """

    library: str
    call: Hook | None = None
    attribute: Hook | None = None
    method: Hook | None = None
    invoke: Hook | None = None
    store: Hook | None = None
    build: Hook | None = None
    enter: Hook | None = None
    leave: Hook | None = None
    wrap: Hook | None = None
    passed: Hook | None = None
    called: Hook | None = None
    entry: Hook | None = None
    define: Hook | None = None
    augment: Hook | None = None
    operand: Hook | None = None
    arithmetic: Hook | None = None
    item: Hook | None = None
    put: Hook | None = None
    parameter: Hook | None = None
    kept: Hook | None = None
    receiver: Hook | None = None
    ran: Callable[..., None] | None = None


class Frameworks:
    """The hooks of all frameworks, found by the libraries that they answer for."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """`places` has the module and the name of the hooks of each library, as
        `package.module:NAME`. A module is imported when something of its library is met: most files
        use none of them, and importing all takes a tenth of the start."""
        self._places = places
        self._loaded: dict[str, Hooks] = {}
        self._watching: list[Callable[..., None]] = []

    def _hooks(self, library: str) -> Hooks:
        found = self._loaded.get(library)
        if found is None:
            module, _, name = self._places[library].partition(":")
            found = self._loaded[library] = getattr(import_module(module), name)
            if found.ran is not None:
                self._watching.append(found.ran)
        return found

    def ask(self, question: str, about: Any, *given: Any) -> Value | None:
        """The first answer of the frameworks that something belongs to: a dotted name, a
        `FrameworkObject`, an `Instance` or a `Class`."""
        for library in self._libraries(about):
            hook = getattr(self._hooks(library), question)
            answer: Value | None = None if hook is None else hook(*given)
            if answer is not None:
                return answer
        return None

    def ran(self, *given: Any) -> None:
        """Tells the frameworks that ask for it that a function has run in a trace."""
        for ran in self._watching:
            ran(*given)

    def _libraries(self, about: Any) -> Iterable[str]:
        if isinstance(about, str):
            top = about.partition(".")[0]
            return (top,) if top in self._places else ()
        names: list[str] = []
        if isinstance(about, (FrameworkObject, LibraryName, FrameworkTuple)):
            names = [about.dotted]
        elif isinstance(about, (Instance, Class)):
            names = (about.cls if isinstance(about, Instance) else about).externals()
        tops = dict.fromkeys(name.partition(".")[0] for name in names)
        return [top for top in tops if top in self._places]

"""Imports: names of other modules of the project, read when somebody asks for them."""

from __future__ import annotations

from collections import Counter
from typing import Final

from jaxlint.dataflow.budget import OverBudgetError
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CAUGHT, CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.special_values import Deferred, Module
from jaxlint.engine.domain.values import (
    Instance,
    LibraryName,
    Mapping,
    Sequence,
    Static,
    Value,
)
from jaxlint.engine.evaluation.classes import HOOK
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge import lookup
from jaxlint.project.modules import Place
from jaxlint.syntax import ir

_SCOPES = (ir.FunctionDef, ir.ClassDef)
# How many modules are run that register something in one.
MOST_FILLING: Final = 12


def bind_import(machine: Machine, frame: Frame, node: ir.Import) -> None:
    """`import a.b`, `import a.b as c`."""
    for heard in machine.checks.import_:
        heard(machine, frame, node)
    for dotted, alias in node.names:
        name = dotted if alias is not None else dotted.partition(".")[0]
        value: Value = _module(machine, frame, name)
        if isinstance(value, Module):
            _run_at_once(machine, frame, _find(machine, frame, dotted))
        elif alias is None:
            value = LibraryName(name)
        machine.bind(frame, alias or name, value, node)


def _module(machine: Machine, frame: Frame, dotted: str) -> Module | LibraryName:
    """A module by its full name."""
    place = _find(machine, frame, dotted)
    if place is not None and dotted not in machine.context.transforms:
        return Module(dotted, place, _file(frame))
    return LibraryName(machine.canonical(dotted))


def import_module(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`importlib.import_module(name)`."""
    name = args.get(0, "name")
    const = name.const if isinstance(name, Static) else None
    if not isinstance(const, str) or const.startswith("."):
        return machine.unknown("module whose name is not known")
    return _module(machine, frame, const)


def bind_import_from(machine: Machine, frame: Frame, node: ir.ImportFrom) -> None:
    """`from module import name`. The module is read where the name is, except behind a
    condition, where two modules may hold it."""
    for heard in machine.checks.import_:
        heard(machine, frame, node)
    place = _find(machine, frame, node.module, node.level)
    full = _absolute(machine, frame, node)
    _bind_submodule(machine, frame, full)
    if node.names is None:
        _bind_all(machine, frame, full, place, node)
        return
    known = place is None or lookup.hides_source(full)
    if place is not None and not known and machine.context.modules is not None:
        _run_at_once(machine, frame, place)
        for name, _ in node.names:
            _run_at_once(machine, frame, machine.context.modules.submodule(place, name))
    for name, alias in node.names:
        dotted = f"{full}.{name}" if not full.endswith(".") else f"{full}{name}"
        value: Value = LibraryName(machine.canonical(dotted))
        spoken = _spoken_for(machine, dotted)
        if place is not None and not known and spoken is not None:
            value = spoken
        elif place is not None and not known:
            value = Deferred(Module(full, place, _file(frame)), name, frame.root.age < SHARED)
            around = machine.asks(CAUGHT | CONDITIONS)
            conditional = frame.path is not frame.start or around.caught or around.conditions
            if frame.kind != "module" or conditional:
                value = resolved(machine, value)
        machine.bind(frame, alias or name, value, node)


def _run_at_once(machine: Machine, frame: Frame, place: Place | None) -> None:
    """A module that may be imported for what it does to others runs where it is imported."""
    modules = machine.context.modules
    if frame.kind == "module" and modules and place and place.path and modules.acts(place.path):
        module_frame(machine, place)


def _bind_submodule(machine: Machine, frame: Frame, full: str) -> None:
    """Importing a package's own module in its `__init__.py` makes it a name there.

    Source: the Python language reference, section 5.4.2, "Submodules".
    """
    modules, path = machine.context.modules, _file(frame)
    if modules is None or frame.kind != "module" or not path.endswith("__init__.py"):
        return
    package = modules.name(path)
    name = full.removeprefix(f"{package}.").partition(".")[0]
    if full.startswith(f"{package}.") and name not in frame.env:
        place = modules.find(path, name, 1)
        if place is not None:
            frame.env[name] = Module(f"{package}.{name}", place, path)


def is_found(machine: Machine, frame: Frame, node: ir.Stmt) -> bool:
    """Whether a statement is an import of modules of the project, which cannot fail."""
    if isinstance(node, ir.ImportFrom):
        place = _find(machine, frame, node.module, node.level)
        return place is not None and all(_has(machine, place, n) for n, _ in node.names or ())
    if isinstance(node, ir.Import):
        return all(_find(machine, frame, dotted) is not None for dotted, _ in node.names)
    return False


def _has(machine: Machine, place: Place, name: str) -> bool:
    modules = machine.context.modules
    if modules is not None and modules.submodule(place, name) is not None:
        return True
    frame = module_frame(machine, place)
    return frame is not None and name in frame.env


def _file(frame: Frame) -> str:
    module = frame.root.module
    return "" if module is None else module.file


def _find(machine: Machine, frame: Frame, dotted: str, level: int = 0) -> Place | None:
    if machine.context.modules is None or (not level and lookup.hides_source(dotted)):
        return None
    return machine.context.modules.find(_file(frame), dotted, level)


def _absolute(machine: Machine, frame: Frame, node: ir.ImportFrom) -> str:
    """The module's full name; with its dots where the packages around are not known."""
    if not node.level or machine.context.modules is None:
        return "." * node.level + node.module
    path = _file(frame)
    parts = machine.context.modules.name(path).split(".")
    up = node.level - path.endswith("__init__.py")
    if up >= len(parts):
        return "." * node.level + node.module
    package = parts[: len(parts) - up]
    return ".".join([*package, node.module] if node.module else package)


def _bind_all(
    machine: Machine, frame: Frame, full: str, place: Place | None, node: ir.ImportFrom
) -> None:
    """`from module import *`: the names of `__all__`, else those without an underscore."""
    if place is None or lookup.hides_source(full):
        frame.root.stars.append(full)
        return
    other = module_frame(machine, place)
    if other is None:
        return
    listed = other.env.get("__all__")
    if isinstance(listed, Sequence) and listed.items is not None:
        names = [str(one.const) for one in listed.items if isinstance(one, Static) and one.known]
    else:
        names = [name for name in other.env if not name.startswith("_")]
    module = Module(full, place, _file(frame))
    for name in names:
        machine.bind(frame, name, Deferred(module, name, frame.root.age < SHARED), node)
    frame.root.stars += other.stars


def module_frame(machine: Machine, place: Place) -> Frame | None:
    """The names of a module, which runs first if it has not yet; None where it has no source
    that can be read. In a cycle, those it has so far."""
    path = place.path
    if path is None or machine.context.modules is None:
        return None
    if machine.world is not None:
        return _shared_frame(machine, place, path)
    if path not in machine.loaded:
        module = machine.context.modules.load(path)
        if module is None:
            machine.loaded[path] = None
            return None
        frame = Frame("module", None, machine.host)
        frame.module = module
        machine.loaded[path] = frame
        machine.sources.modules.append(module)
        machine.budget.grow(module)
        with machine.importing(frame):
            _run(machine, frame, module.body)
        _fill(machine, frame, path)
    return machine.loaded[path]


def _fill(machine: Machine, frame: Frame, path: str) -> None:
    """Runs the modules that register something in one that keeps empty containers for it: a
    program imports them before it reads what they register."""
    if machine.context.modules is None or not any(map(_is_empty, frame.env.values())):
        return
    hooked = _hooked(frame)
    _make_heirs(machine, frame, hooked)
    for one in machine.context.modules.filling(path)[:MOST_FILLING]:
        filled = module_frame(machine, Place(one))
        if filled is not None:
            _make_heirs(machine, filled, hooked)


def _hooked(frame: Frame) -> frozenset[str]:
    """The classes of a module with a hook that runs for each class derived."""
    body = () if frame.module is None else frame.module.body
    return frozenset(
        one.name
        for one in body
        if isinstance(one, ir.ClassDef)
        and any(isinstance(it, ir.FunctionDef) and it.name == HOOK for it in one.body)
    )


def _make_heirs(machine: Machine, frame: Frame, hooked: frozenset[str]) -> None:
    """Makes the classes of a module that derive from others by these names."""
    for one in frame.module.body if hooked and frame.module is not None else ():
        if isinstance(one, ir.ClassDef):
            bases = {dotted_text(base.value).rpartition(".")[2] for base in one.bases}
            if not hooked.isdisjoint(bases):
                named_in(machine, frame, one.name)


def _is_empty(value: Value, depth: int = 1) -> bool:
    """Whether a value is an empty list or dict, or an object that holds one."""
    if isinstance(value, Sequence):
        return value.kind == "list" and value.items == [] and value.element is None
    if isinstance(value, Mapping):
        return not (value.items or value.element or value.open)
    held = value.fields.values() if depth and isinstance(value, Instance) else ()
    return any(_is_empty(one, depth - 1) for one in held)


def named_in(machine: Machine, module: Frame, name: str) -> Value | None:
    """What a name of a module stands for, None where it has none of that name."""
    value = module.env.get(name)
    if value is not None:
        value = module.env[name] = resolved(machine, value)
    return value


def _shared_frame(machine: Machine, place: Place, path: str) -> Frame | None:
    """The names of a module that several analyses share. The file that is analysed has names of
    its own, which code in other files does not see."""
    own = machine.globals
    is_own = own.module is not None and path == own.module.file
    if is_own and machine.dynamic.holder.root is own:
        return own
    found: Frame | None = machine.world.frame(path, lambda shared: module_frame(shared, place))
    return found


def _run(machine: Machine, frame: Frame, body: tuple[ir.Stmt, ...]) -> None:
    """Runs the body of an imported module. Functions and classes are made when they are asked
    for: most of them never are."""
    once = _bound_once(frame, body)
    for node in body:
        if isinstance(node, _SCOPES) and node.name in once and _has_no_effect(frame, node):
            frame.env[node.name] = Deferred((frame, node), node.name, frame.age < SHARED)
        elif not machine.semantics.executors[type(node)](machine, frame, node):
            break
        frame.joined()


def _bound_once(frame: Frame, body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """The names that a module binds in one place only."""
    module = frame.module
    assert module is not None
    if module.once is None:
        counted = Counter(name for node in walk(body, _SCOPES) for name in bound_names(node))
        module.once = frozenset(name for name, times in counted.items() if times == 1)
    return module.once


def _has_no_effect(frame: Frame, node: ir.FunctionDef | ir.ClassDef) -> bool:
    """Whether a definition does nothing but bind its name: decorators of libraries do no more,
    others may."""
    heads = (dotted_text(_called(one)).partition(".")[0] for one in node.decorators)
    return all(isinstance(frame.env.get(head), LibraryName) for head in heads)


def _called(node: ir.Expr) -> ir.Expr:
    return node.func if isinstance(node, ir.Call) else node


def member(machine: Machine, module: Module, name: str) -> Value:
    """`module.name`."""
    dotted = f"{module.dotted}.{name}"
    spoken = _spoken_for(machine, dotted)
    if spoken is not None:
        return spoken
    frame = module_frame(machine, module.place)
    value = None if frame is None else frame.env.get(name)
    circular = isinstance(value, Deferred) and value.asked
    if value is not None and frame is not None and not circular:
        value = frame.env[name] = resolved(machine, value)
        machine.dynamic.effects.read(frame, name, value)
        return value
    place = machine.context.modules and machine.context.modules.submodule(module.place, name)
    if place:
        return Module(dotted, place, module.importer)
    if module.place.path is None:
        return LibraryName(machine.canonical(dotted))
    if frame is None:
        return machine.unknown("module that cannot be read")
    for star in frame.stars:
        if lookup.function(f"{star}.{name}") is not None:
            return LibraryName(machine.canonical(f"{star}.{name}"))
    return machine.unknown("name that a module does not define")


def defines(machine: Machine, module: Module, name: str) -> bool | None:
    """Whether a module has a name, None where that is not known."""
    frame = module_frame(machine, module.place)
    if frame is None or frame.module is None or machine.context.modules is None:
        return None
    if name in frame.env or machine.context.modules.submodule(module.place, name) is not None:
        return True
    later = {one for node in walk(frame.module.body, _SCOPES) for one in bound_names(node)}
    unsure = name.startswith("__") or frame.stars or later & {name, "__getattr__"}
    return None if unsure else False


def _spoken_for(machine: Machine, dotted: str) -> LibraryName | None:
    """A name of the project for which the user's settings or a model speak."""
    if dotted in machine.context.transforms:
        return LibraryName(machine.canonical(dotted))
    kept = lookup.kept_name(dotted)
    return None if kept is None else LibraryName(kept)


def resolved(machine: Machine, value: Value) -> Value:
    """What a deferred name stands for; anything else is given back."""
    if not isinstance(value, Deferred):
        return value
    if value.asked:
        return machine.unknown("import cycle")
    if machine.world is not None and value.shared:
        with machine.world.step() as shared:
            try:
                return resolved(shared, value)
            except OverBudgetError:
                return machine.unknown("shared code that was not run to its end")
    value.asked = True
    try:
        if isinstance(value.source, Module):
            return member(machine, value.source, value.name)
        frame, statement = value.source
        if frame.env.get(value.name) is value:
            with machine.importing(frame):
                machine.semantics.executors[type(statement)](machine, frame, statement)
        found: Value = frame.env[value.name]
        return found
    finally:
        value.asked = False

"""Global names that functions change which nothing in sight calls.

`SETTINGS["rate"] *= 2` in a function, where compiled code reads `SETTINGS["rate"]`; `RATE = rate`
behind `global RATE` in the module that compiled code takes it from; `options.RATE *= 2` in a third
one. Who calls such functions, and when, is not there to be read. What another file merely sets, it
may set before anything is compiled; there a change counts where it goes by what was there, or
stands between two calls (`changes_between`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.test_files import is_of_tests
from jaxlint.dataflow.idioms import restored
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import (
    assigned,
    bound_names,
    dotted_text,
    free_in,
    is_none_literal,
    targets_of,
    walk,
)
from jaxlint.engine.checks.captures.changes_between import is_between, running
from jaxlint.engine.checks.captures.staleness import (
    goes_by_itself,
    is_set_up_by,
    sets_module_up,
)
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Partial,
    Transformed,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.peek import is_chain
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.project.modules import Place
from jaxlint.syntax import ir

# What registries hold.
_NO_DATA = (Bound, Class, Descriptor, Function, LibraryName, Partial, Transformed)
_NAMED = (ir.Attribute, ir.Lambda, ir.Name)
# How many modules a name is handed through.
_DEPTH = 3


@slotted(frozen=True, eq=False)
class Store:
    """What a function binds at `node`: a global name, an attribute of one, or an item of either
    (`keys` has one key then, `ANY` where it is given). `text` is how the name is written; `func` is
    None for what a module does when it is imported, or run."""

    text: str
    node: ir.Expr
    statement: ir.Stmt
    func: ir.FunctionDef | None
    keys: tuple[object, ...]


ANY = object()
"""A key that is given to the function which sets what is under it."""


def changes_anytime(
    machine: Machine,
    record: TransformUse,
    owner: Frame,
    name: str,
    value: Value,
    keys: frozenset[object] | None,
) -> tuple[ir.Node, ...]:
    """The changes of a global name of a module, or of the items of it under some keys, by
    functions that nothing in sight calls, or between two calls of a compiled function. Tests call
    what they compile themselves."""
    if owner.module is None or is_none(value) or isinstance(value, _NO_DATA):
        return ()
    compiling = machine.globals.module
    if compiling is None or is_of_tests(compiling.file, machine.context.root):
        return ()
    home, name = _origin(machine, owner.module, name)
    found: list[ir.Node] = []
    attributes = sorted(map(str, keys or ())) if isinstance(value, Instance) else None
    for module, store in _stores_of(machine, home, name, attributes):
        if store.keys:
            wanted = (keys or frozenset()) & {*store.keys}
            if store.keys[0] is ANY:
                wanted = keys or frozenset()
            fits = any(_is_data(home, name, key, value) for key in wanted)
        else:
            # A name that is imported stays; the changes in the analysed file have run.
            fits = owner.module is home and owner is not machine.globals
        is_own = module is home
        if not fits or not _may_come_later(machine, record, module, store, is_own):
            continue
        if is_own or _means(machine, module, store, home):
            if module not in machine.sources.modules:
                machine.sources.modules.append(module)
            found.append(store.node)
    return tuple(found)


def _origin(machine: Machine, module: ir.Module, name: str) -> tuple[ir.Module, str]:
    """The module that defines what a name of a module stands for, and the name there."""
    modules = machine.context.modules
    for _ in range(_DEPTH if modules is not None else 0):
        assert modules is not None
        taken = _imported(module, name)
        place = (
            None if taken is None else modules.find(module.file, taken[0].module, taken[0].level)
        )
        source = None if place is None or place.path is None else modules.load(place.path)
        if taken is None or source is None:
            break
        module, name = source, taken[1]
    return module, name


def _imported(module: ir.Module, name: str) -> tuple[ir.ImportFrom, str] | None:
    """The top-level import of a module that binds a name, and the name in the other module."""
    for node in module.body:
        if isinstance(node, ir.ImportFrom):
            for one, alias in node.names or ():
                if (alias or one) == name:
                    return node, one
    return None


def _is_data(home: ir.Module, name: str, key: object, value: Value) -> bool:
    """Whether a module defines a dict that holds data under a key, or an object with data in an
    attribute; what registries hold has names."""
    if isinstance(value, Instance):
        kept = value.fields.get(str(key))
        return kept is not None and not is_none(kept) and not isinstance(kept, _NO_DATA)
    for node in home.body:
        targets, given = assigned(node)
        if any(dotted_text(one) == name for one in targets):
            held = _item(given, key)
            return held is not None and not is_none_literal(held) and not isinstance(held, _NAMED)
    return False


def _item(value: ir.Expr | None, key: object) -> ir.Expr | None:
    """What a dict that is written out holds under a key."""
    if isinstance(value, ir.Dict):
        keys = [one.value if isinstance(one, ir.Const) else None for one, _ in value.items]
        return value.items[keys.index(key)][1] if key in keys else None
    if isinstance(value, ir.Call) and dotted_text(value.func) == "dict":
        return next((one.value for one in value.args if one.keyword == key), None)
    return None


def _stores_of(
    machine: Machine, home: ir.Module, name: str, attributes: list[str] | None
) -> Iterator[tuple[ir.Module, Store]]:
    """What functions of a module, and of those that import it, bind under a name, or under these
    attributes of the object that it stands for."""
    modules = machine.context.modules
    stored = (name, *(attributes or ()))
    each = [] if modules is None else [modules.storing(home.file, one) for one in stored]
    files = dict.fromkeys(path for found in each for path in found)
    loaded = [] if modules is None else [modules.load(path) for path in files if path != home.file]
    for module in (home, *(one for one in loaded if one is not None)):
        for plain in _stores(module.body):
            store = plain if attributes is None else _of_attribute(plain, name)
            is_plain = store.text == name
            if is_plain or (module is not home and store.text.rpartition(".")[2] == name):
                yield module, store


def _of_attribute(store: Store, name: str) -> Store:
    """A change of an attribute of the object behind a name as one under the attribute."""
    text, _, attribute = store.text.rpartition(".")
    if store.keys or text.rpartition(".")[2] != name:
        return store
    return Store(text, store.node, store.statement, store.func, (attribute,))


def _may_come_later(
    machine: Machine, record: TransformUse, module: ir.Module, store: Store, is_own: bool
) -> bool:
    """Whether a change may come after a program was compiled."""
    if is_own or goes_by_itself(store.statement, store.node):
        return store.func is not None and _may_run_later(machine, store, store.func)
    compiling = machine.globals.module
    if compiling is None or module is compiling or is_of_tests(module.file, machine.context.root):
        return False
    func = store.func
    body, params = (module.body, ()) if func is None else (func.body, func.params)
    is_lent = func is not None and _is_lent(store, func)
    return not is_lent and is_between(body, params, store.node, running(record, compiling))


def _may_run_later(machine: Machine, store: Store, func: ir.FunctionDef) -> bool:
    """Whether a function may run after a program was compiled, for all that is seen."""
    program = machine.program
    if is_set_up_by(func) or sets_module_up(machine, func):
        return False
    if id(func) in program.called or id(func) in program.traced:
        return False  # When it runs, calls tell.
    if _is_lent(store, func):
        return False
    tests = [one.test for one in walk(func.body) if isinstance(one, ir.If)]
    root = store.text.partition(".")[0]
    return not any(root in free_in(test) for test in tests)


def _is_lent(store: Store, func: ir.FunctionDef) -> bool:
    """Whether a function sets back what it changes. What a context manager sets back, code within
    it finds changed."""
    is_yielding = any(isinstance(one, ir.Yield) for one in walk(func.body))
    return not is_yielding and not restored(func).isdisjoint((store.text, *_named(store)))


def _named(store: Store) -> tuple[str, ...]:
    """How the attributes are written that a change is of."""
    return tuple(f"{store.text}.{key}" for key in store.keys)


def _means(machine: Machine, module: ir.Module, store: Store, home: ir.Module) -> bool:
    """Whether a module means a name of another one by what it writes."""
    root, _, attribute = store.text.partition(".")
    if not attribute:
        return _origin(machine, module, root)[0] is home
    modules = machine.context.modules
    if modules is None:
        return False
    own = Module(modules.name(module.file), Place(module.file), module.file)
    held = machine.semantics.member(machine, own, root)
    return isinstance(held, Module) and held.place.path == home.file


@answered_once_of
def _stores(body: tuple[ir.Stmt, ...]) -> tuple[Store, ...]:
    """What the functions of a module bind that is not theirs, and what it binds of others."""
    functions: list[ir.FunctionDef] = []
    for one in body:
        inner = one.body if isinstance(one, ir.ClassDef) else (one,)
        functions += [it for it in inner if isinstance(it, ir.FunctionDef)]
    found = [store for func in functions for store in _stores_in(func)]
    return (*found, *_stores_on_the_way(body))


def _stores_on_the_way(body: tuple[ir.Stmt, ...]) -> Iterator[Store]:
    """What the statements of a module bind that is no name of it."""
    closed = (ir.FunctionDef, ir.ClassDef)
    own = {name for one in walk(body, closed) for name in bound_names(one)}
    for statement in walk(body, closed):
        if isinstance(statement, ir.Stmt) and not isinstance(statement, closed):
            for store in _stores_by(statement, None, own, set(), frozenset()):
                if isinstance(store.node, (ir.Attribute, ir.Call, ir.Subscript)):
                    yield store


def _stores_in(func: ir.FunctionDef) -> Iterator[Store]:
    nodes = list(walk(func.body))
    outer = {name for one in nodes if isinstance(one, ir.Global) for name in one.names}
    given = frozenset(param.name for param in func.params)
    own: set[str] = {*given}
    for one in nodes:
        own |= bound_names(one)
    own -= outer
    for statement in nodes:
        yield from _stores_by(statement, func, own, outer, given)


def _stores_by(
    statement: Any,
    func: ir.FunctionDef | None,
    own: set[str],
    outer: set[str],
    given: frozenset[str],
) -> Iterator[Store]:
    """What a statement binds that is none of its function's `own` names, but one of the `outer`
    ones; a key may be `given` to the function."""
    for target in targets_of(statement):
        node: Any = target.value if isinstance(target, ir.Subscript) else target
        index = target.index if isinstance(target, ir.Subscript) else None
        text, is_name = dotted_text(node), isinstance(node, ir.Name)
        if not is_chain(node) or text.partition(".")[0] in own:
            continue
        if index is None and (not is_name or text in outer):
            yield Store(text, target, statement, func, ())
        elif isinstance(index, ir.Const):
            yield Store(text, target, statement, func, (index.value,))
        elif isinstance(index, ir.Name) and index.id in given:
            yield Store(text, target, statement, func, (ANY,))
    for call, key in _updated(statement, given):
        text = dotted_text(call.func).rpartition(".")[0]
        if text and text.partition(".")[0] not in own:
            yield Store(text, call, statement, func, (key,))


def _updated(statement: ir.Node, given: frozenset[str]) -> Iterator[tuple[ir.Call, object]]:
    """The keys that `options.update(rate=rate)` sets, or `options.update({"rate": rate})`; those
    of a parameter are any."""
    call = statement.value if isinstance(statement, ir.ExprStmt) else None
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Attribute):
        return
    if call.func.attr == "update" and isinstance(call.func.value, (ir.Attribute, ir.Name)):
        for one in call.args:
            if one.keyword:
                yield call, one.keyword
            elif one.star != "*" and isinstance(one.value, ir.Name) and one.value.id in given:
                yield call, ANY
            for key, _ in one.value.items if isinstance(one.value, ir.Dict) else ():
                if isinstance(key, ir.Const):
                    yield call, key.value

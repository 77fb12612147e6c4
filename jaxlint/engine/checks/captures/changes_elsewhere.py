"""Changes of attributes by code that does not make the object: a function that is given one.

`predictor.temperature = t` in another module may change an attribute that a compiled method has
read. Which class `predictor` is of, the rest of what the code asks of it tells
(`relations.requests`). Code that sets an object up changes it as well; so a change counts only
where the object was used before it, where it is made in a loop that uses the object, or where it
goes by what the attribute held. All of it is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import (
    assigned,
    bound_names,
    dotted_text,
    free_in,
    free_names,
    imported_names,
    targets_of,
    walk,
)
from jaxlint.engine.checks.captures.staleness import goes_by_itself
from jaxlint.engine.domain.values import Class, Descriptor, Function, Instance
from jaxlint.engine.evaluation.presumed_classes import classes
from jaxlint.engine.inference.construction import INITIALISERS, sets_up
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import Asked, asked_within
from jaxlint.project.class_members import CALL
from jaxlint.syntax import ir

_LOOPS = (ir.For, ir.While)
# Methods that make an object forget what it compiled.
_FORGETS = frozenset({"clear_cache", "clear_caches"})


@slotted(frozen=True, eq=False)
class Store:
    """An attribute of `owner` that a function changes at `node`: it sets it, or changes in place
    what it holds (`inside`). `cls` is the class whose method the function is, `statement` the whole
    statement, `loop` the innermost loop around it."""

    owner: ir.Expr
    attr: str
    node: ir.Expr
    statement: ir.Stmt
    loop: ir.Stmt | None
    inside: bool
    func: ir.FunctionDef
    cls: ir.ClassDef | None


def changes_elsewhere(machine: Machine, owner: Instance, name: str) -> Iterator[Store]:
    """The changes of an attribute by functions that may be given such an object."""
    cls, modules = owner.cls, machine.context.modules
    is_method = isinstance(cls.find(name), (Descriptor, Function))
    if cls.home is None or cls.home.module is None or is_method:
        return
    file = cls.home.module.file
    files = [file] if modules is None else modules.storing(file, name)
    for path in files:
        module = cls.home.module if path == file or modules is None else modules.load(path)
        if module is None:
            continue
        for store in _stores(module):
            fits = store.attr == name and _is_later(store) and not _is_setup(machine, store)
            if fits and _is_of(machine, module, store, cls):
                if module not in machine.sources.modules:
                    machine.sources.modules.append(module)
                yield store


def is_fresh(func: ir.FunctionDef, node: ir.Node) -> bool:
    """Whether each iteration of the loop around a change, or else each run of the function, makes
    the object and changes it before it is used."""
    for store in stores_in(func, None):
        if store.node is node:
            text = dotted_text(store.owner)
            root = text.partition(".")[0]
            around: tuple[ir.Node, ...] = func.body if store.loop is None else (store.loop,)
            bound = [one for one in walk(around) if root in bound_names(one)]
            if store.loop is None:
                bound = [one for one in bound if isinstance(assigned(one)[1], ir.Call)]
            since = max((ir.number(one) for one in bound), default=0)
            between = range(since, ir.number(node))
            return bool(bound) and not any(
                ir.number(one) in between for one in walk(around) if _uses(one, text)
            )
    return False


@answered_once
def calls_of_fresh(caller: ir.FunctionDef) -> dict[str, bool]:
    """The methods that a function calls, and whether it calls each of them of objects alone that
    it has just made, in the same iteration, and not used before."""
    loops = [one for one in walk(caller.body) if isinstance(one, _LOOPS)]
    inner: dict[int, ir.Stmt] = {id(one): loop for loop in loops for one in walk(loop)}
    found: dict[str, bool] = {}
    for call in walk(caller.body):
        if isinstance(call, ir.Call) and isinstance(call.func, ir.Attribute):
            fresh = _is_just_made(caller, call, dotted_text(call.func.value), inner)
            found[call.func.attr] = found.get(call.func.attr, True) and fresh
    return found


def _is_just_made(
    caller: ir.FunctionDef, call: ir.Call, owner: str, inner: dict[int, ir.Stmt]
) -> bool:
    """Whether an object is made before a call in the same iteration, with no use between."""
    loop = inner.get(id(call))
    around: tuple[ir.Node, ...] = caller.body if loop is None else (loop,)
    made = [
        ir.number(one)
        for one in walk(around)
        if owner in bound_names(one) and isinstance(assigned(one)[1], ir.Call)
    ]
    since = max((number for number in made if number < ir.number(call)), default=None)
    if since is None:
        return False
    between = range(since + 1, ir.number(call))
    used = [one for one in walk(around) if one is not call and _uses(one, owner)]
    return not any(ir.number(one) in between for one in used)


def _is_of(machine: Machine, module: ir.Module, store: Store, cls: Class) -> bool:
    """Whether what a function asks of an object fits a class, and no class of another kind."""
    asked = asked_within(store.func, store.cls, store.owner)
    if asked is None:
        return False
    says_nothing = imported_names(module).get(asked.kin) == "typing.Any"
    kin = "" if says_nothing else asked.kin
    text = dotted_text(store.owner)
    is_called = any(
        isinstance(one, ir.Call) and dotted_text(one.func) == text for one in walk(store.func.body)
    )
    called = asked.called | {CALL} if is_called else asked.called
    asked = Asked(called, asked.read | {store.attr}, asked.calls, kin)
    found = classes(machine, machine.globals, asked, is_tree=True)
    return any(cls == one or cls.derives(one) for one in found)


def _is_setup(machine: Machine, store: Store) -> bool:
    """Whether a change is part of making an object, or of an attribute that the same run of the
    function has bound anew: a method that initialisers alone call; a new dict that is filled."""
    if store.cls is not None and sets_up(machine, store.func):
        return True
    held = dotted_text(store.node.value) if isinstance(store.node, ir.Subscript) else ""
    return bool(held) and any(
        isinstance(target, ir.Attribute) and dotted_text(target) == held
        for node in store.func.body
        if ir.number(node) < ir.number(store.node)
        for target in targets_of(node)
    )


def _is_later(store: Store) -> bool:
    """Whether the object was in use when the attribute changed."""
    text = dotted_text(store.owner)
    root = text.partition(".")[0]
    if any(isinstance(one, ir.Attribute) and one.attr in _FORGETS for one in walk(store.func.body)):
        return False
    if store.inside or goes_by_itself(store.statement, store.node):
        return not _binds(store.func.body, root)
    if store.loop is not None and not _binds((store.loop,), root):
        seeing = _functions_seeing(store.func, root)
        return any(_uses(one, text) or _calls(one, seeing) for one in walk(store.loop))
    if _is_made_in(store.func, root):
        return False  # Where it is called, what it makes and uses is seen.
    before = [one for one in walk(store.func.body) if _uses(one, text)]
    return any(ir.number(one) < ir.number(store.node) for one in before)


def _functions_seeing(func: ir.FunctionDef, name: str) -> frozenset[str]:
    """What a function makes that may be called and read a name of its own: the functions defined
    in it, lambdas, and what is made of these or of what the name stands for."""
    found = set[str]()
    for one in walk(func.body):
        if isinstance(one, ir.FunctionDef) and name in free_names(one):
            found.add(one.name)
            continue
        value = assigned(one)[1]
        if isinstance(value, (ir.Call, ir.Lambda)) and name in free_in(value):
            found |= bound_names(one)
    return frozenset(found)


def _calls(node: ir.Node, names: frozenset[str]) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id in names


def _uses(node: ir.Node, text: str) -> bool:
    """Whether an object or a method of it is called, or a function with it."""
    if not isinstance(node, ir.Call):
        return False
    called = (node.func, node.func.value) if isinstance(node.func, ir.Attribute) else (node.func,)
    if any(dotted_text(one) == text for one in called):
        return True
    return any(dotted_text(one.value) == text for one in node.args)


def _is_made_in(func: ir.FunctionDef, name: str) -> bool:
    """Whether a function gives a name to what a call of another function or class returns."""
    for node in walk(func.body):
        value = assigned(node)[1]
        if not isinstance(value, ir.Call) or not isinstance(value.func, ir.Name):
            continue
        if name in bound_names(node) and name not in free_in(value):
            return True
    return False


def _binds(body: tuple[ir.Stmt, ...], name: str) -> bool:
    return any(name in bound_names(node) for node in walk(body))


def _stores(module: ir.Module) -> Iterator[Store]:
    """The changes of attributes of other objects than `self` in the functions of a module."""
    for statement in module.body:
        if isinstance(statement, ir.FunctionDef):
            yield from stores_in(statement, None)
        elif isinstance(statement, ir.ClassDef):
            for one in statement.body:
                if isinstance(one, ir.FunctionDef) and one.name not in INITIALISERS:
                    yield from stores_in(one, statement)


@answered_once
def stores_in(func: ir.FunctionDef, cls: ir.ClassDef | None) -> tuple[Store, ...]:
    """The changes of attributes in a function, but of its own object if it is a method."""
    found: list[Store] = []
    loops = [one for one in walk(func.body) if isinstance(one, _LOOPS)]
    inner = {id(one): loop for loop in loops for one in walk(loop)}
    own = func.params[0].name if cls is not None and func.params else ""
    for statement in walk(func.body):
        for target in targets_of(statement):
            node = target.value if isinstance(target, ir.Subscript) else target
            if isinstance(node, ir.Attribute) and dotted_text(node.value) not in ("", own):
                inside = node is not target
                loop = inner.get(id(statement))
                held = Store(node.value, node.attr, target, statement, loop, inside, func, cls)
                found.append(held)
    return tuple(found)

"""Objects that are not known, presumed to be of the classes that have what code asks of them.

`agent.act(...)` with an agent of which nothing is known may be a call of any class of the project
whose objects have `act`, and the rest of what the code around asks of `agent`. A first run of
traced code leaves such calls alone and notes that there are some; a second one (`presuming`)
follows them. All that only the second run finds is uncertain.
"""

from __future__ import annotations

from typing import Final, cast

from jaxlint.dataflow.names import called_names, dotted_text, is_stub, only_refuses
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import PRESUMING, TREES
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    MADE_BY,
    MAY_BE_STATIC,
    NONE,
    REBUILT,
    Bound,
    Class,
    Function,
    Instance,
    Traced,
    Transformed,
    Unknown,
    Value,
    is_none,
    join_all,
    options,
)
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.evaluation.presumed_classes import (
    RUNNING,
    called_with,
    classes,
    function_of,
    modules_called,
)
from jaxlint.engine.inference.parameters import object_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.modules import module_frame, named_in
from jaxlint.engine.relations.requests import Asked, asked_of, named_after, read_as
from jaxlint.knowledge.libraries import CALLED_MODULES, CONFIGURING
from jaxlint.project.class_members import ALIKE, CALL, LEAST_WORD, is_common, word_of
from jaxlint.project.modules import STANDARD_LIBRARY, Place
from jaxlint.syntax import ir

# How many calls of presumed objects are followed within each other.
MOST_PRESUMED: Final = 2
# In code of the host nothing but the classes of pytrees is presumed: no call is followed for it.
TREES_ALONE: Final = -1
# How many classes are presumed, where nothing is yet and within a call of a presumed object.
MOST_CLASSES: Final = (24, 2)
# How many classes are presumed to have a method that is transformed.
MOST_KINDS: Final = 4
# How many runs of functions are counted for one entry before nothing more is presumed in it.
MOST_FOLLOWED: Final = 120
# How many functions are run for the objects of a class that they make, and how many of these count.
MOST_MAKERS: Final = 6
MOST_MADE: Final = 3


def objects(machine: Machine, frame: Frame, node: ir.Expr, value: Value, attr: str) -> list[Value]:
    """The objects that are presumed where an attribute of an unknown one is read: none where
    nothing tells what it may be, and in the first run."""
    if frame.trace.is_host or not isinstance(node, ir.Attribute):
        return []
    asked = None if _is_foreign(value) else asked_of(frame, node.value)
    is_tree = isinstance(value, Traced)
    if asked is None or (not is_tree and attr not in asked.called):
        return []
    is_told = is_tree or bool(asked.kin) or not is_common(attr)
    found = classes(machine, frame, asked, is_tree) if is_told else []
    named = named_after(asked, dotted_text(node.value))
    if not found and (is_tree or not is_told) and named is not None:
        found = classes(machine, frame, named, is_tree)
        # What objects of many kinds have, only a class beside the code is taken to mean.
        found = [cls for cls in found if is_told or _is_beside(frame, cls)]
    return _followed(machine, frame, node, found, attr, value)


def _is_beside(frame: Frame, cls: Class) -> bool:
    """Whether a class is defined in the file of the code that runs."""
    home, own = cls.home, frame.root
    modules = None if home is None else home.module, own.module
    return home is own or len({one.file if one is not None else "" for one in modules}) == 1


def methods(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> list[Value]:
    """The methods that are presumed where one of an unknown object is transformed:
    `jax.vmap(model.score)`."""
    if not isinstance(node, ir.Attribute) or is_common(node.attr) or _is_foreign(value):
        return []
    asked = asked_of(frame, node.value)
    if asked is None:
        return []
    called = asked.called | {node.attr}
    found = classes(
        machine, frame, Asked(called, asked.read - called, asked.calls, asked.kin), False
    )
    having = [cls for cls in found if function_of(cls.find(node.attr)) is not None]
    made = [one for cls in having[:MOST_KINDS] for one in _any_objects(machine, cls)]
    return [Bound(cast("Value", one.cls.find(node.attr)), one) for one in made]


def heirs(
    machine: Machine, frame: Frame, node: ir.Expr, value: Instance, method: Value
) -> list[Instance]:
    """The objects that are presumed where a method is read of a pytree whose class leaves it to
    those that derive from it."""
    if not isinstance(method, Function) or frame.trace.is_host or value.tree is None:
        return []
    name, own = method.node.name, method.owner
    if own is None or not _is_left(method.node):
        return []
    asked = Asked(frozenset((name,)), kin=value.cls.name)
    having = [cls for cls in classes(machine, frame, asked, is_tree=True) if cls.derives(value.cls)]
    written = [(cls, function_of(cls.find(name))) for cls in having]
    found = [cls for cls, func in written if func is not None and not _is_left(func.node)]
    made = _followed(machine, frame, node, found, name, value.tree)
    return [one for one in made if isinstance(one, Instance)]


def _is_left(method: ir.FunctionDef) -> bool:
    """Whether a class leaves a method to those that derive from it."""
    return is_stub(method) or only_refuses(method)


def is_compiled(machine: Machine, frame: Frame, node: ir.Expr) -> bool:
    """Whether a method of an unknown object that host code calls is compiled in all classes that
    the object may be of."""
    func = node.func if isinstance(node, ir.Call) else None
    if not frame.trace.is_host or not isinstance(func, ir.Attribute) or is_common(func.attr):
        return False
    asked = asked_of(frame, func.value)
    found = [] if asked is None else classes(machine, frame, asked, is_tree=False)
    members = [cls.find(func.attr) for cls in found]
    return bool(members) and all(
        isinstance(one, Transformed) and one.record.wrapper.compiles for one in members
    )


def _is_foreign(value: Value) -> bool:
    """Whether another library made an object, of nothing that is the project's own."""
    library = value.reason.partition(MADE_BY)[2] if isinstance(value, Unknown) else ""
    return library.isidentifier() and library not in CONFIGURING | STANDARD_LIBRARY


def callees(machine: Machine, frame: Frame, node: ir.Expr, value: Value, args: Args) -> list[Value]:
    """The objects that are presumed where an unknown value is called: those of classes whose name
    ends as that of the value does, or that its annotation names. An argument of the code around
    that may be a pytree is else one of the modules of the project that can be called so."""
    if frame.trace.is_host or not isinstance(node, (ir.Name, ir.Attribute)):
        return []
    if read_as(frame, node) & RUNNING:
        return []  # A method of a library is called, which runs another object.
    asked = asked_of(frame, node) or Asked()
    word = word_of(dotted_text(node).rpartition(".")[2])
    asked = Asked(asked.called | {CALL}, asked.read, asked.calls, asked.kin or ALIKE + word)
    is_named = not asked.kin.startswith(ALIKE)
    is_told = is_named or len(word) >= LEAST_WORD
    found = classes(machine, frame, asked, is_tree=False) if is_told else []
    if is_named:
        # All that can be called fits a protocol.
        found = [cls for cls in found if any(one.name == asked.kin for one in cls.lineage)]
    elif not found and _may_be_tree(value):
        found = _called_trees(machine, frame, asked, args)
    if not found and not is_named and not isinstance(value, Traced):
        found = _called_so(machine, frame, asked, args)
    return _followed(machine, frame, node, found, CALL, value)


def _called_so(machine: Machine, frame: Frame, asked: Asked, args: Args) -> list[Class]:
    """The classes whose objects are called with these arguments, by the names of both."""
    if args.rest is not None or args.more is not None:
        return []
    shape = CALL, len(args.positional), frozenset(args.keywords)
    names = tuple(one.id if isinstance(one, ir.Name) else "" for one in args.nodes)
    called = Asked(asked.called, asked.read, asked.calls | {shape})
    return called_with(machine, frame, called, names)


def _may_be_tree(value: Value) -> bool:
    """Whether a value is an argument of a transform that may be any pytree."""
    is_open = isinstance(value, Unknown) and value.reason == MAY_BE_STATIC
    return is_open or (isinstance(value, Traced) and not value.leaf)


def _called_trees(machine: Machine, frame: Frame, asked: Asked, args: Args) -> list[Class]:
    """The classes of modules that can be called with these arguments, and that are no parts of
    other modules."""
    count = -1 if args.rest is not None or args.more is not None else len(args.positional)
    shape = CALL, count, frozenset(args.keywords)
    return modules_called(machine, frame, Asked(asked.called, asked.read, asked.calls | {shape}))


def _followed(
    machine: Machine, frame: Frame, node: ir.Expr, found: list[Class], attr: str, value: Value
) -> list[Value]:
    """Objects of some classes, as far as what they have by a name is followed; none in the first
    run."""
    left = machine.asks(PRESUMING).presuming if found else 0
    is_tree = isinstance(value, Traced)
    if found and is_tree:
        machine.dynamic.effects.asks |= TREES
    if (
        not left
        or (left == TREES_ALONE and not is_tree)
        or sum(machine.counters.runs.values()) >= MOST_FOLLOWED
    ):
        return []
    is_inner = 0 < left < MOST_PRESUMED
    followed = [cls for cls in found if _runs(machine, cls, attr, is_inner)]
    chosen = followed[: MOST_CLASSES[is_inner]]
    return [one for cls in chosen for one in _objects_of(machine, frame, node, cls, value)]


def _runs(machine: Machine, cls: Class, attr: str, is_inner: bool) -> bool:
    """Whether what a class has by this name is followed: within the method of another object, not
    if it runs already."""
    func = function_of(cls.find(attr))
    if func is None:
        return True
    return not is_stub(func.node) and not (is_inner and func.node in machine.dynamic.stack)


def _objects_of(
    machine: Machine, frame: Frame, node: ir.Expr, cls: Class, value: Value
) -> list[Value]:
    if isinstance(value, Unknown) and value.reason == REBUILT:
        return [_rebuilt(machine, frame, node, one) for one in _any_objects(machine, cls)]
    if not isinstance(value, Traced):
        return [*_any_objects(machine, cls)]
    made = object_of(machine, cls, value, frame.trace)
    if isinstance(made, Instance) and not CALLED_MODULES.isdisjoint(cls.externals()):
        for name, held in made.fields.items():
            if isinstance(held, Traced) and held.weak:
                # The transforms of these libraries leave numbers as they are.
                made.fields[name] = machine.unknown("number of a presumed object")
    return [] if isinstance(made, Unknown) else [made]


def _rebuilt(machine: Machine, frame: Frame, node: ir.Expr, made: Instance) -> Value:
    """An object of this trace that is like one of host code."""
    given = (machine, frame.trace, node, "", REBUILT, made)
    found: Value | None = machine.frameworks.ask("enter", made, *given)
    return made if found is None else found


def _any_objects(machine: Machine, cls: Class) -> list[Instance]:
    """What stands for all objects of a class."""
    known: list[Instance] | None = machine.summaries.examples.get((id(cls), "presumed"))
    if known is None:
        machine.summaries.examples[id(cls), "presumed"] = []
        known = machine.summaries.examples[id(cls), "presumed"] = _made(machine, cls)
    return known


def _made(machine: Machine, cls: Class) -> list[Instance]:
    """Objects of a class as the functions of the project make them that call it."""
    found: dict[Instance, None] = {}
    modules, home = machine.context.modules, cls.home
    if modules is None or home is None or home.module is None:
        return [generic_instance(machine, cls)]
    count, before = 0, [(one, one.expected) for one in machine.known_uses()]
    for path in modules.making(home.module.file, cls.name):
        module = module_frame(machine, Place(path))
        for func in [] if module is None else _makers(machine, module, cls):
            count += 1
            if module is None or count > MOST_MAKERS:
                break
            unknown = machine.unknown("host parameter")
            place = ir.Name(func.node.origin, func.node.name)
            with machine.importing(module), machine.quiet():
                frame = Frame("function", module, machine.host)
                result = machine.call(frame, place, func, Args(rest=unknown, more=unknown))
            found.update((it, None) for it in options(result) if isinstance(it, Instance))
    # These runs are quiet, and so expect nothing of the compiled functions that they call.
    for record, expected in before:
        record.expected = expected
    made = [one for one in found if one.cls == cls and not one.generic][:MOST_MADE]
    for one in made:
        _open_fields(machine, one)
    return made or [generic_instance(machine, cls)]


def _open_fields(machine: Machine, made: Instance) -> None:
    """Fields that are None in what the functions of the project make, and may be objects by their
    annotations: other code may give them some."""
    for name, (annotation, _) in made.cls.fields.items():
        if is_none(made.fields.get(name, machine.unknown("field"))) and made.cls.home is not None:
            named = (peek(machine, made.cls.home, part) for part in _parts(annotation))
            classes = [one for one in named if isinstance(one, Class) and one.home is not None]
            if classes and name not in made.writes:
                machine.borrow(made)
                objects = [generic_instance(machine, one) for one in classes]
                made.fields[name] = join_all([NONE, *objects])


def _parts(annotation: ir.Expr | None) -> list[ir.Expr]:
    """What an annotation allows: `A | B | None`, `Optional[A]`."""
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        return [*_parts(annotation.left), *_parts(annotation.right)]
    if isinstance(annotation, ir.Subscript) and dotted_text(annotation.value).endswith("Optional"):
        return [annotation.index]
    return [annotation] if isinstance(annotation, (ir.Attribute, ir.Name)) else []


def _makers(machine: Machine, module: Frame, cls: Class) -> list[Function]:
    """The functions of a module that call a class by its name."""
    body = () if module.module is None else module.module.body
    found = []
    for one in body:
        if isinstance(one, ir.FunctionDef) and cls.name in called_names(one.body):
            value = named_in(machine, module, one.name)
            if isinstance(value, Function):
                found.append(value)
    return found

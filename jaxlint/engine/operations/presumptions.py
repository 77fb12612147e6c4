"""Objects that are not known, presumed to be of the classes that have what code asks of them.

`agent.act(...)` with an agent of which nothing is known may be a call of any class of the project
whose objects have `act`, and the rest of what the code around asks of `agent`. A first run of
traced code leaves such calls alone and notes that there are some; a second one (`presuming`)
follows them. All that only the second run finds is uncertain.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from jaxlint.dataflow.names import called_names, dotted_text, is_stub
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import PRESUMING
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Traced,
    Unknown,
    Value,
    options,
)
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.inference.parameters import object_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.modules import class_at, module_frame, named_in
from jaxlint.engine.relations.requests import Asked, asked_of
from jaxlint.knowledge.transforms import MODULE_BASES
from jaxlint.project.class_members import ALIKE, CALL, LEAST_WORD, is_common, spelled, word_of
from jaxlint.project.modules import Place
from jaxlint.syntax import ir

# Methods of libraries that call objects of the project, and the options that they take themselves.
RUNNING: Final = frozenset[str]().union(*MODULE_BASES.values())
RUN_OPTIONS: Final = frozenset({"capture_intermediates", "method", "mutable", "rngs"})
# How many calls of presumed objects are followed within each other.
MOST_PRESUMED: Final = 2
# How many classes are presumed, where nothing is yet and within a call of a presumed object.
MOST_CLASSES: Final = (24, 2)
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
    asked = asked_of(frame, node.value)
    is_tree = isinstance(value, Traced)
    if asked is None or (not is_tree and (is_common(attr) or attr not in asked.called)):
        return []
    found = _classes(machine, frame, asked, is_tree)
    return _followed(machine, frame, found, attr, value)


def callees(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> list[Value]:
    """The objects that are presumed where an unknown value is called: those of classes whose name
    ends as that of the value does, or that its annotation names."""
    if frame.trace.is_host or not isinstance(node, (ir.Name, ir.Attribute)):
        return []
    asked = asked_of(frame, node) or Asked()
    word = word_of(dotted_text(node).rpartition(".")[2])
    asked = Asked(asked.called | {CALL}, asked.read, asked.calls, asked.kin or ALIKE + word)
    found = _classes(machine, frame, asked, is_tree=False) if len(word) >= LEAST_WORD else []
    return _followed(machine, frame, found, CALL, value)


def _followed(
    machine: Machine, frame: Frame, found: list[Class], attr: str, value: Value
) -> list[Value]:
    """Objects of some classes, as far as what they have by a name is followed; none in the first
    run."""
    left = machine.asks(PRESUMING).presuming if found else 0
    if not left or sum(machine.counters.runs.values()) >= MOST_FOLLOWED:
        return []
    is_inner = left < MOST_PRESUMED
    followed = [cls for cls in found if _runs(machine, cls, attr, is_inner)]
    chosen = followed[: MOST_CLASSES[is_inner]]
    return [one for cls in chosen for one in _objects_of(machine, frame, cls, value)]


def _runs(machine: Machine, cls: Class, attr: str, is_inner: bool) -> bool:
    """Whether what a class has by this name is followed: within the method of another object, not
    if it runs already."""
    func = _function(cls.find(attr))
    if func is None:
        return True
    return not is_stub(func.node) and not (is_inner and func.node in machine.dynamic.stack)


def _function(member: Value | None) -> Function | None:
    func = member.func if isinstance(member, Descriptor) else member
    return func if isinstance(func, Function) else None


def _objects_of(machine: Machine, frame: Frame, cls: Class, value: Value) -> list[Value]:
    if not isinstance(value, Traced):
        return [*_any_objects(machine, cls)]
    made = object_of(machine, cls, value, frame.trace)
    return [] if isinstance(made, Unknown) else [made]


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
    count = 0
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
    made = [one for one in found if one.cls == cls and not one.generic]
    return made[:MOST_MADE] or [generic_instance(machine, cls)]


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


# -- which classes -------------------------------------------------------------------------------


def _classes(machine: Machine, frame: Frame, asked: Asked, is_tree: bool) -> list[Class]:
    """The classes of the project whose objects have what is asked of one."""
    known = machine.summaries.presumed.get((asked, is_tree))
    if known is None:
        machine.summaries.presumed[asked, is_tree] = []
        known = [cls for cls in _having(machine, frame, asked) if _takes_calls(cls, asked)]
        if not asked.kin:
            known = _alike(machine, known, asked, is_tree)
        machine.summaries.presumed[asked, is_tree] = known
    return known


def _alike(machine: Machine, found: list[Class], asked: Asked, is_tree: bool) -> list[Class]:
    """Those of some classes that are of one kind. One name in common does not tell what an object
    is; a class of which there are several kinds is more likely to be left open than one without."""
    roots = {cls: _root(cls, asked) for cls in found}
    if asked.methods and asked.methods <= RUNNING:
        return _outermost(machine, found)
    is_little = len(asked.methods) + is_tree * len(asked.read) < 2
    if is_little and len(set(roots.values())) > 1 and not _is_same(found, asked.methods):
        return []
    size = Counter(roots.values())
    has_families = any(count > 1 for count in size.values())
    return [cls for cls in found if not has_families or size[roots[cls]] > 1]


def _runs_calls(cls: Class, name: str) -> bool:
    """Whether a class has a method of a library that calls its objects."""
    return any(name in MODULE_BASES.get(base, ()) for base in cls.externals())


def _outermost(machine: Machine, found: list[Class]) -> list[Class]:
    """Those of some classes whose objects none of the others makes, or that other code makes, if
    they take the same."""
    nodes = [cls.node for cls in found if cls.node is not None]
    inner = frozenset[str]().union(*(called_names(node.body) - {node.name} for node in nodes))
    left = [cls for cls in found if cls.name not in inner]
    if not _is_same(left, frozenset({CALL})):
        left = [cls for cls in found if _is_made_outside(machine, cls)]
    return left if _is_same(left, frozenset({CALL})) else []


def _is_made_outside(machine: Machine, cls: Class) -> bool:
    """Whether code makes objects of a class that is not in a class of the same library."""
    modules, home = machine.context.modules, cls.home
    if modules is None or home is None or home.module is None:
        return False
    bases = set(cls.externals())
    for path in modules.making(home.module.file, cls.name)[:MOST_MAKERS]:
        module = module_frame(machine, Place(path))
        for one in module.module.body if module is not None and module.module else ():
            if cls.name in called_names((one,)):
                own = isinstance(one, ir.ClassDef) and module and named_in(machine, module, one.name)
                if not isinstance(own, Class) or bases.isdisjoint(own.externals()):
                    return True
    return False


def _is_same(found: list[Class], methods: frozenset[str]) -> bool:
    """Whether the methods that are called take the same parameters in all of these classes."""
    for name in methods:
        functions = (_function(cls.find(name)) for cls in found)
        params = {f and tuple([param.name for param in f.node.params]) for f in functions}
        if len(params) > 1 or None in params:
            return False
    return bool(methods)


def _root(cls: Class, asked: Asked) -> Class:
    """The class in which the line of those begins that have something of this."""
    names = {*asked.methods, *asked.read}
    having = [one for one in cls.lineage if not names.isdisjoint((*one.namespace, *one.fields))]
    return having[-1] if having else cls


def _takes_calls(cls: Class, asked: Asked) -> bool:
    """Whether the methods of a class can be called as they are."""
    for name, most, keywords in asked.calls:
        func = _function(cls.find(name))
        if func is None and _runs_calls(cls, name):
            # The variables go in front, and options of the method by name.
            func = _function(cls.find(CALL))
            most, keywords = most - 1, keywords - RUN_OPTIONS
            if func is None:
                return False
        elif func is None and name in RUNNING:
            return False
        if func is None:
            continue
        params = func.node.params[1:]
        kinds = {param.kind for param in params}
        plain = [param for param in params if param.kind in ("positional", "plain")]
        names = {param.name for param in params}
        if "vararg" not in kinds and len(plain) < most:
            return False
        if "kwarg" not in kinds and not keywords <= names:
            return False
        left = [one.name for one in plain[max(most, 0) :] if one.name not in func.defaults]
        if most >= 0 and not keywords.issuperset(left):
            return False
    return True


def _having(machine: Machine, frame: Frame, asked: Asked) -> list[Class]:
    modules, module = machine.context.modules, frame.root.module
    methods, attributes = asked.methods, (asked.called | asked.read) - asked.methods
    if modules is None or module is None:
        named = [cls for cls in machine.classes() if _has(machine, cls, asked)]
        return sorted(named, key=lambda cls: cls.name)
    found = modules.having(module.file, spelled(methods, attributes, asked.kin))
    places = (class_at(machine, *place) for place in found)
    classes = [cls for cls in places if cls is not None]
    # A base that goes by the same name may be another class; classes need not know protocols.
    kin = [cls for cls in classes if _is_kin(cls, asked.kin) and not _is_protocol(cls)]
    return kin if asked.kin.startswith(ALIKE) else kin or classes


def _has(machine: Machine, cls: Class, asked: Asked) -> bool:
    """The same of a class of the only file that there is."""
    if not _is_kin(cls, asked.kin):
        return False
    fields = {*cls.fields, *generic_instance(machine, cls).fields}
    is_open = cls.find("__getattr__") is not None
    wanted = asked.methods if is_open else asked.called | asked.read
    return bool(wanted or asked.kin) and all(
        name in fields or cls.find(name) is not None for name in wanted
    )


def _is_kin(cls: Class, kin: str) -> bool:
    """Whether a class is one that is named so, or derives from one."""
    if kin.startswith(ALIKE):
        return any(one.name.lower().endswith(kin.removeprefix(ALIKE)) for one in cls.lineage)
    return not kin or any(one.name == kin for one in cls.lineage)


def _is_protocol(cls: Class) -> bool:
    return any(isinstance(it, LibraryName) and it.dotted == "typing.Protocol" for it in cls.bases)

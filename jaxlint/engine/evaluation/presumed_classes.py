"""Which classes of the project an object may be of, by what code asks of it."""

from __future__ import annotations

from collections import Counter
from typing import Final

from jaxlint.dataflow.names import called_names
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import Class, Descriptor, Function, LibraryName, Value
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.relations.requests import Asked
from jaxlint.knowledge.libraries import CALLED_MODULES
from jaxlint.knowledge.transforms import MODULE_BASES, MODULE_OPTIONS
from jaxlint.project.class_members import ALIKE, CALL, spelled
from jaxlint.project.modules import Place
from jaxlint.syntax import ir

# Methods of libraries that call objects of the project.
RUNNING: Final = frozenset[str]().union(*MODULE_BASES.values())
# In how many files is looked for code that makes an object.
MOST_FILES: Final = 6
# How many arguments tell by their names what is called; with fewer, one class alone is meant.
TELLING: Final = 2


def classes(machine: Machine, frame: Frame, asked: Asked, is_tree: bool) -> list[Class]:
    """The classes of the project whose objects have what is asked of one."""
    known = machine.summaries.presumed.get((asked, is_tree))
    if known is None:
        machine.summaries.presumed[asked, is_tree] = []
        known = [cls for cls in _having(machine, frame, asked) if _takes_calls(cls, asked)]
        if not asked.kin:
            known = _alike(machine, known, asked, is_tree)
        machine.summaries.presumed[asked, is_tree] = known
    return known


def modules_called(machine: Machine, frame: Frame, asked: Asked) -> list[Class]:
    """The classes of pytrees of the project whose objects are called as this one is, and that no
    other class makes parts of its own of."""
    known = machine.summaries.presumed.get((asked, True))
    if known is None:
        having = [cls for cls in _having(machine, frame, asked) if _is_module(cls)]
        known = _no_parts([cls for cls in having if _takes_calls(cls, asked)])
        machine.summaries.presumed[asked, True] = known
    return known


def called_with(
    machine: Machine, frame: Frame, asked: Asked, names: tuple[str, ...]
) -> list[Class]:
    """The classes of the project whose objects are called as this one is: they have what else is
    asked of it, or the call passes what they take by the same names."""
    if asked.read | (asked.called - {CALL}):
        return classes(machine, frame, asked, is_tree=False)
    if not any(names):
        return []
    known = machine.summaries.presumed.get((asked, names))
    if known is None:
        machine.summaries.presumed[asked, names] = []
        having = [cls for cls in _having(machine, frame, asked) if not _is_module(cls)]
        known = [cls for cls in having if _first_parameters(cls, len(names)) == names]
        known = [cls for cls in known if _takes_calls(cls, asked)]
        known = known if len(names) >= TELLING or len({*map(_first, known)}) == 1 else []
        machine.summaries.presumed[asked, names] = known
    return known


def _first(cls: Class) -> Class:
    """The most basic class of a lineage whose objects can be called."""
    return [cls, *(one for one in cls.lineage if CALL in one.namespace)][-1]


def _first_parameters(cls: Class, count: int) -> tuple[str, ...]:
    """What objects of a class take first where they are called."""
    func = function_of(cls.find(CALL))
    return () if func is None else tuple(one.name for one in func.node.params[1 : count + 1])


def _is_module(cls: Class) -> bool:
    """Whether a class is one of modules, which are pytrees that can be called."""
    return (
        not CALLED_MODULES.isdisjoint(cls.externals()) and function_of(cls.find(CALL)) is not None
    )


def _alike(machine: Machine, found: list[Class], asked: Asked, is_tree: bool) -> list[Class]:
    """Those of some classes that are of one kind. One name in common does not tell what an object
    is; a class of which there are several kinds is more likely to be left open than one without."""
    roots = {cls: _root(cls, asked) for cls in found}
    if asked.methods and asked.methods <= RUNNING:
        return _outermost(machine, found)
    is_little = len(asked.methods) + is_tree * len(asked.read) < 2
    if is_little and len(set(roots.values())) > 1 and not _is_same(found, asked.methods):
        return []
    if _is_same(found, asked.methods):
        return found
    size = Counter(roots.values())
    has_families = any(count > 1 for count in size.values())
    return [cls for cls in found if not has_families or size[roots[cls]] > 1]


def _runs_calls(cls: Class, name: str) -> bool:
    """Whether a class has a method of a library that calls its objects."""
    return any(name in MODULE_BASES.get(base, ()) for base in cls.externals())


def _outermost(machine: Machine, found: list[Class]) -> list[Class]:
    """Those of some classes whose objects none of the others makes, or that other code makes, if
    they take the same."""
    left = _no_parts(found)
    if not _is_same(left, frozenset({CALL})):
        left = [cls for cls in found if _is_made_outside(machine, cls)]
    return left if _is_same(left, frozenset({CALL})) else []


def _no_parts(found: list[Class]) -> list[Class]:
    """Those of some classes whose objects none of the others makes."""
    nodes = [cls.node for cls in found if cls.node is not None]
    inner = frozenset[str]().union(*(called_names(node.body) - {node.name} for node in nodes))
    return [cls for cls in found if cls.name not in inner]


def _is_made_outside(machine: Machine, cls: Class) -> bool:
    """Whether code makes objects of a class that is not in a class of the same library."""
    modules, home = machine.context.modules, cls.home
    if modules is None or home is None or home.module is None:
        return False
    bases = set(cls.externals())
    for path in modules.making(home.module.file, cls.name)[:MOST_FILES]:
        module = modules.load(path)
        for one in module.body if module is not None else ():
            if cls.name not in called_names((one,)):
                continue
            own = class_at(machine, path, one.name) if isinstance(one, ir.ClassDef) else None
            if own is None or bases.isdisjoint(own.externals()):
                return True
    return False


def class_at(machine: Machine, path: str, name: str) -> Class | None:
    """The class of a file by its name."""
    modules = machine.context.modules
    dotted = modules.name(path) if modules is not None else ""
    value = machine.semantics.member(machine, Module(dotted, Place(path), path), name)
    return value if isinstance(value, Class) else None


def function_of(member: Value | None) -> Function | None:
    """The function of a method, None for another member of a class."""
    func = member.func if isinstance(member, Descriptor) else member
    return func if isinstance(func, Function) else None


def _is_same(found: list[Class], methods: frozenset[str]) -> bool:
    """Whether the methods that are called take the same parameters in all of these classes."""
    for name in methods:
        functions = (function_of(cls.find(name)) for cls in found)
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
        func = function_of(cls.find(name))
        if func is None and _runs_calls(cls, name):
            # The variables go in front, and options of the method by name.
            func = function_of(cls.find(CALL))
            most, keywords = most - 1, keywords - MODULE_OPTIONS
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

"""Objects of the classes that derive from an abstract class: what a parameter that such a class
annotates may be.

Each is made as a caller makes it: by the class, of what its constructor asks for, the rest left
at its default.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import Final

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, is_none_literal, is_stub
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    NONE,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Static,
    Value,
)
from jaxlint.engine.evaluation.presumed_classes import class_at
from jaxlint.engine.inference.parameters import array_dtype, signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.transforms.filtered_annotations import HOST
from jaxlint.syntax import ir

# So many classes stand for all that derive from one.
MOST_HEIRS: Final = 12
# Classes that derive from abstract ones that derive from others, and objects in objects.
MOST_NESTED: Final = 3
_PROMISES: Final = frozenset({"AbstractClassVar", "AbstractVar"})


def is_abstract(cls: Class) -> bool:
    """Whether a class leaves methods to those that derive from it."""
    names = dict.fromkeys(chain.from_iterable(one.namespace for one in cls.lineage))
    return any(_is_left(cls.find(name)) for name in names) or any(
        name not in cls.fields and cls.find(name) is None
        for one in cls.lineage
        if one.node is not None
        for name in _promised(one.node)
    )


@answered_once
def _promised(node: ir.ClassDef) -> tuple[str, ...]:
    """The fields that a class leaves to those that derive from it: `AbstractVar`."""
    return tuple(
        one.target.id
        for one in node.body
        if isinstance(one, ir.AnnAssign) and isinstance(one.target, ir.Name)
        if isinstance(one.annotation, ir.Subscript)
        if dotted_text(one.annotation.value).rpartition(".")[2] in _PROMISES
    )


def _is_left(member: Value | None) -> bool:
    func = member.func if isinstance(member, Descriptor) else member
    if not isinstance(func, Function) or func.owner is None:
        return False
    marked = any(dotted_text(d).endswith("abstractmethod") for d in func.node.decorators)
    return marked or (is_stub(func.node) and not func.node.name.startswith("__"))


def concrete_classes(machine: Machine, cls: Class) -> list[Class]:
    """The class itself, or those that derive from it where it is abstract, some of them where
    there are many."""
    if not is_abstract(cls):
        return [cls]
    found: dict[Class, None] = {}
    pending = [cls]
    seen = {cls}
    while pending and len(found) < MOST_HEIRS:
        for heir in _direct(machine, pending.pop(0)):
            if heir in seen or not heir.derives(cls):
                continue
            seen.add(heir)
            pending.append(heir)
            if not is_abstract(heir) and not heir.name.startswith("_"):
                found[heir] = None
    return list(found)[:MOST_HEIRS]


def _direct(machine: Machine, cls: Class) -> list[Class]:
    """The classes whose definitions name a class as their base."""
    found = [one for one in machine.classes() if cls in one.bases]
    modules, home = machine.context.modules, cls.home
    if modules is None or home is None or home.module is None:
        return found
    for path, name in modules.heirs(home.module.file, cls.name):
        heir = class_at(machine, path, name)
        if heir is not None and heir not in found:
            found.append(heir)
    return found


def objects_for(machine: Machine, frame: Frame, node: ir.Expr | None) -> list[Instance]:
    """The objects that stand for those of the abstract classes that an annotation names; none
    where it names none."""
    classes = [cls for cls in _classes_in(machine, frame, node) if is_abstract(cls)]
    in_turn = chain.from_iterable(zip_longest(*(objects_of(machine, cls) for cls in classes)))
    found = dict.fromkeys(one for one in in_turn if one is not None)
    return list(found)[:MOST_HEIRS]


def objects_of(machine: Machine, cls: Class, depth: int = MOST_NESTED) -> list[Instance]:
    """Objects of the concrete classes that a class stands for, one of each."""
    known = machine.summaries.examples.get(id(cls))
    if known is None:
        machine.summaries.examples[id(cls)] = known = []
        # Those that hold others of the same class can be made once there are some.
        classes = concrete_classes(machine, cls)
        for one in sorted(classes, key=lambda it: _asks_for_objects(machine, it)):
            made = _made(machine, one, depth)
            if isinstance(made, Instance) and made.cls == one:
                known.append(made)
    return known


def _classes_in(machine: Machine, frame: Frame, node: ir.Expr | None) -> list[Class]:
    """The classes of the project that an annotation names, those of a union one by one."""
    if isinstance(node, ir.BinOp) and node.op == "|":
        sides = (node.left, node.right)
        return [one for side in sides for one in _classes_in(machine, frame, side)]
    if isinstance(node, ir.Subscript):
        parts = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)
        head = dotted_text(node.value).rpartition(".")[2]
        if head in ("Annotated", "PyTree"):
            parts = parts[:1]
        if head in ("Annotated", "Optional", "PyTree", "Union"):
            return [one for part in parts for one in _classes_in(machine, frame, part)]
        return _classes_in(machine, frame, node.value)
    if not isinstance(node, (ir.Name, ir.Attribute)):
        return []
    with machine.quiet():
        value = machine.eval(frame, node)
    return [value] if isinstance(value, Class) and value.tree == "leaves" else []


def _made(machine: Machine, cls: Class, depth: int) -> Value:
    """An object of a class, made on the host."""
    if cls.node is None:
        return machine.unknown("object of an unknown class")
    frame = Frame("function", cls.home or machine.globals, machine.host)
    args = Args()
    place = ir.Name(cls.node.origin, cls.node.name)
    with machine.quiet():
        for name, keyword, annotation in _asked_for(cls):
            value = _example(machine, cls.home or machine.globals, annotation, depth)
            if keyword:
                args.keywords[name] = value
                args.keyword_nodes[name] = place
            else:
                args.positional.append(value)
                args.nodes.append(place)
        return machine.call(frame, place, cls, args)


def _asks_for_objects(machine: Machine, cls: Class) -> bool:
    frame = cls.home or machine.globals
    return any(_classes_in(machine, frame, node) for _, _, node in _asked_for(cls))


def _asked_for(cls: Class) -> list[tuple[str, bool, ir.Expr | None]]:
    """The arguments without which objects of a class cannot be made: names, whether each is
    passed by its name alone, and annotations."""
    init = cls.find("__init__")
    if isinstance(init, Function):
        return [
            (param.name, param.kind == "keyword", param.annotation)
            for param in signature(init)[1:]
            if param.name not in init.defaults and param.kind not in ("vararg", "kwarg")
        ]
    fields = (
        (name, annotation) for name, (annotation, default) in cls.fields.items() if not default
    )
    return [(name, True, annotation) for name, annotation in fields]


def _example(machine: Machine, frame: Frame, node: ir.Expr | None, depth: int) -> Value:
    """What a caller passes for an argument of a constructor, by its annotation."""
    if is_none_literal(node):
        return NONE
    if isinstance(node, ir.BinOp) and node.op == "|":
        return _example(machine, frame, node.left, depth)
    for cls in _classes_in(machine, frame, node)[:1] if depth else ():
        made = objects_of(machine, cls, depth - 1)
        return made[0] if made else machine.unknown("object of an abstract class")
    head = node.value if isinstance(node, ir.Subscript) else node
    if isinstance(head, (ir.Name, ir.Attribute)):
        value = machine.eval(frame, head)
        dotted = value.dotted if isinstance(value, LibraryName) else ""
        short = dotted.removeprefix("builtins.")
        if short != dotted and short in HOST:
            return Static(kind=short)
        dtype = array_dtype(dotted)
        if dtype is not None:
            return Concrete(dtype)
    return machine.unknown("constructor argument")

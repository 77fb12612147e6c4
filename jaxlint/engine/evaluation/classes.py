"""Classes of the file: their definition, their objects, and how JAX sees these as pytrees."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.names import CONSTRUCTORS, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import is_enumeration, make_members, member_of
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.kinds.containers import SHARED
from jaxlint.engine.domain.methods import methods_run
from jaxlint.engine.domain.possibilities import Candidates, alternatives, among
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.values import (
    STATIC,
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Mapping,
    Sequence,
    Unknown,
    Value,
    is_none,
    join,
)
from jaxlint.engine.evaluation.container_classes import CONTAINERS, fill, fill_unknown, has_elements
from jaxlint.engine.evaluation.foreign_code import crossing
from jaxlint.engine.evaluation.peek import is_annotated_static
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.knowledge import lookup
from jaxlint.knowledge.attrs import POST_INIT
from jaxlint.knowledge.test_runners import SET_UP, TEST_CASES
from jaxlint.syntax import ir

# Constructions of one class beyond so many are not looked at.
MOST_CONSTRUCTIONS: Final = 16
# The hook of a class that runs for each class derived.
HOOK: Final = "__init_subclass__"


def define_class(machine: Machine, frame: Frame, node: ir.ClassDef) -> Class:
    """Runs a class body and makes the class."""
    bases = tuple(machine.eval(frame, b.value) for b in node.bases if b.keyword is None)
    named = [(k.keyword, k.value) for k in node.bases if k.keyword is not None]
    keywords = {name: machine.eval(frame, value) for name, value in named}
    cls = Class(node.name, node, bases)
    cls.loop = frame.loop
    cls.home, cls.born = frame.root, frame.trace
    if frame.kind == "module" and frame.module is not None and frame.module.file:
        cls.place = frame.module.file, ir.number(node)
    for base in bases:
        if isinstance(base, Class):
            cls.fields.update(base.fields)
            cls.meta |= base.meta
            cls.child_fields |= base.child_fields
            cls.unclear |= base.unclear
            cls.tree = base.tree
            cls.compares = base.compares
            cls.converts = base.converts
            cls.generates |= base.generates
    inner = Frame("class", frame, frame.trace)
    inner.cls = cls
    inner.path = frame.path
    machine.block(inner, node.body)
    cls.namespace = inner.env
    if any(map(lookup.is_pytree_base, cls.externals())):
        cls.tree = "leaves"
        cls.makes_record()
    cls.compares |= "typing.NamedTuple" in cls.externals()
    cls.generates &= "__init__" not in cls.namespace
    cls.opaque = _is_opaque(cls, node)
    _mark_static_fields(machine, inner, cls)
    if is_enumeration(cls):
        make_members(cls)
    machine.program.classes.append(cls)
    machine.frameworks.ask("define", cls, machine, frame, node, cls)
    _tell_base(machine, frame, cls, keywords)
    return cls


def _tell_base(machine: Machine, frame: Frame, cls: Class, keywords: dict[str, Value]) -> None:
    """Calls `__init_subclass__` of the next base that has one."""
    found = next((it.namespace[HOOK] for it in cls.lineage[1:] if HOOK in it.namespace), None)
    func = found.func if isinstance(found, Descriptor) else found
    if isinstance(func, Function) and cls.node is not None:
        given = {name: value for name, value in keywords.items() if name != "metaclass"}
        machine.call(frame, ir.Name(cls.node.origin, cls.name), func, Args([cls], given))


def _is_opaque(cls: Class, node: ir.ClassDef) -> bool:
    """Whether attribute access may do anything: unknown bases, metaclasses, `__setattr__`."""
    if any(k.keyword == "metaclass" and dotted_text(k.value) not in _PLAIN for k in node.bases):
        return True
    if any(name in cls.namespace for name in ("__setattr__", "__getattribute__")):
        return True
    for base in cls.bases:
        if isinstance(base, Class):
            if base.opaque:
                return True
        elif not isinstance(base, LibraryName) or not _is_plain(base.dotted):
            return True
    return False


def _is_plain(dotted: str) -> bool:
    return dotted in _PLAIN or lookup.is_plain_base(dotted)


_PLAIN = frozenset(
    {
        "ABCMeta",
        "abc.ABC",
        "abc.ABCMeta",
        "builtins.Exception",
        "builtins.object",
        "typing.Generic",
        "typing.NamedTuple",
        "typing.Protocol",
        *TEST_CASES,
        "enum.Enum",
        "enum.Flag",
        "enum.IntEnum",
        "enum.IntFlag",
        "enum.StrEnum",
        "collections.namedtuple",
        *CONTAINERS,
    }
)


def _mark_static_fields(machine: Machine, inner: Frame, cls: Class) -> None:
    """Fields declared static: `field(pytree_node=False)`, `field(static=True)`, metadata, or by
    their annotation."""
    for name, (annotation, spec) in cls.fields.items():
        if is_annotated_static(machine, inner, annotation):
            cls.meta.add(name)
        if isinstance(spec, Unknown) and name in cls.namespace:
            cls.unclear.add(name)
        if isinstance(spec, FieldSpec):
            if spec.fixed is None:
                cls.unclear.add(name)
            elif spec.fixed:
                cls.meta.add(name)
            if spec.default is not None and name in cls.namespace:
                cls.namespace[name] = spec.default
            else:
                cls.namespace.pop(name, None)


def generic_instance(machine: Machine, cls: Class, given: Args | None = None) -> Instance:
    """The object that stands for all host objects of a class.

    `__init__` runs once for each construction with arguments of another kind. What a field holds
    in any of the objects, it may hold in this one; constants may differ in others. Objects that
    shared modules make by themselves are not among those of an analysis.
    """
    known = cls.generic
    if known is None or (machine.world is not None and known.age < SHARED):
        machine.borrow(cls)
        machine.dynamic.effects.local = True
        known = cls.generic = Instance(cls, machine.host, generic=True)
        _set_up(machine, known, given)
        cls.made = {None if given is None else _kind_of(given): _held(known)}
    elif given is not None and cls.made and len(cls.made) < MOST_CONSTRUCTIONS:
        kind = _kind_of(given)
        if kind not in cls.made:
            machine.borrow(cls)
            machine.borrow(known)
            machine.dynamic.effects.local = True
            cls.made[kind] = {}
            _construct_again(machine, known, given, kind)
    return known


def _set_up(machine: Machine, made: Instance, given: Args | None) -> None:
    """Runs what gives a host object its fields."""
    if has_elements(made.cls):
        fill_unknown(machine, made)
    for name in (*CONSTRUCTORS, "setup", *(SET_UP if holds_tests(made.cls) else ())):
        found = made.cls.find(name)
        if isinstance(found, Function):
            node = ir.Name(found.node.origin, found.node.name)
            if given is not None and name == "__init__" and _is_known(given):
                inside = _first_of(made, given)
                with crossing(machine, found, inside.values()):
                    machine.invoke(found, inside, machine.host, node)
                continue
            frame = Frame("function", machine.globals, machine.host)
            unknown = machine.unknown("constructor argument")
            machine.call(frame, node, found, Args([made], rest=unknown, more=unknown))


def holds_tests(cls: Class) -> bool:
    """Whether a test runner makes the objects of a class and calls their methods."""
    return cls.name.startswith("Test") or not TEST_CASES.isdisjoint(cls.externals())


def _kind_of(given: Args) -> Hashable:
    """What tells constructions apart that may give fields other values."""
    if not _is_known(given):
        return None
    keywords = ((name, shape_key(widened(given.keywords[name]))) for name in sorted(given.keywords))
    return (tuple(shape_key(widened(value)) for value in given.positional), *keywords)


def _held(made: Instance) -> dict[str, Hashable]:
    return {name: shape_key(value) for name, value in made.fields.items()}


def _construct_again(machine: Machine, generic: Instance, given: Args, kind: Hashable) -> None:
    """Joins what the fields of another object hold to those of the one that stands for all."""
    made = Instance(generic.cls, machine.host, generic=True)
    _set_up(machine, made, given)
    kinds = generic.cls.made
    held = kinds[kind] = _held(made)
    for name, value in made.fields.items():
        old = generic.fields.get(name)
        known = any(others.get(name) == held[name] for at, others in kinds.items() if at != kind)
        if old is None:
            generic.fields[name] = value
        elif None in kinds and isinstance(old, (Unknown, Mapping, Sequence)):
            generic.fields[name] = _among(old, value)
        elif not known:
            generic.fields[name] = join(old, value)


def _among(old: Value, value: Value) -> Value:
    """What a field holds that was made of what is not known, and of something known elsewhere."""
    if type(old) is Unknown or isinstance(old, Candidates):
        found = among(Unknown(old.reason), (*alternatives(old), value))
        if isinstance(found, Candidates) or not isinstance(value, Sequence):
            return found
        # A list of callables, or something of that sort.
        element = among(Unknown(old.reason), value.items or ())
        is_told = isinstance(element, Candidates)
        return Sequence(value.kind, None, value.born, element) if is_told else old
    if not (isinstance(old, Sequence) and isinstance(value, Sequence)):
        return old
    if old.kind != value.kind or old.items is not None or old.element is None:
        return old
    joined = old.element
    for one in value.items or ():
        joined = _among(joined, one)
    return Sequence(old.kind, None, old.born, joined, old.path, old.made)


def _is_known(args: Args) -> bool:
    """Whether something is known of the arguments of a construction."""
    given = (*args.positional, *args.keywords.values())
    return not args.values() or any(type(one) is not Unknown for one in given)


def _first_of(owner: Instance, args: Args) -> Args:
    """Arguments of a construction that stands for others: constants are not those of all."""
    keywords = {name: widened(value) for name, value in args.keywords.items()}
    return Args([owner, *map(widened, args.positional)], keywords, args.rest, args.more)


def instantiate(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> Value:
    """Calling a class: a fresh object in traced code and for pytrees, else the generic one."""
    answer = machine.frameworks.ask("build", cls, machine, frame, node, cls, args)
    if answer is not None:
        return answer
    init = cls.find("__init__")
    holds = has_elements(cls)
    is_made_once = frame.kind == "module" and frame.loop is None
    if frame.trace.is_host and not cls.tree and init is not None and not is_made_once:
        return generic_instance(machine, cls, args)
    if is_enumeration(cls):
        return member_of(cls, args.get(0, "value") or STATIC)
    made = Instance(cls, frame.trace, path=frame.path)
    if holds and init is None:
        fill(machine, frame, node, made, args)
    elif holds:
        fill_unknown(machine, made)
    if isinstance(init, Function):
        inside = Args([made, *args.positional], dict(args.keywords), args.rest, args.more)
        caller = None if frame.trace.is_host else frame
        machine.invoke(init, inside, frame.trace, node, caller)
    elif cls.fields:
        bind_fields(machine, frame, node, made, cls, args)
        if cls.converts:
            convert_fields(machine, frame, node, made)
        post = cls.find(POST_INIT if cls.converts else "__post_init__")
        if isinstance(post, Function):
            machine.call(frame, node, post, Args([made]))
    elif frame.trace.is_host and not holds:
        return generic_instance(machine, cls)
    return made


def is_single(value: Instance) -> bool:
    """Whether an object is one that a module makes for itself, with a constructor of its class."""
    return not value.cls.tree and is_made_here(value)


def is_made_here(value: Instance) -> bool:
    """The same of an object whose class may be registered as a pytree: what JAX rebuilds of one is
    made in a trace."""
    cls = value.cls
    is_plain = not value.generic and cls.tree in ("", "some") and value.tree is None
    return is_plain and value.born.is_host and cls.find("__init__") is not None


def bind_fields(
    machine: Machine, frame: Frame, node: ir.Expr, made: Instance, cls: Class, args: Args
) -> None:
    """Fields of a dataclass or named tuple from constructor arguments."""
    at = 0
    for name, (_, default) in cls.fields.items():
        by_name = isinstance(default, FieldSpec) and default.by_name
        value = args.get(-1 if by_name else at, name.lstrip("_") if cls.converts else name)
        at += not by_name
        if value is None and isinstance(default, FieldSpec):
            value = default.default
            if default.factory is not None:
                value = machine.call(frame, node, default.factory, Args())
        elif value is None:
            value = default
        if value is None and isinstance(default, FieldSpec) and default.set_later:
            continue
        if value is None:
            value = args.rest or args.more or machine.unknown("field not passed")
        made.fields[name] = value


def field_of_any(machine: Machine, owner: Instance, name: str) -> Value | None:
    """What a field with a default holds in the object that stands for all of a class with a
    generated constructor; None for another attribute.

    What the constructor itself reads decides what it makes: of that, the default counts.
    """
    cls = owner.cls
    if not cls.generates or name not in cls.fields or cls.find("__init__") is not None:
        return None
    _, default = cls.fields[name]
    held = default.default if isinstance(default, FieldSpec) else default
    if held is None:
        return None
    if owner.decided is None:
        owner.decided = frozenset(_read_by_constructor(cls))
    if name in owner.decided:
        return held
    if is_none(held):
        return join(held, machine.unknown("field of any object"))
    return widened(held)


def _read_by_constructor(cls: Class) -> set[str]:
    """The attributes that the methods read which run when an object is made."""
    found: set[str] = set()
    for node in methods_run(cls, CONSTRUCTORS):
        owner = node.params[0].name
        found |= {name for part in walk(node.body) if (name := attribute_of(part, owner))}
    return found


def convert_fields(machine: Machine, frame: Frame, node: ir.Expr, made: Instance) -> None:
    """Fields become what their converters make of them."""
    for name, (_, spec) in made.cls.fields.items():
        if isinstance(spec, FieldSpec) and spec.converter is not None and name in made.fields:
            given = Args([made.fields[name]], nodes=[node])
            made.fields[name] = machine.call(frame, node, spec.converter, given)


def replaced(frame: Frame, old: Instance, args: Args) -> Instance:
    """A copy of a record with some fields replaced: `_replace`, `dataclasses.replace`."""
    new = Instance(old.cls, frame.trace, path=frame.path)
    new.tree = old.tree
    new.fields = {**old.fields, **args.keywords}
    if args.more is not None:
        new.fields = {name: join(value, args.more) for name, value in new.fields.items()}
    return new

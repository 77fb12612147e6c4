"""State of nnx objects: who may change it where, and what becomes of the change.

An nnx object belongs to the trace that it was made in: changed in another, it raises
`flax.errors.TraceContextError`. Objects passed to a transform are rebuilt in its trace; transforms
of nnx bring their changes back, those of JAX do not. Source: flax documentation, "NNX
Transformations", and `tests/frameworks/test_flax.py`.
"""

from __future__ import annotations

import re
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, targets_of, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.traversal import parts, walk_values
from jaxlint.engine.domain.values import (
    Class,
    Instance,
    Mapping,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.viewpoints import Description, UndescribedError
from jaxlint.syntax import ir

LIBRARY = "flax.nnx."
VARIABLES = frozenset(
    f"{LIBRARY}{name}"
    for name in (
        "BatchStat", "Cache", "Intermediate", "LoRAParam", "Metric", "OptArray", "OptState",
        "OptVariable", "Param", "Perturbation", "RngCount", "RngKey", "RngState", "Variable",
    )
)  # fmt: skip
RNGS = f"{LIBRARY}Rngs"
STREAM = f"{LIBRARY}RngStream"
STATE = f"{LIBRARY}State"
GRAPH = f"{LIBRARY}GraphDef"
RANDOM = (RNGS, STREAM)
HANDED = "<handed>"
# What is kept of a layer that is part of a whole made here, of variables from elsewhere.
MERGED = "merged"
# How deep objects in the fields of objects are rebuilt.
MOST_NESTED = 6
# How a file says that variables are references, or that transforms bring nothing back.
_REFERENCES = re.compile(
    r"hijax|\b(use_refs?|var_defaults|with_vars|vars_as|set_graph_\w+|graph_updates)\b|\bref=True"
)


class StatePassed(Value):
    """One argument of a transformed function: the objects rebuilt of it share this.

    `lost` are the changes that do not come back: those in transforms of JAX. `around` is what
    the argument was part of in the trace around. What is `read` may come back by hand. One that
    is `spread` is the same in every run of a mapped function, which may have `drawn` with its keys.
    """

    __slots__ = ("around", "drawn", "lost", "name", "plain", "read", "spread", "trace")

    def __init__(self, trace: Trace, name: str, plain: bool, around: StatePassed | None) -> None:
        self.trace = trace
        self.name = name
        self.plain = plain
        self.around = around
        self.lost: list[facts.Fact] = []
        self.read = False
        self.spread = False
        self.drawn = False

    def drops(self) -> StatePassed | None:
        """The argument around that loses a change of this one."""
        found: StatePassed | None = self
        while found is not None and not found.plain:
            found = found.around
        return found


def _described(description: Description, handed: StatePassed) -> Any:
    """What calls are told apart by that are given a part of an argument."""
    known = description.met(handed)
    if known is not None:
        return ("#", known)
    # What is done with it is told when the transform ends.
    if handed.drops() is not None or handed.spread:
        raise UndescribedError("what is told when the transform ends")
    around = None if handed.around is None else _described(description, handed.around)
    return ("N", description.born(handed.trace), handed.trace.kind, handed.name, around)


Description.kinds[StatePassed] = _described


def is_object_class(cls: Class) -> bool:
    """Whether a class derives from `nnx.Module`, or another class of objects with state."""
    return any(n.startswith(LIBRARY) and n not in VARIABLES for n in cls.externals())


def is_variable_class(cls: Class) -> bool:
    return any(name in VARIABLES for name in cls.externals())


def is_object(value: Value) -> bool:
    """Whether a value is an object of nnx: a module, variable, layer, optimizer, ..."""
    if isinstance(value, Instance):
        return is_object_class(value.cls)
    return isinstance(value, FrameworkObject) and value.dotted.startswith(LIBRARY)


def is_variable(value: Value) -> bool:
    return isinstance(value, FrameworkObject) and value.dotted in VARIABLES


def handed_of(value: Value) -> StatePassed | None:
    """The argument that an object was rebuilt of, None for one that was made here."""
    if isinstance(value, FrameworkObject):
        held = value.state.get(HANDED)
    else:
        held = value.fields.get(HANDED) if isinstance(value, Instance) else None
    return held if isinstance(held, StatePassed) else None


# -- changes ----------------------------------------------------------------------------------


def _is_around(trace: Trace, inner: Trace) -> bool:
    """Whether a trace encloses another one."""
    around = inner.parent
    while around is not None:
        if around is trace:
            return True
        around = around.parent
    return False


def is_captured(frame: Frame, owner: Value) -> bool:
    """Whether an object was made in a trace around the one that runs."""
    born = owner.born if isinstance(owner, (Instance, FrameworkObject)) else None
    return isinstance(born, Trace) and born is not frame.trace and _is_around(born, frame.trace)


def _has_references(machine: Machine) -> bool:
    """Whether code may hold variables as references, which JAX lets every trace change."""
    return any(
        _by_reference(module.source.text)
        for module in (machine.module, machine.globals.module)
        if module is not None
    )


@answered_once
def _by_reference(text: str) -> bool:
    return _REFERENCES.search(text) is not None


def change(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    owner: Value,
    subject: str = "",
    written: ir.Expr | None = None,
) -> None:
    """Code changes the state of an object: reported where it raises or where it is lost.

    An object that is `written` whole, and named later on, was written for what is done with it
    there.
    """
    if frame.trace.is_host or machine.dynamic.compile_time or _has_references(machine):
        return
    if is_captured(frame, owner):
        _captured(machine, frame, node, owner, subject or _text(node))
        return
    handed = handed_of(owner)
    dropped = None if handed is None else handed.drops()
    if (
        dropped is not None
        and written is not None
        and _serves(machine, frame, node, written, dropped)
    ):
        return
    if dropped is not None and not dropped.lost:
        fact = facts.ContractViolation(
            machine.module, node, frame.name, frame.trace.entry, kind="nnx-lost"
        )
        fact.subject, fact.detail = subject or _text(node), dropped.name
        dropped.lost.append(fact)


def _captured(machine: Machine, frame: Frame, node: ir.Node, owner: Value, subject: str) -> None:
    """Told where the function that captures the object does so, or calls what changes it: the
    methods of the object are right where they are given it."""
    outside = owner.born if isinstance(owner, (Instance, FrameworkObject)) else None

    def is_outside(one: Frame) -> bool:
        return not isinstance(outside, Trace) or not _is_around(outside, one.trace)

    inside = [one for one in machine.frames_until(is_outside) if not is_outside(one)]
    func = inside[-1].home().func if inside else None
    own = {id(one) for one in walk(func.body)} if func is not None and len(inside) > 1 else set()
    call = next((call for _, call in machine.dynamic.calls if id(call) in own), node)
    if call is node:
        misused(machine, frame, node, "nnx-captured", subject)
    else:
        misused(machine, inside[-1], call, "nnx-captured", _text(call), subject, place=node)


def leak(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Instance, attr: str, value: Value
) -> None:
    """Code sets an attribute of a module to a tracer. What was no array there is part of the
    structure of the module, not of its state: `nnx.jit` hands it back as it is."""
    handed = handed_of(owner)
    if handed is None or handed.drops() is not None or not isinstance(value, Traced):
        return
    outermost = handed
    while outermost.around is not None:
        outermost = outermost.around
    old, text = owner.fields.get(attr), dotted_text(node)
    was_missing = old is None and not owner.generic and owner.cls.find(attr) is None
    was_plain = isinstance(old, Static) and old.known and old.const is not ...
    if not outermost.trace.staged or not value.leaf or not (was_missing or was_plain):
        return
    func = frame.home().func
    if attr in owner.cls.fields or (func is not None and _sets_twice(func, text)):
        return
    fact = facts.Stored(machine.module, node, frame.name, frame.trace.entry, value.trail)
    fact.place, fact.target, fact.how = "attribute", text, "assign"
    fact.owner = text.rpartition(".")[0]
    machine.emit(fact)


@answered_once
def _sets_twice(func: ir.FunctionDef, text: str) -> bool:
    """Whether a function sets an attribute in several places: back to what it was, for instance."""
    targets = (target for one in walk(func.body) for target in targets_of(one))
    return sum(dotted_text(target) == text for target in targets) > 1


def _serves(
    machine: Machine, frame: Frame, node: ir.Node, written: ir.Expr, handed: StatePassed
) -> bool:
    """Whether an object that is written is named later: there, or in the function that got it."""
    named = root(written)
    if isinstance(named, ir.Name) and _names_later(frame.home().func, node, named.id):
        return True
    around = [one.func for one in machine.frames_around() if one.trace is handed.trace]
    return any(
        _names_later(f, call, handed.name) for f in around for _, call in machine.dynamic.calls
    )


def _names_later(func: ir.FunctionDef | None, site: ir.Node, name: str) -> bool:
    """Whether a function names a variable where it goes on after `site`, a node of its body,
    other than to bind it or to set what belongs to it."""
    if func is None or not name:
        return False
    own = {id(one) for one in walk(site)}
    stored = {id(name) for one in walk(func.body) for name in walk(_targets(one))}
    after = False
    for one in walk(func.body):
        if isinstance(one, (ir.For, ir.While)) and any(inner is site for inner in walk(one)):
            after = True  # The next iteration comes after this one.
        after = after or one is site
        named = isinstance(one, ir.Name) and one.id == name
        if after and named and id(one) not in own and id(one) not in stored:
            return True
    return False


def _targets(node: ir.Node) -> tuple[ir.Node, ...]:
    if isinstance(node, ir.Assign):
        return tuple(node.targets)
    return (node.target,) if isinstance(node, (ir.AnnAssign, ir.AugAssign, ir.For)) else ()


def takes(machine: Machine, frame: Frame, name: str, args: Args) -> None:
    """A transform of nnx brings changes of its arguments back, so it takes none whose variables
    were made in a trace around."""
    if frame.trace.is_host or machine.dynamic.compile_time or _has_references(machine):
        return
    for value, place in args.pairs():
        inner = value.items or [] if isinstance(value, Sequence) else [value]
        for one in inner:
            if is_object(one) and is_captured(frame, one) and _has_variables(one):
                subject = dotted_text(place)
                misused(machine, frame, place, "nnx-passed", subject, name)
                return


# Objects that may well hold no variables.
_WITHOUT = frozenset({STATE, GRAPH, f"{LIBRARY}Dropout", f"{LIBRARY}Sequential"})


def _has_variables(value: Value, depth: int = MOST_NESTED) -> bool:
    return any(
        isinstance(one, FrameworkObject) and is_object(one) and one.dotted not in _WITHOUT
        for one in walk_values(value, fields_or_items, depth)
    )


def fields_or_items(value: Value) -> list[Value]:
    """What an object or a sequence holds; dicts are no part of the objects of NNX."""
    return [] if isinstance(value, Mapping) else parts(value)


def _text(node: ir.Node) -> str:
    if isinstance(node, ir.Call):
        node = node.func
    while isinstance(node, ir.Subscript):
        node = node.value
    return dotted_text(node) if isinstance(node, ir.Expr) else ""


def counts(machine: Machine, frame: Frame, node: ir.Expr, owner: Instance) -> None:
    """A Python number of an object changes in code that `nnx.jit` compiles."""
    handed = handed_of(owner)
    if handed is None or handed.drops() is not None or frame.trace is not owner.born:
        return
    if machine.asks(CONDITIONS).conditions:
        return  # It may well happen once.
    jitted: StatePassed | None = handed
    while jitted is not None and jitted.trace.kind != "jit":
        jitted = jitted.around
    if jitted is not None:
        misused(machine, frame, node, "nnx-counter", _text(node))


def note_drawn(owner: Value) -> None:
    """Numbers are drawn with the random keys of an object."""
    handed = handed_of(owner)
    while handed is not None:
        handed.drawn = True
        handed = handed.around


def note_read(machine: Machine, owner: Value) -> None:
    """A variable of an argument is read outside the methods of its class: the function may
    give it back by hand."""
    handed = handed_of(owner)
    if handed is None:
        return
    around = machine.frames_around()
    handed.read |= not around or around[-1].cls is None


def root(node: ir.Expr) -> ir.Expr:
    """What an expression takes attributes and items of."""
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node

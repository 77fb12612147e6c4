"""Consumption of random keys: by samplers and `split`, once, again, and in bodies that repeat."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from jaxlint import facts
from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.test_files import is_of_tests
from jaxlint.dataflow.names import bound_names, free_in, walk
from jaxlint.engine.checks.prng.exclusive_uses import (
    REPEATS,
    are_branches,
    are_of_one_function,
    draw_apart,
    goes_through,
    is_comprehended,
    is_copied,
    is_left_out,
    is_selected,
    is_unread,
    is_warm_up,
    may_move,
    takes,
)
from jaxlint.engine.checks.prng.split_parts import is_beyond, is_meant
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.circumstances import CONDITIONS, IN_TEST
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.key_identity import Origin, Root, named
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Unknown, Value
from jaxlint.engine.machine.events import Check, PerRun
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.machine.machine import Machine
    from jaxlint.facts.randomness import KeyKind

# Control flow whose bodies run several times for one trace.
# Transforms that only ask what would happen, besides `eval_shape`: what they trace is not run.
_ASKING = frozenset({"jax.make_jaxpr", "jax.export"})
# Samplers that take from what they are given: with one key, they take matching parts of several.
MATCHING = frozenset({"choice", "permutation", "shuffle"})
# What says nothing of independent numbers, and holds in tests too.
_PLAIN = frozenset({"array", "arithmetic", "default", "legacy", "number"})


# Keys of constant seeds, by the functions that make them, and keys of plain integers.
_CONSTANTS: PerRun[list[tuple[int, facts.Fact]]] = PerRun(list)
LEGACY: PerRun[dict[int, facts.Fact]] = PerRun(dict)


@slotted(frozen=True)
class Use:
    """How a key is consumed: by a sampler or by `split` into `parts` (-1: not known).

    `callee` is called here, `sampler` there. `shared` tells that code around the function names
    the key, and does not bind it again. `subject` is the key as written where it was consumed.
    `target` is the identity of the function behind `callee`, 0 where that is a class or none of
    the project. It is `presumed` where nothing but names says so. `at` is the identity of the node
    that draws or splits.
    """

    how: Literal["draw", "split"]
    callee: str
    sampler: str
    parts: int = 0
    shared: bool = False
    subject: str = ""
    target: int = 0
    presumed: bool = False
    at: int = 0

    def written(self, subject: str) -> Use:
        """The same use of a key that is written so."""
        return replace(self, subject=subject)


def spend(
    machine: Machine, frame: Frame, node: ir.Expr, place: ir.Expr, origin: Origin, use: Use
) -> bool:
    """A key is consumed here. Whether nothing is wrong with that."""
    if origin.many is not None:
        if use.how == "draw" and use.callee == use.sampler:
            text = _subject(machine, place, use)
            fact = fact_of(machine, frame, node, "array", text, use.callee, fails=True)
            emit(machine, frame, fact)
        return False
    if not frame.trace.is_host and _only_asks(frame.trace):
        return True
    if _is_captured(frame, origin.root):
        # A body that makes its own constant key may run for the structure of its result alone.
        if origin.root.constant and origin.root.scope.trace is frame.trace:
            _constant(machine, frame, node, origin, use)
            return False
        if is_meant(origin.root.holder.func):
            return False
        text, may = _subject(machine, place, use), use.presumed or use.sampler in MATCHING
        found = fact_of(machine, frame, node, "captured", text, use.callee, possible=may)
        emit(machine, frame, found)
        return False
    if is_comprehended(frame, origin, place):
        _repeated(machine, frame, node, place, use)
        return False
    used = typestate.marked(machine, "key", origin)
    if used is not None:
        _again(machine, frame, node, place, origin, used, use)
        return False
    folds = typestate.marked(machine, "folds", origin)
    if folds is not None and use.how == "split":
        low = folds.detail is not None and 0 <= folds.detail < use.parts
        meets = low or (folds.detail is None and not is_beyond(node, folds.node))
        if meets and not is_left_out(machine, folds.node, node):
            text = _subject(machine, place, use)
            clash(machine, frame, node, text, folds, "collision", use.callee, low)
    used_up = replace(use, subject=_subject(machine, place, use), at=use.at or id(node))
    typestate.mark(machine, frame, "key", origin, node, used_up, sure=not use.presumed)
    _constant(machine, frame, node, origin, use)
    return True


def spend_all(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, place: ir.Expr, use: Use
) -> None:
    """All keys of an array are consumed here."""
    origin = named(machine, frame, value, place)
    if origin is None or (not frame.trace.is_host and _only_asks(frame.trace)):
        return
    used = typestate.marked(machine, "key", origin)
    if used is None:
        text = _subject(machine, place, use)
        typestate.mark(machine, frame, "key", origin, node, use.written(text))
    else:
        _again(machine, frame, node, place, origin, used, use)


def _is_captured(frame: Frame, root: Root) -> bool:
    """Whether the code runs several times in one run of the trace that a key belongs to."""
    repeats = False
    trace: Trace | None = frame.trace
    while trace is not None and trace is not root.trace:
        repeats |= trace.entry is not None and _repeats(trace.entry.application)
        trace = trace.parent
    return repeats and trace is not None


def _repeats(how: Application) -> bool:
    traced = how.kind is EntryKind.TRACED and how.transform in REPEATS
    return traced or how.kind is EntryKind.MAPPED


def _repeated(machine: Machine, frame: Frame, node: ir.Expr, place: ir.Expr, use: Use) -> None:
    """Each iteration consumes one key, unless it is to shuffle several arrays alike."""
    matching, text = use.sampler in MATCHING, _subject(machine, place, use)
    loop = frame.innermost_loop()
    if is_copied(machine, node) or (matching and goes_through(machine, loop, node, place)):
        return
    may = use.presumed or matching
    emit(machine, frame, fact_of(machine, frame, node, "loop", text, use.callee, possible=may))


def _again(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    place: ir.Expr,
    origin: Origin,
    used: typestate.Mark,
    use: Use,
) -> None:
    """A key is consumed that was already consumed."""
    if used.node is node:
        always = used.is_sure and machine.asks(CONDITIONS).conditions <= used.conditions
        if always and frame.innermost_loop() is not None and not may_move(machine, place):
            if typestate.is_alternative(machine):
                typestate.mark(machine, frame, "again", origin, node, (place, use))
            else:
                _repeated(machine, frame, node, place, use)
        return
    before: Use = used.detail
    if before.sampler == use.sampler and use.sampler in MATCHING:
        return
    kind: KeyKind = "reuse"
    if before.how == use.how == "split" and before.parts != use.parts:
        kind = "collision"
    elif typestate.marked(machine, "refold", origin) is not None:
        kind = "refolded"
    if is_selected(machine, node, used.node):
        return
    if use.at and use.at == before.at and are_of_one_function(machine, node, used.node):
        return
    if are_branches(machine, node, used.node):
        # One of them runs in each turn: the key was consumed in an earlier one.
        if used.is_sure and used.loop is not None and used.loop is frame.innermost_loop():
            _repeated(machine, frame, node, place, use)
        return
    # A function of one's own may be called twice with one key for numbers that match, with other
    # arguments: with the same ones it gives what it gave before. A class is called twice in the
    # same way for a copy that begins as the other one does.
    alike = (before.callee, before.target) == (use.callee, use.target) and use.callee != use.sampler
    text = _subject(machine, place, use)
    matching = alike and _is_repeated(machine, node, used.node, text) is not bool(use.target)
    apart = alike and draw_apart(node, used.node)
    matching = matching and not apart and not takes(machine, node, used.node)
    # A part of an object of which nothing is known may be another one each time it is read.
    sure = not isinstance(origin.root.was, Unknown) or isinstance(origin.root.node, ir.Name)
    sure = sure and not use.presumed and not apart
    fact = _clash(machine, frame, node, text, used, kind, use.callee, sure)
    if fact is None:
        return
    fact.matching = matching
    fact.own = before.callee != before.sampler and use.callee != use.sampler
    fact.unread = is_unread(machine, used.node) or is_warm_up(machine, used.node)
    emit(machine, frame, fact)


def after_alternatives(machine: Machine, frame: Frame, node: ir.Expr) -> None:
    """Each of the functions that may be called here was: what all of them do is done."""
    for (kind, _), mark in typestate.current(machine, typestate.OWN).marks.items():
        if kind == "again" and mark.is_sure and mark.node is node:
            place, use = mark.detail
            _repeated(machine, frame, node, place, use)
            typestate.unmark(machine, "again", mark.subject)


def _is_repeated(machine: Machine, one: ir.Node, other: ir.Node, subject: str) -> bool:
    """Whether a call is written as another one is, with names that are bound once, and so is that
    of the key."""
    if text_of(machine, one) != text_of(machine, other):
        return False
    func = typestate.holder(machine).func
    body = machine.module.body if func is None else func.body
    bound = Counter(name for part in walk(body) for name in bound_names(part))
    given = {param.name for param in func.params} if func is not None else set()
    names = {*free_in(one), *re.findall(r"\w+", subject)}
    return all(bound[name] + (name in given) <= 1 for name in names)


def _subject(machine: Machine, place: ir.Expr, use: Use) -> str:
    """The key as written: where code uses it up that names it, as that code does."""
    return use.subject or text_of(machine, place)


def clash(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    subject: str,
    used: typestate.Mark,
    kind: KeyKind,
    callee: str,
    sure: bool,
) -> None:
    """Two uses of one key."""
    fact = _clash(machine, frame, node, subject, used, kind, callee, sure)
    if fact is not None:
        emit(machine, frame, fact)


def _clash(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    subject: str,
    used: typestate.Mark,
    kind: KeyKind,
    callee: str,
    sure: bool,
) -> facts.KeyUsed | None:
    """The fact about two uses of one key. Where only some paths to the second have the first, tests
    that exclude each other may part them, unless the second is on every path."""
    holder = typestate.holder(machine)
    conditional = machine.asks(CONDITIONS).conditions
    always = holder.path is holder.start and not holder.parted and not conditional
    if not used.is_sure and not always:
        return None
    possible = not (sure and used.is_sure)
    return fact_of(machine, frame, node, kind, subject, callee, used.node, possible)


def _constant(machine: Machine, frame: Frame, node: ir.Expr, origin: Origin, use: Use) -> None:
    """A key of a constant seed is consumed in code that runs more than once."""
    root = origin.root
    if not root.constant or root.scope.home().kind != "function":
        return
    func = root.holder.func
    if func is None or not func.params or func.name.startswith(("init", "test", "main")):
        return
    # What tests draw may be the same each time.
    if is_of_tests(machine.module.file or machine.module.source.path, machine.context.root):
        return
    fact = fact_of(machine, frame, root.node, "constant", "", use.callee)
    if not frame.trace.is_host:
        if root.scope.trace is frame.trace:
            machine.emit(fact)
    elif root.holder is typestate.holder(machine) and _is_shaped_by(node, func):
        machine.dynamic.effects.local = True
        _CONSTANTS.of(machine).append((id(func), fact))


def _is_shaped_by(node: ir.Expr, func: ir.FunctionDef) -> bool:
    """Whether a sampler is called for numbers of the shape of a parameter: to be used with it."""
    names = {param.name for param in func.params}
    return isinstance(node, ir.Call) and any(
        isinstance(part, ir.Attribute)
        and part.attr == "shape"
        and isinstance(part.value, ir.Name)
        and part.value.id in names
        for argument in node.args
        for part in walk(argument.value)
    )


def _only_asks(trace: Trace) -> bool:
    found = [one.entry.application for one in trace.around() if one.entry is not None]
    return any(how.is_abstract_evaluation or how.transform in _ASKING for how in found)


def after(machine: Machine) -> None:
    """Functions that are called again and again, and begin with the same key each time; keys of
    plain integers that are not used where they are made."""
    for function, fact in _CONSTANTS.of(machine):
        if function in machine.program.repeated:
            machine.emit(fact)
    for fact in LEGACY.of(machine).values():
        machine.emit(fact)


def fact_of(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    kind: KeyKind,
    subject: str,
    callee: str = "",
    first: ir.Node | None = None,
    possible: bool = False,
    fails: bool = False,
) -> facts.KeyUsed:
    return facts.KeyUsed(
        machine.module,
        node,
        frame.name,
        frame.trace.entry,
        kind=kind,
        subject=subject,
        callee=callee,
        first=first,
        possible=possible,
        fails=fails,
    )


def emit(machine: Machine, frame: Frame, fact: facts.KeyUsed) -> None:
    """Emits a fact about a key, unless it says what tests are free to do."""
    # Tests draw the same numbers twice to compare what two functions make of them.
    if fact.kind in _PLAIN or not any(map(in_test, (frame, *machine.asks(IN_TEST).frames))):
        is_own = fact.kind not in ("arithmetic", "number") or isinstance(fact.node, ir.Const)
        machine.emit(fact, within=typestate.holder(machine) if is_own else None)


def text_of(machine: Machine, node: ir.Node) -> str:
    """The source of an expression on one line."""
    return facts.KeyUsed(machine.module, node, "").text


def is_shared(frame: Frame, place: ir.Expr) -> bool:
    home = frame.home()
    return (
        isinstance(place, ir.Name)
        and place.id not in home.env
        and place.id not in home.globals | home.nonlocals
    )


CHECK = Check(
    "key-reuse",
    on_finish=after,
)

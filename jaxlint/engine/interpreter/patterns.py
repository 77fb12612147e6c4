"""Transfer functions of `match`: which patterns match, and what their captures are bound to."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.concretization.host_conversions import refuse
from jaxlint.engine.domain.environment import Frame, diverge, join_envs
from jaxlint.engine.domain.values import (
    INT,
    NUMBERS,
    STR,
    Class,
    Concrete,
    Function,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Value,
    is_none,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.conditions.narrowing import narrow
from jaxlint.engine.operations.conditions.truth import truth
from jaxlint.engine.relations.tracer_tests import Question
from jaxlint.engine.relations.type_tests import names_arrays, names_scalars, type_answer
from jaxlint.syntax import ir

# Builtin classes whose pattern captures the whole subject: `case int(n)`.
_WHOLE = frozenset(
    f"builtins.{kind.__name__}"
    for kind in (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
)


def match_block(machine: Machine, frame: Frame, node: ir.Match) -> bool:
    """Each case from a copy of the environment, until one certainly matches."""
    subject = machine.eval(frame, node.subject)
    before, path = frame.env, frame.path
    result: dict[str, Value] | None = None
    sure = True
    parted = False
    for case in node.cases:
        frame.env = dict(before)
        certain = match(machine, frame, case.pattern, subject)
        if certain is False:
            if isinstance(subject, Traced):
                _missed(machine, frame, node, case, subject)
            continue
        if case.guard is not None:
            answer = _guarded(machine, frame, case.guard)
            if answer is False:
                continue
            certain = certain if answer else None
        sure &= certain is True
        if not sure:
            frame.path = object()
        with machine.within(conditions=machine.dynamic.conditions + (not sure)):
            falls = machine.block(frame, case.body)
        frame.path = path
        parted |= not falls
        if falls:
            result = frame.env if result is None else join_envs(result, frame.env)
        if certain is True:
            break
        sure = False
        question = _question(machine, frame, case, subject)
        if question is not None:
            machine.program.questions[id(node.subject)] = question
            before = {**before, **narrow(machine, frame, node.subject, False)}
            subject = machine.unknown("value of some other type")
        subject = _without(subject, case)
    else:
        result = before if result is None else join_envs(result, before)
    frame.env = result if result is not None else before
    if parted and not sure:
        diverge(frame)
    return result is not None


def _question(machine: Machine, frame: Frame, case: ir.Case, subject: Value) -> Question | None:
    """What the cases behind `case jax.Array():` know of the subject: it is no array."""
    parts = [part for part in walk(case.pattern) if isinstance(part, ir.MatchClass)]
    whole = case.guard is None and not any(part.patterns or part.keywords for part in parts)
    if not whole or not _is_of_arrays(machine, frame, case.pattern):
        return None
    return Question(((subject, True),), ((subject, False),))


def _guarded(machine: Machine, frame: Frame, guard: ir.Expr) -> bool | None:
    """The truth of a guard; facts about it say that a `case` asks."""
    before = len(machine.collected.facts)
    answer = truth(machine, frame, guard, "if")
    for fact in machine.collected.facts[before:]:
        if isinstance(fact, facts.Concretized) and any(fact.node is part for part in walk(guard)):
            fact.callee = fact.callee or "case"
    return answer


def _missed(machine: Machine, frame: Frame, node: ir.Match, case: ir.Case, subject: Traced) -> None:
    """Reports a pattern for Python's numbers, which never matches a tracer."""
    if frame.trace.is_host:
        return
    if _is_of_numbers(machine, frame, case.pattern):
        arrays = (c for c in node.cases if _is_of_arrays(machine, frame, c.pattern))
        if next(arrays, None) is None:
            refuse(machine, frame, case.pattern, subject, "pattern", "class", "", ())
    elif _is_constant_of(case.pattern) and subject.leaf:
        refuse(machine, frame, case.pattern, subject, "pattern", "constant", "", ())


def _is_of_numbers(machine: Machine, frame: Frame, pattern: ir.Pattern) -> bool:
    if isinstance(pattern, ir.MatchOr):
        return all(_is_of_numbers(machine, frame, part) for part in pattern.patterns)
    if isinstance(pattern, ir.MatchAs) and pattern.pattern is not None:
        return _is_of_numbers(machine, frame, pattern.pattern)
    if not isinstance(pattern, ir.MatchClass):
        return False
    return names_scalars(machine.eval(frame, pattern.cls))


def _is_of_arrays(machine: Machine, frame: Frame, pattern: ir.Pattern) -> bool:
    if isinstance(pattern, ir.MatchAs) and pattern.pattern is not None:
        return _is_of_arrays(machine, frame, pattern.pattern)
    parts = pattern.patterns if isinstance(pattern, ir.MatchOr) else (pattern,)
    return any(
        isinstance(part, ir.MatchClass) and names_arrays(machine.eval(frame, part.cls))
        for part in parts
    )


def _is_constant_of(pattern: ir.Pattern) -> bool:
    """Whether this is `case True` or `case False`."""
    value = pattern.value if isinstance(pattern, ir.MatchValue) else None
    return isinstance(value, ir.Const) and isinstance(value.value, bool)


def _without(subject: Value, case: ir.Case) -> Value:
    """The subject of the cases behind one: None is handled by `case None`."""
    pattern = case.pattern
    none = isinstance(pattern, ir.MatchValue) and isinstance(pattern.value, ir.Const)
    if none and case.guard is None and isinstance(subject, Union):
        assert isinstance(pattern, ir.MatchValue) and isinstance(pattern.value, ir.Const)
        if pattern.value.value is None:
            kept = [o for o in subject.options if not is_none(o)]
            return join_all(kept) if kept else subject
    return subject


def match(machine: Machine, frame: Frame, pattern: ir.Pattern, subject: Value) -> bool | None:
    """Binds the captures of a pattern; whether it certainly matches."""
    if isinstance(pattern, ir.MatchAs):
        answer = (
            True if pattern.pattern is None else match(machine, frame, pattern.pattern, subject)
        )
        if pattern.name is not None and answer is not False:
            machine.bind(frame, pattern.name, subject, pattern)
        return answer
    if isinstance(pattern, ir.MatchValue):
        return _match_value(machine, frame, pattern, subject)
    if isinstance(pattern, ir.MatchOr):
        return _match_any(machine, frame, pattern, subject)
    if isinstance(subject, Union):
        return _match_each(machine, frame, pattern, subject)
    if isinstance(pattern, ir.MatchSequence):
        return _match_sequence(machine, frame, pattern, subject)
    if isinstance(pattern, ir.MatchMapping):
        return _match_mapping(machine, frame, pattern, subject)
    if isinstance(pattern, ir.MatchClass):
        return _match_class(machine, frame, pattern, subject)
    return None


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _match_any(machine: Machine, frame: Frame, pattern: ir.MatchOr, subject: Value) -> bool | None:
    before = frame.env
    merged: dict[str, Value] | None = None
    result: bool | None = False
    for part in pattern.patterns:
        frame.env = dict(before)
        answer = match(machine, frame, part, subject)
        if answer is False:
            continue
        merged = frame.env if merged is None else join_envs(merged, frame.env)
        result = answer
        if answer is True:
            break
    frame.env = before if merged is None else merged
    return result


def _match_each(machine: Machine, frame: Frame, pattern: ir.Pattern, subject: Union) -> bool | None:
    """A pattern against a subject that is one of several values."""
    before = frame.env
    merged: dict[str, Value] | None = None
    answers: set[bool | None] = set()
    for option in subject.options:
        frame.env = dict(before)
        answer = match(machine, frame, pattern, option)
        answers.add(answer)
        if answer is not False:
            merged = frame.env if merged is None else join_envs(merged, frame.env)
    frame.env = before if merged is None else merged
    return answers.pop() if len(answers) == 1 else None


def _match_value(
    machine: Machine, frame: Frame, pattern: ir.MatchValue, subject: Value
) -> bool | None:
    value = machine.eval(frame, pattern.value)
    if isinstance(subject, Union):
        answers = {_match_constant(machine, frame, pattern, value, o) for o in subject.options}
        return answers.pop() if len(answers) == 1 else None
    return _match_constant(machine, frame, pattern, value, subject)


def _match_constant(
    machine: Machine, frame: Frame, pattern: ir.MatchValue, value: Value, subject: Value
) -> bool | None:
    if not isinstance(value, Static):
        return None
    single = value.known and (value.const is None or isinstance(value.const, bool))
    if single and isinstance(pattern.value, ir.Const):  # Compared with `is`.
        return _is_constant(value, subject)
    if isinstance(subject, Static):
        if value.known and subject.known:
            return bool(value.const == subject.const)
        apart = (value.kind in NUMBERS) != (subject.kind in NUMBERS)
        return False if apart and value.kind and subject.kind else None
    if isinstance(subject, (Sequence, Mapping, Function, Class)):
        return False
    if isinstance(subject, Traced) and value.kind in NUMBERS:
        demand(machine, frame, pattern, subject, "in", "case")
        return None
    if isinstance(subject, Traced) and subject.leaf and value.kind == "str":
        return False
    return None


def _is_constant(value: Static, subject: Value) -> bool | None:
    if isinstance(subject, Static):
        if subject.known:
            return subject.const is value.const
        return None if subject.kind in ("", type(value.const).__name__) else False
    arrays = (Traced, Concrete, NumPy, Sequence, Mapping, Instance, Function, Class)
    return False if isinstance(subject, arrays) else None


def _match_sequence(
    machine: Machine, frame: Frame, pattern: ir.MatchSequence, subject: Value
) -> bool | None:
    items, element, known = _elements(machine, subject)
    if known is False:
        return False
    star = next((i for i, p in enumerate(pattern.patterns) if isinstance(p, ir.MatchStar)), None)
    count = len(pattern.patterns)
    if items is not None and (len(items) != count if star is None else len(items) < count - 1):
        return False
    answers: list[bool | None] = [True if items is not None else None]
    for at, part in enumerate(pattern.patterns):
        if isinstance(part, ir.MatchStar):
            if part.name is not None:
                held = None if items is None else items[at : len(items) - (count - at - 1)]
                rest = Sequence("list", held, frame.trace, None if items is not None else element)
                machine.bind(frame, part.name, rest, part)
        else:
            place = at if star is None or at < star else at - count
            one = element if items is None else items[place]
            answers.append(match(machine, frame, part, one))
            if answers[-1] is False:
                break
    if count == 1 and star == 0 and known:
        return True
    return _all(answers)


def _elements(machine: Machine, subject: Value) -> tuple[list[Value] | None, Value, bool | None]:
    """Items, an element, and whether this is a sequence in the sense of patterns."""
    if isinstance(subject, Sequence):
        if subject.kind in ("set", "slice"):
            return None, subject, False
        element = join_all(
            [*(subject.items or []), *([subject.element] if subject.element else [])]
        )
        return subject.items, element, True
    if isinstance(subject, Instance):
        if "typing.NamedTuple" in subject.cls.externals():
            items = [subject.fields.get(n, machine.unknown("field")) for n in subject.cls.fields]
            return items, join_all(items), True
        return None, machine.unknown("matched element"), None if subject.cls.opaque else False
    if isinstance(subject, Traced):
        if subject.leaf:
            return None, subject, False
        child = Traced(subject.trail, subject.kind, leaf=False)
        return None, child, None
    if isinstance(subject, Static):
        if subject.kind in ("shape", "range"):
            return None, INT, True
        plain = subject.kind in NUMBERS or subject.kind in ("str", "bytes") or is_none(subject)
        return None, STR, False if plain else None
    if isinstance(subject, (Mapping, Concrete, NumPy, Function, Class)):
        return None, subject, False
    return None, machine.unknown("matched element"), None


def _match_mapping(
    machine: Machine, frame: Frame, pattern: ir.MatchMapping, subject: Value
) -> bool | None:
    leaf = isinstance(subject, Traced) and subject.leaf
    if leaf or isinstance(subject, (Sequence, Concrete, NumPy, Function, Class)):
        return False
    if isinstance(subject, Static) and (subject.kind in NUMBERS or subject.kind == "str"):
        return False
    answers: list[bool | None] = [True if isinstance(subject, Mapping) else None]
    keys: set[object] = set()
    for key, inner in pattern.items:
        value = machine.eval(frame, key)
        const = value.const if isinstance(value, Static) and value.known else None
        keys.add(const)
        found: Value | None = None
        if isinstance(subject, Mapping):
            found = subject.items.get(const) or subject.element
            if found is None and not subject.open:
                return False
            answers.append(True if const in subject.items and not subject.open else None)
        elif isinstance(subject, Traced):
            found = Traced(subject.trail, subject.kind, leaf=False)
        answers.append(match(machine, frame, inner, found or machine.unknown("matched value")))
        if answers[-1] is False:
            return False
    if pattern.rest is not None:
        machine.bind(frame, pattern.rest, _others(machine, frame, subject, keys), pattern)
    return _all(answers)


def _others(machine: Machine, frame: Frame, subject: Value, keys: set[object]) -> Value:
    if not isinstance(subject, Mapping):
        return machine.unknown("matched rest")
    kept = {k: v for k, v in subject.items.items() if k not in keys}
    return Mapping(kept, frame.trace, subject.element, subject.open, frame.path)


def _match_class(
    machine: Machine, frame: Frame, pattern: ir.MatchClass, subject: Value
) -> bool | None:
    """`case Class(a, b=c)`: fields of a known object, otherwise unknown captures."""
    cls = machine.eval(frame, pattern.cls)
    answer = type_answer(subject, cls)
    if answer is False:
        return False
    answers: list[bool | None] = [answer]
    whole = getattr(cls, "dotted", "") in _WHOLE
    names = list(subject.cls.fields) if isinstance(subject, Instance) else []
    fields = {names[at]: p for at, p in enumerate(pattern.patterns) if at < len(names)}
    for at, inner in enumerate(pattern.patterns):
        if whole or at >= len(names):
            found = subject if whole else machine.unknown("matched field")
            answers.append(match(machine, frame, inner, found))
    for name, inner in (*fields.items(), *pattern.keywords):
        value = subject.fields.get(name) if isinstance(subject, Instance) else None
        answers.append(match(machine, frame, inner, value or machine.unknown("matched field")))
        if answers[-1] is False:
            break
    return _all(answers)

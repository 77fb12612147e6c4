"""Tests of what a value is, whose outcome depends on whether a parameter is an array or a tree.

Under a trace an array is a tracer. A parameter that may be a container of arrays is asked
`isinstance(x, jax.core.Tracer)`, and in the branch for other values it is none.
"""

from __future__ import annotations

from collections.abc import Sequence as Several

from jaxlint.dataflow.names import names_in_loop
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Static, Traced, Unknown, Value
from jaxlint.engine.relations.type_tests import includes_arrays, names_arrays
from jaxlint.syntax import ir

# What an outcome says: the value that was asked about, and whether it is an array then.
Told = tuple[tuple[Value, bool], ...]


class Question(Static):
    """The answer of a test that depends on what a value is, and what each outcome tells."""

    __slots__ = ("if_false", "if_true")

    def __init__(self, if_true: Told, if_false: Told) -> None:
        super().__init__(kind="bool")
        self.if_true, self.if_false = if_true, if_false

    def moved(self, given: dict[str, Value], env: dict[str, Value]) -> Question:
        """The same question about the arguments of another call."""

        def again(told: Told) -> Told:
            names = [(name, leaf) for v, leaf in told for name, old in given.items() if old is v]
            return tuple((env[name], leaf) for name, leaf in names if name in env)

        return Question(again(self.if_true), again(self.if_false))


def of_type(subject: Value, types: Value) -> Question | None:
    """The question `isinstance(subject, types)` about a parameter that may be a tree."""
    if not isinstance(subject, Traced) or subject.leaf:
        return None
    if names_arrays(types):
        return Question(((subject, True),), ((subject, False),))
    if includes_arrays(types):
        return Question((), ((subject, False),))
    return Question(((subject, False),), ())


def negated(question: Question) -> Question:
    """`not question`."""
    return Question(question.if_false, question.if_true)


def every(parts: Several[Value | None]) -> Question | None:
    """Several tests that must all hold; None where nothing is known of any."""
    asked = [part for part in parts if isinstance(part, Question)]
    if not asked:
        return None
    known = tuple(one for part in asked for one in part.if_true)
    # One of them fails: what all of them say then.
    rest = asked[0].if_false if len(asked) == len(parts) else ()
    rest = tuple(one for one in rest if all(_says(part.if_false, one) for part in asked))
    return Question(known, rest)


def _says(told: Told, one: tuple[Value, bool]) -> bool:
    return any(subject is one[0] and leaf is one[1] for subject, leaf in told)


def either(parts: Several[Value | None]) -> Question | None:
    """Several tests one of which must hold."""
    opposite = every([negated(p) if isinstance(p, Question) else p for p in parts])
    return None if opposite is None else negated(opposite)


def over(
    containers: Several[Value], element: Value, stop: bool, known: Question | None
) -> Question | None:
    """`any` (`stop`) or `all` of a test of each element of containers: where it does not stop,
    no element is an array, or there is none. `known` is what each element is asked."""
    if isinstance(element, Question):
        said = element.if_false if stop else element.if_true
        if not any(not leaf for _, leaf in said):
            return None
    elif not (isinstance(element, Static) and element.const is stop):
        return None
    told: Told = tuple((container, False) for container in containers)
    if known is not None:
        told += known.if_false if stop else known.if_true
    return Question((), told) if stop else Question(told, ())


def of_returns(
    function: ir.FunctionDef, given: dict[str, Value], frame: Frame, result: Value
) -> Value:
    """The result of a function that answers True and False on different paths."""
    kinds = {value.kind for value in frame.returns if isinstance(value, Static)}
    if len(frame.returns) < 2 or kinds != {"bool"} or len(frame.returns) != len(frame.exits):
        return result
    rebound = names_in_loop(function.body)
    arguments = {name: value for name, value in given.items() if name not in rebound}
    asked = {name: value for name, value in arguments.items() if isinstance(value, Traced)}
    made = Question(_agreed(frame, asked, True), _agreed(frame, asked, False))
    return made if made.if_true or made.if_false else result


def _agreed(frame: Frame, asked: dict[str, Traced], outcome: bool) -> Told:
    """What all paths say of arguments that give an answer."""
    found: list[tuple[Value, bool]] = []
    for name, subject in asked.items():
        said = set()
        for value, env in zip(frame.returns, frame.exits, strict=True):
            if isinstance(value, Static) and value.known and bool(value.const) is not outcome:
                continue
            told: Told = ()
            if isinstance(value, Question):
                told = value.if_true if outcome else value.if_false
            said.add(_said(subject, env.get(name, subject), told))
        if len(said) == 1 and (leaf := said.pop()) is not None:
            found.append((subject, leaf))
    return tuple(found)


def _said(subject: Value, value: Value, told: Told) -> bool | None:
    if isinstance(value, Unknown):
        return False
    if value is not subject and isinstance(value, Traced) and value.leaf:
        return True
    return next((leaf for one, leaf in told if one is subject), None)

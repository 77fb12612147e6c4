"""The JAX half of the proof: whether real JAX shows what a page promises."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax

from jaxlint.base.witness import (
    Differs,
    Donates,
    Effects,
    Expects,
    Freezes,
    Fruitless,
    Leaks,
    Raises,
    Recompiles,
    ReusesKey,
    Unrolls,
    Warns,
    Witness,
)
from jaxlint.testing.execution import Failure, Outcome, Program, without
from jaxlint.testing.growth import UntracedError, growth, loop_lines
from jaxlint.testing.pages import Example
from jaxlint.testing.values import comparable, same, same_text, show

_MOST_EQUATIONS = 32
"""So much may the Python loops of a look-alike, halved, take from its program, and no more."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with an example, in words; `note` says what could not be judged."""

    wrong: tuple[str, ...] = ()
    note: str = ""


def judge(
    example: Example,
    witnesses: Mapping[str, Witness],
    hazard: Example | None = None,
    is_shown: bool = True,
) -> Verdict:
    """Judges an example by the witnesses of the rules, known by name.

    `hazard` is the example that a fix is for. A fix that is shown compiles nothing when it is
    evaluated again; what `--fix` makes of the hazard compiles less than that.
    """
    if not example.is_about(jax.__version__):
        return Verdict(note=f"for other versions of JAX: {', '.join(example.versions)}")
    if example.is_hazard:
        rules = sorted({marker.rule for marker in example.markers if marker.is_hazard})
        wrong = [
            text for rule in rules for text in _judge_hazard(example, rule, witnesses.get(rule))
        ]
        return Verdict(tuple(wrong))
    witness = witnesses.get(example.rule)
    if witness is None:
        return Verdict((_at(example, f"there is no rule {example.rule}"),))
    outcome = _program(example).run(twice=isinstance(witness, Recompiles))
    allowed = 0
    if isinstance(witness, Recompiles) and hazard is not None and not is_shown:
        allowed = max(0, _program(hazard).run(twice=True).compilations - 1)
    wrong = _judge_clean(example, witness, outcome, allowed)
    if wrong or hazard is None:
        return Verdict(tuple(wrong))
    if not hazard.is_about(jax.__version__):
        return Verdict(note="fixes not compared: hazard is for other versions of JAX")
    if isinstance(witness, Expects):
        return Verdict(
            () if outcome.has_value else (_at(example, "a fix ends with what it expects"),)
        )
    if isinstance(witness, Fruitless):
        return _judge_bearing(example, outcome, hazard)
    return _judge_fix(example, outcome, hazard)


def difference(one: Outcome, other: Outcome) -> str:
    """The first thing in which a user sees two runs differ, empty if there is none."""
    kinds = [[failure.kind for failure in run.failures] for run in (one, other)]
    if kinds[0] != kinds[1]:
        return f"raised {_or_nothing(one.failures)} / {_or_nothing(other.failures)}"
    texts = {
        "printed": (one.output, other.output),
        "wrote to stderr": (one.errors, other.errors),
        "logged": ("\n".join(one.logged), "\n".join(other.logged)),
        "warned": ("\n".join(one.warned), "\n".join(other.warned)),
    }
    for what, (left, right) in texts.items():
        if not same_text(left, right):
            return f"{what} {left!r} / {right!r}"
    if not same(one.value, other.value):
        return f"value {show(one.value)} / {show(other.value)}"
    return ""


def _judge_hazard(example: Example, rule: str, witness: Witness | None) -> list[str]:
    match witness:
        case Raises():
            return _judge_raises(example, rule, witness)
        case Effects() | Differs() | Freezes():
            return _judge_differs(example)
        case Leaks():
            return _judge_leaks(example)
        case Recompiles():
            return _judge_recompiles(example)
        case Unrolls():
            return _judge_unrolls(example, rule)
        case Donates():
            return _judge_donates(example, rule)
        case Fruitless():
            return _judge_fruitless(example, rule, witness)
        case ReusesKey():
            return _judge_reuses_key(example)
        case Expects():
            return _judge_expects(example)
        case Warns():
            return _judge_warns(example, witness)
        case None:
            return [_at(example, f"there is no rule {rule}")]


def _judge_raises(example: Example, rule: str, witness: Raises) -> list[str]:
    """Each top-level statement may show one marker: the others run although it raised."""
    expected, others = _marked(example, rule)
    failures = _program(example).run(in_steps=True).failures
    wanted = " or ".join(witness.errors)
    wrong, shown = [], set()
    for failure in failures:
        if failure.is_a(*witness.errors) and (witness.anywhere or failure.line in expected):
            shown.add(failure.line)
        elif failure.line not in others:
            wrong.append(_at(example, f"raised {failure}", failure.line))
    missing = set() if witness.anywhere and shown else expected - shown
    return wrong + [_at(example, f"did not raise {wanted}", line) for line in sorted(missing)]


def _judge_differs(example: Example) -> list[str]:
    program = _program(example)
    plain = program.run()
    if chance := difference(plain, program.run()):
        return [_at(example, f"two runs differ anyway, so nothing is proven: {chance}")]
    if difference(plain, program.run(eager=True)):
        return []
    return [_at(example, "runs alike with and without jit, so there is no hazard")]


def _judge_leaks(example: Example) -> list[str]:
    outcome = _program(example).run()
    if outcome.leaks or any(failure.is_a("UnexpectedTracerError") for failure in outcome.failures):
        return []
    return [
        _at(example, f"leaks no tracer, and raised {_or_nothing(outcome.failures)}"),
    ]


def _judge_recompiles(example: Example) -> list[str]:
    outcome = _program(example).run(twice=True)
    if outcome.failures:
        return [_at(example, f"raised {outcome.failures[0]}", outcome.failures[0].line)]
    if not outcome.has_value:
        return [_at(example, "ends without an expression, so there is nothing to evaluate again")]
    if outcome.compilations:
        return []
    return [_at(example, "compiles nothing when its last expression is evaluated again")]


def _judge_unrolls(example: Example, rule: str) -> list[str]:
    expected, _ = _marked(example, rule)
    loops = loop_lines(_program(example))
    wrong = [_at(example, "starts no loop", line) for line in sorted(expected - loops)]
    for line in sorted(expected & loops):
        try:
            shrinks = growth(_program(example), {line}) > 0
        except UntracedError as reason:
            return [_at(example, str(reason))]
        if not shrinks:
            wrong.append(_at(example, "the program does not grow with this loop", line))
    return wrong


def _judge_donates(example: Example, rule: str) -> list[str]:
    expected, others = _marked(example, rule)
    wrong, shown = [], set()
    for failure in _program(example).run(in_steps=True).failures:
        # The function that gave a buffer away is to blame, and not one that it hands it on to.
        at = expected & failure.lines
        if at and re.search("deleted|donated", str(failure.error)):
            shown |= at
        elif failure.line not in others:
            wrong.append(_at(example, f"raised {failure}", failure.line))
    missing = sorted(expected - shown)
    return wrong + [_at(example, "uses no donated buffer", line) for line in missing]


def _judge_fruitless(example: Example, rule: str, witness: Fruitless) -> list[str]:
    """The flagged lines of one example all raise, or all do nothing."""
    plain = _program(example).run()
    if plain.failures:
        return _judge_raises(example, rule, Raises(*witness.errors, anywhere=True))
    if not plain.has_value:
        return [_at(example, "ends without an expression, so there is nothing to compare")]
    wrong = []
    for line in sorted(_marked(example, rule)[0]):
        unlike = difference(plain, without(_program(example), line).run())
        if unlike:
            wrong.append(_at(example, f"does something: without it, {unlike}", line))
    return wrong


def _judge_reuses_key(example: Example) -> list[str]:
    failures = _program(example).run(in_steps=True, checks_keys=True).failures
    if any(failure.is_a("KeyReuseError") for failure in failures):
        return []
    return [_at(example, f"reuses no key, and raised {_or_nothing(failures)}")]


def _judge_expects(example: Example) -> list[str]:
    outcome = _program(example).run()
    if outcome.failures:
        return [_at(example, f"raised {outcome.failures[0]}", outcome.failures[0].line)]
    if not outcome.has_value:
        return [_at(example, "ends without an expression, so nothing is expected")]
    return [_at(example, "what is expected holds")] if _holds(outcome) else []


def _holds(outcome: Outcome) -> bool:
    """Whether the value is true: `True`, or an array of it."""
    return same(outcome.value, comparable(True))


def _judge_warns(example: Example, witness: Warns) -> list[str]:
    outcome = _program(example).run()
    if outcome.failures:
        return [_at(example, f"raised {outcome.failures[0]}", outcome.failures[0].line)]
    if _warnings(outcome, witness):
        return []
    return [_at(example, f"draws no {' or '.join(witness.categories)}")]


def _warnings(outcome: Outcome, witness: Warns) -> list[str]:
    return [text for text in outcome.warned if text.partition(" ")[0] in witness.categories]


def _marked(example: Example, rule: str) -> tuple[set[int], set[int]]:
    """The lines where a rule is promised, and those where another one is."""
    hazards = [marker for marker in example.markers if marker.is_hazard]
    return (
        {marker.line for marker in hazards if marker.rule == rule},
        {marker.line for marker in hazards if marker.rule != rule},
    )


def _judge_clean(
    example: Example, witness: Witness, outcome: Outcome, compiled: int = 0
) -> list[str]:
    """What is wrong with a look-alike or a fix under the witness of the page's rule; so many
    programs may be `compiled` when it is evaluated again."""
    if outcome.failures:
        failure = outcome.failures[0]
        return [_at(example, f"must run clean, but raised {failure}", failure.line)]
    if isinstance(witness, Effects | Differs | Freezes):
        unlike = difference(outcome, _program(example).run(eager=True))
        if unlike:
            return [_at(example, f"runs differently without jit: {unlike}")]
    if isinstance(witness, Leaks) and outcome.leaks:
        return [_at(example, f"leaks a tracer into {', '.join(outcome.leaks)}")]
    if isinstance(witness, Recompiles) and not outcome.has_value:
        return [_at(example, "ends without an expression, so there is nothing to evaluate again")]
    if isinstance(witness, Recompiles) and outcome.compilations > compiled:
        count = outcome.compilations
        return [_at(example, f"compiles {count} programs when it is evaluated again")]
    if isinstance(witness, Unrolls):
        return _judge_short_loops(example)
    if isinstance(witness, Expects):
        unmet = outcome.has_value and not _holds(outcome)
        return [_at(example, "what is expected does not hold")] if unmet else []
    if isinstance(witness, Warns):
        return [_at(example, f"warns: {text}") for text in _warnings(outcome, witness)]
    if isinstance(witness, ReusesKey):
        failures = _program(example).run(checks_keys=True).failures
        return [_at(example, f"raised {each}", each.line) for each in failures[:1]]
    return []


def _judge_short_loops(example: Example) -> list[str]:
    try:
        number = growth(_program(example))
    except UntracedError as reason:
        return [_at(example, str(reason))]
    if number > _MOST_EQUATIONS:
        return [_at(example, f"half the iterations of its loops make {number} equations")]
    return []


def _judge_fix(fixed: Example, outcome: Outcome, hazard: Example) -> Verdict:
    """A fix computes what its hazard computes without jit."""
    if hazard.no_jax:
        return Verdict(note="fixes not compared: hazard does not run")
    meant = _program(hazard).run(eager=True)
    if meant.failures:
        return Verdict(note="fixes not compared: hazard does not run without jit either")
    if not (outcome.has_value and meant.has_value):
        return Verdict((_at(fixed, "a fix and its hazard end with the expression to compare"),))
    if same(outcome.value, meant.value):
        return Verdict()
    values = f"{show(outcome.value)}, not {show(meant.value)}"
    return Verdict((_at(fixed, f"the fix computes something else: {values}"),))


def _judge_bearing(fixed: Example, outcome: Outcome, hazard: Example) -> Verdict:
    """A fix of what did nothing does something, be it not to raise."""
    if hazard.no_jax or difference(outcome, _program(hazard).run()):
        return Verdict()
    return Verdict((_at(fixed, "the fix computes what its hazard does"),))


def _program(example: Example) -> Program:
    return Program(example.program, example.path)


def _or_nothing(failures: list[Failure]) -> str:
    return ", ".join(map(str, failures)) or "nothing"


def _at(example: Example, text: str, line: int = 0) -> str:
    return f"{example.path}:{line or example.line}: {text}"


def reveals(program: str, path: str) -> dict[int, str]:
    """What JAX says at each `reveal(...)` that a program reaches, by line.

    A value is traced if it is a tracer or a container that holds one. Raises what the program
    raises.
    """
    found: dict[int, set[str]] = {}

    def reveal(value: Any) -> Any:
        leaves = jax.tree.leaves(value)
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        line = sys._getframe(1).f_lineno
        found.setdefault(line, set()).add("traced" if traced else "static")
        return value

    outcome = Program(program, path).run(given={"reveal": reveal})
    if outcome.failures:
        raise outcome.failures[0].error
    return {line: what.pop() if len(what) == 1 else "mixed" for line, what in found.items()}

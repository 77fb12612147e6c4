"""Invented calls: arguments made up for functions that no recording and no user tells of.

A search over candidates, scored by the lines that run under staging. What it finds is always an
assumption: each call says which parameters were taken for traced.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import time
import types
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments import avals, signatures, subjects
from jaxlint.verify.child.arguments.avals import is_traced
from jaxlint.verify.child.arguments.call_sites import CallSites
from jaxlint.verify.child.arguments.candidates import STRENGTHS, Candidate, Limit, Maker, Pool
from jaxlint.verify.child.arguments.signatures import Call
from jaxlint.verify.child.arguments.subjects import Subject
from jaxlint.verify.child.arguments.values import concrete, hints_of, is_record
from jaxlint.verify.child.arguments.wanted import Trial, Wanted
from jaxlint.verify.child.observing.coverage import Coverage, Function, Line
from jaxlint.verify.child.observing.outline import Module, Usage, names_on
from jaxlint.verify.child.observing.places import UserFiles, error_places
from jaxlint.verify.protocol import Target

_LONGEST_ASSUMPTION = 300


@dataclass(frozen=True)
class Invented:
    """A call with made-up arguments.

    `assumption` names every parameter that was taken for traced, or says that the call itself
    happens under trace, which is enough for what it computes to be traced. `strength` is the
    weakest that an argument rests on: "annotation", "call-site", "default" or "search".
    `traced` are the parameters that the assumption names; `functions` and `lines` ran under
    staging when it was tried.
    """

    call: Call
    assumption: str
    strength: str
    traced: frozenset[str] = frozenset()
    functions: frozenset[Function] = frozenset()
    lines: frozenset[Line] = frozenset()


@dataclass
class Budget:
    """How much an invention may cost: seconds in all, tries for each function."""

    seconds: float = 20.0
    tries: int = 15
    subject_seconds: float = 5.0


@dataclass
class Parameter:
    """A parameter with the values to try for it."""

    about: inspect.Parameter
    candidates: list[Candidate]

    @property
    def name(self) -> str:
        return self.about.name


def calls(
    module: types.ModuleType,
    targets: Sequence[Target] | None,
    files: UserFiles,
    budget: Budget | None = None,
    *,
    is_open: Callable[[Target], bool] = lambda target: True,
    limit: Limit = contextlib.nullcontext,
    pool: Pool | None = None,
) -> Iterator[Invented]:
    """Calls of this module's functions that reach the targets, or any function for None.

    A call is yielded when it runs lines under staging that none before it ran, or a target with
    other parameters traced or another outcome. `is_open` tells
    which targets still need one. `limit` bounds one try: it may raise what it likes. `pool`
    keeps what functions return from one module to the next.
    """
    inventor = _Inventor(module, files, budget or Budget(), limit, pool or Pool())
    return inventor.calls(targets, is_open)


class _Inventor:
    def __init__(
        self,
        module: types.ModuleType,
        files: UserFiles,
        budget: Budget,
        limit: Limit,
        pool: Pool,
    ) -> None:
        self._module = module
        self._files = files
        self._budget = budget
        self._limit = limit
        self._pool = pool
        with open(str(module.__file__), "rb") as file:
            self._outline = Module(file.read())
        self._sites = CallSites(self._outline, module)
        self._ends = time.monotonic() + budget.seconds
        self._covered: set[Line] = set()
        for value in list(vars(module).values()):
            if isinstance(value, type) and is_record(value) and value not in pool.records:
                pool.records.append(value)

    def calls(
        self, targets: Sequence[Target] | None, is_open: Callable[[Target], bool]
    ) -> Iterator[Invented]:
        """As the function of this name."""
        wanted = Wanted(str(self._module.__file__), self._outline, targets, is_open)
        makers = functools.partial(Maker, self._pool, self._limit)
        known = subjects.of_module(self._module, wanted.outlines, makers)
        held = subjects.lambdas(self._module, wanted.lines)
        queue: list[Iterator[tuple[Subject, int]]] = [
            ((subject, _GENERATIONS) for subject in known),
            ((subject, 0) for subject in held),
        ]
        while queue and time.monotonic() < self._ends:
            subject, generations = next(queue[0], (None, 0))
            if subject is None:
                queue.pop(0)
                continue
            if not wanted.anything(subject):
                continue
            parameters = self._parameters(subject)
            if parameters is None:
                continue
            best = yield from self._search(subject, parameters, wanted)
            has_entered = best is not None and bool(best.lines)
            if not has_entered and _is_wrapped(subject) and wanted.anything(subject):
                # The transform refuses an argument, `self` for example: the body is asked alone.
                inner = dataclasses.replace(subject, fn=subject.function)
                best = yield from self._search(inner, parameters, wanted)
            makes_nothing = best is not None and best.error is None and not best.makes_functions
            if generations and not makes_nothing and _makes_functions(subject.function):
                made = self._products(subject, parameters)
                queue.insert(0, iter([(product, generations - 1) for product in made]))

    def _parameters(self, subject: Subject) -> list[Parameter] | None:
        """What can be passed, or None for a callable that does not tell."""
        try:
            signature = inspect.signature(subject.fn)
        except (TypeError, ValueError):
            return None
        hints = hints_of(subject.function)
        usages = self._outline.usages(subject.definition)
        maker = Maker(self._pool, self._limit)
        named = list(signature.parameters.values())
        found = []
        if subject.is_method:
            if not named or not subject.owners:
                return None
            owners = [Candidate(owner, "annotation") for owner in subject.owners]
            found.append(Parameter(named.pop(0), owners))
        names = [parameter.name for parameter in named]
        passed = self._sites.arguments(subject.function.__name__, names)
        for parameter in named:
            name = parameter.name
            hint = hints.get(name, Any)
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL and len(found) > subject.is_method:
                continue
            made = maker.parameter(name, hint, parameter.default, usages.get(name, Usage()))
            seen = [Candidate(value, "call-site") for value in passed.get(name, [])]
            place = 1 if made and made[0].strength == "annotation" else 0
            found.append(Parameter(parameter, [*made[:place], *seen[:3], *made[place:]]))
        return found

    def _search(
        self, subject: Subject, parameters: list[Parameter], wanted: Wanted
    ) -> Generator[Invented, None, Trial | None]:
        """Tries candidates, together first and then one by one, and keeps what runs further.

        Returns the trial that ran furthest.
        """
        ends = min(self._ends, time.monotonic() + self._budget.subject_seconds)
        best: Trial | None = None
        tried: set[tuple[int, ...]] = set()
        kinds: set[tuple[frozenset[str], type]] = set()
        choices = _together(parameters, wanted.has_targets)
        for _ in range(self._budget.tries):
            choice = next(choices, None)
            is_done = best is not None and best.error is None
            if is_done and (choice is None or not wanted.has_targets):
                break
            if choice is None and best is not None:
                choice = self._next(subject, parameters, best, tried)
            if choice is None or time.monotonic() > ends or not wanted.anything(subject):
                break
            if tuple(choice) in tried:
                continue
            tried.add(tuple(choice))
            trial = self._try(subject, parameters, choice)
            if best is None or trial.score > best.score:
                best = trial
            made = _invented(subject, trial, parameters)
            kind = (made.traced, type(trial.error))
            is_new = not trial.lines <= self._covered or (wanted.has_targets and kind not in kinds)
            if is_new and wanted.touched(trial, subject):
                self._covered |= trial.lines
                kinds.add(kind)
                yield made
        return best

    def _next(
        self,
        subject: Subject,
        parameters: list[Parameter],
        trial: Trial,
        tried: set[tuple[int, ...]],
    ) -> list[int] | None:
        """The best choice so far with another value for one parameter.

        Those that the failing line reads come first.
        """
        suspects: set[str] = set()
        node = self._outline.function(subject.definition)
        if trial.error is not None and node is not None:
            for place in error_places(trial.error, self._files):
                suspects |= names_on(node, place.line)
        order = sorted(
            range(len(parameters)), key=lambda index: parameters[index].name not in suspects
        )
        for index in order:
            for other in range(len(parameters[index].candidates)):
                changed = [*trial.choice[:index], other, *trial.choice[index + 1 :]]
                if tuple(changed) not in tried:
                    return changed
        return None

    def _try(self, subject: Subject, parameters: list[Parameter], choice: list[int]) -> Trial:
        """Stages the call once and notes what ran."""
        call = _call(subject, parameters, choice)
        coverage = Coverage(self._files)
        results: list[Any] = []

        @functools.wraps(subject.fn)
        def kept(*args: Any, **kwargs: Any) -> Any:
            result = subject.fn(*args, **kwargs)
            results.append(signatures.abstract(subject.fn, (result,), {}).args[0])
            return result

        error: BaseException | None = None
        internals.clear_caches()
        try:
            with self._limit(), coverage.watching():
                signatures.stager(Call(kept, call.args, call.kwargs))()
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # The user's code may raise anything, exit too.
            error = raised
        if results and error is None:
            self._pool.add(subject.function.__name__, results[0])
        makes = bool(results and subjects.products(results[0], self._files))
        lines, functions = frozenset(coverage.lines), frozenset(coverage.functions)
        return Trial(call, choice, lines, functions, error, makes)

    def _products(self, subject: Subject, parameters: list[Parameter]) -> list[Subject]:
        """The functions that a call with static arguments returns."""
        choice = [_static_choice(parameter) for parameter in parameters]
        call = _call(subject, parameters, choice)
        try:
            args, kwargs = concrete((call.args, call.kwargs))
            with self._limit():
                result = subject.fn(*args, **kwargs)
        except KeyboardInterrupt:
            raise
        except BaseException:  # As in `_try`: such a factory makes nothing for us.
            return []
        if is_record(type(result)):
            self._pool.by_class[type(result)] = result
        return subjects.products(result, self._files)


_GENERATIONS = 2
_INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def _is_wrapped(subject: Subject) -> bool:
    """Whether transforms lie between the callable and its function, and nothing else."""
    fn: Any = subject.fn
    return fn is not subject.function and inspect.unwrap(fn) is subject.function


def _makes_functions(function: types.FunctionType) -> bool:
    return any(
        isinstance(constant, types.CodeType) and constant.co_name not in _INNER
        for constant in function.__code__.co_consts
    )


def _together(parameters: list[Parameter], has_targets: bool) -> Iterator[list[int]]:
    """Choices for all parameters at once: the likeliest, all traced, all static, by rank."""
    yield [0 for _ in parameters]
    if has_targets:
        yield [_first(parameter, is_traced) for parameter in parameters]
    for shape in ((), (4,), (4, 4)):
        yield [
            _first(parameter, functools.partial(_has_shape, shape)) if _is_array(parameter) else 0
            for parameter in parameters
        ]
    yield [_static_choice(parameter) for parameter in parameters]


def _first(parameter: Parameter, fits: Callable[[Any], bool]) -> int:
    for place, candidate in enumerate(parameter.candidates):
        if fits(candidate.value):
            return place
    return 0


def _has_shape(shape: tuple[int, ...], value: Any) -> bool:
    return isinstance(value, jax.ShapeDtypeStruct) and value.shape == shape


def _is_array(parameter: Parameter) -> bool:
    return isinstance(parameter.candidates[0].value, jax.ShapeDtypeStruct)


def _static_choice(parameter: Parameter) -> int:
    return _first(parameter, lambda value: not is_traced(value))


def _call(subject: Subject, parameters: list[Parameter], choice: list[int]) -> Call:
    """The call with the chosen values; a default that is chosen is not passed."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    is_positional = True
    for parameter, chosen in zip(parameters, choice, strict=True):
        about, value = parameter.about, parameter.candidates[chosen].value
        if about.default is value and about.kind is not about.POSITIONAL_ONLY:
            is_positional = False
        elif about.kind is about.KEYWORD_ONLY or not is_positional:
            kwargs[about.name] = value
        else:
            args.append(value)
    return Call(subject.fn, tuple(args), kwargs)


def _invented(subject: Subject, trial: Trial, parameters: list[Parameter]) -> Invented:
    chosen = [
        (parameter.name, parameter.candidates[place])
        for parameter, place in zip(parameters, trial.choice, strict=True)
    ]
    ranks = [STRENGTHS.index(candidate.strength) for _, candidate in chosen]
    strength = STRENGTHS[max(ranks, default=0)]
    made_up = [(name, candidate.value) for name, candidate in chosen if is_traced(candidate.value)]
    names = frozenset(name for name, _ in made_up)
    assumption = _assumption(made_up) or f"`{_name(subject)}` is called while JAX traces"
    return Invented(trial.call, assumption, strength, names, trial.functions, trial.lines)


def _name(subject: Subject) -> str:
    """The name that the user's code calls a subject by."""
    return (
        subject.fn.__qualname__ if isinstance(subject.fn, type) else subject.function.__qualname__
    )


def _assumption(made_up: list[tuple[str, Any]]) -> str:
    """What has to hold in the user's program: "`n` is a traced i32[]"."""
    text = ""
    for place, (name, value) in enumerate(made_up):
        part = f"`{name}` is a traced {avals.describe(value)[0]}"
        if len(text) + len(part) > _LONGEST_ASSUMPTION:
            rest = ", ".join(f"`{name}`" for name, _ in made_up[place:])
            return f"{text}, and traced {rest}" if text else f"traced {rest}"
        text = f"{text}, {part}" if text else part
    return text

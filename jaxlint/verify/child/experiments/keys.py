"""Whether a random key is consumed twice in the traced program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.verify.child import internals, jaxprs
from jaxlint.verify.child.arguments.signatures import Call, stager
from jaxlint.verify.child.experiments.evidence import equations
from jaxlint.verify.child.experiments.evidence.subject import Subject
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.child.observing.places import Place

_MOST_RUNS = 8
_BODIES = ("scan", "while", "cond")
_CONSUMERS = ("random_bits", "random_split", "random_gamma", "random_seed_with_key")


@dataclass(frozen=True)
class Use:
    """One consumption of a key: where, and whether it happens again and again."""

    place: Place | None
    repeated: bool = False


def native(subject: Subject) -> None:
    """Walks the program, with key objects in place of arrays of two numbers."""
    if not subject.of("reuses-key"):
        return
    watch = Watch(subject.files)
    internals.clear_caches()
    with jax.enable_custom_prng(True):
        trace = subject.run(stager(_with_keys(subject.call)), watch)
    if trace.jaxpr is None:
        return
    uses = _reused(subject, trace.jaxpr, watch.reached)
    for target in subject.of("reuses-key"):
        if target.id in uses:
            subject.observe(target, "shown", uses=uses[target.id])
        elif watch.reached[target.id] and subject.passed(target, trace):
            subject.observe(target, "absent", evaluations=watch.reached[target.id])


def explored(subject: Subject) -> None:
    """The same with each explored run that comes to its end: it is one way through the code."""
    targets = [target for target in subject.of("reuses-key") if not subject.is_judged(target)]
    if not targets:
        return
    watch = Watch(subject.files)
    reached: list[Counter[int]] = []

    def on_run() -> None:
        reached.append(watch.reached.copy())
        watch.reached.clear()

    with jax.enable_custom_prng(True):
        call = _with_keys(subject.call)
        exploration = subject.explore(watch, runs=_MOST_RUNS, call=call, on_run=on_run)
    ended = [
        (_reused(subject, program, counts), counts)
        for program, counts in zip(exploration.programs, reached)  # noqa: B905
        if program is not None
    ]
    lines = subject.earlier_lines(exploration)
    for target in targets:
        uses = next((uses[target.id] for uses, _ in ended if target.id in uses), None)
        count = sum(counts[target.id] for _, counts in ended)
        if uses is not None:
            subject.observe(target, "next", uses=uses, after_sites=lines)
        elif count:
            subject.observe(target, "absent", evaluations=count)


def _reused(subject: Subject, program: Any, reached: Counter[int]) -> dict[int, list[str]]:
    """The targets that use a key again, with all places that use it.

    Uses at one place by one evaluation are JAX's own affair, where places have columns.
    """
    found: dict[int, list[str]] = {}
    for uses in consumed(program, subject):
        repeated = uses[0].repeated
        if len(uses) < 2 and not repeated:
            continue
        places = [use.place for use in uses if use.place is not None]
        lines = [f"{place.file}:{place.line}" for place in places]
        for place in places if repeated else places[1:]:
            for target in subject.matcher.match(place):
                is_line = place.column is None
                if repeated or is_line or len(set(places)) > 1 or reached[target.id] > 1:
                    found.setdefault(target.id, lines)
    return found


def consumed(closed: Any, subject: Subject) -> Iterator[list[Use]]:
    """The uses of each key that the program consumes, in their order."""
    walker = _Walker(subject)
    yield from walker.uses(closed.jaxpr).values()
    yield from walker.local


class _Walker:
    """Follows keys through equations and the programs nested in them."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.local: list[list[Use]] = []

    def uses(self, jaxpr: Any) -> dict[Any, list[Use]]:
        """The uses of each key variable of a jaxpr; keys of nested ones go to `local`."""
        found: dict[Any, list[Use]] = {}
        same: dict[Any, Any] = {}
        for equation in jaxpr.eqns:
            for variable, use in self._of(equation, same):
                found.setdefault(variable, []).append(use)
        return found

    def _of(self, equation: Any, same: dict[Any, Any]) -> Iterator[tuple[Any, Use]]:
        keys = [same.get(v, v) for v in equation.invars if is_key(v) and not hasattr(v, "val")]
        if not keys:
            for inner in equations.nested(equation):
                self.local.extend(self.uses(_open(inner)).values())
            return
        name = str(equation.primitive)
        if name in _CONSUMERS:
            place = self._place(equation)
            yield from ((key, Use(place)) for key in keys)
        elif name in ("squeeze", "reshape", "broadcast_in_dim", "copy", "convert_element_type"):
            if equation.invars[0].aval.shape == () or equation.outvars[0].aval.shape == (
                equation.invars[0].aval.shape
            ):
                same[equation.outvars[0]] = keys[0]
        else:
            yield from self._nested(equation, same, name)

    def _nested(self, equation: Any, same: dict[Any, Any], name: str) -> Iterator[tuple[Any, Use]]:
        """What nested programs consume. Of branches, the one that uses a key most often counts.

        A function that is called consumes at the call, since its trace may be that of an earlier
        one. A key that it uses twice counts once for the caller, and is JAX's own affair if all
        of the function's code is behind the call.
        """
        place = self._place(equation)
        best: dict[int, list[Use]] = {}
        for inner in equations.nested(equation):
            jaxpr = _open(inner)
            start = len(self.local)
            uses = self.uses(jaxpr)
            inputs = [(at, each) for at, each in enumerate(jaxpr.invars) if each in uses]
            for at, variable in inputs:
                mine = uses.pop(variable)
                outer = jaxprs.input_of(equation, inner, at)
                if name not in _BODIES:
                    self.local.append(mine)
                    mine = [Use(place)]
                elif outer < jaxprs.loop_constants(equation):
                    mine = [Use(use.place, repeated=True) for use in mine]
                if len(mine) > len(best.get(outer, ())):
                    best[outer] = mine
            self.local.extend(uses.values())
            if name not in _BODIES:
                self.local[start:] = [
                    group
                    for group in self.local[start:]
                    if any(use.place != place for use in group)
                ]
        for outer, each in best.items():
            variable = equation.invars[outer]
            if not hasattr(variable, "val"):
                yield from ((same.get(variable, variable), use) for use in each)

    def _place(self, equation: Any) -> Place | None:
        found = jaxprs.equation_place(equation, self._subject.files.__contains__)
        return None if found is None else Place(*found, "")


def is_key(variable: Any) -> bool:
    """Whether a variable of a jaxpr holds random keys."""
    dtype = getattr(variable.aval, "dtype", None)
    return dtype is not None and bool(jnp.issubdtype(dtype, jax.dtypes.prng_key))


def _open(jaxpr: Any) -> Any:
    return getattr(jaxpr, "jaxpr", jaxpr)


def _with_keys(call: Call) -> Call:
    return Call(call.fn, *jax.tree_util.tree_map(_typed, (call.args, call.kwargs)))


def _typed(leaf: Any) -> Any:
    """A key object for what has the type and shape of an untyped key."""
    if not isinstance(leaf, jax.ShapeDtypeStruct) or str(leaf.dtype) != "uint32":
        return leaf
    if leaf.shape[-1:] != (2,):
        return leaf
    key = jax.eval_shape(lambda: jax.random.key(0))
    return jax.ShapeDtypeStruct(leaf.shape[:-1], key.dtype)

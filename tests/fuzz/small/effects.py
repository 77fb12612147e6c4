"""What JAX makes of each line that does something to the host.

A line is a hazard if what it does, and when, differs between an ordinary run and one under
`jax.disable_jit()`, if it shows a tracer, or if it leaves one behind.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from small.effect_programs import generate, write
from small.staging import Change, Code, Line, Run, perform
from small.truth import Claim, Family, Specimen, Truth

__all__ = ["FAMILY", "generate", "observe", "write"]

FAMILY = Family(
    "effects",
    {
        "JAX101": frozenset({"print"}),
        "JAX103": frozenset({"log"}),
        "JAX104": frozenset({"io"}),
        "JAX105": frozenset({"name"}),
        "JAX106": frozenset({"container"}),
        "JAX107": frozenset({"attribute", "container"}),
        "JAX109": frozenset({"iterator"}),
        "JAX110": frozenset({"clock"}),
        "JAX111": frozenset({"rng"}),
        "JAX201": frozenset({"leak name"}),
        "JAX202": frozenset({"leak attribute", "leak container"}),
        "JAX203": frozenset({"leak container"}),
    },
    {"output": "a print of static values tells what is compiled, and may be meant so"},
)
_TRACER = re.compile(r"Tracer[(<]|Traced<")


def observe(specimen: Specimen) -> Truth:
    plain = perform(specimen.source)
    eager = perform(specimen.source, eager=True, host=plain.host)
    errors = [error for error in eager.errors + plain.errors if not _is_of_tracing(error[1])]
    if errors:
        return Truth(failure=f"line {errors[0][0]}: {errors[0][1]!r}"[:300])
    return _judged(plain, eager, plain.host)


def _is_of_tracing(error: Exception) -> bool:
    names = {"ConcretizationTypeError", "UnexpectedTracerError", "TracerArrayConversionError"}
    return any(base.__name__ in names for base in type(error).__mro__)


def _judged(plain: Run, eager: Run, host: set[Code]) -> Truth:
    seen, known = _timed(plain, host), _timed(eager, host)
    hazards: set[Claim] = set()
    for line, kind in seen.changes.keys() | known.changes.keys():
        changes, others = seen.changes[line, kind], known.changes[line, kind]
        shows = kind in ("print", "log") and any(map(_TRACER.search, seen.texts[line, kind]))
        if line not in seen.visits:
            continue
        if kind.startswith("leak"):
            hazards |= {(line, kind)} if changes else set()
        elif kind == "print" and not shows:
            hazards |= {(line, "output")} if changes != others else set()
        elif changes != others or shows:
            hazards.add((line, kind))
    leaking = {(line, kind.removeprefix("leak ")) for line, kind in hazards if "leak" in kind}
    hazards -= leaking
    harmless = {
        (line, kind)
        for line in seen.visits
        for kind in FAMILY.claimed
        if (line, kind) not in hazards | leaking and _is_proven(seen, known, line, kind)
    }
    return Truth(frozenset(hazards), frozenset(harmless))


def _is_proven(seen: _Timed, known: _Timed, line: int, kind: str) -> bool:
    """Whether a line does nothing of a kind, or does it as often as without `jit`.

    What is done once for all, such as putting an element into a set, proves nothing.
    """
    changes, others = seen.changes[line, kind], known.changes[line, kind]
    if not changes and not others:
        return True
    return seen.visits[line] == known.visits[line] or (changes == others and len(changes) > 1)


class _Timed:
    """What each line did, and when: time is the number of lines that the host has run."""

    def __init__(self) -> None:
        self.changes: defaultdict[Claim, Counter[int]] = defaultdict(Counter)
        self.texts: defaultdict[Claim, set[str]] = defaultdict(set)
        self.visits: dict[int, Counter[int]] = {}


def _timed(run: Run, host: set[Code]) -> _Timed:
    found, now = _Timed(), 0
    for event in run.events:
        if isinstance(event, Line):
            now += event.code in host
            found.visits.setdefault(event.line, Counter())[now] += 1
        elif isinstance(event, Change) and (event.owner is None or event.owner in host):
            found.changes[event.line, event.kind][now] += 1
            found.texts[event.line, event.kind].add(event.text)
    return found

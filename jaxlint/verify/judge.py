"""Verdicts: what the observations of one finding add up to, in pure functions.

A finding is refuted by runs alone in which the hazard would have shown had it been there. So an
experiment reports "absent" only of flagged code that it reached while JAX traced, and

- "raises": the trace went past the flagged statement; where the error may come from elsewhere, it
  came to its end, and the flagged parameter was traced;
- "effects": what the code writes to is as new as the trace, or it runs in a second call too;
- "freezes": the trace came to its end with another value, nothing of the program or of what was
  printed was different, and the values that were tried stand for all others;
- "leaks": what the code writes to holds no tracer once the trace went past the statement;
- "recompiles": a trace was used again;
- "unrolls": the trace came to its end, and two numbers of iterations gave programs of one size;
- "donates": the buffer of the flagged value is there;
- "reuses-key": the trace went past the flagged statement.

All else gives a reason why nothing is known, and no verdict rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from jaxlint.base.finding import Finding, Severity
from jaxlint.base.verdict import Status, Verdict
from jaxlint.verify.protocol import Hazard, Miss, Observation, Source, Target

INCONCLUSIVE = "inconclusive"
"""How the reason of a Miss begins when this JAX cannot be observed at all."""

_SOURCES: tuple[Source, ...] = ("run", "recorded", "given", "invented")
_LONGEST_EXCERPT = 80


def verdicts(
    targets: Iterable[Target], observations: Iterable[Observation], misses: Iterable[Miss]
) -> dict[int, Verdict]:
    """One verdict for each target, by its id.

    A hazard that was shown once beats any number of signatures for which it was absent: the
    verdict lists both.
    """
    seen: dict[int, list[Observation]] = {}
    for observation in observations:
        seen.setdefault(observation.target, []).append(observation)
    missed: dict[int, list[str]] = {}
    for miss in misses:
        missed.setdefault(miss.target, []).append(miss.reason)
    return {
        target.id: _judge(target, seen.get(target.id, []), missed.get(target.id, []))
        for target in targets
    }


_STRENGTH = tuple(Severity)


def attach(finding: Finding, verdict: Verdict, severity: Severity) -> Finding:
    """The finding with its verdict.

    A rule lowers the severity of a case that is not always wrong. What is confirmed is wrong
    here, so the finding has at least the rule's own `severity`.
    """
    if verdict.status is Status.CONFIRMED:
        severity = min(finding.severity, severity, key=_STRENGTH.index)
        return replace(finding, verdict=verdict, severity=severity)
    return replace(finding, verdict=verdict)


def _judge(target: Target, seen: Sequence[Observation], reasons: Sequence[str]) -> Verdict:
    real = [it for it in seen if it.source != "invented"]
    absent = [it for it in seen if it.outcome == "absent"]
    invented = [it for it in seen if it not in real and it.outcome in ("shown", "next")]
    refuting = [it for it in absent if it in real]
    for status, deciding in (
        (Status.CONFIRMED, [it for it in real if it.outcome == "shown"]),
        (Status.CONFIRMED_NEXT, [it for it in real if it.outcome == "next"]),
        (Status.CONFIRMED_IF, [] if refuting else invented),
    ):
        if deciding:
            return _confirmed(target, status, deciding, absent)
    unsound = [reason for reason in reasons if reason.startswith(INCONCLUSIVE)]
    if unsound:
        return Verdict(Status.INCONCLUSIVE, _without_prefix(unsound[0]))
    if absent:
        return _refuted(target, absent, invented)
    if seen:
        return _settled(Status.EAGER_ONLY, "it ran, but never while JAX traced", seen)
    reason = "; ".join(dict.fromkeys(reasons)) or "nothing reached it"
    return Verdict(Status.NOT_REACHED, reason)


def _confirmed(
    target: Target, status: Status, deciding: Sequence[Observation], absent: Sequence[Observation]
) -> Verdict:
    best = _best(deciding)
    summary = _SENTENCES[target.hazard](best.evidence)
    if best.outcome == "next":
        summary = _behind(best.evidence, summary)
    evidence = {"source": best.source, **best.evidence}
    programs = [it.evidence["program"] for it in deciding if "program" in it.evidence]
    if programs:
        evidence.setdefault("program", programs[0])
    if absent:
        evidence["absent_for"] = list(_signatures(absent))
    return Verdict(
        status,
        summary,
        assumption=best.assumption if status is Status.CONFIRMED_IF else "",
        signatures=_signatures([best, *deciding]),
        evidence=MappingProxyType(evidence),
        is_invented=status is Status.CONFIRMED_IF,
    )


def _refuted(
    target: Target, absent: Sequence[Observation], invented: Sequence[Observation]
) -> Verdict:
    """What real arguments say stands alone: inventions are easily wrong about what is traced.

    An invention that showed the hazard is listed, no more.
    """
    real = [it for it in absent if it.source != "invented"]
    summary = f"it ran while JAX traced, and {_ABSENCES[target.hazard]}"
    verdict = _settled(Status.REFUTED_FOR, summary, real or absent, is_invented=not real)
    if not invented:
        return verdict
    shown = [it.assumption or it.signature for it in invented]
    return replace(verdict, evidence=MappingProxyType({**verdict.evidence, "shown_if": shown}))


def _settled(
    status: Status, summary: str, seen: Sequence[Observation], *, is_invented: bool = False
) -> Verdict:
    best = _best(seen)
    return Verdict(
        status,
        summary,
        assumption=best.assumption if is_invented else "",
        signatures=_signatures(seen),
        evidence=MappingProxyType({"source": best.source, **best.evidence}),
        is_invented=is_invented or all(it.source == "invented" for it in seen),
    )


def _best(seen: Sequence[Observation]) -> Observation:
    """The observation to quote: shown before next, then by source, then the richest."""
    return min(
        seen,
        key=lambda it: (it.outcome == "next", _SOURCES.index(it.source), -len(it.evidence)),
    )


def _signatures(seen: Iterable[Observation]) -> tuple[str, ...]:
    """Each signature once, with all its sources: "n=2 (run, recorded)"."""
    sources: dict[str, dict[str, None]] = {}
    for it in seen:
        if it.signature:
            sources.setdefault(it.signature, {})[it.source] = None
    return tuple(f"{signature} ({', '.join(them)})" for signature, them in sources.items())


def _without_prefix(reason: str) -> str:
    return reason.removeprefix(INCONCLUSIVE).lstrip(": ") or "this JAX cannot be observed"


def _behind(evidence: Mapping[str, Any], summary: str) -> str:
    lines = sorted({int(line) for line in evidence.get("after_sites", ())})
    if not lines:
        return f"{summary}, behind another error"
    which = _listed(map(str, lines))
    if len(lines) == 1:
        return f"{summary}, once line {which} no longer raises"
    return f"{summary}, once lines {which} no longer raise"


def _raises(evidence: Mapping[str, Any]) -> str:
    jax = _jax(evidence)
    if error := evidence.get("error"):
        text = f"{jax} raises {error}"
    elif site := evidence.get("site"):
        text = f"{jax} has no value for this conversion ({site}) while it traces"
    else:
        text = f"{jax} cannot trace this"
    depends = evidence.get("depends_on")
    names = [depends] if isinstance(depends, str) else list(depends or ())
    return f"{text}; the value depends on {_listed(names)}" if names else text


def _effects(evidence: Mapping[str, Any]) -> str:
    first, second = evidence.get("first_call"), evidence.get("second_call")
    effect = f"; its effect is {evidence['effect']}" if "effect" in evidence else ""
    if first is None or second is None:
        return f"it runs while JAX traces{effect}"
    counts = f"{_times(first)} in the first call, which traced, and {_times(second)} in the second"
    return f"it ran {counts}{effect}"


def _freezes(evidence: Mapping[str, Any]) -> str:
    if "value" in evidence and "changed" in evidence:
        value, changed = _short(evidence["value"]), _short(evidence["changed"])
        return f"the traced program holds {value} as a constant; after a change it holds {changed}"
    if "before" in evidence:
        return "the traced program holds the value as a constant"
    return "the value that the first trace saw is kept"


def _leaks(evidence: Mapping[str, Any]) -> str:
    holder = evidence.get("holder")
    if holder:
        return f"`{holder}` holds a tracer of a trace that is over"
    return "a tracer of a trace that is over can still be reached"


def _recompiles(evidence: Mapping[str, Any]) -> str:
    traces = evidence.get("traces")
    if traces is None:
        return "JAX traces again for a signature that it has seen"
    text = f"JAX traced {_times(traces)} for one signature"
    functions = evidence.get("functions")
    return f"{text}, with {functions} function objects" if functions else text


def _unrolls(evidence: Mapping[str, Any]) -> str:
    iterations, slope = evidence.get("iterations"), evidence.get("equations_per_iteration")
    if iterations is None:
        return "the traced program grows with the loop"
    text = f"{iterations} iterations were traced one by one"
    return f"{text}, {slope:g} equations each" if slope is not None else text


def _donates(evidence: Mapping[str, Any]) -> str:
    deleted = evidence.get("deleted")
    what = f"the buffer of `{deleted}`" if deleted else "the buffer"
    return f"{what} was donated and is deleted by now"


def _reuses_key(evidence: Mapping[str, Any]) -> str:
    uses = list(evidence.get("uses") or ())
    return f"{len(uses)} operations consume one key" if uses else "one key is consumed twice"


_SENTENCES: dict[Hazard, Callable[[Mapping[str, Any]], str]] = {
    "raises": _raises,
    "effects": _effects,
    "freezes": _freezes,
    "leaks": _leaks,
    "recompiles": _recompiles,
    "unrolls": _unrolls,
    "donates": _donates,
    "reuses-key": _reuses_key,
}
_ABSENCES: dict[Hazard, str] = {
    "raises": "nothing was raised",
    "effects": "it had no effect that a second call would not have",
    "freezes": "the traced program did not depend on the value",
    "leaks": "no tracer was left behind",
    "recompiles": "no signature was traced twice",
    "unrolls": "the traced program did not grow with the loop",
    "donates": "no buffer that is used later was deleted",
    "reuses-key": "no key was consumed twice",
}


def _jax(evidence: Mapping[str, Any]) -> str:
    return f"JAX {evidence['jax']}" if "jax" in evidence else "JAX"


def _times(number: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _listed(words: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *rest, last = words
    return f"{', '.join(rest)} and {last}" if rest else last


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST_EXCERPT else text[: _LONGEST_EXCERPT - 3] + "..."

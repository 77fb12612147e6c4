"""Holds what jaxlint says of a generated program against what JAX showed.

Two comparisons: what the engine says each local name holds at each statement, and what the rules
report, line by line. A line that JAX never ran proves nothing.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from causes import HALF_SEEN, Causes, Key
from constructs import Constructs
from contract import Labels, Program, Site

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.base.witness import Raises
from jaxlint.engine.queries.analyse import analyse, watch
from jaxlint.registry.index import Index
from jaxlint.registry.registry import Registry
from jaxlint.testing.lint import module_of
from jaxlint.testing.rulebook import builtin_rules
from jaxlint.verify.child.observing.places import Matcher, Place
from jaxlint.verify.plan import targets
from jaxlint.verify.protocol import Target

EFFECTS = {
    "JAX101": {"print"},
    "JAX103": {"log"},
    "JAX104": {"io"},
    "JAX105": {"global", "nonlocal"},
    "JAX106": {"container"},
    "JAX107": {"attribute", "container"},
    "JAX109": {"iterator"},
    "JAX110": {"clock"},
    "JAX111": {"rng"},
    "JAX201": {"global", "nonlocal"},
    "JAX202": {"attribute", "container"},
    "JAX203": {"container"},
}
"""The kinds of effects that a rule reports, by its code."""

HARMLESS = {"output"}
"""Printing a shape while JAX traces is what one wants."""

NAMES = ("wrong", "undecided", "unreached")
"""How the engine can fail to agree with JAX about a name."""


@dataclass(frozen=True)
class Disagreement:
    """One way in which jaxlint and JAX differ.

    `kind`: "wrong", "undecided" or "unreached" for a name; "false alarm" or "missed" for a
    hazard. `subject` is the name, or the rule or kind of site; `says` and `shows` what the engine
    and JAX hold it for (the severity and "" for a false alarm). `construct` describes the code
    where the disagreement begins.
    """

    kind: str
    subject: str
    line: int
    construct: str
    says: str = ""
    shows: str = ""

    def likeness(self) -> tuple[str, str, str, str]:
        """What stays the same while a program shrinks."""
        subject = "" if self.kind in NAMES else self.subject
        return self.kind, subject, self.says, self.shows


@dataclass
class Comparison:
    """What the comparison of one program found.

    `names` counts labels by verdict ("right", "wrong", "undecided", "unreached", and "half seen"
    where the engine says that it depends and JAX only ran some of the paths), `findings` by
    (code, severity, "right" | "false alarm" | "unknown" | "unlabelled"), `hazards` by (kind of
    site or effect, "found" | "missed"). `problem` says why there is nothing to compare.
    """

    seed: int
    problem: str = ""
    names: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    hazards: Counter[tuple[str, str]] = field(default_factory=Counter)
    disagreements: list[Disagreement] = field(default_factory=list)


def compare(program: Program, labels: Labels, folder: str | Path) -> Comparison:
    """Compares jaxlint with JAX on one program. `folder` takes a copy of the source."""
    path = os.path.join(folder, f"compared_{program.seed}.py")
    Path(path).write_text(program.source, encoding="utf-8")
    constructs = Constructs(program.source)
    result = Comparison(program.seed)
    _names(program, labels, constructs, result)
    _findings(program, labels, constructs, result, path)
    return result


# -- names ---------------------------------------------------------------------------------------


def engine_names(source: str, path: str) -> dict[tuple[str, int, int, str], str]:
    """What the engine says a name holds, by function, its line, the statement's line and name."""
    module = module_of(source, path)
    said: dict[tuple[str, int, int, str], str] = {}
    for held in watch(module):
        first = module.locate(held.function).line
        line = module.locate(held.statement).line
        place = (held.function.name, first, line, held.name)
        said[place] = held.kind if said.get(place, held.kind) == held.kind else "may"
    return said


def _names(program: Program, labels: Labels, constructs: Constructs, result: Comparison) -> None:
    said = engine_names(program.source, f"program_{program.seed}.py")
    bad: dict[Key, str] = {}
    shows: dict[Key, str] = {}
    for label in labels.names:
        if label.kind not in ("traced", "static"):
            continue
        key = (label.function, label.first, label.line, label.name)
        verdict = _verdict(said.get(key), label.kind)
        if verdict == "right":
            result.names[verdict] += 1
        else:
            bad[key], shows[key] = verdict, label.kind
    both = _both_kinds(labels)
    causes = Causes(constructs, bad, labels.executed)
    for key, verdict in bad.items():
        says, cause = said.get(key, "nothing"), causes.cause(key)
        if says == "may" and (cause == HALF_SEEN or (key[0], key[1], key[3]) in both):
            result.names["half seen"] += 1
            continue
        result.names[verdict] += 1
        result.disagreements.append(Disagreement(verdict, key[3], key[2], cause, says, shows[key]))


def _both_kinds(labels: Labels) -> set[tuple[str, int, str]]:
    """The names, by function, that were traced at times and static at others."""
    kinds: dict[tuple[str, int, str], set[str]] = {}
    for label in labels.names:
        kinds.setdefault((label.function, label.first, label.name), set()).add(label.kind)
    return {name for name, seen in kinds.items() if "may" in seen or seen >= {"traced", "static"}}


def _verdict(says: str | None, shows: str) -> str:
    if says is None:
        return "unreached"
    if says in ("unknown", "may"):
        return "undecided"
    return "right" if says == shows else "wrong"


# -- findings ------------------------------------------------------------------------------------

_RULES = Registry(builtin_rules().values())


def _findings(
    program: Program, labels: Labels, constructs: Constructs, result: Comparison, path: str
) -> None:
    reported = _reported(program.source, path)
    findings = list(reported)
    source = SourceText(path, program.source)
    aims = {aim.id: aim for aim in targets(findings, _RULES, lambda _: source)}
    raising = [aim for aim in aims.values() if aim.hazard == "raises"]
    matcher = Matcher(raising)
    shown: set[int] = set()
    guarded: set[int] = set()
    for site in labels.sites:
        hits = {aim.id for aim in matcher.match(_place(site, path))}
        (guarded if site.guarded else shown).update(hits)
        if not site.guarded:
            where = (site.line, site.column, site.end_line, site.end_column)
            construct = constructs.of_range(where)
            if constructs.is_conditional(where):
                construct = f"behind a test: {construct}"
            _hazard(result, construct, site.kind, site.line, bool(hits))
    for effect in labels.effects:
        hits = {
            number
            for number, finding in enumerate(findings)
            if effect.kind in EFFECTS.get(finding.code, ())
            and finding.line <= effect.line <= finding.end_line
        }
        shown |= hits
        if not effect.staged or effect.kind in HARMLESS:
            continue  # Without `jit`, `grad` and `vmap` run the code at each call.
        construct = constructs.of_line(effect.line)
        _hazard(result, construct, f"{effect.kind} effect", effect.line, bool(hits))
    for number, finding in enumerate(findings):
        if number in shown:
            verdict = "right"
        elif number in guarded or labels.exhausted or reported[finding]:
            verdict = "unknown"
        elif number not in aims:
            verdict = "unlabelled"  # The verifier has no question to ask about it.
        else:
            verdict = _unshown(finding, _range(aims[number]), labels, constructs)
        result.findings[finding.code, finding.severity.value, verdict] += 1
        if verdict == "false alarm":
            construct = constructs.of_range(_range(aims[number]))
            result.disagreements.append(
                Disagreement(
                    "false alarm", finding.name, finding.line, construct, finding.severity.value
                )
            )


def _reported(source: str, path: str) -> dict[Finding, bool]:
    """The findings, and whether each takes a call that the program does not make."""
    index = Index(rule for rule in builtin_rules().values() if rule.default)
    found: dict[Finding, bool] = {}
    for fact in analyse(module_of(source, path)):
        for _, check in index.checks(type(fact)):
            for finding in check(fact):
                found[finding] = found.get(finding, True) and fact.supposed
    return {finding: found[finding] for finding in sorted(found, key=Finding.sort_key)}


def _hazard(result: Comparison, construct: str, kind: str, line: int, is_found: bool) -> None:
    result.hazards[kind, "found" if is_found else "missed"] += 1
    if not is_found:
        result.disagreements.append(Disagreement("missed", kind, line, construct, "", kind))


def _unshown(
    finding: Finding, where: tuple[int, int, int, int], labels: Labels, constructs: Constructs
) -> str:
    """Whether a finding that JAX did not show is wrong: only if JAX ran the code."""
    rule = _RULES.find(finding.code)
    witness = getattr(rule, "witness", None)
    # What raises elsewhere than at the finding has no label there.
    is_raising = isinstance(witness, Raises) and not witness.anywhere
    if not is_raising and finding.code not in EFFECTS:
        return "unlabelled"
    if labels.executed.isdisjoint(constructs.lines_of(finding.line, finding.end_line)):
        return "unknown"
    if constructs.is_conditional(where) or _reads_both_kinds(where, labels, constructs):
        return "unknown"
    if constructs.reads_unseen(where, labels.executed):
        return "unknown"
    return "unknown" if constructs.is_half_called(where[0], labels.executed) else "false alarm"


def _reads_both_kinds(
    where: tuple[int, int, int, int], labels: Labels, constructs: Constructs
) -> bool:
    """Whether flagged code reads a name that is traced in other runs of its function: JAX went
    each way from a branch once, not each way for each kind."""
    read = constructs.names_at(where)
    around = constructs.functions_around(where[0])
    return any(name in read and function in around for function, _, name in _both_kinds(labels))


def _place(site: Site, path: str) -> Place:
    return Place(path, site.line, site.column, site.end_line, site.end_column, "")


def _range(aim: Target) -> tuple[int, int, int, int]:
    return aim.line, aim.column, aim.end_line, aim.end_column


def parses(source: str) -> bool:
    """Whether a program is Python."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True

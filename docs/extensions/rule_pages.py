"""A page for each rule, made of its file, and the list of rules that leads to them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from repository import DOCS, ROOT, SOURCE, write
from sphinx.application import Sphinx

from jaxlint.base.own_codes import METAS, Meta
from jaxlint.registry.pages import page, summary
from jaxlint.rule import Rule
from jaxlint.testing.honesty import Figures, figures
from jaxlint.testing.pages import Page, read_page
from jaxlint.testing.rulebook import builtin_rules, family

PAGES = DOCS / "rules"
OWN = "What jaxlint says of itself"
Judged = dict[str, Counter[str]]


def source(rule: Rule) -> Path:
    """The file of a rule."""
    return ROOT / "jaxlint" / "rules" / f"{rule.name.replace('-', '_')}.py"


@cache
def proved() -> dict[str, Figures]:
    """By names, what the examples on the page of a rule, and those beside it, hold."""
    found: list[Page] = []
    for rule in builtin_rules().values():
        more = ROOT / "tests" / "rules" / f"{rule.name}.md"
        found += [read_page(path, rule.name) for path in (source(rule), more) if path.exists()]
    return figures(found)


@cache
def judged() -> Judged:
    """By codes, the verdicts of those who read what is found in public repositories."""
    counts: Judged = {}
    for path in sorted((ROOT / "fixtures").glob("*/*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8")).get("finding", ()):
            counts.setdefault(row["code"], Counter())[row["verdict"]] += 1
    return counts


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in lines)


def facts(entry: Rule | Meta) -> str:
    """What there is to know of a rule before its page."""
    default = "on" if entry.default else "off"
    return table(
        ("code", "severity", "default", "fix", "since"),
        [(entry.code, entry.severity, default, entry.applicability, entry.since)],
    )


def own_page(meta: Meta) -> str:
    """The page of a code without a rule."""
    return f"# {meta.name}\n\n{facts(meta)}\n{meta.page}"


def rule_page(rule: Rule, numbers: Figures, verdicts: Counter[str]) -> str:
    """The page of a rule, with how far it is proved."""
    path = source(rule).relative_to(ROOT).as_posix()
    parts = [
        f"# {rule.name}",
        facts(rule),
        page(rule).strip(),
        "## What is proved",
        "Examples begin with [this prelude](../contributing.md#examples). The tests give each of "
        "them, and those of the rule that are not shown here, to the linter and to JAX.",
        proof(numbers, verdicts),
        f"To silence the rule where it is wrong or not wanted: `# jaxlint: ignore[{rule.name}]` "
        f"or `# noqa: {rule.code}`, as [suppression](../suppression.md) says. The rule is "
        f"[`{path}`]({SOURCE}/{path}).",
    ]
    return "\n\n".join(parts) + "\n"


def proof(numbers: Figures, verdicts: Counter[str]) -> str:
    """The figures of a rule in words."""
    rows = [
        ("hazards that are reported and that real JAX shows", numbers.proved),
        ("look-alikes that are not reported and run clean", numbers.look_alikes),
        ("hazards that JAX shows and the rule misses", numbers.missed),
        ("false alarms: reported, and JAX runs without harm", numbers.false_alarms),
    ]
    if numbers.unproved:
        rows.insert(1, ("hazards that are reported and cannot be run here", numbers.unproved))
    if verdicts:
        rows.append(("findings in public repositories that were judged right", verdicts["right"]))
        rows.append(("findings there that were judged wrong", verdicts["wrong"]))
    if verdicts["unclear"]:
        rows.append(("findings there that nobody can judge", verdicts["unclear"]))
    return table(("the tests hold", "number"), rows)


def listed(rules: Sequence[Rule]) -> str:
    """The list of rules, by what they are about, with their figures."""
    head = ("rule", "severity", "default", "fix", "what goes wrong")
    head += ("proved", "missed", "false alarm", "judged")
    sections: dict[str, list[tuple[object, ...]]] = {}
    for entry in (*rules, *METAS):
        about = family(entry) if isinstance(entry, Rule) else OWN
        known = proved().get(entry.name, Figures())
        seen = judged().get(entry.code, Counter())
        judgement = f"{seen['right']} of {seen.total()}" if seen else ""
        row = (
            f"{entry.code} [{entry.name}](rules/{entry.name}.md)",
            entry.severity,
            "on" if entry.default else "off",
            entry.applicability,
            summary(entry),
        )
        counts = (
            (known.proved, known.missed, known.false_alarms) if known != Figures() else [""] * 3
        )
        sections.setdefault(about, []).append((*row, *counts, judgement))
    return "\n".join(f"## {title}\n\n{table(head, rows)}" for title, rows in sections.items())


INTRODUCTION = """\
An error is true, a warning usually; *perf* is slow or takes memory, *info* is for those who ask.
Rules that are off are turned on with [`extend-select`](configuration.md#selecting-rules).

*Proved* hazards are examples that the linter reports and in which real JAX shows what the rule
says; *missed* ones JAX shows and the linter does not; in *false alarms* it is the other way round.
*Judged* are the findings in public repositories that were right, of those that were read.
[How often jaxlint is right](accuracy.md) has the rest.
"""

ALONE = "---\norphan: true\n---\n\n"
"""Pages of rules are reached from the list: beside every page, they would hide the others."""


def make_pages(app: Sphinx) -> None:
    """Writes the pages, and removes those of rules that are gone."""
    rules = builtin_rules().values()
    texts = {meta.name: own_page(meta) for meta in METAS}
    for rule in rules:
        seen = judged().get(rule.code, Counter())
        texts[rule.name] = rule_page(rule, proved()[rule.name], seen)
    for path in PAGES.glob("*.md"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        write(PAGES / f"{name}.md", ALONE + text)


def list_rules(app: Sphinx, name: str, content: list[str]) -> None:
    """Puts a list with figures and links in the place of the one for readers of the source."""
    if name == "rules":
        rules = sorted(builtin_rules().values(), key=lambda rule: rule.code)
        content[0] = "\n\n".join(["# Rules", INTRODUCTION, listed(rules)])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", make_pages)
    app.connect("source-read", list_rules, priority=400)
    return {"parallel_read_safe": True}

"""The rules that pages are about, by name, and the document that lists them.

python -m jaxlint.testing.rulebook > docs/rules.md
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from jaxlint.registry.pages import summary
from jaxlint.registry.registry import rules_in
from jaxlint.rule import Rule
from jaxlint.session.session import load_registry

FAMILIES = {
    "10": "Effects that happen once per trace",
    "15": "Arrays do not change in place",
    "2": "Captures and leaks",
    "3": "Control flow and conversion",
    "4": "Shapes and static arguments of operations",
    "5": "Compilation",
    "6": "Declarations and calls of compiled functions",
    "7": "Speed",
    "8": "Random keys",
    "90": "Versions and numbers",
    "95": "Libraries on top of JAX",
}
"""What the rules are about whose numbers start so, the longest start first that fits."""


@cache
def builtin_rules() -> dict[str, Rule]:
    """The rules that come with jaxlint, by name."""
    return {rule.name: rule for rule in rules_in("jaxlint.rules")}


@cache
def known_rules() -> dict[str, Rule]:
    """The rules that come with jaxlint and those of the plugins that are installed, by name."""
    return {rule.name: rule for rule in load_registry().rules}


def family(rule: Rule) -> str:
    """What a rule is about."""
    number = rule.code[3:]
    starts = (number[:2], number[0], f"{number[0]}{'5' if number[1] >= '5' else '0'}")
    return next(FAMILIES[start] for start in starts if start in FAMILIES)


def listed(rules: Iterable[Rule]) -> str:
    """The rules as a Markdown document."""
    lines = [
        "# Rules",
        "",
        "`jaxlint explain CODE` prints the page of a rule: what happens, why, what to write "
        "instead, and",
        "what looks alike and is fine. An error is true, a warning usually; *perf* is slow or "
        "takes memory,",
        "*info* is for those who ask. Rules that are off are turned on with `extend-select`.",
    ]
    heading = ""
    for rule in sorted(rules, key=lambda rule: rule.code):
        if family(rule) != heading:
            heading = family(rule)
            lines += ["", f"## {heading}", ""]
            lines += [
                "| rule | severity | default | fix | what goes wrong |",
                "|---|---|---|---|---|",
            ]
        default = "on" if rule.default else "off"
        cells = (
            f"{rule.code} {rule.name}",
            rule.severity,
            default,
            rule.applicability,
            summary(rule),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(listed(builtin_rules().values()), end="")

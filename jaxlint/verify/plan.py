"""From findings to work for the child: what to judge, where it is, and with which arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.base.witness import (
    Donates,
    Effects,
    Freezes,
    Leaks,
    Raises,
    Recompiles,
    ReusesKey,
    Unrolls,
    Witness,
)
from jaxlint.registry.registry import Registry
from jaxlint.rule import Rule
from jaxlint.verify.protocol import Example, Hazard, Job, Recorded, Target

HAZARDS: dict[type[Witness], Hazard] = {
    Raises: "raises",
    Effects: "effects",
    Freezes: "freezes",
    Leaks: "leaks",
    Recompiles: "recompiles",
    Unrolls: "unrolls",
    Donates: "donates",
    ReusesKey: "reuses-key",
}
"""The name that the child knows each witness by; the others have no experiment."""
_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


def targets(
    findings: Sequence[Finding],
    registry: Registry,
    source_of: Callable[[str], SourceText | None],
) -> list[Target]:
    """What to judge. The id of a target is the place of its finding in `findings`.

    Findings that no rule made, such as those about suppressions, have no target, nor have those
    without a source, nor those of statements that may do nothing at all. `source_of` gives the
    source by the name of the file that findings use.
    """
    found = []
    for number, finding in enumerate(findings):
        rule = registry.find(finding.code)
        source = source_of(finding.filename)
        judged = isinstance(rule, Rule) and type(rule.witness) in HAZARDS
        if isinstance(rule, Rule) and judged and source is not None:
            found.append(_target(number, finding, rule.witness, source))
    return found


def hazard(witness: Witness) -> Hazard:
    """The name that the child knows a witness by."""
    return HAZARDS[type(witness)]


def jobs(
    targets: Iterable[Target],
    recordings: Iterable[Recorded] = (),
    examples: Mapping[str, Sequence[Example]] | None = None,
) -> list[Job]:
    """One job for each file with targets, in the order of their first targets.

    `examples` are by path. Recordings and examples may reach a file through other links.
    """
    wanted: dict[str, list[Target]] = {}
    for target in targets:
        wanted.setdefault(target.file, []).append(target)
    recorded: dict[str, list[Recorded]] = {}
    for one in recordings:
        recorded.setdefault(os.path.realpath(one.file), []).append(one)
    given = {os.path.realpath(file): tuple(them) for file, them in (examples or {}).items()}
    found = []
    for file, them in wanted.items():
        real = os.path.realpath(file)
        found.append(Job(file, tuple(them), tuple(recorded.get(real, ())), given.get(real, ())))
    return found


def roots(files: Iterable[str]) -> tuple[str, ...]:
    """Directories whose files are the user's: those of the packages and of their projects."""
    found: dict[str, None] = {}
    for folder in _folders(files):
        package = _top_package(folder)
        found[package] = None
        project = _project(package)
        if project:
            found[project] = None
    return tuple(found)


def paths(files: Iterable[str]) -> tuple[str, ...]:
    """Directories that imports may need beside those of the packages: the projects' own."""
    found: dict[str, None] = {}
    for folder in _folders(files):
        project = _project(_top_package(folder))
        for path in (os.path.join(project, "src"), project) if project else ():
            if os.path.isdir(path):
                found[path] = None
    return tuple(found)


def _folders(files: Iterable[str]) -> Iterator[str]:
    return iter(dict.fromkeys(os.path.dirname(os.path.abspath(file)) for file in files))


def _top_package(folder: str) -> str:
    """The outermost package that a folder is part of, or the folder itself."""
    while os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def _project(folder: str) -> str:
    """The nearest directory with a mark of a project, at or above the folder; empty if none."""
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _PROJECT):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _target(number: int, finding: Finding, witness: Witness, source: SourceText) -> Target:
    raises = witness if isinstance(witness, Raises) else Raises()
    return Target(
        id=number,
        file=os.path.abspath(finding.filename),
        line=finding.line,
        column=_bytes(source, finding.line, finding.column),
        end_line=finding.end_line,
        end_column=_bytes(source, finding.end_line, finding.end_column),
        code=finding.code,
        hazard=hazard(witness),
        errors=raises.errors,
        anywhere=raises.anywhere,
    )


def _bytes(source: SourceText, line: int, column: int) -> int:
    """A column that counts code points from 1, as UTF-8 bytes from 0."""
    return len(source.line(line)[: column - 1].encode("utf-8", "surrogatepass"))

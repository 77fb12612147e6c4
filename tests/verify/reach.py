"""Prints how much of a package runs under trace, for each source of arguments.

`python tests/verify/reach.py PROJECT PACKAGE --python PYTHON --record -- COMMAND...` records a
command, as `jaxlint record` does; without `--record` it prints what all recordings of PROJECT,
the calls that its users give, and invented ones reach. `--branches` puts every branch and cast
beside the findings, and `--verify` prints their verdicts. All functions and lambdas of the
package count, those in test files do not.
"""

from __future__ import annotations

import argparse
import ast
import collections
import dataclasses
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar
from unittest import mock

import branches

from jaxlint.frontends.runs import record
from jaxlint.verify import given, judge, plan, store
from jaxlint.verify.protocol import Config, Miss, Observation, Target
from jaxlint.verify.run import Verification

HERE = pathlib.Path(__file__).resolve().parent
STRENGTHS = ("annotation", "call-site", "default", "search")
Place = tuple[str, int]
Item = TypeVar("Item", bound=Hashable)


def sources(project: pathlib.Path, package: str) -> list[pathlib.Path]:
    """The package's files without its tests."""
    return [
        path
        for path in sorted((project / package).rglob("*.py"))
        if not fnmatch.fnmatch(path.name, "*_test.py")
        and not fnmatch.fnmatch(path.name, "test_*.py")
    ]


def functions(path: pathlib.Path) -> Iterator[Place]:
    """Each function and lambda of a file: (file, line where its code starts)."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield str(path), min([node.lineno, *(item.lineno for item in node.decorator_list)])
        elif isinstance(node, ast.Lambda):
            yield str(path), node.lineno


def targeted(paths: Sequence[pathlib.Path], *, with_branches: bool) -> record.Plan:
    """What to record: the findings, and every branch and cast on request."""
    made = record.make_plan([str(path) for path in paths])
    more = branches.targets(paths, first=1 << 20) if with_branches else []
    digests = {str(path): store.digest(str(path)) for path in paths}
    return dataclasses.replace(made, targets=(*made.targets, *more), digests=digests)


def seen_by(
    targets: Sequence[Target], observations: Sequence[Observation], source: str
) -> set[int]:
    """The targets that arguments of one source evaluated under trace."""
    ids = {target.id for target in targets}
    return {
        it.target
        for it in observations
        if it.source == source and it.outcome != "eager" and it.target in ids
    }


def reached(
    options: argparse.Namespace, paths: Sequence[pathlib.Path]
) -> Mapping[str, Mapping[str, set[Place]]]:
    """What given and invented calls reach: "functions" and "lines", by source."""
    command = [options.python, str(HERE / "entered.py"), str(options.project)]
    done = subprocess.run(
        [*command, str(options.seconds), *map(str, paths)], stdout=subprocess.PIPE, check=True
    )
    return {
        part: {source: {(file, line) for file, line in places} for source, places in them.items()}
        for part, them in json.loads(done.stdout).items()
    }


def table(what: str, every: set[Item], rows: Sequence[tuple[str, set[Item]]]) -> set[Item]:
    """Prints what each source reached of all; returns what they reached together."""
    together: set[Item] = set()
    print(f"{len(every)} {what:<16}{'reached':>8}{'share':>8}{'new':>6}{'together':>10}")
    for name, found in rows:
        found = found & every
        new = found - together
        together |= found
        share, sum_share = (len(them) / max(len(every), 1) for them in (found, together))
        print(f"  {name:<16}{len(found):>8}{share:>8.1%}{len(new):>6}{sum_share:>10.1%}")
    return together


def verify(
    options: argparse.Namespace, made: record.Plan, known: store.Recordings
) -> list[Observation | Miss]:
    """What replayed, given and invented calls show, beside the recording."""
    seen = known.observations(made.targets)
    shown = {it.target for it in seen if it.outcome == "shown"}
    left = [target for target in made.targets if target.id not in shown]
    examples = {
        file: given.examples(file, pathlib.Path(file).read_text(), {})
        for file in dict.fromkeys(target.file for target in left)
    }
    config = Config(roots=made.config.roots, paths=made.config.paths, guess=True)
    verification = Verification(config, options.python)
    return [*seen, *verification.execute(plan.jobs(left, known.recorded, examples))]


def print_verdicts(targets: Sequence[Target], answers: Sequence[Observation | Miss]) -> None:
    """Prints how many targets have which verdict, and each that is confirmed."""
    observations = [it for it in answers if isinstance(it, Observation)]
    misses = [it for it in answers if isinstance(it, Miss)]
    verdicts = judge.verdicts(targets, observations, misses)
    counts = collections.Counter(
        f"{verdict.status}{' (invented)' if verdict.is_invented else ''}"
        for verdict in verdicts.values()
    )
    for status, count in counts.most_common():
        print(f"  {status:<28}{count:>6}")
    for target in targets:
        verdict = verdicts[target.id]
        if "confirmed" not in str(verdict.status):
            continue
        line = pathlib.Path(target.file).read_text().splitlines()[target.line - 1].strip()
        print(f"{target.file}:{target.line}: {target.code} {verdict.status}: {verdict.summary}")
        print(f"    {line}")
        print(f"    {verdict.assumption or '; '.join(verdict.signatures):.300}")
        print(f"    {dict(verdict.evidence)!r:.500}")


def report(options: argparse.Namespace, paths: Sequence[pathlib.Path]) -> None:
    made = targeted(paths, with_branches=options.branches)
    known = store.read(store.directory(str(options.project)))
    for problem in (*known.warnings, *known.defects):
        print(f"recording: {problem}")
    begun = time.monotonic()
    other = reached(options, paths)
    rows = [("recorded", {(each.file, each.line) for each in known.recorded})]
    rows += [(name, other["functions"].get(name, set())) for name in ("given", *STRENGTHS)]
    every = {function for path in paths for function in functions(path)}
    print(f"{options.package}: {len(paths)} files, {time.monotonic() - begun:.0f} s")
    together = table("functions", every, rows)
    seen = known.observations(made.targets)
    groups = [("findings", [it for it in made.targets if it.id < 1 << 20])]
    groups.append(("branches", [it for it in made.targets if it.id >= 1 << 20]))
    for what, targets in groups:
        places = {(target.file, target.line, target.id) for target in targets}
        found = [("recorded", {it for it in places if it[2] in seen_by(targets, seen, "run")})]
        for name in ("given", *STRENGTHS):
            lines = other["lines"].get(name, set())
            found.append((name, {it for it in places if it[:2] in lines}))
        if targets:
            table(what, places, found)
    if options.verify:
        print_verdicts(made.targets, verify(options, made, known))
    if options.missing:
        options.missing.write_text(
            "".join(f"{name}:{line}\n" for name, line in sorted(every - together))
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("package")
    parser.add_argument("--python", default=sys.executable, help="that PROJECT runs in")
    parser.add_argument("--record", action="store_true", help="run and record COMMAND")
    parser.add_argument("--branches", action="store_true", help="judge every branch and cast")
    parser.add_argument("--verify", action="store_true", help="print verdicts")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each module")
    parser.add_argument("--missing", type=pathlib.Path, help="write what nothing reached")
    arguments, command = sys.argv[1:], []
    if "--" in arguments:
        place = arguments.index("--")
        arguments, command = arguments[:place], arguments[place + 1 :]
    options = parser.parse_args(arguments)
    paths = sources(options.project, options.package)
    if not options.record:
        report(options, paths)
        return 0
    made = targeted(paths, with_branches=options.branches)
    os.chdir(options.project)
    with mock.patch.object(record, "make_plan", lambda _: made):
        return record.record(record.Options(tuple(command), python=options.python))


if __name__ == "__main__":
    sys.exit(main())

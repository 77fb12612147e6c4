"""Puts every example of the pages to the verifier, as `jaxlint record` and `--verify` do.

`python tests/verify/recorded_pages.py [--only JAX6] [--guess] [--share 0/4]` writes each example
as a module, runs it under a recorder, one statement after the other as pages are run, verifies its
findings with what was recorded, and prints for each rule what became of the findings that a page
marks as hazards. The exit code is 1 if one of them is refuted, or if a hazard is confirmed at a
place of a look-alike.

A look-alike has no finding. So a finding is forced on each statement and on each call,
comparison, test and subscript in its functions, where what is seen is evidence by itself: not for
frozen values and unrolled loops, where the linter's claim is half of it. What an example does to
the world `# at trace time` it means to do then: the comment leaves its line out. So does a handler
that raises another error leave out what it guards: there JAX's error is expected, and happens.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import types
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SELF_EVIDENT = ("raises", "effects", "leaks", "recompiles", "donates", "reuses-key")
PROVED = ("confirmed", "confirmed-next")
STATUSES = (
    *("confirmed", "confirmed-next", "confirmed-if", "refuted-for", "refuted-if"),
    *("eager-only", "not-reached", "inconclusive"),
)
NO_WITNESS = "no witness"
FORCED_CODE = "JAX999"
MEANT = "# at trace time"
"""The comment on a line whose effect is meant for the trace alone."""


@dataclass
class Case:
    """An example as a module. `hazards` are the targets at lines that are marked."""

    example: Any
    path: str
    code: str
    targets: list[Any] = field(default_factory=list)
    hazards: set[int] = field(default_factory=set)
    unjudged: int = 0


@dataclass
class Row:
    """What came of one rule's examples: its hazards, and what was forced on its look-alikes."""

    hazards: Counter[str] = field(default_factory=Counter)
    look_alikes: Counter[str] = field(default_factory=Counter)


# --- which examples ---------------------------------------------------------------------------


def examples(only: str = "") -> list[Any]:
    """The examples of all pages and specifications that JAX can run here."""
    import jax

    from jaxlint.testing.pages import read_page
    from jaxlint.testing.rulebook import builtin_rules

    rules = builtin_rules()
    found = []
    for folder in ("jaxlint/rules", "tests/rules"):
        for path in sorted((ROOT / folder).glob("*.*")):
            name = path.stem.replace("_", "-")
            if name not in rules or not rules[name].code.startswith(tuple(only.split(","))):
                continue
            for example in read_page(path, name).examples:
                is_here = example.is_about(jax.__version__) and not example.no_jax
                if is_here and not _missing(example.code):
                    found.append(example)
    return found


def _missing(code: str) -> bool:
    """Whether an example imports a package that is not installed."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return any(importlib.util.find_spec(name) is None for name in names)


def cases(found: Iterable[Any], folder: str, is_forced: bool = False) -> Iterator[Case]:
    """Writes the examples and lints them, or forces findings on those without a hazard."""
    from jaxlint.testing.rulebook import builtin_rules

    rules = builtin_rules()
    number = 0
    for example in found:
        if example.is_hazard == is_forced:
            continue
        name = f"page_{example.rule.replace('-', '_')}_{example.line}_{number}.py"
        case = Case(example, os.path.join(folder, name), rules[example.rule].code)
        Path(case.path).write_text(example.program, encoding="utf-8")
        if is_forced:
            case.targets = list(forced(case, rules[example.rule].witness, number))
        else:
            _lint(case, number)
        number += len(case.targets)
        yield case


def _lint(case: Case, number: int) -> None:
    from jaxlint.base.text import SourceText
    from jaxlint.session.session import load_registry
    from jaxlint.testing.lint import lint
    from jaxlint.testing.rulebook import builtin_rules
    from jaxlint.verify import plan

    found = lint(case.example.program, case.path, builtin_rules().values())
    source = SourceText(case.path, case.example.program)
    marked = {(each.line, each.rule) for each in case.example.markers if each.is_hazard}
    wanted = [each for each in found if (each.line, each.name) in marked]
    targets = plan.targets(wanted, load_registry(), lambda _: source)
    case.unjudged = len(wanted) - len(targets)
    case.targets = [replace(each, id=number + at) for at, each in enumerate(targets)]
    case.hazards = {each.id for each in case.targets}


def forced(case: Case, witness: Any, number: int) -> Iterator[Any]:
    """Targets at what the witness could be seen at, though the linter finds nothing there."""
    from jaxlint.base.witness import Raises
    from jaxlint.verify import plan
    from jaxlint.verify.protocol import Target

    kind = plan.hazard(witness) if type(witness) in plan.HAZARDS else ""
    if kind not in SELF_EVIDENT:
        return
    raises = witness if isinstance(witness, Raises) else Raises()
    tree = ast.parse(case.example.program)
    lines = case.example.program.splitlines()
    meant = {number for number, line in enumerate(lines, 1) if line.endswith(MEANT)}
    seen = set()
    for node in _flaggable(tree):
        where = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        is_meant = kind == "effects" and node.lineno in meant
        if node.lineno > 1 and where not in seen and not is_meant:
            seen.add(where)
            about = (FORCED_CODE, kind, raises.errors, raises.anywhere)
            yield Target(number, case.path, *where, *about)
            number += 1


def _expecting(function: ast.AST) -> Iterator[ast.AST]:
    """What stands where a handler raises another error in the place of JAX's."""
    for node in ast.walk(function):
        if isinstance(node, ast.Try) and any(
            isinstance(each, ast.Raise) for handler in node.handlers for each in handler.body
        ):
            yield node
            for statement in node.body:
                yield from ast.walk(statement)


def _flaggable(tree: ast.Module) -> Iterator[Any]:
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        expecting = {id(each) for each in _expecting(function)}
        for node in ast.walk(function):
            if id(node) in expecting:
                continue
            is_opaque = isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Pass))
            flagged = (ast.stmt, ast.Call, ast.Compare, ast.Subscript)
            if isinstance(node, flagged) and not is_opaque:
                yield node


# --- recording, in a process of its own -------------------------------------------------------


def record(found: Sequence[Case], folder: str) -> None:
    """Runs the examples under a recorder in another process, which stores what it saw."""
    from jaxlint.verify.protocol import dump

    listing = os.path.join(folder, "cases.json")
    with open(listing, "w", encoding="utf-8") as stream:
        json.dump([[each.path, [*map(dump, each.targets)]] for each in found], stream)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("JAX")}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, __file__, "--run", listing],
        env={**kept, "JAX_PLATFORMS": "cpu", "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=3600,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])


def run_all(listing: str) -> None:
    """Runs each example of a listing under its own recorder."""
    from jaxlint.verify import store
    from jaxlint.verify.protocol import load

    folder = os.path.dirname(os.path.abspath(listing))
    with open(listing, encoding="utf-8") as stream:
        found = json.load(stream)
    targets, observations, recorded, digests, defects = [], [], [], {}, []
    for path, lines in found:
        mine = [load(line) for line in lines]
        recorder = _run(path, mine, folder)
        targets += mine
        observations += recorder.observations()
        recorded += recorder.recorded()
        digests[os.path.realpath(path)] = store.digest(path)
        defects += recorder.defects
    store.save(store.directory(folder), "run", targets, observations, recorded, digests, defects)


def _run(path: str, targets: list[Any], folder: str) -> Any:
    import jax

    from jaxlint.verify.child.observing.places import UserFiles
    from jaxlint.verify.child.observing.probe import Probes
    from jaxlint.verify.child.recording.record import Recorder
    from jaxlint.verify.protocol import Config

    probes = Probes(targets)
    config = Config(roots=(folder,), paths=(folder,))
    recorder = Recorder(targets, probes, UserFiles([folder]), config, in_place=True)
    tree = probes.instrumented(Path(path).read_bytes(), path)
    module = types.ModuleType(Path(path).stem)
    module.__file__ = path
    sys.modules[module.__name__] = module
    random.seed(0)
    recorder.install()
    try:
        with _unchanged(jax), contextlib.redirect_stdout(io.StringIO()):
            repeats = any(target.hazard == "recompiles" for target in targets)
            _execute(tree, path, vars(module), repeats)
    finally:
        recorder.remove()
        del sys.modules[module.__name__]
    return recorder


@contextlib.contextmanager
def _unchanged(jax: Any) -> Iterator[None]:
    """A context after which JAX is configured as before."""
    before = dict(jax.config.values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    for name, value in before.items():
        if getattr(jax.config, name, value) != value:
            jax.config.update(name, value)


def _execute(tree: ast.Module, path: str, namespace: dict[str, Any], repeats: bool) -> None:
    """Runs statement by statement. One that raises does not keep the next from running."""
    last = tree.body[-1:]
    for statement in tree.body + (last if repeats and isinstance(last[0], ast.Expr) else []):
        with contextlib.suppress(Exception, SystemExit):
            exec(compile(ast.Module([statement], []), path, "exec"), namespace)


# --- verdicts ---------------------------------------------------------------------------------


def judged(found: Sequence[Case], folder: str, *, guess: bool = False) -> dict[int, Any]:
    """The verdict on each target, with what was recorded, as `jaxlint check --verify` finds it."""
    from jaxlint.verify import plan, store
    from jaxlint.verify.judge import verdicts
    from jaxlint.verify.protocol import Config, Miss, Observation
    from jaxlint.verify.run import Verification

    targets = [target for case in found for target in case.targets]
    known = store.read(store.directory(folder))
    assert not known.warnings, known.warnings
    assert not known.defects, known.defects
    seen = known.observations(targets)
    shown = {each.target for each in seen if each.outcome == "shown"}
    left = [each for each in targets if each.id not in shown]
    config = Config(roots=(folder,), paths=(folder,), guess=guess, call_seconds=20.0)
    jobs = plan.jobs(left, known.recorded)
    answers = [*seen, *Verification(config).execute(jobs)]
    return verdicts(
        targets,
        [each for each in answers if isinstance(each, Observation)],
        [each for each in answers if isinstance(each, Miss)],
    )


@dataclass
class Result:
    """Rows by code, and the places that are wrong, in words."""

    rows: dict[str, Row] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    places: dict[str, list[str]] = field(default_factory=dict)


def measure(
    found: Sequence[Any], *, guess: bool = False, forces: Sequence[bool] = (False, True)
) -> Result:
    """Records and judges the hazards of some examples, and what is forced on the others."""
    result = Result()
    for is_forced in forces:
        with tempfile.TemporaryDirectory() as directory:
            folder = os.path.realpath(directory)
            Path(folder, "pyproject.toml").touch()
            made = list(cases(found, folder, is_forced))
            if any(case.targets for case in made):
                record(made, folder)
                _count(result, made, judged(made, folder, guess=guess), is_forced)
    return result


def _count(result: Result, made: Sequence[Case], found: dict[int, Any], is_forced: bool) -> None:
    for case in made:
        if case.unjudged:
            result.rows.setdefault(case.code, Row()).hazards[NO_WITNESS] += case.unjudged
        for target in case.targets:
            verdict = found[target.id]
            status = str(verdict.status)
            if status == "refuted-for" and verdict.is_invented:
                status = "refuted-if"
            code = case.code if is_forced else target.code
            row = result.rows.setdefault(code, Row())
            (row.look_alikes if is_forced else row.hazards)[status] += 1
            name = os.path.relpath(case.example.path, ROOT)
            line = f"{name}:{target.line}:{target.column + 1}: {code} {status}: {verdict.summary}"
            kind = f"forced {status}" if is_forced else status
            result.places.setdefault(kind, []).append(line)
            if status in (PROVED if is_forced else ("refuted-for", "refuted-if")):
                result.wrong.append(("look-alike " if is_forced else "hazard ") + line)


def report(result: Result) -> int:
    """Prints what is wrong, the table and its sums."""
    print(*result.wrong, sep="\n")
    columns = (*STATUSES, NO_WITNESS)
    print(f"\n{'rule':8}" + "".join(f"{name:>15}" for name in columns) + "   forced confirmed")
    total = Row()
    for code, row in sorted(result.rows.items()):
        total.hazards += row.hazards
        total.look_alikes += row.look_alikes
        print(_line(code, row, columns))
    print(_line("all", total, columns))
    return 1 if result.wrong else 0


def _line(code: str, row: Row, columns: Sequence[str]) -> str:
    proved = sum(row.look_alikes[status] for status in PROVED)
    cells = "".join(f"{row.hazards[name] or '.':>15}" for name in columns)
    return f"{code:8}{cells}   {row.look_alikes.total():>6} {proved:>9}"


def main() -> int:
    """Prints the table. The exit code is 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="codes that start so, such as JAX30,JAX6")
    parser.add_argument("--guess", action="store_true", help="invent arguments too")
    parser.add_argument("--share", default="0/1", help="a part of the examples: 0/4 to 3/4")
    parser.add_argument("--list", default="", help="also print the places with this status")
    parser.add_argument("--hazards", action="store_true", help="leave the look-alikes out")
    parser.add_argument("--look-alikes", action="store_true", help="leave the hazards out")
    parser.add_argument("--run", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_all(options.run)
        return 0
    share, shares = map(int, options.share.split("/"))
    forces = (False,) if options.hazards else (True,) if options.look_alikes else (False, True)
    found = examples(options.only)[share::shares]
    result = measure(found, guess=options.guess, forces=forces)
    print(*result.places.get(options.list, ()), sep="\n")
    return report(result)


if __name__ == "__main__":
    sys.exit(main())

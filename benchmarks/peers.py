"""Other linters on the same files: what they cost in units of P, and jaxlint as a part of that.

A slow one gets a sample. It looks at each file by itself, so that the whole would take it as much
more, its start aside, as P of the whole is more than P of the sample.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.commands import check, flake8, parser, scratch
from benchmarks.corpora import Corpus
from benchmarks.measure import Command, Cost, cpu, peak, ratio, turns, wall
from benchmarks.plan import Plan
from benchmarks.tables import Table, number

ALLOWED_FLAKE8, ALLOWED_LIBCST, ALLOWED_MYPY, ALLOWED_PYRIGHT = 0.5, 0.15, 1.0, 0.25
PARSER, SAMPLE, START = "P", "P of the sample", ", its start"


@dataclass(frozen=True, slots=True)
class Peer:
    """A linter: its distribution, its command before the files, and the bound of jaxlint over it.

    The command starts with a script of the environment, or with `-m` and a module. A linter that
    skips files without a certain `word` gets it in a comment at their end.
    """

    name: str
    distribution: str
    command: tuple[str, ...]
    allowed: float | None = None
    slow: bool = False
    word: str = ""


_RUFF = ("ruff", "check", "--isolated", "--no-cache", "--quiet", "--output-format", "concise")
_PYLINT = ("-m", "pylint", "-j1", "--rcfile=/dev/null", "--persistent=n")
# Cold, and of the tree's own files: no other is read.
_MYPY = (
    *("-m", "mypy", "--config-file=", f"--cache-dir={os.devnull}", "--no-error-summary"),
    *("--follow-imports=skip", "--namespace-packages", "--explicit-package-bases"),
)
_TORCHFIX = ("torchfix", "--select", "ALL")
PEERS = (
    Peer("ruff, default rules", "ruff", _RUFF),
    Peer("ruff, all rules", "ruff", (*_RUFF, "--select", "ALL")),
    Peer("pyflakes", "pyflakes", ("-m", "pyflakes")),
    Peer("pylint", "pylint", _PYLINT, slow=True),
    Peer("mypy, cold", "mypy", _MYPY, ALLOWED_MYPY),
    Peer("pyright", "pyright", ("pyright",), ALLOWED_PYRIGHT),
    Peer("Fixit", "fixit", ("-m", "fixit", "--quiet", "lint"), ALLOWED_LIBCST, slow=True),
    Peer("flake8-async", "flake8-async", ("flake8-async",), ALLOWED_LIBCST, slow=True),
    Peer("TorchFix", "torchfix", _TORCHFIX, ALLOWED_LIBCST, slow=True, word="torch"),
)


@dataclass(frozen=True, slots=True)
class Contestant:
    """What reads a corpus, a command made anew each time; where it gets a part of the corpus,
    `start` reads next to nothing."""

    name: str
    version: str
    files: int
    command: Callable[[], Command]
    start: Callable[[], Command] | None = None
    allowed: float | None = None


def tables(plan: Plan) -> Iterator[Table]:
    """Each corpus, read by every linter that is installed."""
    installed, own = versions(plan.peers), versions(sys.executable)
    for corpus in plan.corpora:
        contestants = [*_ours(corpus, own), *_theirs(corpus, plan, installed)]
        table = beside(corpus, contestants, plan)
        absent = [peer.name for peer in PEERS if peer.distribution not in installed]
        absent += [] if "flake8" in own else ["flake8"]
        if absent:
            table.notes.append(f"Not installed: {', '.join(absent)}.")
        yield table


def beside(corpus: Corpus, contestants: Sequence[Contestant], plan: Plan) -> Table:
    """What linters cost on a corpus, the first of them jaxlint."""
    parsers = {PARSER: corpus.files, SAMPLE: corpus.sample(plan.sample)}
    measured: dict[str, Callable[[], Cost]] = {
        name: partial(parser, files) for name, files in parsers.items()
    }
    for one in contestants:
        measured[one.name] = partial(_run, one.command)
        if one.start is not None:
            measured[one.name + START] = partial(_run, one.start)
    costs = turns(measured, plan.few)
    columns = ("version", "files", "CPU x P", "wall x P", "peak MB")
    table = Table(f"Beside other linters: {corpus}", columns, "jaxlint / it")
    spent = {one.name: _spent(one, costs) for one in contestants}
    for one in contestants:
        own = spent[one.name]
        table.add(
            one.name,
            one.version,
            str(one.files),
            number(ratio(cpu(own), cpu(costs[PARSER]))),
            number(ratio(wall(own), wall(costs[PARSER]))),
            f"{median(peak(own)):.0f}",
            figure=ratio(cpu(spent[contestants[0].name]), cpu(own)),
            allowed=one.allowed,
        )
    return table


def _run(command: Callable[[], Command]) -> Cost:
    return command().run()


def _spent(one: Contestant, costs: dict[str, list[Cost]]) -> list[Cost]:
    """What a linter costs on the whole corpus."""
    if one.start is None:
        return costs[one.name]
    rows = zip(*(costs[n] for n in (one.name, one.name + START, PARSER, SAMPLE)), strict=True)
    return [extrapolated(*row) for row in rows]


def extrapolated(part: Cost, start: Cost, whole_p: Cost, part_p: Cost) -> Cost:
    """What the whole costs a linter of which are known the costs of a part of it and of its start:
    beside the start, what it takes grows as P does."""
    return replace(
        part,
        cpu=start.cpu + max(0.0, part.cpu - start.cpu) * whole_p.cpu / part_p.cpu,
        wall=start.wall + max(0.0, part.wall - start.wall) * whole_p.wall / part_p.wall,
    )


def _ours(corpus: Corpus, own: dict[str, str]) -> Iterator[Contestant]:
    """jaxlint, and flake8 in the environment that jaxlint runs in."""
    count = len(corpus.files)
    yield Contestant("jaxlint", "", count, partial(check, corpus.root))
    if "flake8" in own:
        plain = partial(flake8, corpus.files, False)
        yield Contestant("flake8", own["flake8"], count, plain, allowed=ALLOWED_FLAKE8)
        plugin = partial(flake8, corpus.files, True)
        yield Contestant("flake8 with the plugin", own["flake8"], count, plugin)


def _theirs(corpus: Corpus, plan: Plan, installed: dict[str, str]) -> Iterator[Contestant]:
    folder = Path(scratch())
    nothing = folder / "nothing.py"
    nothing.write_text("import os\n")
    for peer in PEERS:
        if peer.distribution not in installed:
            continue
        files = corpus.sample(plan.sample) if peer.slow else corpus.files
        part = len(files) < len(corpus.files)
        start = partial(_command, peer, plan.peers, [str(nothing)], folder) if part else None
        command = partial(_command, peer, plan.peers, files, folder)
        version = installed[peer.distribution]
        yield Contestant(peer.name, version, len(files), command, start, peer.allowed)


def _command(peer: Peer, python: str, files: Sequence[str], folder: Path) -> Command:
    first, *rest = peer.command
    scripts = os.path.dirname(python)
    if peer.word:
        files = _with_word(files, peer.word)
    program = [python, first] if first == "-m" else [os.path.join(scripts, first)]
    return Command((*program, *rest, *files), folder=os.fspath(folder), may_fail=True)


def _with_word(files: Sequence[str], word: str) -> list[str]:
    """Copies of the files that end in a comment."""
    folder, written = Path(scratch()), []
    for at, file in enumerate(files):
        copy = folder / f"module{at}.py"
        copy.write_bytes(Path(file).read_bytes() + f"\n# {word}\n".encode())
        written.append(os.fspath(copy))
    return written


_ASK = """
import json
from importlib import metadata
print(json.dumps({one.metadata["Name"].lower(): one.version for one in metadata.distributions()}))
"""


def versions(python: str) -> dict[str, str]:
    """What is installed for an interpreter, by distribution."""
    run = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(run.stdout)
    return found

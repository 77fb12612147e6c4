"""What jaxlint costs, every figure as a ratio of what took turns in this one run.

    python benchmarks/run.py [--corpus NAME=PATH ...] [--only SECTION,...] [--repeats N]

Prints Markdown. Exit codes: 1 if anything costs more than is allowed, 2 if it is called wrongly.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

# What stands beside this file is reached by the package's name, and hides nothing.
sys.path[0] = os.fspath(Path(__file__).resolve().parent.parent)

from benchmarks import cold, cores, editor, growth, part, peers, verifier, warm  # noqa: E402
from benchmarks.commands import version  # noqa: E402
from benchmarks.corpora import Corpus, NoFilesError, corpus, installed_jax  # noqa: E402
from benchmarks.plan import Plan  # noqa: E402
from benchmarks.tables import Table, judged  # noqa: E402

SECTIONS: dict[str, Callable[[Plan], Iterator[Table]]] = {
    "cold": cold.tables,
    "peers": peers.tables,
    "warm": warm.tables,
    "part": part.tables,
    "cores": cores.tables,
    "growth": growth.tables,
    "editor": editor.tables,
    "verifier": verifier.tables,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is asked for, and prints each table once it is there."""
    plan, sections, written = planned(arguments)
    print(f"{about()}\n", flush=True)
    tables: list[Table] = []
    try:
        for section in sections:
            for table in SECTIONS[section](plan):
                tables.append(table)
                print(table.markdown(), flush=True)
    except NoFilesError as error:
        print(error, file=sys.stderr)
        return 2
    print(judged(tables).markdown())
    if written:
        found = {"about": about(), "tables": [table.as_json() for table in tables]}
        Path(written).write_text(json.dumps(found, indent=1) + "\n")
    return int(any(row.is_too_much for table in tables for row in table.rows))


def about() -> str:
    """What the figures were measured with."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"Python {platform.python_version()}, LibCST {version('libcst')}, {platform.system()}, "
        f"{os.cpu_count()} cores, load {load}"
    )


def command_line() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default, metavar, words in (
        ("--only", ",".join(SECTIONS), "SECTION,...", "what to measure (default: %(default)s)"),
        ("--growth", None, "NAME", "the corpus to copy (default: the first)"),
        ("--plain", None, "PATH", "where to take files from that never mention JAX "
         "(default: the standard library)"),
        ("--peers", sys.executable, "PYTHON", "the interpreter that other linters are installed "
         "for (default: this one)"),
        ("--python", sys.executable, "PYTHON", "an interpreter with JAX, for the verifier "
         "(default: this one)"),
        ("--json", None, "FILE", "write the figures here too"),
    ):  # fmt: skip
        parser.add_argument(name, default=default, metavar=metavar, help=words)
    for name, number, words in (
        ("--repeats", 5, "how often to measure (default: %(default)s)"),
        ("--sample", 24, "how many files slow linters get, 0 for all (default: %(default)s)"),
    ):
        parser.add_argument(name, type=int, default=number, metavar="N", help=words)
    words = "a tree to measure with, once or more; the first is that of most sections"
    words += " (default: the installed jax package)"
    parser.add_argument("--corpus", action="append", default=[], metavar="NAME=PATH", help=words)
    return parser


def planned(arguments: Sequence[str] | None) -> tuple[Plan, list[str], str | None]:
    """What the command line asks for: the plan, the sections, and the file for figures."""
    parser = command_line()
    options = parser.parse_args(arguments)
    wrong = "; ".join(complaints(options))
    if wrong:
        parser.error(wrong)
    jax = installed_jax()
    given = options.corpus or ([] if jax is None else [f"jax={jax}"])
    if not given:
        parser.error("jax is not installed: name a --corpus")
    corpora = tuple(named(one, parser) for one in given)
    growing = {one.name: one for one in corpora}
    if options.growth is not None and options.growth not in growing:
        parser.error(f"--growth names none of the corpora: {', '.join(growing)}")
    plan = Plan(
        corpora,
        options.repeats,
        options.plain,
        options.sample,
        os.path.abspath(shutil.which(options.peers) or options.peers),
        growing[options.growth or corpora[0].name],
        os.path.abspath(shutil.which(options.python) or options.python),
    )
    return plan, options.only.split(","), options.json


def complaints(options: argparse.Namespace) -> Iterator[str]:
    """What is wrong with the options, each by itself."""
    unknown = sorted(set(options.only.split(",")) - set(SECTIONS))
    if unknown:
        yield f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}"
    if options.repeats < 1:
        yield "--repeats takes a number from 1 on"
    if options.sample < 0:
        yield "--sample takes a number from 0 on"
    for name, program in (("--peers", options.peers), ("--python", options.python)):
        if shutil.which(program) is None:
            yield f"{name} takes an interpreter, and {program} is none"
    if options.plain is not None and not os.path.isdir(options.plain):
        yield f"--plain takes a directory, not {options.plain!r}"
    if options.json and not Path(options.json).absolute().parent.is_dir():
        yield f"there is no directory for {options.json}"


def named(given: str, parser: argparse.ArgumentParser) -> Corpus:
    """The corpus that `NAME=PATH` stands for."""
    name, separator, path = given.partition("=")
    if not separator or not name or not os.path.isdir(path):
        parser.error(f"--corpus takes NAME=PATH with a directory, not {given!r}")
    try:
        return corpus(name, os.path.abspath(path))
    except NoFilesError as error:
        parser.error(str(error))


if __name__ == "__main__":
    raise SystemExit(main())

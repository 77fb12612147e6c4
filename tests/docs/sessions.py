"""What documents show of a shell: commands, what they print, and the files that they need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from documents import ROOT, Block, blocks

SCRIPT = r"python3? (?:benchmarks|scripts|tests)/"
LEFT_OUT = {
    r"pip install": "needs the package index; .ci/run installs as README.md says",
    r"python3? -m pytest": "is these tests; .ci/run runs them as README.md says",
    r"--dask tcp:": "needs a cluster; tests/frontends/test_dask.py has one",
    r"-m sphinx": "test_site.py makes the site; asking other sites needs the network",
    r"--watch": "does not end; tests/frontends/test_watch.py runs it and interrupts it",
    r"\bdot -T": "needs Graphviz; tests/report/test_reach.py has what goes into the pipe",
    SCRIPT: "takes minutes or needs other interpreters; that its options exist is tested below",
}
"""Commands that are not run, and why."""

_LEFT_OUT = re.compile("|".join(LEFT_OUT))
SHELLS = ("bash", "console", "sh")
# The name of a file in its first line makes a block that file.
NAMED = re.compile(r"# ([\w./-]+\.\w+)\n")
# The end of a command in what a shell prints, with the exit code.
END = re.compile(r"\x1e(\d+)\n")
# Nothing was found, or something; 2 stands for bad usage in all programs that look for mistakes.
FINDERS = re.compile(r"(jaxlint (check|verify)|flake8|ruff|pre-commit)\b")


@dataclass(frozen=True)
class Command:
    """A command of a document, with what it prints there; None where that is not shown."""

    document: str
    line: int
    text: str
    printed: str | None = None

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


@dataclass(frozen=True)
class Ran:
    """A command that ran: what it printed on both streams, and its exit code."""

    command: Command
    printed: str
    code: int

    @property
    def is_as_shown(self) -> bool:
        """Whether it ended well and printed what is shown, where `...` on a line of its own stands
        for any lines."""
        most = 1 if FINDERS.match(self.command.text) else 0
        shown = self.command.printed
        if shown is None:
            return self.code <= most
        parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
        pattern = r"(?:.*\n)*".join(map(re.escape, parts))
        return self.code <= 1 and re.fullmatch(pattern, self.printed) is not None


def commands(block: Block) -> list[Command]:
    """The commands of a block. In one that shows what any of them prints, it shows all of it."""
    found: list[tuple[str, int, str]] = []
    joined = False
    for number, line in enumerate(block.text.splitlines(), block.line):
        is_prompt = block.language != "console" or line.startswith("$ ")
        if joined or (is_prompt and line.strip()):
            if not joined:
                found.append(("", number, ""))
            text, at, printed = found[-1]
            words = line if joined else line.removeprefix("$ ")
            joined = words.endswith("\\")
            found[-1] = (f"{text}{words}\n", at, printed)
        elif found and block.language == "console":
            text, at, printed = found[-1]
            found[-1] = (text, at, f"{printed}{line}\n")
    is_shown = any(printed for _, _, printed in found)
    name = block.place.rpartition(":")[0]
    return [
        Command(name, at, text.rstrip("\n"), printed if is_shown else None)
        for text, at, printed in found
    ]


def document_commands(path: Path) -> Iterator[Command]:
    """All commands that a document shows."""
    for block in blocks(path, *SHELLS):
        yield from commands(block)


def project(path: Path, directory: Path) -> Path:
    """A copy of the project that documents speak of, in a repository, for one of them."""
    shutil.copytree(ROOT / "fixtures" / "documents", directory)
    if "fixtures/" in " ".join(one.text for one in document_commands(path)):
        shutil.copytree(ROOT / "fixtures" / "tour", directory / "fixtures" / "tour")
    for command in (["init", "-q", "."], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=directory, check=True)
    return directory


def run(shown: list[Command], directory: Path) -> list[Ran]:
    """Runs commands in one shell."""
    after = "the_code=$?; printf '\\x1e%s\\n' $the_code; (exit $the_code)"
    script = "".join(f"{one.text}\n{after}\n" for one in shown)
    inherited = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    path = os.pathsep.join([str(Path(sys.executable).parent), inherited["PATH"]])
    own = {"PATH": path, "COLUMNS": "80", "PRE_COMMIT_HOME": str(directory.parent / "pre-commit")}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=directory,
        env={**inherited, **own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = done.stdout.replace(f"{directory}/", "").replace(str(directory), ".")
    pieces = END.split(said)
    printed, codes = pieces[0:-1:2], map(int, pieces[1::2])
    return [Ran(*each) for each in zip(shown, printed, codes, strict=True)]


def runnable(block: Block) -> Iterator[Command]:
    """The commands of a block, without those and without the parts that are left out."""
    for one in commands(block):
        parts = [part for part in one.text.split(" && ") if not _LEFT_OUT.search(part)]
        if parts:
            yield replace(one, text=" && ".join(parts))


def play(path: Path, directory: Path) -> list[Ran]:
    """Goes through a document from top to bottom: writes the files that it shows, and runs its
    commands and what of its Python calls jaxlint, in a directory."""
    ran = []
    for block in blocks(path):
        if name := NAMED.match(block.text):
            target = directory / name[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language in SHELLS:
            ran += run(list(runnable(block)), directory)
        elif block.language == "python" and re.search(r"^(?:import|from) jaxlint", block.text):
            script = directory.parent / "script.py"
            script.write_text(block.text, encoding="utf-8")
            ran += run([Command(path.name, block.line, f"python {script}")], directory)
    return ran

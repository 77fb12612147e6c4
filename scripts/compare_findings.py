"""Compares the findings of two versions of jaxlint, line for line, over one body of code.

Usage: python scripts/compare_findings.py [--after AFTER] [--list FILE] [--jobs N] BEFORE
       [NAME=PATH ...]

BEFORE and AFTER are revisions of this repository, or directories that hold a checkout of it; AFTER
is the working tree where it is not named. Both lint the examples of BEFORE's pages, cases and
specs, its fixtures, and the checkouts that are named (NAME=PATH, or one of these a line of FILE),
with every rule, at every confidence, suppressed or not. A line is the record of a finding in JSON:
place, code, severity, message, reasons and fix. Prints the lines that only one of the two has, then
for each body of code the lines that are equal and the ratio of the processor seconds. The exit code
is 1 if a line differs.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from jaxlint.testing.pages import PRELUDE

ROOT = Path(__file__).parents[1]
_OPTIONS = ("--no-cache", "--select", "JAX", "--disable-noqa", "--min-confidence", "low")
_CONFIGURATION = "[tool.jaxlint]\n"
_BLOCK = re.compile(r"^```py\b[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PAGES = {
    "pages": "jaxlint/rules/*.py",
    "cases": "tests/rules/*.md",
    "specs": "tests/engine/**/*.md",
}


def tree(version: str, scratch: Path, name: str) -> Path:
    """A directory that holds a version: the one that is named, or an export of the revision."""
    if Path(version).is_dir():
        return Path(version).resolve()
    there = scratch / name
    there.mkdir()
    archive = subprocess.run(
        ["git", "archive", version], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(there)], input=archive.stdout, check=True)
    return there


def programs(files: Sequence[Path], there: Path) -> Path:
    """The examples of pages and specs, each a program of its own that starts as they all do."""
    there.mkdir()
    (there / "pyproject.toml").write_text(_CONFIGURATION, encoding="utf-8")
    for path in files:
        text = path.read_text(encoding="utf-8")
        page = (ast.get_docstring(ast.parse(text)) or "") if path.suffix == ".py" else text
        for at, block in enumerate(_BLOCK.findall(page)):
            name = f"{path.stem.replace('-', '_')}_{at}.py"
            (there / name).write_text("; ".join(PRELUDE) + "\n" + block, encoding="utf-8")
    return there


def bodies(before: Path, scratch: Path, named: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """What is linted: a name and a directory each."""
    for name, pattern in _PAGES.items():
        yield name, programs(sorted(before.glob(pattern)), scratch / name)
    yield "fixtures", before / "fixtures"
    for one in named:
        name, _, path = one.partition("=")
        yield name, Path(path).resolve()


def findings(version: Path, body: Path, jobs: int) -> tuple[Counter[str], float]:
    """The records of what a version finds in a body, and the processor seconds that it took."""
    command = [sys.executable, "-P", "-m", "jaxlint", "check", *_OPTIONS]
    command += ["--output-format", "json-lines", "--jobs", str(jobs), "."]
    environment = {**os.environ, "PYTHONPATH": str(version), "PYTHONHASHSEED": "0"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, cwd=body, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1) and not run.stdout:
        raise SystemExit(f"{version} fails on {body}:\n{run.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = (line for line in run.stdout.splitlines() if line.startswith("{"))
    return Counter(_without_version(line) for line in lines), seconds


def _without_version(line: str) -> str:
    """A record by the names of its keys, whatever their order."""
    return json.dumps(json.loads(line), sort_keys=True, ensure_ascii=False)


def main() -> int:
    """Compares what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before")
    parser.add_argument("named", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--after", default=str(ROOT), help="the other version: the working tree")
    parser.add_argument("--list", type=Path, help="a file with a NAME=PATH on each line")
    parser.add_argument("--jobs", type=int, default=0, help="processes; 0 for one a processor")
    given = parser.parse_args()
    listed = given.list.read_text(encoding="utf-8").split() if given.list else []
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        old, new = tree(given.before, scratch, "before"), tree(given.after, scratch, "after")
        jobs = given.jobs or os.cpu_count() or 1
        rows = []
        for name, body in bodies(old, scratch, [*listed, *given.named]):
            (was, cost), (now, price) = findings(old, body, jobs), findings(new, body, jobs)
            for mark, lines in (("-", was - now), ("+", now - was)):
                for line in sorted(lines.elements()):
                    print(f"{mark} {name}: {line}")
                    differences += 1
            rows.append((name, (was & now).total(), (was - now).total(), (now - was).total()))
            ratio = f"{price / cost:.2f}" if cost else "-"
            print("{:24} {:6} equal {:4} gone {:4} new".format(*rows[-1]), f"  cpu {ratio}")
            sys.stdout.flush()
    equal = sum(row[1] for row in rows)
    print(f"{equal} lines are equal, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())

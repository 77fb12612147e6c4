"""Fixes everything in trees of files, in memory, and says what is wrong with what comes of it.

Usage: python tests/fixes/trees.py [--safe] [--diff] DIRECTORY ...

For each directory: how many findings there are, how many are fixed, in how many files, and what
must not be so: fixed code that is not Python, that still has the finding or new ones, that is
changed again, or that has lost a comment. `--safe` leaves unsafe fixes out, `--diff` prints the
changes. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import io
import sys
import tokenize
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.apply.files import FixedFiles
from jaxlint.apply.rounds import Found, Settling
from jaxlint.apply.text import Wanted, is_fixable, is_safe
from jaxlint.base.finding import Finding
from jaxlint.project.file_systems.files import DISK
from jaxlint.results.report import is_python
from jaxlint.session.session import Session


@dataclass
class Tree:
    """A tree of files once it is fixed."""

    found: int = 0
    fixed: Counter[str] = field(default_factory=Counter)
    files: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    changes: str = ""


class _Texts:
    """The drafts of a tree, which one session checks."""

    def __init__(self, files: FixedFiles, session: Session, paths: Sequence[str]) -> None:
        self._files = files
        self._session = session
        self._paths = paths
        self.text = files.text

    def put(self, path: str, text: str) -> None:
        if self._files.put(path, text):
            self._session.changed(path)

    def check(self) -> Found:
        return {path: self._session.check(path).findings for path in self._paths}


def fixed_tree(root: Path, wanted: Wanted = is_fixable) -> Tree:
    """Fixes what is wanted in all files under a directory; nothing is written."""
    paths = [str(path) for path in sorted(root.rglob("*.py")) if path.is_file()]
    files = FixedFiles(DISK)
    session = Session(files=files.drafts)
    session.ask(paths)
    texts = _Texts(files, session, paths)
    before = texts.check()
    settling = Settling(texts, wanted)
    after = settling.settle(before)
    changed = sorted({one.filename for one in settling.fixed})
    tree = Tree(
        sum(map(len, before.values())),
        Counter(one.code for one in settling.fixed),
        len(changed),
        refused=[f"{one.filename}:{one.line}: {one.code}" for one in settling.refused],
        changes="".join(files.differences()),
    )
    tree.wrong = [f"{one.filename}: {one.message}" for one in files.problems]
    for path in changed:
        old, new = DISK.read(path), files.drafts.read(path)
        tree.wrong += [f"{path}: {what}" for what in _wrong(old, new)]
    tree.wrong += _left(before, after, settling.fixed, wanted)
    return tree


def _wrong(old: bytes, new: bytes) -> list[str]:
    found = [] if is_python(new) else ["is not Python any more"]
    return found + [f"has lost {one!r}" for one in _comments(old) - _comments(new)]


def _left(before: Found, after: Found, fixed: Sequence[Finding], wanted: Wanted) -> list[str]:
    """What is found in the end that should not be."""
    counts = Counter((path, one.code) for path, found in before.items() for one in found)
    counts.subtract((one.filename, one.code) for one in fixed)
    wrong = []
    for path, found in after.items():
        for one in found:
            key = (path, one.code)
            place = f"{path}:{one.line}: {one.code}"
            if wanted(one):
                wrong.append(f"{place} is fixed again and again")
            elif counts[key] <= 0:
                wrong.append(f"{place} is new: {one.message}")
            counts[key] -= 1
    return wrong


def _comments(data: bytes) -> Counter[str]:
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def main(arguments: Sequence[str]) -> int:
    """Runs the command, and returns its exit code."""
    options = {word for word in arguments if word.startswith("--")}
    is_wrong = False
    for name in arguments:
        if name in options:
            continue
        tree = fixed_tree(Path(name), is_safe if "--safe" in options else is_fixable)
        is_wrong |= bool(tree.wrong)
        codes = ", ".join(f"{code} {count}" for code, count in sorted(tree.fixed.items()))
        fixed = f"{tree.fixed.total()} fixed in {tree.files} files"
        print(f"{name}: {tree.found} found, {fixed}", codes)
        print("".join(f"  {line}\n" for line in tree.wrong), end="")
        print("".join(f"  taken back: {line}\n" for line in tree.refused), end="")
        if "--diff" in options:
            print(tree.changes)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

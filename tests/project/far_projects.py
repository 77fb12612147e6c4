"""How many hazards of the projects in `fixtures/reach` are found.

    python tests/project/far_projects.py [--write]

A hazard counts as found if anything is reported on its line. With `--write`, the ledger of what is
missed is written anew.
"""

from __future__ import annotations

import contextlib
import sys

from projects import FAR_TREES, REACH, Found, Tree
from test_projects import findings


def told(found: set[Found]) -> list[str]:
    """Findings as the ledger names them."""
    return sorted(f"{file}:{line} {code}" for file, line, code in found)


def missed(tree: Tree) -> tuple[list[str], list[str]]:
    """The hazards of a tree that are not found, and what is reported on lines without a mark."""
    with contextlib.chdir(tree.root):
        found = findings(".")
    lines = {place[:2] for place in found}
    marked = {place[:2] for place in tree.marks}
    hazards = {it for it in tree.marks if it[:2] not in lines}
    return told(hazards), told({it for it in found if it[:2] not in marked})


def _table(name: str, rows: list[str]) -> list[str]:
    return [f"{name} = [", *(f'  "{row}",' for row in rows), "]"] if rows else [f"{name} = []"]


def main(arguments: list[str]) -> None:
    """Prints the figures of each project and of all."""
    written, marks, lost = [], 0, 0
    for tree in FAR_TREES:
        left, beside = missed(tree)
        marks, lost = marks + len(tree.marks), lost + len(left)
        share = f"{len(tree.marks) - len(left)} of {len(tree.marks)}"
        print(f"{tree.name}: {share} hazards found, {len(beside)} findings beside them")
        written += [f"[{tree.name}]", *_table("missed", left), *_table("beside", beside), ""]
    print(f"all: {marks - lost} of {marks}")
    if "--write" in arguments:
        (REACH / "missed.toml").write_text("\n".join(written).rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

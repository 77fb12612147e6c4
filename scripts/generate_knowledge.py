"""Writes jaxlint/knowledge/tables: traces public JAX and NumPy functions, notes what they do.

Give it the interpreters whose JAX the tables shall record, the newest last:

    python scripts/generate_knowledge.py OLD/bin/python NEW/bin/python
    python scripts/generate_knowledge.py --check          # compare with the JAX of this interpreter
    python scripts/generate_knowledge.py --releases JAX   # since when: from a clone of JAX

`--check` exits 1 when a table differs, `--observe` prints what this interpreter's JAX does.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import knowledge_releases
import knowledge_removals
import knowledge_worlds as worlds


def write(pythons: list[str]) -> list[str]:
    """Write the tables; the names of those that changed."""
    seen = [worlds.observe_with(python) for python in pythons]
    tables = worlds.merge(seen)
    said = worlds.seen_by(seen)
    for world in seen:
        print("JAX", world["version"][0], "no row:", " ".join(world["failed"]) or "none left out")
    changed = []
    for name, table in tables.items():
        text = (worlds.render_versions if name == "versions" else worlds.render)(table, said)
        path = worlds.TABLES / f"{name}.py"
        if not path.exists() or path.read_text() != text:
            changed.append(name)
            path.write_text(text)
    return changed


def check() -> list[str]:
    """What differs between the tables and the JAX of this interpreter."""
    found = worlds.observe()
    return worlds.compare(found)


def main() -> int:
    """Write or compare the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pythons", nargs="*", help="interpreters, that with the newest JAX last")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--observe", action="store_true", help="print what this JAX does")
    parser.add_argument("--releases", metavar="JAX", type=Path, help="a clone of JAX with its tags")
    options = parser.parse_args()
    if options.observe:
        print(repr(worlds.observe()))
        return 0
    if options.check:
        found = check()
        print("\n".join(found) or "the tables are what this JAX does")
        return int(bool(found))
    if options.releases:
        knowledge_releases.write(options.releases)
        knowledge_removals.write(options.releases)
        return 0
    print("changed tables:", " ".join(write(options.pythons)) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())

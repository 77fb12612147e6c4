"""What a project costs as a whole: CPU of linting it, over the sum of its modules linted alone.

`python benchmarks/project.py PATH...` lints each path as a project, and then each of its files as
if there were no other. Both happen in one process, one after the other, twice: the ratio of the
lower figures is printed, because figures of different runs do not compare on a busy machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from jaxlint.project.discovery import discover  # noqa: E402
from jaxlint.project.file_systems.files import Memory  # noqa: E402
from jaxlint.session.session import Session  # noqa: E402

ROUNDS = 2


def together(files: list[str]) -> tuple[float, int]:
    """CPU seconds and the number of findings."""
    start = time.process_time()
    session = Session()
    session.ask(files)
    found = sum(len(session.check(path).findings) for path in files)
    return time.process_time() - start, found


def alone(files: list[str]) -> tuple[float, int]:
    """As `together`, but each file is in a file system of its own."""
    start = time.process_time()
    found = 0
    for path in files:
        name = Path(path).name
        session = Session(files=Memory({name: Path(path).read_bytes()}))
        found += len(session.check(name).findings)
    return time.process_time() - start, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    for path in parser.parse_args().paths:
        files = discover([str(path)]).files
        rounds = [(together(files), alone(files)) for _ in range(ROUNDS)]
        whole, parts = (min(row[at] for row in rounds) for at in (0, 1))
        print(
            f"{path.name}: {len(files)} files, {whole[0]:.2f} s together ({whole[1]} findings), "
            f"{parts[0]:.2f} s alone ({parts[1]} findings), ratio {whole[0] / parts[0]:.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

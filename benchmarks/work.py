"""How much a check does, counted in lines of Python that run: the same on every machine."""

from __future__ import annotations

import gc
import sys
import time
from types import FrameType
from typing import Any

from benchmarks.shapes import Shape, shapes
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

__all__ = ["TIMES", "lines_run", "measured", "shapes"]

TIMES = (1, 2, 4, 8)


def lines_run(source: str) -> int:
    """How many lines of Python a check of some source runs. Raises AssertionError if it crashes."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return line

    # The files around are nothing that grows.
    session = Session(files=Memory({"grown.py": source}))
    before = sys.gettrace()
    sys.settrace(lambda *_: line)
    try:
        report = session.check_source(source, "grown.py")
    finally:
        sys.settrace(before)
    assert not report.crashed, report.findings
    return count


def measured(shape: Shape, context: str) -> list[list[float]]:
    """The sizes of a shape as it doubles, the lines that its check runs, and CPU seconds."""
    sizes = [shape.least * times for times in TIMES]
    sources = [shape.source(size, context) for size in sizes]
    lines_run(shape.source(2, context))
    return [
        [float(size) for size in sizes],
        [float(lines_run(source)) for source in sources],
        [min(_seconds(source), _seconds(source)) for source in sources],
    ]


def _seconds(source: str) -> float:
    session = Session()
    gc.collect()
    started = time.process_time()
    session.check_source(source, "grown.py")
    return time.process_time() - started

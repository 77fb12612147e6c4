"""What a run of `jaxlint check` is given: its options and its streams."""

from __future__ import annotations

import os
import sys
from dataclasses import field
from typing import TYPE_CHECKING, BinaryIO, TextIO

from jaxlint.base.dataclass import slotted
from jaxlint.frontends.streams import print_anything
from jaxlint.frontends.verify_options import Request
from jaxlint.project.file_systems.snapshot import Snapshot
from jaxlint.settings import Configuration

if TYPE_CHECKING:
    from jaxlint.cache.folder import Folder
    from jaxlint.frontends.runs.fixing import Fixing
    from jaxlint.frontends.runs.suppress import Silencing


STDIN = "-"


@slotted(frozen=True)
class Options:
    """What the command line says about a run."""

    paths: tuple[str, ...] = (os.curdir,)
    stdin_filename: str = "stdin"
    # The disk, and the settings as files and the command line give them.
    files: Snapshot = field(default_factory=Snapshot)
    configuration: Configuration = field(default_factory=Configuration)
    output_format: str = "full"
    noqa: bool = True
    exit_zero: bool = False
    quiet: bool = False
    statistics: bool = False
    colour: bool = False
    verify: Request | None = None
    # How many processes check files; 0 stands for as many as are worth it.
    jobs: int = 0
    # The address of the Dask scheduler whose workers do the work instead.
    dask: str | None = None
    # Whether to say how long the run took, and what took longest.
    timing: bool = False
    # Whether to say how much of the traced code is not known, and why.
    explain_silence: bool = False
    # Where the cache is; None for none.
    cache: Folder | None = None
    # What to do with findings instead of reporting them.
    silencing: Silencing | None = None
    # What is to be fixed, and whether unsafe fixes count as such that can be carried out.
    fixing: Fixing | None = None
    unsafe_fixes: bool = False
    # The command line, if what the run says may be said again by a later one.
    arguments: tuple[str, ...] | None = None


@slotted()
class Streams:
    """Where a run reads standard input and writes findings and everything else."""

    stdin: BinaryIO
    out: TextIO
    err: TextIO


def wants_colour(when: str, stream: TextIO) -> bool:
    """Whether to colour output: "auto" asks the variables NO_COLOR and FORCE_COLOR, in this order,
    then the terminal."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def standard_streams() -> Streams:
    """The streams of this process, made to print whatever a file name may hold."""
    print_anything()
    return Streams(sys.stdin.buffer, sys.stdout, sys.stderr)

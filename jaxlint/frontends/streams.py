"""The streams of the command and the codes that it exits with. Imports next to nothing."""

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

FAILED, INTERRUPTED = 2, 130


def print_anything() -> None:
    """Has the streams of this process take whatever a file name may hold."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def interrupted() -> int:
    """Says that the user ended the run. Gives the exit code."""
    sys.stderr.write("jaxlint: interrupted\n")
    return INTERRUPTED


# The streams that were there before and those in their place. A stream that nobody holds closes its
# descriptor, and a front end may put another one in the place of ours.
_held: "list[object]" = []


class OutputError(OSError):
    """Standard output takes no more: a full disk, a closed descriptor."""


class _Output(io.FileIO):
    """The descriptor below standard output: the first write that fails raises, and nothing is
    written after it, so that what Python still buffers cannot fail again at exit."""

    failed = False

    def write(self, data: "Any", /) -> int:
        if self.failed or not len(data):
            return len(data)
        try:
            return super().write(data)
        except BrokenPipeError:
            self.failed = True
            raise
        except OSError as error:
            self.failed = True
            raise OutputError(*error.args) from None


class _Errors(_Output):
    """The descriptor below standard error, where a failure can be told to nobody."""

    def write(self, data: "Any", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def guard_streams() -> None:
    """Puts streams of known behaviour in the place of this process's standard streams.

    A closed stream is one that cannot be read or written. Its descriptor is taken, so that no
    file which is opened later is written to by mistake.
    """
    if sys.stdin is None:
        # A descriptor for writing alone: reading fails.
        descriptor = os.open(os.devnull, os.O_WRONLY)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(descriptor, closefd=False)))
    _held.extend((sys.stdout, sys.stderr))
    sys.stdout = _guarded(sys.stdout, _Output)
    sys.stderr = _guarded(sys.stderr, _Errors)
    _held.extend((sys.stdout, sys.stderr))
    print_anything()


def _guarded(stream: "TextIO | None", kind: "type[_Output]") -> "TextIO":
    if stream is None:
        # A descriptor for reading alone: writing fails.
        raw = kind(os.open(os.devnull, os.O_RDONLY), "w", closefd=False)
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=True)
    buffer = getattr(stream, "buffer", None)
    below = getattr(buffer, "raw", buffer)
    if not isinstance(stream, io.TextIOWrapper) or type(below) is not io.FileIO:
        return stream  # A console of Windows, or the stream of somebody who calls us.
    raw = kind(below.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        raw if buffer is below else io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        newline="\n" if os.linesep == "\n" else None,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def failed(error: Exception) -> int:
    """Says what ended the run, where that is known to nobody by now. Gives the exit code."""
    # A run that comes to its end needs none of this.
    from jaxlint.base.errors import described, reason

    if isinstance(error, OutputError):
        message = f"cannot write to standard output: {reason(error)}"
    elif isinstance(error, FileNotFoundError) and not _has_directory():
        message = "the current directory does not exist any more"
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{reason(error)}"
    else:
        message = f"internal error, please report it: {described(error)}"
    if not isinstance(error, BrokenPipeError):
        sys.stderr.write(f"jaxlint: error: {message}\n")
    return FAILED


def _has_directory() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


class OutputFile:
    """A file that takes what is written to `text`, once all of it is there.

    It is made, or emptied, at the start: what cannot be written is known before the work, and no
    run that fails leaves the report of an earlier one. Raises JaxlintError.
    """

    def __init__(self, path: str) -> None:
        import io

        self.path = path
        self.text: TextIO = io.StringIO()

    def __enter__(self) -> "OutputFile":
        self._write("")
        return self

    def __exit__(self, kind: "type[BaseException] | None", *error: object) -> None:
        if kind is None:
            self.text.seek(0)
            self._write(self.text.read())

    def _write(self, text: str) -> None:
        from jaxlint.base.errors import JaxlintError, reason

        try:
            os.makedirs(os.path.dirname(self.path) or os.curdir, exist_ok=True)
            with open(
                self.path, "w", encoding="utf-8", errors="backslashreplace", newline=""
            ) as stream:
                stream.write(text)
        except OSError as error:
            raise JaxlintError(f"cannot write {self.path}: {reason(error)}") from None

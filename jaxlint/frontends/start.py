"""Where the command starts: a run of which everything is known ends here.

What such a run does not need is imported behind it.
"""

import os
import sys

from jaxlint.base.runtime.import_path import restrict
from jaxlint.frontends.streams import failed, guard_streams, interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> int | None:
    """The command. It ends as `sys.exit` says that it does, and never with a traceback."""
    guard_streams()
    try:
        restrict(sys.argv[1:])
        try:
            return _run(sys.argv[1:])
        finally:
            # What fails now would fail at exit, where nobody could say why.
            sys.stdout.flush()
    except KeyboardInterrupt:
        return interrupted()
    except Exception as error:
        return failed(error)


def _run(arguments: "Sequence[str]") -> int | None:
    if arguments[:1] == ["check"]:
        code = _again(arguments)
        if code is not None:
            return code
    from jaxlint.frontends.cli import main as command

    command()
    return None


def _again(arguments: "Sequence[str]") -> int | None:
    """Says what the same run said before; None where there was none, or something has changed."""
    from jaxlint.cache.folder import Folder
    from jaxlint.cache.runs import replay

    try:
        directory = _directory(arguments)
        if directory is None:
            return None
        known = replay(Folder(directory), arguments)
    except OSError:
        return None
    return None if known is None else _say(*known)


def _directory(arguments: "Sequence[str]") -> str | None:
    """Where the cache is that the arguments ask for; None for none, and where this is not to be
    said without reading more."""
    from jaxlint.cache.folder import default_directory, may_place_in

    found = ""
    configured: str | None = None
    following = iter(arguments)
    for word in following:
        if word == "--no-cache":
            return None
        if word == "--":
            break
        if word == "--cache-dir":
            found = next(following, "")
        elif word.startswith("--cache-dir="):
            found = word.partition("=")[2]
        elif word == "--isolated":
            configured = ""
        elif word == "--config" or word.startswith("--config="):
            value = word.partition("=")[2] or next(following, "")
            if may_place_in(value):
                return None
            configured = "" if os.path.isfile(value) else configured
    return os.path.realpath(found) if found else default_directory(configured)


def _say(said: "Sequence[Sequence[str]]", code: int) -> int:
    streams = {"out": sys.stdout, "err": sys.stderr}
    for name, text in said:
        streams[name].write(text)
        if name == "out" and len(said) > 1:
            streams[name].flush()
    return code

"""Which files a run checks that hold more than Python, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.base.errors import JaxlintError
from jaxlint.base.file_stats import MARKDOWN, NOTEBOOK, PYTHON
from jaxlint.project.discovery import Discovery
from jaxlint.project.file_systems.files import FileSystem, Problem

_OFF = "Markdown is checked with --markdown only"


def endings(markdown: bool) -> tuple[str, ...]:
    """How files in directories end that are checked. Raises JaxlintError where there is no parser
    for one kind."""
    if not markdown:
        return (PYTHON, NOTEBOOK)
    from jaxlint.syntax.formats.markdown import need_parser

    need_parser()
    return (PYTHON, NOTEBOOK, *MARKDOWN)


def wanted(found: Discovery, markdown: bool) -> Discovery:
    """What was found without the files that somebody named and that are not to be checked."""
    if markdown or not any(path.endswith(MARKDOWN) for path in found.files):
        return found
    kept = [path for path in found.files if not path.endswith(MARKDOWN)]
    refused = [Problem(path, _OFF) for path in found.files if path.endswith(MARKDOWN)]
    return Discovery(kept, [*found.problems, *refused], found.empty)


def refuse(path: str, markdown: bool) -> None:
    """Raises JaxlintError for standard input that is called Markdown where that is not checked."""
    if path.endswith(MARKDOWN):
        if not markdown:
            raise JaxlintError(f"{path}: {_OFF}")
        endings(markdown)


def left_out(paths: Iterable[str], files: FileSystem) -> str:
    """How many blocks in Markdown files are called Python and are not; empty where none is."""
    blocks = within = 0
    for path in paths:
        if path.endswith(MARKDOWN):
            number = _left_out(path, files)
            blocks, within = blocks + number, within + bool(number)
    if not blocks:
        return ""
    many = f"{blocks} blocks" if blocks > 1 else "1 block"
    where = f"{within} files" if within > 1 else "1 file"
    return f"{many} in {where} called Python and left out, because Python cannot read them.\n"


def _left_out(path: str, files: FileSystem) -> int:
    from jaxlint.base.errors import DocumentError
    from jaxlint.syntax.formats import markdown

    try:
        return markdown.read(files.read(path)).left_out
    except (OSError, DocumentError):
        return 0

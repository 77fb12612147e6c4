"""The comments by which an example says what the linter and JAX must do on a line."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from typing import Literal, get_args

from jaxlint.base.errors import JaxlintError

MarkerKind = Literal["error", "minor", "missed", "false-alarm"]
KINDS: tuple[MarkerKind, ...] = get_args(MarkerKind)

_MARKER = re.compile(
    r"(?P<kind>error|minor|missed|false-alarm)(?::\s*\[(?P<rules>[a-z0-9, -]+)\])?"
)
_LOOKS_LIKE_ONE = re.compile(rf"(?:{'|'.join(KINDS)})\b")


class PageError(JaxlintError):
    """A page or a specification is malformed; the message starts with its place."""


@dataclass(frozen=True, slots=True, order=True)
class Marker:
    """What is promised of `rule` on a line.

    "error": the linter reports and JAX shows the witness. "minor": the same, but the linter
    reports it only where the rule is selected. "missed": JAX shows the witness and the linter is
    known to be silent. "false-alarm": the linter is known to report what JAX runs
    without harm.
    """

    line: int
    kind: MarkerKind
    rule: str

    @property
    def is_reported(self) -> bool:
        """Whether the linter reports the line."""
        return self.kind != "missed"

    @property
    def is_hazard(self) -> bool:
        """Whether JAX shows the witness."""
        return self.kind != "false-alarm"


def read_markers(code: str, first_line: int, own_rule: str, path: str) -> tuple[Marker, ...]:
    """The markers in the comments of an example whose first line has number `first_line`.

    A marker without brackets means `own_rule`. Raises PageError for a comment that starts like
    a marker and is none, and for code that cannot be tokenised.
    """
    found: list[Marker] = []
    for line, text in comments(code, first_line, path):
        for piece in filter(None, map(str.strip, text.split("#"))):
            match = _MARKER.fullmatch(piece)
            if match is not None:
                names = [name.strip() for name in (match["rules"] or own_rule).split(",")]
                kind = next(kind for kind in KINDS if kind == match["kind"])
                found += [Marker(line, kind, name) for name in names]
            elif _LOOKS_LIKE_ONE.match(piece):
                raise PageError(f"{path}:{line}: `# {piece}` starts like a marker, but is none")
    return tuple(sorted(found))


def comments(code: str, first_line: int, path: str) -> list[tuple[int, str]]:
    """The comments of an example, with their lines. Raises PageError for broken code."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise PageError(f"{path}:{first_line}: the example is not Python: {error}") from error
    return [
        (token.start[0] + first_line - 1, token.string)
        for token in tokens
        if token.type == tokenize.COMMENT
    ]

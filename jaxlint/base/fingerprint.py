"""What a finding is known by from one run to the next, while the lines around it move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText

_DIGITS = 32


def fingerprints(found: Iterable[Finding], source: SourceText | None, path: str) -> list[str]:
    """One for each finding of a file, in the same order, no two of them equal.

    They rest on the code, the path, the text of the line without its indentation and how many
    such findings come before: not on the number of the line, not on the message.
    """
    seen: Counter[tuple[str, str]] = Counter()
    prints = []
    for finding in found:
        line = "" if source is None else " ".join(source.line(finding.line).split())
        key = (finding.code, line)
        parts = (finding.code, path, line, str(seen[key]))
        seen[key] += 1
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass"))
        prints.append(digest.hexdigest()[:_DIGITS])
    return prints

"""The imports of a file, read without parsing it: what may depend on what."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import field

from jaxlint.base.dataclass import slotted

_STATEMENT = re.compile(
    rb"(?:^|;|:)[ \t\f]*(?:"
    rb"from(?:[ \t]+|(?=\.))(?P<from>\.*[ \t]*[\w.\x80-\xff]*)[ \t]+import"
    rb"[ \t]*(?P<names>\([^)]*\)|(?:[^\n;\\]|\\\r?\n)*)"
    rb"|import[ \t]+(?P<modules>(?:[^\n;\\]|\\\r?\n)*))",
    re.MULTILINE,
)
_WORD = re.compile(rb"import(?=[ \t(*\\])")
# On a longer line, the word may be looked for as often as it is there.
_LONG = 10_000
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"([\w.\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?")


@slotted(frozen=True)
class Import:
    """`from ..module import names`: `level` counts the dots. Of `import module` there are no
    names; a star is the name "*". `bound` are the words that stand for them in the file."""

    module: str
    level: int = 0
    names: tuple[str, ...] = ()
    bound: tuple[str, ...] = field(default=(), compare=False)


def imports_in(data: bytes, ignored: frozenset[str] = frozenset()) -> list[Import]:
    """Every import that a source may contain, in order, but for those of packages that are to be
    ignored.

    Text that looks like an import in a string is one too: what is found is never too little.
    """
    found: list[Import] = []
    for match in _statements(data.removeprefix(BOM_UTF8)):
        origin = match["from"]
        if origin is None:
            for name, word in _listed(match["modules"]):
                top = name.partition(".")[0]
                if top not in ignored:
                    found.append(Import(name, bound=(word or top,)))
            continue
        text = "".join(origin.decode("utf-8", "replace").split())
        module = text.lstrip(".")
        if module == text and module.partition(".")[0] in ignored:
            continue
        listed = [("*", "")] if b"*" in match["names"] else _listed(match["names"])
        names = tuple(name for name, _ in listed)
        bound = tuple(word or name for name, word in listed)
        found.append(Import(module, len(text) - len(module), names, bound))
    return found


def _statements(data: bytes) -> Iterator[re.Match[bytes]]:
    """The matches of the pattern in order, looked for around the word that each contains."""
    end = 0
    for word in _WORD.finditer(data):
        at = word.start()
        if at < end:
            continue
        start = max(end, data.rfind(b"\n", 0, at) + 1)
        before = data[start:at].lstrip(b" \t\f") if at - start < _LONG else b"from"
        if not before or before.startswith(b"from") or b";" in before or b":" in before:
            match = _STATEMENT.search(data, start)
            if match is None:
                return
            yield match
            end = match.end()


def _listed(text: bytes) -> list[tuple[str, str]]:
    """The names of a list, each with what it is called here if that is something else."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    if b"\\" in text:
        text = text.replace(b"\\", b" ")
    found: list[tuple[str, str]] = []
    for part in text.strip(b"() \t\r\n").split(b","):
        part = part.strip()
        if part.isalpha():
            found.append((part.decode(), ""))
        elif name := _NAME.match(part):
            word = name[2] or b""
            found.append((name[1].decode("utf-8", "replace"), word.decode("utf-8", "replace")))
    return found

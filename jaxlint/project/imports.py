"""The imports of a file, read without parsing it: what may depend on what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STATEMENT = re.compile(
    rb"(?:^|;|:)[ \t]*(?:"
    rb"from(?:[ \t]+|(?=\.))(?P<from>\.*[ \t]*[\w.\x80-\xff]*)[ \t]+import"
    rb"[ \t]*(?P<names>\([^)]*\)|(?:[^\n;\\]|\\\r?\n)*)"
    rb"|import[ \t]+(?P<modules>(?:[^\n;\\]|\\\r?\n)*))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"([\w.\x80-\xff]+)(?:\s+as\s+([\w\x80-\xff]+))?")


@dataclass(frozen=True, slots=True)
class Import:
    """`from ..module import names`: `level` counts the dots. Of `import module` there are no
    names; a star is the name "*". `bound` are the words that stand for them in the file."""

    module: str
    level: int = 0
    names: tuple[str, ...] = ()
    bound: tuple[str, ...] = field(default=(), compare=False)


def imports_in(data: bytes) -> list[Import]:
    """Every import that a source may contain, in order.

    Text that looks like an import in a string is one too: what is found is never too little.
    """
    if b"import" not in data:
        return []
    found: list[Import] = []
    for match in _STATEMENT.finditer(data):
        origin = match["from"]
        if origin is None:
            for name, word in _listed(match["modules"]):
                found.append(Import(name, bound=(word or name.partition(".")[0],)))
            continue
        text = "".join(origin.decode("utf-8", "replace").split())
        module = text.lstrip(".")
        listed = [("*", "")] if b"*" in match["names"] else _listed(match["names"])
        names = tuple(name for name, _ in listed)
        bound = tuple(word or name for name, word in listed)
        found.append(Import(module, len(text) - len(module), names, bound))
    return found


def _listed(text: bytes) -> list[tuple[str, str]]:
    """The names of a list, each with what it is called here if that is something else."""
    plain = _COMMENT.sub(b"", text).replace(b"\\", b" ").strip(b"() \t\r\n")
    names = (_NAME.match(part.strip()) for part in plain.split(b","))
    return [
        (name[1].decode("utf-8", "replace"), (name[2] or b"").decode("utf-8", "replace"))
        for name in names
        if name is not None
    ]

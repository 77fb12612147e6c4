"""The imports of a file, read without parsing it: what may depend on what."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STATEMENT = re.compile(
    rb"(?:^|;|:)[ \t]*(?:"
    rb"from(?:[ \t]+|(?=\.))(?P<from>\.*[ \t]*[\w.]*)[ \t]+import"
    rb"[ \t]*(?P<names>\([^)]*\)|[^\n;]*)"
    rb"|import[ \t]+(?P<modules>(?:[^\n;\\]|\\\r?\n)*))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")
_NAME = re.compile(rb"[\w.]+")


@dataclass(frozen=True, slots=True)
class Import:
    """`from ..module import names`: `level` counts the dots. Of `import module` there are no
    names; a star is the name "*"."""

    module: str
    level: int = 0
    names: tuple[str, ...] = ()


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
            found += [Import(name) for name in _listed(match["modules"])]
            continue
        text = "".join(origin.decode("utf-8", "replace").split())
        module = text.lstrip(".")
        names = ("*",) if b"*" in match["names"] else tuple(_listed(match["names"]))
        found.append(Import(module, len(text) - len(module), names))
    return found


def _listed(text: bytes) -> list[str]:
    """The names of a list, without what they are called here."""
    plain = _COMMENT.sub(b"", text).replace(b"\\", b" ").strip(b"() \t\r\n")
    names = (_NAME.match(part.strip()) for part in plain.split(b","))
    return [name.group().decode("utf-8", "replace") for name in names if name is not None]

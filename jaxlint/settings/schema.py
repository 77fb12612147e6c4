"""The JSON schema of settings files, and the reference of keys: both follow from the keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from jaxlint.settings.keys import KEYS, Key
from jaxlint.settings.kinds import DEFINITIONS

_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def schema() -> dict[str, Any]:
    """What an editor may complete and check in `jaxlint.toml` and in the table `tool.jaxlint`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://json.schemastore.org/jaxlint.json",
        "title": "jaxlint",
        "description": "Settings of jaxlint, a linter for JAX code",
        **_table(KEYS, 0),
        "definitions": DEFINITIONS,
    }


def text() -> str:
    """The schema as the file that the package holds."""
    return json.dumps(schema(), indent=2) + "\n"


def _table(keys: Iterable[Key], depth: int) -> dict[str, Any]:
    """The schema of a table with these keys, whose names begin alike."""
    properties: dict[str, Any] = {}
    inner: dict[str, list[Key]] = {}
    for key in keys:
        name = key.parts[depth]
        if len(key.parts) == depth + 1:
            properties[name] = _property(key)
        else:
            inner.setdefault(name, []).append(key)
    for name, below in inner.items():
        what = {"title": name, "description": f"Keys of the table {name}."}
        properties[name] = what | _table(below, depth + 1)
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _property(key: Key) -> dict[str, Any]:
    said: dict[str, Any] = {"title": key.parts[-1], "description": _plain(key.text)}
    if key.default is not None:
        said["default"] = key.default
    return said | key.kind.schema()


def _plain(markdown: str) -> str:
    return _LINK.sub(r"\1", markdown)


def reference() -> str:
    """The keys as a table in Markdown, and one line of TOML for each."""
    rows = ["| key | value | default | what it does |", "|---|---|---|---|"]
    for key in KEYS:
        default = "" if key.default in (None, "") else f"`{toml(key.default)}`"
        rows.append(f"| `{key.name}` | {key.kind.short} | {default} | {key.text} |")
    lines = [f"{key.name} = {key.example}" for key in KEYS if key.name != "extend"]
    example = "\n".join(["```toml", *lines, "```"])
    return (
        "\n".join(rows) + f"\n\nOne line for each, as it stands in `jaxlint.toml`:\n\n{example}\n"
    )


def toml(value: Any) -> str:
    """A value in TOML, tables on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        pairs = ", ".join(f"{quoted(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    # Strings, numbers and booleans are those of JSON.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def quoted(key: str) -> str:
    """A key of the user's in TOML."""
    is_bare = key.replace("-", "").replace("_", "").isalnum() and key.isascii()
    return key if is_bare else toml(key)

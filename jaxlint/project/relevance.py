"""Whether tracing can start in a file, seen from its text: what it takes from JAX decides."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jaxlint.project.imports import Import

# A library by another road than an import statement: `pytest.importorskip("jax")`.
_BY_NAME = re.compile(rb"[\"'](\w+)[.\"']")


def takes_jax(
    data: bytes, imports: Iterable[Import], package: str, libraries: frozenset[str]
) -> bool:
    """Whether a file takes something from these libraries that means anything to the analysis.
    `package` is the one that the file is in, whose modules relative imports name.

    Of public names, all do. JAX's own modules import each other by private names, most of which
    nothing is known of: `jax._src.config.Flag`.
    """
    private: dict[str, str] = {}
    for one in imports:
        module = _absolute(one, package)
        if module.partition(".")[0] not in libraries:
            continue
        for name, word in zip(one.names or ("",), one.bound or ("",), strict=True):
            dotted = f"{module}.{name}" if name else module
            if name == "*" or not _is_private(dotted):
                return True
            # `import jax._src.core` binds `jax`.
            top = module.partition(".")[0]
            private[word] = top if not name and word == top else dotted
    if any(name.decode(errors="replace") in libraries for name in _BY_NAME.findall(data)):
        return True
    if not private:
        return False
    words = "|".join(map(re.escape, private)).encode()
    found = {m.group() for m in re.finditer(rb"\b(?:%s)\b(?:\.\w+)*" % words, data)}
    return any(_is_known(chain.decode("utf-8", "replace"), private) for chain in found)


def _absolute(one: Import, package: str) -> str:
    if not one.level:
        return one.module
    parts = package.split(".")
    kept = parts[: len(parts) - one.level + 1]
    return ".".join([*kept, one.module] if one.module else kept)


def _is_private(dotted: str) -> bool:
    return dotted.startswith("jax._src")


def _is_known(chain: str, private: dict[str, str]) -> bool:
    """Whether the tables know what a chain of names stands for, or something on its way."""
    from jaxlint.knowledge import lookup

    head, *rest = chain.split(".")
    dotted = private[head]
    for name in ("", *rest):
        dotted = f"{dotted}.{name}" if name else dotted
        public = "." in dotted and not _is_private(dotted)
        if public or lookup.is_known(dotted):
            return True
    return False

"""jaxlint: a static linter for JAX code."""

# What the command imports before its import path is restricted has no `from __future__ import`:
# that imports a module of Python, and a file of the current directory may have its name.

from jaxlint.base.version import version as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from jaxlint.base.finding import Confidence, Finding, Severity

__all__ = ["Confidence", "Finding", "Severity", "__version__", "lint"]


def lint(
    source: "str | bytes | os.PathLike[str]",
    *,
    filename: str = "<source>",
    select: "Sequence[str] | None" = None,
    ignore: "Sequence[str]" = (),
    extend_select: "Sequence[str]" = (),
    noqa: bool = True,
    min_confidence: "Confidence | str" = "medium",
) -> "list[Finding]":
    """The findings in source text (str or bytes) or in a file (a `pathlib.Path`).

    `filename` names source text in the findings; its ending tells a notebook, in which the lines
    of findings count in the cell that `Finding.cell` names. Selectors are those of the command; no
    configuration file is read. With `noqa` false, suppression comments count for nothing.
    `min_confidence` is the least confidence of what is returned: "high", "medium" or "low".
    Raises UnknownRuleError for a selector that names no rule, OSError for a file that cannot
    be read. What is wrong with the source itself is a finding, JAX001.
    """
    # Imported here so that `import jaxlint` and a run that is in the cache import nothing.
    import os

    from jaxlint.base.finding import Confidence
    from jaxlint.results.report import in_cells
    from jaxlint.session.session import Session
    from jaxlint.settings import Selection, Settings

    selected = None if select is None else tuple(select)
    selection = Selection(selected, tuple(ignore), tuple(extend_select))
    least = Confidence(min_confidence)
    settings = Settings((selection,), "all" if noqa else "none", min_confidence=least)
    session = Session(settings)
    if not isinstance(source, str | bytes):
        filename = os.fspath(source)
        source = session.files.read(filename)
    return list(in_cells(session.check_source(source, filename)))


def __getattr__(name: str) -> object:
    if name in ("Confidence", "Finding", "Severity"):
        from jaxlint.base import finding

        return getattr(finding, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

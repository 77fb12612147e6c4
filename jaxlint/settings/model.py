"""What a user may configure, ready for use."""

from __future__ import annotations

from typing import Literal

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Confidence, Finding, Severity
from jaxlint.base.own_codes import INCOMPLETE_ANALYSIS, Meta


@slotted(frozen=True)
class Selection:
    """Which rules to run, in code prefixes and rule names, and where the user said so.

    `select` replaces what was selected before, None keeps it. `extend_select` adds to it and
    `ignore` takes away; the more specific of two selectors wins.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    origin: str = ""


@slotted(frozen=True)
class FileIgnore:
    """Rules that say nothing in the files that a pattern covers; one with a "!" in front covers
    all others. Patterns are relative to `base`."""

    pattern: str
    selectors: tuple[str, ...]
    base: str = ""
    origin: str = ""


@slotted(frozen=True)
class SeverityOverride:
    """The severity that findings of some rules get."""

    selector: str
    severity: Severity
    origin: str = ""


@slotted(frozen=True)
class FixChoice:
    """What is said of the fixes of some rules: that they are "fixable" or "unfixable", "safe" or
    "unsafe"."""

    word: Literal["fixable", "unfixable", "safe", "unsafe"]
    selectors: tuple[str, ...]
    origin: str = ""


@slotted(frozen=True)
class VerifySettings:
    """How `--verify` works, from the table `verify`.

    `python` is the interpreter that runs the code, `arguments` pairs "package.module:function"
    with the source of a call's arguments, `timeout` is in seconds a call, `memory` in GiB, and
    `evidence` the form in which whole programs are shown.
    """

    python: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    timeout: float = 10.0
    memory: float = 6.0
    evidence: Literal["", "jaxpr", "stablehlo"] = ""


@slotted(frozen=True)
class RunSettings:
    """What concerns a run as a whole: the settings of the current directory decide.

    `cache_dir` is a path, empty where the cache is in its usual place. `markdown` says that blocks
    of Python in Markdown files are checked too.
    """

    output_format: str = "full"
    cache_dir: str = ""
    force_exclude: bool = False
    respect_gitignore: bool = True
    markdown: bool = False
    fix: bool = False
    unsafe_fixes: bool = False


# Patterns in the manner of gitignore, and the directory that they are relative to.
Patterns = tuple[str, tuple[str, ...]]


@slotted(frozen=True)
class Settings:
    """Everything that decides which findings a file gets, and which files are checked.

    `selections` apply in order, later ones on top. `noqa` says which suppression comments are
    honoured: "all", those for a whole "file" only, or "none". `base` is the directory of the
    file that the settings stand in.

    `min_confidence` is the least confidence of what is reported. `transforms` pairs functions of
    packages that jaxlint cannot see into with the transform that each stands for. `src` are
    directories that absolute imports start from, before those of convention. `framework_methods`
    asks for the methods of framework modules that no visible entry reaches. `baseline` is the
    path of a file of known findings, which are not reported, empty if there is none. Without
    `writes_fixes`, findings have none, and what writes them is not asked.
    """

    selections: tuple[Selection, ...] = ()
    noqa: Literal["all", "file", "none"] = "all"
    exclude: tuple[Patterns, ...] = ()
    base: str = ""
    target_jax: str | None = None
    verify: VerifySettings = VerifySettings()
    min_confidence: Confidence = Confidence.MEDIUM
    transforms: tuple[tuple[str, str], ...] = ()
    src: tuple[str, ...] = ()
    framework_methods: bool = False
    baseline: str = ""
    file_ignores: tuple[FileIgnore, ...] = ()
    severities: tuple[SeverityOverride, ...] = ()
    fixes: tuple[FixChoice, ...] = ()
    writes_fixes: bool = True
    run: RunSettings = RunSettings()

    def asks_for(self, meta: Meta) -> bool:
        """Whether a code is selected by itself, not with a whole family."""
        words = (word for it in self.selections for word in (*(it.select or ()), *it.extend_select))
        return any(word in (meta.code, meta.name) for word in words)

    def fails_for(self, finding: Finding) -> bool:
        """Whether a finding changes the exit code: that something was left out does where it is
        asked for."""
        return finding.code != INCOMPLETE_ANALYSIS.code or self.asks_for(INCOMPLETE_ANALYSIS)

    @property
    def names_rules(self) -> bool:
        """Whether any rule is selected or ignored, so that the defaults are not all."""
        layers = self.selections
        return any(it.select is not None or it.ignore or it.extend_select for it in layers)

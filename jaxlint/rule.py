"""What a rule is: a code, a promise, and pure functions from facts to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from jaxlint.base.dataclass import replace
from jaxlint.base.finding import Applicability, Finding, Fix, Severity, Tag
from jaxlint.base.runtime.deprecation import warn_renamed
from jaxlint.base.witness import Witness
from jaxlint.facts import Fact
from jaxlint.facts.check import Check as Detection
from jaxlint.facts.provenance import short
from jaxlint.fixes.source import Code

F = TypeVar("F", bound=Fact)
Check = Callable[[Any], Iterator[Finding]]
Fixer = Callable[[Any, Code], Fix | None]
FixOf = Callable[[F, Code], Fix | None]


class Rule:
    """One rule. Its name is its module's, its page is that module's docstring.

    `applicability` says how far a fix of its findings can be trusted. `over` are the codes of rules
    that are silent where this one speaks: at the same place, or about the same parameter. `tags`
    tell editors how to show its findings. `detects` are the checks that emit its facts, where the
    engine has none that does. `checks` pairs each kind of fact with the function that
    judges it, `fixes` with the function that writes the fix of a finding. `fix` as an argument is
    the former name of `applicability`.
    """

    def __init__(
        self,
        module: str,
        *,
        code: str,
        severity: Severity,
        witness: Witness,
        since: str,
        default: bool = True,
        applicability: Applicability = Applicability.NONE,
        over: tuple[str, ...] = (),
        tags: tuple[Tag, ...] = (),
        detects: tuple[Detection, ...] = (),
        fix: Applicability | None = None,
    ) -> None:
        if fix is not None:
            warn_renamed("Rule(fix=...)", "Rule(applicability=...)")
            applicability = fix
        self.module = module
        self.name = module.rpartition(".")[2].replace("_", "-")
        self.code = code
        self.severity = severity
        self.witness = witness
        self.since = since
        self.default = default
        self.applicability = applicability
        self.over = over
        self.tags = tags
        self.detects = detects
        self.checks: list[tuple[type[Fact], Check]] = []
        self.fixes: list[tuple[type[Fact], Fixer]] = []

    def __repr__(self) -> str:
        return f"<Rule {self.code} {self.name}>"

    def on(
        self, kind: type[F]
    ) -> Callable[[Callable[[F], Iterator[Finding]]], Callable[[F], Iterator[Finding]]]:
        """Registers a function that turns facts of one kind into findings."""

        def register(check: Callable[[F], Iterator[Finding]]) -> Callable[[F], Iterator[Finding]]:
            self.checks.append((kind, check))
            return check

        return register

    def fix(self, kind: type[F]) -> Callable[[FixOf[F]], FixOf[F]]:
        """Registers a function that writes the fix of a finding from facts of one kind; it returns
        None where it cannot. Raises ValueError for a rule that promises no fix."""
        if self.applicability is Applicability.NONE:
            raise ValueError(f"{self.name} says that it has no fix")

        def register(write: FixOf[F]) -> FixOf[F]:
            self.fixes.append((kind, write))
            return write

        return register

    def mend(self, kind: type[F]) -> Callable[[FixOf[F]], FixOf[F]]:
        """The former name of `fix`."""
        warn_renamed("@rule.mend", "@rule.fix")
        return self.fix(kind)

    def fix_for(self, fact: Fact, code: Code) -> Fix | None:
        """The fix of what was found from a fact, None where none can be written. It is trusted no
        further than the rule's fixes are, and than the fact is."""
        is_doubtful = fact.guessed or not fact.is_certain
        for kind, write in self.fixes:
            fix = write(fact, code) if isinstance(fact, kind) else None
            if fix is not None:
                unsafe = is_doubtful or self.applicability is Applicability.UNSAFE
                return replace(fix, applicability=Applicability.UNSAFE) if unsafe else fix
        return None

    def finding(
        self,
        fact: Fact,
        message: str,
        *,
        help: str = "",
        severity: Severity | None = None,
        minor: str = "",
    ) -> Finding:
        """A finding at the fact's place: `message` says what happens, `help` what to write.

        A rule may lower its `severity` for a case that is not always wrong. What happens only
        if a default is replaced, if a guess is right, or if a call is made that none of the calls
        in sight is, is a warning at most. `minor` says why a case is seldom worth a change, where
        the fact does not; what is slow in tests is not.
        """
        severity = severity or self.severity
        minor = minor or fact.minor
        if fact.in_tests and severity in (Severity.PERF, Severity.INFO):
            minor = minor or "this is a test"
        if severity is Severity.ERROR and (fact.guessed or fact.supposed or not fact.is_certain):
            severity = Severity.WARNING
        trail = fact.reasons()
        return Finding(
            filename=fact.module.source.path,
            span=fact.span,
            code=self.code,
            name=self.name,
            severity=severity,
            message=message,
            help=help,
            because=short(trail),
            trail=trail,
            confidence=fact.confidence,
            doubt=fact.doubt(),
            minor=minor,
        )

"""Carries out fixes in rounds, until nothing is left to fix and nothing is found that was not.

What a fix uncovers is fixed too. A fix after which there is a new finding that has no fix is taken
back. Which fix that is, trials with ever fewer fixes tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from jaxlint.apply.text import Wanted, fixed_text, is_safe
from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.edit import applied
from jaxlint.base.finding import Finding
from jaxlint.base.text import SourceText
from jaxlint.results.fingerprints import Identities, Known
from jaxlint.syntax.unused import is_cleaned, left_unused, removals

MOST_ROUNDS = 20
"""How often fixes are carried out on what fixes left."""
MOST_TRIALS = 64
"""How often some of the fixes of a round are carried out, to find those to take back."""

# The findings by file, a number of findings by file and code, and a finding in a file.
Found = Mapping[str, Sequence[Finding]]
Counts = Counter[tuple[str, str]]
Item = tuple[str, Finding]
# What a fix is known by while the lines around it move: its file, finding, title and text.
Name = tuple[str, Known, str, tuple[str, ...]]


class Texts(Protocol):
    """The texts that are fixed."""

    def text(self, path: str) -> str | None:
        """The text of a file, None for one that cannot be changed."""

    def put(self, path: str, text: str) -> None:
        """Has a file hold another text."""

    def check(self) -> Found:
        """The findings in all files."""


@slotted(frozen=True)
class Fixed:
    """A text after fixes: the findings that these were for, those whose fixes were taken back, and
    those that are left."""

    text: str
    findings: tuple[Finding, ...]
    refused: tuple[Finding, ...]
    left: tuple[Finding, ...]


@slotted(frozen=True)
class State:
    """What the files hold that fixes changed, all findings then, those that were fixed, and how
    many there may be in the end."""

    texts: Mapping[str, str]
    found: Found
    fixed: tuple[Finding, ...]
    allowed: Counts

    def excess(self) -> Counts:
        """How many findings there are that were not there before."""
        return _counts(self.found) - self.allowed


@slotted()
class Settling:
    """The fixes of one run. `fixed` are the findings whose fixes were carried out, `refused` those
    whose fixes were taken back."""

    texts: Texts
    wanted: Wanted
    fixed: tuple[Finding, ...] = ()
    refused: list[Finding] = field(default_factory=list)
    # What the refused fixes are known by, and how strict new findings in a file are judged.
    _names: set[Name] = field(default_factory=set)
    _strictness: Counter[str] = field(default_factory=Counter)
    _identities: dict[str, tuple[str, Identities]] = field(default_factory=dict)
    # What the files held before all fixes.
    _originals: dict[str, str | None] = field(default_factory=dict)
    _trials: int = 0

    def settle(self, found: Found) -> Found:
        """Fixes what is wanted, given what is found; what is found after that."""
        good = state = State({}, found, (), _counts(found))
        rounds = 0
        while True:
            after = self._round(state) if rounds < MOST_ROUNDS else None
            if after is not None:
                state, rounds = after, rounds + 1
                good = good if state.excess() else state
            elif state is good:
                break
            else:
                # Something that was uncovered could not be fixed.
                self._strictness.update({path for path, _ in state.excess()})
                self._put(state, good)
                state, rounds = good, 0
        state = self._cleaned(state)
        self.fixed = state.fixed
        return {path: tuple(self._shown(path, found)) for path, found in state.found.items()}

    def _round(self, state: State) -> State | None:
        """The state after as many fixes at once as there can be, None if there are none."""
        while items := self._items(state):
            after = self._after(state, state, items)
            bad = self._bad(after)
            if not bad:
                return after
            self._trials = 0
            suspects = [one for one in items if one[0] in bad]
            others = [one for one in items if one[0] not in bad]
            kept, after = self._accepted(state, after, [], others)
            kept, after = self._accepted(state, after, kept, suspects)
            if kept:
                return self._after(state, after, kept)
            self._put(after, state)
        return None

    def _cleaned(self, state: State) -> State:
        """The state without the imports that fixes left unused."""
        texts = dict(state.texts)
        for path, text in state.texts.items():
            old = self._originals[path]
            if old is not None and is_cleaned(path):
                texts[path] = applied(text, removals(text, left_unused(old, text)))
        if texts == state.texts:
            return state
        after = replace(state, texts=texts)
        self._put(state, after)
        after = replace(after, found=self.texts.check())
        if not after.excess():
            return after
        self._put(after, state)
        return state

    def _items(self, state: State) -> list[Item]:
        """The findings whose fixes can be carried out together."""
        items = []
        for path, findings in state.found.items():
            if any(map(self.wanted, findings)):
                text = self._text(state, path)
                if text is not None:
                    chosen = fixed_text(
                        text, self._shown(path, findings, text), self.wanted
                    ).findings
                    items += [(path, one) for one in chosen]
        return items

    def _accepted(
        self, state: State, now: State, kept: list[Item], items: list[Item]
    ) -> tuple[list[Item], State]:
        """Those fixes that can be carried out after some that are kept, and what the files hold
        now."""
        if not items:
            return kept, now
        is_last = self._trials >= MOST_TRIALS
        if not is_last:
            self._trials += 1
            now = self._after(state, now, [*kept, *items])
            if not self._bad(now):
                return [*kept, *items], now
        if is_last or len(items) == 1:
            for path, finding in items:
                self.refused.append(finding)
                self._names.add(self._name(path, finding, self._text(state, path) or ""))
            return kept, now
        middle = len(items) // 2
        kept, now = self._accepted(state, now, kept, items[:middle])
        return self._accepted(state, now, kept, items[middle:])

    def _after(self, state: State, now: State, items: Iterable[Item]) -> State:
        """The state after some fixes; the files are changed from what they hold now."""
        chosen: dict[str, list[Finding]] = {}
        for path, finding in items:
            chosen.setdefault(path, []).append(finding)
        texts = dict(state.texts)
        fixed = []
        for path, findings in chosen.items():
            one = fixed_text(self._text(state, path) or "", findings, self.wanted)
            texts[path] = one.text
            fixed += [(path, finding) for finding in one.findings]
        allowed = state.allowed.copy()
        paid = state.excess()
        for path, finding in fixed:
            key = path, finding.code
            # The fix of something that was uncovered leaves no fewer of the others.
            (paid if paid[key] > 0 else allowed)[key] -= 1
        after = State(texts, {}, (*state.fixed, *(one for _, one in fixed)), allowed)
        self._put(now, after)
        return replace(after, found=self.texts.check())

    def _bad(self, state: State) -> set[str]:
        """The files that have new findings which no fix will take away. At first only the end tells
        which these are; after that they are those without a fix, and then all new ones."""
        bad = set()
        for (path, code), number in state.excess().items():
            if not self._strictness[path]:
                continue
            text = self._text(state, path)
            shown = () if text is None else self._shown(path, state.found[path], text)
            fixable = sum(one.code == code and self.wanted(one) for one in shown)
            if self._strictness[path] > 1 or number > fixable:
                bad.add(path)
        return bad

    def _shown(
        self, path: str, findings: Iterable[Finding], text: str | None = None
    ) -> Iterable[Finding]:
        """Findings of a file, without fixes that were taken back."""
        if not any(name[0] == path for name in self._names):
            return findings
        text = self.texts.text(path) if text is None else text
        return [
            replace(one, fix=None)
            if one.fix is not None and self._name(path, one, text or "") in self._names
            else one
            for one in findings
        ]

    def _name(self, path: str, finding: Finding, text: str) -> Name:
        held, identities = self._identities.get(path, ("", None))
        if identities is None or held != text:
            identities = Identities(SourceText(path, text))
            self._identities[path] = text, identities
        fix = finding.fix
        assert fix is not None
        written = tuple(edit.replacement for edit in fix.edits)
        return path, identities.of(finding), fix.title, written

    def _text(self, state: State, path: str) -> str | None:
        if path in state.texts:
            return state.texts[path]
        if path not in self._originals:
            self._originals[path] = self.texts.text(path)
        return self._originals[path]

    def _put(self, now: State, wanted: State) -> None:
        """Has the files hold what they hold in another state."""
        for path in {*now.texts, *wanted.texts}:
            text = self._text(wanted, path)
            if text is not None and text != self._text(now, path):
                self.texts.put(path, text)


class _OneText:
    """The text of one file, whose findings a function tells."""

    def __init__(self, path: str, text: str, check: Callable[[str], Iterable[Finding]]) -> None:
        self.path, self.current = path, text
        self._check = check

    def text(self, path: str) -> str:
        return self.current

    def put(self, path: str, text: str) -> None:
        self.current = text

    def check(self) -> Found:
        return {self.path: tuple(self._check(self.current))}


def settled(
    text: str,
    check: Callable[[str], Iterable[Finding]],
    wanted: Wanted = is_safe,
    path: str = "",
) -> Fixed:
    """The text of a file after all fixes that are wanted, those of what fixes uncover included."""
    one = _OneText(path, text, check)
    settling = Settling(one, wanted)
    left = settling.settle(one.check())[path]
    return Fixed(one.current, settling.fixed, tuple(settling.refused), tuple(left))


def _counts(found: Found) -> Counts:
    return Counter((path, one.code) for path, findings in found.items() for one in findings)

"""What is to be measured, as every section gets it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.corpora import Corpus


@dataclass(frozen=True, slots=True)
class Plan:
    """The corpora, how often each thing is measured, and where other linters are installed.

    `plain` is a tree to take files without JAX from, `sample` how many files slow linters get.
    """

    corpora: tuple[Corpus, ...]
    repeats: int
    plain: str | None
    sample: int
    peers: str
    growth: Corpus
    python: str

    @property
    def few(self) -> int:
        """How often what takes long is measured."""
        return max(1, self.repeats // 2)

    @property
    def many(self) -> int:
        """How often what takes a moment is measured; once, where everything is."""
        return 4 * self.repeats - 3

"""Applications of transforms to functions: what they are, and the words for them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class EntryKind(Enum):
    """How the transform of a function is worded where tracing starts: "mapped by `jax.vmap`"."""

    JITTED = "jitted"
    MAPPED = "mapped"
    DIFFERENTIATED = "differentiated"
    TRACED = "traced"
    COMPILED = "compiled"
    LIFTED = "lifted"
    RULED = "given a rule"
    NAMED = "named"
    CHECKED = "checked"
    KERNEL = "a kernel"
    INDEX_MAP = "an index map"
    HAIKU = "transformed by Haiku"
    SUPPOSED = "taken to run in compiled code"
    OTHER = ""

    @property
    def preposition(self) -> str:
        """The word before the transform's name."""
        return "of" if self in (EntryKind.KERNEL, EntryKind.INDEX_MAP) else "by"

    def by(self, transform: str) -> Application:
        """The application of a transform, by its name as programs write it: `nnx.jit`."""
        return Application(self, transform)


@dataclass(frozen=True, slots=True)
class Application:
    """The transform that a function is given to, by the name that messages use.

    Only one of the kind OTHER, which a model declares, has `words` of its own.
    """

    kind: EntryKind
    transform: str = ""
    words: str = ""

    @property
    def phrase(self) -> str:
        """Completes "`step` is ..."."""
        if not self.transform:
            return self.words or self.kind.value
        return f"{self.kind.value} {self.kind.preposition} `{self.transform}`"

    @property
    def is_plain_jit(self) -> bool:
        """Whether it is `jax.jit`, whose options make parameters static."""
        return self.kind is EntryKind.JITTED and not self.transform

    @property
    def is_kernel(self) -> bool:
        """Whether the function is a kernel of Pallas."""
        return self.kind is EntryKind.KERNEL

    @property
    def is_abstract_evaluation(self) -> bool:
        """Whether the function is traced for its shapes, and nothing runs."""
        return self.transform.endswith("eval_shape")

    @classmethod
    def declared(cls, words: str) -> Application:
        """The application that the words of a library's model declare."""
        for kind in EntryKind:
            start = f"{kind.value} {kind.preposition} `"
            if words == kind.value:
                return cls(kind)
            if words.startswith(start) and words.endswith("`"):
                return cls(kind, words[len(start) : -1])
        return cls(EntryKind.OTHER, words=words)

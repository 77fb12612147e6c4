"""What code can refer to at a place: variables with their kinds, and functions."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from generator.kinds import narrower


@dataclass(frozen=True)
class Parameter:
    """A parameter. `style`: "positional", "only" (it has no name), "default", "keyword",
    "varargs" or "varkw".
    """

    name: str
    kind: str
    style: str = "positional"
    default: str = ""


@dataclass(frozen=True)
class Function:
    """A function that can be called, by the text that names it."""

    text: str
    parameters: tuple[Parameter, ...]
    result: str


@dataclass(frozen=True)
class Structure:
    """A class with fields. `flavour`: "tuple", "data" and "node" are trees, "frozen" and "plain"
    are not, and "frozen" alone can be hashed.

    `members` are what can be had of an instance besides: properties and calls of methods.
    """

    name: str
    fields: tuple[tuple[str, str], ...]
    flavour: str
    members: tuple[tuple[str, str], ...] = ()

    @property
    def is_tree(self) -> bool:
        """Whether JAX takes it apart."""
        return self.flavour in ("tuple", "data", "node")


@dataclass
class Scope:
    """Names in reach.

    `taken` are names that must not be bound anew, `own` may be rebound. The first `outer` values
    are those of the code around the function.
    """

    values: list[tuple[str, str]] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    own: dict[str, str] = field(default_factory=dict)
    outer: int = 0

    def inner(self) -> Scope:
        """The scope of a nested block: what it binds is not known behind it."""
        return Scope(
            list(self.values),
            list(self.functions),
            self.taken,
            dict(self.own),
            self.outer,
        )

    def nested(self) -> Scope:
        """The scope of a nested function: it may read what is here, and binds names of its own."""
        values = list(self.values)
        return Scope(values, list(self.functions), set(self.taken), {}, len(values))

    def hide(self, name: str) -> None:
        """Forget a name and what is reached through it."""
        kept = [
            text != name and not text.startswith((name + ".", name + "["))
            for text, _ in self.values
        ]
        self.outer = sum(kept[: self.outer])
        self.values = list(itertools.compress(self.values, kept))
        self.functions = [each for each in self.functions if name not in words(each.text)]

    def of_kind(self, kind: str) -> list[str]:
        """The expressions that serve as a kind, those bound last at the end."""
        wanted = set(narrower(kind))
        return [text for text, held in self.values if held in wanted]

    def names_of(self, kinds: str) -> list[str]:
        """The plain and dotted names of some kinds."""
        return [
            text
            for text, held in self.values
            if held in kinds and text.replace(".", "_").isidentifier()
        ]


def words(text: str) -> list[str]:
    """The names and attributes in an expression."""
    return re.findall(r"[^\W\d]\w*", text)

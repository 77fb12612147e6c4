"""What surrounds the file that is analysed: other modules, and what the user's settings say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.budget import Cut
from jaxlint.engine.machine.events import Check
from jaxlint.facts.core import Fact
from jaxlint.knowledge import lookup
from jaxlint.project.modules import Place
from jaxlint.syntax import ir

_ANY_JAX = lookup.Supported()


class Made(Protocol):
    """An analysis, whose parts refer to each other."""

    def standing(self) -> list[Fact]:
        """The facts that stand even if the analysis ends here."""

    def dismantle(self) -> None:
        """Parts them."""


class Modules(Protocol):
    """The modules of a project. Files go by their identity."""

    def find(self, importer: str, module: str, level: int = 0) -> Place | None:
        """The module that a file means by a dotted name behind `level` dots."""

    def submodule(self, place: Place, name: str) -> Place | None:
        """A module of a package."""

    def name(self, path: str) -> str:
        """The dotted name of a file."""

    def acts(self, path: str) -> bool:
        """Whether importing a file may change what other modules hold."""

    def uses_x64(self, path: str) -> bool:
        """Whether 64-bit numbers may be switched on where a file is used."""

    def heirs(self, path: str, name: str) -> Sequence[tuple[str, str]]:
        """The classes that derive directly from one of a file, each with its own file."""

    def having(self, path: str, asked: str) -> Sequence[tuple[str, str]]:
        """The classes whose objects have what code of a file asks of one."""

    def making(self, path: str, name: str) -> Sequence[str]:
        """The files with code that calls a class of a file."""

    def storing(self, path: str, name: str) -> Sequence[str]:
        """The files that set an attribute of this name, perhaps of an object of a file's class."""

    def filling(self, path: str) -> Sequence[str]:
        """The files that may register something in a file when they are imported."""

    def registering(self, path: str, name: str) -> Sequence[str]:
        """The other files that may register a class of a file as a pytree."""

    def behind(self, path: str) -> frozenset[str]:
        """The files that tracing the entries of a file may lead to."""

    def load(self, path: str) -> ir.Module | None:
        """The parsed file, None where it cannot be read."""


@slotted(frozen=True)
class Context:
    """`transforms` maps dotted names of the user's wrappers to those of JAX's transforms.
    `framework_methods`: methods of frameworks' classes that no visible entry reaches are
    analysed as if they were called in traced code. `traced` takes the functions of other modules
    that ran in traced code, by file and name. `newest_jax` is the newest JAX that the project is
    for. `made` is what `dismantle` parts, and `cuts` are the places from which not everything was
    followed. `root` is the directory of the project.
    `checks` are those of plugins. `worlds` has the modules that the analyses of the project share,
    once one of them has begun."""

    modules: Modules | None = None
    transforms: Mapping[str, str] = field(default_factory=dict)
    framework_methods: bool = False
    traced: set[tuple[str, str]] = field(default_factory=set)
    newest_jax: lookup.Supported = _ANY_JAX
    made: list[Made] = field(default_factory=list)
    worlds: list[Any] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    root: str | None = None
    checks: tuple[Check, ...] = ()

    def standing(self) -> list[Fact]:
        """What was found by analyses that failed."""
        return [fact for one in self.made for fact in one.standing()]

    def dismantle(self) -> None:
        """Lets go of what was made for an analysis whose facts have been read: in circles, it
        would wait for the garbage collector, and the syntax of the file with it."""
        while self.made:
            self.made.pop().dismantle()

"""What is written in a file, as plain data: its functions, their statements, and what names them.

Nodes go by their numbers, which are the same wherever the same source is read; 0 stands for the
code of the module itself.
"""

from __future__ import annotations

from typing import NamedTuple

from jaxlint.base.dataclass import slotted
from jaxlint.base.surveys.spot import Spot


class Key(NamedTuple):
    """A node of a file."""

    file: str
    number: int


@slotted(frozen=True)
class Definition:
    """A function: a `def` or a lambda, which is `anonymous` unless it is assigned to a name.

    `first` and `last` are its lines, decorators included; `inside` is the function around it, and
    `owner` the name of the class whose method it is. A `stub` has no body to run. `decorator` is
    the first of its decorators that may do something else with it than give it back, and
    `statement` the one that makes it.
    """

    number: int
    spot: Spot
    name: str
    short: str
    first: int
    last: int
    inside: int
    owner: str = ""
    stub: bool = False
    test: bool = False
    decorator: str = ""
    statement: int = 0
    anonymous: bool = False


@slotted(frozen=True)
class Statement:
    """A statement of a function.

    `line` to `last` are the lines of a simple statement, and of the head of a compound one. `after`
    is the statement before it in its block, `parent` the statement whose block it is in, and `role`
    what the block is to that one: "body", "orelse", "handler", "case" or "final". `asked` is the
    text of the test of an `if` or `while`, or what a `for` goes over.
    """

    number: int
    spot: Spot
    kind: str
    last: int
    function: int
    parent: int = 0
    role: str = ""
    after: int = 0
    asked: str = ""


@slotted(frozen=True)
class Reference:
    """A place that names something.

    `how` is "name", "attribute", or "base" where a class derives from it. `root` is the package
    that a name is imported from, "." for that of the file; it is empty for other names. `local`
    are the functions of the file that a name is certainly one of; a name of a parameter or a
    variable is `bound`. `call` is the call whose callee it is.
    """

    name: str
    spot: Spot
    how: str
    function: int
    statement: int
    call: int = 0
    root: str = ""
    local: tuple[int, ...] = ()
    bound: bool = False


@slotted(frozen=True)
class Alias:
    """A function goes by another name too: `name=function`, `self.name = function`."""

    function: str
    name: str


@slotted(frozen=True)
class Inventory:
    """All that matters of a file. `top` is the package that it is in, `bases` are pairs of a class
    and the name of one that it derives from."""

    file: str
    path: str
    top: str = ""
    definitions: tuple[Definition, ...] = ()
    statements: tuple[Statement, ...] = ()
    references: tuple[Reference, ...] = ()
    aliases: frozenset[Alias] = frozenset()
    bases: frozenset[tuple[str, str]] = frozenset()

"""Why a value is traced: a linked list from an expression back to where tracing starts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jaxlint.base.finding import Because
from jaxlint.syntax import ir


@dataclass(slots=True, eq=False)
class Entry:
    """A place where tracing starts.

    `phrase` completes "`step`, ... at line 12": "jitted", "traced by `jax.lax.scan`".
    """

    node: ir.Node
    phrase: str
    function: str


@dataclass(slots=True, eq=False)
class Trail:
    """One step: `node` is traced because of `parent`, or, at the root, because of `entry`.

    `name` is the parameter that the root stands for, empty for a value that is traced because
    every JAX operation in staged code is. A step with a `call` enters a helper there. An
    `optional` parameter is traced only if callers pass it, and none is seen to; another optional
    step may give a value that is not traced, whatever it is computed from.
    """

    node: ir.Node | ir.Param
    parent: Trail | None
    entry: Entry
    name: str = ""
    function: str = ""
    call: bool = False
    optional: bool = False

    def is_certain(self) -> bool:
        """Whether no step is optional."""
        step: Trail | None = self
        while step is not None:
            if step.optional:
                return False
            step = step.parent
        return True

    def root(self) -> Trail:
        """The step at which tracing starts."""
        step = self
        while step.parent is not None:
            step = step.parent
        return step


MOST_TEXT = 60
MOST_STEPS = 100
_COMMENT = re.compile(r"\s#[^\n]*(?=\n)")


def excerpt(module: ir.Module, node: ir.Node | ir.Param) -> str:
    """The source of a node on one line, the middle of a long one left out."""
    text = module.text_of(node)
    if "\n" in text:
        text = " ".join(_COMMENT.sub("", text).split())
    if len(text) <= MOST_TEXT:
        return text
    half = (MOST_TEXT - 5) // 2
    return f"{text[:half].rstrip()} ... {text[-half:].lstrip()}"


def why(module: ir.Module, node: ir.Node, trail: Trail) -> str:
    """One sentence: `y` is traced: computed from `x`, a parameter of `step`, jitted at line 12."""
    root = trail.root()
    text = excerpt(module, node)
    line = module.locate(root.entry.node).line
    place = f"{root.entry.phrase} at line {line}"
    if not root.name:
        return f"`{text}` is traced: so is every JAX operation in `{root.function}`, {place}"
    what = f"a parameter of `{root.function}`, {place}"
    if root.optional:
        what += ", traced when it is passed"
    if text == root.name:
        return f"`{text}` is traced: it is {what}"
    return f"`{text}` is traced: computed from `{root.name}`, {what}"


def steps(module: ir.Module, trail: Trail) -> tuple[Because, ...]:
    """The whole trail, from the value back to the entry, one step a place.

    Of a very long one the middle is left out.
    """
    found: list[Because] = []
    for step in _shown(trail):
        span = module.locate(step.node)
        text = excerpt(module, step.node)
        if step.parent is not None and step.call:
            message = f"`{text}` is passed to a function here"
        elif step.parent is not None:
            message = f"`{text}` is computed from a traced value"
        elif step.name:
            message = f"`{step.name}` is a parameter of `{step.function}`"
        else:
            message = f"`{text}` is a JAX operation in traced code"
        if not found or found[-1].span != span:
            found.append(Because(span, message))
        if step.parent is None:
            entry = step.entry
            found.append(
                Because(module.locate(entry.node), f"`{entry.function}` is {entry.phrase} here")
            )
    return tuple(found)


def _shown(trail: Trail) -> list[Trail]:
    found = [trail]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    half = MOST_STEPS // 2
    return found if len(found) <= MOST_STEPS else [*found[:half], *found[-half:]]


def short(trail: tuple[Because, ...]) -> tuple[Because, ...]:
    """At most three steps: the last computation, the parameter and the entry."""
    return trail if len(trail) <= 3 else (trail[0], *trail[-2:])

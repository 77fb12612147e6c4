"""Why a value is traced: a linked list from an expression back to where tracing starts."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import chain

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Because
from jaxlint.facts.spread import Spread
from jaxlint.knowledge.applications import Application
from jaxlint.syntax import ir


@slotted(eq=False)
class TraceEntry:
    """A place where tracing starts: `function` is given to a transform there."""

    node: ir.Node
    application: Application
    function: str

    @property
    def phrase(self) -> str:
        """Completes "`step`, ... at line 12": "jitted", "traced by `lax.scan`"."""
        return self.application.phrase


@slotted(eq=False)
class Provenance:
    """One step: `node` is traced because of `parent`, or, at the root, because of `entry`.

    `name` is the parameter that the root stands for, empty for a value that is traced because
    every JAX operation in staged code is. A step with a `call` enters a helper there. An
    `optional` parameter is traced only if callers pass it, and none is seen to; another optional
    step may give a value that is not traced, whatever it is computed from. A `guess` is only taken
    to be traced: the result of a call that cannot be followed, a field of an unknown object.
    A `flag` is a parameter that switches the mode of a framework's module. What is made by
    `python` is computed from Python and NumPy values alone, by JAX in staged code. `varies`
    is the transform that differentiates by something that the value depends on smoothly, `loop` a
    loop of unknown length that its derivative goes through, `unlike` those of arrays that it is
    made of and whose shape it certainly does not have.
    `length` is that of an array's first axis, where it was made here with a constant one. `spread`
    tells over which axes of a mesh the value varies, in `shard_map` alone.
    """

    node: ir.Node | ir.Param
    parent: Provenance | None
    entry: TraceEntry
    name: str = ""
    function: str = ""
    call: bool = False
    optional: bool = False
    guess: bool = False
    flag: bool = False
    python: bool = False
    varies: TraceEntry | None = None
    loop: ir.Node | None = None
    unlike: tuple[Provenance, ...] = ()
    length: int | None = None
    spread: Spread | None = None

    def __copy__(self) -> Provenance:
        """The same step, made without the long way that `copy` takes by itself."""
        return Provenance(
            self.node,
            self.parent,
            self.entry,
            self.name,
            self.function,
            self.call,
            self.optional,
            self.guess,
            self.flag,
            self.python,
            self.varies,
            self.loop,
            self.unlike,
            self.length,
            self.spread,
        )

    def part(self, node: ir.Node | ir.Param, optional: bool = False) -> Provenance:
        """The step to a part of the value, which varies with all that the value varies with."""
        made = Provenance(node, self, self.entry, optional=optional, varies=self.varies)
        made.spread = self.spread
        return made

    def is_certain(self) -> bool:
        """Whether no step is optional."""
        return self.doubtful() is None

    def doubtful(self) -> Provenance | None:
        """The optional step nearest to the value, None where every step is certain."""
        step: Provenance | None = self
        while step is not None and not step.optional:
            step = step.parent
        return step

    def may_be_left_out(self) -> bool:
        """Whether an optional step is a parameter, which callers need not pass."""
        return bool(self.name) and isinstance(self.node, ir.Param)

    def guessed(self) -> Provenance | None:
        """The guess nearest to the value, None where nothing is guessed."""
        step: Provenance | None = self
        while step is not None and not step.guess:
            step = step.parent
        return step

    def root(self) -> Provenance:
        """The step at which tracing starts."""
        step = self
        while step.parent is not None:
            step = step.parent
        return step


@slotted(eq=False)
class SourceMap:
    """The files that were read: the one that is analysed, and those that its imports led to. `root`
    is the directory of the project, `around` those that other files led to as well."""

    modules: list[ir.Module]
    root: str | None = None
    around: list[ir.Module] = field(default_factory=list)

    def owner(self, node: ir.Node | ir.Param, first: ir.Module) -> ir.Module:
        """The file that a node is from; `first` is the most likely one."""
        if (len(self.modules) == 1 and not self.around) or first.holds(node):
            return first
        others = (m for m in chain(self.modules, self.around) if m is not first and m.holds(node))
        return next(others, first)

    def line(self, node: ir.Node, seen_from: ir.Module) -> str:
        """ "line 12", or "line 12 of model.py" where that is another file."""
        owner = self.owner(node, seen_from)
        line = owner.source.named(owner.locate(node).line)
        return line if owner is seen_from else f"{line} of {owner.source.path}"


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


def why(
    sources: SourceMap, module: ir.Module, node: ir.Node, trail: Provenance, verb: str = "is"
) -> str:
    """One sentence: `y` is traced: computed from `x`, a parameter of `step`, jitted at line 12."""
    root = trail.root()
    text = excerpt(module, node)
    place = f"{root.entry.phrase} at {sources.line(root.entry.node, module)}"
    if not root.name:
        return f"`{text}` {verb} traced: so is every JAX operation in `{root.function}`, {place}"
    what = f"a parameter of `{root.function}`, {place}"
    if root.optional:
        what += ", traced when it is passed"
    if text == root.name:
        return f"`{text}` {verb} traced: it is {what}"
    return f"`{text}` {verb} traced: computed from `{root.name}`, {what}"


def doubt(sources: SourceMap, module: ir.Module, trail: Provenance) -> Because | None:
    """Why it is not certain that the value is traced."""
    step = trail.doubtful()
    if step is None:
        return None
    if step.may_be_left_out():
        text, message = step.name, "is traced only if it is passed, and no call here passes it"
    else:
        text, message = "", "may give a value in which nothing traced is left"
    return _about(sources, module, step, text, message)


def guess(sources: SourceMap, module: ir.Module, trail: Provenance) -> Because:
    """What is taken for granted of a value that is not known to be an array."""
    step = trail.guessed()
    if step is not None:
        message = "is taken to be an array: nothing here tells what it is"
        return _about(sources, module, step, "", message)
    root = trail.root()
    message = "is taken to be an array: it may be a container of arrays"
    return _about(sources, module, root, root.name, message)


def _about(
    sources: SourceMap, module: ir.Module, step: Provenance, text: str, message: str
) -> Because:
    """A sentence about the value of a step: the text, or else what stands in the source."""
    owner = sources.owner(step.node, module)
    file = "" if owner is module else owner.source.path
    subject = text or excerpt(owner, step.node)
    return Because(owner.locate(step.node), f"`{subject}` {message}", file)


def steps(sources: SourceMap, module: ir.Module, trail: Provenance) -> tuple[Because, ...]:
    """The whole trail, from the value back to the entry, one step a place.

    Of a very long one the middle is left out.
    """
    found: list[Because] = []
    for step in _shown(trail):
        owner = sources.owner(step.node, module)
        file = "" if owner is module else owner.source.path
        span = owner.locate(step.node)
        text = excerpt(owner, step.node)
        if step.parent is not None and step.call:
            message = f"`{text}` is passed to a function here"
        elif step.parent is not None:
            message = f"`{text}` is computed from a traced value"
        elif step.name:
            message = f"`{step.name}` is a parameter of `{step.function}`"
        else:
            message = f"`{text}` is a JAX operation in traced code"
        if not found or (found[-1].span, found[-1].filename) != (span, file):
            found.append(Because(span, message, file))
        if step.parent is None:
            found.append(entered(sources, module, step.entry))
    return tuple(found)


def entered(sources: SourceMap, module: ir.Module, entry: TraceEntry) -> Because:
    """The step at which tracing starts."""
    owner = sources.owner(entry.node, module)
    file = "" if owner is module else owner.source.path
    message = f"`{entry.function}` is {entry.phrase} here"
    return Because(owner.locate(entry.node), message, file)


def _shown(trail: Provenance) -> list[Provenance]:
    found = [trail]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    half = MOST_STEPS // 2
    return found if len(found) <= MOST_STEPS else [*found[:half], *found[-half:]]


def short(trail: tuple[Because, ...]) -> tuple[Because, ...]:
    """At most three steps: the last computation, the parameter and the entry."""
    return trail if len(trail) <= 3 else (trail[0], *trail[-2:])

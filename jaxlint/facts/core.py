"""The vocabulary that rules see: what the abstract tracer observed, and where."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.finding import Because, Confidence
from jaxlint.base.test_files import is_of_tests
from jaxlint.base.text import Span
from jaxlint.facts.provenance import (
    Provenance,
    SourceMap,
    TraceEntry,
    doubt,
    entered,
    excerpt,
    guess,
    steps,
    why,
)
from jaxlint.syntax import ir

Sink = Literal[
    "if",
    "ifexp",
    "while",
    "assert",
    "and",
    "or",
    "not",
    "chain",
    "filter",
    "in",
    "order",
    "count",
    "cast",
    "format",
    "method",
    "math",
    "numpy",
    "subscript",
]
EffectKind = Literal["print", "log", "io", "clock", "rng"]
Cause = Literal["lambda", "def", "partial", "method", "transform", "factory"]
Place = Literal["loop", "comprehension", "call"]
Need = Literal[
    "mask", "mask-update", "nonzero", "filter", "repeat", "set", "shape", "length", "slice"
]


@slotted(eq=False)
class Fact:
    """Something that happens at `node`.

    `function` is the name of the function that the user wrote around it, `entry` says how that
    code comes to be traced (None for facts about host code), `trail` why the value in question
    is traced (None when it is static). `supposed` tells that calls of the transformed function
    are seen, and none of them leads here: it takes other arguments. `unsure` tells that it takes
    one of several values or functions that may be here. `guessed` tells that it takes
    an array where the code does not say that there is one.
    """

    module: ir.Module
    node: ir.Node
    function: str
    entry: TraceEntry | None = None
    trail: Provenance | None = None
    supposed: bool = field(default=False, kw_only=True)
    unsure: bool = field(default=False, kw_only=True)
    sources: SourceMap | None = field(default=None, kw_only=True)
    calls: tuple[tuple[ir.Module, ir.Node], ...] = field(default=(), kw_only=True)
    guessed: bool = field(default=False, kw_only=True)

    def settle(self) -> None:
        """Makes `module` the file that `node` is from: code of one file makes facts about another
        where it runs a function that was made there."""
        self.module = self._sources.owner(self.node, self.module)

    @property
    def raises(self) -> frozenset[str]:
        """The builtin classes of the errors that this may raise."""
        return frozenset()

    @property
    def origin(self) -> ir.Node | ir.Param | None:
        """The parameter at which the value in question became traced, or that this is about."""
        root = None if self.trail is None else self.trail.root()
        return root.node if root is not None and root.name else None

    @property
    def text(self) -> str:
        """The source of `node` on one line, the middle of a long one left out."""
        return excerpt(self.module, self.node)

    @property
    def span(self) -> Span:
        return self.module.locate(self.node)

    @property
    def eager_in(self) -> str:
        """The function that must not be traced itself, if this is so of eager code alone."""
        return ""

    @property
    def is_traced(self) -> bool:
        """Whether the value that the fact is about is traced."""
        return self.trail is not None

    @property
    def is_certain(self) -> bool:
        """False when it takes a call that nobody is seen to make: a parameter with a default
        is traced only if it is passed; or when another alternative may be taken."""
        return not self.unsure and (self.trail is None or self.trail.is_certain())

    @property
    def confidence(self) -> Confidence:
        """How sure it is that this happens."""
        if self.guessed:
            return Confidence.LOW
        return Confidence.MEDIUM if self.supposed or not self.is_certain else Confidence.HIGH

    @property
    def in_tests(self) -> bool:
        """Whether the file belongs to tests."""
        owner = self._sources.owner(self.node, self.module)
        return is_of_tests(owner.file, self._sources.root)

    @property
    def minor(self) -> str:
        """Why this is seldom worth a change although it is so, empty where it is worth one."""
        return ""

    def doubt(self) -> Because | None:
        """Why the confidence is not high."""
        if self.guessed:
            return self._guess()
        if not self.is_certain:
            return self._uncertainty()
        if not self.supposed:
            return None
        name = self.function if self.entry is None else self.entry.function
        return Because(self.span, f"no call of `{name}` is seen that leads here")

    def _guess(self) -> Because:
        if self.trail is not None:
            return guess(self._sources, self.module, self.trail)
        return Because(self.span, "this takes calls that cannot be followed to give arrays")

    def _uncertainty(self) -> Because | None:
        if self.unsure:
            return Because(
                self.span, "this takes one of several values or functions that may be here"
            )
        return None if self.trail is None else doubt(self._sources, self.module, self.trail)

    def why(self) -> str:
        """One sentence that says why the value is traced, or how the code comes to be."""
        if self.trail is not None:
            verb = "may be" if self.guessed else "is"
            return why(self._sources, self.module, self.node, self.trail, verb)
        return self.where()

    def where(self) -> str:
        """How the code around comes to be traced: "`step` is jitted at line 12"."""
        if self.entry is None:
            return ""
        return f"`{self.entry.function}` is {self.entry.phrase} at {self.line_of(self.entry.node)}"

    def line_of(self, node: ir.Node) -> str:
        """Where another node is: "line 12", or "line 12 of model.py" in another file."""
        return self._sources.line(node, self.module)

    @property
    def _sources(self) -> SourceMap:
        return self.sources or SourceMap([self.module])

    def reasons(self) -> tuple[Because, ...]:
        """The whole chain of reasons, from the value back to where tracing starts."""
        if self.trail is not None:
            return steps(self._sources, self.module, self.trail)
        if self.entry is None:
            return ()
        step = entered(self._sources, self.module, self.entry)
        return (replace(step, message=self.where()),)

    def subjects(self) -> frozenset[tuple[str, Span]]:
        """What this is about, by file and span: where it happens, and the parameter behind it."""
        found = {(self.module.file, self.span)}
        origin = self.origin
        if origin is not None:
            owner = self._sources.owner(origin, self.module)
            found.add((owner.file, owner.locate(origin)))
        return frozenset(found)

    def cells(self) -> tuple[tuple[int, int], ...]:
        """The cells of the notebook that is among the sites: the first line and the number."""
        modules = (module for module, _ in self.sites())
        return next((tuple(one.source.cells) for one in modules if one.source.cells), ())

    def sites(self) -> list[tuple[ir.Module, Span]]:
        """The places in which this may be shown, the best one first: where it happens, the calls
        that led there, innermost first, and where tracing starts."""
        places = [(self.module, self.node), *self.calls]
        if self.entry is not None:
            owner = self._sources.owner(self.entry.node, self.module)
            places.append((owner, self.entry.node))
        found: dict[str, tuple[ir.Module, Span]] = {}
        for caller, node in places:
            module = self._sources.owner(node, caller)
            if module.file not in found:
                found[module.file] = (module, module.locate(node))
        return list(found.values())


@slotted(eq=False)
class Eager(Fact):
    """Something that is so of eager code alone: where `function` is traced itself, what it
    compiles and runs is part of the program around it."""

    @property
    def eager_in(self) -> str:
        return self.function


@slotted(eq=False)
class Concretized(Fact):
    """A traced value (`node`) meets Python that needs its concrete value, so tracing stops.

    `sink` says which construct asks: "if", "ifexp" (conditional expression), "while", "assert";
    "and"/"or"/"not" outside those; "chain" (`a < b < c`); "filter" (comprehension conditions,
    `any`, `all`, `filter`, `takewhile`); "in" (membership, `list.index`); "order" (`min`,
    `max`, `sorted`, `list.sort`); "count" (`range`, `list * n`, `itertools.repeat`); "cast"
    (`int`, `float`, `bool`, `complex`, `hex`, ...); "format" (with a specification, which
    `dotted` is: ".2f", "%d"); "method" (`.item()`, `.tolist()`); "math"
    (module `math`); "numpy" (conversion to a NumPy array); "subscript" (index of a Python
    sequence or a NumPy array). `callee` is the function or method as the user wrote it, empty
    for plain syntax; `dotted` its full name ("math.sqrt", "builtins.int", "item"); `container`
    says what is indexed for "subscript" ("list", "tuple", "str", "range", "ndarray"), is "array"
    for "in" and "order" where an array is gone through, and for "numpy" what holds the traced
    value, if a list or tuple does; `numbers` tells that there are only numbers in it; `scalar` and
    `dtype` ("bool", "int", "float", "complex" or "") tell what is known of the array.
    """

    sink: Sink = "if"
    callee: str = ""
    dotted: str = ""
    container: str = ""
    scalar: bool | None = None
    dtype: str = ""
    numbers: bool = False

    @property
    def is_mode(self) -> bool:
        """Whether the value is the mode flag of a framework's module: `train` and the like."""
        return self.trail is not None and self.trail.flag

    @property
    def raises(self) -> frozenset[str]:
        # An array of several elements has no truth, traced or not.
        if self.scalar or self.sink in ("cast", "format", "method", "math", "subscript"):
            return frozenset({"TypeError"})
        return frozenset({"TypeError", "ValueError"})


@slotted(eq=False)
class Effect(Fact):
    """A call with an effect (`node`) in traced code: it happens once per trace.

    `callee` is the function as written, `dotted` its full name. `conditional` tells that the
    call runs only under a static condition whose outcome differs between traces (a shape
    test): a warning there is deliberate. `traced` is the operand that is traced, if one is, and
    `operands` are all of these.
    """

    kind: EffectKind = "print"
    callee: str = ""
    dotted: str = ""
    conditional: bool = False
    traced: ir.Node | None = None
    operands: tuple[ir.Expr, ...] = ()

    @property
    def minor(self) -> str:
        if self.kind != "log":
            return ""
        if self.traced is None:
            return "it records nothing that differs between calls"
        return "this is for debugging" if self.callee.endswith("debug") else ""


@slotted(eq=False)
class ShapeNeeded(Fact):
    """A traced value (`node`) decides the shape of a result.

    `need` is "mask" (`x[mask]`), "mask-update" (`x.at[mask].set(...)`), "nonzero" (`nonzero`,
    `argwhere`, one-argument `where` without `size`), "filter" (`extract`, `compress`, `delete`,
    ...), "repeat" (counts), "set" (`unique`, `union1d`, ...), "shape" (a shape argument),
    "length" (the number of bins, classes or segments) or "slice" (bounds). `callee` is the
    function as written, `parameter` the parameter that must be static or that is missing.
    """

    need: Need = "mask"
    callee: str = ""
    dotted: str = ""
    parameter: str = ""

    @property
    def raises(self) -> frozenset[str]:
        if self.need in ("mask", "mask-update"):
            return frozenset({"IndexError"})
        return frozenset({"IndexError", "TypeError"} if self.need == "slice" else {"TypeError"})


@slotted(eq=False)
class FreshJit(Eager):
    """A compiling transform is applied to a function object that is new each time (`node` is
    the transform's call or the decorated definition), so each time compiles again.

    `cause` is "lambda", "def", "partial", "method", "transform", or "factory" for a function that
    compiles and returns `target` (`node` is its call, `callee` its name); `place` is "loop",
    "comprehension" or "call" (once per call of the function around); `callee` is the transform
    as written, `target` what is transformed, as written; `inner` the inner transform for
    "transform"; `bound` what a partial binds, if that is all of one sort. `varies` tells that
    what is compiled differs between iterations or calls: in a loop, that another function is
    compiled, and for "call" that it uses what the call was given. `hot` tells that a loop is seen
    to call the function around.
    """

    cause: Cause = "lambda"
    place: Place = "loop"
    callee: str = ""
    target: str = ""
    inner: str = ""
    bound: Literal["", "array", "python"] = ""
    varies: bool = False
    hot: bool = False

    @property
    def minor(self) -> str:
        if not self.varies or self.hot:
            return ""
        if self.place == "call":
            return f"no loop is seen to call `{self.function}`"
        return "each iteration compiles another function"


@slotted(eq=False)
class ContractViolation(Fact):
    """Code breaks a contract of a library on top of JAX.

    `kind` names the contract, `subject` the thing that is misused, as written, and `detail` what
    else the message needs (a function, an attribute, a collection). `place` is where that comes
    from.
    """

    kind: str = ""
    subject: str = ""
    detail: str = ""
    place: ir.Node | None = None

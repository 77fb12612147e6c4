"""Explains values: what names and expressions at a place were whenever a run came to them.

A machine of its own takes the notes, so that a run in which nobody asks pays nothing for it.
`Session.why` asks over all files whose tracing may reach the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.explanation import CALLABLE, MODULE, Answer, Subject
from jaxlint.base.finding import Because
from jaxlint.base.text import Span
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries import places
from jaxlint.engine.queries.analyse import trace
from jaxlint.engine.queries.descriptions import described, trailed
from jaxlint.facts.provenance import Provenance, TraceEntry, entered, excerpt, steps
from jaxlint.syntax import ir

# How often functions that lead to the place are run again for another caller or entry.
MOST_AGAIN = 128
# How many answers of one weight are kept for one expression.
MOST_ANSWERS = 32
# How much a run says, from most to least: code that is there leads to it; it is on the host, and
# nobody is seen to call the function; it is for any arguments, where calls pass certain ones; it
# comes of a function that is run on the host for want of a call, and is traced in other runs.
CALLED, UNCALLED, SUPPOSED, TRACED_ELSEWHERE = range(4)
_Site = tuple[int, int, int]


@slotted(frozen=True)
class Place:
    """A line of a file, given by its identity, or one column of it."""

    file: str
    line: int
    column: int | None = None


@slotted(eq=False)
class _Step:
    """An activation on the way to the running code: `call` is there where code calls it."""

    func: Function
    trace: Trace
    call: tuple[ir.Module, ir.Node] | None


@slotted(eq=False)
class _Leg:
    """A step to the running code: `entry` is there where tracing starts, and `source` where it is
    known which function runs then, by file and place."""

    said: Because
    entry: TraceEntry | None
    source: tuple[str, Span] | None


class Notes:
    """What was seen at a place, by several machines. Answers are equal where their words are."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.texts: dict[Span, str] = {}
        # By the span: answers with their weight, and the runs that gave them.
        self.seen: dict[Span, dict[tuple[Answer, int], set[int]]] = {}
        # Runs whose answers are not kept, by the span, whether they are on the host, and weight.
        self.dropped: dict[tuple[Span, bool, int], set[int]] = {}

    def take(self, module: ir.Module) -> dict[int, list[Span]]:
        """The expressions that the place is about, by the node whose value tells what they are."""
        found: dict[int, list[Span]] = {}
        for node, teller in places.about(module, self.place.line, self.place.column):
            span = places.extent(module, node)
            self.texts[span] = excerpt(module, node) if span == module.locate(node) else ""
            self.texts[span] = self.texts[span] or module.source.slice(span)
            found.setdefault(id(teller), []).append(span)
        return found

    def note(self, span: Span, answer: Answer, weight: int, run: int) -> None:
        """Takes in one answer."""
        answers = self.seen.setdefault(span, {})
        alike = sum((one.is_host, other) == (answer.is_host, weight) for one, other in answers)
        if (answer, weight) in answers or alike < MOST_ANSWERS:
            answers.setdefault((answer, weight), set()).add(run)
        else:
            self.dropped.setdefault((span, answer.is_host, weight), set()).add(run)

    def _subject(self, span: Span, text: str) -> Subject:
        seen = self.seen.get(span, {})
        ranked = _ranked(seen)
        kept = {
            (one.is_host, weight)
            for one, weight in seen
            if any(replace(it, times=1) == one for it in ranked)
        }
        more = [
            runs for (at, *kind), runs in self.dropped.items() if at == span and (*kind,) in kept
        ]
        return Subject(text, span, ranked, sum(map(len, more)))

    def subjects(self) -> tuple[Subject, ...]:
        """The expressions in source order. For one column it is the innermost that a run comes
        to; of a line what tracing is not about is left out, if anything else is on it."""
        found = [self._subject(span, text) for span, text in sorted(self.texts.items())]
        if self.place.column is not None:
            found.sort(key=lambda it: _size(it.span))
            reached = [it for it in found if it.answers]
            return tuple((reached or found)[:1])
        telling = [it for it in found if it.answers and not _is_plain(it)]
        reached = telling or [it for it in found if it.answers]
        alike: dict[Any, Subject] = {}
        for subject in reached or found:
            alike.setdefault((subject.text, subject.answers), subject)
        return tuple(alike.values())


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def _is_plain(subject: Subject) -> bool:
    """Whether a name stands for a function, class or module in all runs."""
    return all(answer.kind in (CALLABLE, MODULE) for answer in subject.answers)


def _ranked(seen: dict[tuple[Answer, int], set[int]]) -> tuple[Answer, ...]:
    """What counts: the answers of the runs that say most, and those of traced code before those
    of the host, of which only certain ones count beside them."""
    counted = [(replace(one, times=len(runs)), weight) for (one, weight), runs in seen.items()]
    traced = [it for it in counted if not it[0].is_host]
    host = [it for it in counted if it[0].is_host]
    if not traced:
        return _weightiest(host)
    return _weightiest(traced) + tuple(one for one, weight in host if weight == CALLED)


def _weightiest(counted: list[tuple[Answer, int]]) -> tuple[Answer, ...]:
    best = min((weight for _, weight in counted), default=0)
    return tuple(one for one, weight in counted if weight == best)


class Explainer(Machine):
    """A machine that notes what it sees at a place."""

    shares = False

    def __init__(self, notes: Notes, *given: Any) -> None:
        super().__init__(*given)
        self.notes = notes
        self.wanted: dict[int, tuple[ir.Module, dict[int, list[Span]]]] = {}
        self.way: list[_Step] = []
        # Functions whose runs came to the place, and the calls by which they did.
        self.leading: set[int] = set()
        self.sites: set[_Site] = set()
        self.repeats = 0
        # What was seen: the answer, how much it says, the run, and the function that no call
        # of the source leads to, if there is one.
        self.seen_here: list[tuple[Span, Answer, int, int, ir.FunctionDef | None]] = []

    # -- while it runs ------------------------------------------------------------------------

    def eval(self, frame: Frame, node: ir.Expr) -> Value:
        value = super().eval(frame, node)
        self._see(frame, node, value)
        return value

    def bind(
        self, frame: Frame, name: str, value: Value, node: ir.Node, how: str = "assign"
    ) -> None:
        self._see(frame, node.target if isinstance(node, ir.NamedExpr) else node, value)
        super().bind(frame, name, value, node, how)

    def activate(
        self, func: Function, env: dict[str, Value], trace: Trace, outer: tuple[object, ...] = ()
    ) -> Value:
        self.way.append(_Step(func, trace, self.dynamic.calls[-1] if self.dynamic.calls else None))
        frame = Frame("function", func.frame, trace, func.node)
        for param in func.node.params:
            if param.name in env:
                self._see(frame, param, env[param.name])
        try:
            return super().activate(func, env, trace, outer)
        finally:
            self.way.pop()

    def invoke(
        self, func: Function, args: Args, trace: Trace, node: ir.Expr, caller: Frame | None = None
    ) -> Value:
        """Runs a function that leads to the place once for each caller and entry, whatever is
        known of it."""
        site = (id(func.node), id(node), id(trace.entry))
        again = (
            id(func.node) in self.leading
            and site not in self.sites
            and self.repeats < MOST_AGAIN
            and not trace.is_host
        )
        memory, counters = self.summaries, self.counters
        kept = memory.memo, counters.runs, counters.activations
        if again:
            self.repeats += 1
            memory.memo, counters.runs = {}, {}
        try:
            result = super().invoke(func, args, trace, node, caller)
        finally:
            if again:
                memory.memo, counters.runs, counters.activations = kept
        if id(func.node) in self.leading:
            self.sites.add(site)
        return result

    # -- what it notes ------------------------------------------------------------------------

    def _see(self, frame: Frame, node: ir.Node | ir.Param, value: Value) -> None:
        module = frame.root.module
        if module is None or module.file != self.notes.place.file:
            return
        if id(module) not in self.wanted:
            self.wanted[id(module)] = module, self.notes.take(module)
        spans = self.wanted[id(module)][1].get(id(node))
        if not spans:
            return
        self.leading.update(map(id, self.dynamic.stack))
        home = frame.home()
        is_host = frame.trace.is_host
        kind, what = described(value)
        trail = () if is_host else self._trail(module, frame, value)
        answer = Answer(kind, what, home.name, trail, is_host)
        first = self._uncalled()
        uncalled = is_host and first is not None
        weight = SUPPOSED if self.dynamic.supposed else UNCALLED if uncalled else CALLED
        for span in spans:
            self.seen_here.append((span, answer, weight, home.age, first))

    def _uncalled(self) -> ir.FunctionDef | None:
        """The host function that leads here and that no call of the source leads to; of a
        function that was made in one, and is run later, that one."""
        if not self.way:
            return None
        root = self.way[0]
        if root.trace.is_host:
            return root.func.node if root.call is None else None
        around = root.func.frame
        return around.func if around.trace.is_host else None

    def tell(self) -> None:
        """Hands over what was seen, once it is known what is traced."""
        for span, answer, weight, run, first in self.seen_here:
            elsewhere = first is not None and id(first) in self.program.traced
            self.notes.note(span, answer, TRACED_ELSEWHERE if elsewhere else weight, run)

    def _trail(self, module: ir.Module, frame: Frame, value: Value) -> tuple[Because, ...]:
        """The way from where tracing starts: the calls to the running code, and between them
        what the value is computed from."""
        way = self._calls(module, frame)
        traced = trailed(value)
        if traced is None:
            return tuple(leg.said for leg in way)
        start, *found = reversed(steps(self.sources, module, traced.trail))
        return tuple(_woven(way, start, found, traced.trail))

    def _calls(self, module: ir.Module, frame: Frame) -> list[_Leg]:
        """The steps to the running code."""
        found: list[_Leg] = []
        known: set[int] = set()
        for step in self.way:
            if step.trace.is_host:
                continue
            source = self._source(module, step.func)
            fresh = [entry for entry in _entries(step.trace) if id(entry) not in known]
            known.update(map(id, fresh))
            # What runs a function at once is no call besides, nor is what begins the way.
            begins = not found or any(step.call and it.node is step.call[1] for it in fresh)
            found += [_Leg(entered(self.sources, module, it), it, source) for it in fresh]
            if step.call is not None and not (fresh and begins):
                found.append(_Leg(self._called(module, step.func, step.call), None, source))
        left = [entry for entry in _entries(frame.trace) if id(entry) not in known]
        return found + [_Leg(entered(self.sources, module, it), it, None) for it in left]

    def _called(
        self, module: ir.Module, func: Function, call: tuple[ir.Module, ir.Node]
    ) -> Because:
        owner, node = call
        file = "" if owner is module else owner.source.path
        message = f"`{excerpt(owner, node)}` calls `{func.node.name}` here"
        return Because(owner.locate(node), message, file)

    def _source(self, module: ir.Module, func: Function) -> tuple[str, Span] | None:
        owner = func.frame.root.module
        if owner is None:
            return None
        return "" if owner is module else owner.source.path, places.reaches_to(owner, func.node)


def _entries(trace: Trace) -> list[TraceEntry]:
    """Where the traces around start, outermost first."""
    return [one.entry for one in trace.around() if one.entry is not None][::-1]


def _woven(
    way: list[_Leg], start: Because, found: list[Because], trail: Provenance
) -> Iterable[Because]:
    """The way with the computations in the functions that they are in."""
    at = next((i + 1 for i, leg in enumerate(way) if leg.entry is trail.entry), 0)
    if at == 0:
        yield start
    yield from (leg.said for leg in way[:at])
    for step in found:
        inside = [i + 1 for i, leg in enumerate(way) if _holds(leg.source, step)]
        deepest = max(inside, default=0)
        yield from (leg.said for leg in way[at:deepest])
        at = max(at, deepest)
        yield step
    yield from (leg.said for leg in way[at:])


def _holds(source: tuple[str, Span] | None, step: Because) -> bool:
    if source is None or source[0] != step.filename:
        return False
    return source[1].holds(step.span.line, step.span.column)


def explain(notes: Notes, module: ir.Module, context: Context | None = None) -> None:
    """Runs a module and notes what it sees at the place."""
    run(partial(Explainer, notes), module, context)


def run(maker: Callable[..., Explainer], module: ir.Module, context: Context | None) -> None:
    """Runs a module and has the machine tell what it saw, also of a run that is given up."""
    made: list[Explainer] = []

    def make(*given: Any) -> Explainer:
        made.append(maker(*given))
        return made[0]

    try:
        trace(module, context=context, maker=make)
    finally:
        made[0].tell()

"""Which calls of compiled functions find the programs of earlier ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Transformed
from jaxlint.engine.inference.fresh_functions import is_given_anew
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import Form, TransformUse
from jaxlint.syntax import ir


class Programs:
    """The compiled functions of a file that was run, by what JAX finds their programs by."""

    def __init__(self, machine: Machine) -> None:
        self._cleared = machine.program.cleared
        self._entered: dict[Trace, TransformUse] = {}
        self._alike: defaultdict[object, list[TransformUse]] = defaultdict(list)
        self._callers: defaultdict[TransformUse, list[TransformUse]] = defaultdict(list)
        # By the functions that are written where they are compiled: nothing else calls them.
        self._nameless: dict[int, TransformUse] = {}
        self._ticks: dict[TransformUse, set[int]] = {}
        for record in machine.uses():
            self._alike[_identity(record)].append(record)
            if (func := _nameless(record)) is not None:
                self._nameless[id(func)] = record
            if record.entered is not None:
                self._entered[record.entered] = record
            if isinstance(record.func, Transformed):
                self._callers[record.func.record].append(record)

    def spans(self, record: TransformUse, since: int) -> list[tuple[int, int]]:
        """From the first to the last of the calls that may share a compiled program: those with
        other arguments are traced for themselves, and so are those after the caches were
        cleared. Only the calls after a moment count: a program of an earlier one has not read
        what began then."""
        sharing = self._sharing(record)
        calls = {call for one in sharing for call in self._calls(one) if call[0] > since}
        cleared = {*self._cleared, *(tick for one in sharing for tick in one.cleared)}
        loose = [tick for tick, form in calls if form is None]
        by_form: defaultdict[Form | None, list[int]] = defaultdict(list)
        for tick, form in calls:
            by_form[form].append(tick)
        open_forms = [form for form in by_form if form is not None and None in form[0]]
        spans: list[tuple[int, int]] = []
        for form in by_form.keys() - {None} or {None}:
            # Of forms in which all lengths are known, only equal ones fit.
            others = by_form if form in open_forms else {form, *open_forms}
            fitting = (tick for it in others if _fits(form, it) for tick in by_form[it])
            ticks = sorted({*loose, *fitting})
            for tick in ticks:
                start, end = spans[-1] if spans and tick != ticks[0] else (tick, tick)
                if any(end < cut < tick for cut in cleared):
                    start = tick
                spans.append((start, tick))
        return spans

    def _sharing(self, record: TransformUse) -> list[TransformUse]:
        """Those whose programs JAX finds in a record: by the function and the options.

        Who calls `grad(jit(f))` calls `jit(f)`.
        """
        return [*self._alike[_identity(record)], *self._callers.get(record, ())]

    def _calls(self, record: TransformUse) -> Iterator[tuple[int, Form | None]]:
        """When a compiled function is called, and how: inside another one, when that is called.

        The name by which the other one calls it may stand for an earlier function before it was
        made. Where code runs for any arguments, when is not known but by who calls it.
        """
        inside = set[tuple[TransformUse, Form | None]]()
        for tick, _, frame in record.calls:
            form, trace = record.forms.get(tick), frame.trace
            while trace.parent is not None and trace not in self._entered:
                trace = trace.parent
            around = self._entered.get(trace) or self._nameless.get(id(frame.home().func))
            if around is None:
                yield tick, form
            elif around is not record:
                inside.add((around, form))
        for around, form in inside:
            ticks = self._host_ticks(around)
            yield from ((tick, form) for tick in ticks if tick > record.since)

    def _host_ticks(self, record: TransformUse) -> set[int]:
        """When host code calls a compiled function, or another one that calls it."""
        known = self._ticks.get(record)
        if known is None:
            known = self._ticks[record] = set()  # A function that calls itself adds nothing.
            known.update([tick for tick, _ in self._calls(record)])
        return known


def _nameless(record: TransformUse) -> ir.FunctionDef | None:
    """The lambda that is written as the argument of a transform that compiles."""
    given = record.node.args if isinstance(record.node, ir.Call) else ()
    written = [one.value.function for one in given if isinstance(one.value, ir.Lambda)]
    func = record.func
    if not isinstance(func, Function) or not record.wrapper.compiles:
        return None
    return func.node if any(one is func.node for one in written) else None


def _identity(record: TransformUse) -> object:
    """What is equal for records that share their programs."""
    if not isinstance(record.func, Function) or is_given_anew(record.func, record):
        return record
    return id(record.func), record.dotted, record.numbers, record.names


def _fits(form: Form | None, other: Form | None) -> bool:
    """Whether two calls may have arguments of the same number, lengths and names."""
    if form is None or other is None or form[1] != other[1] or len(form[0]) != len(other[0]):
        return form is other
    return all(a == b or None in (a, b) for a, b in zip(form[0], other[0], strict=True))

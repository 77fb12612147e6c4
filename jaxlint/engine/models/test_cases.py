"""Functions that a test runner calls, once for each row of arguments that decorators list.

Every row runs, so what happens in one of them happens. Rows alike but for numbers run after those
that are not, and of many only the first ones: more of them where they take little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from weakref import WeakKeyDictionary

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.budget import METER
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args, bind_parameters
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkTuple
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.typestate import BEGINNING
from jaxlint.engine.domain.values import (
    Class,
    Function,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Value,
)
from jaxlint.engine.evaluation.classes import generic_instance
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.pytest_fixtures import Fixtures
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.engine.summaries.summary import observed
from jaxlint.knowledge.test_runners import (
    NAMED_ROWS,
    NOT_RUN,
    PARAM,
    PARAMETRIZE,
    PRODUCTS,
    ROW_NAME,
    ROWS,
)
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
# Rows of one function that are run: so many in any case, and more until they took so many steps.
FIRST_ROWS = 8
MOST_ROWS = 48
STEPS_OF_MORE = 400_000


@slotted(frozen=True)
class Row:
    """What one call of a function is given."""

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    def beside(self, other: Row) -> Row:
        """This and what another decorator gives."""
        return Row(self.positional + other.positional, {**self.keywords, **other.keywords})

    def kind(self) -> object:
        """What rows have in common that differ in numbers alone."""
        named = tuple((name, _kind(self.keywords[name])) for name in sorted(self.keywords))
        return (tuple(map(_kind, self.positional)), named)


def _kind(value: Value) -> object:
    number = isinstance(value, Static) and type(value.const) in (int, float, complex)
    return shape_key(widened(value) if number else value)


# The rows of each decorator of a function.
Axes = dict[int, list[list[Row]]]
_axes: WeakKeyDictionary[Machine, Axes] = WeakKeyDictionary()
# Functions that run once more without what compiles.
_uncompiled: WeakKeyDictionary[Machine, set[int]] = WeakKeyDictionary()


def runs_uncompiled(machine: Machine, func: Function) -> None:
    """A test runs in two variants: with what compiles and without."""
    _uncompiled.setdefault(machine, set()).add(id(func.node))


# -- decorators --------------------------------------------------------------------------------


def _decorator(dotted: str) -> Handler:
    def make(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        """A decorator that takes the rows first and the function in the next call."""
        if args.rest is not None or args.more is not None:
            return LibraryName(_PLAIN)
        given = LibraryName(f"{dotted}(...)")
        return Partial(given, tuple(args.positional), dict(args.keywords))

    return make


def _decorated(read: Callable[[Machine, Frame, ir.Expr, Args], list[list[Row]]]) -> Handler:
    def apply(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
        """The function as it is: the runner reads beside it with what to call it."""
        if not args.positional:
            return machine.unknown("decorator of a test")
        *listed, given = args.positional
        rows = Args(listed, args.keywords)
        axes = [axis for axis in read(machine, frame, node, rows) if axis]
        for func in _functions(given):
            _axes.setdefault(machine, {}).setdefault(id(func.node), []).extend(axes)
        return given

    return apply


def _functions(value: Value) -> list[Function]:
    if isinstance(value, Function):
        return [value]
    held = value.namespace.items() if isinstance(value, Class) else ()
    return [f for name, f in held if name.startswith("test") and isinstance(f, Function)]


def _listed(machine: Machine, frame: Frame, node: ir.Expr, value: Value | None) -> list[Value]:
    """The values that a decorator lists; one that stands for all where they are not known."""
    if value is None:
        return []
    with machine.quiet():
        element, known, _ = iterate(machine, frame, node, value, "rows of a test")
    return [element] if known is None else known


def _parametrized(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[list[Row]]:
    """`@pytest.mark.parametrize("x, y", [(1, 2), pytest.param(3, 4)])`."""
    named = args.get(0, "argnames")
    names = _names(named)
    if not names or "indirect" in args.keywords or len(args.positional) > 2:
        return []
    rows = []
    for value in _listed(machine, frame, node, args.get(1, "argvalues")):
        held = isinstance(value, FrameworkTuple) and value.dotted == PARAM
        parts = value.items if isinstance(value, Sequence) else None
        if held and not parts:
            continue
        if len(names) == 1 and isinstance(named, Static) and "," not in str(named.const):
            parts = parts if held else [value]
        if parts is None or len(parts) != len(names):
            parts = [machine.unknown("row of a test")] * len(names)
        rows.append(Row((), dict(zip(names, parts, strict=True))))
    return [rows]


def _names(value: Value | None) -> list[str]:
    if isinstance(value, Static) and isinstance(value.const, str):
        return [name.strip() for name in value.const.split(",") if name.strip()]
    items = value.items if isinstance(value, Sequence) else None
    known = [one.const for one in items or () if isinstance(one, Static)]
    return [str(name) for name in known] if len(known) == len(items or ()) else []


def _param(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`pytest.param(...)`; nothing in it where its marks may keep it from running."""
    marks = args.keywords.get("marks")
    plain = isinstance(marks, LibraryName) and marks.dotted not in NOT_RUN
    runs = marks is None or plain
    return FrameworkTuple(PARAM, list(args.positional) if runs else [], frame.trace, args.rest)


def _rows(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[list[Row]]:
    """`@parameterized.parameters((1, 2), dict(x=3, y=4))`."""
    return [[_row(value) for value in _cases(machine, frame, node, args)]]


def _named_rows(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[list[Row]]:
    """`@parameterized.named_parameters(("one", 1, 2), dict(testcase_name="two", x=3, y=4))`."""
    rows = [_row(value) for value in _cases(machine, frame, node, args)]
    return [[Row(row.positional[1:], _unnamed(row.keywords)) for row in rows]]


def _unnamed(keywords: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in keywords.items() if name != ROW_NAME}


def _cases(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[Value]:
    given = args.positional
    if len(given) != 1 or isinstance(given[0], (Static, Mapping, Function, Class)):
        return given
    if isinstance(given[0], Sequence) and given[0].kind == "tuple":
        return given
    return _listed(machine, frame, node, given[0])


def _row(value: Value) -> Row:
    if isinstance(value, Mapping):
        return Row((), {str(name): held for name, held in value.items.items()})
    if isinstance(value, Sequence):
        return Row(tuple(value.items or ()))
    return Row((value,))


def _product(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> list[list[Row]]:
    """`@parameterized.product([dict(x=1), dict(x=2)], y=[3, 4])`."""
    axes = [list(map(_row, _listed(machine, frame, node, one))) for one in args.positional]
    for name, values in args.keywords.items():
        axes.append([Row((), {name: v}) for v in _listed(machine, frame, node, values)])
    return axes


def _as_it_is(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else LibraryName(_PLAIN)


# A decorator that changes nothing of its function.
_PLAIN = "pytest.mark(...)"
_READERS = {
    PARAMETRIZE: _parametrized,
    **dict.fromkeys(ROWS, _rows),
    **dict.fromkeys(NAMED_ROWS, _named_rows),
    **dict.fromkeys(PRODUCTS, _product),
}
TABLE: dict[str, Handler] = {
    **{dotted: _decorator(dotted) for dotted in _READERS},
    **{f"{dotted}(...)": _decorated(read) for dotted, read in _READERS.items()},
    PARAM: _param,
    _PLAIN: _as_it_is,
}


# -- runs --------------------------------------------------------------------------------------


def run(machine: Machine, func: Function) -> bool:
    """Runs a function as its test runner does; False where none is known to call it. Rows are
    runs of their own: that there are several repeats nothing in the eyes of the program."""
    axes = _axes.get(machine, {}).get(id(func.node), [])
    fixtures = Fixtures(machine, func)
    twice = id(func.node) in _uncompiled.get(machine, ())
    if (not axes and not fixtures.asked and not twice) or _is_not_run(func):
        return False
    called = (machine.program.called, machine.program.called_inside, machine.program.called_outside)
    before = [set(one) for one in called]
    found = [set(one) for one in called]
    rows = _combined([*axes, *_made_for(fixtures)])
    begun = METER.left
    for at, row in enumerate([*rows, *rows[:1]] if twice else rows):
        if FIRST_ROWS <= at < len(rows) and begun - METER.left > STEPS_OF_MORE:
            continue
        for one, kept, all_ in zip(called, before, found, strict=True):
            all_ |= one
            one.clear()
            one |= kept
        machine.dynamic.running.env.update(BEGINNING)
        with machine.within(uncompiled=at == len(rows), conditions=0):
            _run_once(machine, func, fixtures, row)
    for one, all_ in zip(called, found, strict=True):
        one |= all_
    return True


def _run_once(machine: Machine, func: Function, fixtures: Fixtures, row: Row) -> None:
    keywords = {**fixtures.values(row.keywords), **row.keywords}
    inside = Args([*_receiver(machine, func), *row.positional], keywords)
    env = bind_parameters(machine.unknown, func, inside, machine.host)
    observed(machine, func, env, machine.host)


def _made_for(fixtures: Fixtures) -> list[list[Row]]:
    """The parameters of the fixtures that a function asks for, by what only these are called."""
    return [[Row((), {name: v}) for v in values] for name, values in fixtures.parameters().items()]


def _is_not_run(func: Function) -> bool:
    called = (d.func if isinstance(d, ir.Call) else d for d in func.node.decorators)
    return any(dotted_text(one) in NOT_RUN for one in called)


def _receiver(machine: Machine, func: Function) -> list[Value]:
    static = any(dotted_text(d) == "staticmethod" for d in func.node.decorators)
    return [] if func.owner is None or static else [generic_instance(machine, func.owner)]


def _combined(axes: list[list[Row]]) -> list[Row]:
    """Rows in which every row of every decorator takes part, as far as there are not too many:
    first of each kind one."""
    axes = [_first_of_kinds(axis) for axis in axes]
    found = []
    for at in range(max(map(len, axes), default=1)):
        row = Row()
        for axis in axes:
            row = row.beside(axis[at % len(axis)])
        found.append(row)
    return found


def _first_of_kinds(rows: Iterable[Row]) -> list[Row]:
    kinds: dict[object, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.kind(), []).append(row)
    firsts = [alike[0] for alike in kinds.values()]
    others = [row for alike in kinds.values() for row in alike[1:]]
    return [*firsts, *others][:MOST_ROWS]

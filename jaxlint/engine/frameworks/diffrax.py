"""Solvers of diffrax, optimistix and lineax: which functions they trace, and their solutions.

What they solve is jitted by Equinox: arrays of `args` are traced, all else in it is static, and
the state `y` holds arrays only.
"""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.concretization.static_arguments import needs_static
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.pytrees import WHOLE, map_leaves
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    FALSE,
    NONE,
    Concrete,
    Mapping,
    Method,
    Sequence,
    Static,
    Traced,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.frameworks.equinox.layers import renewed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import entry_of, function_name
from jaxlint.engine.transforms.bodies import body_trace
from jaxlint.engine.transforms.filtered import enter_arrays
from jaxlint.engine.transforms.trace_boundary import enter, leave, run_in
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.ecosystems.diffrax import INTERPOLATIONS, TERMS
from jaxlint.knowledge.ecosystems.lineax import JACOBIAN, OPERATORS, SOLVE
from jaxlint.knowledge.ecosystems.optimistix import DIFFERENTIATES, LIMIT, LIMITED, SOLVES
from jaxlint.syntax import ir

SOLUTION = "diffrax.Solution"
_MAKERS = TERMS | INTERPOLATIONS | {"diffrax.MultiTerm", "diffrax.SaveAt", "diffrax.Event"}
# How deep terms are made of terms.
MOST_NESTED = 4


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A function or class of these libraries is called."""
    if dotted in _MAKERS:
        return FrameworkObject(dotted, args, node, frame.trace)
    if dotted in LIMITED:
        _check_limit(machine, frame, node, dotted, args)
    if dotted == "diffrax.diffeqsolve":
        return _solve(machine, frame, node, args)
    if dotted in SOLVES:
        return _optimise(machine, frame, node, dotted, args)
    if dotted in OPERATORS:
        return _operator(machine, frame, node, dotted, args)
    if dotted == SOLVE:
        vector = args.get(1, "vector") or NONE
        return _solution(frame, node, value=renewed(machine, frame, node, vector, args.values()))
    return None


def _check_limit(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """How many steps are made at most is a Python integer."""
    limit = args.keywords.get(LIMIT)
    if limit is not None and isinstance(node, ir.Call):
        place = args.keyword_nodes.get(LIMIT, node)
        callee = dotted_text(node.func)
        needs_static(machine, frame, place, limit, "option", callee, dotted, LIMIT)


def _solution(frame: Frame, node: ir.Expr, **fields: Value) -> FrameworkObject:
    made = FrameworkObject(SOLUTION, None, node, frame.trace)
    made.state = dict(fields)
    return made


def _as_arrays(machine: Machine, frame: Frame, node: ir.Expr, tree: Value) -> Value:
    """A state at several times: numbers in it become arrays, whole ones floats."""

    def leaf(one: Value) -> Value:
        if isinstance(one, (Traced, Concrete)):
            one.rank, one.dtype = None, "" if one.dtype in WHOLE else one.dtype
        return one

    return map_leaves(leave(machine, frame, node, tree, [tree]), leaf, frame.trace)


# -- differential equations ------------------------------------------------------------------------


def _solve(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`diffeqsolve(terms, solver, t0, t1, dt0, y0, args)`."""
    terms, state = args.get(0, "terms"), args.get(5, "y0")
    if terms is None or state is None or args.rest is not None:
        return machine.unknown("diffeqsolve")
    given = args.get(6, "args") or NONE
    operands = [v for v in args.values() if not isinstance(v, (FrameworkObject, Unknown))]
    whole = not isinstance(terms, Sequence)
    part = state if whole else machine.unknown("part of the state")
    for field in _fields_of(terms, MOST_NESTED):
        _run(machine, frame, node, "diffrax.diffeqsolve", field, part, given)
    event = args.keywords.get("event")
    test = _given(event, 0, "cond_fn")
    if test is not None:
        _run(machine, frame, node, "diffrax.diffeqsolve", test, state, given)
    saved = _saved(machine, frame, node, args.keywords.get("saveat"), state, given)
    times = machine.operation(frame, node, operands, "float")
    counts = machine.operation(frame, node, operands, "int")
    stats = Mapping({}, frame.trace, counts, open=True)
    if isinstance(saved, Unknown):
        return _solution(frame, node, ts=times, ys=saved, stats=stats)
    values = renewed(machine, frame, node, saved, operands)
    return _solution(frame, node, ts=times, ys=values, stats=stats)


def _given(value: Value | None, at: int, name: str) -> Value | None:
    return value.given(at, name) if isinstance(value, FrameworkObject) else None


def _fields_of(terms: Value, depth: int) -> list[Value]:
    """The vector fields of a term, or of several."""
    if isinstance(terms, FrameworkObject) and terms.dotted in TERMS:
        field = _given(terms, 0, "vector_field")
        return [] if field is None else [field]
    if depth and isinstance(terms, FrameworkObject) and terms.args is not None:
        return [f for one in terms.args.positional for f in _fields_of(one, depth - 1)]
    if depth and isinstance(terms, Sequence) and terms.items is not None:
        return [f for one in terms.items for f in _fields_of(one, depth - 1)]
    return []


def _run(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    func: Value,
    state: Value,
    given: Value,
    timed: bool = True,
) -> Value:
    """Runs `func(t, y, args)`, or `func(y, args)`, as a solver does."""
    if isinstance(func, Unknown):
        return func
    trace = body_trace(machine, frame, node, dotted, func)
    name = function_name(func)
    inside = [enter(machine, trace, node, "", name, state)]
    if timed:
        inside.insert(0, enter(machine, trace, node, "", name, Concrete("float")))
    inside.append(enter_arrays(machine, trace, node, "", name, given))
    if dotted in DIFFERENTIATES:
        entry = entry_of(node, EntryKind.DIFFERENTIATED.by(dotted), func)
        trace = Trace("ad", trace, entry, staged=False)
        inside[0] = enter(machine, trace, node, "", name, inside[0], "ad")
    return run_in(machine, trace, node, func, Args(inside, nodes=[node] * len(inside)))


def _saved(
    machine: Machine, frame: Frame, node: ir.Expr, saveat: Value | None, state: Value, given: Value
) -> Value:
    """What a solution holds at each time: the state, or what a function makes of it."""
    known = saveat is None or (isinstance(saveat, FrameworkObject) and saveat.args is not None)
    func = _given(saveat, -1, "fn")
    subs = _given(saveat, -1, "subs")
    if not known or (subs is not None and not is_none(subs)):
        return machine.unknown("saved values")
    if func is None:
        return _as_arrays(machine, frame, node, state)
    made = _run(machine, frame, node, "diffrax.diffeqsolve", func, state, given)
    return leave(machine, frame, node, made, [state])


# -- optimisation ----------------------------------------------------------------------------------


def _optimise(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """`root_find(fn, solver, y0, args)` and kin."""
    func, state = args.get(0, "fn"), args.get(2, "y0")
    if func is None or state is None or args.rest is not None:
        return machine.unknown("solution")
    given = args.get(3, "args") or NONE
    made = _run(machine, frame, node, dotted, func, state, given, timed=False)
    operands = [v for v in (state, given) if not isinstance(v, Unknown)]
    value = renewed(machine, frame, node, _as_arrays(machine, frame, node, state), operands)
    auxiliary: Value = NONE
    asked = args.keywords.get("has_aux", FALSE)
    if not (isinstance(asked, Static) and asked.const is False):
        pair = made.items if isinstance(made, Sequence) else None
        second = pair[1] if pair is not None and len(pair) == 2 else None
        auxiliary = (
            machine.unknown("aux") if second is None else leave(machine, frame, node, second, [])
        )
    counts = machine.operation(frame, node, operands, "int")
    stats = Mapping({}, frame.trace, counts, open=True)
    return _solution(frame, node, value=value, aux=auxiliary, stats=stats)


# -- linear operators ------------------------------------------------------------------------------


def _operator(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> Value | None:
    """An operator of a function, which is traced when it is made."""
    func, state = args.get(0, "fn"), args.get(1, "x")
    if func is None or args.rest is not None or _is_off(args.keywords.get("closure_convert")):
        return None
    if dotted == JACOBIAN:
        if state is not None:
            _run(machine, frame, node, dotted, func, state, args.get(2, "args") or NONE, False)
    elif not isinstance(func, Unknown):
        trace = body_trace(machine, frame, node, dotted, func)
        vector = machine.unknown("vector of the operator's structure")
        inside = enter(machine, trace, node, "", function_name(func), vector)
        run_in(machine, trace, node, func, Args([inside], nodes=[node]))
    return machine.unknown("linear operator")


def _is_off(flag: Value | None) -> bool:
    return flag is not None and not (isinstance(flag, Static) and flag.const is True)


# -- objects ---------------------------------------------------------------------------------------


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """A part of a solution, or a method of a path."""
    if not isinstance(owner, FrameworkObject):
        return None
    if owner.dotted == SOLUTION and attr in owner.state:
        part: Value = owner.state[attr]
        return part
    if owner.dotted in INTERPOLATIONS and attr in ("evaluate", "derivative"):
        return Method(owner, attr)
    if owner.dotted in TERMS and attr in ("vf", "vector_field"):
        return _given(owner, 0, "vector_field")
    return Method(owner, attr) if owner.dotted == SOLUTION and attr == "evaluate" else None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """`path.evaluate(t)`, `solution.evaluate(t)`."""
    if not isinstance(owner, FrameworkObject):
        return None
    held = owner.args.values() if owner.args is not None else list(owner.state.values())
    plain = [v for v in held if not isinstance(v, (FrameworkObject, Mapping, Unknown))]
    return machine.operation(frame, node, [*plain, *args.values()])


def enter_trace(
    machine: Machine,
    trace: Trace,
    place: ir.Node | ir.Param,
    name: str,
    function: str,
    owner: Value,
) -> Value | None:
    """Terms and solvers pass through: their functions are static, their arrays are not known."""
    if isinstance(owner, FrameworkObject) and owner.dotted in TERMS:
        return owner
    return None


HOOKS = Hooks(library="diffrax", call=call, attribute=attribute, method=method, enter=enter_trace)
OPTIMISTIX = Hooks(library="optimistix", call=call)
LINEAX = Hooks(library="lineax", call=call)

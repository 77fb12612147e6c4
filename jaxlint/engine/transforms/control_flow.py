"""Control flow and other transforms that run their functions at once, in a trace of their own.

Each traces its bodies even outside jit and even for constant operands (JAX documentation,
"Control flow and logical operators with JIT").
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.prng.call_effects import branch_taken
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import map_leaves
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.typestate import paths
from jaxlint.engine.domain.values import (
    INT,
    NONE,
    Concrete,
    LibraryName,
    Mapping,
    Partial,
    Sequence,
    Static,
    Traced,
    Value,
    is_none,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import entry_of, function_name
from jaxlint.engine.transforms import callables, carries
from jaxlint.engine.transforms.bodies import body_argument, body_trace, run_body, short
from jaxlint.engine.transforms.operands import check_operands
from jaxlint.engine.transforms.passed_arguments import is_told
from jaxlint.engine.transforms.reverse_mode import is_dynamic, mark_loop
from jaxlint.engine.transforms.slices import element, stacked
from jaxlint.engine.transforms.tangents import check_cotangent, check_tangents
from jaxlint.engine.transforms.trace_boundary import (
    enter,
    leave,
    leave_all,
    leave_loop,
    run_in,
)
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.transforms import CONTROL_FLOW
from jaxlint.syntax import ir

_FOREIGN = "host code of another module"
Immediate = Callable[[Machine, Frame, ir.Expr, str, Args], Value]


def _fixed_point(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    func: Value,
    before: list[Value],
    carry: Value,
    after: list[Value],
) -> Value:
    """A loop body's result: run on the first carry, whose structure it must keep.

    Outside staged code the next carry may be traced where the first is not: it runs on that too.
    """
    result = run_body(machine, frame, node, dotted, func, [*before, carry, *after])
    if frame.trace.is_host or frame.trace.staged:
        return result
    pair = result.items if isinstance(result, Sequence) and dotted.endswith(".scan") else None
    following = pair[0] if pair else result
    every = [v for v in (carry, *after) if not is_none(v)]
    grown = leave_loop(machine, frame, node, carry, following, every)
    if _count_traced(grown) <= _count_traced(carry):
        return result
    return run_body(machine, frame, node, dotted, func, [*before, grown, *after])


def _count_traced(value: Value) -> int:
    """How many leaves are traced."""
    found: list[Value] = []

    def leaf(one: Value) -> Value:
        found.append(one)
        return one

    map_leaves(value, leaf, None)
    return sum(isinstance(one, Traced) for one in found)


def scan(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func, carry = args.get(0, "f"), args.get(1, "init")
    if func is None or carry is None:
        return machine.unknown("scan")
    xs = args.get(2, "xs") or NONE
    result = _fixed_point(machine, frame, node, dotted, func, [], carry, [element(machine, xs)])
    carries.check_scan(machine, frame, node, dotted, carry, result, args)
    operands = [v for v in (carry, xs) if not is_none(v)]
    pair = result.items if isinstance(result, Sequence) else None
    if pair is None or len(pair) != 2:
        return machine.unknown("result of scan")
    out = [
        leave_loop(machine, frame, node, carry, pair[0], operands),
        leave(machine, frame, node, pair[1], operands),
    ]
    steps = carries.steps_of(args)
    return Sequence("tuple", [out[0], stacked(machine, out[1], frame.trace, steps)], frame.trace)


def lax_map(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func, xs = args.get(0, "f"), args.get(1, "xs")
    if func is None or xs is None:
        return machine.unknown("map")
    result = run_body(machine, frame, node, dotted, func, [element(machine, xs)])
    return stacked(machine, leave(machine, frame, node, result, [xs]), frame.trace)


def fori_loop(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func, carry = args.get(2, "body_fun"), args.get(3, "init_val")
    if func is None or carry is None:
        return machine.unknown("fori_loop")
    result = _fixed_point(machine, frame, node, dotted, func, [INT], carry, [])
    carries.check_carry(machine, frame, node, dotted, carry, result, args)
    out = leave_loop(machine, frame, node, carry, result, [carry, *args.positional[:2]])
    if is_dynamic(args.positional[:2]):
        mark_loop(node, frame.trace, result, out)
    return out


def while_loop(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    test, body, carry = args.get(0, "cond_fun"), args.get(1, "body_fun"), args.get(2, "init_val")
    if test is None or body is None or carry is None:
        return machine.unknown("while_loop")
    answer = run_body(machine, frame, node, dotted, test, [carry])
    carries.check_test(machine, frame, node, dotted, answer, args)
    result = _fixed_point(machine, frame, node, dotted, body, [], carry, [])
    carries.check_carry(machine, frame, node, dotted, carry, result, args)
    out = leave_loop(machine, frame, node, carry, result, [carry])
    mark_loop(node, frame.trace, result, out)
    return out


def cond(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    branches = callables.branches_of(args) if args.rest is None else None
    if branches is None:
        return machine.unknown("cond")
    places = {id(value): place for value, place in args.pairs()}
    results = []
    for branch, operands in paths(machine, branches):
        nodes = [places.get(id(operand), node) for operand in operands]
        results.append(_taken(machine, frame, node, dotted, branch, operands, nodes))
    carries.check_branches(machine, frame, node, dotted, results)
    if not results:
        return machine.unknown("cond")
    every = {id(operand): operand for _, operands in branches for operand in operands}
    return leave_all(machine, frame, node, results, [*every.values(), *args.positional[:1]])


def _taken(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    func: Value,
    operands: list[Value],
    nodes: list[ir.Expr],
) -> Value:
    """What one of several branches gives; a key among its operands it consumes as a call does."""
    result = run_body(machine, frame, node, dotted, func, operands)
    branch_taken(machine, frame, node, func, operands, nodes)
    return result


def switch(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    branches = args.get(1, "branches")
    if not isinstance(branches, Sequence) or branches.items is None or args.rest is not None:
        if isinstance(branches, Sequence) and branches.element is not None:
            run_body(machine, frame, node, dotted, branches.element, args.positional[2:])
        return machine.unknown("switch")
    operands = args.positional[2:]
    if "operand" in args.keywords:
        operands = [args.keywords["operand"]]
    each, nodes = paths(machine, branches.items), args.nodes[2:]
    results = [_taken(machine, frame, node, dotted, b, operands, nodes) for b in each]
    carries.check_branches(machine, frame, node, dotted, results)
    if not results:
        return machine.unknown("switch")
    index = args.get(0, "index")
    every = operands if index is None else [*operands, index]
    return leave_all(machine, frame, node, results, every)


def associative_scan(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> Value:
    func, elems = args.get(0, "fn"), args.get(1, "elems")
    if func is None or elems is None:
        return machine.unknown("associative_scan")
    operand = stacked(machine, element(machine, elems), frame.trace)
    if frame.trace.is_host:
        # Python may ask for the values there: only what the function gives matters.
        with machine.quiet():
            result = run_body(machine, frame, node, dotted, func, [operand, operand])
    else:
        result = machine.call(frame, node, func, Args([operand, operand], nodes=[node, node]))
    if "axis" not in args.keywords and len(args.positional) < 4:
        carries.check_combined(machine, frame, node, dotted, operand, result)
    if frame.trace.is_host:
        return machine.unknown("associative_scan")
    return leave(machine, frame, node, elems, [elems])


def reduce(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func = args.get(2, "computation")
    operands, init = args.get(0, "operands"), args.get(1, "init_values")
    if func is None or operands is None or init is None:
        return machine.unknown("reduce")
    run_body(machine, frame, node, dotted, func, [init, init])
    return leave(machine, frame, node, init, [operands, init])


def eval_shape(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func = args.get(0, "fun")
    if func is not None and args.rest is None and args.more is None and not args.keywords:
        made = run_body(machine, frame, node, dotted, func, args.positional[1:])
        if isinstance(made, (Sequence, Mapping)):
            return map_leaves(made, lambda _: Static(), frame.trace)
    return Static()


def piecewise(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    functions = args.get(2, "funclist")
    x = args.get(0, "x")
    if x is not None and isinstance(functions, Sequence):
        for func in functions.items or []:
            if not isinstance(func, (Static, Traced, Concrete)):
                run_body(machine, frame, node, dotted, func, [x])
    return machine.operation(frame, node, args.values())


def _ad(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, func: Value, primals: list[Value]
) -> Value:
    trace = body_trace(machine, frame, node, dotted, func, "ad")
    name = function_name(func)
    inside = [
        p if _is_whole(p) else enter(machine, trace, node, "", name, p, "ad") for p in primals
    ]
    result = run_in(machine, trace, node, func, Args(inside, nodes=[node] * len(inside)))
    return leave(machine, frame, node, result, primals)


def _is_whole(primal: Value) -> bool:
    """Whether a primal is made of Python integers: without a derivative they stay as they are."""
    if isinstance(primal, Sequence):
        parts = [*(primal.items or ()), *([] if primal.element is None else [primal.element])]
        return bool(parts) and all(map(_is_whole, parts))
    return isinstance(primal, Static) and primal.kind in ("int", "bool", "shape", "range")


def jvp(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func, primals = args.get(0, "fun"), args.get(1, "primals")
    check_tangents(machine, frame, node, dotted, args)
    if func is None or not isinstance(primals, Sequence) or primals.items is None:
        return machine.unknown("jvp")
    value = _ad(machine, frame, node, dotted, func, list(primals.items))
    return Sequence("tuple", [value, value], frame.trace)


def differentiated(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, func: Value, values: list[Value]
) -> Value:
    """Runs a function that a compiled loop differentiates by the first of some values."""
    outer = body_trace(machine, frame, node, dotted, func)
    entry = entry_of(node, EntryKind.DIFFERENTIATED.by(short(dotted)), func)
    trace, name = Trace("ad", outer, entry, staged=False), function_name(func)
    given = [body_argument(machine, outer, node, func, at, name, v) for at, v in enumerate(values)]
    first = [body_argument(machine, trace, node, func, 0, name, value) for value in given[:1]]
    inside = [*first, *given[1:]]
    return run_in(machine, trace, node, func, Args(inside, nodes=[node] * len(inside)))


def minimise(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """`minimize(fun, x0, args)`: a compiled loop that takes the gradient of the function."""
    func, start, more = args.get(0, "fun"), args.get(1, "x0"), args.get(2, "args")
    given = [] if more is None else more.items if isinstance(more, Sequence) else None
    if func is not None and start is not None and given is not None and args.rest is None:
        differentiated(machine, frame, node, dotted, func, [start, *given])
    return machine.unknown("result of an optimisation")


def vjp(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    func = args.get(0, "fun")
    if func is None or args.rest is not None or "has_aux" in args.keywords:
        return machine.unknown("vjp")
    primals = args.positional[1:]
    value = _ad(machine, frame, node, dotted, func, primals)
    if dotted == "jax.linearize":
        push = Partial(LibraryName(PUSH_FORWARD), (value,), {})
        return Sequence("tuple", [value, push], frame.trace)
    pullback = Partial(LibraryName(PULLBACK), tuple(primals), {"value": value, "fun": func})
    return Sequence("tuple", [value, pullback], frame.trace)


PULLBACK = "jax.vjp(...)"
PUSH_FORWARD = "jax.linearize(...)"


def pull_back(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A call of what `jax.vjp` gives: a cotangent for each primal, which come before the rest."""
    primals = args.positional[:-1]
    check_cotangent(machine, frame, node, args, len(primals))
    parts = [leave(machine, frame, node, p, args.positional) for p in primals]
    return Sequence("tuple", parts, frame.trace)


def _solver(at: int, name: str, state: int) -> Immediate:
    """Solvers that trace one function on a state argument and further ones."""

    def run(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
        func = args.get(at, name)
        if func is not None and len(args.positional) > state and args.rest is None:
            run_body(machine, frame, node, dotted, func, args.positional[state:])
        return machine.operation(frame, node, args.values())

    return run


IMMEDIATE: dict[str, Immediate] = {
    "jax.lax.scan": scan,
    "jax.lax.map": lax_map,
    "jax.lax.fori_loop": fori_loop,
    "jax.lax.while_loop": while_loop,
    "jax.lax.cond": cond,
    "jax.lax.switch": switch,
    "jax.lax.associative_scan": associative_scan,
    "jax.lax.reduce": reduce,
    "jax.eval_shape": eval_shape,
    "jax.numpy.piecewise": piecewise,
    "jax.jvp": jvp,
    "jax.vjp": vjp,
    "jax.linearize": vjp,
    "jax.scipy.optimize.minimize": minimise,
    "jax.experimental.ode.odeint": _solver(0, "func", 1),
}


def _is_foreign(machine: Machine, frame: Frame, args: Args) -> bool:
    """Whether a call stands in host code of another module, and is given nothing that its own
    analysis does not see: what it would run is not run."""
    return machine.dynamic.idle and frame.trace.is_host and not is_told(args)


def run_like(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, name: str, args: Args
) -> Value:
    """A call of `name`, which runs its functions as JAX's `dotted` does."""
    if _is_foreign(machine, frame, args):
        return machine.unknown(_FOREIGN)
    return IMMEDIATE[dotted](machine, frame, node, name, args)


def run_immediate(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A call of a transform that runs its functions at once."""
    if _is_foreign(machine, frame, args):
        return machine.unknown(_FOREIGN)
    if machine.dynamic.unstaged and frame.trace.is_host and dotted in CONTROL_FLOW:
        return machine.unknown("control flow that runs in Python")
    if frame.trace.is_host:
        for heard in machine.checks.control_flow:
            heard(machine, frame, node, dotted, args)
    sound = callables.check_call(machine, frame, node, dotted, args)
    if sound:
        carries.check_call(machine, frame, node, dotted, args)
        sound = check_operands(machine, frame, node, dotted, args)
    # What is called in the wrong way gives nothing that more could be said of.
    with machine.quiet(not sound):
        return IMMEDIATE[dotted](machine, frame, node, dotted, args)

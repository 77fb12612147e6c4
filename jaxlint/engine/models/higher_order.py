"""Functions of JAX that call what they are given, without a trace that needs a contract."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import dtype_of, map_leaves
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    LibraryName,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
    as_traced,
    is_none,
    join_all,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.pytrees.jax_tree import mapped
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.transforms.control_flow import PULLBACK, PUSH_FORWARD
from jaxlint.engine.transforms.tangents import check_whole
from jaxlint.engine.transforms.wrappers import call_transform
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.transforms import COLLECTIVES
from jaxlint.syntax import ir

Handler = Callable[[Machine, Frame, ir.Expr, Args], Value]
INITIALIZER = "jax.nn.initializers(...)"
SCOPE = "jax.named_scope(...)"
WITH_GRADIENT = "jax.custom_gradient(...)"
CONVERTED = "jax.closure_convert(...)"
VECTORIZED = "jax.numpy.vectorize(...)"


def _array(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> Value:
    return machine.operation(frame, node, [value], dtype_of(value))


def _call(machine: Machine, frame: Frame, node: ir.Expr, func: Value, values: list[Value]) -> Value:
    return machine.call(frame, node, func, Args(values, nodes=[node] * len(values)))


def _vectorize(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "pyfunc")
    if func is None:
        return Partial(LibraryName("jax.numpy.vectorize"), (), dict(args.keywords))
    if isinstance(func, Transformed):
        machine.borrow(func.record)
        func.record.escaped = True
        return machine.unknown("vectorized function")
    if frame.trace.is_host or args.get(1, "excluded") is not None:
        return call_transform(machine, frame, node, "jax.numpy.vectorize", args)
    return Partial(LibraryName(VECTORIZED), (func,), {}, frame.loop)


def _vectorized(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of what `jnp.vectorize` gives: the function sees arrays, whatever is passed."""
    func, *values = args.positional
    if args.rest is not None or args.keywords or frame.trace.is_host:
        return machine.unknown("vectorized function")
    inside = [_array(machine, frame, node, value) for value in values]
    return mapped(machine, frame, node, _call(machine, frame, node, func, inside))


def _from_function(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, shape = args.get(0, "function"), args.get(1, "shape")
    count = len(shape.items) if isinstance(shape, Sequence) and shape.items is not None else None
    if func is None or count is None or frame.trace.is_host:
        return machine.unknown("function of indices")
    indices = [machine.operation(frame, node, [], "int") for _ in range(count)]
    return mapped(machine, frame, node, _call(machine, frame, node, func, indices))


def _along_axis(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, array = args.get(0, "func1d"), args.get(2, "arr")
    if func is None or array is None or frame.trace.is_host:
        return machine.unknown("function along an axis")
    row = _array(machine, frame, node, array)
    made = _call(machine, frame, node, func, [row, *args.positional[3:]])
    return mapped(machine, frame, node, made)


def _reduce_window(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    operand, start = args.get(0, "operand"), args.get(1, "init_value")
    if operand is None or start is None:
        return machine.unknown("reduction")
    return (
        mapped(machine, frame, node, operand)
        if isinstance(operand, Sequence)
        else _array(machine, frame, node, operand)
    )


def _by_platform(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    values = args.positional
    if args.rest is not None or frame.trace.is_host:
        return machine.unknown("function by platform")
    made = [
        _call(machine, frame, node, func, [_array(machine, frame, node, v) for v in values])
        for func in args.keywords.values()
        if not is_none(func)
    ]
    return mapped(machine, frame, node, join_all(made))


def _linear_solve(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, goal = args.get(0, "matvec"), args.get(1, "b")
    if func is None or goal is None or "has_aux" in args.keywords:
        return machine.unknown("solution")
    return _solution(machine, frame, node, func, goal)


def _iterated(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`cg` and kin: a solution like `b`, and no information."""
    func, goal = args.get(0, "A"), args.get(1, "b")
    if func is None or goal is None:
        return machine.unknown("solution")
    found = _solution(machine, frame, node, func, goal)
    return Sequence("tuple", [found, NONE], frame.trace)


def _solution(machine: Machine, frame: Frame, node: ir.Expr, func: Value, goal: Value) -> Value:
    arrays = isinstance(func, (Traced, Concrete, NumPy))
    found = (
        _array(machine, frame, node, goal) if _is_leaf(goal) else mapped(machine, frame, node, goal)
    )
    if not arrays and not frame.trace.is_host:
        _call(machine, frame, node, func, [found])
    return found


def _is_leaf(value: Value) -> bool:
    return isinstance(value, (Traced, Concrete, NumPy, Static))


# Traces in which devices or rows have an index each, a tracer of their own.
_MAPS = ("shard", "vmap")


def across(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A collective outside staged code: the same for all, so no tracer of what maps the code.

    None where the table says enough.
    """
    trace = frame.trace
    if trace.staged or trace.is_host:
        return None
    first = args.get(0, "x") if dotted != "jax.lax.axis_index" else None
    if trace.kind == "shard" and dotted != "jax.lax.axis_index":
        return None
    if dotted == "jax.lax.axis_index" and trace.entry is not None and trace.kind in _MAPS:
        return Traced(Provenance(node, None, trace.entry, function=frame.name), "batch", "int", 0)
    if dotted not in COLLECTIVES:
        return None
    traced = None if first is None else as_traced(first)
    outermost = trace.kind == "vmap" and trace.parent is not None and trace.parent.is_host
    if outermost and traced is not None and traced.leaf and traced.kind == "batch":
        return Concrete(traced.dtype)
    return machine.unknown("value that is the same on all devices")


def _custom_gradient(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func = args.get(0, "fun")
    return (
        machine.unknown("function")
        if func is None
        else Partial(LibraryName(WITH_GRADIENT), (func,), {})
    )


def _with_gradient(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The function gives a pair: its value, and the function that makes the gradient."""
    made = machine.call(frame, node, args.positional[0], args.behind(1))
    pair = made.items if isinstance(made, Sequence) else None
    return pair[0] if pair and len(pair) == 2 else machine.unknown("value with its gradient")


def _closure_convert(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A function that takes what it closes over as further arguments, and these."""
    func = args.get(0, "fun")
    if func is None:
        return machine.unknown("converted function")
    captured = Sequence("list", None, frame.trace, machine.operation(frame, node, []))
    converted = Partial(LibraryName(CONVERTED), (func, Static(len(args.positional) - 1)), {})
    return Sequence("tuple", [converted, captured], frame.trace)


def _converted(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    func, count, *values = args.positional
    taken = count.const if isinstance(count, Static) and isinstance(count.const, int) else 0
    return _call(machine, frame, node, func, values[:taken])


def _scope(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A context manager, which also decorates functions without changing what they give."""
    return Partial(LibraryName(SCOPE), (), {}, frame.loop)


def _scoped(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.get(0, "") or machine.unknown("scope")


def _initialize(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`jax.nn.initializers.normal()(key, shape, dtype)`."""
    key = args.get(0, "key")
    if key is not None:
        sampling.drawn(machine, frame, node, key, args.node(0, "key", node))
    return machine.operation(frame, node, args.values(), "")


def _linear_transpose(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """The function is traced on its primals; its transpose gives a cotangent for each."""
    if not args.positional or args.rest is not None or frame.trace.is_host:
        return machine.unknown("transposed function")
    func, *primals = args.positional
    _call(machine, frame, node, func, [_array(machine, frame, node, p) for p in primals])
    return Partial(LibraryName(PULLBACK), tuple(primals), {}, frame.loop)


def push_forward(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of what `jax.linearize` gives: tangents like the value that comes first."""
    value = args.positional[0]
    operands = args.positional[1:]
    for at, one in enumerate(operands):
        check_whole(machine, frame, args.node(at + 1, "", node), one, callee_of(node, "linearize"))

    def leaf(one: Value) -> Value:
        return machine.operation(frame, node, [one, *operands], dtype_of(one))

    return map_leaves(value, leaf, frame.trace)


def called_back(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """What a function on the host gives back to traced code: arrays, as they were described."""
    asked = args.get(1, "result_shape_dtypes")
    made = machine.operation(frame, node, args.positional[1:] + list(args.keywords.values()))
    if asked is not None and is_none(asked):
        return NONE
    if isinstance(asked, Unknown) and isinstance(made, Traced):
        made.leaf = False
    if asked is None or isinstance(asked, Unknown):
        return made
    return map_leaves(asked, lambda _: made, frame.trace)


TABLE: dict[str, Handler] = {
    INITIALIZER: _initialize,
    WITH_GRADIENT: _with_gradient,
    "jax.custom_gradient": _custom_gradient,
    CONVERTED: _converted,
    "jax.closure_convert": _closure_convert,
    SCOPE: _scoped,
    "jax.named_scope": _scope,
    "jax.profiler.TraceAnnotation": _scope,
    "jax.default_matmul_precision": _scope,
    "jax.linear_transpose": _linear_transpose,
    PUSH_FORWARD: push_forward,
    "jax.numpy.vectorize": _vectorize,
    VECTORIZED: _vectorized,
    "jax.numpy.fromfunction": _from_function,
    "jax.numpy.apply_along_axis": _along_axis,
    "jax.lax.reduce_window": _reduce_window,
    "jax.lax.platform_dependent": _by_platform,
    "jax.lax.custom_linear_solve": _linear_solve,
    "jax.scipy.sparse.linalg.cg": _iterated,
    "jax.scipy.sparse.linalg.bicgstab": _iterated,
    "jax.scipy.sparse.linalg.gmres": _iterated,
}

"""Differentiation rules of a user's own: when JAX runs them, and on what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.dataflow.names import called_names
from jaxlint.engine.checks.library.derivative_rules import (
    gives_cotangents,
    gives_no_more,
    gives_pair,
    gives_result,
    gives_shapes,
    takes_arguments,
)
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import WHOLE, map_leaves
from jaxlint.engine.domain.shapes import dims_of
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    BOOL,
    NONE,
    NUMBERS,
    Concrete,
    Function,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
)
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    entry_of,
    function_name,
    plain_function,
)
from jaxlint.engine.transforms.filtered import enter_arrays
from jaxlint.engine.transforms.trace_boundary import enter, run_in
from jaxlint.knowledge.arrays.ranks import REDUCTIONS
from jaxlint.syntax import ir


def run_rules(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, result: Value
) -> None:
    """Differentiation rules see the arguments, what the forward rule saved, and cotangents. In
    eager code they see arrays, so that only what they return is looked at."""
    eager = not machine.is_staged(frame)
    key = "eager rules" if eager else "rules"
    if not record.rules or record.runs.get(key) is NONE or machine.dynamic.muted:
        return
    record.runs[key] = NONE
    if eager and (record.passes or record.wrapper.lenient):
        return
    if record.passes:
        _run_passes(machine, frame, node, record, args, result)
        return
    fixed, passed = record.numbers, _by_position(record.func, args)
    if fixed is None or record.names or passed is None:
        return
    entry = entry_of(record.node, record.wrapper.application, record.func)
    trace = Trace("custom", frame.trace, entry, staged=True)
    name = function_name(record.func)
    if record.wrapper.lenient:
        _run_filtered(machine, trace, node, record, name, passed)
        return
    inside = [
        v if at in fixed else _primal(machine, trace, node, name, v) for at, v in enumerate(passed)
    ]
    first = [v for at, v in enumerate(inside) if at in fixed]
    if record.dotted == "jax.custom_jvp":
        primals = [v for at, v in enumerate(inside) if at not in fixed]
        both = [Sequence("tuple", list(primals), trace) for _ in ("primals", "tangents")]
        with _looking(machine, eager):
            made = run_in(machine, trace, node, record.rules[0], Args([*first, *both]))
        gives_pair(machine, trace, record.rules[0], made, "jvp-pair")
        gives_shapes(machine, trace, record.rules[0], made, [result, result], "jvp-shape")
        _suppose_vectors(machine, frame, node, record, len(primals))
    elif len(record.rules) == 2:
        with _looking(machine, eager):
            made = run_in(machine, trace, node, record.rules[0], Args(inside, nodes=args.nodes))
        gives_pair(machine, trace, record.rules[0], made, "vjp-pair")
        gives_result(machine, trace, record.rules[0], made, result, name)
        saved = (
            made.items[1]
            if isinstance(made, Sequence) and made.items and len(made.items) == 2
            else machine.unknown("residuals")
        )
        cotangent = enter(machine, trace, node, "", name, result)
        backward = record.rules[1]
        with _looking(machine, eager):
            found = run_in(machine, trace, node, backward, Args([*first, saved, cotangent]))
        gives_cotangents(machine, trace, backward, found, len(inside) - len(first), name)
        wanted = [
            v if isinstance(v, Static) else inside[at]
            for at, v in enumerate(passed)
            if at not in fixed
        ]
        gives_shapes(machine, trace, backward, found, wanted, "vjp-shape")
        _suppose_vectors(machine, frame, node, record, len(inside))


def _suppose_vectors(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, count: int
) -> None:
    """Runs a rule that adds up what it is given for arguments with one axis. Of a scalar nobody
    takes the sum: so the rule is wrong if it gives a scalar there and the function does not. Of
    several arguments of `custom_vjp`, one may be a scalar that is broadcast."""
    rule, is_jvp = record.rules[-1], record.dotted == "jax.custom_jvp"
    if not isinstance(rule, Function) or record.numbers or not (is_jvp or count == 1):
        return
    if record.runs.get("vectors") is NONE or REDUCTIONS.isdisjoint(called_names(rule.node.body)):
        return
    record.runs["vectors"] = NONE
    entry = entry_of(record.node, record.wrapper.application, record.func)
    trace = Trace("custom", frame.trace, entry, staged=True)
    name = function_name(record.func)

    def inside() -> list[Value]:
        given = (Concrete("float", 1) for _ in range(count))
        return [enter(machine, trace, node, "", name, one) for one in given]

    with _looking(machine, True):
        result = run_in(machine, trace, node, record.func, Args(inside()))
        if dims_of(result) != (None,):
            return
        if is_jvp:
            both: list[Value] = [Sequence("tuple", inside(), trace) for _ in range(2)]
            made, wanted = run_in(machine, trace, node, rule, Args(both)), [result, result]
        else:
            forward = run_in(machine, trace, node, record.rules[0], Args(inside()))
            saved = forward.items[1:] if isinstance(forward, Sequence) and forward.items else []
            if len(saved) != 1:
                return
            cotangent = enter(machine, trace, node, "", name, result)
            made = run_in(machine, trace, node, rule, Args([*saved, cotangent]))
            wanted = inside()
    given = made.items if isinstance(made, Sequence) and made.items else []
    if any(isinstance(one, Traced) and dims_of(one) == () for one in given):
        gives_shapes(machine, trace, rule, made, wanted, "jvp-shape" if is_jvp else "vjp-shape")


def suppose_rules(machine: Machine, record: TransformUse) -> None:
    """Runs the rules of a function that nothing calls but they themselves, for what they
    return."""
    plain = plain_function(record.func)
    if any(record.runs.get(one) is NONE for one in ("eager rules", "rules")):
        return
    if not record.rules or record.passes or plain is None:
        return
    params = signature(record.func)
    if all(param.kind in ("positional", "plain") for param in params):
        given = Args([machine.unknown("host parameter") for _ in params])
        entry = entry_of(record.node, record.wrapper.application, record.func)
        trace = Trace("custom", machine.host, entry, staged=True)
        with _looking(machine, True):
            inside = [
                _primal(machine, trace, record.node, plain.node.name, one)
                for one in given.positional
            ]
            result = run_in(machine, trace, record.node, record.func, Args(inside))
        run_rules(machine, record.frame, record.node, record, given, result)


@contextmanager
def _looking(machine: Machine, eager: bool) -> Iterator[None]:
    """Inside, rules that see other values in truth run for what they return."""
    if not eager:
        yield
        return
    supposed = machine.dynamic.supposed + 1
    with machine.quiet(), machine.within(supposed=supposed), machine.program.uncounted():
        yield


PASSES = ("def_fwd", "def_bwd")
"""Methods of a function of Equinox that take its rules for reverse mode, in their order."""
RULE_METHODS = frozenset({"defvjp", "defjvp", "def_jvp", "def_vmap", *PASSES})
"""Methods of functions that take rules."""


def note_rules(machine: Machine, record: TransformUse, name: str, args: Args) -> Value:
    """Notes what a method takes, and gives what it returns. Rules that are given one by one count
    once both are there."""
    if name not in PASSES:
        record.rules = list(args.positional)
        takes_arguments(machine, record, name)
        gives_no_more(machine, record)
        return args.positional[0] if args.positional else NONE
    if len(args.positional) == 1:
        record.passes[name] = args.positional[0]
        rules = [record.passes[one] for one in PASSES if one in record.passes]
        record.rules = rules if len(rules) == len(PASSES) else []
    return NONE


def _run_passes(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args, result: Value
) -> None:
    """`forward(perturbed, vjp_arg, ...)` and `backward(residuals, cotangent, perturbed, vjp_arg,
    ...)`: which leaves are differentiated is known while JAX traces."""
    if args.rest is not None or args.more is not None or not args.positional:
        return
    entry = entry_of(record.node, record.wrapper.application, record.func)
    trace = Trace("custom", frame.trace, entry, staged=True)
    name = function_name(record.func)

    def inside(value: Value) -> Value:
        return enter_arrays(machine, trace, node, "", name, value)

    given = list(map(inside, args.positional))
    keywords = {word: inside(value) for word, value in args.keywords.items()}
    perturbed = map_leaves(given[0], lambda _: BOOL, trace)
    forward, backward = record.rules
    made = run_in(machine, trace, node, forward, Args([perturbed, *given], keywords))
    saved = (
        made.items[1]
        if isinstance(made, Sequence) and made.items and len(made.items) == 2
        else machine.unknown("residuals")
    )
    cotangent = map_leaves(inside(result), lambda one: _tangent(machine, one), trace)
    run_in(machine, trace, node, backward, Args([saved, cotangent, perturbed, *given], keywords))


def _tangent(machine: Machine, one: Value) -> Value:
    """The tangent or cotangent of a leaf of a filtered function: None where it is no array of
    floating-point numbers."""
    if isinstance(one, Traced) and one.dtype == "":
        return machine.unknown("tangent of what may be an integer")
    if isinstance(one, (Unknown, Union)):
        return machine.unknown("tangent of an unknown value")
    return one if isinstance(one, Traced) and one.dtype not in WHOLE else NONE


def _run_filtered(
    machine: Machine,
    trace: Trace,
    node: ir.Expr,
    record: TransformUse,
    name: str,
    given: list[Value],
) -> None:
    """The rule of a function of which arrays alone are differentiated: all else has None for its
    tangent."""

    if len(record.rules) == 1:
        primals = [enter_arrays(machine, trace, node, "", name, value) for value in given]
        tangents = [
            map_leaves(value, lambda one: _tangent(machine, one), trace) for value in primals
        ]
        both: list[Value] = [Sequence("tuple", each, trace) for each in (primals, tangents)]
        run_in(machine, trace, node, record.rules[0], Args(both))


def _primal(machine: Machine, trace: Trace, node: ir.Expr, name: str, value: Value) -> Value:
    """An argument as a rule sees it. A constant stays one under `jit(grad(f))`, and is traced
    under `grad(jit(f))`."""
    if isinstance(value, Static) and value.kind in NUMBERS:
        return machine.unknown("constant that a rule is given")
    return enter(machine, trace, node, "", name, value)


def _by_position(func: Value, args: Args) -> list[Value] | None:
    """The arguments as rules get them, keywords and defaults at their positions; None where that
    cannot be told.

    Source: `resolve_kwargs` in `jax/_src/api_util.py`, which `custom_jvp` and `custom_vjp` apply
    to their arguments, and which raises TypeError for keyword-only parameters.
    """
    if args.rest is not None or args.more is not None:
        return None
    plain = plain_function(func)
    if plain is None:
        return None if args.keywords else args.positional
    given = list(args.positional)
    for param in signature(func)[len(given) :]:
        value = args.keywords.get(param.name, plain.defaults.get(param.name))
        if value is None or param.kind not in ("positional", "plain"):
            return None
        given.append(value)
    return given

"""optax: transformations of gradients, their states, and functions of the step.

A `GradientTransformation` is a pair of pure functions, `init(params)` and `update(grads, state,
params)`, and no array: `jax.jit` refuses it as an argument. Source: optax documentation,
"Getting started" and "API".
"""

from __future__ import annotations

from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.possibilities import Candidates
from jaxlint.engine.domain.pytrees import is_number, map_leaves, strongest
from jaxlint.engine.domain.traces import LOOKS, Trace
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Concrete,
    Function,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations.pytrees.jax_tree import mapped
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.knowledge.ecosystems.optax import (
    IDLE_WITHOUT,
    NEEDS_PARAMETERS,
    SCHEDULES,
    STATEFUL,
    TRANSFORMATIONS,
    TREES,
)
from jaxlint.knowledge.transforms import Wrapper
from jaxlint.syntax import ir

_OWN = frozenset({"optax.GradientTransformation", "optax.GradientTransformationExtraArgs"})
_STEPS = "optax.MultiSteps"
_INJECTED = "optax.inject_hyperparams(...)"
# How the traces of JAX's own transforms begin to say what they are: they refuse functions.
# The transforms that refuse what is no array, by the library of their names.
_REFUSING = {
    EntryKind.MAPPED: "jax.",
    EntryKind.DIFFERENTIATED: "jax.",
    EntryKind.TRACED: "lax.",
}
_UPDATE = Wrapper("jit", Application(EntryKind.SUPPOSED))
_SCHEDULE = Wrapper("jit", Application(EntryKind.SUPPOSED), scalars=True)
_MAKERS = TRANSFORMATIONS | _OWN | SCHEDULES | {_STEPS}


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """Functions of optax that make objects, or trees of arrays."""
    if dotted in _MAKERS:
        _suppose(machine, frame, node, dotted, args)
        return FrameworkObject(dotted, args, node, frame.trace)
    if dotted == "optax.inject_hyperparams":
        return Partial(LibraryName(_INJECTED), tuple(args.positional[:1]), {}, frame.loop)
    if dotted == _INJECTED:
        return _injected(frame, node, args)
    if dotted == "optax.constant_schedule":
        value = args.get(0, "value")
        return None if value is None else FrameworkObject(dotted, args, node, frame.trace)
    if dotted in TREES:
        _check_used(machine, frame, node, dotted)
        return _like(machine, frame, node, args, TREES[dotted])
    return None


def _suppose(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Functions of the user that a transformation calls run where its `update` does: in compiled
    code, as a rule. Source: optax documentation, "Getting started"."""
    if not frame.trace.is_host or machine.dynamic.idle:
        return
    if dotted in _OWN:
        found, wrapper = [args.get(1, "update")], _UPDATE
    elif dotted in SCHEDULES:
        first = args.get(0, "schedules")
        found = list(first.items or ()) if isinstance(first, Sequence) else []
        wrapper = _SCHEDULE
    else:
        # Others have more parameters: what masks parameters, or makes transformations.
        first = args.get(0, "learning_rate") or args.get(0, "step_size_fn")
        found, wrapper = [first], _SCHEDULE
    for func in found:
        if isinstance(func, (Bound, Function, Candidates, Union)):
            machine.program.records.append(TransformUse(wrapper, dotted, node, func, frame))


def _injected(frame: Frame, node: ir.Expr, args: Args) -> Value | None:
    """`inject_hyperparams(factory)(...)`: as the factory, with numbers of its own in the state."""
    factory = args.get(0, "")
    if not isinstance(factory, LibraryName) or factory.dotted not in TRANSFORMATIONS:
        return None
    made = FrameworkObject(factory.dotted, args, node, frame.trace)
    made.state["injected"] = True
    return made


def _like(machine: Machine, frame: Frame, node: ir.Expr, args: Args, at: int) -> Value | None:
    """A tree of arrays with the structure of an argument."""
    values = args.values()
    tree = args.positional[at] if at < len(args.positional) else None
    if tree is None or isinstance(tree, Unknown):
        return None
    if isinstance(tree, (Traced, Sequence, Mapping)) or not is_number(tree):
        made = mapped(machine, frame, node, tree)
        return map_leaves(
            made, lambda one: _as_array(machine, frame, node, one, values), frame.trace
        )
    return machine.operation(frame, node, values)


def _as_array(
    machine: Machine, frame: Frame, node: ir.Expr, one: Value, values: list[Value]
) -> Value:
    """A leaf of a tree that is computed from several."""
    if isinstance(one, (Concrete, NumPy)) or is_number(one):
        outer = strongest(values)
        return machine.operation(frame, node, [one] if outer is None else [one, outer])
    return one


# -- transformations ---------------------------------------------------------------------------


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """The two functions of a transformation."""
    if not isinstance(owner, FrameworkObject) or not _transforms(owner):
        return None
    if attr == "gradient_transformation":
        return Method(owner, attr, node)
    return Method(owner, attr, node) if attr in ("init", "update", "has_updated") else None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """`tx.init(params)` and `tx.update(grads, state, params)`."""
    if not isinstance(owner, FrameworkObject):
        return None
    if name == "gradient_transformation":
        return owner
    if name == "init":
        return _initial(machine, frame, node, owner, args)
    if name == "update":
        if not _runs_own_code(owner):
            _check_used(machine, frame, node, f"{owner.dotted}.update")
        _check_parameters(machine, frame, node, owner, args)
        if _has_state(owner):
            _check_kept(machine, frame, node, args)
        return _updated(machine, frame, node, owner, args)
    return None


def _transforms(made: FrameworkObject) -> bool:
    return made.dotted in TRANSFORMATIONS or made.dotted in _OWN or made.dotted == _STEPS


def _inner(made: FrameworkObject) -> list[FrameworkObject]:
    """The transformations that one is made of."""
    values = [] if made.args is None else made.args.values()
    return [value for value in values if isinstance(value, FrameworkObject)]


def _runs_own_code(made: FrameworkObject, depth: int = 4) -> bool:
    """Whether functions of the user, or of code that is not known, are part of this."""
    if made.dotted in _OWN:
        return True
    if made.dotted not in ("optax.chain", _STEPS) or depth == 0:
        return made.dotted not in TRANSFORMATIONS
    values = [] if made.args is None else made.args.values()
    known = made.args is not None and all(
        isinstance(one, (FrameworkObject, Static)) for one in values
    )
    return not known or any(_runs_own_code(one, depth - 1) for one in _inner(made))


def _has_state(made: FrameworkObject, depth: int = 4) -> bool:
    """Whether the state certainly holds arrays."""
    if made.dotted in STATEFUL or made.dotted == _STEPS or "injected" in made.state:
        return True
    rate = made.given(0, "learning_rate")
    if isinstance(rate, FrameworkObject) and rate.dotted in SCHEDULES:
        return True  # A schedule goes by the count of steps.
    chained = made.dotted == "optax.chain" and depth > 0
    return chained and any(_has_state(one, depth - 1) for one in _inner(made))


def _state(machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject) -> Value:
    """A state: a tuple, of whose parts nothing is known but that they hold arrays, if so."""
    part: Value = Unknown("state of an optimizer")
    entry = frame.trace.entry
    if _has_state(made) and entry is not None and machine.is_staged(frame):
        part = Traced(Provenance(node, None, entry, function=frame.name), leaf=False)
    return Sequence("tuple", None, frame.trace, part, frame.path, node)


def _initial(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args
) -> Value:
    if made.dotted in _OWN:
        function = made.given(0, "init")
        return (
            machine.unknown("state")
            if function is None
            else machine.call(frame, node, function, args)
        )
    return _state(machine, frame, node, made)


def _updated(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args
) -> Value:
    """The updates, like the gradients, and the next state."""
    if made.dotted in _OWN:
        function = made.given(1, "update")
        if function is None:
            return machine.unknown("updates")
        return machine.call(frame, node, function, args)
    if made.dotted == "optax.chain":
        _run_parts(machine, frame, node, made, args)
    grads = args.get(0, "updates") or machine.unknown("gradients")

    def leaf(one: Value) -> Value:
        if isinstance(one, (Concrete, NumPy)):
            same = made.dotted in ("optax.identity", "optax.chain")
            return machine.unknown("update") if same else machine.operation(frame, node, [one])
        # A Python number may stay one.
        return machine.unknown("update of a number") if is_number(one) else one

    updates = map_leaves(mapped(machine, frame, node, grads, identity=True), leaf, frame.trace)
    pair: list[Value] = [updates, _state(machine, frame, node, made)]
    return Sequence("tuple", pair, frame.trace, None, frame.path)


def _run_parts(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args
) -> None:
    """Functions of the user's own in a chain run on the gradients."""
    grads, params = args.get(0, "updates"), args.get(2, "params") or NONE
    for part in _inner(made):
        function = part.given(1, "update") if part.dotted in _OWN else None
        if grads is not None and isinstance(function, Function):
            inside = [grads, machine.unknown("state of an optimizer"), params]
            machine.call(frame, node, function, Args(inside, nodes=[node] * 3))


# -- schedules ---------------------------------------------------------------------------------


def invoke(machine: Machine, frame: Frame, node: ir.Expr, made: Value, args: Args) -> Value | None:
    """A schedule at a step."""
    if not isinstance(made, FrameworkObject):
        return None
    if made.dotted == "optax.constant_schedule":
        return made.given(0, "value")
    if made.dotted not in SCHEDULES:
        return None
    if made.dotted in IDLE_WITHOUT:
        steps = made.given(*IDLE_WITHOUT[made.dotted])
        changes = isinstance(steps, Static) and isinstance(steps.const, int) and steps.const > 0
        if not changes and not (isinstance(steps, Mapping) and steps.items):
            return machine.unknown("schedule that may be constant")
    return machine.operation(frame, node, args.values(), "float")


# -- misuse ------------------------------------------------------------------------------------


def _check_used(machine: Machine, frame: Frame, node: ir.Expr, dotted: str) -> None:
    """A pure function whose result is thrown away does nothing."""
    pure = dotted.endswith(".update") or dotted == "optax.apply_updates"
    holder = frame.func or frame.root.module
    if not pure or holder is None or not isinstance(node, ir.Call):
        return
    statements = (one for one in walk(holder.body) if isinstance(one, ir.ExprStmt))
    found = next((one for one in statements if one.value is node), None)
    # Who evaluates a file piece by piece sees the value of its last expression.
    shown = frame.func is None and found is holder.body[-1]
    if found is not None and not shown:
        misused(machine, frame, node, "optax-discarded", dotted_text(node.func))


def _check_kept(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> None:
    """An optimizer whose next state goes nowhere takes its first step again and again."""
    holder = frame.func or frame.root.module
    if holder is None or not isinstance(node, ir.Call) or in_test(frame):
        return
    if _is_first(frame, args.node(1, "state", node)):
        return
    for one in walk(holder.body):
        target = one.targets[0] if isinstance(one, ir.Assign) and one.value is node else None
        parts = target.items if isinstance(target, ir.Sequence) else ()
        state = parts[1] if len(parts) == 2 else None
        if not isinstance(state, ir.Name) or not (frame.func or state.id.startswith("_")):
            continue
        named = sum(isinstance(n, ir.Name) and n.id == state.id for n in walk(holder.body))
        bound = sum(state.id in bound_names(n) for n in walk(holder.body))
        if named == bound:  # Nothing reads it.
            misused(machine, frame, node, "optax-state", dotted_text(node.func))


def _is_first(frame: Frame, given: ir.Expr) -> bool:
    """Whether a state was made on the spot, for this one step."""
    loop = frame.innermost_loop()
    if isinstance(given, ir.Name) and loop is not None and given.id not in loop.names:
        return False
    made = term(frame, given).resolved().node
    return isinstance(made, ir.Call) and dotted_text(made.func).endswith("init")


def _check_parameters(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args
) -> None:
    """An update that decays parameters has to be given these."""
    params = args.get(2, "params")
    missing = params is None or is_none(params)
    if not missing or args.rest is not None or args.more is not None or not args.positional:
        return
    names = [
        one.dotted for one in ([made, *_inner(made)] if made.dotted == "optax.chain" else [made])
    ]
    needing = next((name for name in names if name in NEEDS_PARAMETERS), None)
    if needing is not None and isinstance(node, ir.Call):
        misused(machine, frame, node, "optax-parameters", dotted_text(node.func), needing)


def enter(
    machine: Machine, trace: Trace, node: ir.Node, name: str, function: str, owner: Value
) -> Value | None:
    """A transformation is passed where JAX wants arrays."""
    if not isinstance(owner, FrameworkObject):
        return None
    LOOKS.at(trace)
    if trace.entry is not None and _refuses(trace.entry.application) and _transforms(owner):
        misused(machine, (function, trace.entry), node, "optax-argument", name or function)
    return owner


def _refuses(how: Application) -> bool:
    library = _REFUSING.get(how.kind)
    return how.is_plain_jit or (library is not None and how.transform.startswith(library))


HOOKS = Hooks(
    library="optax", call=call, attribute=attribute, method=method, invoke=invoke, enter=enter
)

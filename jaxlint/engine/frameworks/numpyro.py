"""numpyro: models, and the inference that runs them.

A model is plain Python with samples. `MCMC.run`, `SVI.run` and `Predictive` compile it: samples
and every JAX operation are traced there, what is passed to the model stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.engine.checks.prng import sampling
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Concrete,
    Function,
    Instance,
    Iterator,
    Mapping,
    Method,
    Partial,
    Static,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.frameworks import distributions
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import entry_of
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.ecosystems.numpyro import (
    KERNELS,
    OUTER_KERNELS,
    PLAIN_HANDLERS,
    is_distribution,
)
from jaxlint.syntax import ir

MCMC = "numpyro.infer.MCMC"
SVI = "numpyro.infer.SVI"
PREDICTIVE = "numpyro.infer.Predictive"
_MAKERS = KERNELS | OUTER_KERNELS | PLAIN_HANDLERS | {MCMC, SVI, PREDICTIVE}
# Options of `run` that are not for the model.
_OPTIONS = {
    MCMC: frozenset({"extra_fields", "init_params"}),
    SVI: frozenset(
        {"forward_mode_differentiation", "init_params", "init_state", "progress_bar"}
        | {"stable_update"}
    ),
    PREDICTIVE: frozenset[str](),
}
Handler = Callable[[Machine, Frame, ir.Expr, Args], Value | None]


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """Functions and classes of numpyro."""
    if is_distribution(dotted):
        return distributions.made(dotted, args, node, frame.trace)
    if dotted in _MAKERS:
        return FrameworkObject(dotted, args, node, frame.trace)
    handler = _PRIMITIVES.get(dotted)
    return None if handler is None else handler(machine, frame, node, args)


# -- primitives --------------------------------------------------------------------------------


def _sample(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`numpyro.sample(name, distribution, obs=...)`: what is observed, or an array."""
    observed = args.get(2, "obs") or NONE
    if not is_none(observed):
        return machine.unknown("observed") if isinstance(observed, (Union, Unknown)) else observed
    source = args.get(1, "fn")
    if not _is_distribution(source):
        return machine.unknown("sample of an unknown distribution")
    assert source is not None
    return machine.operation(frame, node, distributions.parameters(source))


def _is_distribution(value: Value | None) -> bool:
    if isinstance(value, FrameworkObject):
        return is_distribution(value.dotted)
    return isinstance(value, Instance) and any(
        name.startswith("numpyro.distributions.") for name in value.cls.externals()
    )


def _param(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`numpyro.param(name, init)`: the initial value outside inference."""
    if machine.is_staged(frame):
        return machine.operation(frame, node, [])
    return machine.unknown("parameter of a model")


def _deterministic(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value | None:
    return args.get(1, "value")


def _nothing(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return NONE


def _plate(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`with numpyro.plate(name, size) as indices`."""
    indices = machine.operation(frame, node, [], "int")
    return Iterator(indices, frame.trace, source="context", made=node)


def _key(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return (
        machine.operation(frame, node, []) if machine.is_staged(frame) else machine.unknown("key")
    )


_PRIMITIVES: dict[str, Handler] = {
    "numpyro.sample": _sample,
    "numpyro.param": _param,
    "numpyro.deterministic": _deterministic,
    "numpyro.factor": _nothing,
    "numpyro.plate": _plate,
    "numpyro.prng_key": _key,
}


# -- inference ---------------------------------------------------------------------------------


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """Methods of inference, and all of distributions."""
    if _is_distribution(owner):
        return distributions.attribute(machine, frame, node, owner, attr)
    return Method(owner, attr, node) if isinstance(owner, FrameworkObject) else None


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """`mcmc.run(key, *args)`, `svi.run(key, steps, *args)`, `svi.update(state, *args)`."""
    if _is_distribution(owner):
        return distributions.method(machine, frame, node, owner, name, args)
    if not isinstance(owner, FrameworkObject):
        return None
    if owner.dotted == MCMC:
        return _of_mcmc(machine, frame, node, owner, name, args)
    if owner.dotted == SVI and name in ("init", "run"):
        _draw(machine, frame, node, args)
    if owner.dotted == SVI and name == "run":
        _run(machine, frame, node, owner, args, 2)
    elif owner.dotted == SVI and name in ("evaluate", "update") and machine.is_staged(frame):
        for model in _models(owner):
            machine.call(frame, node, model, _rest(owner, args, 1))
    elif name == "get_trace" and owner.dotted in PLAIN_HANDLERS:
        invoke(machine, frame, node, owner, args)
    return machine.unknown("result of inference")


def _of_mcmc(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, name: str, args: Args
) -> Value:
    if name in ("run", "warmup"):
        _draw(machine, frame, node, args)
        _run(machine, frame, node, owner, args, 1)
        return NONE
    if name == "get_samples":
        return Mapping({}, frame.trace, Concrete(), True, frame.path)
    return NONE if name == "print_summary" else machine.unknown("result of inference")


def invoke(machine: Machine, frame: Frame, node: ir.Expr, made: Value, args: Args) -> Value | None:
    """`Predictive(model)(key, *args)`, and a model under a handler."""
    if not isinstance(made, FrameworkObject):
        return None
    if made.dotted == PREDICTIVE:
        _draw(machine, frame, node, args)
        if _samples_often(made):
            _run(machine, frame, node, made, args, 1)
        return machine.unknown("result of inference")
    if made.dotted in PLAIN_HANDLERS:
        model = made.given(0, "fn")
        return None if model is None else machine.call(frame, node, model, args)
    return None


def _draw(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> None:
    """An object of inference draws with the key that it is given first."""
    key = args.get(0, "rng_key")
    if key is not None:
        sampling.drawn(machine, frame, node, key, args.node(0, "rng_key", node))


def _samples_often(made: FrameworkObject) -> bool:
    """Whether the model runs for several samples at once: one sample is drawn without a trace."""
    if made.args is None:
        return False
    count = made.args.keywords.get("num_samples")
    several = isinstance(count, Static) and isinstance(count.const, int) and count.const > 1
    return several and not made.args.keywords.keys() & {"batch_ndims", "params", "infer_discrete"}


def _models(made: FrameworkObject, depth: int = 3) -> list[Value]:
    """The functions that an object of inference runs: a model, and a guide."""
    given: list[Value | None] = [made.given(0, "sampler" if made.dotted == MCMC else "model")]
    if made.dotted == SVI:
        given.append(made.given(1, "guide"))
    if made.dotted in OUTER_KERNELS:
        given = [made.given(0, "inner_kernel")]
    if made.dotted in PLAIN_HANDLERS:
        given = [made.given(0, "fn")]
    found: list[Value] = []
    for one in given:
        if isinstance(one, (Function, Bound, Partial)):
            found.append(one)
        elif isinstance(one, FrameworkObject) and depth:
            found += _models(one, depth - 1)
    return found


def _rest(made: FrameworkObject, args: Args, first: int) -> Args:
    """The arguments that are for the model."""
    options = _OPTIONS.get(made.dotted, frozenset())
    keywords = {k: v for k, v in args.keywords.items() if k not in options}
    places = {k: v for k, v in args.keyword_nodes.items() if k in keywords}
    return Args(args.positional[first:], keywords, args.rest, args.more, args.nodes[first:], places)


def _run(
    machine: Machine, frame: Frame, node: ir.Expr, made: FrameworkObject, args: Args, first: int
) -> None:
    """Runs the models of an object of inference as it compiles them."""
    if len(args.positional) < first or args.rest is not None:
        return
    name = made.dotted.rpartition(".")[2]
    how = EntryKind.COMPILED.by(name if made.dotted == PREDICTIVE else f"{name}.run")
    for model in _models(made):
        trace = Trace("staged", frame.trace, entry_of(node, how, model), staged=True)
        run_in(machine, trace, node, model, _rest(made, args, first))


def enter(
    machine: Machine, trace: Trace, node: ir.Node, name: str, function: str, owner: Value
) -> Value | None:
    """Distributions are pytrees; what runs models is not."""
    if _is_distribution(owner):
        return distributions.enter(machine, trace, node, name, function, owner)
    return None


def leave(machine: Machine, frame: Frame, node: ir.Node, owner: Value) -> Value | None:
    return distributions.leave(machine, frame, node, owner) if _is_distribution(owner) else None


HOOKS = Hooks(
    library="numpyro",
    call=call,
    attribute=attribute,
    method=method,
    invoke=invoke,
    enter=enter,
    leave=leave,
)

"""The methods that `nn.Module` gives to modules: parameters, variables, random keys.

Source: flax documentation, "flax.linen.Module".
"""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    BOOL,
    NONE,
    STR,
    Concrete,
    Instance,
    Mapping,
    Static,
    Value,
)
from jaxlint.engine.frameworks.flax.linen_scopes import (
    Scope,
    bound,
    makes_variables,
    read_mutable,
    scope_of,
    variable,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

VARIABLE = "flax.linen.Variable"
Handler = Callable[[Machine, Frame, ir.Expr, Value, Args], Value]


def changes(machine: Machine, frame: Frame, node: ir.Node, scope: Scope, name: str) -> None:
    """A variable is set: an error where its collection is certainly not mutable.

    Under a condition that is not known, it may be that of the variables being there.
    """
    if scope.mutable.allows(name) is False and not machine.asks(CONDITIONS).conditions:
        misused(machine, frame, node, "linen-immutable", name)


def _name(value: Value | None) -> str:
    return value.const if isinstance(value, Static) and isinstance(value.const, str) else ""


def _key(machine: Machine, frame: Frame, node: ir.Expr, scope: Scope | None) -> Value:
    if scope is None:
        return machine.unknown("random key of a module")
    operands = [] if scope.rngs is None else [scope.rngs]
    return machine.operation(frame, node, operands)


def _initialized(
    machine: Machine, frame: Frame, node: ir.Expr, scope: Scope, args: Args, key: bool
) -> Value:
    """What an initializer gives: `init_fn(key, *rest)` of a parameter, `init_fn(*rest)`."""
    place = 1 if key else 2
    func = args.get(place, "init_fn")
    if func is None or args.rest is not None:
        return machine.unknown("initial value")
    values = args.positional[place + 1 :]
    nodes = args.nodes[place + 1 :]
    if key:
        values, nodes = [_key(machine, frame, node, scope), *values], [node, *nodes]
    keywords = {k: v for k, v in args.keywords.items() if k not in ("init_fn", "unbox")}
    inside = Args(values, keywords, None, args.more, nodes, args.keyword_nodes)
    value = machine.call(frame, node, func, inside)
    if not isinstance(value, (Concrete, Static)):
        makes_variables(machine, frame, scope, node, dotted_text(node))
    return value


def _param(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    scope = scope_of(owner)
    if scope is None:
        return machine.unknown("parameter of a module")
    if scope.initializing:
        return _initialized(machine, frame, node, scope, args, key=True)
    return variable(machine, frame, node, scope, "params")


def _variable(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    scope = scope_of(owner)
    if scope is None:
        return machine.unknown("variable of a module")
    made = FrameworkObject(VARIABLE, args, node, frame.trace)
    name = _name(args.get(0, "col"))
    if scope.initializing and args.get(2, "init_fn") is not None:
        value = _initialized(machine, frame, node, scope, args, key=False)
    else:
        value = variable(machine, frame, node, scope, name, leaf=False)
    made.state = {"scope": scope, "collection": name, "value": value}
    return made


def _put_variable(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    scope = scope_of(owner)
    if scope is not None:
        changes(machine, frame, node, scope, _name(args.get(0, "col")))
    return NONE


def _get_variable(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    scope = scope_of(owner)
    if scope is None:
        return machine.unknown("variable of a module")
    return variable(machine, frame, node, scope, _name(args.get(0, "col")), leaf=False)


def _has_variable(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    """A collection that is not passed has no variables."""
    scope = scope_of(owner)
    variables = None if scope is None or scope.initializing else scope.variables
    if isinstance(variables, Mapping) and not variables.open and variables.element is None:
        name = _name(args.get(0, "col"))
        return BOOL if not name or name in variables.items else Static(False)
    return BOOL


def _make_rng(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    return _key(machine, frame, node, scope_of(owner))


def _flag(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    return BOOL


def _is_initializing(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args
) -> Value:
    scope = scope_of(owner)
    return BOOL if scope is None else Static(scope.initializing)


def _is_mutable(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    scope = scope_of(owner)
    answer = None if scope is None else scope.mutable.allows(_name(args.get(0, "col")))
    return BOOL if answer is None else Static(answer)


def _perturb(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    return args.get(1, "value") or machine.unknown("perturbed value")


def _bind(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    mutable = read_mutable(args.keywords.get("mutable"))
    scope = Scope(args.get(0, "variables"), mutable, args.keywords.get("rngs"))
    return bound(machine, frame, node, owner, scope)


def _clone(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    """A copy that is not bound, some fields replaced."""
    if not isinstance(owner, Instance):
        return machine.unknown("copy of a layer")
    made = Instance(owner.cls, frame.trace, path=frame.path)
    made.fields = {k: v for k, v in owner.fields.items() if k in owner.cls.fields}
    made.fields.update({k: v for k, v in args.keywords.items() if k in owner.cls.fields})
    return made


def _text(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    return STR


METHODS: dict[str, Handler] = {
    "bind": _bind,
    "clone": _clone,
    "copy": _clone,
    "get_variable": _get_variable,
    "has_rng": _flag,
    "has_variable": _has_variable,
    "is_initializing": _is_initializing,
    "is_mutable_collection": _is_mutable,
    "make_rng": _make_rng,
    "param": _param,
    "perturb": _perturb,
    "put_variable": _put_variable,
    "sow": _flag,
    "tabulate": _text,
    "variable": _variable,
}

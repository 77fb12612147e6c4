"""flax.linen: modules are bound to variables by `init` and `apply`, which run their methods.

What happens in a method is as traced as its arguments and variables are. Source: flax
documentation, "flax.linen.Module", "The Flax Module lifecycle" and `flax.errors`.
"""

from __future__ import annotations

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.prng import sampling, stream_keys
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, FrameworkTuple
from jaxlint.engine.domain.special_values import FieldSpec
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Function,
    Instance,
    LibraryName,
    Method,
    Partial,
    Sequence,
    Static,
    Value,
    is_none,
    join,
)
from jaxlint.engine.evaluation.classes import bind_fields, generic_instance
from jaxlint.engine.frameworks.flax import linen_layers, linen_lifted
from jaxlint.engine.frameworks.flax.linen_methods import METHODS, VARIABLE, changes
from jaxlint.engine.frameworks.flax.linen_scopes import (
    INITIAL,
    MODULE,
    UNREADABLE,
    Initialization,
    Mutable,
    Scope,
    bound,
    current,
    frozen,
    is_module,
    is_module_class,
    phase,
    read_mutable,
    scope_of,
    tree,
)
from jaxlint.engine.inference.extents import examples
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.engine.transforms.trace_boundary import leave
from jaxlint.knowledge.transforms import MODULE_OPTIONS
from jaxlint.syntax import ir

_ENTRIES = frozenset({"apply", "init", "init_with_output", "lazy_init"})
_MUTATORS = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "__setitem__"}
)


# -- construction -----------------------------------------------------------------------------


def build(machine: Machine, frame: Frame, node: ir.Expr, cls: Class, args: Args) -> Value | None:
    """A module's class is called: its fields are those of a dataclass."""
    if not is_module_class(cls):
        return None
    if cls.find("__init__") is not None:
        return machine.unknown("module with its own constructor")
    made = Instance(cls, frame.trace, path=frame.path)
    bind_fields(machine, frame, node, made, cls, args)
    for name in ("name", "parent"):
        if name in args.keywords:
            made.fields[name] = args.keywords[name]
    parent = attached(machine, frame, node, cls.name, args)
    post = cls.find("__post_init__")
    if isinstance(post, Function):
        machine.invoke(post, Args([made], nodes=[node]), frame.trace, node, frame)
    scope = None if parent is None else scope_of(parent)
    return made if scope is None else bound(machine, frame, node, made, scope)


def attached(
    machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args
) -> Instance | None:
    """The module that a new one becomes a part of: one whose method runs."""
    parent = current(machine)
    if parent is None or "parent" in args.keywords or args.more is not None:
        return None
    if phase(machine, parent) == "frozen":
        misused(machine, frame, node, "linen-submodule", name, parent.cls.name)
    return parent


# -- attributes -------------------------------------------------------------------------------


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """What modules have of `nn.Module`."""
    if isinstance(owner, FrameworkObject) and owner.dotted == VARIABLE:
        return _of_variable(machine, frame, node, owner, attr)
    if not is_module(owner):
        return None
    if attr in _ENTRIES:
        return (
            linen_layers.entry_method(frame, owner, attr)
            if isinstance(owner, FrameworkObject)
            else None
        )
    if attr in METHODS:
        return Method(owner, attr, node)
    scope = scope_of(owner)
    if attr == "variables" and scope is not None and scope.variables is not None:
        return scope.variables
    if isinstance(owner, FrameworkObject):
        return linen_layers.attribute(machine, owner, attr)
    return None


def _of_variable(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str
) -> Value:
    if attr == "value":
        # One that code makes itself, of the class, holds what nobody has seen.
        held: Value | None = owner.state.get("value")
        return machine.unknown("value of a variable") if held is None else held
    return Method(owner, attr, node)


def store(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    """`self.x = ...` is for `setup`; `variable.value = ...` for mutable collections."""
    if isinstance(owner, FrameworkObject) and owner.dotted == VARIABLE and attr == "value":
        if "scope" in owner.state:
            changes(machine, frame, node, owner.state["scope"], owner.state["collection"])
        machine.alters(owner)
        held = owner.state.get("value")
        owner.state["value"] = value if held is None else join(held, value)
        return NONE
    if not isinstance(owner, Instance) or not is_module_class(owner.cls):
        return None
    if attr.startswith("__") or owner.cls.find("__setattr__") is not None:
        return None
    now = phase(machine, owner)
    text = dotted_text(node)
    if now == "setup":
        if _is_field(owner.cls, attr):
            misused(machine, frame, node, "linen-field", text, owner.cls.name)
        kept = frozen(frame, value)
        scope = scope_of(owner)
        if scope is not None and scope_of(kept) is None:
            kept = bound(machine, frame, node, kept, scope)
        old = owner.fields.get(attr)
        straight = old is None or owner.generic is False
        machine.alters(owner)
        owner.fields[attr] = kept if straight or old is None else join(old, kept)
        return NONE
    if now in ("compact", "frozen"):
        misused(machine, frame, node, "linen-frozen", text, owner.cls.name)
        return NONE
    return None


def _is_field(cls: Class, attr: str) -> bool:
    """Whether an attribute is an argument of the constructor."""
    if attr not in cls.fields:
        return False
    annotation, default = cls.fields[attr]
    head = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    name = head.attr if isinstance(head, ir.Attribute) else getattr(head, "id", "")
    return name not in ("ClassVar", "InitVar", "") and not isinstance(default, FieldSpec)


# -- methods ----------------------------------------------------------------------------------


def method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, name: str, args: Args
) -> Value | None:
    """A method of `nn.Module` is called, or one of what a module keeps."""
    if isinstance(owner, FrameworkTuple):
        if name in _MUTATORS:
            func = node.func if isinstance(node, ir.Call) else node
            holder = func.value if isinstance(func, ir.Attribute) else func
            misused(machine, frame, node, "linen-tuple", dotted_text(holder), name)
            return NONE
        return None
    if isinstance(owner, FrameworkObject) and owner.dotted == VARIABLE:
        return machine.unknown("method of a variable")
    if not is_module(owner) or name not in METHODS:
        return None
    return METHODS[name](machine, frame, node, owner, args)


# -- running ----------------------------------------------------------------------------------


def invoke(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value | None:
    """A module is called."""
    if not is_module(owner):
        return None
    scope = scope_of(owner)
    if scope is None:
        around = current(machine)
        scope = None if around is None else scope_of(around)
        if scope is None:
            return (
                machine.unknown("module that is not bound")
                if isinstance(owner, FrameworkObject)
                else None
            )
        owner = bound(machine, frame, node, owner, scope)
    return run(machine, frame, node, owner, args)


def run(machine: Machine, frame: Frame, node: ir.Expr, owner: Value, args: Args) -> Value:
    """`__call__` of a bound module."""
    lift = linen_lifted.lift_of(owner)
    if lift is not None:
        return linen_lifted.run(machine, frame, node, owner, lift, args)
    if isinstance(owner, FrameworkObject):
        return linen_layers.run(machine, frame, node, owner, args)
    found = owner.cls.find("__call__") if isinstance(owner, Instance) else None
    if found is None:
        return machine.unknown("module without a call")
    return run_method(machine, frame, node, owner, found, args)


def run_method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, func: Value, args: Args
) -> Value:
    """A method of a bound module with these arguments."""
    inside = Args(
        [owner, *args.positional],
        args.keywords,
        args.rest,
        args.more,
        [node, *args.nodes],
        args.keyword_nodes,
    )
    if isinstance(func, Function):
        inside = linen_layers.flagged(func, inside)
        return machine.invoke(func, inside, frame.trace, node, frame)
    return machine.call(frame, node, func, inside)


def call_entry(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`module.apply(variables, ...)`, `module.init(key, ...)` and kin; `module` comes first."""
    owner, first = args.get(0, "self"), args.get(1, "rngs" if "init" in name else "variables")
    if owner is None or first is None or not is_module(owner):
        return machine.unknown("module that is not known")
    mutable = INITIAL
    if name == "apply":
        told = args.keywords.get("mutable")
        mutable = read_mutable(told) if told or args.more is None else Mutable(None)
        scope = Scope(first, mutable, args.keywords.get("rngs"))
        run = owner.cls.find("__call__") if isinstance(owner, Instance) else None
        given = Args(args.positional[1:], args.keywords, nodes=args.nodes[1:])
        stream_keys.applied(machine, frame, node, run, given)
    else:
        sampling.variables_initialised(machine, frame, node, first, args.node(1, "rngs", node))
        scope = Scope(None, INITIAL, first, Initialization(frame.trace))
    inside = Args(
        args.positional[2:],
        {k: v for k, v in args.keywords.items() if k not in (*MODULE_OPTIONS, "variables")},
        args.rest,
        args.more,
        args.nodes[2:],
        args.keyword_nodes,
    )
    if scope.initializing:
        inside = examples(machine, inside)
    result = _entered(machine, frame, node, owner, scope, args.keywords.get("method"), inside)
    return _given(machine, frame, node, name, mutable, result, scope)


def _entered(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    owner: Value,
    scope: Scope,
    method: Value | None,
    args: Args,
) -> Value:
    """Binds a module and runs one of its methods."""
    module = bound(machine, frame, node, owner, scope)
    if method is None or is_none(method):
        return run(machine, frame, node, module, args)
    if isinstance(method, Static) and isinstance(method.const, str):
        method = module.cls.find(method.const) if isinstance(module, Instance) else None
    if isinstance(method, Bound):
        method = method.func
    if method is None:
        return machine.unknown("method of a module")
    return run_method(machine, frame, node, module, method, args)


def _given(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    name: str,
    mutable: Mutable,
    result: Value,
    scope: Scope,
) -> Value:
    """What the caller gets: the result, the variables, or both."""
    if name in ("init", "lazy_init"):
        return tree(machine, frame, node)
    result = leave(machine, frame, node, result, []) if frame.trace.is_host else result
    if name == "apply" and mutable.pair is None:
        return machine.unknown("result of `apply`")
    if name == "apply" and not mutable.pair:
        return result
    return Sequence("tuple", [result, tree(machine, frame, node)], frame.trace, None, frame.path)


APPLIED = "flax.linen.apply(...)"
_FUNCTIONS = frozenset({"apply", "init", "init_with_output"})


def applied(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """`nn.apply(f, module, ...)` and kin, and calls of what they give: `f(module, *args)`."""
    if dotted.removeprefix("flax.linen.") in _FUNCTIONS:
        given = (Static(dotted.removeprefix("flax.linen.")), *args.positional[:2])
        return Partial(LibraryName(APPLIED), given, dict(args.keywords), frame.loop)
    if dotted != APPLIED:
        return None
    if len(args.positional) < 4 or "method" in args.keywords:
        return machine.unknown("module that is not known")
    name, func, module, *values = args.positional
    keywords = {**args.keywords, "method": func}
    inside = Args(
        [module, *values], keywords, args.rest, args.more, args.nodes[2:], args.keyword_nodes
    )
    assert isinstance(name, Static)
    return call_entry(machine, frame, node, str(name.const), inside)


def receiver(
    machine: Machine, frame: Frame, node: ir.Expr, cls: Class, made: Value
) -> Value | None:
    """A module of which only the class is known, bound to variables and keys that are traced."""
    if not is_module_class(cls):
        return None
    scope = Scope(made, UNREADABLE, made)
    return bound(machine, frame, node, generic_instance(machine, cls), scope)


ENTRIES = {f"{MODULE}.{name}": name for name in _ENTRIES}

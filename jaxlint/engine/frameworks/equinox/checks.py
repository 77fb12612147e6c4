"""What Equinox forbids or pays for: fields that are set, modules under plain `jax.jit`, Python
scalars that are static.

Sources: Equinox documentation, "All of Equinox" (modules are immutable pytrees; leaves that are
no arrays need the filtered transformations) and "Frequently asked questions" (static leaves
compile again).
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.library.pytree_declarations import declared_array
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Transformed,
    Value,
)
from jaxlint.engine.frameworks.loop_changes import changes_in_loop
from jaxlint.engine.inference.construction import INITIALISERS
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import TransformUse, entry_of, function_name
from jaxlint.engine.transforms.filtered import enter_arrays
from jaxlint.engine.transforms.trace_boundary import run_in
from jaxlint.facts.provenance import Provenance
from jaxlint.knowledge import lookup
from jaxlint.knowledge.ecosystems.equinox import layer
from jaxlint.syntax import ir

MODULE = "equinox.Module"
# How deep modules are looked into.
MOST_NESTED = 5
_HASHING = frozenset({"jax.jit", "jax.checkpoint", "jax.pmap"})
_REFUSING = frozenset({"jit", "remat", "ad", "vmap"})


def _emit(
    machine: Machine, frame: Frame, node: ir.Node, kind: str, subject: str, detail: str = ""
) -> None:
    if is_uncaught(machine):
        misused(machine, frame, node, kind, subject, detail)


def _is_module(value: Value) -> bool:
    return isinstance(value, Instance) and MODULE in value.cls.externals()


# -- fields that are set ---------------------------------------------------------------------------


def store(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str, value: Value
) -> Value | None:
    """`module.field = value`: it raises, except while the module is initialised."""
    if not (isinstance(owner, FrameworkObject) and layer(owner.dotted)) and not _is_module(owner):
        return None
    if isinstance(owner, Instance) and owner.cls.opaque:
        return None
    stack = [frame.name for frame in machine.frames_around()]
    if INITIALISERS.intersection(stack):
        return None
    helper = len(stack) == 1 and stack[0].startswith("_") and not stack[0].startswith("__")
    if not helper:
        _emit(machine, frame, node, "eqx-frozen-field", dotted_text(node), attr)
    return NONE


def made(machine: Machine, frame: Frame, node: ir.Expr, module: Instance) -> None:
    """A module is made: what is static is compared, which arrays cannot be. Where the declaration
    of the field tells that it holds one, the finding stands there."""
    for name in sorted(module.cls.meta & module.fields.keys()):
        told = declared_array(machine, module.cls, name) is not None
        if isinstance(module.fields[name], (Concrete, Traced)) and not told:
            _emit(machine, frame, node, "eqx-static-array", module.cls.name, name)


# -- modules under transforms of JAX ---------------------------------------------------------------


def wrap(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, func: Value) -> Value | None:
    """`jax.jit(module)` needs the module's hash, which needs that of its arrays."""
    if isinstance(func, Bound) and not _is_wrapped(func.func):
        return None
    owner = func.owner if isinstance(func, Bound) else func
    if dotted not in _HASHING or "__init__" in [frame.name for frame in machine.frames_around()]:
        return None
    hashes = isinstance(owner, Instance) and owner.cls.find("__hash__") is not None
    known = isinstance(owner, FrameworkObject) or _is_module(owner)
    if known and not hashes and _holds_array(owner, MOST_NESTED):
        _emit(machine, frame, node, "eqx-unhashable", _name(owner), dotted.rpartition(".")[2])
    return None


def _is_wrapped(method: Value) -> bool:
    """Whether a module hands this method out as a module of its own; it does not so with those
    of Python's protocols."""
    return isinstance(method, Function) and not method.node.name.startswith("__")


def _name(owner: Value) -> str:
    if isinstance(owner, Instance):
        return owner.cls.name
    return owner.dotted.rpartition(".")[2] if isinstance(owner, FrameworkObject) else "module"


def _holds_array(value: Value, depth: int) -> bool:
    if isinstance(value, (Concrete, NumPy)) or (isinstance(value, Traced) and value.leaf):
        return True
    if depth == 0:
        return False
    if isinstance(value, FrameworkObject):
        known = layer(value.dotted)
        return bool(known and (known.arrays or value.dotted in _WITH_ARRAYS))
    if isinstance(value, Instance) and value.cls.tree and not value.generic:
        fields = [v for name, v in value.fields.items() if name not in value.cls.meta]
        return any(_holds_array(field, depth - 1) for field in fields)
    inner: list[Value] = []
    if isinstance(value, Sequence):
        inner = [*(value.items or ()), *([value.element] if value.element else [])]
    elif isinstance(value, Mapping):
        inner = list(value.items.values())
    return any(_holds_array(one, depth - 1) for one in inner)


_WITH_ARRAYS = frozenset({"equinox.nn.MLP", "equinox.nn.MultiheadAttention"})


def passed(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, owner: Value
) -> Value | None:
    """A module is given to `jax.jit` and kin: each leaf must be an array or a number."""
    wrapper = lookup.wrapper(dotted)
    refuses = dotted.startswith("jax.lax.") if wrapper is None else wrapper.kind in _REFUSING
    if not refuses or not dotted.startswith("jax."):
        return None
    if not isinstance(owner, FrameworkObject) and not _is_module(owner):
        return None
    leaf = _refused(owner, MOST_NESTED)
    if leaf is not None:
        _emit(machine, frame, node, "eqx-leaf", _name(owner), f"{leaf}|{dotted}")
    return None


def _refused(value: Value, depth: int) -> str | None:
    """The path of a leaf that no transform of JAX takes; "" where the value is one itself."""
    if isinstance(value, Static):
        return "" if isinstance(value.const, (str, bytes)) or value.kind == "str" else None
    if isinstance(value, (Function, Transformed, Class)):
        return ""
    if isinstance(value, LibraryName):
        known = lookup.function(value.dotted) or lookup.wrapper(value.dotted)
        return None if known is None else ""
    if depth == 0:
        return None
    if isinstance(value, FrameworkObject):
        return _refused_of_layer(value, depth)
    if isinstance(value, Instance) and value.cls.tree == "leaves" and not value.generic:
        fields = {n: v for n, v in value.fields.items() if n not in value.cls.meta}
        return _first(fields, depth)
    if isinstance(value, Sequence) and value.items is not None:
        return _first({f"[{at}]": item for at, item in enumerate(value.items)}, depth)
    if isinstance(value, Mapping):
        return _first({f"[{key!r}]": item for key, item in value.items.items()}, depth)
    return None


def _first(inner: dict[str, Value], depth: int) -> str | None:
    for name, value in inner.items():
        found = _refused(value, depth - 1)
        if found is not None:
            dot = "." if found and not found.startswith("[") else ""
            return f"{name}{dot}{found}"
    return None


def _refused_of_layer(owner: FrameworkObject, depth: int) -> str | None:
    known = layer(owner.dotted)
    if known is None or "kept" in owner.state or "fields" in owner.state:
        return None
    args = owner.args
    if args is None or args.rest is not None or args.more is not None:
        return None
    name = owner.dotted.rpartition(".")[2]
    if name in ("Sequential", "Lambda"):
        inner = args.get(0, "layers" if name == "Sequential" else "fn")
        return None if inner is None else _first({_FIRST[name]: inner}, depth)
    given = [args.keywords[field] for field in known.functions if field in args.keywords]
    if name == "MLP":
        given += args.positional[4:6]
    if name in ("Pool", "AdaptivePool", "WeightNorm") or not known.functions:
        return None
    return known.functions[0] if all(_refused(one, 0) == "" for one in given) else None


_FIRST = {"Sequential": "layers", "Lambda": "fn"}


# -- Python scalars --------------------------------------------------------------------------------


def called(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> Value | None:
    """A function jitted by Equinox is called with a number that each iteration changes."""
    if record.dotted != "equinox.filter_jit" or not frame.trace.is_host or record.expected:
        return None
    loop = frame.innermost_loop()
    if loop is None or not isinstance(node, ir.Call):
        return None
    for value, place in args.pairs():
        found = next(_numbers(value, place), None) if place is not node else None
        if found is None or not changes_in_loop(machine, frame, node, found[1]):
            continue
        if _may_be_traced(machine, node, record, args, (place, found[0])):
            name = function_name(record.func)
            _emit(machine, frame, place, "eqx-static-scalar", name, found[0])
    return None


def _numbers(value: Value, place: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
    """The Python numbers in an argument, with the expressions that they come from: the argument,
    "", or the fields of a module that it makes."""
    if isinstance(value, Static) and value.kind in ("int", "float"):
        yield "", place
    if not (isinstance(value, Instance) and _is_module(value) and isinstance(place, ir.Call)):
        return
    cls = value.cls
    made_here = dotted_text(place.func).rpartition(".")[2] == cls.name
    if not made_here or cls.find("__init__") is not None:
        return
    for at, given in enumerate(place.args):
        name = given.keyword or ([*cls.fields] + [""] * len(place.args))[at]
        held = None if given.star or name in cls.meta else value.fields.get(name)
        if isinstance(held, Static) and held.kind in ("int", "float"):
            yield name, given.value


def _may_be_traced(
    machine: Machine, node: ir.Call, record: TransformUse, args: Args, number: tuple[ir.Expr, str]
) -> bool:
    """Whether the function would run with an array in the place of the number, which is an
    argument or a field of one."""
    place, field = number
    entry = entry_of(record.node, record.wrapper.application, record.func)
    trace = Trace("jit", machine.host, entry, staged=True)

    def inside(value: Value, at: ir.Expr) -> Value:
        if at is place and isinstance(value, Static):
            return Traced(Provenance(node, None, entry), dtype=value.kind, rank=0)
        entered = enter_arrays(machine, trace, node, "", entry.function, value)
        if at is place and isinstance(entered, Instance):
            entered.fields[field] = Traced(Provenance(node, None, entry), rank=0)
        return entered

    positional = [inside(v, at) for v, at in zip(args.positional, args.nodes, strict=False)]
    nodes = args.keyword_nodes
    keywords = {k: inside(v, nodes.get(k, node)) for k, v in args.keywords.items()}
    given = Args(positional, keywords, nodes=args.nodes, keyword_nodes=nodes)
    before = machine.counters.demands
    with machine.quiet():
        run_in(machine, trace, node, record.func, given)
    return machine.counters.demands == before

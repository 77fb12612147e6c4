"""Calls of library functions: JAX, NumPy and the parts of the standard library that matter."""

from __future__ import annotations

import sys

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.concretization.static_arguments import converted
from jaxlint.engine.checks.eager import clocks
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.dtypes import dtype_named
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import EffectfulObject
from jaxlint.engine.domain.values import (
    MADE_BY,
    NONE,
    OF_OWN,
    STATIC,
    Class,
    Descriptor,
    Function,
    Instance,
    Iterator,
    LibraryName,
    Partial,
    Static,
    Value,
    as_traced,
)
from jaxlint.engine.evaluation import guesses, unknown_callees
from jaxlint.engine.inference import signatures
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import (
    callbacks,
    higher_order,
    pytest_fixtures,
    scipy_solvers,
    shardings,
    test_cases,
)
from jaxlint.engine.models.array_functions import (
    array_function,
)
from jaxlint.engine.models.call_effects import effect
from jaxlint.engine.models.numpy_functions import call_numpy
from jaxlint.engine.models.pytree_registration import (
    REGISTRATIONS,
    check_dataclass,
    register_fields,
)
from jaxlint.engine.models.stdlib import (
    attrs_classes,
    collection_types,
    data_classes,
    functional,
    in_place,
    memoization,
    operator_functions,
    single_dispatch,
)
from jaxlint.engine.models.stdlib.mathematics import call_math
from jaxlint.engine.models.stdlib.random_numbers import drawn
from jaxlint.engine.operations.modules import import_module
from jaxlint.engine.operations.pytrees import jax_tree
from jaxlint.engine.transforms import wrappers
from jaxlint.knowledge import lookup
from jaxlint.knowledge.host.solvers import SOLVERS
from jaxlint.knowledge.transforms import (
    CONCRETE_TESTS,
    HOST_OBJECTS,
)
from jaxlint.syntax import ir

_DTYPES = ("jax.numpy.dtype", "numpy.dtype")
# What a function becomes that `contextlib.contextmanager` decorates.
CONTEXT = "contextlib.contextmanager(...)"


def call_library(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """The result of calling something imported."""
    if dotted in machine.dynamic.patched:
        wrappers.release(machine, args)
        return machine.unknown("patched function")
    if dotted in _DTYPES and args.positional:
        return dtype_named(args.positional[0])
    if dotted.startswith("jax.") or lookup.model_of(dotted) or lookup.makes_pytree(dotted):
        found = machine.frameworks.ask("call", dotted, machine, frame, node, dotted, args)
        if found is None:
            found = _call_jax(machine, frame, node, dotted, args)
        if found is not None:
            return found
    is_scipy = dotted.startswith("scipy.") and lookup.numpy_function(dotted) is not None
    if dotted.startswith("numpy.") or is_scipy:
        return call_numpy(machine, frame, node, dotted, args)
    if dotted in SOLVERS and not frame.trace.is_host:
        scipy_solvers.converted(machine, frame, node, dotted, args)
    return _call_python(machine, frame, node, dotted, args)


def _call_jax(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args
) -> Value | None:
    if dotted in higher_order.TABLE:
        return higher_order.TABLE[dotted](machine, frame, node, args)
    if wrappers.is_transform(dotted):
        return wrappers.call_transform(machine, frame, node, dotted, args)
    if dotted in jax_tree.HANDLERS:
        return jax_tree.HANDLERS[dotted](machine, frame, node, args)
    if dotted in CONCRETE_TESTS:
        traced = as_traced(args.get(0, "") or NONE)
        return Static(False) if traced is not None and traced.kind != "ad" else Static(kind="bool")
    if dotted in callbacks.HANDLED:
        return callbacks.call(machine, frame, node, dotted, args)
    if lookup.makes_pytree(dotted):
        return _pytree_class(machine, frame, dotted, args)
    if dotted in REGISTRATIONS:
        return REGISTRATIONS[dotted](machine, frame, node, args)
    if lookup.is_static_field(dotted):
        return data_classes.field_spec(args)
    if dotted == "jax.tree_util.Partial":
        return _partial(machine, frame, node, args)
    if dotted == "jax.clear_caches":
        machine.happened(machine.program.cleared, 0, node, int)
        return NONE
    layout = shardings.made(machine, frame, node, dotted, args)
    if layout is not None:
        return layout
    if dotted in HOST_OBJECTS:
        return STATIC
    if dotted.endswith(("new_ref", "array_ref", "mutable_array")):
        return machine.unknown("reference")
    kind = lookup.effect(dotted)
    if kind is not None:
        effect(machine, frame, node, dotted, args, kind)
        return machine.unknown("result of an effect")
    if lookup.is_dtype(dotted):
        for heard in machine.checks.dtype_call:
            heard(machine, frame, node, dotted, args)
        return converted(machine, frame, node, args, dotted) if args.positional else STATIC
    spec = lookup.function(dotted)
    if spec is None:
        return None
    if dotted == "jax.lax.psum" and isinstance(args.get(0, "x"), Static):
        return Static(kind="int")
    made = higher_order.across(machine, frame, node, dotted, args)
    if made is None:
        made = array_function(machine, frame, node, spec, dotted, args)
    if frame.trace.shards is not None:
        return shardings.over_axes(frame, node, spec, dotted, args, made)
    return made


def _pytree_class(machine: Machine, frame: Frame, dotted: str, args: Args) -> Value:
    cls = args.get(0, "")
    if isinstance(cls, Class):
        if dotted != "jax.tree_util.register_dataclass":
            cls.compares = cls.generates = True
            cls.makes_record()
        data, meta = args.get(1, "data_fields"), args.get(2, "meta_fields")
        register_fields(cls, data, meta)
        check_dataclass(machine, frame, dotted, cls, data, meta)
        return cls
    return Partial(LibraryName(dotted), (), dict(args.keywords))


def _partial(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional or args.rest is not None:
        wrappers.release(machine, args)
        return machine.unknown("partial of unknown arguments")
    func, *rest = args.positional
    return Partial(func, tuple(rest), dict(args.keywords), frame.loop)


# -- the standard library and the rest -------------------------------------------------------


def _call_python(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    special = _PYTHON.get(dotted)
    if special is not None:
        return special(machine, frame, node, args)
    if lookup.is_transparent(dotted):
        return args.positional[0] if args.positional else LibraryName(dotted)
    if lookup.is_transparent(f"{dotted}(...)"):
        return LibraryName(f"{dotted}(...)")
    kind = lookup.effect(dotted)
    if kind is not None:
        if not (lookup.needs_traced(dotted) and not any(finds_traced(v) for v in args.values())):
            effect(machine, frame, node, dotted, args, kind)
        wrappers.release(machine, args)
        if kind == "clock":
            return clocks.read(machine, frame, node, dotted, args)
        if kind == "rng":
            return drawn(machine, frame, node, dotted, args)
        return machine.unknown("result of an effect")
    made = lookup.constructed_kind(dotted)
    if made == "iterator":
        return machine.unknown("iterator")
    if made is not None:
        own = dotted.endswith("IO") if made == "file" else made == "rng" and bool(args.values())
        return EffectfulObject(made, frame.trace, settled=own)
    if dotted.startswith(("math.", "cmath.")) or lookup.math_function(dotted):
        return call_math(machine, frame, node, dotted, args)
    if dotted == "operator.index":
        place = args.node(0, "", node)
        demand(machine, frame, place, args.get(0, "") or NONE, "cast", "operator.index", dotted)
        return Static(kind="int")
    wrappers.release(machine, args)
    if (
        args.positional
        and isinstance(args.positional[0], Class)
        and isinstance(node, ir.Name | ir.Attribute)
    ):
        return args.positional[0]
    library = dotted.partition(".")[0]
    if library not in sys.stdlib_module_names:
        unknown_callees.handed(machine, args)
    takes_own = any(isinstance(one, (Class, Function, Instance)) for one in args.values())
    unknown = machine.unknown(f"{MADE_BY}{library}{OF_OWN if takes_own else ''}")
    return guesses.result(machine, frame, node, args, unknown)


def _first(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return args.positional[0] if args.positional else machine.unknown("proxy")


def _cached_property(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return Descriptor("cached", args.positional[0]) if args.positional else machine.unknown("cache")


def _deepcopy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    return jax_tree.mapped(machine, frame, node, args.get(0, "") or NONE, identity=True)


def _copy(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A shallow copy: what a container holds is shared."""
    return collection_types.copied(frame, node, args) or _deepcopy(machine, frame, node, args)


def _context_manager(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("context manager")
    return Partial(LibraryName(CONTEXT), (args.positional[0],), {}, frame.loop)


def _context(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """A call of a function that `contextlib.contextmanager` decorates."""
    made = machine.call(frame, node, args.positional[0], args.behind(1))
    element = made.element if isinstance(made, Iterator) else machine.unknown("context")
    return Iterator(element, frame.trace, source="context", made=node)


def _second(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    """`typing.cast(type, value)`."""
    return args.get(1, "val") or machine.unknown("cast")


def _null_context(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> Value:
    value = args.get(0, "enter_result") or args.get(0, "thing") or NONE
    return Iterator(value, frame.trace, source="context", made=node)


_PYTHON = {
    **functional.TABLE,
    **operator_functions.TABLE,
    **memoization.TABLE,
    **data_classes.TABLE,
    **attrs_classes.TABLE,
    **test_cases.TABLE,
    **pytest_fixtures.TABLE,
    **in_place.HANDLERS,
    **single_dispatch.TABLE,
    "contextlib.contextmanager": _context_manager,
    "contextlib.nullcontext": _null_context,
    "contextlib.closing": _null_context,
    CONTEXT: _context,
    "typing.cast": _second,
    "types.MappingProxyType": _first,
    "collections.ChainMap": collection_types.chain_map,
    "functools.partial": _partial,
    **signatures.TABLE,
    "functools.cached_property": _cached_property,
    "importlib.import_module": import_module,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "collections.deque": collection_types.deque,
    "collections.OrderedDict": collection_types.ordered_dict,
    "collections.Counter": collection_types.counter,
    "collections.defaultdict": collection_types.default_dict,
    **collection_types.NAMESPACES,
}

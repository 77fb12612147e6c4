"""Calls: what happens when a value of each kind is called."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from jaxlint.dataflow.names import is_stub
from jaxlint.engine.checks.donation import use_after_donation
from jaxlint.engine.checks.immutability import in_place
from jaxlint.engine.checks.library.pytree_contracts import static_arrays
from jaxlint.engine.checks.numerics import lost_gradient
from jaxlint.engine.checks.prng import call_effects, stream_keys
from jaxlint.engine.checks.prng.key_reuse import after_alternatives
from jaxlint.engine.domain.arguments import Args, fits
from jaxlint.engine.domain.circumstances import PRESUMING
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.possibilities import Candidates, Possible, among
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import At, OpaqueArray
from jaxlint.engine.domain.typestate import OWN_KINDS, paths
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Descriptor,
    Function,
    Instance,
    LibraryName,
    Method,
    Partial,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
    join_all,
)
from jaxlint.engine.evaluation import guesses, unknown_callees
from jaxlint.engine.evaluation.classes import instantiate
from jaxlint.engine.interpreter.host_calls import escape, host_call
from jaxlint.engine.interpreter.undecided_tests import goes_by_maker
from jaxlint.engine.machine.by_type import ByType
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import methods
from jaxlint.engine.models.dispatch import call_library
from jaxlint.engine.models.stdlib.builtin_functions import call_builtin
from jaxlint.engine.operations import presumptions, registries
from jaxlint.engine.transforms import wrappers
from jaxlint.engine.transforms.recursion import check_recursion
from jaxlint.knowledge.ecosystems.flax import STREAMS
from jaxlint.syntax import ir

_RAISING = frozenset({"assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex"})


def call(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
    """The result of `func(*args)`."""
    for heard in machine.checks.call:
        heard(machine, frame, node, func, args)
    callee = node.func if isinstance(func, _HELD) and isinstance(node, ir.Call) else None
    with machine.doubting(callee is not None and goes_by_maker(machine, frame, callee)):
        return _OF[type(func)](machine, frame, node, func, args)


def _transformed(
    machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args
) -> Value:
    machine.tally.called(frame.trace.is_host, func.record.dotted, func.record.wrapper.compiles)
    for heard in machine.checks.transformed_call:
        heard(machine, frame, node, func, args)
    result = wrappers.call_transformed(machine, frame, node, func, args)
    for heard in machine.checks.transformed_result:
        heard(machine, frame, node, func, args)
    return result


def _partial(machine: Machine, frame: Frame, node: ir.Expr, func: Partial, args: Args) -> Value:
    merged = Args(
        [*func.args, *args.positional],
        {**func.keywords, **args.keywords},
        args.rest,
        args.more,
        [node] * len(func.args) + args.nodes,
        {**dict.fromkeys(func.keywords, node), **args.keyword_nodes},
    )
    return call(machine, frame, node, func.func, merged)


def _class(machine: Machine, frame: Frame, node: ir.Expr, func: Class, args: Args) -> Value:
    made = instantiate(machine, frame, node, func, args)
    registries.constructed(machine, func, args)
    if isinstance(made, Instance) and func.tree and frame.trace.is_host:
        static_arrays(machine, frame, made)
    for heard in machine.checks.construction:
        heard(machine, frame, node, func, args)
    return made


def _instance(machine: Machine, frame: Frame, node: ir.Expr, func: Instance, args: Args) -> Value:
    answer = machine.frameworks.ask("invoke", func, machine, frame, node, func, args)
    if answer is not None:
        return answer
    found = func.cls.find("__call__")
    if found is not None and not isinstance(found, Instance):
        return call(machine, frame, node, Bound(found, func), args)
    return guesses.result(machine, frame, node, args, machine.unknown("call of an object"))


def _framework_object(
    machine: Machine, frame: Frame, node: ir.Expr, func: FrameworkObject, args: Args
) -> Value:
    answer = machine.frameworks.ask("invoke", func, machine, frame, node, func, args)
    return _unknown(machine, frame, node, func, args) if answer is None else answer


def _union(machine: Machine, frame: Frame, node: ir.Expr, func: Union, args: Args) -> Value:
    called = _dispatched([option for option in func.options if not is_none(option)], args)
    with machine.quiet(_is_unsure(func)), machine.one_of(called):
        each = paths(machine, called, OWN_KINDS if len(called) > 1 else ())
        result = join_all([call(machine, frame, node, one, args) for one in each])
        after_alternatives(machine, frame, node)
    return result


def _candidates(
    machine: Machine, frame: Frame, node: ir.Expr, func: Candidates, args: Args
) -> Value:
    left = machine.asks(PRESUMING).presuming
    fitting = [one for one in func.options if registries.may_take(one, args)]
    with _presumed(machine):
        each = paths(machine, fitting, ("again",))
        made = [call(machine, frame, node, one, args) for one in each]
        after_alternatives(machine, frame, node)
    result = _unknown(machine, frame, node, func, args)
    known = [one for one in made if not isinstance(one, Unknown)]
    if left and known:
        return join_all(known)
    return among(machine.unknown("call"), made) if isinstance(result, Unknown) else result


def _descriptor(
    machine: Machine, frame: Frame, node: ir.Expr, func: Descriptor, args: Args
) -> Value:
    return call(machine, frame, node, func.func, args)


def _at(machine: Machine, frame: Frame, node: ir.Expr, func: At, args: Args) -> Value:
    return in_place.called(machine, frame, node, func)


def _unknown(machine: Machine, frame: Frame, node: ir.Expr, func: Value, args: Args) -> Value:
    """Something of which nothing is known is called."""
    if isinstance(node, ir.Call) and not isinstance(func, _TOLD):
        objects = presumptions.callees(machine, frame, node.func, func, args)
        if objects:
            return call(machine, frame, node, Candidates("unknown callee", tuple(objects)), args)
    if STREAMS in args.keywords:
        stream_keys.applied(machine, frame, node)
    escape(machine, args)
    unknown_callees.handed(machine, args)
    _expect(machine, node, args)
    is_launched = machine.tally.timed and presumptions.is_compiled(machine, frame, node)
    machine.tally.unknown(frame.trace.is_host, is_launched)
    if isinstance(func, Static) and not isinstance(func.const, (int, float, str)):
        return machine.unknown("call of a static value")
    given = func if isinstance(func, Unknown) and not isinstance(func, _TOLD) else None
    unknown = given or machine.unknown("call")
    return guesses.result(machine, frame, node, args, unknown)


def _is_left_to_heirs(func: Function, args: Args) -> bool:
    """Whether this is a method that only says what it is for, of an object of any class."""
    owner = args.positional[0] if args.positional else None
    exact = isinstance(owner, Instance) and not owner.generic
    return func.owner is not None and is_stub(func.node) and not exact


def _external(
    machine: Machine, frame: Frame, node: ir.Expr, func: LibraryName, args: Args
) -> Value:
    """Something imported or built in is called."""
    if frame.trace.is_host:
        machine.tally.external(frame, node, func.dotted, args)
    for heard in machine.checks.library_call[func.dotted]:
        heard(machine, frame, node, func.dotted, args)
    if func.dotted.startswith("builtins."):
        made = call_builtin(machine, frame, node, func.dotted[9:], args)
    else:
        made = call_library(machine, frame, node, func.dotted, args)
        made = in_place.function_called(machine, frame, node, func.dotted, args, made)
    for heard in machine.checks.library_result[func.dotted]:
        heard(machine, frame, node, func.dotted, args)
    if frame.trace.loses or frame.trace.is_ad:
        return lost_gradient.of_call(machine, frame, node, func.dotted, args, made)
    return made


def _function(machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args) -> Value:
    """A function of the project is called."""
    if _is_left_to_heirs(func, args):
        unknown_callees.handed(machine, args)
        return machine.unknown("method that heirs define")
    if args.rest is None and not fits(func.node, args):
        unknown_callees.handed(machine, args)
        return machine.unknown("call that Python refuses")
    for heard in machine.checks.function_call:
        heard(machine, func, args)
    if frame.trace.is_host:
        result = host_call(machine, frame, node, func, args)
    else:
        if func.node in machine.dynamic.stack:
            machine.dynamic.effects.goes_by(machine.dynamic.stack.index(func.node))
            check_recursion(machine, frame, node, func, args)
        result = machine.invoke(func, args, frame.trace, node, frame)
        for other, given in registries.others(machine, frame, node, func, args):
            with _presumed(machine):
                call(machine, frame, node, other, given)
    if func.wraps is not None:
        for heard in machine.checks.decorated_result:
            heard(machine, frame, node, func, args, result)
    if machine.counters.donations and frame.trace.is_host:
        use_after_donation.handed_on(machine, frame, node, func.node, args)
    return call_effects.settled(machine, frame, node, func.node, args, result)


def _presumed(machine: Machine) -> AbstractContextManager[object]:
    """Inside, something is called that may be meant."""
    now = machine.asks(PRESUMING)
    return machine.within(unsure=now.unsure + 1, presuming=max(0, now.presuming - 1))


def _method(machine: Machine, frame: Frame, node: ir.Expr, func: Method, args: Args) -> Value:
    """A method of an array, a container or the like is called."""
    if isinstance(func.owner, Descriptor):
        return _accessor(func.owner, func.name, args)
    machine.tally.method(frame, node, func, args)
    made = methods.call_method(machine, frame, node, func, args)
    if isinstance(func.owner, OpaqueArray):
        made = in_place.of_method(func.name, made)
    for heard in machine.checks.method_result[type(func.owner)]:
        heard(machine, frame, node, func, args)
    if frame.trace.loses:
        return lost_gradient.of_method(func, args, made)
    return made


def _dispatched(functions: list[Value], args: Args) -> list[Value]:
    """Of a function of NumPy and its namesake of JAX, the one that takes the arguments: code that
    holds either of the two chooses by what it is given."""
    names = {one.dotted for one in functions if isinstance(one, LibraryName)}
    jax = {name for name in names if name.startswith("jax.numpy.") and name[4:] in names}
    if not jax or not any(finds_traced(value) is not None for value in args.values()):
        return functions
    left = {name[4:] for name in jax}
    return [one for one in functions if not (isinstance(one, LibraryName) and one.dotted in left)]


def _is_unsure(methods: Union) -> bool:
    """Whether these are methods of what may or may not be a tracer."""
    owners = [option.owner for option in methods.options if isinstance(option, Method)]
    traced = sum(isinstance(owner, Traced) for owner in owners)
    return 0 < traced < len(owners)


def _accessor(prop: Descriptor, name: str, args: Args) -> Descriptor:
    """`@prop.setter` and kin: the property with one more function."""
    given = args.get(0, "")
    getter = given if name == "getter" and given is not None else prop.func
    made = Descriptor(prop.kind, getter)
    made.setter = given if name == "setter" else prop.setter
    return made


def _bound(machine: Machine, frame: Frame, node: ir.Expr, func: Bound, args: Args) -> Value:
    nodes = [node, *args.nodes]
    inside = Args(
        [func.owner, *args.positional],
        args.keywords,
        args.rest,
        args.more,
        nodes,
        args.keyword_nodes,
    )
    return call(machine, frame, node, func.func, inside)


def _expect(machine: Machine, node: ir.Expr, args: Args) -> None:
    """`self.assertRaises(Error, func)`: what the function raises is expected."""
    func = node.func if isinstance(node, ir.Call) else None
    if isinstance(func, ir.Attribute) and func.attr in _RAISING:
        given = {id(value) for value in args.values()}
        program = machine.program
        left = ((one, makers) for one, makers in program.pending if id(one) not in given)
        program.pending = deque(left)


# Unknown values of which something is known that does not hold of what they give.
_TOLD = (OpaqueArray, Possible)
# What an object may hold that is called.
_HELD = (Bound, Function, Instance, Union)
_Call = Callable[[Machine, Frame, ir.Expr, Any, Args], Value]
_OF: ByType[_Call] = ByType(
    (
        (LibraryName, _external),
        (Function, _function),
        (Method, _method),
        (Bound, _bound),
        (Transformed, _transformed),
        (Partial, _partial),
        (Class, _class),
        (Instance, _instance),
        (FrameworkObject, _framework_object),
        (Union, _union),
        (Candidates, _candidates),
        (Descriptor, _descriptor),
        (At, _at),
    ),
    _unknown,
)

"""Calls of functions in host code: each runs once for any arguments, and again where those tell
more."""

from __future__ import annotations

from jaxlint.dataflow.idioms import stored_later
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import CONSTRUCTORS, walk
from jaxlint.engine.checks.donation import use_after_donation
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CHOICES
from jaxlint.engine.domain.enums import Member
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.layouts import DeviceMesh, Layout
from jaxlint.engine.domain.special_values import FieldSpec, GivenAway, Module, OpaqueArray
from jaxlint.engine.domain.traversal import known, parts, walk_values
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Partial,
    Perhaps,
    Static,
    Traced,
    Transformed,
    Union,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.evaluation.classes import generic_instance, is_single
from jaxlint.engine.evaluation.foreign_code import crossing
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.operations import context_managers
from jaxlint.engine.summaries.known import Known, anew, apart
from jaxlint.engine.summaries.summary import observed
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# How deep functions are looked for in containers, which may hold themselves.
MOST_NESTED = 3
_CALLABLE = (Function, Transformed, Partial, Bound, Class)
# Arguments for which a host function is run again: what it does with them may differ.
_TELLING = (*_CALLABLE, Concrete, NumPy, Instance, Module, FrameworkObject, GivenAway, Layout)
# So often a function runs again for numbers that it is given.
MOST_NUMBERS = 8
# Arrays of the host.
_ARRAYS = (Concrete, NumPy, OpaqueArray)
# Methods that take the class though nothing decorates them.
_OF_CLASS = frozenset({"__class_getitem__", "__init_subclass__", "__new__"})


def host_call(machine: Machine, frame: Frame, node: ir.Expr, func: Function, args: Args) -> Value:
    """A call in host code: a function is analysed once with unknown arguments, and again with
    these when functions, arrays or objects go in, functions or meshes come out, or what comes out
    is not known and a name goes in."""
    inside = bool(machine.dynamic.stack)
    caller, loop = frame.home().func, frame.loop is not None
    machine.program.host_called(func.node, caller, loop, inside)
    place = id(func.node), id(caller), loop, inside
    machine.dynamic.effects.hosted[place] = func.node, caller, loop, inside
    machine.dynamic.effects.called.add(id(func.node))
    passed = args.values()[1:] if func.owner is not None else args.values()
    result = None
    telling = _initialises_base(frame, func, args) or any(isinstance(v, _TELLING) for v in passed)
    owner = args.get(0, "") if func.owner is not None else None
    telling |= isinstance(owner, Instance) and (is_single(owner) or _holds_settings(owner))
    telling |= use_after_donation.is_spent(machine, frame, owner)
    telling |= _hands_all_on(func) or any(map(_is_dtype, func.defaults.values()))
    with crossing(machine, func, args.values()):
        if not telling:
            known = _for_any(machine, func, args.get(0, ""))
            again = known is not None and (
                _gives_function(known.result)
                or _gives_mesh(known.result)
                or _changes_own(known, func, args)
                or _looks_up(known, passed)
                or _holds_twice(known.result, passed)
                or _takes_numbers(machine, func, known, passed)
            )
            if not again:
                result = _repeated(machine, func, known)
                escape(machine, args)
            elif known is not None:
                # What it did for any arguments happened here, and happens anew for whoever asks.
                known.is_used = True
        if result is None:
            result = _invoked(machine, node, func, args)
    return result


def _invoked(machine: Machine, node: ir.Expr, func: Function, args: Args) -> Value:
    """Runs a function with the arguments of a call. What others would choose from the registries
    that it reads is left to a later run."""
    effects, waiting = machine.dynamic.effects, machine.program.presuming
    before, effects.asks = effects.asks, effects.asks & ~CHOICES
    result = machine.invoke(func, args, machine.host, node)
    is_own = func.frame.root is machine.globals
    if effects.asks & CHOICES and is_own and not any(one is func for one in waiting):
        waiting.append(func)
    effects.asks |= before
    return result


def _gives_mesh(value: Value) -> bool:
    """Whether a function makes a mesh whose arguments say how long the axes are."""
    return isinstance(value, DeviceMesh) and None in value.sizes


def _holds_settings(value: Instance) -> bool:
    """Whether an object is known by itself, and holds constants and no arrays: they tell what its
    methods give."""
    if value.generic or value.tree is not None or not value.cls.fields or _sets_fields(value.cls):
        return False
    held = [value.fields.get(name) for name in value.cls.fields]
    if any(isinstance(one, (Concrete, NumPy, OpaqueArray, Traced)) for one in held):
        return False
    return any(isinstance(one, Static) and one.known and one.const is not None for one in held)


def _sets_fields(cls: Class) -> bool:
    """Whether the module of a class changes attributes that are named as its fields are."""
    module = cls.home.module if cls.home is not None else None
    return module is None or not stored_later(module).isdisjoint(cls.fields)


def _is_dtype(value: Value | None) -> bool:
    """Whether a value is a dtype: the default of a parameter, in whose place calls pass others."""
    return isinstance(value, LibraryName) and lookup.dtype_kind(value.dotted) != ""


def _hands_all_on(func: Function) -> bool:
    """Whether a function hands all of its arguments on to a compiled one of the function around."""
    home = func.frame.home()
    called = _called_with_all(func.node) if home.kind == "function" else frozenset()
    return any(isinstance(home.env.get(name), Transformed) for name in called)


@answered_once
def _called_with_all(func: ir.FunctionDef) -> frozenset[str]:
    """The names that a function calls with its own `*args`."""
    gathered = {param.name for param in func.params if param.kind == "vararg"}
    if not gathered:
        return frozenset()
    return frozenset(
        one.func.id
        for one in walk(func.body)
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Name)
        for given in one.args
        if given.star == "*" and isinstance(given.value, ir.Name) and given.value.id in gathered
    )


def _changes_own(known: Known, func: Function, args: Args) -> bool:
    """Whether a method sets up or changes an object with fields of its own. Run for any object, it
    changed the one that stands for all of the class."""
    owner = args.get(0, "") if func.owner is not None else None
    changes = known.changes or func.node.name in CONSTRUCTORS
    return changes and isinstance(owner, Instance) and not owner.generic


def _looks_up(known: Known, passed: list[Value]) -> bool:
    """Whether a function may look up by a name what it gives."""
    return isinstance(known.result, (Union, Unknown)) and any(map(_is_name, passed))


def _holds_twice(result: Value | None, passed: list[Value]) -> bool:
    """Whether what a function gives holds one unknown value at two places: whether it is the same
    array, the arrays tell that the containers hold which it is given."""
    if not isinstance(result, (Instance, Mapping)):
        return False
    held = [id(one) for one in parts(result) if isinstance(one, Unknown)]
    if len(held) == len({*held}):
        return False
    inside = (one for value in passed for one in walk_values(value, known, MOST_NESTED))
    return any(isinstance(one, _ARRAYS) for one in inside)


def _takes_numbers(machine: Machine, func: Function, known: Known, passed: list[Value]) -> bool:
    """Whether a function gives arrays, whose shapes and dtypes numbers decide that it is given, or
    transforms something that may take them. It is asked a few times for each function. What a
    function compiles itself is compiled anew in each call, so that it is not run again."""
    result = known.result
    numbers = (one for value in passed for one in walk_values(value, parts, MOST_NESTED))
    if result is None or not any(map(_is_number, numbers)):
        return False
    made = (isinstance(one, _ARRAYS) for one in walk_values(result, parts, MOST_NESTED))
    if known.effects.compiles or not (known.effects.transforms or any(made)):
        return False
    times = machine.summaries.ran_for_numbers
    times[id(func.node)] = times.get(id(func.node), 0) + 1
    return times[id(func.node)] <= MOST_NUMBERS


def _is_number(value: Value) -> bool:
    return isinstance(value, Static) and type(value.const) in (int, float, complex)


def _is_name(value: Value) -> bool:
    return isinstance(value, Static) and isinstance(value.const, (str, Member))


def _initialises_base(frame: Frame, func: Function, args: Args) -> bool:
    """Whether this is `super().__init__(...)` with arguments that hold for all objects."""
    initialiser = func.node.name == "__init__" and frame.name == "__init__"
    given = args.values()
    known = args.rest is None and args.more is None
    return initialiser and known and not any(isinstance(v, Unknown) for v in given)


def _gives_function(value: Value | None, depth: int = 2) -> bool:
    """Whether a value is or holds a function, or what declares a field of a class."""
    return value is not None and any(
        isinstance(one, (*_CALLABLE, FieldSpec)) and not isinstance(one, Class)
        for one in walk_values(value, _held, depth)
    )


def _held(value: Value) -> list[Value]:
    if isinstance(value, Mapping) or (isinstance(value, Instance) and value.generic):
        return []
    return value.children() if isinstance(value, Union) else parts(value)


def host_result(machine: Machine, func: Function, given: Value | None = None) -> Value:
    """The result of a host function for any arguments; `given` is the first one of this call."""
    return _repeated(machine, func, _for_any(machine, func, given))


def _repeated(machine: Machine, func: Function, known: Known | None) -> Value:
    """The result of a host function, which does once more what it did unless it just ran."""
    if known is None:
        return machine.unknown("recursion")
    if not known.is_used:
        # The code that asked first goes on with the objects that were made.
        known.is_used, result = True, known.result
        if not known.changes:
            apart(known, machine.arrays)
        return result
    known.repeat(machine, machine.host)
    machine.summaries.spent[id(func.node)] = known.spent
    # What changes something may keep there what it gives.
    if known.changes:
        return anew(known.result)
    return known.again(known.given, machine.host, None, machine.arrays)


def _for_any(machine: Machine, func: Function, given: Value | None) -> Known | None:
    """What a host function gives and does for any arguments, None while that is asked.

    A method runs once for its class and once for each subclass that inherits it.
    """
    heir = given if _inherits(func, given) else None
    identity = (id(func.node), id(func.frame), id(heir), machine.modes())
    with machine.within(conditions=0):
        known = machine.summaries.host_results.get(identity)
        if identity not in machine.summaries.host_results or not (
            known is None or known.holds(machine, known.given, machine.host)
        ):
            rerun = identity[:3] in machine.summaries.ran_for_any
            machine.summaries.ran_for_any.add(identity[:3])
            machine.summaries.host_results[identity] = None
            env = _any_arguments(machine, func, heir)
            with context_managers.balanced(machine, func.node.name):
                known = observed(machine, func, env, machine.host, rerun=rerun)
            machine.summaries.host_results[identity] = known
    return known


def _any_arguments(machine: Machine, func: Function, heir: Value | None) -> dict[str, Value]:
    env: dict[str, Value] = {}
    for at, param in enumerate(func.node.params):
        default = func.defaults.get(param.name)
        if at == 0 and func.owner is not None and not _is_static(func):
            env[param.name] = heir or (
                func.owner if _is_classmethod(func) else generic_instance(machine, func.owner)
            )
        elif isinstance(default, (Function, Class, LibraryName)) and not _is_dtype(default):
            env[param.name] = default
        else:
            unknown = machine.unknown("host parameter")
            nothing = default is not None and is_none(default)
            env[param.name] = Perhaps(unknown.reason) if nothing else unknown
    return env


def _inherits(func: Function, given: Value | None) -> bool:
    if func.owner is None:
        return False
    if isinstance(given, Class):
        return _is_classmethod(func) and given != func.owner
    return isinstance(given, Instance) and given.generic and given.cls != func.owner


def _decorator_names(func: Function) -> set[str]:
    return {d.id for d in func.node.decorators if isinstance(d, ir.Name)}


def _is_static(func: Function) -> bool:
    return "staticmethod" in _decorator_names(func)


def _is_classmethod(func: Function) -> bool:
    """Whether a method takes the class, by its decorator or by its name."""
    return func.node.name in _OF_CLASS or "classmethod" in _decorator_names(func)


def escape(machine: Machine, args: Args) -> None:
    """What is passed to unknown code may be called there, later and from anywhere."""
    _escape(machine, args.values(), MOST_NESTED)


def _escape(machine: Machine, values: list[Value], depth: int) -> None:
    for value in values:
        for one in walk_values(value, known, depth):
            record = getattr(one, "record", None)
            if record is not None:
                machine.borrow(record)
                record.escaped = True

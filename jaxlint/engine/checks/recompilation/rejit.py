"""Facts about host code: functions compiled again and again, captures that change."""

from __future__ import annotations

from typing import Any, Literal

from jaxlint import facts
from jaxlint.base.test_files import is_of_tests
from jaxlint.dataflow.names import dotted_text, free_in, free_names, walk
from jaxlint.dataflow.structure import bindings_in, is_optional
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    NumPy,
    Partial,
    Static,
    Transformed,
    Value,
)
from jaxlint.engine.evaluation.classes import holds_tests
from jaxlint.engine.inference.construction import INITIALISERS
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.inference.fresh_functions import is_given_anew, is_inside, keeps_results
from jaxlint.engine.inference.occasions import is_hot
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import (
    TransformUse,
    function_name,
    plain_function,
)
from jaxlint.syntax import ir

# Functions that run once by convention: what they compile, they compile once.
_ONCE = ("main", "test", "setup", "init", "build", "make", "create", "get_", "compile", "fixture")
_ONCE_EXACTLY = frozenset({"train", "run", "fit", "experiment", "benchmark", "demo", "example"})


def after(machine: Machine) -> None:
    """Emits the functions of the file that are compiled again and again, and those of other
    modules that this one has them repeat."""
    functions = staged(machine)
    own = {id(record) for record in machine.program.own_uses(machine.globals)}
    for record in machine.uses():
        if not record.trace.is_host or record.expected:
            continue
        judged = record.wrapper.compiles if id(record) in own else is_repeated(machine, record)
        fact = rejitted(machine, record, functions) if judged else None
        if fact is not None:
            machine.emit(fact)


def is_repeated(machine: Machine, record: TransformUse) -> bool:
    """Whether code of a project, tests aside, calls in a loop the function that compiles."""
    func = record.frame.home().func
    if func is None or not record.wrapper.compiles or not is_hot(machine, func):
        return False
    module = machine.globals.module
    return module is not None and not is_of_tests(module.file, machine.context.root)


# -- compiled again ----------------------------------------------------------------------------


def rejitted(machine: Machine, record: TransformUse, staged: set[int]) -> facts.Fact | None:
    cause = _cause(record)
    if cause is None or not record.calls or record.traced_only:
        return None
    if _runs_in_traces(machine, record, staged):
        return None
    place = _place(machine, record)
    if place is None:
        return None
    inner = record.func.record.dotted if isinstance(record.func, Transformed) else ""
    home = record.frame.home()
    node: Any = record.definition or record.node
    callee = record.node.func if isinstance(record.node, ir.Call) else record.node
    return facts.FreshJit(
        machine.module,
        node,
        record.frame.name,
        None,
        cause=cause,
        place=place,
        callee=dotted_text(callee),
        target=_target(record),
        inner=inner,
        bound=_sort_of_bound(record.func) if isinstance(record.func, Partial) else "",
        varies=_varies(record),
        hot=is_hot(machine, home.func) if home.func is not None else False,
    )


def compiles_anew(record: TransformUse) -> bool:
    """Whether the function that is compiled is a new one each time."""
    return record.wrapper.compiles and not record.traced_only and _cause(record) is not None


def _varies(record: TransformUse) -> bool:
    """Whether what is compiled differs between iterations, because another function is compiled,
    or between calls of the function around, because it uses what that one has."""
    made = plain_function(record.func)
    call = record.node
    node = call.args[0].value if isinstance(call, ir.Call) and call.args else None
    local = made is not None and made.frame.home() is record.frame.home()
    if record.loop is not None:
        if isinstance(record.func, Bound):
            return False
        own = record.loop.names
        return not own.isdisjoint(_compiled_in(node, own, made.node if local and made else None))
    home = record.frame.home()
    names = free_names(made.node) if local and made is not None else frozenset[str]()
    if node is not None:
        made_of = term(record.frame, node).resolved().node if isinstance(node, ir.Name) else node
        names |= free_in(made_of or node)
    given = {param.name for param in home.func.params} if home.func is not None else set()
    held = {name for name, value in home.env.items() if not _is_plain_function(value)}
    return not names.isdisjoint(given | (home.bound & held))


def _is_plain_function(value: Value) -> bool:
    return isinstance(value, (Function, Transformed))


def _compiled_in(
    node: ir.Expr | None, rebound: frozenset[str], made: ir.FunctionDef | None
) -> set[str]:
    """The names of the functions, and of the objects with these methods, that a transform's
    argument comes to: those that it calls, for a function that is written there."""
    found = set() if made is None else _called_by(made)
    if isinstance(node, ir.Call):
        for argument in node.args:
            found |= _compiled_in(argument.value, rebound, None)
    elif isinstance(node, (ir.Name, ir.Attribute)) and made is None:
        found.add(dotted_text(node).partition(".")[0])
    return found


def _called_by(func: ir.FunctionDef) -> set[str]:
    return {
        dotted_text(one.func).partition(".")[0]
        for one in walk(func.body)
        if isinstance(one, ir.Call)
    } - {param.name for param in func.params}


def _sort_of_bound(func: Partial) -> Literal["", "array", "python"]:
    """What a partial binds: arrays alone, Python values alone, or something else."""
    values = [*func.args, *func.keywords.values()]
    if all(isinstance(one, (Concrete, NumPy)) for one in values):
        return "array"
    return "python" if all(isinstance(one, Static) for one in values) else ""


_STAGING = frozenset({"jit", "remat"})


def staged(machine: Machine) -> set[int]:
    """The functions that are given to a transform which stages them."""
    records = machine.uses()
    wrapped = (plain_function(r.func) for r in records if r.wrapper.kind in _STAGING)
    return {id(func.node) for func in wrapped if func is not None}


def _runs_in_traces(machine: Machine, record: TransformUse, staged: set[int]) -> bool:
    """Whether the function that jits runs while something else is traced, or may: then what it
    makes is compiled with the code around it. A local function that nothing in the file calls
    was given to somebody who may trace it."""
    home = record.frame.home()
    if home.func is None:
        return False
    local = home.parent is not None and home.parent.home().kind == "function"
    if local and id(home.func) not in machine.program.called:
        return True
    if home.cls is not None and _is_staged_by_base(home.cls, home.func.name):
        return True
    return id(home.func) in staged


def _is_staged_by_base(cls: Class, method: str) -> bool:
    """Whether a method of a base class, itself compiled, calls what objects have by a name."""
    for base in cls.lineage[1:]:
        for made in base.namespace.values():
            if isinstance(made, Transformed) and made.record.wrapper.kind in _STAGING:
                plain = plain_function(made)
                body = walk(plain.node.body) if plain is not None else ()
                if any(isinstance(one, ir.Attribute) and one.attr == method for one in body):
                    return True
    return False


def _target(record: TransformUse) -> str:
    # What `partial(jax.jit, ...)` decorates is not among its arguments.
    if record.definition is None and isinstance(record.node, ir.Call) and record.node.args:
        given = record.node.args[0].value
        if isinstance(record.func, Bound) and isinstance(given, ir.Call) and given.args:
            given = given.args[0].value
        is_made = isinstance(record.func, Function) and isinstance(given, ir.Call)
        text = "" if is_made else dotted_text(given)
        if text:
            return text
    return function_name(record.func)


def _cause(record: TransformUse) -> facts.Cause | None:
    """Why the function object is a new one each time, None when it is not."""
    func = record.func
    made_here = _made_here(func, record)
    if isinstance(func, Function):
        if not made_here:
            return None
        return "lambda" if func.node.is_lambda else "def"
    if isinstance(func, Partial):
        return "partial" if made_here else None
    if isinstance(func, Bound):
        owner = func.owner
        if record.wrapper.lenient and isinstance(owner, Instance) and owner.cls.tree:
            # A method of a pytree is one too, and programs are found by its structure.
            return None
        known = isinstance(owner, (Instance, Class)) and _made_here(func, record)
        return "method" if known and not _goes_through(record) else None
    if isinstance(func, Transformed):
        return "transform" if made_here else None
    return None


def _made_here(func: Value, record: TransformUse) -> bool:
    """Whether the function object is made in the iteration or call that jits it."""
    if isinstance(func, Transformed):
        inner = func.record
        return inner.frame.home() is record.frame.home() and inner.loop is record.loop
    loop = getattr(func, "loop", None)
    if isinstance(func, (Partial, Bound)):
        return loop is record.loop and _expressed_here(func, record)
    home = func.frame.home() if isinstance(func, Function) else None
    if isinstance(func, Function) and record.loop is not None and is_given_anew(func, record):
        return True
    return home is record.frame.home() and loop is record.loop


def _goes_through(record: TransformUse) -> bool:
    """Whether a loop takes the method of one object after the other: each needs a program."""
    loop, node = record.loop, record.node
    while isinstance(node, ir.Call) and node.args:
        node = node.args[0].value
    name = dotted_text(node).partition(".")[0]
    if loop is None or loop.parent is not None or name not in loop.names:
        return False
    bound = term(record.frame, node).scope.bindings(name)
    for value in bound:
        read = {one.id for one in walk(value) if isinstance(one, ir.Name)} if value else {name}
        carried = value is not None and name in read
        if carried or not read & loop.names:
            return False
    return bool(bound)


def _expressed_here(func: Partial | Bound, record: TransformUse) -> bool:
    """Whether the transform's argument makes the object, or names one made in the same place."""
    node = record.node
    argument = node.args[0].value if isinstance(node, ir.Call) and node.args else None
    if isinstance(argument, ir.Name):
        if record.loop is not None:
            return argument.id in record.loop.names
        home = record.frame.home()
        params = () if home.func is None else tuple(p.name for p in home.func.params)
        return argument.id in home.bound and argument.id not in params
    if isinstance(argument, ir.Attribute):
        return isinstance(func, Bound) and function_name(func) == argument.attr
    return True


def _place(machine: Machine, record: TransformUse) -> facts.Place | None:
    """Where it repeats: a loop that also calls it, or a function that makes and calls it."""
    if record.loop is not None:
        inside = [c for c in record.calls if c[1] is not None and c[1].within(record.loop)]
        if not inside or (record.escaped and not _called_at_once(record)):
            return None
        return "comprehension" if record.loop.comprehension else "loop"
    home = record.frame.home()
    if home.kind != "function" or home.func is None or record.escaped:
        return None
    if _is_kept(record, home, home.func):
        return None
    amortised = _runs_once(home) or any(c[1] is not None for c in record.calls)
    if amortised and id(home.func) not in machine.program.repeated:
        return None
    # What functions inside it call may be called at any time.
    return "call" if any(not is_inside(c[2].home().parent, home) for c in record.calls) else None


def _is_kept(record: TransformUse, home: Frame, func: ir.FunctionDef) -> bool:
    """Whether a name of code around has what is compiled for as long as a test finds it good."""
    made = record.definition or record.node
    bound = bindings_in(func.body)
    values = [value for name in home.globals | home.nonlocals for value, _ in bound.get(name, ())]
    for one in [*values]:
        values += [value for value, _ in bound.get(getattr(one, "id", ""), ())]
    kept = any(one is made for one in walk(tuple(value for value in values if value is not None)))
    return kept and is_optional(func.body, made)


def _called_at_once(record: TransformUse) -> bool:
    return isinstance(record.node, ir.Call) and any(c[2] is record.frame for c in record.calls)


def _runs_once(home: Frame) -> bool:
    func = home.func
    assert func is not None
    name = func.name.lstrip("_").lower()
    if func.name in INITIALISERS or name.startswith(_ONCE) or name in _ONCE_EXACTLY:
        return True
    if home.cls is not None and (home.cls.opaque or holds_tests(home.cls)):
        return True
    return keeps_results(home)


CHECK = Check(
    "fresh-jit",
    on_finish=after,
)

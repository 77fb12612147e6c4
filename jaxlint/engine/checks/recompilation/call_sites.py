"""Calls of compiled functions: which argument goes to which parameter, and what JAX refuses."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.base.dataclass import replace, slotted
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.numerics.x64 import tree_given
from jaxlint.engine.checks.recompilation.hash_equality import unhashable
from jaxlint.engine.checks.recompilation.non_arrays import refused
from jaxlint.engine.checks.recompilation.promised_hash import promised
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, Loop
from jaxlint.engine.domain.values import (
    STATIC,
    Concrete,
    Function,
    Instance,
    Traced,
    Unknown,
    Value,
    as_traced,
    options,
)
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir

# Wrappers that take arrays, and pytrees of them, for everything that is not static.
TAKES_ARRAYS = frozenset({"jax.jit", "haiku.jit"})
# No more calls of one function are looked at.
MOST_SITES = 256


@slotted(frozen=True, eq=False)
class Given:
    """An argument at a call: `name` is the parameter that takes it, "" where that is not known,
    `fixed` whether it is static, None where that is not known either."""

    name: str
    at: int
    fixed: bool | None
    value: Value
    node: ir.Expr


@slotted(frozen=True, eq=False)
class Site:
    """A call of a compiled function in host code, at the moment `tick`."""

    node: ir.Expr
    frame: Frame
    loop: Loop | None
    given: tuple[Given, ...]
    whole: bool
    tick: int


def observe(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    record: TransformUse,
    args: Args,
    statics: frozenset[str] | None,
) -> Args:
    """Looks at the arguments of a call, and keeps the call for what takes several of them; the
    arguments, without what static parameters do not take: that goes no further."""
    if statics is None or _lacks_self(record, args):
        return args
    given = tuple(_matched(record, args, statics))
    if machine.dynamic.idle:
        # The rest is told where the module itself is examined.
        for one in given:
            if one.fixed is False and record.dotted in TAKES_ARRAYS:
                _check_array(machine, frame, node, record, one)
        return args
    barred: list[Given] = []
    for one in given:
        if one.fixed is False:
            tree_given(machine, frame, one.node, one.value)
        if one.fixed:
            rejected = _check_static(machine, frame, node, record, one)
            if rejected or as_traced(one.value) is not None:
                barred.append(one)
        elif one.fixed is False and record.dotted in TAKES_ARRAYS:
            _check_array(machine, frame, node, record, one)
    if frame.trace.is_host and len(record.sites) < MOST_SITES:
        whole = args.rest is None and args.more is None
        loop, tick = frame.innermost_loop(), machine.counters.tick
        record.sites.append(Site(node, frame, loop, given, whole, tick))
    return _without(args, barred) if barred else args


def note_passed(
    frame: Frame, record: TransformUse, args: Args, statics: frozenset[str] | None
) -> None:
    """Keeps what host code passes to a function that is traced and not compiled."""
    known = statics is not None and frame.trace.is_host and not _lacks_self(record, args)
    if statics is not None and known and len(record.passed) < MOST_SITES:
        record.passed += _matched(record, args, statics)


def _without(args: Args, barred: list[Given]) -> Args:
    """The arguments with what is not known in the place of some of them."""
    kept = replace(args, positional=list(args.positional), keywords=dict(args.keywords))
    for one in barred:
        if one.at >= 0:
            kept.positional[one.at] = STATIC
        else:
            kept.keywords[one.name] = STATIC
    return kept


def _lacks_self(record: TransformUse, args: Args) -> bool:
    """Whether a method is called with something else in the place of its object."""
    func = record.func
    if not isinstance(func, Function) or func.owner is None or not func.node.params:
        return False
    first = args.positional[0] if args.positional else None
    return func.node.params[0].name == "self" and not isinstance(first, (Instance, Unknown))


def _matched(record: TransformUse, args: Args, statics: frozenset[str]) -> list[Given]:
    params = [p for p in signature(record.func) if p.kind in ("plain", "positional")]
    named = {p.name for p in signature(record.func)}
    numbers, names = record.numbers or frozenset(), record.names or frozenset()
    whole = args.rest is None
    found: list[Given] = []
    for at, value in enumerate(args.positional):
        if at < len(params):
            name, fixed = params[at].name, params[at].name in statics
            known: bool | None = fixed
        else:
            name = ""
            known = at in numbers or (whole and at - len(args.positional) in numbers)
            known = True if known else (None if names - named or numbers else False)
        node = args.nodes[at] if at < len(args.nodes) else record.node
        found.append(Given(name, at, known, value, node))
    for name, value in args.keywords.items():
        inferred = name in named or not numbers
        known = True if name in statics else (False if inferred else None)
        found.append(Given(name, -1, known, value, args.keyword_nodes.get(name, record.node)))
    return found


# -- static arguments ----------------------------------------------------------------------------


def _check_static(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, given: Given
) -> bool:
    """A static argument must have a hash: arrays, tracers and containers that change have none.
    Whether it has none."""
    traced = as_traced(given.value)
    if traced is not None and machine.silences().unsure:
        return False  # Which of several functions is called may depend on what it is called with.
    place = given.node if given.node is not record.node else node
    arrays = all(isinstance(one, (Traced, Concrete)) for one in options(given.value))
    if traced is not None or (arrays and _is_turned(frame, given.node)):
        machine.emit(
            facts.Unhashable(
                machine.module,
                place,
                frame.name,
                frame.trace.entry,
                traced.trail if traced is not None else None,
                kind="traced-static" if traced is not None else "array-static",
                subject=given.name,
                callee=function_name(record.func),
            ),
            # A whole of which nothing is known may be an object that has a hash of its own.
            unsure=traced is not None and not traced.leaf,
        )
        return True
    what = "a jax array" if arrays else unhashable(machine, frame, given.value, given.node)
    if what:
        kind = "static-class" if isinstance(given.value, Instance) else "static-value"
        found = facts.Unhashable(machine.module, place, frame.name, kind=kind)
        found.subject, found.detail = given.name, what
        found.callee = function_name(record.func)
        machine.emit(found)
    elif frame.trace.is_host and (likely := _promised(machine, frame, record, given)):
        kind = "static-class" if "`" in likely else "static-value"
        found = facts.Unhashable(machine.module, place, frame.name, kind=kind)
        found.subject, found.detail = given.name, likely
        found.callee = function_name(record.func)
        machine.emit(found, unsure=True)
    return bool(what)


def _promised(machine: Machine, frame: Frame, record: TransformUse, given: Given) -> str:
    taker = plain_function(record.func), given.name
    return promised(machine, frame, given.value, given.node, taker)


def _is_turned(frame: Frame, node: ir.Expr) -> bool:
    """Whether an expression is the variable of a loop around."""
    loop = frame.innermost_loop()
    while loop is not None:
        if isinstance(node, ir.Name) and node.id in loop.names:
            return True
        loop = loop.parent
    return False


# -- other arguments -----------------------------------------------------------------------------


def _check_array(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, given: Given
) -> None:
    """Everything that is not static must be an array, a number or a pytree of those."""
    what = refused(machine, frame, given.value, given.node)
    if not what:
        return
    func = plain_function(record.func)
    if given.at == 0 and isinstance(given.value, Instance) and func is not None and func.owner:
        return  # A method that is compiled with its `self`.
    place = given.node if given.node is not record.node else node
    fact = facts.Refusal(machine.module, place, frame.name, frame.trace.entry)
    fact.kind, fact.subject, fact.detail = "no-array", given.name, what
    fact.callee = function_name(record.func)
    fact.unhashable = unhashable(machine, frame, given.value, given.node)
    machine.emit(fact)
    if given.name and func is not None and what in PLAIN and not machine.expects_errors:
        param = next((p for p in func.node.params if p.name == given.name), None)
        if param is not None:
            record.odd.setdefault(given.name, (param, place))


PLAIN = frozenset({"a string", "a function", "a dtype", "a class", "bytes"})


def text_of(node: ir.Expr) -> str:
    """The function of a call, as written."""
    return dotted_text(node.func) if isinstance(node, ir.Call) else dotted_text(node)

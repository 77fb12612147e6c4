"""What is wrong with a transform as soon as it is applied: its options, and what it is given."""

from __future__ import annotations

from collections.abc import Collection

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import is_none_literal
from jaxlint.engine.checks.recompilation.non_arrays import is_no_pytree
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.values import (
    NUMBERS,
    Bound,
    Class,
    Concrete,
    Descriptor,
    Function,
    Instance,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
    is_none,
)
from jaxlint.engine.inference.options import ints, strings
from jaxlint.engine.inference.signatures import (
    Params,
    named_by,
    positional_count,
    shown,
    unknown_names,
)
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.facts.transform_options import Fault
from jaxlint.knowledge.declarations import (
    ARRAYS_ONLY,
    BY_NAME_ALONE,
    DEMANDING,
    DEPRECATED_OPTIONS,
    DIFFERENTIATING,
    OPTIONS,
    POSTPONED,
    Options,
)
from jaxlint.syntax import ir

# After these, what is meant to be static is anybody's guess.
_ILLEGIBLE = frozenset({"range", "name", "type", "method", "spelling", "data"})
_DATA = (Concrete, NumPy, Traced, Sequence, Mapping)


@slotted(frozen=True)
class _Fault:
    """Something that the options of one application get wrong."""

    kind: Fault
    option: str
    given: str = ""
    detail: str = ""
    accepted: bool = False


def examine(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    """Judges the options and the operand of a transform that is applied here."""
    record.imported = machine.dynamic.idle
    record.expected = machine.expects_errors or machine.dynamic.eager > 0
    if machine.dynamic.idle:
        return
    if record.dotted in DEMANDING and (what := _no_function(record.func)):
        _emit(machine, frame, record, _Fault("operand", "", detail=what))
        return
    if args.rest is not None or args.more is not None:
        return
    if record.dotted in DIFFERENTIATING:
        _examine_argnums(machine, frame, record, args)
    elif args.keywords:
        _examine_options(machine, frame, record, args)
    if record.dotted == "jax.jit" and (len(args.positional) > 1 or "fun" in args.keywords):
        _examine_form(machine, frame, record, args)


def _emit(machine: Machine, frame: Frame, record: TransformUse, fault: _Fault) -> None:
    record.refused |= not fault.accepted
    record.expected |= fault.kind == "operand"
    if fault.kind in _ILLEGIBLE and record.refused:
        record.numbers = record.names = None
    fact = _fact(machine, frame, record.node, fault.kind, record.dotted)
    fact.option, fact.given, fact.detail = fault.option, fault.given, fault.detail
    fact.target, fact.accepted = function_name(record.func), fault.accepted
    machine.emit(fact)


def _fact(
    machine: Machine, frame: Frame, node: ir.Node, kind: Fault, callee: str
) -> facts.InvalidOption:
    at = (machine.module, node, frame.name, frame.trace.entry)
    return facts.InvalidOption(*at, kind=kind, callee=callee)


# -- options ---------------------------------------------------------------------------------


def _may_be_left_out(frame: Frame, args: Args, name: str) -> bool:
    """Whether an option is handed on from a parameter that is None unless somebody gives it, or
    of which nothing is known."""
    home, place, value = frame.home(), args.keyword_nodes.get(name), args.keywords[name]
    if home.func is None:
        return False
    optional = {param.name for param in home.func.params if is_none_literal(param.default)}
    if isinstance(place, ir.Name):
        is_any = isinstance(value, Unknown) and any(place.id == it.name for it in home.func.params)
        return is_any or place.id in optional
    # What a partial binds has no place of its own in the call.
    return isinstance(place, ir.Call) and any(home.env.get(one) is value for one in optional)


def _examine_options(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    for name in DEPRECATED_OPTIONS.get(record.dotted, frozenset()) & args.keywords.keys():
        silent = is_none(args.keywords[name]) or _may_be_left_out(frame, args, name)
        if name == "abstracted_axes" or not silent:
            machine.emit(
                facts.UselessTransform(
                    machine.module,
                    record.node,
                    frame.name,
                    frame.trace.entry,
                    callee=record.dotted,
                    target=name,
                )
            )
    options = OPTIONS.get(record.dotted)
    if options is None:
        return
    fault = _mistyped(options, args) or _mismatched(record, options, args)
    if fault is not None:
        _emit(machine, frame, record, fault)


def _examine_argnums(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    """What is differentiated goes by numbers."""
    value = args.get(1, "argnums")
    odd = None if value is None else _odd(value, ("int",), top=True)
    if odd is not None and odd.kind != "bool":
        _emit(machine, frame, record, _Fault("type", "argnums", _text(odd)))


def _mistyped(options: Options, args: Args) -> _Fault | None:
    """Names where numbers belong, or the other way round."""
    for option in options.numbers():
        value = args.keywords.get(option)
        odd = None if value is None else _odd(value, ("int",), top=True)
        if odd is not None:
            meant = option.replace("argnums", "argnames")
            detail = meant if odd.kind == "str" and meant in options.names() else ""
            accepted = odd.kind == "bool"
            return _Fault("type", option, _text(odd), detail, accepted)
    for option in options.names():
        value = args.keywords.get(option)
        odd = None if value is None else _odd(value, ("str",), top=True)
        if odd is not None:
            detail = option.replace("argnames", "argnums") if odd.kind == "int" else ""
            return _Fault("type", option, _text(odd), detail)
    return None


def _odd(value: Value, kinds: tuple[str, ...], top: bool) -> Static | None:
    """The first part of an option that is of another kind than its parts should be."""
    if isinstance(value, Static):
        empty = value.const == "" if value.known else False
        if top and (is_none(value) or empty):
            return None
        known = value.kind in (*NUMBERS, "str", "NoneType") or is_none(value)
        return value if known and value.kind not in kinds else None
    if isinstance(value, Sequence) and value.items is not None:
        if not top:
            return Static(kind=value.kind)
        return next((odd for item in value.items if (odd := _odd(item, kinds, False))), None)
    if isinstance(value, Mapping) and not value.open and value.element is None:
        keys = [Static(key) for key in value.items]
        return next((odd for key in keys if (odd := _odd(key, kinds, False))), None)
    return None


def _text(value: Static) -> str:
    return repr(value.const) if value.known else value.kind


def _mismatched(record: TransformUse, options: Options, args: Args) -> _Fault | None:
    """Options that do not agree with the signature, or with each other."""
    given = {name: args.keywords.get(name) for name in (*options.numbers(), *options.names())}
    numbers = {name: ints(given[name]) for name in options.numbers()}
    if options.merged:
        both = (numbers[options.static_numbers] or frozenset()) & (
            numbers[options.donated_numbers] or frozenset()
        )
        fault = _Fault("overlap", options.static_numbers, _listed(both), _listed(both))
        return fault if both else None
    params = shown(record.func) if options.signature else None
    if params is None:
        return None
    for option, found in numbers.items():
        wrong = _out_of_range(params, found or frozenset())
        if wrong:
            count = positional_count(params)
            return _Fault("range", option, _listed(frozenset(wrong)), str(count))
    for option in options.names():
        names = unknown_names(params, strings(given[option]) or frozenset())
        if names:
            valid = " ".join(p.name for p in params if p.kind in ("plain", "keyword"))
            return _Fault("name", option, ", ".join(names), valid)
    return _overlap(params, options, given)


def _out_of_range(params: Params, numbers: frozenset[int]) -> list[int]:
    count = positional_count(params)
    return [] if count is None else [n for n in sorted(numbers) if not -count <= n < count]


def _overlap(params: Params, options: Options, given: dict[str, Value | None]) -> _Fault | None:
    static = _chosen(params, given[options.static_numbers], given[options.static_names])
    donated = _chosen(params, given[options.donated_numbers], given[options.donated_names])
    both = (static or frozenset()) & (donated or frozenset())
    if not both:
        return None
    numbers = ints(given[options.donated_numbers]) or ()
    hit = [n for n in numbers if both.intersection(named_by(params, frozenset({n})) or ())]
    return _Fault("overlap", options.static_numbers, ", ".join(sorted(both)), _listed(hit))


def _chosen(params: Params, numbers: Value | None, names: Value | None) -> frozenset[str] | None:
    """The names that two options stand for: numbers count where no names are given at all."""
    if names is not None and not is_none(names):
        return strings(names)
    found = ints(numbers)
    return None if found is None else named_by(params, found)


def _listed(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


# -- the form of the call ----------------------------------------------------------------------


def _examine_form(machine: Machine, frame: Frame, record: TransformUse, args: Args) -> None:
    """`jit(f, x)`, `jit(f, None, None, 0)` and `jit(fun=f)`."""
    if "pjit" in machine.module.source.text:
        return  # It is known by the name of `jit`, and takes its options by position.
    strict = machine.context.newest_jax.reaches(BY_NAME_ALONE)
    if len(args.positional) < 2:
        if strict:
            _emit(machine, frame, record, _Fault("spelling", "fun"))
        return
    first = args.positional[1]
    data = isinstance(first, _DATA) or (isinstance(first, Static) and first.kind in NUMBERS)
    if data or strict:
        _emit(machine, frame, record, _Fault("data" if data else "spelling", "", detail="argument"))


def postponed(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Options without a function: `@jax.jit(static_argnames="n")`."""
    newest = machine.context.newest_jax
    if dotted != "jax.jit" or args.more is not None or newest.reaches(POSTPONED):
        return
    if not machine.dynamic.idle and "pjit" not in machine.module.source.text:
        fact = _fact(machine, frame, node, "spelling", dotted)
        fact.option, fact.detail = "decorator", newest.newest
        machine.emit(fact)


def dropped(machine: Machine, frame: Frame, statement: ir.ExprStmt, value: Value) -> None:
    """A statement ends in a wrapped function."""
    if not isinstance(value, Transformed):
        return
    node = statement.value
    record: TransformUse = value.record
    if record.node is not node or not isinstance(node, ir.Call) or record.refused:
        return
    if not machine.expects_errors and not machine.dynamic.idle and not in_test(frame):
        _emit(machine, frame, record, _Fault("unused", ""))


def operated(machine: Machine, frame: Frame, node: ir.Node, left: Value, right: Value) -> Value:
    """A wrapped function meets an operator of numbers."""
    func, other = (left, right) if isinstance(left, Transformed) else (right, left)
    number = isinstance(other, Static) and other.kind in NUMBERS
    leaf = isinstance(other, Traced) and other.leaf
    array = number or leaf or isinstance(other, (Concrete, NumPy))
    if isinstance(func, Transformed) and array and not machine.dynamic.idle:
        fact = _fact(machine, frame, node, "data", func.record.dotted)
        fact.target, fact.detail = function_name(func), "operand"
        machine.emit(fact)
    return machine.unknown("operator of a function")


# -- the operand ---------------------------------------------------------------------------------


def _no_function(func: Value) -> str:
    """What stands where a function belongs, "" for what may well be one."""
    if isinstance(func, Descriptor):
        names = {"static": "a `staticmethod` object", "class": "a `classmethod` object"}
        return names.get(func.kind, "a property")
    inner = func
    while isinstance(inner, (Partial, Bound)):
        inner = inner.func
    if isinstance(inner, Function):
        lazy = inner.node.is_generator and not inner.node.is_async
        return "a generator function" if lazy else ""
    if isinstance(func, Static):
        plain = func.kind in (*NUMBERS, "str", "bytes", "shape")
        return "a constant" if plain else ""
    if isinstance(func, (Concrete, NumPy)) or (isinstance(func, Traced) and func.leaf):
        return "an array"
    if isinstance(func, Sequence) and func.kind in ("list", "tuple", "set"):
        return f"a {func.kind}"
    return "a dict" if isinstance(func, Mapping) else ""


# -- what the whole file says ----------------------------------------------------------------------


def first_called(machine: Machine, frame: Frame, record: TransformUse) -> None:
    """What shows when a wrapped function or object is called for the first time."""
    after(machine, record)
    given = record.given.owner if isinstance(record.given, Bound) else record.given
    if isinstance(given, (Instance, FrameworkObject)) and record.frame.root is frame.root:
        asked = (machine, frame, record.node, record.dotted, record.given)
        machine.frameworks.ask("wrap", given, *asked)


def after(machine: Machine, record: TransformUse) -> None:
    """What depends on how JAX sees a class, which the file may say later."""
    if record.refused or record.dotted not in ARRAYS_ONLY:
        return
    if record.frame.root is not machine.globals:
        return
    func = record.func
    what = ""
    if isinstance(func, Class) and "__new__" not in func.namespace and is_no_pytree(machine, func):
        what = "a class"
    elif isinstance(func, Function) and func.node.is_async:
        what = "an `async` function"
    elif isinstance(func, Function) and func.owner is not None:
        _examine_method(machine, record, func, func.owner)
    if what:
        _emit(machine, record.frame, record, _Fault("operand", "", detail=what))


def _examine_method(machine: Machine, record: TransformUse, func: Function, owner: Class) -> None:
    """Static numbers of a method's parameters that do not count `self`."""
    static, names, params = record.numbers, record.names, func.node.params
    if not static or names is None or not params:
        return
    first = params[0]
    counted = not {0, -len(params)}.isdisjoint(static) or first.name in names
    if counted or first.name != "self" or first.kind != "plain":
        return
    heirs = [one for one in machine.classes() if one.derives(owner)]
    if not _is_method(record, owner) or not all(is_no_pytree(machine, one) for one in heirs):
        return
    moved = {0, *(n + (n >= 0) for n in static)}
    if max(moved) >= len(params):
        moved = {0, *static}
    hit = [params[n].name for n in sorted(static) if 0 <= n < len(params)]
    option = OPTIONS[record.dotted].static_numbers
    detail = "|".join((first.name, ", ".join(hit), _listed(moved)))
    _emit(machine, record.frame, record, _Fault("method", option, _listed(static), detail))


def _is_method(record: TransformUse, owner: Class) -> bool:
    """Whether objects of a class bind what the transform made."""
    held = owner.namespace.values()
    return any(isinstance(one, Transformed) and one.record is record for one in held)


CHECK = Check(
    "transform-options",
    on_transform=examine,
    on_postponed_transform=postponed,
    on_first_call=first_called,
    on_entry=after,
    on_discard=dropped,
)

"""Python's builtin functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.dead_stores import is_never_read
from jaxlint.dataflow.names import dotted_text, free_in
from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.checks.concretization.format_specs import with_specification
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject
from jaxlint.engine.domain.objects import DescriptorKind
from jaxlint.engine.domain.pytrees import dtype_of, finds_traced, is_number, rank_of, surely_held
from jaxlint.engine.domain.special_values import EffectfulObject, Super, TracedString, TracerType
from jaxlint.engine.domain.values import (
    BOOL,
    INT,
    NONE,
    STATIC,
    STR,
    Concrete,
    Descriptor,
    Instance,
    LibraryName,
    Mapping,
    Method,
    NumPy,
    Sequence,
    Static,
    Traced,
    Union,
    Unknown,
    Value,
    as_traced,
    join_all,
    options,
)
from jaxlint.engine.inference.dependence import untraced
from jaxlint.engine.inference.lengths import length_of, numbers_of, range_of
from jaxlint.engine.machine.alternatives import each
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib import attribute_functions, iteration
from jaxlint.engine.operations import dunder
from jaxlint.engine.operations.attributes import attribute
from jaxlint.engine.operations.changes import put
from jaxlint.engine.operations.dicts import from_keys
from jaxlint.engine.operations.iteration import iterate
from jaxlint.engine.operations.lists import sorted_constants
from jaxlint.engine.operations.scalars import is_large
from jaxlint.engine.operations.truth import truth_of
from jaxlint.engine.relations.identity import Mark
from jaxlint.engine.relations.tracer_tests import Question, either, every, of_type, over
from jaxlint.engine.relations.type_tests import is_callable, type_answer
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

Builtin = Callable[[Machine, Frame, ir.Expr, str, Args], Value]
# How many elements a key function is called for one by one.
MOST_KEYS = 8
_FOLDABLE: dict[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "abs": abs,
    "len": len,
    "max": max,
    "min": min,
}


def call_builtin(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """The result of calling a builtin."""
    handler = _TABLE.get(name)
    if handler is not None:
        return handler(machine, frame, node, name, args)
    kind = lookup.effect(f"builtins.{name}")
    if kind is not None:
        effect(machine, frame, node, f"builtins.{name}", args, kind)
        if name == "open":
            return EffectfulObject("file", frame.trace, settled=True)
        return NONE if kind == "print" else STR
    if name[:1].isupper():
        return STATIC
    if "." in name and args.positional:
        return _unbound(machine, frame, node, name, args)
    for value in args.values():
        record = getattr(value, "record", None)
        if record is not None:
            record.escaped = True
    return machine.unknown(f"builtin {name}")


# Methods that make an object of their class.
_CLASS_METHODS: dict[str, Value] = {
    "bytes.fromhex": Static(kind="bytes"),
    "float.fromhex": Static(kind="float"),
    "int.from_bytes": INT,
    "str.maketrans": STATIC,
}


def _unbound(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`str.upper(text)`: a method taken from its class."""
    if name == "dict.fromkeys":
        return from_keys(machine, frame, node, args)
    if name == "object.__setattr__":
        return attribute_functions.store(machine, frame, node, name, args)
    if name in _CLASS_METHODS:
        return _CLASS_METHODS[name]
    method = attribute(machine, frame, node, args.positional[0], name.partition(".")[2])
    if not isinstance(method, Method):
        return machine.unknown(f"builtin {name}")
    inside = Args(
        args.positional[1:],
        args.keywords,
        args.rest,
        args.more,
        args.nodes[1:],
        args.keyword_nodes,
    )
    return machine.call(frame, node, method, inside)


def effect(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, kind: str
) -> None:
    """Reports an effect in traced code."""
    if frame.trace.is_host or (kind == "clock" and is_never_read(frame.home().func, node)):
        return
    if not frame.trace.once:
        shows = frame.trace.kind == "shard"  # Each call shows what every device holds.
        if shows or not any(finds_traced(v) for v in args.values()):
            return
    trail = None
    operands: list[ir.Expr] = []
    for value, place in args.pairs():
        found = finds_traced(value)
        if found is not None:
            operands += value.places if isinstance(value, TracedString) else (place,)
            trail = trail or found.trail
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else dotted.rpartition(".")[2]
    machine.emit(
        facts.Effect(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            trail,
            kind=kind,  # type: ignore[arg-type]
            callee=callee,
            dotted=dotted,
            conditional=machine.asks().conditions > 0,
            traced=operands[0] if operands else None,
            operands=tuple(operands),
        )
    )


def _cast(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "x")
    result = Static(kind=name if name in ("int", "float", "bool", "complex") else "str")
    if value is None:
        return result
    if name == "bool" and isinstance(value, Question):
        return value
    if isinstance(value, Static) and value.known and name in _FOLDABLE:
        try:
            return Static(_FOLDABLE[name](value.const))
        except (TypeError, ValueError, OverflowError):
            return result
    place = args.node(0, "x", node)
    demand(machine, frame, place, value, "cast", name, f"builtins.{name}")
    return result


def _len(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "obj")
    if isinstance(value, Sequence) and value.items is not None:
        return Static(len(value.items))
    if isinstance(value, Mapping) and not value.open and value.element is None:
        return Static(len(value.items))
    if value is not None:
        if isinstance(value, Static) and isinstance(value.const, (str, bytes)):
            return Static(len(value.const))
        if isinstance(value, Instance) and "typing.NamedTuple" in value.cls.externals():
            return Static(len(value.cls.fields))
        made = dunder.method(machine, frame, node, value, "__len__")
        return length_of(value) if made is None else made
    return INT


def _range(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    any(demand(machine, frame, at, v, "count", "range", "builtins.range") for v, at in args.pairs())
    consts = [v.const for v in args.positional if isinstance(v, Static) and v.known]
    if len(consts) == len(args.positional) and all(isinstance(c, int) for c in consts):
        try:
            known = range(*consts)
        except (TypeError, ValueError):
            return Static(kind="range")
        if not known[8:]:
            return Sequence("range", [Static(i) for i in known], frame.trace)
    return range_of(machine, frame, args)


def _order(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`min` and `max`: comparing two operands, or the elements of one, asks for truth."""
    keyed = "key" in args.keywords
    if len(args.positional) > 1:
        if not keyed:
            for value, place in zip(args.positional, args.nodes, strict=False):
                if demand(machine, frame, place, value, "order", name, f"builtins.{name}"):
                    return join_all(args.positional)
        known = [v.const for v in args.positional if isinstance(v, Static) and v.known]
        if len(known) == len(args.positional) and not keyed and name in _FOLDABLE:
            try:
                return Static(_FOLDABLE[name](*known))
            except (TypeError, ValueError):
                return STATIC
        return join_all(args.positional)
    if not args.positional:
        return machine.unknown("order")
    return _order_elements(machine, frame, node, name, args, keyed)


def _order_elements(
    machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args, keyed: bool
) -> Value:
    value = args.positional[0]
    element, items, certain = iterate(machine, frame, args.node(0, "", node), value, name)
    several = items is None or len(items) > 1
    default = args.keywords.get("default")
    if default is not None and not (certain and items):
        element = default if items is not None else join_all([element, default])
    place = args.node(0, "", node)
    compared = element
    ranked = items
    if keyed and several:
        key = args.keywords["key"]
        each = items if items is not None and len(items) <= MOST_KEYS else [element]
        ranked = [machine.call(frame, node, key, Args([one], nodes=[place])) for one in each]
        place = args.keyword_nodes.get("key", place)
        compared = join_all(ranked)
    if several and ranked is not None:
        # Each of several is compared with another one.
        compared = next((one for one in ranked if as_traced(one) is not None), compared)
    held = as_traced(value)
    kind = "array" if held is not None and held.leaf else ""
    dotted = f"builtins.{name}"
    asked = several and demand(machine, frame, place, compared, "order", name, dotted, kind)
    if name == "sorted":
        fixed = items is not None and not asked and all(isinstance(i, Static) for i in items)
        known = sorted_constants(items, args) or (items if fixed else None)
        made = Sequence("list", known, frame.trace, None if known else element, frame.path)
        made.holds = None if known else surely_held(args.positional)
        return made
    ordered = None if keyed else sorted_constants(items, args)
    if ordered:
        return ordered[0 if name == "min" else -1]
    return element


def _any_all(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return BOOL
    place = args.node(0, "iterable", node)
    element, items, _ = iterate(machine, frame, place, value, name)
    containers = _containers(frame, place)
    if isinstance(place, ir.Comprehension):
        place = place.element
    stop = name == "any"
    result: bool | None = not stop
    guarded = False
    for item in items if items is not None else [element]:
        asked_for = machine.counters.demands
        # Behind an element of unknown truth that is static, the iteration may have ended.
        with machine.quiet(guarded and not frame.trace.is_host):
            answer = truth_of(machine, frame, place, item, "filter", name)
        if answer is stop and items is not None:
            return Static(stop)
        if answer is None or items is None:
            result = None
            guarded |= machine.counters.demands == asked_for
    if result is not None:
        return Static(result)
    asked = (either if stop else every)(items) if items is not None else None
    first = items[0] if items else element
    return over(containers, first, stop, asked) or asked or BOOL


def _containers(frame: Frame, place: ir.Expr) -> list[Value]:
    """The values with tracers that an iteration is over: `map(f, xs)`, `g(x) for x in xs`."""
    if isinstance(place, ir.Comprehension):
        names = free_in(place.clauses[0].iter)
    else:
        names = free_in(place)
    found = [frame.env[name] for name in sorted(names) if name in frame.env]
    return [value for value in found if finds_traced(value) is not None]


def _isinstance(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) < 2:
        return BOOL
    subject, types = args.positional[0], args.positional[1]
    answers = {
        type_answer(o, types)
        for o in (subject.options if isinstance(subject, Union) else (subject,))
    }
    answer = answers.pop() if len(answers) == 1 else None
    return (of_type(subject, types) or BOOL) if answer is None else Static(answer)


def _issubclass(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`issubclass(type(x), types)` asks what `isinstance(x, types)` does."""
    kind = args.get(0, "")
    if not isinstance(kind, TracerType):
        return BOOL
    inside = Args([kind.traced, *args.positional[1:]])
    return _isinstance(machine, frame, node, name, inside)


def _callable(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    answers = {is_callable(option) for option in options(args.get(0, "") or STATIC)}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Static(answer)


def _to_sequence(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    kind = {"frozenset": "set"}.get(name, name)
    if not args.positional:
        made = Sequence(kind, [], frame.trace, None, frame.path, node)
        made.local = frame.home().kind == "function"
        return made
    place = args.node(0, "", node)
    element, items, _ = iterate(machine, frame, place, args.positional[0], name)
    if isinstance(args.positional[0], Unknown):
        return machine.unknown("sequence of unknown elements")
    items = items or numbers_of(args.positional[0])
    copied = None if items is None or kind == "set" else list(items)
    rest = None if copied is not None else element
    made = Sequence(kind, copied, frame.trace, rest, frame.path, node)
    made.holds = None if rest is None else surely_held(args.positional)
    return made


def _dict(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    result = Mapping({}, frame.trace, path=frame.path, made=node)
    for value in args.positional:
        if isinstance(value, Mapping):
            result.items.update(value.items)
            result.element, result.open = value.element, value.open
        elif isinstance(value, Traced) and not value.leaf:
            result.open, result.element = True, value
        else:
            element, items, _ = iterate(machine, frame, args.node(0, "", node), value, "for")
            pairs = [i.items for i in items or [] if isinstance(i, Sequence) and i.items]
            if items is not None and len(pairs) == len(items) and all(len(p) == 2 for p in pairs):
                for known, inner in pairs:
                    put(machine, frame, result, known, inner)
                continue
            pair = element.items if isinstance(element, Sequence) else None
            second = pair[1] if pair is not None and len(pair) == 2 else None
            result.open, result.element = True, second or machine.unknown("dict of pairs")
    result.items.update(args.keywords)
    if args.more is not None:
        result.open = True
    return result


def _arithmetic(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`abs`, `round`, `pow` and `divmod` keep a tracer traced."""
    values = args.positional
    if values and isinstance(values[0], Union):
        given = [Args([option, *values[1:]], nodes=args.nodes) for option in values[0].options]
        run = partial(_arithmetic, machine, frame, node, name)
        return join_all(each(machine, given, run))
    traced = [v for v in values if isinstance(v, (Traced, Concrete))]
    if traced:
        if name == "round":
            values = [untraced(v) for v in values]
        result = machine.operation(frame, node, values, dtype_of(traced[0]), rank_of(traced[0]))
        return Sequence("tuple", [result, result], frame.trace) if name == "divmod" else result
    if not values:
        return machine.unknown(name)
    if all(isinstance(v, Static) for v in values):
        if name == "abs" and isinstance(values[0], Static) and is_number(values[0]):
            return Static(abs(values[0].const)) if values[0].known else values[0]
        return Static(kind=values[0].kind if isinstance(values[0], Static) else "")
    made = dunder.method(machine, frame, node, values[0], f"__{name}__", *values[1:])
    if made is not None:
        return made
    if all(isinstance(v, (Static, NumPy)) for v in values):
        host = NumPy(dtype_of(values[0]))
        return Sequence("tuple", [host, host], frame.trace) if name == "divmod" else host
    return machine.unknown(name)


def _string(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    spec = args.get(1, "") if name == "format" else None
    if isinstance(spec, Static) and isinstance(spec.const, str) and args.nodes:
        with_specification(machine, frame, args.nodes[0], args.positional[0], spec.const, name)
    for value, place in args.pairs():
        traced = finds_traced(value)
        if traced is not None:
            return TracedString(traced, place)
    first = args.get(0, "object")
    if name == "str" and isinstance(first, Static) and isinstance(first.const, (int, str)):
        return STR if is_large(first.const) else Static(str(first.const))
    return STR


def _print(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    effect(machine, frame, node, "builtins.print", args, "print")
    return NONE


def _super(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    scope: Frame | None = frame.home()
    while scope is not None and scope.cls is None:
        scope = scope.parent
    if scope is None or scope.cls is None or scope.func is None or not scope.func.params:
        return machine.unknown("super")
    owner = scope.env.get(scope.func.params[0].name)
    return Super(scope.cls, owner) if owner is not None else machine.unknown("super")


def _descriptor(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    return (
        Descriptor(_DESCRIPTORS[name], args.positional[0])
        if args.positional
        else machine.unknown(name)
    )


_DESCRIPTORS: dict[str, DescriptorKind] = {
    "staticmethod": "static",
    "classmethod": "class",
    "property": "property",
}


def _type(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "")
    if len(args.positional) != 1 or value is None:
        return STATIC
    return join_all([_type_of(o) for o in options(value)])


def _type_of(value: Value) -> Value:
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Traced):
        return TracerType(value)
    if isinstance(value, Static) and value.known:
        return LibraryName(f"builtins.{type(value.const).__name__}")
    if isinstance(value, Sequence) and value.kind in ("list", "tuple", "set"):
        return LibraryName(f"builtins.{value.kind}")
    return STATIC


def _slice(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """A slice is a tuple of its bounds, of kind "slice", as in a subscript."""
    bounds = args.positional
    if not 1 <= len(bounds) <= 3 or args.rest is not None:
        return STATIC
    start, stop, step = [NONE, bounds[0], NONE] if len(bounds) == 1 else [*bounds, NONE][:3]
    return Sequence("slice", [start, stop, step], frame.trace)


def _static(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    return STR if name in ("repr", "ascii") else STATIC


def _object(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    once = frame.kind == "module" and frame.loop is None
    return Static(Mark(node), "object") if once else Static(kind="object")


def _reveal(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "") or NONE
    if isinstance(node, ir.Call) and not frame.trace.is_host:
        machine.collected.reveals.append((node, revealed(value), machine.asks().supposed > 0))
    return value


def revealed(value: Value, depth: int = 8) -> str:
    """How specs call a value: "traced", "static", "mixed" (one or the other) or "unknown"."""
    if finds_traced(value) is not None and not isinstance(value, TracedString):
        return "traced"
    if isinstance(value, Unknown) or depth == 0:
        return "unknown"
    if isinstance(value, Union):
        kinds = {revealed(option, depth - 1) for option in value.options}
        if "unknown" in kinds:
            return "unknown"
        return kinds.pop() if len(kinds) == 1 else "mixed"
    if isinstance(value, FrameworkObject):
        arrays = value.state.get("tree")
        return "static" if arrays is None else revealed(arrays, depth - 1)
    kinds = {revealed(inner, depth - 1) for inner in _held(value)}
    return next((one for one in ("traced", "unknown", "mixed") if one in kinds), "static")


def _held(value: Value) -> list[Value]:
    """What a container holds."""
    inner = list(value.items or []) if isinstance(value, Sequence) else []
    if isinstance(value, Mapping):
        inner = list(value.items.values())
    if isinstance(value, (Sequence, Mapping)) and value.element is not None:
        inner.append(value.element)
    return inner


_TABLE: dict[str, Builtin] = {
    **dict.fromkeys(("int", "float", "bool", "complex", "bin", "hex", "oct", "chr"), _cast),
    "len": _len,
    "range": _range,
    **dict.fromkeys(("min", "max"), _order),
    "sorted": _order,
    **dict.fromkeys(("any", "all"), _any_all),
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    **attribute_functions.TABLE,
    "callable": _callable,
    **dict.fromkeys(("list", "tuple", "set", "frozenset"), _to_sequence),
    "dict": _dict,
    "zip": iteration.zip_,
    "enumerate": iteration.enumerate_,
    **dict.fromkeys(("map", "filter"), iteration.map_filter),
    **dict.fromkeys(("reversed", "iter"), iteration.reversed_),
    "next": iteration.next_,
    "sum": iteration.sum_,
    **dict.fromkeys(("abs", "round", "pow", "divmod"), _arithmetic),
    **dict.fromkeys(("str", "format"), _string),
    "print": _print,
    "super": _super,
    **dict.fromkeys(("staticmethod", "classmethod", "property"), _descriptor),
    "type": _type,
    "slice": _slice,
    **dict.fromkeys(("id", "hash", "repr", "ascii", "ord", "bytes", "dir"), _static),
    "object": _object,
    **dict.fromkeys(("bytearray", "memoryview"), _static),
    "reveal": _reveal,
}

"""Python's builtin functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.engine import facts
from jaxlint.engine.attributes import attribute
from jaxlint.engine.bindings import dotted_text
from jaxlint.engine.containers import advance, iterate
from jaxlint.engine.machine import Args, Machine
from jaxlint.engine.sinks import demand, truth_of, type_answer
from jaxlint.engine.state import Frame
from jaxlint.engine.targets import store_field
from jaxlint.engine.trees import dtype_of, is_number, rank_of
from jaxlint.engine.values import (
    BOOL,
    INT,
    NONE,
    STATIC,
    STR,
    Bound,
    Choice,
    Class,
    Concrete,
    Descriptor,
    External,
    Function,
    Instance,
    Iterator,
    Mapping,
    NumPy,
    Object,
    Sequence,
    Static,
    Super,
    Text,
    Traced,
    Transformed,
    Unknown,
    Value,
    finds_traced,
    join_all,
    options,
)
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

Builtin = Callable[[Machine, Frame, ir.Expr, str, Args], Value]
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
            return Object("file", frame.trace, settled=True)
        return NONE if kind == "print" else STR
    if name[:1].isupper():
        return STATIC
    for value in args.values():
        record = getattr(value, "record", None)
        if record is not None:
            record.escaped = True
    return machine.unknown(f"builtin {name}")


def effect(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args, kind: str
) -> None:
    """Reports an effect in traced code."""
    if frame.trace.is_host:
        return
    if not frame.trace.once and not any(finds_traced(v) for v in args.values()):
        return
    traced = None
    trail = None
    for value, place in args.pairs():
        found = finds_traced(value)
        if found is not None:
            traced = value.place if isinstance(value, Text) else place
            trail = found.trail
            break
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
            conditional=machine.conditions > 0,
            traced=traced,
        )
    )


def _cast(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "x")
    result = Static(kind=name if name in ("int", "float", "bool", "complex") else "str")
    if value is None:
        return result
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
    return INT


def _range(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    for value, place in args.pairs():
        if demand(machine, frame, place, value, "count", "range", "builtins.range"):
            break
    consts = [v.const for v in args.positional if isinstance(v, Static) and v.known]
    if len(consts) == len(args.positional) and all(isinstance(c, int) for c in consts):
        try:
            known = range(*consts)
        except (TypeError, ValueError):
            return Static(kind="range")
        if len(known) <= 8:
            return Sequence("range", [Static(i) for i in known], frame.trace)
    return Static(kind="range")


def _order(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`min` and `max`: comparing two operands, or the elements of one, asks for truth."""
    keyed = "key" in args.keywords
    if len(args.positional) > 1:
        if not keyed:
            for value, place in zip(args.positional, args.nodes, strict=False):
                if demand(machine, frame, place, value, "order", name, f"builtins.{name}"):
                    return join_all(args.positional)
        known = [v.const for v in args.positional if isinstance(v, Static) and v.known]
        if len(known) == len(args.positional) and not keyed:
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
    element, items, _ = iterate(machine, frame, args.node(0, "", node), value, "for")
    several = items is None or len(items) > 1
    place = args.node(0, "", node)
    compared = element
    if keyed and several:
        compared = machine.call(frame, node, args.keywords["key"], Args([element], nodes=[place]))
        place = args.keyword_nodes.get("key", place)
    asked = several and demand(machine, frame, place, compared, "order", name, f"builtins.{name}")
    if name == "sorted":
        fixed = items is not None and not asked and all(isinstance(i, Static) for i in items)
        known = items if fixed else None
        return Sequence("list", known, frame.trace, None if known else element, frame.path)
    return element


def _any_all(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return BOOL
    place = args.node(0, "iterable", node)
    element, items, _ = iterate(machine, frame, place, value, "for")
    if isinstance(place, ir.Comprehension):
        place = place.element
    stop = name == "any"
    result: bool | None = not stop
    guarded = False
    for item in items if items is not None else [element]:
        asked = machine.demands
        # Behind an element of unknown truth that is static, the iteration may have ended.
        with machine.quiet(guarded and not frame.trace.is_host):
            answer = truth_of(machine, frame, place, item, "filter", name)
        if answer is stop and items is not None:
            return Static(stop)
        if answer is None or items is None:
            result = None
            guarded |= machine.demands == asked
    return BOOL if result is None else Static(result)


def _isinstance(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) < 2:
        return BOOL
    subject, types = args.positional[0], args.positional[1]
    answers = {
        type_answer(o, types)
        for o in (subject.options if isinstance(subject, Choice) else (subject,))
    }
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else Static(answer)


def _hasattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) == 2 and isinstance(args.positional[1], Static):
        subject, attr = args.positional[0], args.positional[1].const
        if isinstance(subject, Traced) and subject.leaf and isinstance(attr, str):
            known = attr in lookup.STATIC_ATTRIBUTES or lookup.method(attr) is not None
            return Static(True) if known else BOOL
    return BOOL


def _callable(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "")
    if isinstance(value, Traced) and value.leaf:
        return Static(False)
    return Static(True) if isinstance(value, (Function, Transformed, Bound, Class)) else BOOL


def _getattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) >= 2 and isinstance(args.positional[1], Static):
        attr = args.positional[1].const
        if isinstance(attr, str):
            return attribute(machine, frame, args.node(0, "", node), args.positional[0], attr)
    return machine.unknown("getattr")


def _setattr(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) == 3:
        owner, attr, value = args.positional
        const = attr.const if isinstance(attr, Static) and isinstance(attr.const, str) else ""
        if isinstance(owner, (Instance, Class)):
            target = ir.Attribute(node.origin, args.nodes[0], const or "...")
            store_field(machine, frame, target, owner, const or "...", value, "assign")
    return NONE


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
    copied = None if items is None or kind == "set" else list(items)
    return Sequence(
        kind, copied, frame.trace, None if copied is not None else element, frame.path, node
    )


def _dict(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    result = Mapping(dict(args.keywords), frame.trace, path=frame.path, made=node)
    for value in args.positional:
        if isinstance(value, Mapping):
            result.items.update(value.items)
            result.element, result.open = value.element, value.open
        elif isinstance(value, Traced) and not value.leaf:
            result.open, result.element = True, value
        else:
            element, _, _ = iterate(machine, frame, args.node(0, "", node), value, "for")
            pair = element.items if isinstance(element, Sequence) else None
            known = pair[1] if pair is not None and len(pair) == 2 else None
            result.open, result.element = True, known or machine.unknown("dict of pairs")
    if args.more is not None:
        result.open = True
    return result


def _zip(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    parts = [
        iterate(machine, frame, n, v, "zip")
        for v, n in zip(args.positional, args.nodes, strict=False)
    ]
    if args.rest is not None or not parts:
        return Iterator(machine.unknown("zip"), frame.trace, source="zip", made=node)
    element = Sequence("tuple", [p[0] for p in parts], frame.trace)
    lengths = [len(p[1]) for p in parts if p[1] is not None]
    items: list[Value] | None = None
    if len(lengths) == len(parts) and min(lengths) <= 16:
        items = [
            Sequence("tuple", [p[1][i] for p in parts if p[1] is not None], frame.trace)
            for i in range(min(lengths))
        ]
    return Iterator(element, frame.trace, items, "zip", node)


def _enumerate(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return machine.unknown("enumerate")
    element, items, _ = iterate(machine, frame, args.node(0, "iterable", node), value, "enumerate")
    pair = Sequence("tuple", [INT, element], frame.trace)
    known: list[Value] | None = None
    if items is not None and len(items) <= 16 and len(args.positional) == 1:
        known = [Sequence("tuple", [Static(i), v], frame.trace) for i, v in enumerate(items)]
    return Iterator(pair, frame.trace, known, "enumerate", node)


def _map_filter(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if len(args.positional) < 2:
        return machine.unknown(name)
    parts = [
        iterate(machine, frame, n, v, name)
        for v, n in zip(args.positional[1:], args.nodes[1:], strict=False)
    ]
    func = args.positional[0]
    inner = Args([p[0] for p in parts], nodes=args.nodes[1:])
    if name == "filter":
        if isinstance(func, Static) and func.const is None:
            truth_of(machine, frame, args.nodes[1], parts[0][0], "filter", name)
        else:
            answer = machine.call(frame, node, func, inner)
            truth_of(machine, frame, args.nodes[0], answer, "filter", name)
        return Iterator(parts[0][0], frame.trace, None, name, node)
    items = parts[0][1]
    if len(parts) == 1 and items is not None and len(items) <= 8:
        known = [machine.call(frame, node, func, Args([i], nodes=args.nodes[1:])) for i in items]
        return Iterator(join_all(known), frame.trace, known, name, node)
    return Iterator(machine.call(frame, node, func, inner), frame.trace, None, name, node)


def _reversed(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if not args.positional:
        return machine.unknown(name)
    value = args.positional[0]
    element, items, _ = iterate(machine, frame, args.node(0, "", node), value, name)
    known = None if items is None or name == "iter" else list(reversed(items))
    return Iterator(element, frame.trace, items if name == "iter" else known, name, node)


def _next(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    if not args.positional:
        return machine.unknown("next")
    value = args.positional[0]
    if isinstance(value, Iterator):
        advance(machine, frame, args.node(0, "", node), value, "next")
        return value.element
    return machine.unknown("next of an unknown iterator")


def _sum(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "iterable")
    if value is None:
        return machine.unknown("sum")
    element, items, _ = iterate(machine, frame, args.node(0, "iterable", node), value, "sum")
    if items is not None and not items:
        return Static(0)
    if isinstance(element, (Traced, Concrete, Choice)):
        if isinstance(element, Traced) and not element.leaf:
            return machine.unknown("sum over a pytree parameter")
        return machine.operation(frame, node, [element], dtype_of(element))
    if is_number(element):
        return Static(kind=dtype_of(element))
    return element if isinstance(element, (NumPy, Unknown)) else machine.unknown("sum")


def _arithmetic(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    """`abs`, `round`, `pow` and `divmod` keep a tracer traced."""
    values = args.positional
    traced = [v for v in values if isinstance(v, (Traced, Concrete))]
    if traced:
        result = machine.operation(frame, node, values, dtype_of(traced[0]), rank_of(traced[0]))
        return Sequence("tuple", [result, result], frame.trace) if name == "divmod" else result
    if values and all(isinstance(v, Static) for v in values):
        return Static(kind=values[0].kind if isinstance(values[0], Static) else "")
    return machine.unknown(name)


def _string(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    for value, place in args.pairs():
        traced = finds_traced(value)
        if traced is not None:
            return Text(traced, place)
    first = args.get(0, "object")
    if name == "str" and isinstance(first, Static) and isinstance(first.const, (int, str)):
        return Static(str(first.const))
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
    kind = {"staticmethod": "static", "classmethod": "class", "property": "property"}[name]
    return Descriptor(kind, args.positional[0]) if args.positional else machine.unknown(name)


def _type(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "")
    if len(args.positional) != 1 or value is None:
        return STATIC
    return join_all([_type_of(o) for o in options(value)])


def _type_of(value: Value) -> Value:
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Traced):
        return External("jax.core.Tracer")
    if isinstance(value, Static) and value.known:
        return External(f"builtins.{type(value.const).__name__}")
    if isinstance(value, Sequence) and value.kind in ("list", "tuple", "set"):
        return External(f"builtins.{value.kind}")
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


def _reveal(machine: Machine, frame: Frame, node: ir.Expr, name: str, args: Args) -> Value:
    value = args.get(0, "") or NONE
    if isinstance(node, ir.Call) and not frame.trace.is_host:
        machine.reveals.append((node, revealed(value)))
    return value


def revealed(value: Value) -> str:
    """How specs call a value: "traced", "static" or "unknown"."""
    if finds_traced(value) is not None and not isinstance(value, Text):
        return "traced"
    if isinstance(value, (Unknown, Choice)):
        return "unknown"
    if isinstance(value, Sequence) and any(revealed(i) == "unknown" for i in value.items or []):
        return "unknown"
    return "static"


_TABLE: dict[str, Builtin] = {
    **dict.fromkeys(("int", "float", "bool", "complex", "bin", "hex", "oct", "chr"), _cast),
    "len": _len,
    "range": _range,
    **dict.fromkeys(("min", "max"), _order),
    "sorted": _order,
    **dict.fromkeys(("any", "all"), _any_all),
    "isinstance": _isinstance,
    "hasattr": _hasattr,
    "callable": _callable,
    "getattr": _getattr,
    "setattr": _setattr,
    **dict.fromkeys(("list", "tuple", "set", "frozenset"), _to_sequence),
    "dict": _dict,
    "zip": _zip,
    "enumerate": _enumerate,
    **dict.fromkeys(("map", "filter"), _map_filter),
    **dict.fromkeys(("reversed", "iter"), _reversed),
    "next": _next,
    "sum": _sum,
    **dict.fromkeys(("abs", "round", "pow", "divmod"), _arithmetic),
    **dict.fromkeys(("str", "format"), _string),
    "print": _print,
    "super": _super,
    **dict.fromkeys(("staticmethod", "classmethod", "property"), _descriptor),
    "type": _type,
    "slice": _slice,
    **dict.fromkeys(
        ("id", "hash", "repr", "ascii", "issubclass", "ord", "object", "bytes"), _static
    ),
    "reveal": _reveal,
}

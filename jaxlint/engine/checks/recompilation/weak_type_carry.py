"""Carries of host loops that start with Python numbers and come back with arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

from jaxlint.dataflow.loop_variance import Around
from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import Part
from jaxlint.dataflow.weak_types import STRONG, WEAK, Body, result
from jaxlint.engine.checks.recompilation.call_sites import Given, Site
from jaxlint.engine.domain.values import (
    Concrete,
    Function,
    Instance,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Unknown,
    Value,
    options,
)
from jaxlint.engine.inference.constant_names import dotted
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.syntax import ir

_WEAK_MAKERS = frozenset({"jax.numpy.array", "jax.numpy.asarray"})
_NUMBERS = frozenset({"int", "float", "complex"})
_DEPTH = 4


def hardened(record: TransformUse, site: Site, given: Given, at: Around) -> str:
    """The type of the Python number that a carry starts with, where the compiled function gives
    back an array of another type."""
    statement = at.layout.statement_of(site.node)
    if not isinstance(given.node, (ir.Name, ir.Attribute)):
        return ""
    if not isinstance(statement, ir.Assign) or statement.value is not site.node:
        return ""
    name = dotted_text(given.node)
    place = _place(statement.targets[0], name)
    if place is None or len(at.turns[0].bound.get(name, [])) != 1:
        return ""
    return (
        _by_text(record, site, given, at, place[0])
        or _in_container(record, site, given, place[0])
        or _by_values(record, site, given)
    )


def _place(target: Any, name: str) -> tuple[int | None] | None:
    """Where a target binds the name: as a whole (None), or as an element."""
    if isinstance(target, (ir.Name, ir.Attribute)):
        return (None,) if dotted_text(target) == name else None
    for at, one in enumerate(target.items if isinstance(target, ir.Sequence) else ()):
        if isinstance(one, (ir.Name, ir.Attribute)) and dotted_text(one) == name:
            return (at,)
    return None


# -- what the text says --------------------------------------------------------------------------


def _by_text(record: TransformUse, site: Site, given: Given, at: Around, place: int | None) -> str:
    func = plain_function(record.func)
    if func is None or record.func is not func:
        return ""
    every = at.layout.bindings(at.function, dotted_text(given.node))
    first = [one for one in every if not isinstance(one, Part) and one is not site.node]
    start = _weak_start(first[0], at) if len(first) == 1 and len(every) == 2 else ""
    if not start:
        return ""
    types = _types(func, site) | {given.name: start}
    return _changed(start, result(Body(func.node, types, partial(dotted, func.frame)), place))


def _in_container(record: TransformUse, site: Site, given: Given, place: int | None) -> str:
    """A number in a tuple, list or dict that is carried as a whole."""
    func, value = plain_function(record.func), given.value
    if func is None or record.func is not func or not given.name:
        return ""
    parts: dict[Any, Value] = {}
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        parts = dict(enumerate(value.items or ()))
    elif isinstance(value, Mapping) and not value.open:
        parts = dict(value.items)
    starts = {k: v.kind for k, v in parts.items() if isinstance(v, Static) and v.known}
    if not starts:
        return ""
    types = _types(func, site)
    types |= {f"{given.name}[{key!r}]": _type_of(one) for key, one in parts.items()}
    body = Body(func.node, types, partial(dotted, func.frame))
    ends = (_changed(start, result(body, place, key)) for key, start in starts.items())
    return next(filter(None, ends), "")


def _types(func: Function, site: Site) -> dict[str, str]:
    """The types of the parameters of a function at a call."""
    types = {p.name: _type_of_default(p) for p in func.node.params if p.default}
    return types | {one.name: _type_of(one.value) for one in site.given if one.name}


def _changed(start: str, end: str) -> str:
    changes = end == STRONG or (end in WEAK and end != start)
    return start if changes and start in _NUMBERS else ""


def _type_of_default(param: ir.Param) -> str:
    kind = type(param.default.value).__name__ if isinstance(param.default, ir.Const) else ""
    return kind if kind in WEAK else ""


def _weak_start(node: Any, at: Around) -> str:
    """The type of a Python number, or of the array that JAX makes of one without a dtype."""
    if isinstance(node, ir.Call) and at.dotted(node.func) in _WEAK_MAKERS and len(node.args) == 1:
        node = node.args[0].value
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        node = node.operand
    kind = type(node.value).__name__ if isinstance(node, ir.Const) else ""
    return kind if kind in WEAK else ""


def _type_of(value: Value) -> str:
    if isinstance(value, Static):
        return value.kind if value.kind in WEAK else ""
    return STRONG if isinstance(value, (Concrete, NumPy, Unknown)) else ""


# -- what the values say -------------------------------------------------------------------------


def _by_values(record: TransformUse, site: Site, given: Given) -> str:
    """A number that is a strong array in a later turn of the same loop."""
    for other in record.sites:
        if other is site or other.node is not site.node:
            continue
        later = next((one for one in other.given if one.node is given.node), None)
        if later is not None:
            found = _difference(given.value, later.value, _DEPTH)
            if found:
                return found
    return ""


def _difference(first: Value, later: Value, depth: int) -> str:
    if isinstance(first, Static) and first.kind in _NUMBERS:
        hard = any(isinstance(one, Concrete) and one.strong for one in options(later))
        return first.kind if hard else ""
    if depth == 0:
        return ""
    pairs: list[tuple[Value, Value]] = []
    if isinstance(first, Sequence) and isinstance(later, Sequence):
        if first.items and later.items and len(first.items) == len(later.items):
            pairs = list(zip(first.items, later.items, strict=True))
    elif isinstance(first, Mapping) and isinstance(later, Mapping):
        pairs = [(v, later.items[k]) for k, v in first.items.items() if k in later.items]
    elif isinstance(first, Instance) and isinstance(later, Instance) and first.cls == later.cls:
        pairs = [(v, later.fields[k]) for k, v in first.fields.items() if k in later.fields]
    return next(filter(None, (_difference(a, b, depth - 1) for a, b in pairs)), "")

"""Facts about calls of compiled functions that compile again: seen once the file has run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from jaxlint import facts
from jaxlint.dataflow.loop_variance import NEW, Around, around, variation
from jaxlint.dataflow.shape_variance import changes_shape
from jaxlint.dataflow.structure import FEW_TURNS, Layout
from jaxlint.engine.checks.recompilation.call_sites import Given, Site, text_of
from jaxlint.engine.checks.recompilation.factories import maker_of, remade
from jaxlint.engine.checks.recompilation.fresh_statics import fresh, fresh_part
from jaxlint.engine.checks.recompilation.incomplete_eq import confused
from jaxlint.engine.checks.recompilation.promised_hash import declared
from jaxlint.engine.checks.recompilation.retained_self import retained
from jaxlint.engine.checks.recompilation.should_be_static import pythonic
from jaxlint.engine.checks.recompilation.traced_self import traced_self
from jaxlint.engine.checks.recompilation.weak_type_carry import hardened
from jaxlint.engine.domain.values import (
    NUMBERS,
    Concrete,
    Mapping,
    NumPy,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.inference.constant_names import dotted, number
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.fingerprints import shape_key
from jaxlint.engine.summaries.transformed import TransformUse, function_name, plain_function
from jaxlint.syntax import ir

_SCALARS = frozenset(
    f"numpy.{name}" for name in ("float16", "float32", "float64", "int8", "int32", "int64", "bool_")
)


def after(machine: Machine) -> None:
    """Emits what several calls of one compiled function, or one call in a loop, say together."""
    for python in pythonic(machine):
        supposed, unsure = python.supposed, python.unsure
        machine.emit(python)
        python.supposed, python.unsure = supposed, unsure
    layout = Layout(machine.globals.module.body if machine.globals.module else ())
    for record in machine.uses():
        if record.expected:
            continue
        for likely in () if record.imported or record.calls else declared(machine, record):
            machine.emit(likely, unsure=True)
        sites = _own(machine, record) if record.sites else []
        maker = maker_of(record) if sites else None
        if maker is not None:
            for site in sites:
                for anew in remade(machine, record, maker, site, _looped(layout, site, 2)):
                    machine.emit(anew)
        for refused in () if record.imported else traced_self(machine, record):
            machine.emit(refused)
        if sites:
            for fact in _together(machine, layout, record, sites):
                machine.emit(fact)


def _together(
    machine: Machine, layout: Layout, record: TransformUse, sites: list[Site]
) -> Iterator[facts.Fact]:
    for site in sites:
        if _repeats(machine, site):
            yield from _of_site(machine, layout, record, site)
    if not record.wrapper.lenient:
        yield from _kinds(machine, record, sites)
    yield from _styles(machine, record, sites)
    yield from retained(machine, layout, record, sites)
    yield from confused(machine, layout, record, sites)


def _repeats(machine: Machine, site: Site) -> bool:
    """Whether a call is made again and again: in a loop, or in a function that is."""
    func = site.frame.home().func
    return site.loop is not None or (func is not None and id(func) in machine.program.repeated)


def _own(machine: Machine, record: TransformUse) -> list[Site]:
    """The calls that this file makes outside traced code, each once."""
    found: dict[int, Site] = {}
    for site in record.sites:
        func = site.frame.home().func
        traced = func is not None and id(func) in machine.program.traced
        if site.frame.root is machine.globals and not traced and isinstance(site.node, ir.Call):
            found.setdefault(id(site.node), site)
    return list(found.values())


def _fact(machine: Machine, record: TransformUse, site: Site, node: ir.Node, kind: Any) -> Any:
    made = facts.Retraced(machine.module, node, site.frame.name, kind=kind)
    made.callee = text_of(site.node) or function_name(record.func)
    return made


def _looped(layout: Layout, site: Site, few: int) -> Around:
    """The loops around a call that turn more often than so."""
    names, counts = partial(dotted, site.frame), partial(number, site.frame)
    return around(layout, site.node, names, counts, few)


def _of_site(
    machine: Machine, layout: Layout, record: TransformUse, site: Site
) -> Iterator[facts.Retraced]:
    """What one call says by itself: it stands in a loop, or in a function called in one."""
    shown = [one for one in site.given if _is_shown(site, one.node)]
    if not shown:
        return

    often, twice = _looped(layout, site, FEW_TURNS), _looped(layout, site, 1)
    for given in shown:
        kind = detail = part = ""
        if given.fixed and not isinstance(given.value, (Traced, Concrete)):
            if variation(given.node, often) == NEW:
                kind = "value"
            elif detail := fresh(machine, site, given, twice):
                kind = "fresh"
        elif given.fixed is False:
            if changes_shape(given.node, _looped(layout, site, 2)):
                kind = "shape"
            elif detail := _hardened(record, site, given, twice):
                kind = "weak"
            elif found := fresh_part(machine, site, given, twice, record.wrapper.lenient):
                kind, (part, detail) = "fresh", found
        if kind:
            made = _fact(machine, record, site, given.node, kind)
            made.parameter, made.detail = f"{given.name}{part}", detail
            yield made


def _hardened(record: TransformUse, site: Site, given: Given, at: Around) -> str:
    """The type with which an array comes back that goes in without one, in a loop."""
    is_strict = bool(at.turns) and not record.wrapper.lenient
    return hardened(record, site, given, at) if is_strict else ""


def _is_shown(site: Site, node: ir.Expr) -> bool:
    """Whether an argument stands in the call itself."""
    call = site.node
    return isinstance(call, ir.Call) and any(
        one.value is node and one.star == "" for one in call.args
    )


# -- one parameter, numbers of several types ------------------------------------------------------


def _kinds(machine: Machine, record: TransformUse, sites: list[Site]) -> Iterator[facts.Retraced]:
    """A parameter that gets numbers of different types, in calls that are otherwise alike."""
    seen: dict[Any, list[tuple[str, Site, Given]]] = {}
    told: set[Any] = set()
    for site in sites:
        for given in site.given:
            kind = _number_kind(site, given) if given.fixed is False else ""
            if not kind:
                continue
            slot = given.name or given.at
            before = seen.setdefault(slot, [])
            other = next((o for o in before if o[0] != kind and _alike(o[1], site, slot)), None)
            if other is not None and slot not in told:
                told.add(slot)
                made = _fact(machine, record, site, given.node, "kind")
                made.parameter = given.name
                made.detail = f"{other[0]} and {kind}"
                made.other = other[1].node
                yield made
            before.append((kind, site, given))


def _number_kind(site: Site, given: Given) -> str:
    value = given.value
    if isinstance(value, Static):
        return value.kind if value.kind in NUMBERS else ""
    if isinstance(value, NumPy) and isinstance(given.node, ir.Call):
        name = dotted(site.frame, given.node.func)
        return name.replace("numpy.", "np.") if name in _SCALARS else ""
    return ""


def _alike(one: Site, other: Site, slot: Any) -> bool:
    """Whether two calls pass the same sorts of values for all other parameters."""
    return _others(one, slot) == _others(other, slot)


def _others(site: Site, slot: Any) -> dict[Any, Any]:
    return {
        given.name or given.at: _sort(given.value)
        for given in site.given
        if (given.name or given.at) != slot
    }


def _sort(value: Value) -> Any:
    return value.kind if isinstance(value, Static) else shape_key(value)


# -- one signature, several styles ----------------------------------------------------------------


def _styles(machine: Machine, record: TransformUse, sites: list[Site]) -> Iterator[facts.Retraced]:
    """Calls that pass the same parameters in another style, or containers of other keys."""
    whole = [site for site in sites if site.whole and all(one.name for one in site.given)]
    styles = {frozenset((one.name, one.at < 0) for one in site.given) for site in whole}
    for at, site in enumerate(whole if len(styles) > 1 else ()):
        for other in whole[:at]:
            name = _split(record, other, site)
            if name:
                made = _fact(machine, record, site, site.node, "style")
                made.parameter, made.other = name, other.node
                yield made
                return
    dicts = [site for site in whole if any(isinstance(it.value, Mapping) for it in site.given)]
    for at, site in enumerate(dicts):
        for other in dicts[:at]:
            found = _restructured(other, site)
            if found is not None:
                made = _fact(machine, record, site, found.node, "structure")
                made.parameter, made.other = found.name, other.node
                yield made
                return


def _split(record: TransformUse, one: Site, other: Site) -> str:
    """A parameter that two calls pass in different styles, with nothing else between them."""
    a = {given.name: given for given in one.given}
    b = {given.name: given for given in other.given}
    moved = [name for name in a if name in b and (a[name].at < 0) != (b[name].at < 0)]
    alone = [name for name in a.keys() ^ b.keys() if not _is_default(record, (a | b)[name])]
    if alone:
        return ""
    return next(iter((*moved, *sorted(a.keys() ^ b.keys()))), "")


def _is_default(record: TransformUse, given: Given) -> bool:
    """Whether an argument says what the default says already."""
    func = plain_function(record.func)
    default = None if func is None else func.defaults.get(given.name)
    values = (default, given.value)
    if not all(isinstance(one, Static) and one.known for one in values):
        return False
    left, right = (one.const for one in values if isinstance(one, Static))
    return type(left) is type(right) and bool(left == right)


def _restructured(one: Site, other: Site) -> Given | None:
    """An argument that is a dict of other keys in the other call."""
    before = {given.name: given.value for given in one.given if given.fixed is False}
    for given in other.given:
        old, new = before.get(given.name), given.value
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            known = not (old.open or new.open or old.element or new.element)
            if known and old.items.keys() != new.items.keys():
                return given
    return None


CHECK = Check(
    "call-patterns",
    on_finish=after,
)

"""Calls from compiled code back to the host: callbacks and `jax.debug.print`."""

from __future__ import annotations

import re
import string

from jaxlint import facts
from jaxlint.dataflow.dead_stores import is_never_read
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.captures.free_tracers import tracers
from jaxlint.engine.checks.effects.purity import visible_effect
from jaxlint.engine.checks.library.callback_results import is_dropped
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.values import (
    NONE,
    Concrete,
    Mapping,
    NumPy,
    Sequence,
    Static,
    Traced,
    Value,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.higher_order import called_back
from jaxlint.engine.reporting.refusals import callee_of
from jaxlint.engine.reporting.violations import is_uncaught, misused
from jaxlint.engine.summaries.transformed import function_name
from jaxlint.engine.transforms import wrappers
from jaxlint.engine.transforms.callables import arity
from jaxlint.knowledge.host.callbacks import OWN_OPTIONS
from jaxlint.knowledge.host.purity import CALLBACK, DEBUG_PRINT
from jaxlint.knowledge.transforms import HOST_CALLBACKS
from jaxlint.syntax import ir

HANDLED = HOST_CALLBACKS | {DEBUG_PRINT}
# Options of `jax.debug.callback` that are not for its function, and callbacks whose function gets
# what comes behind it.
_OF_DEBUG = frozenset({"callback", "ordered", "partitioned"})
_COUNTED = frozenset({"jax.debug.callback", *OWN_OPTIONS})
_DATA = (Traced, Concrete, NumPy, Sequence, Mapping)


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value:
    """A function runs on the host when the compiled code does, or something is printed then."""
    if dotted == DEBUG_PRINT:
        debug_print(machine, frame, node, args)
        return NONE
    _check_callback(machine, frame, node, dotted, args)
    wrappers.release(machine, args)
    if dotted == "jax.debug.callback" or frame.trace.is_host:
        return NONE if dotted == "jax.debug.callback" else machine.unknown("callback")
    return called_back(machine, frame, node, args)


# -- printing ----------------------------------------------------------------------------------


def debug_print(
    machine: Machine, frame: Frame, node: ir.Expr, args: Args, fields: bool = True
) -> None:
    """The format is known when JAX traces; the numbers are not. `fields` says whether each of
    them has to stand for a field of the format."""
    template = args.get(0, "fmt")
    if isinstance(template, TracedString):
        _misprinted(machine, frame, node, "eager", template.place, template)
    elif fields and isinstance(template, Static) and isinstance(template.const, str):
        known = args.rest is None and args.more is None
        if known and "skip_format_check" not in args.keywords:
            _check_fields(machine, frame, node, template.const, args)


_OPTIONS = frozenset({"fmt", "ordered", "partitioned", "skip_format_check", "_use_logging"})


def _check_fields(machine: Machine, frame: Frame, node: ir.Expr, template: str, args: Args) -> None:
    used = _fields(template)
    if used is None:
        return
    given: dict[int | str, ir.Expr] = dict(enumerate(args.nodes[1 if args.positional else 0 :]))
    named = {k: n for k, n in args.keyword_nodes.items() if k not in _OPTIONS}
    given.update(named)
    count = len(args.positional) - 1
    missing = [f for f in used if (f >= count if isinstance(f, int) else f not in args.keywords)]
    unused = [key for key in given if key not in used]
    if missing:
        _misprinted(machine, frame, node, "missing", None, None, f"{{{missing[0]}}}")
    elif unused:
        _misprinted(machine, frame, node, "unused", given[unused[0]], None)


def _fields(template: str) -> set[int | str] | None:
    """The positions and names that a format asks for, None where that is not simple."""
    found: set[int | str] = set()
    number = 0
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return None
    for _, name, spec, _ in parts:
        if name is None:
            continue
        if "{" in (spec or ""):
            return None
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        if first == "":
            found.add(number)
            number += 1
        else:
            found.add(int(first) if first.isdecimal() else first)
    return found


def _misprinted(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    kind: str,
    place: ir.Expr | None,
    formatted: TracedString | None,
    subject: str = "",
) -> None:
    text = machine.sources.owner(place, machine.module).text_of(place) if place else subject
    machine.emit(
        facts.DebugFormat(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            None if formatted is None else formatted.traced.trail,
            kind=kind,  # type: ignore[arg-type]
            subject=text,
            operands=() if formatted is None else formatted.places,
            callee=dotted_text(node.func) if isinstance(node, ir.Call) else "jax.debug.print",
        )
    )


# -- callbacks ---------------------------------------------------------------------------------


def _check_callback(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    func = args.get(0, "callback")
    if func is None or not isinstance(node, ir.Call):
        return
    place = args.node(0, "callback", node)
    if isinstance(func, (Static, *_DATA)):
        known = (
            isinstance(func, _DATA) or func.known or func.kind in ("bool", "int", "float", "str")
        )
        if known and isinstance(place, ir.Call):
            text = machine.sources.owner(place, machine.module).text_of(place)
            _misused(machine, frame, node, "called", text, None, place)
        return
    _check_arity(machine, frame, node, dotted, args, func)
    if frame.trace.is_host:
        return
    if dotted == "jax.debug.callback":
        made = next((one for one in args.positional[1:] if isinstance(one, TracedString)), None)
        if made is not None:
            _misprinted(machine, frame, node, "eager", made.place, made)
            return
    found = next(tracers(func), None)
    if found is not None:
        _misused(machine, frame, node, "captures", found[0], found[1], place)
    if dotted in CALLBACK:
        effect = visible_effect(machine, func)
        if effect is not None:
            _misused(machine, frame, node, "impure", effect, None, place)
        if machine.is_staged(frame) and is_never_read(frame.home().func, node):
            _misused(machine, frame, node, "unused", dotted_text(node.func), None, node)


def _check_arity(
    machine: Machine, frame: Frame, node: ir.Call, dotted: str, args: Args, func: Value
) -> None:
    """The function takes as many arguments as there are arrays for it."""
    first, options = (2, OWN_OPTIONS[dotted]) if dotted in OWN_OPTIONS else (1, _OF_DEBUG)
    if args.rest is not None or args.more is not None or set(args.keywords) - options:
        return
    count, bounds = len(args.positional) - first, arity(func)
    if "callback" in args.keywords or bounds is None or bounds[0] <= count <= bounds[1]:
        return
    unsure = is_dropped(frame, node, dotted)
    if unsure and not frame.trace.is_host:
        return
    if count >= 0 and dotted in _COUNTED and is_uncaught(machine):
        words = f"{function_name(func)}|{count} argument{'s' if count != 1 else ''}|"
        callee = callee_of(node, dotted)
        misused(machine, frame, node, "callback-arity", callee, words, unsure=unsure)


def _misused(
    machine: Machine,
    frame: Frame,
    node: ir.Call,
    kind: str,
    name: str,
    traced: Traced | None,
    place: ir.Expr,
) -> None:
    machine.emit(
        facts.HostCallback(
            machine.module,
            node,
            frame.name,
            frame.trace.entry,
            None if traced is None else traced.trail,
            kind=kind,  # type: ignore[arg-type]
            name=name,
            callee=dotted_text(node.func),
            place=place,
        )
    )

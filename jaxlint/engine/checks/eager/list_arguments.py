"""Lists of numbers that are given to JAX in host code, one array or parameter for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from jaxlint import facts
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import is_number
from jaxlint.engine.domain.values import (
    Bound,
    Concrete,
    Function,
    Partial,
    Sequence,
    Static,
    Transformed,
    Value,
)
from jaxlint.engine.domain.values import Iterator as Iterated
from jaxlint.engine.inference.lengths import looped
from jaxlint.engine.inference.options import static_names
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.events import Check, Named
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting import eager_facts
from jaxlint.engine.summaries.transformed import TransformUse, function_name
from jaxlint.syntax import ir

# Shorter lists are ordinary arguments.
FEWEST = 16
ARRAYS = frozenset({"jax.numpy.array", "jax.numpy.asarray"})

Kind = Literal["number", "array"]


def passed(machine: Machine, frame: Frame, node: ir.Expr, func: Transformed, args: Args) -> None:
    """Host code calls a compiled function."""
    record = _compiled(func) if frame.trace.is_host and not machine.dynamic.eager else None
    if record is None:
        return
    for node, value in _dynamic(record, args):
        if not _is_list(value) or _kind(value) is None:
            continue
        count = _length(machine, frame, node, value)
        if count is not None and count >= FEWEST:
            _tell(machine, frame, node, "passed", count, function_name(record.func))


def _compiled(func: Value) -> TransformUse | None:
    """What is known of the compiled function under other transforms."""
    while isinstance(func, Transformed):
        record: TransformUse = func.record
        if record.wrapper.compiles:
            return record
        func = func.func
    return None


def gathered(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """Host code calls a function that makes an array of a list."""
    value = args.get(0, "object") or args.get(0, "a")
    if value is None or not frame.trace.is_host:
        return
    if not _is_list(value) or _kind(value) != "array":
        return
    place = args.node(0, "object", node)
    count = _length(machine, frame, place, value)
    if count is None and not _is_built(machine, frame, place):
        return
    if count is None or count >= FEWEST:
        computed = _is_computed(machine, frame, place, value)
        _tell(machine, frame, node, "gathered", count, dotted_text(place), computed)


def _tell(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    kind: str,
    count: int | None,
    subject: str,
    computed: bool = False,
) -> None:
    eager_facts.emit(
        machine,
        frame,
        facts.ListArgument(
            machine.module,
            node,
            frame.name,
            kind=kind,  # type: ignore[arg-type]
            count=count,
            subject=subject,
            computed=computed,
        ),
    )


def _is_computed(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> bool:
    """Whether a comprehension calls a function of the project for each element."""
    made = value.made if isinstance(value, (Sequence, Iterated)) else None
    for one in (node, made):
        element = one.element if isinstance(one, ir.Comprehension) else None
        if isinstance(element, ir.Call):
            with machine.quiet():
                func = machine.eval(frame, element.func)
            return isinstance(func, (Bound, Function, Partial, Transformed))
    return False


def _dynamic(record: TransformUse, args: Args) -> Iterator[tuple[ir.Expr, Value]]:
    """The arguments that are traced."""
    statics = static_names(record)
    if statics is None or record.numbers is None:
        return
    params = [p for p in signature(record.func) if p.kind in ("plain", "positional")]
    for at, (value, node) in enumerate(zip(args.positional, args.nodes, strict=False)):
        name = params[at].name if at < len(params) else ""
        if name not in statics and at not in record.numbers:
            yield node, value
    for name, value in args.keywords.items():
        if name not in statics and name in args.keyword_nodes:
            yield args.keyword_nodes[name], value


def _is_list(value: Value) -> bool:
    return isinstance(value, (Sequence, Iterated)) and (
        isinstance(value, Iterated) or value.kind in ("list", "tuple")
    )


def _kind(value: Value) -> Kind | None:
    """What a list holds, if that is numbers or arrays of one number alone."""
    assert isinstance(value, (Sequence, Iterated))
    parts = list(value.items or ())
    if value.items is None and value.element is not None:
        parts = [value.element]
    if not parts:
        return None
    if all(isinstance(part, Concrete) and part.rank == 0 for part in parts):
        return "array"
    return "number" if all(map(is_number, parts)) else None


def _length(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> int | None:
    if isinstance(value, Sequence) and value.items is not None:
        return len(value.items)
    made = value.made if isinstance(value, (Sequence, Iterated)) else None
    for one in (node, made):
        if isinstance(one, ir.BinOp) and one.op == "*":
            return _repeated(machine, frame, one)
        if isinstance(one, ir.Comprehension) and len(one.clauses) == 1 and not one.clauses[0].ifs:
            over = one.clauses[0].iter
            found = looped(machine, frame, over, machine.eval(frame, over))
            return None if found is None else found.count
        if isinstance(one, ir.Call) and dotted_text(one.func) in ("list", "tuple"):
            found = looped(machine, frame, one, value)
            return None if found is None else found.count
    return None


def _repeated(machine: Machine, frame: Frame, node: ir.BinOp) -> int | None:
    """The length of `[0.0] * n`."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        times = machine.eval(frame, other) if isinstance(one, ir.Sequence) else None
        if isinstance(one, ir.Sequence) and isinstance(times, Static):
            return len(one.items) * times.const if isinstance(times.const, int) else None
    return None


def _is_built(machine: Machine, frame: Frame, node: ir.Expr) -> bool:
    """Whether a list is filled by a loop that does not run a few times only."""
    if not isinstance(node, ir.Name):
        return False
    body = frame.root.module.body if frame.func is None and frame.root.module else ()
    if frame.func is not None:
        body = frame.func.body
    for loop in walk(body, (ir.FunctionDef, ir.ClassDef)):
        if not isinstance(loop, (ir.For, ir.While)) or not _appends(loop.body, node.id):
            continue
        if isinstance(loop, ir.While):
            return True
        over = machine.eval(frame, loop.iter)
        if isinstance(over, Sequence) and over.items is not None:
            return len(over.items) >= FEWEST
        found = looped(machine, frame, loop.iter, over)
        return found is None or found.count is None or found.count >= FEWEST
    return False


def _appends(body: tuple[ir.Stmt, ...], name: str) -> bool:
    return any(
        isinstance(node, ir.Call) and dotted_text(node.func) == f"{name}.append"
        for node in walk(body)
    )


CHECK = Check(
    "list-arguments",
    on_library_call=(Named(gathered, ARRAYS),),
    on_transformed_call=passed,
)

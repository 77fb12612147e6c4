"""Keys that modules of Flax draw with, as in `apply(variables, x, rngs={"dropout": key})`.

A module makes the keys of a stream of the one that it is given, its own path and a counter. With
one key, each call of `apply` draws the same numbers; other uses of the key are apart from these.
Source: Flax documentation, "Randomness and PRNGs in Flax".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import bound_names, dotted_text, walk
from jaxlint.engine.checks.prng.call_effects import arguments
from jaxlint.engine.checks.prng.exclusive_uses import is_comprehended
from jaxlint.engine.checks.prng.key_reuse import emit, fact_of, text_of
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import named
from jaxlint.engine.domain.values import Function, Static, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.definitions import bindings
from jaxlint.engine.machine.machine import Machine
from jaxlint.knowledge.ecosystems.flax import APPLYING, INITIAL_STREAM, MODES, STREAMS
from jaxlint.syntax import ir

STREAM = "stream"
_NO_ARGS = Args()


def applied(
    machine: Machine, frame: Frame, node: ir.Expr, run: Value | None = None, args: Args = _NO_ARGS
) -> None:
    """A module, or what may be one, is applied in host code, with what goes to its method `run`
    behind itself and the variables."""
    if not isinstance(node, ir.Call) or not frame.trace.is_host or not _is_applied(node):
        return
    if isinstance(run, Function):
        given = arguments(run.node, args, node)
        if any(_is_off(run, name, given) for name in MODES):
            return
    func = frame.home().func
    for place in _keys(node, func.body if func is not None else ()):
        value = peek(machine, frame, place)
        if value is not None:
            _draw(machine, frame, node, value, place, dotted_text(node.func))


def handed_on(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    func: Function,
    given: Mapping[str, tuple[Value, ir.Expr]],
) -> None:
    """Host code calls a compiled function, which may apply modules with keys that it is given."""
    names = _parameters(func.node) if frame.trace.is_host else frozenset()
    if names and not any(_is_off(func, name, given) for name in MODES):
        for name in sorted(names & given.keys()):
            _draw(machine, frame, node, *given[name], func.node.name)


def _draw(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, place: ir.Expr, callee: str
) -> None:
    """A module draws with a key: in a loop, with the same one each time."""
    key = named(machine, frame, value, place)
    if key is None or key.many is not None:
        return
    used = typestate.marked(machine, STREAM, key)
    repeats = is_comprehended(frame, key, place)
    if used is None:
        typestate.mark(machine, frame, STREAM, key, node)
    elif used.node is node and used.is_sure and frame.innermost_loop() is not None:
        repeats |= machine.asks(CONDITIONS).conditions <= used.conditions
    if repeats:
        text = text_of(machine, place)
        fact = fact_of(machine, frame, node, "loop", text, callee, possible=True)
        emit(machine, frame, fact)


def _is_applied(node: ir.Call) -> bool:
    """Whether a call is one of `apply`, in a mode in which a module draws, as far as is written."""
    if dotted_text(node.func).rpartition(".")[2] not in APPLYING:
        return False
    return not any(
        isinstance(one.value, ir.Const) and one.value.value is MODES.get(one.keyword or "")
        for one in node.args
    )


def _is_off(func: Function, name: str, given: Mapping[str, tuple[Value, ir.Expr]]) -> bool:
    """Whether a call puts a module into a mode in which it does not draw."""
    value = given[name][0] if name in given else func.defaults.get(name)
    return isinstance(value, Static) and value.const is MODES[name]


def _keys(node: ir.Call, body: tuple[ir.Stmt, ...]) -> Iterator[ir.Expr]:
    """The expressions of the keys of a call of `apply`, those of variables left out."""
    streams = next((one.value for one in node.args if one.keyword == STREAMS), None)
    if isinstance(streams, ir.Name):
        bound = bindings(body).get(streams.id, [])
        streams = bound[0] if len(bound) == 1 else None
    for name, key in streams.items if isinstance(streams, ir.Dict) else ():
        if isinstance(name, ir.Const) and name.value != INITIAL_STREAM:
            yield key


@answered_once
def _parameters(func: ir.FunctionDef) -> frozenset[str]:
    """The parameters of a function with which it, or a function in it, applies modules as they
    are."""
    params = {one.name for one in func.params if one.kind in ("plain", "positional", "keyword")}
    found: set[str] = set()
    for inner in (func, *(one for one in walk(func.body) if isinstance(one, ir.FunctionDef))):
        params -= set() if inner is func else {param.name for param in inner.params}
        for one in walk(inner.body):
            params -= bound_names(one)
            if isinstance(one, ir.Call) and _is_applied(one):
                found |= {key.id for key in _keys(one, inner.body) if isinstance(key, ir.Name)}
    return frozenset(found & params)

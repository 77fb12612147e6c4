"""Random keys: the functions of `jax.random` that make them and that use them up.

A key is good for one use: `split` and every sampler use it up, and drawing from it again gives
the same numbers (JAX documentation, "Pseudorandom numbers" and `jax.debug_key_reuse`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.checks.prng.key_reuse import (
    LEGACY,
    Use,
    clash,
    emit,
    fact_of,
    is_shared,
    spend,
    text_of,
)
from jaxlint.engine.checks.prng.split_parts import is_beyond
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.key_identity import (
    MOST_KEYS,
    Origin,
    Root,
    begun,
    keyed,
    named,
    origin_of,
)
from jaxlint.engine.domain.values import Concrete, Sequence, Static, Traced, Unknown, Value, is_none
from jaxlint.engine.machine.events import Check
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jaxlint.engine.machine.machine import Machine

Bound = dict[str, tuple[Value, ir.Expr]]


def called(
    machine: Machine, frame: Frame, node: ir.Expr, dotted: str, bound: Bound, result: Value
) -> Value:
    """A function is called that makes keys or uses them up; its result, as the key it is."""
    name = dotted.rpartition(".")[2]
    if name in ("PRNGKey", "key"):
        return _seeded(machine, frame, node, name, bound, result)
    fresh = begun(Root(frame, frame.trace, node), node, -1 if name == "split" else None)
    given = bound.get("key")
    if given is None:
        return keyed(result, fresh) if name == "wrap_key_data" else result
    value, place = given
    # Nobody can take a key for data that goes where it is used at once.
    LEGACY.of(machine).pop(id(place), None)
    if is_none(value) and not isinstance(place, ir.Const):
        return result  # Nobody has given it a key yet: what does so may not be followed.
    if isinstance(value, Static) and value.known:
        text = text_of(machine, place)
        emit(machine, frame, fact_of(machine, frame, place, "number", text, name, fails=True))
        return result
    _computed_for(machine, frame, place, value)
    origin = named(machine, frame, value, place)
    if name == "clone":
        return keyed(result, fresh)
    if name == "fold_in":
        data = bound.get("data")
        if origin is not None and data is not None:
            fresh = _folded(machine, frame, node, place, origin, data) or fresh
        return keyed(result, fresh)
    if name == "split":
        parts = _parts(bound)
        fresh = begun(Root(frame, frame.trace, node), node, parts) if parts > 0 else fresh
        made = _split(machine, frame, node, place, origin, parts) or fresh
        return keyed(result, made if parts else None)
    if origin is not None:
        use = Use("draw", name, name, 0, is_shared(frame, place))
        spend(machine, frame, node, place, origin, use)
    return result


def _seeded(
    machine: Machine, frame: Frame, node: ir.Expr, name: str, bound: Bound, result: Value
) -> Value:
    """A key made of a seed."""
    if name == "PRNGKey" and not machine.silences().muted:
        callee = dotted_text(getattr(node, "func", node))
        machine.dynamic.effects.local = True
        LEGACY.of(machine)[id(node)] = fact_of(machine, frame, node, "legacy", "", callee)
    seed = bound.get("seed")
    constant = seed is not None and isinstance(seed[0], Static) and seed[0].known
    trace = machine.host if constant else frame.trace
    root = Root(frame, trace, node, constant=constant, typed=name == "key")
    return keyed(result, begun(root, node))


def _split(
    machine: Machine, frame: Frame, node: ir.Expr, place: ir.Expr, origin: Origin | None, parts: int
) -> Origin | None:
    """The keys that `split` makes of one that may be consumed here, None for new ones."""
    use = Use("split", "split", "split", parts, is_shared(frame, place))
    if origin is None or origin.many is not None:
        return None
    if not spend(machine, frame, node, place, origin, use):
        return None
    return _derived(frame, node, origin, f":{parts}", parts)


def drawn(machine: Machine, frame: Frame, node: ir.Expr, value: Value, place: ir.Expr) -> None:
    """A function of a library draws with a key: an initialiser, a layer, a distribution."""
    origin = named(machine, frame, value, place)
    if origin is not None:
        func = getattr(node, "func", node)
        callee = dotted_text(func) or getattr(func, "attr", "")
        use = Use("draw", callee, callee, 0, is_shared(frame, place))
        spend(machine, frame, node, place, origin, use)


def variables_initialised(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, place: ir.Expr
) -> None:
    """Variables of a module are made with a key: parameters of the same names and shapes in
    another one begin alike. Each folds its path into the key, so other uses of it are apart.
    Source: documentation of `flax.linen.Module.make_rng`."""
    origin = named(machine, frame, value, place)
    if origin is None or origin.many is not None:
        return
    callee = dotted_text(getattr(node, "func", node))
    before = typestate.marked(machine, "variables", origin)
    if before is None:
        typestate.mark(machine, frame, "variables", origin, node, callee)
    elif callee and before.detail not in ("", callee):
        text = text_of(machine, place)
        clash(machine, frame, node, text, before, "reuse", callee, False)


def _derived(
    frame: Frame, node: ir.Expr, origin: Origin, step: str, many: int | None = None
) -> Origin:
    """A key made of another one. Made of one of the code around, each run may make another."""
    if origin.root.holder is frame.home():
        return origin.derived(step, node, many)
    return begun(Root(frame, origin.root.trace, node), node, many)


def _parts(bound: Bound) -> int:
    """How many keys `split` gives: -1 if that is not known, 0 for an array of more axes."""
    if "num" not in bound:
        return 2
    num = bound["num"][0]
    if isinstance(num, Static) and isinstance(num.const, int):
        return num.const
    return 0 if isinstance(num, Sequence) else -1


def _folded(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    place: ir.Expr,
    origin: Origin,
    given: tuple[Value, ir.Expr],
) -> Origin | None:
    """What `fold_in` gives; None where the key is one that no other call gives."""
    data, source = given
    const = data.const if isinstance(data, Static) else None
    if frame.kind == "comprehension" and not isinstance(source, ir.Const):
        const = None
    used = typestate.marked(machine, "key", origin)
    use = None if used is None else used.detail
    if used is not None and use is not None and use.how == "split":
        low = isinstance(const, int) and 0 <= const < use.parts
        apart = is_beyond(used.node, node)
        near = not apart if not isinstance(const, int) else use.parts < 0 and const < MOST_KEYS
        if low or near:
            sure = low or (isinstance(data, Static) and data.kind == "int" and use.parts > 0)
            clash(machine, frame, node, text_of(machine, place), used, "collision", "fold_in", sure)
            return None
    typestate.mark(machine, frame, "folds", origin, node, const if isinstance(const, int) else None)
    if not isinstance(const, int):
        return None
    made = _derived(frame, node, origin, f"+{const}")
    before = typestate.marked(machine, "fold", made)
    if before is not None and before.node is not node:
        typestate.mark(machine, frame, "refold", made, before.node)
    else:
        typestate.mark(machine, frame, "fold", made, node)
    return made


def discarded(machine: Machine, frame: Frame, statement: ir.ExprStmt, value: Value) -> None:
    """The value of an expression is dropped: of `split` and `fold_in`, that was all they do."""
    node, origin = statement.value, origin_of(value)
    if origin is None or origin.made is not node or not isinstance(node, ir.Call):
        return
    callee = dotted_text(node.func)
    if origin.root.node is node and origin.many is None and not callee.endswith("fold_in"):
        return
    subject = text_of(machine, node.args[0].value) if node.args else ""
    emit(machine, frame, fact_of(machine, frame, node, "discarded", subject, callee, fails=True))
    key = origin.whole()
    used = typestate.marked(machine, "key", key)
    if used is not None and used.node is node:
        typestate.unmark(machine, "key", key)


def unpacked(
    machine: Machine, frame: Frame, target: ir.Sequence, value: Value, node: ir.Node
) -> None:
    """An array of keys is taken apart: for as many names as there are keys."""
    origin = origin_of(value)
    parts = None if origin is None else origin.many
    if origin is None or parts is None or parts < 0:
        return
    starred = sum(isinstance(one, ir.Starred) for one in target.items)
    names = len(target.items) - starred
    if names > parts or (names < parts and not starred):
        callee = dotted_text(getattr(origin.made, "func", None)) or "split"
        fact = fact_of(machine, frame, target, "unpacked", str(parts), callee, fails=True)
        fact.first = origin.made
        if not machine.expects_errors:
            emit(machine, frame, fact)


def computed(
    machine: Machine,
    frame: Frame,
    node: ir.Node,
    op: str,
    values: tuple[Value, Value],
    nodes: tuple[ir.Expr, ir.Expr],
) -> None:
    """Arithmetic with a key."""
    left, right = values
    origin = origin_of(left) or origin_of(right)
    if origin is None or not isinstance(node, ir.BinOp):
        return
    place = node.left if origin_of(left) is not None else node.right
    text, fails = text_of(machine, place), origin.root.typed
    emit(machine, frame, fact_of(machine, frame, node, "arithmetic", text, fails=fails))


def _computed_for(machine: Machine, frame: Frame, place: ir.Expr, value: Value) -> None:
    if isinstance(place, ir.BinOp) and isinstance(value, (Traced, Concrete, Unknown)):
        text = text_of(machine, place.right if isinstance(place.left, ir.Const) else place.left)
        emit(machine, frame, fact_of(machine, frame, place, "arithmetic", text))


def defaulted(
    machine: Machine, frame: Frame, node: ir.FunctionDef, defaults: Mapping[str, Value]
) -> None:
    """Keys that are defaults of parameters."""
    for param in node.params if defaults else ():
        if param.default is not None and origin_of(defaults[param.name]) is not None:
            fact = fact_of(machine, frame, param.default, "default", param.name, node.name)
            emit(machine, frame, fact)


CHECK = Check(
    "sampling",
    on_operation=computed,
    on_discard=discarded,
    on_definition=defaulted,
    on_unpacking=unpacked,
)

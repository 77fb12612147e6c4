"""Operations whose derivative is not finite everywhere, and what keeps their operands away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import assigned, dotted_text, walk
from jaxlint.dataflow.structure import layout
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import LibraryName, Traced, Value
from jaxlint.engine.evaluation.peek import is_chain
from jaxlint.engine.inference.definitions import Scope, Term, children, held_by, value_of
from jaxlint.engine.inference.numbers import number_of
from jaxlint.engine.machine.machine import Machine
from jaxlint.facts.provenance import excerpt
from jaxlint.knowledge.arrays import numerics
from jaxlint.syntax import ir

_DEEPEST = 10
# Words in the names of what is positive, and of what is added to be so.
_SAFE = ("eps", "tiny", "safe", "jitter")
_SMALL = (*_SAFE, "delta")


@slotted(frozen=True)
class Danger:
    """An operation that is not differentiable everywhere, the operand that decides whether it
    is, and where that has to be."""

    use: Term
    operand: Term
    domain: str


def differentiating(trace: Trace) -> Trace | None:
    """The innermost trace around that differentiates, None where that is one of a rule, or where
    JAX runs a function for its value alone."""
    if "differentiated" not in trace.ways:
        return None
    around: Trace | None = trace
    while around is not None and around.kind not in ("ad", "custom"):
        around = around.parent
    return around if around is not None and around.kind == "ad" else None


def is_differentiated(machine: Machine, frame: Frame, value: Value) -> bool:
    """Whether a value depends on what the code around is differentiated by; by guess, any."""
    trace = differentiating(frame.trace)
    if trace is None or trace.entry is None:
        return machine.guesses
    traced = finds_traced(value)
    step = None if traced is None else traced.trail
    while step is not None:
        is_parameter = isinstance(step.node, ir.Param) and step.function == trace.entry.function
        if is_parameter or step.varies is trace.entry:
            return True
        if step.parent is None:
            return bool(step.name) and step.entry is trace.entry
        step = step.parent
    return False


def is_apart(node: Any) -> bool:
    """Whether what is inside an expression has no derivative here, or one of its own choice."""
    if isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        return name in ("where", "select", "stop_gradient", "shape")
    return isinstance(node, (ir.Compare, ir.Lambda))


def dangers_of(branch: Term) -> Iterator[Danger]:
    """The operations of an expression that are not differentiable everywhere."""
    for one in branch.parts(closed=is_apart):
        yield from of_operation(one)


def overflows_of(branch: Term) -> Iterator[Danger]:
    """The operations of an expression that overflow for large operands."""
    for one in branch.parts(closed=is_apart):
        node = one.node
        given = [a.value for a in node.args if not a.star] if isinstance(node, ir.Call) else []
        if given and dotted_text(node.func).rpartition(".")[2] in numerics.OVERFLOWS:
            yield Danger(one, one.inside(given[0]), "bounded")


def of_operation(one: Term) -> Iterator[Danger]:
    """What an operation is that is not differentiable everywhere; nothing of its operands."""
    node = one.node
    if isinstance(node, ir.BinOp) and node.op == "/":
        yield Danger(one, one.inside(node.right), "nonzero")
    elif isinstance(node, ir.BinOp) and node.op == "**":
        yield from _power(one, node.left, node.right)
    elif isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        given = [a.value for a in node.args if not a.star]
        if name == "norm" and _is_finite_norm(one, node):
            return
        if name in numerics.PARTIAL and given:
            at = 1 if name == "xlogy" and len(given) > 1 else 0
            yield Danger(one, one.inside(given[at]), numerics.PARTIAL[name])
        elif name in numerics.QUOTIENTS and len(given) > 1:
            yield Danger(one, one.inside(given[1]), "nonzero")
        elif name in numerics.POWERS and len(given) > 1:
            yield from _power(one, given[0], given[1])


def _is_finite_norm(one: Term, node: ir.Call) -> bool:
    """Whether the order of a norm is one for which the derivative at zero is finite."""
    plain = [a.value for a in node.args if not a.keyword and not a.star]
    named = [a.value for a in node.args if a.keyword == "ord"]
    order = next(iter(named or plain[1:2]), None)
    if isinstance(order, ir.UnaryOp):
        order = order.operand
    if order is None:
        return False
    if isinstance(order, ir.Const) and isinstance(order.value, str):
        return order.value in numerics.FINITE_NORMS
    is_infinite = dotted_text(order).rpartition(".")[2] == "inf"
    return is_infinite or number_of(one.inside(order)) in numerics.FINITE_NORMS


def _power(one: Term, base: ir.Expr, exponent: ir.Expr) -> Iterator[Danger]:
    number = number_of(one.inside(exponent))
    if number is not None and (number < 1 or number != int(number)):
        domain = "nonzero" if number == int(number) else "positive"
        if number > 1:
            domain = "not negative"
        yield Danger(one, one.inside(base), domain)


def is_safe(operand: Term, tested: set[str] | None = None, domain: str = "") -> bool:
    """Whether an operand is kept away from where its derivative is not finite, as far as that is
    outside its `domain`. Of a product, the factors with a name that is `tested` have to be; without
    that, one of them is enough."""
    if domain in ("above -1", "not negative") and _is_positive(operand, _DEEPEST):
        return True
    return _is_kept(operand, (tested, domain), _DEEPEST)


def _is_positive(one: Term, depth: int) -> bool:
    """Whether a real number is zero or more wherever it is one: a square, or made of squares."""
    node, number = one.node, number_of(one)
    if number is not None:
        return number >= 0
    if isinstance(node, ir.BinOp):
        left, right = one.inside(node.left), one.inside(node.right)
        if node.op == "**":
            exponent = number_of(right)
            return exponent is not None and exponent % 2 == 0
        chains = is_chain(node.left) and is_chain(node.right)
        if node.op == "*" and chains and dotted_text(node.left) == dotted_text(node.right):
            return True
        both = node.op in ("+", "*", "/")
        return both and _is_positive(left, depth) and _is_positive(right, depth)
    if isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        given = [a.value for a in node.args if not a.star]
        if name in numerics.NEVER_NEGATIVE:
            return True
        if name in numerics.ZERO_SUMS and given:
            return _is_positive(one.inside(given[0]), depth)
    other = one.resolved() if depth else one
    return other.node is not node and _is_positive(other, depth - 1)


# The names that a condition tests, and the domain of the operation.
_Asked = tuple[set[str] | None, str]


def _is_kept(one: Term, asked: _Asked, depth: int) -> bool:
    node = one.node
    if not depth or isinstance(node, (ir.Const, ir.Compare)):
        return False
    if isinstance(node, ir.BinOp):
        return _is_kept_sum(one, node, asked, depth)
    if isinstance(node, ir.Name):
        if _is_made_safe(one) or (one.resolved().node is node and _comes_safe(one)):
            return True
    elif isinstance(node, ir.Call):
        name = dotted_text(node.func).rpartition(".")[2]
        if name in numerics.KEEPS_AWAY:
            return name != "where" or _is_chosen_well(one, node, asked, depth)
        if name in numerics.MAY_VANISH and asked[0] is not None:
            return False
    elif isinstance(node, ir.UnaryOp):
        return _is_kept(one.inside(node.operand), asked, depth - 1)
    other = one.resolved() if isinstance(node, (ir.Name, ir.Call)) else one
    if other.node is not node:
        return _is_kept(other, asked, depth - 1)
    if isinstance(node, ir.Call) and (first := _passed_on(one, node)) is not None:
        return _is_kept(first, asked, depth - 1)
    return any(_is_kept(one.inside(part), asked, depth - 1) for part in children(node))


def _is_chosen_well(one: Term, node: ir.Call, asked: _Asked, depth: int) -> bool:
    """Whether a choice keeps an operand in the domain. One that gives a number outside, as zero is
    for a root, is made for the sake of something else unless it tests the other branch."""
    given = [argument.value for argument in node.args]
    if not asked[1] or len(given) != 3:
        return True
    numbers = [number_of(one.inside(branch)) for branch in given[1:]]
    outside = [n is not None and not numerics.is_within(asked[1], [n]) for n in numbers]
    if True not in outside:
        return True
    other = one.inside(given[1:][not outside.index(True)]).outer()
    tested = one.inside(given[0]).atoms()
    name = dotted_text(other.node)
    return (bool(name) and name in tested) or _is_kept(other, asked, depth - 1)


def _is_kept_sum(one: Term, node: ir.BinOp, asked: _Asked, depth: int) -> bool:
    """Whether a sum, a product, a quotient or a power is kept away from zero."""
    tested = asked[0]
    left, right = one.inside(node.left), one.inside(node.right)
    kept = [_is_kept(side, asked, depth - 1) for side in (left, right)]
    if node.op in "+-":
        if is_offset(right) or (is_offset(left) and (node.op == "+" or tested is None)):
            return True
        return any(kept) if node.op == "+" or tested is None else False
    if node.op == "/" and kept[1]:
        apart = tested is not None and not left.atoms() & tested
        return kept[0] or apart or bool(number_of(left))
    if node.op in ("/", "**"):
        return kept[0]
    if node.op == "*" and tested is not None:
        pairs = zip(kept, (left, right), strict=True)
        return any(kept) and all(safe or not side.atoms() & tested for safe, side in pairs)
    return any(kept)


def _passed_on(one: Term, node: ir.Call) -> Term | None:
    """The operand whose zeros a call keeps, None for any other call."""
    name = dotted_text(node.func).rpartition(".")[2]
    if isinstance(node.func, ir.Attribute):
        name = node.func.attr
        root = dotted_text(node.func.value).partition(".")[0]
        is_library = isinstance(value_of(one.scope.frame, root), LibraryName) and bool(root)
        first = None if is_library else node.func.value
    else:
        first = None
    given = [a.value for a in node.args if not a.star]
    if first is None and given:
        first = given[0]
    keeps = name in numerics.KEEPS_ZERO or name in numerics.ZERO_SUMS
    return one.inside(first) if keeps and first is not None else None


def is_offset(one: Term) -> bool:
    """Whether this is a number that is added to stay away from zero."""
    number = number_of(one)
    if number is not None:
        return number > 0
    return _says(dotted_text(one.node).rpartition(".")[2], _SMALL)


def _says(name: str, words: tuple[str, ...]) -> bool:
    """Whether a name says one of the words; `steps` does not say `eps`."""
    parts = name.lower().split("_")
    return any(
        part.startswith(word) or (word in part and not part.endswith("steps"))
        for part in parts
        for word in words
    )


def _is_made_safe(one: Term) -> bool:
    """Whether some binding of a name that has several keeps its value away."""
    bound = one.scope.bindings(one.node.id)
    if _says(one.node.id, _SAFE):
        return True
    return len(bound) > 1 and any(
        isinstance(part.node, ir.Call)
        and dotted_text(part.node.func).rpartition(".")[2] in numerics.KEEPS_AWAY
        for expr in bound
        if expr is not None
        for part in [one.inside(expr)]
    )


def _comes_safe(one: Term) -> bool:
    """Whether another function, which computed what a name holds, keeps it away."""
    value = held_by(one.scope.frame, one.node)
    step = value.trail if isinstance(value, Traced) else None
    while step is not None and not isinstance(step.node, ir.BinOp):
        node = step.node
        name = dotted_text(node.func).rpartition(".")[2] if isinstance(node, ir.Call) else ""
        if name in numerics.KEEPS_AWAY:
            return True
        step = step.parent
    return False


def computed_by(machine: Machine, one: Term) -> Term | None:
    """The expression that computed what a name or an attribute holds, wherever that was."""
    value = held_by(one.scope.frame, one.node)
    step = value.trail if isinstance(value, Traced) else None
    while step is not None and (step.call or isinstance(step.node, ir.Param)):
        step = step.parent
    if step is None or not isinstance(step.node, ir.Expr):
        return None
    func = layout(machine.sources.owner(step.node, machine.module).body).function_of(step.node)
    if func is None:
        return None
    frame = Frame("function", machine.globals, one.scope.frame.trace, func)
    return Term(step.node, Scope(frame, func.body, {}))


def is_root(danger: Danger) -> bool:
    """Whether an operation has a value at zero, although no derivative."""
    node = danger.use.node
    if isinstance(node, ir.Call):
        return dotted_text(node.func).rpartition(".")[2] in numerics.ROOTS
    if node.op != "**":
        return False
    exponent = number_of(danger.use.inside(node.right))
    return exponent is not None and exponent > 0


def is_aside(machine: Machine, node: Any, depth: int = 3) -> bool:
    """Whether a value is only shown, or returned beside the first one, which is differentiated."""
    module = machine.sources.owner(node, machine.module)
    places = layout(module.body)
    statement, func = places.statement_of(node), places.function_of(node)
    if isinstance(statement, ir.Return):
        whole = statement.value
        items = whole.items if isinstance(whole, ir.Sequence) else ()
        return any(one is node for item in items[1:] for one in walk((item,)))
    targets, value = assigned(statement)
    if value is None or func is None or not depth:
        return isinstance(statement, ir.ExprStmt)
    names = {target.id for target in targets if isinstance(target, ir.Name)}
    used = [
        one
        for one in walk(func.body)
        if isinstance(one, ir.Name) and one.id in names and all(one is not t for t in targets)
    ]
    return bool(used) and all(is_aside(machine, one, depth - 1) for one in used)


def text_of(machine: Machine, one: Term) -> str:
    """An expression as it is written."""
    module = machine.sources.owner(one.node, machine.module)
    return excerpt(module, one.node)

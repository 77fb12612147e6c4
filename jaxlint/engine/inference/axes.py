"""Arrays that certainly have an axis, read off what they are computed from: what `jax.vmap` gives
has one, whatever the mapped function returns, and so has what is computed element by element from
it.

Asked where an array of no axes is wanted and the run does not tell how many there are.
"""

from __future__ import annotations

from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.ranks import rank_of
from jaxlint.engine.domain.values import Function, LibraryName, Static, Transformed, Unknown, Value
from jaxlint.engine.evaluation.peek import is_chain, peek
from jaxlint.engine.inference.definitions import (
    Scope,
    Term,
    held_by,
    returns_of,
    term,
    term_value,
    unpacked,
)
from jaxlint.engine.inference.demanded_axes import is_demanded
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import describe, is_leaf
from jaxlint.engine.summaries.transformed import plain_function
from jaxlint.knowledge.arrays.ranks import AXES, BROADCAST, ELEMENTWISE, MAPS
from jaxlint.knowledge.transforms import WRAPPERS
from jaxlint.syntax import ir

_DEEPEST = 8
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "&", "|", "^"})
_ARRAYS = ("jax.lax.", "jax.nn.", "jax.numpy.")


def may_have_axes(value: Value) -> bool:
    """Whether nothing tells how many axes an array has: what code says of it is to be asked."""
    return isinstance(value, Unknown) or (is_leaf(value) and rank_of(value) is None)


def has_axes(machine: Machine, frame: Frame, node: ir.Expr, value: Value) -> bool:
    """Whether the array that an expression gives certainly has an axis, by its rank or by what it
    is computed from."""
    if may_have_axes(value):
        return _has(term(frame, node, machine), _DEEPEST)
    return is_leaf(value) and bool(rank_of(value))


def described(value: Value) -> str:
    """A word for an array that has an axis at least."""
    if isinstance(value, Unknown):
        return "an array with an axis"
    return describe(value) if rank_of(value) else f"{describe(value)} with an axis"


def result_has_axes(machine: Machine, func: Value, part: int | None = None) -> bool:
    """Whether the array that a function gives, or that part of its result, has an axis."""
    found = result_of(machine, func, {})
    if found is not None and part is not None:
        found = _part(found, part, _DEEPEST)
    return found is not None and _has(found, _DEEPEST)


def result_of(machine: Machine, func: Value, given: dict[str, Term]) -> Term | None:
    """What a function returns, if it does so in one place, for what its parameters are given."""
    plain = plain_function(func)
    returns = () if plain is None else returns_of(plain.node)
    if plain is None or len(returns) != 1 or returns[0].value is None:
        return None
    return Term(returns[0].value, _scope_of(machine, plain, given))


def _scope_of(machine: Machine, func: Function, given: dict[str, Term]) -> Scope:
    """The body of a function, for what its parameters are given."""
    outside = Scope(func.frame, (), {}, machine)
    # A parameter that is given nothing stands for no name outside.
    every = {one.name: Term(one, outside) for one in func.node.params} | given
    return Scope(func.frame, func.node.body, every, machine)


def test_has_axes(machine: Machine, test: Value, body: Value) -> bool:
    """Whether the test of a loop has an axis since the carry has one: the next carry, which the
    body returns, is like each before."""
    plain = plain_function(test)
    carry = result_of(machine, body, {})
    if plain is None or carry is None or len(plain.node.params) != 1:
        return False
    found = result_of(machine, test, {plain.node.params[0].name: carry})
    return found is not None and _has(found, _DEEPEST)


def next_has_axes(
    machine: Machine, body: Value, at: int, start: Term, path: tuple[int, ...]
) -> bool:
    """Whether a part of what the body of a loop returns has an axis, for the carry that the loop
    starts with; that is the parameter at a place."""
    plain = plain_function(body)
    params = () if plain is None else plain.node.params
    found = result_of(machine, body, {params[at].name: start}) if at < len(params) else None
    for one in path:
        found = None if found is None else _part(found, one, _DEEPEST)
    return found is not None and _has(found, _DEEPEST)


def _has(one: Term, depth: int) -> bool:
    if not depth:
        return False
    node, depth = one.node, depth - 1
    if isinstance(node, ir.Name):
        return _named(one, depth)
    if isinstance(node, ir.BinOp):
        either = any(_has(one.inside(side), depth) for side in (node.left, node.right))
        return node.op in _ARITHMETIC and either
    if isinstance(node, ir.Compare):
        single = len(node.ops) == 1 and node.ops[0] not in ("is", "is not", "in", "not in")
        sides = (node.left, *node.comparators)
        return single and any(_has(one.inside(side), depth) for side in sides)
    if isinstance(node, ir.Subscript):
        at = node.index.value if isinstance(node.index, ir.Const) else None
        part = _part(one.inside(node.value), at, depth) if type(at) is int and at >= 0 else None
        return part is not None and _has(part, depth)
    if isinstance(node, ir.UnaryOp):
        return node.op in "-~" and _has(one.inside(node.operand), depth)
    return isinstance(node, ir.Call) and _called(one, depth)


def _named(one: Term, depth: int) -> bool:
    """A name that is bound once, to an array or to a part of a tuple."""
    name = one.node.id
    if is_demanded(one.scope, name):
        return True
    if name in one.scope.given:
        return _has(one.scope.given[name], depth)
    found = unpacked(one.scope.body).get(name)
    taken = one.scope.takes(name) and not one.scope.given
    if found is not None and len(one.scope.bindings(name)) == 1 and not taken:
        part = _part(one.inside(found[0]), found[1], depth)
        return part is not None and _has(part, depth)
    other = one.resolved()
    if other.node is not one.node:
        return _has(other, depth)
    value = held_by(one.scope.frame, one.node) if not one.scope.given else None
    return value is not None and not isinstance(value, Static) and bool(rank_of(value))


def _part(whole: Term, at: int, depth: int) -> Term | None:
    """The part of a tuple at a place; all parts of what `jax.vmap` gives have an axis."""
    node = whole.node
    if isinstance(node, ir.Sequence):
        starred = any(isinstance(item, ir.Starred) for item in node.items)
        return whole.inside(node.items[at]) if at < len(node.items) and not starred else None
    if isinstance(node, ir.Call) and _is_mapped(whole):
        return whole if _gives_tuple(whole) else None
    if not depth:
        return None
    if isinstance(node, ir.Name) and node.id in whole.scope.given:
        return _part(whole.scope.given[node.id], at, depth - 1)
    other = whole.resolved()
    return _part(other, at, depth - 1) if other.node is not node else None


def _called(one: Term, depth: int) -> bool:
    node = one.node
    if _is_mapped(one):
        return True
    func = term_value(one)
    given = [argument.value for argument in node.args if not argument.star]
    if isinstance(func, LibraryName):
        if not func.dotted.startswith(_ARRAYS):
            return False
        _, _, rest = func.dotted.partition(".")
        short = rest.partition(".")[2]
        if short in AXES:
            return True
        operands = given if short in BROADCAST else given[:1] if short in ELEMENTWISE else []
        return any(_has(one.inside(value), depth) for value in operands)
    if isinstance(node.func, ir.Attribute) and node.func.attr == "astype":
        return _has(one.inside(node.func.value), depth)
    other = one.returned() if isinstance(func, Function) else one
    return other.node is not node and _has(other, depth)


def _is_mapped(one: Term) -> bool:
    """Whether a call is one of a function that is mapped, and whose results are stacked."""
    return _mapped(one) is not None


def _gives_tuple(one: Term) -> bool:
    """Whether what a call of a mapped function gives is a tuple, and no array with rows."""
    mapped = _mapped(one)
    if isinstance(mapped, Term) and isinstance(mapped.node, ir.Lambda):
        returns = returns_of(mapped.node.function)
        return all(isinstance(one.value, ir.Sequence) for one in returns)
    machine = one.scope.machine
    if isinstance(mapped, Term) and machine is not None and is_chain(mapped.node):
        mapped = peek(machine, mapped.scope.frame, mapped.node)
    plain = None if mapped is None or isinstance(mapped, Term) else plain_function(mapped)
    if plain is None or machine is None:
        return False
    scope = _scope_of(machine, plain, {})
    found = [one.value for one in returns_of(plain.node)]
    return bool(found) and all(
        value is not None and isinstance(Term(value, scope).resolved().node, ir.Sequence)
        for value in found
    )


def _mapped(one: Term) -> Value | Term | None:
    """The function that a call calls for many arguments at once, as a value or as written."""
    func = term_value(one)
    while isinstance(func, Transformed) and func.record.wrapper.kind == "jit":
        func = func.record.func
    if isinstance(func, Transformed):
        out = func.record.out_axes
        stacked = out is None or (isinstance(out, Static) and type(out.const) is int)
        return func.record.func if func.record.dotted == "jax.vmap" and stacked else None
    return _inside(one.inside(one.node.func).resolved(), _DEEPEST)


def _inside(made: Term, depth: int) -> Term | None:
    """The function that is mapped where one is made that maps it, compiled or not."""
    machine, node = made.scope.machine, made.node
    if machine is None or not isinstance(node, ir.Call) or not is_chain(node.func):
        return None
    mapper = peek(machine, made.scope.frame, node.func)
    dotted = mapper.dotted if isinstance(mapper, LibraryName) else ""
    if not node.args or node.args[0].keyword or any(argument.star for argument in node.args):
        return None
    first = made.inside(node.args[0].value)
    if dotted not in MAPS:
        wrapper = WRAPPERS.get(dotted)
        compiles = wrapper is not None and wrapper.compiles
        return _inside(first.resolved(), depth - 1) if compiles and depth else None
    stacked = all(argument.keyword != "out_axes" for argument in node.args)
    return first if stacked and _positional(node) <= _AXES_AT else None


# Where `out_axes` stands among the arguments of a function that maps.
_AXES_AT = 2


def _positional(node: ir.Call) -> int:
    return sum(argument.keyword is None for argument in node.args)

"""Puts probes around flagged expressions of a syntax tree without changing what it does.

An expression E becomes `__jaxlint_value__(__jaxlint_reach__(slot), E)`, at E's own place, so that
errors and truth tests in it are reported where they were. Where JAX or Python would see a
difference, something weaker is said: `(__jaxlint_reach__(slot), E)[1]` hides no value, and a
statement `__jaxlint_reach__(slot)` in front stands for anything that is no expression.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from jaxlint.verify.child.observing.spots import Index, Spot, expression
from jaxlint.verify.protocol import Target

REACH = "__jaxlint_reach__"
VALUE = "__jaxlint_value__"

Slot = Callable[[tuple[int, ...], tuple[int, ...]], int]
"""Numbers a probe: the targets whose evaluation begins there, and those whose value it sees."""

_TESTS = {
    ("If", "test"), ("While", "test"), ("IfExp", "test"), ("Assert", "test"),
    ("comprehension", "ifs"), ("match_case", "guard"),
}  # fmt: skip
_PASSED_ON = {("BoolOp", "values"), ("IfExp", "body"), ("IfExp", "orelse")}
_FORGETS_PLACES = sys.version_info[:2] == (3, 11)
"""Python 3.11 places a test at the statement, unless it has just met a comparison."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Module)


def instrument(
    tree: ast.Module, text: str, targets: Sequence[Target], slot: Slot
) -> dict[int, str]:
    """Puts probes into the tree; the targets for which there is no place, and why."""
    index = Index(tree, text)
    marks = _Marks()
    missing = {}
    for target in targets:
        spot = index.find((target.line, target.column, target.end_line, target.end_column))
        if spot is None:
            missing[target.id] = f"no code at line {target.line}, column {target.column + 1}"
        else:
            _mark(spot, target.id, marks)
    _insert(tree, marks, slot)
    ast.fix_missing_locations(tree)
    return missing


# --- choosing the form ------------------------------------------------------------------------


@dataclass
class _Marks:
    """What to put where. Nodes are compared by identity."""

    spots: dict[int, Spot] = field(default_factory=dict)
    reach: dict[int, list[int]] = field(default_factory=dict)
    value: dict[int, list[int]] = field(default_factory=dict)
    before: dict[int, list[int]] = field(default_factory=dict)
    inside: dict[int, list[int]] = field(default_factory=dict)

    def add(self, marks: dict[int, list[int]], spot: Spot, target: int) -> None:
        self.spots.setdefault(id(spot.node), spot)
        held = marks.setdefault(id(spot.node), [])
        if target not in held:
            held.append(target)


def _mark(spot: Spot, target: int, marks: _Marks) -> None:
    whole = expression(spot)
    if whole is not None:
        first, parts = _parts(whole)
        marks.add(marks.reach, first, target)
        for part in parts:
            marks.add(marks.value, part, target)
        return
    for above in spot.above():
        owner = _owner(above)
        if owner is not None and isinstance(owner.node, ast.Lambda):
            marks.add(marks.reach, owner.below("body"), target)
            return
        if owner is not None:
            marks.add(marks.inside, owner, target)
            return
        if isinstance(above.node, ast.ExceptHandler):
            marks.add(marks.inside, above, target)
            return
        if isinstance(above.node, ast.stmt):
            marks.add(marks.before, above, target)
            return
        if above is not spot and expression(above) is not None:
            marks.add(marks.reach, _parts(above)[0], target)
            return


def _owner(spot: Spot) -> Spot | None:
    """The function of which the spot is a parameter."""
    if not isinstance(spot.node, ast.arg):
        return None
    for above in spot.above():
        if isinstance(above.node, (*_FUNCTIONS, ast.Lambda)):
            return above
    return None


def _parts(spot: Spot) -> tuple[Spot, list[Spot]]:
    """Where the evaluation of an expression begins, and which nodes give its value.

    In a test, `a and b` is no value: Python tests `a`, then `b`, each at its own place and
    once. So there the operands are observed and the expression stays what it is.
    """
    node = spot.node
    if _is_tested(spot):
        if isinstance(node, ast.BoolOp):
            inside = [_parts(spot.below("values", place)) for place in range(len(node.values))]
            return inside[0][0], [part for _, parts in inside for part in parts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _parts(spot.below("operand"))
        if isinstance(node, ast.IfExp):
            either = [_parts(spot.below(name)) for name in ("body", "orelse")]
            return _parts(spot.below("test"))[0], [part for _, parts in either for part in parts]
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            first = spot.below("left")
            places = range(len(node.comparators))
            return first, [first, *(spot.below("comparators", place) for place in places)]
    return spot, [spot]


def _is_tested(spot: Spot, *, jumps: bool = False) -> bool:
    """Whether Python tests the value where it stands, or `jumps` right away by the outcome."""
    for above in spot.above():
        edge = above.edge()
        if edge in _TESTS or (edge == ("BoolOp", "values") and not jumps):
            return True
        above_node = above.parent.node if above.parent else None
        is_denied = isinstance(above_node, ast.UnaryOp) and isinstance(above_node.op, ast.Not)
        if edge not in _PASSED_ON and not is_denied:
            return False
    return False


# --- changing the tree ------------------------------------------------------------------------


def _insert(tree: ast.Module, marks: _Marks, slot: Slot) -> None:
    for key, spot in marks.spots.items():
        reach, value = tuple(marks.reach.get(key, ())), tuple(marks.value.get(key, ()))
        if reach or value:
            probe = _probe(spot.node, reach, value, slot(reach, value))
            if _FORGETS_PLACES and _is_tested(spot, jumps=True):
                probe = _reminded(probe)
            _replace(spot, probe)
    for key, spot in marks.spots.items():
        if key in marks.before and spot.parent is not None:
            _put_before(spot, slot(tuple(marks.before[key]), ()))
        if key in marks.inside:
            _put_inside(spot.node, slot(tuple(marks.inside[key]), ()))


def _probe(node: ast.AST, reach: tuple[int, ...], value: tuple[int, ...], slot: int) -> ast.expr:
    assert isinstance(node, ast.expr)
    begun: ast.expr = _call(REACH, ast.Constant(slot)) if reach else ast.Constant(slot)
    if value:
        probe: ast.expr = _call(VALUE, begun, node)
    else:
        both = ast.Tuple([begun, node], ast.Load())
        probe = ast.Subscript(both, ast.Constant(1), ast.Load())
    return _placed(probe, node)


def _reminded(probe: ast.expr) -> ast.expr:
    """A true comparison before the probe: its place is then that of the test as well."""
    true = ast.Compare(ast.Constant(0), [ast.NotEq()], [ast.Constant(None)])
    both = ast.BoolOp(ast.And(), [_placed(true, probe), probe])
    return ast.copy_location(both, probe)


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _placed(new: ast.expr, old: ast.AST) -> ast.expr:
    """The new node, and what it is made of, at the place of the old one."""
    for node in _made(new, old):
        ast.copy_location(node, old)
    return new


def _made(new: ast.AST, old: ast.AST) -> Iterator[ast.AST]:
    if new is not old:
        yield new
        for child in ast.iter_child_nodes(new):
            yield from _made(child, old)


def _replace(spot: Spot, new: ast.expr) -> None:
    assert spot.parent is not None
    held = getattr(spot.parent.node, spot.field)
    if isinstance(held, list):
        held[_place(held, spot.node)] = new
    else:
        setattr(spot.parent.node, spot.field, new)


def _place(held: list[ast.AST], node: ast.AST) -> int:
    return next(place for place, each in enumerate(held) if each is node)


def _put_before(spot: Spot, slot: int) -> None:
    assert spot.parent is not None
    body = getattr(spot.parent.node, spot.field)
    place = max(_place(body, spot.node), _start(spot.parent.node) if spot.field == "body" else 0)
    body.insert(place, _statement(spot.node, slot))


def _put_inside(node: ast.AST, slot: int) -> None:
    body = node.body  # type: ignore[attr-defined]
    place = _start(node)
    body.insert(place, _statement(body[min(place, len(body) - 1)], slot))


def _start(node: ast.AST) -> int:
    """The first place in a body where a statement may be put."""
    body = getattr(node, "body", [])
    place = 0
    if isinstance(node, _SCOPES) and body and isinstance(body[0], ast.Expr):
        first = body[0].value
        place = int(isinstance(first, ast.Constant) and isinstance(first.value, str))
    for later, statement in enumerate(body):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            place = later + 1
    return place


def _statement(node: ast.AST, slot: int) -> ast.stmt:
    statement = ast.Expr(_placed(_call(REACH, ast.Constant(slot)), node))
    return ast.copy_location(statement, node)

"""Values that code hands to a function on the host, instead of letting it capture them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.names import bound_names, walk
from jaxlint.fixes.source import Code
from jaxlint.fixes.text.argument_lists import with_argument
from jaxlint.syntax import ir


def deferred(
    code: Code, call: ir.Call, operands: Iterable[ir.Expr], callback: str
) -> list[Edit] | None:
    """The edits that have a call run on the host, with the values that some of its operands have
    then: `callback(lambda x: call(x), x)`."""
    inside = {id(one): one for one in walk(tuple(call.args))}
    given = {id(one): one for one in operands}
    if not given.keys() <= inside.keys():
        return None
    if any(isinstance(one, (ir.Await, ir.NamedExpr, ir.Yield)) for one in inside.values()):
        return None
    names = {one.id for one in walk(call) if isinstance(one, ir.Name)}
    called = {one.id for one in walk(call.func) if isinstance(one, ir.Name)}
    passed: dict[str, str] = {}
    edits = []
    for one in given.values():
        name = one.id if isinstance(one, ir.Name) else fresh(names | passed.keys())
        if name in called:
            return None
        if not isinstance(one, ir.Name):
            edits.append(code.replace(one, name))
        passed[name] = code.text(one)
    for name in _read_beside(inside.values(), given.values()):
        if name not in called:
            passed.setdefault(name, name)
    # A name that is bound again before the host calls keeps its value as a default.
    kept = sorted((names - passed.keys()) & _changing(code, call))
    head = ", ".join([*passed, *(f"{name}={name}" for name in kept)])
    tail = "".join(f", {text}" for text in passed.values())
    begin = f"{callback}(lambda {head}: " if head else f"{callback}(lambda: "
    return [code.before(call, begin), *edits, code.after(call, f"{tail})")]


def _read_beside(inside: Collection[Any], operands: Collection[ir.Expr]) -> list[str]:
    """Names from which operands are computed, and that other parts of the call read too: the
    operands are traced, so these are no constants either."""
    parts = {id(part) for one in operands for part in walk(one)}
    named = [one for one in inside if isinstance(one, ir.Name)]
    read = {one.id for one in named if id(one) not in parts}
    return [one.id for one in named if id(one) in parts and one.id in read]


def handed(code: Code, call: ir.Call, function: ir.Expr, name: str, first: int) -> list[Edit]:
    """The edits that give a function that a call is given one more parameter, and a variable of
    the same name as the operand; `first` operands are not for it. None where it has others."""
    made = _definition(code, call, function)
    if made is None or name in made.bound or name in ("self", "cls"):
        return []
    if not any(isinstance(one, ir.Name) and one.id == name for one in walk(made.body)):
        return []
    given = [one for one in call.args if not one.keyword]
    plain = all(one.kind in ("plain", "positional") and one.default is None for one in made.params)
    if any(one.star for one in call.args) or not plain or len(given) - first != len(made.params):
        return []
    parameter = _with_parameter(code, made, function, name)
    operand = with_argument(code, call, name, len(given))
    return [] if parameter is None or operand is None else [parameter, operand]


def bound_early(code: Code, name: ir.Name) -> list[Edit]:
    """The edit that has a function that is made in a loop keep the value of a loop variable, which
    it reads, by a default. None where not each iteration makes it."""
    function = code.function(name)
    outer = function
    while outer is not None and name.id not in outer.bound:
        function, outer = outer, code.function(outer)
    if function is None or function is outer or not _is_made_each_time(code, function, name.id):
        return []
    kinds = {one.kind for one in function.params}
    if not kinds <= {"plain", "positional"} or name.id in function.globals | function.nonlocals:
        return []
    made: ir.Expr | None = None
    if function.is_lambda:
        parent = code.parent(function)
        made = parent if isinstance(parent, ir.Lambda) else None
        if made is None:
            return []
    edit = _with_parameter(code, function, made, f"{name.id}={name.id}")
    return [] if edit is None else [edit]


def _is_made_each_time(code: Code, function: ir.FunctionDef, name: str) -> bool:
    """Whether each iteration of the loop that binds a name makes a function anew."""
    for one in code.around(function):
        if isinstance(one, ir.For) and name in bound_names(one):
            return True
        if isinstance(one, ir.Comprehension):
            return any(
                isinstance(part, ir.Name) and part.id == name
                for clause in one.clauses
                for part in walk(clause.target)
            )
        func = one.func if isinstance(one, ir.Call) else None
        if isinstance(func, ir.Attribute) and func.attr in ("setdefault", "get"):
            return False
        if isinstance(one, (ir.If, ir.IfExp, ir.BoolOp, ir.Try, ir.While, ir.FunctionDef)):
            return False
    return False


def fresh(taken: Collection[str]) -> str:
    """A name for a value that is none of these."""
    names = ["value", *(f"value_{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def _definition(code: Code, call: ir.Call, function: ir.Expr) -> ir.FunctionDef | None:
    """The function that an expression is, if it is for this call alone."""
    if isinstance(function, ir.Lambda):
        return function.function
    around = code.function(call)
    if around is None or not isinstance(function, ir.Name):
        return None
    inner = [
        one
        for one in walk(around.body)
        if isinstance(one, ir.FunctionDef) and one.name == function.id and not one.decorators
    ]
    uses = [one for one in walk(around.body) if isinstance(one, ir.Name) and one.id == function.id]
    return inner[0] if len(inner) == 1 and uses == [function] else None


def _with_parameter(
    code: Code, made: ir.FunctionDef, function: ir.Expr | None, name: str
) -> Edit | None:
    if made.params:
        last = made.params[-1]
        place = last.default or last.annotation or last
        return None if _is_enclosed(code, place) else code.after(place, f", {name}")
    if isinstance(function, ir.Lambda):
        span = code.module.locate(function)
        column = span.column + len("lambda")
        return Edit(Span(span.line, column, span.line, column), f" {name}")
    span = code.module.locate(made)
    if not code.source.line(span.end_line)[span.end_column - 1 :].startswith("("):
        return None
    column = span.end_column + 1
    return Edit(Span(span.end_line, column, span.end_line, column), name)


def _is_enclosed(code: Code, node: ir.Expr | ir.Param) -> bool:
    """Whether parentheses begin before a default or annotation."""
    span = code.module.locate(node)
    return code.source.line(span.line)[: span.column - 1].rstrip().endswith(("=(", "= (", ": ("))


def _changing(code: Code, call: ir.Call) -> set[str]:
    """Local names that may mean something else when the host calls."""
    function = code.function(call)
    if function is None or function.is_lambda:
        return set()
    counts = Counter(one.name for one in function.params)
    for one in walk(function.body, (ir.FunctionDef, ir.ClassDef)):
        counts.update(bound_names(one))
        if isinstance(one, (ir.For, ir.AugAssign)):
            counts.update(bound_names(one))
    repeated = set[str]()
    for one in code.around(call):
        if isinstance(one, (ir.For, ir.While)):
            repeated |= {
                name for part in walk(one, (ir.FunctionDef,)) for name in bound_names(part)
            }
        clauses = one.clauses if isinstance(one, ir.Comprehension) else ()
        targets = (part for clause in clauses for part in walk(clause.target))
        repeated |= {part.id for part in targets if isinstance(part, ir.Name)}
    return repeated | {name for name, count in counts.items() if count > 1}

"""Expressions that code evaluates again and again, moved to where it does so once."""

from __future__ import annotations

from collections.abc import Collection

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.names import free_names, walk
from jaxlint.fixes.queries.scopes import binders, taken
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_DEFINITIONS = (ir.FunctionDef, ir.ClassDef)
_LOOPS = (ir.For, ir.While)
_PLAIN = ("float", "int", "len", "max", "min", "tuple")


@slotted(frozen=True)
class Place:
    """Where something is moved to: before a statement, of the module or of a function."""

    statement: ir.Stmt
    line: int
    indent: str
    is_module: bool

    def described(self) -> str:
        """The place in words."""
        return "at module level" if self.is_module else "before the loop"


def free_in_expression(node: ir.Node) -> set[str]:
    """The names that an expression means by what is around it."""
    found: set[str] = set()
    targets: set[str] = set()
    for one in walk(node, (ir.FunctionDef,)):
        if isinstance(one, ir.Name):
            found.add(one.id)
        elif isinstance(one, ir.FunctionDef):
            found |= free_names(one)
            found |= {n for p in one.params if p.default for n in free_in_expression(p.default)}
            found |= {n for each in one.decorators for n in free_in_expression(each)}
        elif isinstance(one, ir.Comprehension):
            targets |= taken(one)
    return found - targets


def captured(code: Code, node: ir.Node, free: Collection[str]) -> set[str]:
    """Those of some names that functions, lambdas, comprehensions and loops around bind."""
    found: set[str] = set()
    for one in code.around(node):
        if isinstance(one, ir.FunctionDef):
            found |= one.bound & set(free)
        elif isinstance(one, (ir.Comprehension, *_LOOPS)):
            found |= _bound_by(code, one) & set(free)
    return found


def _bound_by(code: Code, loop: ir.Node) -> set[str]:
    """The names that a loop or comprehension binds, or whose values it changes."""
    if isinstance(loop, ir.Comprehension):
        return taken(loop)
    inside = walk(loop, (ir.FunctionDef, ir.ClassDef))
    return {name for one in inside for name in (*taken(one), *_changed(code, one))}


def _changed(code: Code, node: ir.Node) -> set[str]:
    """The names whose values a statement changes in place: by an item, an attribute, or a method
    whose result nobody reads."""
    targets: tuple[ir.Expr, ...] = ()
    if isinstance(node, (ir.Assign, ir.Delete)):
        targets = node.targets
    elif isinstance(node, (ir.AugAssign, ir.AnnAssign, ir.For)):
        targets = (node.target,)
    elif isinstance(node, ir.ExprStmt) and isinstance(node.value, ir.Call):
        targets = () if code.meaning(node.value.func) else (node.value.func,)
    parts = [part for target in targets for part in walk(target)]
    bases = [one.value for one in parts if isinstance(one, (ir.Subscript, ir.Attribute))]
    return {one.id for one in bases if isinstance(one, ir.Name)}


def destination(code: Code, node: ir.Node, free: Collection[str]) -> Place | None:
    """The outermost place before a node where its free names mean what they mean at the node, and
    where it is evaluated once, or less often."""
    owner = _class_of(code, node)
    if owner is not None:
        # What is in a comprehension does not see the names of the class around it.
        known = any(binders(name, owner.body) for name in free)
        return None if known or captured(code, node, free) else in_module(code, node, free)
    local = captured(code, node, free)
    function = code.function(node)
    if not local and function is not None:
        place = in_module(code, node, free)
        if place is not None:
            return place
    best: ir.Node | None = None
    for one in code.around(node):
        if isinstance(one, ir.FunctionDef):
            break
        if isinstance(one, (ir.Comprehension, *_LOOPS)):
            if local & _bound_by(code, one):
                break
            best = one
    if best is None or (function is not None and function.is_lambda):
        return None
    body = code.module.body if function is None else function.body
    if any(len(binders(name, body)) > 1 for name in free):
        return None
    statement = code.statement(best)
    return None if statement is None else before_statement(code, statement, is_module=False)


def _class_of(code: Code, node: ir.Node) -> ir.ClassDef | None:
    """The class in whose body a node stands, outside of functions."""
    for one in code.around(node):
        if isinstance(one, ir.FunctionDef):
            return None
        if isinstance(one, ir.ClassDef):
            return one
    return None


def in_module(code: Code, node: ir.Node, free: Collection[str]) -> Place | None:
    """Before the statement of the module in which a node stands."""
    outer = [one for one in (node, *code.around(node)) if isinstance(one, ir.Stmt)][-1]
    places = code.places
    if id(outer) not in places:
        return None
    for name in free:
        found = binders(name, code.module.body)
        tops = ([it for it in (one, *code.around(one)) if id(it) in places][-1] for one in found)
        if len(found) > 1 or any(places[id(top)] >= places[id(outer)] for top in tops):
            return None
    return before_statement(code, outer, is_module=True)


def before_statement(code: Code, statement: ir.Stmt, is_module: bool) -> Place | None:
    span = code.module.locate(statement)
    line, column = span.line, span.column
    if isinstance(statement, (ir.FunctionDef, ir.ClassDef)) and statement.decorators:
        first = code.module.locate(statement.decorators[0])
        line, column = min((line, column), (first.line, first.column))
    indent = code.source.line(line)[: column - 1].rstrip("@")
    if indent.strip():
        return None
    while line > 1 and code.source.line(line - 1).startswith(f"{indent}#"):
        line -= 1
    return Place(statement, line, indent, is_module)


def is_idle(code: Code, node: ir.Expr) -> bool:
    """Whether evaluating an expression does nothing but make functions: it calls nothing outside of
    lambdas but transforms of JAX, `functools.partial` and what only looks at its arguments."""
    for one in walk(node, (ir.FunctionDef,)):
        if isinstance(one, ir.Call):
            dotted = code.meaning(one.func)
            is_known = dotted.startswith(("jax.", "equinox.")) or dotted == "functools.partial"
            name = one.func.id if isinstance(one.func, ir.Name) else ""
            if not (is_known or (name in _PLAIN and code.is_unbound(name))):
                return False
        elif isinstance(one, (ir.Await, ir.Yield, ir.NamedExpr)):
            return False
    return True


def new_name(code: Code, node: ir.Node, base: str, scope: ir.Node | None = None) -> str:
    """A name for what a node is, which the file says nowhere and no other fix of it makes in the
    same scope: a function, a class or the module."""
    names = code.names.setdefault(id(scope), {})
    if id(node) not in names:
        made = set(names.values())
        name, number = base, 2
        while name in code.words or name in made:
            name, number = f"{base}_{number}", number + 1
        names[id(node)] = name
    return names[id(node)]


def inserted(code: Code, place: Place, text: str, is_function: bool = False) -> Edit:
    """A statement at a place, its first line without indentation."""
    gap = "\n" if is_function else ""
    if place.is_module and (is_function or isinstance(place.statement, _DEFINITIONS)):
        gap = "\n\n"
    return Edit(Span(place.line, 1, place.line, 1), f"{place.indent}{text}\n{gap}")


def shifted(code: Code, node: ir.Node, text: str, indent: str) -> str:
    """Text of a node as it stands at another indentation; as it is where that could change what is
    in a string."""
    line = code.source.line(code.module.locate(node).line)
    old = line[: len(line) - len(line.lstrip())]
    first, *others = text.split("\n")
    if not others or '"""' in text or "'''" in text:
        return text
    if any(one.strip() and not one.startswith(old) for one in others):
        return text
    return "\n".join([first, *(indent + one[len(old) :] if one.strip() else one for one in others)])


def hoisted(code: Code, node: ir.Expr, base: str) -> tuple[Place, tuple[Edit, ...]] | None:
    """What evaluates an expression once: the statement that gives it a name is moved, or it gets a
    name of its own."""
    place = destination(code, node, free_in_expression(node))
    if place is None or not is_idle(code, node):
        return None
    parent = code.parent(node)
    if isinstance(parent, ir.Assign) and parent.value is node and len(parent.targets) == 1:
        moved = _moved(code, parent, place)
        if moved is not None:
            return place, moved
    name = new_name(code, node, base)
    text = shifted(code, node, code.text(node), place.indent)
    return place, (inserted(code, place, f"{name} = {text}"), code.replace(node, name))


def _moved(code: Code, statement: ir.Assign, place: Place) -> tuple[Edit, ...] | None:
    """What moves an assignment with its line; None where its name could mean something else."""
    target, function = statement.targets[0], code.function(statement)
    if not isinstance(target, ir.Name) or _class_of(code, statement) is not None:
        return None
    body = code.module.body if function is None else function.body
    if len(binders(target.id, body)) != 1:
        return None
    is_free = function is None or target.id not in function.globals
    if place.is_module and not (is_free and code.is_unbound(target.id)):
        return None
    removed = code.removed(statement, with_comment=True)
    if removed is None or (place.is_module and not is_claimed(code, statement, target.id)):
        return None
    span = code.module.locate(statement)
    behind = code.source.line(span.end_line)[span.end_column - 1 :]
    text = shifted(code, statement, code.text(statement), place.indent) + behind.rstrip()
    return inserted(code, place, text), removed


def is_claimed(code: Code, statement: ir.Stmt, name: str) -> bool:
    """Whether a name of a function can be one of the module: it says something, and no other fix
    takes it."""
    names = code.names.setdefault(id(None), {})
    if len(name) < 3 or any(key != id(statement) and one == name for key, one in names.items()):
        return False
    names[id(statement)] = name
    return True

"""How a transform is applied in the source: what it is called there, its options, its function."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.base.text import Span
from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import walk
from jaxlint.fixes.queries.scopes import binders
from jaxlint.fixes.source import Code, is_dotted
from jaxlint.fixes.text.call_text import CallText
from jaxlint.fixes.text.literals import quoted, with_item
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

_PARTIAL = "functools.partial"


@slotted(frozen=True)
class Application:
    """One place where a transform is applied.

    `transform` is what names the transform. `holder` is the call that holds its options: that of
    the transform, or of `functools.partial`; None for a bare decorator. `function` is what it is
    applied to, where that is defined in the file; it is `bound` where that is a method of an
    object, whose first parameter JAX does not see.
    """

    code: Code
    transform: ir.Expr
    holder: ir.Call | None
    function: ir.FunctionDef | None
    bound: bool = False

    def option(self, name: str) -> ir.Expr | None:
        """What is given for an option."""
        for argument in () if self.holder is None else self.holder.args:
            if argument.keyword == name:
                return argument.value
        return None

    def options(self) -> tuple[str, ...] | None:
        """The names of the options that are given; None where some cannot be told."""
        if self.holder is None:
            return ()
        if any(argument.star for argument in self.holder.args):
            return None
        return tuple(a.keyword for a in self.holder.args if a.keyword is not None)

    def text(self) -> CallText | None:
        """The call that holds the options."""
        return None if self.holder is None else CallText(self.code, self.holder)


def application(code: Code, node: ir.Node) -> Application | None:
    """The application that a node is: the call of a transform, a decorator, or a function that is
    decorated with one transform; None for one of another file."""
    if not code.module.holds(node):
        return None
    if isinstance(node, ir.FunctionDef):
        found = [one for each in node.decorators if (one := _decorator(code, each)) is not None]
        return found[0] if len(found) == 1 else None
    if not isinstance(node, ir.Expr):
        return None
    parent = code.parent(node)
    if isinstance(parent, ir.FunctionDef) and any(one is node for one in parent.decorators):
        return _decorator(code, node)
    if not isinstance(node, ir.Call):
        return None
    holder = _holder(code, node.func)
    if holder is not None:
        first = node.args[0].value if node.args else None
        return _made(code, holder[0], holder[1], first)
    if not _is_transform(code, node.func):
        return None
    return _made(code, node.func, node, node.args[0].value if node.args else None)


def _decorator(code: Code, node: ir.Expr) -> Application | None:
    """The application that a decorator is."""
    function = code.parent(node)
    holder = _holder(code, node)
    if not isinstance(function, ir.FunctionDef):
        return None
    if holder is not None:
        return Application(code, *holder, function)
    return Application(code, node, None, function) if _is_transform(code, node) else None


def _holder(code: Code, node: ir.Expr) -> tuple[ir.Expr, ir.Call] | None:
    """What names the transform in `partial(jit, ...)` or `jit(option=...)`, and that call."""
    if not isinstance(node, ir.Call):
        return None
    if code.meaning(node.func) == _PARTIAL and node.args:
        first = node.args[0]
        is_bound = not first.star and first.keyword is None and len(_positional(node)) == 1
        if is_bound and _is_transform(code, first.value):
            return first.value, node
    elif _is_transform(code, node.func) and not _positional(node):
        return node.func, node
    return None


def _positional(call: ir.Call) -> list[ir.Argument]:
    return [
        argument for argument in call.args if argument.keyword is None and argument.star != "**"
    ]


def _made(code: Code, transform: ir.Expr, holder: ir.Call, given: ir.Expr | None) -> Application:
    function = None
    if isinstance(given, ir.Name):
        function = defined(code, given)
    elif isinstance(given, ir.Lambda):
        function = given.function
    elif isinstance(given, ir.Attribute):
        function = _method(code, given)
    return Application(code, transform, holder, function, isinstance(given, ir.Attribute))


@answered_once_of
def _classes(body: tuple[ir.Stmt, ...]) -> list[ir.ClassDef]:
    return [one for one in walk(body) if isinstance(one, ir.ClassDef)]


def _method(code: Code, node: ir.Attribute) -> ir.FunctionDef | None:
    """The method that an attribute of `self` is, if no other class of the file has one of that
    name and nothing decorates it."""
    holders = _classes(code.module.body)
    one = _only([one for holder in holders for one in binders(node.attr, holder.body)])
    is_own = isinstance(node.value, ir.Name) and node.value.id == "self"
    is_plain = isinstance(one, ir.FunctionDef) and not one.decorators
    return one if is_own and is_plain and isinstance(one, ir.FunctionDef) else None


def _is_transform(code: Code, node: ir.Expr) -> bool:
    """Whether an expression names something that takes a function: control flow of JAX too."""
    dotted = lookup.canonical(code.meaning(node)) if is_dotted(node) else ""
    return dotted.startswith("jax.lax.") or lookup.wrapper(dotted) is not None


def defined(code: Code, name: ir.Name) -> ir.FunctionDef | None:
    """The function that a name stands for."""
    found = meant(code, name)
    return found if isinstance(found, ir.FunctionDef) else None


def meant(code: Code, name: ir.Name) -> ir.Node | None:
    """The only thing in the file that binds a name as it is meant at a place."""
    for scope in code.around(name):
        if isinstance(scope, ir.FunctionDef) and name.id in scope.bound:
            return _only(binders(name.id, scope.body))
    holder = code.parent(code.statement(name) or name)
    if isinstance(holder, ir.ClassDef) and (found := binders(name.id, holder.body)):
        return _only(found)
    return _only(binders(name.id, code.module.body))


def _only(found: list[ir.Node]) -> ir.Node | None:
    return found[0] if len(found) == 1 else None


# -- options -----------------------------------------------------------------------------------


def made_static(one: Application, parameter: ir.Param) -> tuple[Edit, ...] | None:
    """What makes a parameter of the function static; None where it cannot be told how."""
    code, options = one.code, one.options()
    is_jit = code.meaning(one.transform).rpartition(".")[2] == "jit"
    if one.function is None or options is None or not is_jit:
        return None
    at = next((at for at, own in enumerate(one.function.params) if own is parameter), None)
    text = one.text()
    names, numbers = one.option("static_argnames"), one.option("static_argnums")
    if at is None:
        return None
    if text is None:
        return _with_options(one, f"static_argnames={quoted(code, parameter.name)}")
    edits: list[Edit] = []
    if numbers is not None and parameter.kind == "plain":
        more = with_item(code, numbers, str(at - one.bound))
        if more is None:
            return None
        edits += more
    if names is not None:
        more = with_item(code, names, quoted(code, parameter.name, names))
        if more is None:
            return None
        edits += more
    elif numbers is None or parameter.kind != "plain":
        edits += text.added(f"static_argnames={quoted(code, parameter.name)}")
    return tuple(edits)


def _with_options(one: Application, options: str) -> tuple[Edit, ...] | None:
    """Options for a bare decorator."""
    reached = one.code.reach(_PARTIAL, one.transform)
    if reached is None:
        return None
    partial, edits = reached
    return (
        one.code.before(one.transform, f"{partial}("),
        one.code.after(one.transform, f", {options})"),
        *edits,
    )


def applied_with(one: Application, dotted: str, options: frozenset[str]) -> tuple[Edit, ...] | None:
    """What applies another transform instead, one that takes no other options than these."""
    given = one.options()
    reached = one.code.reach(dotted, one.transform)
    if given is None or not options.issuperset(given) or reached is None:
        return None
    return one.code.replace(one.transform, reached[0]), *reached[1]


def taken_off(one: Application, node: ir.Node) -> Edit | None:
    """What leaves a function as it is: no decorator `node`, or the argument of the call `node`."""
    code = one.code
    parent = code.parent(node)
    if isinstance(parent, ir.FunctionDef) and any(each is node for each in parent.decorators):
        span = code.module.locate(node)
        before = code.source.line(span.line)[: span.column - 1]
        behind = code.source.line(span.end_line)[span.end_column - 1 :]
        if before.strip() != "@" or behind.strip()[:1] not in ("", "#"):
            return None
        if behind.strip():
            # The comment stays, on a line of its own.
            blank = len(behind) - len(behind.lstrip())
            return Edit(
                Span(span.line, before.index("@") + 1, span.end_line, span.end_column + blank), ""
            )
        return Edit(Span(span.line, 1, span.end_line + 1, 1), "")
    if not isinstance(node, ir.Call) or not node.args or node.args[0].keyword or node.args[0].star:
        return None
    given = node.args[0].value
    return code.expression(node, code.operand(given)) if isinstance(given, ir.Name) else None


def behind(code: Code, callee: ir.Expr) -> Application | None:
    """The application that made what is called: on the spot, as a decorator, or under a name that
    is bound to nothing else."""
    if not isinstance(callee, ir.Name):
        return application(code, callee) if isinstance(callee, ir.Call) else None
    found = meant(code, callee)
    if isinstance(found, ir.FunctionDef):
        return application(code, found)
    if isinstance(found, ir.Assign) and all(isinstance(one, ir.Name) for one in found.targets):
        return application(code, found.value)
    return None

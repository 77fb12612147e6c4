"""Choices of Python that a traced value makes, written as a selection: `jnp.where(test, a, b)`."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import bound_names, walk
from jaxlint.facts import Concretized
from jaxlint.fixes.queries.types import has_shape, is_number, is_something_else, may_be_number
from jaxlint.fixes.rewrites.boolean_arrays import Mask
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_SIMPLE = (ir.Assign, ir.AnnAssign, ir.AugAssign, ir.Return)
_TITLE = "Select with `{}`"


@slotted(frozen=True)
class Arm:
    """What one outcome of a test gives: the text, and whether that is surely a number or array."""

    text: str
    is_sure: bool


def selected(fact: Concretized, code: Code) -> Fix | None:
    """The fix of a conditional expression or an `if` statement whose test needs the value that
    a fact is about. Both arms are computed then."""
    part: ir.Node = fact.node
    for one in code.around(fact.node):
        if isinstance(one, (ir.If, ir.IfExp)) and one.test is part:
            return (
                _expression(fact, code, one)
                if isinstance(one, ir.IfExp)
                else _statement(fact, code, one)
            )
        if isinstance(one, (ir.Stmt, ir.IfExp, ir.Comprehension, ir.Call)):
            return None
        part = one
    return None


def _expression(fact: Concretized, code: Code, node: ir.IfExp) -> Fix | None:
    yes, no = _arm(code, node.body), _arm(code, node.orelse)
    made = _where(fact, code, node.test, yes, no) if yes and no else None
    if made is None:
        return None
    text, imports, name = made
    return code.fix(_TITLE.format(name), code.call(node, text), *imports)


def _statement(fact: Concretized, code: Code, node: ir.If) -> Fix | None:
    if code.text(node).startswith("elif") or not node.body:
        return None
    taken = node.body[0]
    head = "return" if isinstance(taken, ir.Return) else _target(taken)
    if head is None:
        return None
    kept = None if head == "return" else _kept(code, node, head)
    yes, end = _outcome(code, node.body, head, kept), _last(node)
    no, following = _outcome(code, node.orelse, head, kept), _following(code, node)
    if no is None and head == "return" and isinstance(following, ir.Return):
        no, end = _otherwise(code, node, following), following
    made = _where(fact, code, node.test, yes, no) if yes and no else None
    if made is None:
        return None
    text, imports, where = made
    first, last = code.module.locate(node), code.module.locate(end)
    span = Span(first.line, first.column, last.end_line, last.end_column)
    head = head if head == "return" else f"{head} ="
    edit = _with_comments(code, span, f"{head} {text}")
    return None if edit is None else code.fix(_TITLE.format(where), edit, *imports)


def _with_comments(code: Code, span: Span, text: str) -> Edit | None:
    """One line in the place of several statements: a comment in these goes behind it, or above it
    if there are more."""
    notes = [one for one in code.comments(span) if f"{one}\n" not in text]
    before = code.source.line(span.line)[: span.column - 1]
    behind = code.source.line(span.end_line)[span.end_column - 1 :]
    if len(notes) == 1 and not behind.strip() and span.end_line < len(code.source.lines):
        wider = Span(span.line, span.column, span.end_line + 1, 1)
        return Edit(wider, f"{text}  {notes[0]}\n")
    if notes and before.strip():
        return None
    return Edit(span, "".join(f"{one}\n{before}" for one in notes) + text)


def _outcome(
    code: Code, block: tuple[ir.Stmt, ...], head: str, kept: Arm | None = None
) -> Arm | None:
    """What a block returns, or assigns to a name, if it does nothing else; one that is not there
    leaves what is `kept`."""
    if not block:
        return kept
    one = block[0] if len(block) == 1 else None
    if isinstance(one, ir.If):
        yes = _outcome(code, one.body, head, kept)
        no = _outcome(code, one.orelse, head, kept)
        return _nested(code, one, yes, no)
    if isinstance(one, ir.Return) and head == "return":
        return None if one.value is None else _arm(code, one.value)
    return _assigned(code, one, head) if one is not None and _target(one) == head else None


def _otherwise(code: Code, node: ir.If, following: ir.Return) -> Arm | None:
    """What is returned behind an `if` statement whose body returns."""
    if not node.orelse:
        return None if following.value is None else _arm(code, following.value)
    one = node.orelse[0] if len(node.orelse) == 1 else None
    if not isinstance(one, ir.If):
        return None
    return _nested(code, one, _outcome(code, one.body, "return"), _otherwise(code, one, following))


def _nested(code: Code, node: ir.If, yes: Arm | None, no: Arm | None) -> Arm | None:
    """A choice in an arm stays one of Python, which has a finding of its own if it needs one."""
    if yes is None or no is None:
        return None
    return Arm(f"{yes.text} if {code.text(node.test)} else {no.text}", yes.is_sure and no.is_sure)


def _last(node: ir.If) -> ir.Stmt:
    """The last statement of an `if` statement."""
    one: ir.Stmt = node
    while isinstance(one, ir.If):
        one = (one.orelse or one.body)[-1]
    return one


def _where(
    fact: Concretized, code: Code, test: ir.Expr, yes: Arm, no: Arm
) -> tuple[str, set[Edit], str] | None:
    mask = Mask(fact, code, is_test=True)
    text, where = mask.text(test), mask.reach("jax.numpy.where")
    if text is None or where is None or not (yes.is_sure or no.is_sure):
        return None
    return f"{where}({text}, {yes.text}, {no.text})", mask.imports, where


def _arm(code: Code, node: ir.Expr) -> Arm | None:
    """An arm that can be computed whether it is taken or not."""
    function = code.function(node)
    for one in walk(node):
        if isinstance(one, (ir.Yield, ir.Await, ir.NamedExpr)):
            return None
        if isinstance(one, ir.Call) and function is not None and _is_own(one, function):
            return None
        # A function of the host may raise for what the test keeps from it.
        if isinstance(one, ir.Call) and code.meaning(one.func).startswith("math."):
            return None
    if has_shape(code, node) or (isinstance(node, ir.Name) and is_something_else(code, node)):
        return None
    text = code.text(node)
    return Arm(text, is_number(code, node)) if may_be_number(node) else None


def _is_own(call: ir.Call, function: ir.FunctionDef) -> bool:
    """Whether a function calls itself: who computes both arms never comes to an end."""
    func = call.func
    name = func.id if isinstance(func, ir.Name) else getattr(func, "attr", "")
    return name == function.name


def _target(statement: ir.Stmt) -> str | None:
    """The one name that a statement assigns to."""
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ir.AugAssign):
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ir.Name) else None


def _assigned(code: Code, statement: ir.Stmt, name: str) -> Arm | None:
    if isinstance(statement, ir.Assign):
        return _arm(code, statement.value)
    if not isinstance(statement, ir.AugAssign) or _arm(code, statement.value) is None:
        return None
    is_sure = statement.op in ("-", "/", "//", "**", "@") or is_number(code, statement.value)
    return Arm(f"{name} {statement.op} {code.operand(statement.value)}", is_sure)


def _kept(code: Code, node: ir.If, name: str) -> Arm | None:
    """What a name holds before a statement, if it surely holds something."""
    function = code.function(node)
    if function is None:
        return None
    is_bound = any(one.name == name for one in function.params)
    at: ir.Stmt = node
    while not is_bound:
        for one in code.block(at):
            if one is at:
                break
            is_bound = is_bound or (isinstance(one, _SIMPLE) and name in bound_names(one))
        above = code.parent(at)
        if not isinstance(above, ir.Stmt) or above is function:
            break
        at = above
    names = (one for one in walk(node) if isinstance(one, ir.Name) and one.id == name)
    is_odd = any(is_something_else(code, one) for one in names)
    return Arm(name, False) if is_bound and not is_odd else None


def _following(code: Code, node: ir.If) -> ir.Stmt | None:
    block = code.block(node)
    at = next(i for i, one in enumerate(block) if one is node)
    return block[at + 1] if at + 1 < len(block) else None

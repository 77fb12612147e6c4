"""What host code computes between two readings of a clock, and what makes it wait for that."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.fixes.queries.scopes import binders
from jaxlint.fixes.queries.transform_sites import behind
from jaxlint.fixes.source import Code, is_dotted
from jaxlint.fixes.text import blocks
from jaxlint.syntax import ir

# More results are waited for by hand.
_MOST = 4


def awaited(code: Code, difference: ir.Node) -> Fix | None:
    """The fix that waits for the results of JAX before a clock is read again. None where it
    cannot be told what they are."""
    if not isinstance(difference, ir.BinOp):
        return None
    end, start = _reading(code, difference.left), _reading(code, difference.right)
    between = None if end is None or start is None else _between(code, start, end)
    if end is None or not between:
        return None
    last = between[-1]
    wrapped = _wrapped(code, last) if isinstance(last, ir.ExprStmt) else None
    if wrapped is not None:
        return wrapped
    names = list(dict.fromkeys(name for one in between for name in _results(code, one)))
    reached = code.reach("jax.block_until_ready", difference)
    span = code.module.locate(end)
    indent = code.source.line(span.line)[: span.column - 1]
    if not names or len(names) > _MOST or reached is None or indent.strip():
        return None
    results = names[0] if len(names) == 1 else f"({', '.join(names)})"
    text = f"{reached[0]}({results})"
    edit = Edit(Span(span.line, 1, span.line, 1), f"{indent}{text}\n")
    return code.fix(f"Wait for it: `{text}`", edit, *reached[1])


def _reading(code: Code, node: ir.Expr) -> ir.Stmt | None:
    """The statement in which the clock is read whose time an expression is."""
    if isinstance(node, ir.Call):
        return code.statement(node)
    if not isinstance(node, ir.Name):
        return None
    function = code.function(node)
    found = binders(node.id, code.module.body if function is None else function.body)
    line = code.module.locate(node).line
    before = [one for one in found if code.module.locate(one).line < line]
    one = before[-1] if before else None
    is_read = isinstance(one, ir.Assign) and isinstance(one.value, ir.Call)
    return one if is_read and isinstance(one, ir.Assign) else None


def _between(code: Code, start: ir.Stmt, end: ir.Stmt) -> tuple[ir.Stmt, ...]:
    """The statements between two of one block."""
    block = code.block(end)
    at = [at for at, one in enumerate(block) if one is start or one is end]
    return block[at[0] + 1 : at[1]] if len(at) == 2 else ()


def _results(code: Code, statement: ir.Stmt) -> Iterator[str]:
    """The names that a statement binds to what is computed by JAX, or by functions of the file."""
    if isinstance(statement, (ir.For, ir.With)):
        for one in statement.body:
            yield from _results(code, one)
    elif isinstance(statement, (ir.Assign, ir.AugAssign)) and _computes(code, statement.value):
        targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,)
        for target in targets:
            for part in target.items if isinstance(target, ir.Sequence) else (target,):
                if is_dotted(part) and not dotted_text(part).startswith("_"):
                    yield dotted_text(part)


def _computes(code: Code, node: ir.Expr) -> bool:
    """Whether an expression calls anything but a clock, or has an operator."""
    if isinstance(node, ir.Call) and code.meaning(node.func).startswith(("time.", "timeit.")):
        return False
    return any(isinstance(one, (ir.BinOp, ir.Call)) for one in walk(node, (ir.FunctionDef,)))


def _wrapped(code: Code, statement: ir.ExprStmt) -> Fix | None:
    """Waits for the result of a compiled function that nothing is done with."""
    call = statement.value
    if not isinstance(call, ir.Call) or not _is_jax(code, call):
        return None
    reached = code.reach("jax.block_until_ready", call)
    extent = blocks.lines(code, statement)
    if reached is None or extent is None:
        return None
    wait = reached[0]
    edits = (code.before(call, f"{wait}("), code.after(call, ")"), *reached[1])
    return code.fix(f"Wait for it: `{wait}(...)`", *edits)


def _is_jax(code: Code, call: ir.Call) -> bool:
    """Whether a call is one of JAX, or of what a transform of JAX made."""
    if code.meaning(call.func).startswith("jax."):
        return True
    one = behind(code, call.func)
    return one is not None and code.meaning(one.transform).startswith("jax.")

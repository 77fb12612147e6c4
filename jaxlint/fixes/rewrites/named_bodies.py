"""Functions that control flow is given, defined once."""

from __future__ import annotations

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.queries.scopes import binders
from jaxlint.fixes.queries.transform_sites import meant
from jaxlint.fixes.rewrites.hoist import (
    Place,
    destination,
    free_in_expression,
    inserted,
    is_claimed,
    is_idle,
    new_name,
    shifted,
)
from jaxlint.fixes.source import Code
from jaxlint.fixes.text import blocks
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# What the functions are for that control flow is given, in order.
_ROLES = {"while_loop": ("condition", "body")}


def bodies_once(code: Code, call: ir.Call) -> Fix | None:
    """The fix that makes the functions which control flow is given once: each gets a name."""
    flow = _last_name(call.func)
    fresh = [one for one in _given(call) if _is_fresh(code, one)]
    roles = [*_ROLES.get(flow, ()), *["body"] * len(fresh)]
    found = [
        _body_once(code, one, f"{flow}_{role}") for one, role in zip(fresh, roles, strict=False)
    ]
    places = [one[0] for one in found if one is not None]
    if not places or len(places) < len(found):
        return None
    edits = [edit for one in found if one is not None for edit in one[1]]
    return code.fix(f"Define it once, {places[0].described()}", *_joined(edits))


def _given(call: ir.Call) -> list[ir.Expr]:
    """The arguments of a call, those in displays by themselves."""
    found: list[ir.Expr] = []
    for argument in call.args:
        value = argument.value
        found += value.items if isinstance(value, ir.Sequence) else (value,)
    return found


def _is_fresh(code: Code, node: ir.Expr) -> bool:
    """Whether an expression makes a function anew, or names one that is made in the function."""
    if isinstance(node, ir.Lambda):
        return True
    if isinstance(node, ir.Call):
        dotted = code.meaning(node.func)
        return dotted == "functools.partial" or lookup.wrapper(dotted) is not None
    return isinstance(node, ir.Name) and _local_function(code, node) is not None


def _local_function(code: Code, name: ir.Name) -> ir.FunctionDef | None:
    """The function of another function, or of a loop, that a name stands for."""
    found = meant(code, name)
    holder = None if found is None else code.parent(found)
    is_local = holder is not None and not isinstance(holder, ir.ClassDef)
    return found if is_local and isinstance(found, ir.FunctionDef) else None


def _body_once(code: Code, node: ir.Expr, base: str) -> tuple[Place, tuple[Edit, ...]] | None:
    if isinstance(node, ir.Name):
        function = _local_function(code, node)
        return None if function is None else _moved_function(code, node, function, base)
    place = destination(code, node, free_in_expression(node))
    if place is None or not is_idle(code, node):
        return None
    name = new_name(code, node, base)
    if isinstance(node, ir.Lambda):
        made = _as_function(code, node, name, place)
        return None if made is None else (place, (made, code.replace(node, name)))
    text = f"{name} = {shifted(code, node, code.text(node), place.indent)}"
    return place, (inserted(code, place, text), code.replace(node, name))


def _as_function(code: Code, node: ir.Lambda, name: str, place: Place) -> Edit | None:
    """The definition of a function that does what a lambda does."""
    text, body = code.text(node), node.function.body[0]
    if "\n" in text or not isinstance(body, ir.Return) or body.value is None:
        return None
    start = code.module.locate(node)
    value = code.module.locate(body.value)
    head = text[len("lambda") : value.column - start.column]
    params, colon, opening = head.rpartition(":")
    result = text[len("lambda") + len(params) + len(colon) :].strip()
    if not colon or opening.strip(" ("):
        return None
    lines = (f"def {name}({params.strip()}):", f"{place.indent}    return {result}")
    return inserted(code, place, "\n".join(lines), is_function=True)


def _moved_function(
    code: Code, node: ir.Name, function: ir.FunctionDef, base: str
) -> tuple[Place, tuple[Edit, ...]] | None:
    """A local function that captures nothing, moved with its lines; with another name where the
    module has its own."""
    around = code.function(function)
    body = code.module.body if around is None else around.body
    place = destination(code, function, free_in_expression(function) - {function.name})
    if place is None or len(binders(function.name, body)) != 1 or function.decorators:
        return None
    moved = _lines(code, function, place)
    if moved is None:
        return None
    text, removed = moved
    name = function.name
    is_own = around is None or (code.is_unbound(name) and is_claimed(code, function, name))
    if not place.is_module or is_own:
        return place, (inserted(code, place, text, is_function=True), removed)
    said = [one for one in walk(body) if isinstance(one, ir.Name) and one.id == name]
    head = f"def {name}("
    if len(said) != 1 or not text.startswith(head):
        return None
    other = new_name(code, node, base)
    text = f"def {other}({text[len(head) :]}"
    edit = inserted(code, place, text, is_function=True)
    return place, (edit, removed, code.replace(node, other))


def _lines(code: Code, function: ir.FunctionDef, place: Place) -> tuple[str, Edit] | None:
    """The lines of a function as they stand at a place, and what takes them out."""
    span = blocks.lines(code, function)
    if span is None or len(code.block(function)) < 2:
        return None
    removed = blocks.removed(code, *span)
    whole = blocks.text(code, *span)
    old = whole[: len(whole) - len(whole.lstrip())]
    text = blocks.dedented(whole, old, place.indent)
    return None if removed is None or text is None else (text[len(place.indent) :], removed)


def _last_name(node: ir.Expr) -> str:
    return node.attr if isinstance(node, ir.Attribute) else getattr(node, "id", "function")


def _joined(edits: list[Edit]) -> list[Edit]:
    """Insertions at one place as one."""
    found: dict[Span, str] = {}
    for edit in edits:
        found[edit.span] = found.get(edit.span, "") + edit.replacement
    return [Edit(span, text) for span, text in found.items()]

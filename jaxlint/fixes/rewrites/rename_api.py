"""Other names for names of JAX that went, or that warn: in expressions, imports and calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.dataflow.names import walk
from jaxlint.facts import Outdated
from jaxlint.fixes.rewrites.calls import keyword_span, named, wrapped
from jaxlint.fixes.source import Code
from jaxlint.knowledge import lookup
from jaxlint.knowledge.releases import (
    CLOSE,
    PARAMETERS,
    POSITIONAL,
    SWITCHES,
    TIGHTENED,
    UNLIKE,
)
from jaxlint.syntax import ir

Edits = tuple[Edit, ...]
_PARAMETER = re.compile(r"(?P<function>[\w.]+)\((?P<name>\w+)=\)")
_IMPORT = re.compile(r"\s*from\s+(?P<module>[\w.]+)\s+import\b")


def renamed(code: Code, fact: Outdated) -> Fix | None:
    """The fix that uses what JAX has in place of a name, where that has the same contract."""
    node, target = fact.node, fact.target
    title = f"Replace `{target}` with `{fact.instead}`"
    edits: Edits | None = None
    if not fact.settled:
        return None
    if isinstance(node, ir.Attribute) and target in SWITCHES:
        edits = _switch(code, node, target, fact.instead)
    elif isinstance(node, ir.Attribute) and _is_alike(target, fact.instead):
        edits = _expression(code, node, fact.instead)
    elif isinstance(node, ir.ImportFrom) and fact.renames:
        title = "Import the names that JAX has instead"
        edits = _imported(code, node, fact.renames)
    elif isinstance(node, ir.Expr) and target == "with mesh:":
        title, edits = "Enter the mesh by `jax.set_mesh`", wrapped(code, node, fact.instead)
    elif isinstance(node, ir.Call) and target.endswith("(*args)"):
        title = "Pass the arguments by name"
        edits = _by_name(code, node, target.partition("(")[0])
    elif isinstance(node, ir.Call):
        title = "Pass the arguments by the names that JAX has instead"
        edits = _argument(code, node, target)
    if edits is None:
        return None
    return code.fix(title, *edits, unsafe=target in CLOSE or target == "with mesh:")


def _switch(code: Code, node: ir.Attribute, target: str, instead: str) -> Edits | None:
    """A call of a switch, with what it sets."""
    call, reached = code.parent(node), code.reach(instead, node)
    if not (isinstance(call, ir.Call) and call.func is node) or reached is None:
        return None
    if not call.args:
        return code.replace(call, f"{reached[0]}({SWITCHES[target]})"), *reached[1]
    sets = SWITCHES[target] == "True" and len(call.args) == 1
    if not sets or call.args[0].keyword or call.args[0].star:
        return None
    return code.replace(node, reached[0]), *reached[1]


def _is_alike(target: str, instead: str) -> bool:
    """Whether a name can be replaced as it is."""
    return bool(instead) and target not in UNLIKE and lookup.removal(instead) is None


# -- names in expressions ------------------------------------------------------------------------


def _expression(code: Code, node: ir.Attribute, instead: str) -> Edits | None:
    reached = code.reach(instead, node)
    used = _used(code, node, instead)
    if reached is None or used is None:
        return None
    more = (*reached[1], *used)
    if not instead.startswith("jax.extend."):
        return (code.replace(node, reached[0]), *more)
    if reached[0] != instead or reached[1]:
        return (code.replace(node, reached[0]), *more) if reached[0] != instead else None
    # `import jax` alone does not bring this one.
    module = instead.rpartition(".")[0]
    imports = code.importing(f"import {module}")
    return None if imports is None else (code.replace(node, instead), *more, *imports)


# -- names in imports ----------------------------------------------------------------------------


def _imported(
    code: Code, node: ir.ImportFrom, renames: tuple[tuple[str, str], ...]
) -> Edits | None:
    """`from jax import tree_map` as `from jax.tree import map as tree_map`."""
    text, names, new = code.text(node), dict(node.names or ()), dict(renames)
    head = _IMPORT.match(text)
    if head is None or not names or any(not _is_alike(f"{node.module}.{n}", new[n]) for n in new):
        return None
    edits: list[Edit] = []
    for name, instead in renames:
        for use in _uses(code, names[name] or name):
            more = _used(code, use, instead)
            if more is None:
                return None
            edits += more
    lines = [_line(name, names[name], instead) for name, instead in renames]
    span = code.module.locate(node)
    indent = code.source.line(span.line)[: span.column - 1]
    if indent.strip() or code.source.line(span.end_line)[span.end_column - 1 :].startswith(";"):
        return None
    kept = [name for name in names if name not in new]
    if not kept:
        return (code.replace(node, f"\n{indent}".join(lines)), *edits)
    rest = text[head.end() :]
    for name in new:
        rest = re.sub(rf"(?<![\w.]){name}(\s+as\s+\w+)?\s*(?:,[ \t]*|(?=\)|$))", "", rest, count=1)
    rest = re.sub(r",\s*$", "", re.sub(r"\n[ \t]*(?=\n)", "", rest))
    if "#" in rest or "\\" in rest or _names(rest) != [(name, names[name]) for name in kept]:
        return None
    lines.append(f"{text[: head.end()]}{rest}")
    return (code.replace(node, f"\n{indent}".join(lines)), *edits)


def _line(name: str, alias: str | None, instead: str) -> str:
    module, _, new = instead.rpartition(".")
    bound = alias or name
    return f"from {module} import {new}" + (f" as {bound}" if new != bound else "")


def _names(text: str) -> list[tuple[str, str | None]]:
    """The names of an import, with what they are bound to, as its text has them."""
    parts = [one.split() for one in text.strip(" ()\n").split(",") if one.strip()]
    return [(one[0], one[2] if len(one) == 3 else None) for one in parts]


def _uses(code: Code, name: str) -> Iterator[ir.Name]:
    """Where a module reads a name, whatever it means there."""
    for one in walk(code.module.body):
        if isinstance(one, ir.Name) and one.id == name:
            yield one


# -- calls ---------------------------------------------------------------------------------------


def _used(code: Code, node: ir.Expr, instead: str) -> Edits | None:
    """What the use of a name needs besides, where its new one takes fewer arguments by position or
    calls them otherwise. None where that cannot be seen."""
    contract = TIGHTENED.get(instead)
    if contract is None:
        return ()
    order, other = contract
    parent = code.parent(node)
    if isinstance(parent, ir.FunctionDef):
        return ()
    if not isinstance(parent, ir.Call):
        return None
    args, first = parent.args, 1
    if parent.func is not node:
        is_partial = code.meaning(parent.func) == "functools.partial"
        if not is_partial or not args or args[0].value is not node:
            return None
        first = 2
        order = ("function", *order)
    edits: list[Edit] = []
    for at, argument in enumerate(args):
        if (
            argument.star
            or at >= len(order)
            or (argument.keyword or order[at]) not in order[first:]
        ):
            if argument.star or argument.keyword or at >= first:
                return None
        elif argument.keyword in other:
            span = keyword_span(code, parent, at)
            if span is None:
                return None
            edits.append(Edit(span, other[argument.keyword]))
        elif not argument.keyword and at >= first:
            one = named(code, parent, at, other.get(order[at], order[at]))
            if one is None:
                return None
            edits.append(one)
    return tuple(edits)


def _argument(code: Code, node: ir.Call, target: str) -> Edits | None:
    """Other names for all parameters that went."""
    found = _PARAMETER.fullmatch(target)
    if found is None:
        return None
    removals = PARAMETERS[found["function"]]
    edits: list[Edit] = []
    for at, argument in enumerate(node.args):
        removal = removals.get(argument.keyword or "")
        span = None if removal is None else keyword_span(code, node, at)
        if removal is None:
            continue
        if span is None or not removal.instead:
            return None
        edits.append(Edit(span, removal.instead))
    return tuple(edits)


def _by_name(code: Code, node: ir.Call, dotted: str) -> Edits | None:
    """Names for the arguments that are not taken by position any more."""
    most, spec = POSITIONAL[dotted][0], lookup.function(dotted)
    if spec is None:
        return None
    edits = [
        named(code, node, at, spec.params[at])
        for at, argument in enumerate(node.args)
        if at >= most and not argument.keyword
    ]
    return None if None in edits else tuple(one for one in edits if one is not None)

"""Calls, as fixes change them: another function, other names of arguments, other operands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Fix
from jaxlint.base.text import Span
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.facts import Fact
from jaxlint.fixes.equivalents import namesake, renamed_keywords, takes
from jaxlint.fixes.queries.uses import suits_array
from jaxlint.fixes.source import Code
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.operands import REFUSES_LISTS
from jaxlint.syntax import ir

_LISTS = ("list", "tuple")


def call_with(code: Code, node: ir.Node) -> ir.Call | None:
    """The call that an expression is an argument of, alone or in a display."""
    one = code.parent(node)
    while isinstance(one, (ir.Sequence, ir.Comprehension)):
        node, one = one, code.parent(one)
    is_argument = isinstance(one, ir.Call) and any(a.value is node for a in one.args)
    return one if is_argument and isinstance(one, ir.Call) else None


def given(call: ir.Call, dotted: str) -> dict[str, ir.Expr]:
    """The arguments of a call by the names of the parameters of a function."""
    spec = lookup.function(lookup.canonical(dotted))
    params = () if spec is None else spec.params[: max(spec.positional, 0)]
    found = {a.keyword: a.value for a in call.args if a.keyword}
    for name, argument in zip(params, call.args, strict=False):
        if argument.keyword or argument.star:
            break
        found[name] = argument.value
    return found


def recalled(code: Code, call: ir.Call, dotted: str) -> tuple[Edit, ...] | None:
    """What makes a call one of another function, with the same arguments; their names too, where
    that has others."""
    reached = code.reach(dotted, call)
    if reached is None:
        return None
    edits = [code.replace(call.func, reached[0]), *reached[1]]
    renamed = _by_position(code.meaning(call.func), dotted) | renamed_keywords(dotted)
    for old, new in renamed.items():
        for at, argument in enumerate(call.args):
            if argument.keyword == old:
                span = keyword_span(code, call, at)
                if span is None:
                    return None
                edits.append(Edit(span, new))
    return tuple(edits)


def _by_position(dotted: str, other: str) -> dict[str, str]:
    """The parameters of a function that another one takes in the same place by another name."""
    known, wanted = lookup.function(dotted), lookup.function(other)
    if known is None or wanted is None:
        return {}
    pairs = zip(known.params, wanted.params, strict=False)
    return {old: new for old, new in pairs if old != new and old not in wanted.params}


def keyword_span(code: Code, call: ir.Call, at: int) -> Span | None:
    """The place of the keyword of an argument; None where it is not beside the value."""
    argument = call.args[at]
    span = code.module.locate(argument.value)
    before = code.source.line(span.line)[: span.column - 1]
    found = re.search(rf"(?<!\w)({argument.keyword})\s*=[\s(]*$", before)
    if found is None:
        return None
    return Span(span.line, found.start(1) + 1, span.line, found.end(1) + 1)


def named(code: Code, call: ir.Call, at: int, name: str) -> Edit | None:
    """What passes an argument by name instead of by its position; None where something stands
    between it and the comma before it."""
    place = whole(code, call.args[at].value)
    before = code.source.line(place.line)[: place.column - 1]
    found = re.search(r"(?:^|,)\s*(?P<open>[(\s]*)$" if at else r"\((?P<open>\s*)$", before)
    if found is None:
        return None
    column = found.start("open") + 1
    return Edit(Span(place.line, column, place.line, column), f"{name}=")


def whole(code: Code, node: ir.Expr) -> Span:
    """The place of an expression, that of a tuple with the parentheses around it."""
    span = code.module.locate(node)
    if not (isinstance(node, ir.Sequence) and node.kind == "tuple"):
        return span
    before = code.source.line(span.line)[: span.column - 1].rstrip()
    behind = code.source.line(span.end_line)[span.end_column - 1 :]
    found = re.match(r"\s*(?:,\s*)?\)", behind)
    if found is None or not before.endswith("("):
        return span
    return Span(span.line, len(before), span.end_line, span.end_column + found.end())


def arguments(code: Code, call: ir.Call) -> str:
    """What is written between the parentheses of a call."""
    text = code.source.slice(code.rest(call, call.func))
    return text[text.index("(") + 1 : -1].strip()


def as_arrays(
    code: Code, call: ir.Call, dotted: str, lists: tuple[ir.Expr, ...] = ()
) -> tuple[Edit, ...] | None:
    """What makes arrays of the lists that a function is given where it takes arrays alone; `lists`
    are those that do not look like one."""
    edits: list[Edit] = []
    for name, value in given(call, dotted).items():
        is_list = value in lists or _is_display(value)
        if not is_list or name not in REFUSES_LISTS.get(lookup.canonical(dotted), ()):
            continue
        one = wrapped(code, value, "jax.numpy.array")
        if one is None:
            return None
        edits += one
    return tuple(edits)


def _is_display(node: ir.Expr) -> bool:
    comprehends = isinstance(node, ir.Comprehension) and node.kind == "list"
    return comprehends or (isinstance(node, ir.Sequence) and node.kind in _LISTS)


def wrapped(code: Code, node: ir.Expr, dotted: str) -> tuple[Edit, ...] | None:
    """What makes an expression the argument of a function."""
    reached = code.reach(dotted, node)
    if reached is None:
        return None
    span = whole(code, node)
    text = code.source.slice(span)
    is_bare = isinstance(node, ir.Sequence) and text[:1] not in ("(", "[", "{")
    begin, end = ("((", "))") if is_bare else ("(", ")")
    return (
        Edit(Span(span.line, span.column, span.line, span.column), f"{reached[0]}{begin}"),
        Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), end),
        *reached[1],
    )


def method_call(code: Code, node: ir.Node) -> ir.Call | None:
    """The call of a method of an expression, if that is what it is there for."""
    method = code.parent(node)
    call = code.parent(method) if isinstance(method, ir.Attribute) else None
    return call if isinstance(call, ir.Call) and call.func is method else None


def without_method(code: Code, call: ir.Call) -> Edit | None:
    """What takes a call of a method, without arguments, from the array that it is called of."""
    method = call.func
    if not isinstance(method, ir.Attribute):
        return None
    span = code.module.locate(call)
    rest = code.source.slice(code.rest(call, method.value))
    found = re.search(rf"[\s\\]*\.[\s\\]*{method.attr}\s*\(\s*\)$", rest)
    if found is None:
        return None
    before = rest[: found.start()]
    line = span.end_line - rest.count("\n") + before.count("\n")
    column = len(before) - before.rfind("\n")
    if "\n" not in before:
        column += code.rest(call, method.value).column - 1
    return Edit(Span(line, column, span.end_line, span.end_column), "")


def inside(nodes: object) -> Iterator[ir.Node]:
    """All nodes under one, or under several, themselves included."""
    yield from (one for one in walk(nodes) if isinstance(one, ir.Node))


def parts(node: ir.Expr) -> Iterator[ir.Expr]:
    """The elements of a tuple as an index has it, or the expression itself."""
    if isinstance(node, ir.Sequence) and node.kind == "tuple":
        yield from node.items
    else:
        yield node


def namesake_called(
    code: Code, fact: Fact, node: ir.Node, dotted: str, container: str = ""
) -> Fix | None:
    """The fix that lets the function of JAX compute what one of NumPy is called for with a
    traced value, `node`, or in a list of some kind. None where that takes other arguments, or
    where what uses the result cannot do with an array of JAX."""
    call, other = call_with(code, node), namesake(dotted)
    # Who makes an array of NumPy of what JAX computed from Python values wants those values.
    is_python = fact.trail is not None and fact.trail.python
    if is_python and dotted.rpartition(".")[2] in lookup.CONVERTERS:
        return None
    if call is None or not other or code.meaning(call.func) != dotted:
        return None
    if dotted.endswith(".at"):
        return None  # It writes in place, where that of JAX gives a new array.
    if not (takes(other, call) and suits_array(code, call)):
        return None
    inner = node if container in _LISTS and isinstance(node, ir.Expr) else call
    edits, more = recalled(code, call, other), as_arrays(code, call, other, (inner,))
    if edits is None or more is None:
        return None
    title = f"Replace `{dotted_text(call.func)}` with `{edits[0].replacement}`"
    return code.fix(title, *edits, *more, unsafe=not code.is_exclusive(fact))

"""Text that values are formatted into, taken apart and written as a format for later."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterable, Iterator
from typing import TypeGuard

from jaxlint.base.dataclass import slotted
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_PERCENT = re.compile(r"%(?:%|(?P<flags>[ 0+-]*)(?P<size>\d*(?:\.\d+)?)(?P<kind>[srdifeEgGxXo]))")
_SHOWN = frozenset({"builtins.str", "builtins.repr"})
_LONGEST = 100
# Flags of `%` that a specification has too.
_FLAGS = frozenset({"", "0", "+"})


@slotted(frozen=True)
class Field:
    """A value in a text: how it is converted and laid out, and its whole `source` if that is a
    field of an f-string. `is_named` tells that there may be a name for it in the text."""

    value: ir.Expr
    conversion: str = ""
    spec: str = ""
    source: str = ""
    is_named: bool = False


Piece = str | Field


def is_text(code: Code, node: ir.Expr) -> bool:
    """Whether an expression surely gives text."""
    if isinstance(node, ir.BinOp) and node.op == "+":
        return is_text(code, node.left) or is_text(code, node.right)
    if isinstance(node, ir.BinOp):
        return node.op == "%" and _is_literal(node.left)
    if isinstance(node, ir.Call):
        func = node.func
        if isinstance(func, ir.Attribute) and func.attr == "format":
            return _is_literal(func.value)
        return code.meaning(func) in _SHOWN
    return isinstance(node, ir.JoinedString) or _is_literal(node)


def pieces(code: Code, node: ir.Expr) -> list[Piece] | None:
    """What the text that an expression gives, or is printed as, is made of."""
    if isinstance(node, ir.Const):
        return [str(node.value)]
    if isinstance(node, ir.JoinedString):
        return list(_of_joined(code, node))
    if not is_text(code, node):
        return [Field(node)]
    if isinstance(node, ir.BinOp) and node.op == "+":
        left, right = pieces(code, node.left), pieces(code, node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ir.BinOp):
        return _of_percent(node)
    if not isinstance(node, ir.Call) or any(one.star for one in node.args):
        return None
    if isinstance(node.func, ir.Attribute) and node.func.attr == "format":
        return _of_format(node, node.func.value)
    if len(node.args) != 1 or node.args[0].keyword:
        return None
    is_repr = code.meaning(node.func) == "builtins.repr"
    return [Field(node.args[0].value, "r" if is_repr else "")]


def percent_pieces(template: str, values: Iterable[ir.Expr]) -> list[Piece] | None:
    """The pieces of a template of `%`, None where it is not that of so many values."""
    found: list[Piece] = []
    rest, done = list(values), 0
    for match in _PERCENT.finditer(template):
        found.append(template[done : match.start()])
        done = match.end()
        kind = match["kind"]
        if kind is None:
            found.append("%")
        elif not rest or match["flags"] not in _FLAGS:
            return None
        else:
            spec = match["flags"] + match["size"]
            if kind in "feEgGxXo" or spec:
                spec += {"s": "", "r": "", "i": "d"}.get(kind, kind)
            if kind in "sr" and spec:
                return None
            found.append(Field(rest.pop(0), "r" if kind == "r" else "", spec))
    found.append(template[done:])
    if rest or "%" in _PERCENT.sub("", template):
        return None
    return found


def listed_pieces(text: str, values: Iterable[ir.Expr]) -> list[Piece]:
    """The pieces of a text with values behind it, as `print` shows them."""
    found: list[Piece] = [text]
    for one in values:
        found += ["" if text.endswith((" ", "=")) and len(found) == 1 else " ", Field(one)]
    return found


@slotted(frozen=True)
class Format:
    """A literal of a format, and its operands: by position, and by name."""

    literal: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]

    def call(self, callee: str, before: str) -> str:
        """A call with all as its arguments, behind what stands `before` it on its line: on a line
        each where one would be too long."""
        given = [self.literal, *self.positional, *(f"{k}={v}" for k, v in self.named)]
        text = f"{callee}({', '.join(given)})"
        indent = before[: len(before) - len(before.lstrip())]
        if len(before) + len(text) <= _LONGEST or "\n" in text or before.strip():
            return text
        unit = "\t" if "\t" in indent else "    "
        return "".join(
            [f"{callee}(\n", *(f"{indent}{unit}{one},\n" for one in given), f"{indent})"]
        )


class FormatWriter:
    """Writes a format from pieces. Values that are `later` become fields; others are formatted at
    once, as they are. `is_format` tells that the text of the pieces is one already."""

    def __init__(self, code: Code, later: Collection[ir.Expr], is_format: bool = False) -> None:
        self.code = code
        self.later = {id(one) for one in later}
        self.is_format = is_format
        self.reserved = frozenset({"fmt", "ordered", "partitioned", "skip_format_check"})
        self.positional: list[str] = []
        self.named: dict[str, str] = {}
        self.used: set[int] = set()

    def written(self, parts: list[Piece], quote: str = '"') -> Format | None:
        """The format; None where something later is in none of the fields."""
        is_mixed = any(isinstance(one, Field) and not self._is_later(one) for one in parts)
        texts = []
        for one in parts:
            text = self._field(one) if isinstance(one, Field) else self._plain(one)
            if text is None:
                return None
            is_ready = isinstance(one, Field) and not self._is_later(one)
            if is_mixed and not is_ready:
                text = text.replace("{", "{{").replace("}", "}}")
            texts.append(text if is_ready else _escaped(text, quote))
            if is_ready and (quote in text or "\\" in text or "\n" in text):
                return None
        if self.used != self.later:
            return None
        literal = f"{'f' if is_mixed else ''}{quote}{''.join(texts)}{quote}"
        return Format(literal, tuple(self.positional), tuple(self.named.items()))

    def _is_later(self, field: Field) -> bool:
        return id(field.value) in self.later

    def _plain(self, text: str) -> str:
        return text if self.is_format else text.replace("{", "{{").replace("}", "}}")

    def _field(self, field: Field) -> str | None:
        tail = (f"!{field.conversion}" if field.conversion else "") + (
            f":{field.spec}" if field.spec else ""
        )
        text = self.code.text(field.value)
        if not self._is_later(field):
            if isinstance(field.value, (ir.Dict, ir.Comprehension, ir.Lambda, ir.Sequence)):
                return field.source or None
            return field.source or f"{{{text}{tail}}}"
        if "{" in field.spec:
            return None
        self.used.add(id(field.value))
        name = field.value.id if isinstance(field.value, ir.Name) else ""
        if field.is_named and name and name not in self.reserved:
            self.named[name] = text
            return f"{{{name}{tail}}}"
        self.positional.append(text)
        return f"{{{tail}}}"


def quote_of(code: Code, node: ir.Expr) -> str:
    """The quotation mark that the source of a text begins with."""
    found = re.search(r"[\"']", code.text(node))
    return found[0] if found else '"'


def _is_literal(node: ir.Expr) -> TypeGuard[ir.Const]:
    return isinstance(node, ir.Const) and isinstance(node.value, str)


def _of_joined(code: Code, node: ir.JoinedString) -> Iterator[Piece]:
    for part in node.parts:
        if isinstance(part, ir.Const):
            yield str(part.value)
        elif isinstance(part, ir.Formatted):
            rest = code.source.slice(code.rest(part, part.value)).lstrip(") \t\n")
            spec = "".join(
                str(one.value) if isinstance(one, ir.Const) else "{"
                for one in (part.spec.parts if part.spec is not None else ())
            )
            source, conversion = code.text(part), part.conversion or ""
            if rest.startswith("="):
                # `x=` is in the text already.
                tail = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
                source = f"{{{code.text(part.value)}{tail}}}" if "{" not in spec else ""
                # To a reader of numbers their `repr` is of no use.
                conversion = conversion if "!" in rest else ""
            yield Field(part.value, conversion, spec, source, is_named=True)


def _of_percent(node: ir.BinOp) -> list[Piece] | None:
    template = node.left.value if isinstance(node.left, ir.Const) else None
    right = node.right
    if isinstance(right, ir.Dict) or not isinstance(template, str):
        return None
    is_tuple = isinstance(right, ir.Sequence) and right.kind == "tuple"
    values = right.items if is_tuple and isinstance(right, ir.Sequence) else (right,)
    return (
        None if any(isinstance(o, ir.Starred) for o in values) else percent_pieces(template, values)
    )


def _of_format(call: ir.Call, template: ir.Expr) -> list[Piece] | None:
    text = template.value if isinstance(template, ir.Const) else None
    given: dict[str, ir.Expr] = {}
    for at, one in enumerate(call.args):
        given[one.keyword or str(at)] = one.value
    found: list[Piece] = []
    count = 0
    try:
        parsed = list(string.Formatter().parse(str(text)))
    except ValueError:
        return None
    for literal, name, spec, conversion in parsed:
        found.append(literal)
        if name is None:
            continue
        key, count = (str(count), count + 1) if name == "" else (name, count)
        if key not in given:
            return None
        found.append(Field(given[key], conversion or "", spec or "", is_named=not key.isdecimal()))
    return found


def _escaped(text: str, quote: str) -> str:
    """Text as it stands between quotation marks."""
    # With a double mark in it, what `repr` gives has single marks around it.
    shown = repr(f'"{text}')[2:-1].replace("\\'", "'")
    return shown.replace(quote, f"\\{quote}")

"""The source around a fact, for the fixes of rules: text and changes of text by IR node.

A fix is made of small edits between the places of nodes, so that comments, quotes and line
breaks stay as they are. The places are the ones that findings have, by Python's own tree or LibCST.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Applicability, Fix
from jaxlint.base.runtime.deprecation import warn_renamed
from jaxlint.base.text import Span
from jaxlint.dataflow.names import walk
from jaxlint.fixes.surroundings import AnyNode, Surroundings
from jaxlint.syntax import ir
from jaxlint.syntax.comments import without_comments
from jaxlint.syntax.unused import Imports, is_cleaned

# What libraries are imported as, by convention.
_ALIASES = {"jax.numpy": "jnp", "numpy": "np"}
# What needs no parentheses wherever it stands.
_CLOSED = (ir.Name, ir.Attribute, ir.Subscript, ir.Call, ir.JoinedString)
_OPERATIONS = (
    ir.Attribute,
    ir.Await,
    ir.BinOp,
    ir.BoolOp,
    ir.Compare,
    ir.Formatted,
    ir.IfExp,
    ir.Starred,
    ir.UnaryOp,
)
_OPENING, _CLOSING = "([{", ")]}"
_OPERATOR = re.compile(r"[)\s]*?(?P<operator>[ \t]*[^\s()#]+(?: [a-z]+)?[ \t]*)(?:[(\s]|#.*\n)*")
_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"\w+")
_CALLED = re.compile(r"[\w\])\"']\s*\($")
_KEYWORD = re.compile(r"\b(?:and|or|not|in|is|if|else|return|lambda|yield|await|assert)\s*\($")


class Code(Surroundings):
    """The source of one file, and edits of it."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.source = module.source
        # The names that fixes of this file make, by their scope and the node that they are for.
        self.names: dict[int, dict[int, str]] = {}
        # Whether what names stand for gives tracers, as far as that was asked.
        self.traced: dict[int, bool] = {}

    def text(self, node: AnyNode) -> str:
        """The source of a node, comments and line breaks in it included."""
        return self.module.text_of(node)

    def operand(self, node: ir.Expr) -> str:
        """The source of an expression as it may stand beside any operator and over several lines:
        in parentheses, unless it needs none."""
        text = self.text(node)
        if isinstance(node, _CLOSED) and "\n" not in text:
            return text
        if isinstance(node, ir.Const) and text[:1] not in "-+" and "\n" not in text:
            return text
        is_display = isinstance(node, (ir.Sequence, ir.Dict, ir.Comprehension))
        if is_display and text[:1] in ("(", "[", "{") and _is_closed(text):
            return text
        return f"({text})"

    def replace(self, node: AnyNode, text: str) -> Edit:
        """Other text in the place of a node."""
        return Edit(self.module.locate(node), text)

    def expression(self, node: ir.Expr, text: str) -> Edit:
        """Another expression in the place of one: in parentheses where an operator, or an attribute
        or index of it, is next to it."""
        parent = self.parent(node)
        is_base = isinstance(parent, (ir.Subscript, ir.Call)) and node in (
            getattr(parent, "value", None),
            getattr(parent, "func", None),
        )
        if (is_base or isinstance(parent, _OPERATIONS)) and not self._is_enclosed(node):
            text = f"({text})"
        return self.replace(node, text)

    def call(self, node: ir.Expr, text: str) -> Edit:
        """A call in the place of an expression, and of the parentheses around that."""
        span = self.module.locate(node)
        first, last = self.source.line(span.line), self.source.line(span.end_line)
        opened, closed = span.column - 2, span.end_column - 1
        is_tight = first[opened : opened + 1] == "(" and last[closed : closed + 1] == ")"
        if opened > 0 and is_tight and self._is_enclosed(node) and not first[opened - 1].isalnum():
            span = Span(span.line, span.column - 1, span.end_line, span.end_column + 1)
        return Edit(span, text)

    def before(self, node: AnyNode, text: str) -> Edit:
        """Text that is put before a node."""
        span = self.module.locate(node)
        return Edit(Span(span.line, span.column, span.line, span.column), text)

    def after(self, node: AnyNode, text: str) -> Edit:
        """Text that is put behind a node."""
        span = self.module.locate(node)
        return Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), text)

    def begun(self, node: AnyNode, word: str, text: str) -> Edit:
        """Other text in the place of the word that a node begins with."""
        span = self.module.locate(node)
        return Edit(Span(span.line, span.column, span.line, span.column + len(word)), text)

    def between(self, left: AnyNode, right: AnyNode) -> Span:
        """What stands between the end of a node and the start of another one."""
        first, second = self.module.locate(left), self.module.locate(right)
        return Span(first.end_line, first.end_column, second.line, second.column)

    def rest(self, outer: AnyNode, inner: AnyNode) -> Span:
        """What stands behind a node in one that it is part of."""
        whole, part = self.module.locate(outer), self.module.locate(inner)
        return Span(part.end_line, part.end_column, whole.end_line, whole.end_column)

    def operator(self, left: ir.Expr, right: ir.Expr) -> Span | None:
        """The place of the operator, `=` or the like between two operands, with the blanks around
        it; parentheses of the operands are left out. None where a line ends before its end."""
        span = self.between(left, right)
        text = self.source.slice(span)
        found = _OPERATOR.fullmatch(text)
        if found is None or "\n" in text[: found.end("operator")]:
            return None
        start, end = (span.column + at for at in found.span("operator"))
        return Span(span.line, start, span.line, end)

    def removed(self, statement: ir.Stmt, with_comment: bool = False) -> Edit | None:
        """Takes out a statement that has its lines to itself, with them. None for one that shares
        a line, which a comment behind it does if it is to stay, or that its block needs."""
        span = self.module.locate(statement)
        before = self.source.line(span.line)[: span.column - 1]
        behind = self.source.line(span.end_line)[span.end_column - 1 :]
        if with_comment and behind.lstrip().startswith("#"):
            behind = ""
        if before.strip() or behind.strip() or len(self.block(statement)) < 2:
            return None
        if span.end_line >= len(self.source.lines):
            return None
        return Edit(Span(span.line, 1, span.end_line + 1, 1), "")

    def comments(self, span: Span) -> list[str]:
        """The comments, and parts of comments, that stand in a span."""
        found = []
        for number in range(span.line, span.end_line + 1) if "#" in self.source.slice(span) else ():
            line, bare = self.source.line(number), self._bare[number - 1]
            start = span.column - 1 if number == span.line else 0
            end = span.end_column - 1 if number == span.end_line else len(line)
            found.append(line[max(start, len(bare)) : end].strip())
        return [one for one in found if one]

    def fix(self, title: str, *edits: Edit, unsafe: bool = False) -> Fix | None:
        """A fix of these edits: what it does, in the imperative, and whether it needs to be
        looked at though the rule's fixes are safe. None where a comment would be lost, or where
        edits overlap."""
        ordered = sorted(set(edits))
        for one, following in pairwise(ordered):
            if _end(one.span) > _start(following.span):
                return None
        written = "".join(edit.replacement for edit in ordered)
        if not ordered or any(self._loses_comment(edit.span, written) for edit in ordered):
            return None
        applicability = Applicability.UNSAFE if unsafe else Applicability.SAFE
        return Fix(title, applicability, tuple(ordered), self._cleanup(ordered))

    def repair(self, title: str, *edits: Edit, unsafe: bool = False) -> Fix | None:
        """The former name of `fix`."""
        warn_renamed("Code.repair", "Code.fix")
        return self.fix(title, *edits, unsafe=unsafe)

    def _cleanup(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The removal of imports that edits leave unused."""
        removed = " ".join(self.source.slice(edit.span) for edit in edits)
        gone = Counter(_NAME.findall(removed))
        # What is written more often elsewhere is still used, and few files need be looked at.
        if not any(
            name in self._imported and times >= self._mentioned[name]
            for name, times in gone.items()
        ):
            return ()
        if not is_cleaned(self.source.path):
            return ()
        cleanup = self._imports.removals(self._imports.left_unused(edits))
        ordered = sorted((*edits, *cleanup))
        meet = any(_end(one.span) > _start(other.span) for one, other in pairwise(ordered))
        return () if meet else cleanup

    def reach(self, dotted: str, node: AnyNode) -> tuple[str, tuple[Edit, ...]] | None:
        """How something with a full name ("jax.numpy.exp") is written at a node, and the edits
        that import it first if nothing does. None where it cannot be told."""
        scopes = self.functions(node)
        for start in _starts(dotted):
            for name in self._names_of.get(start, ()):
                if not self._is_hidden(name, scopes, node):
                    return name + dotted[len(start) :], ()
        library = dotted.partition(".")[0]
        library, name = next(
            (pair for pair in _ALIASES.items() if dotted.startswith(f"{pair[0]}.")), (library,) * 2
        )
        if name in self._bound or self._is_hidden(name, scopes, node):
            return None
        edits = self.importing(f"import {library}" + (f" as {name}" if library != name else ""))
        return None if edits is None else (name + dotted[len(library) :], edits)

    def importing(self, text: str) -> tuple[Edit, ...] | None:
        """What adds an import to the module. None where there is no place for it."""
        place = self._import_place()
        return None if place is None else (Edit(place, f"{text}\n"),)

    @cached_property
    def places(self) -> dict[int, int]:
        """The numbers of the statements of the module, by their identity."""
        return {id(one): at for at, one in enumerate(self.module.body)}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the file."""
        return frozenset(_WORD.findall(self.source.text))

    @cached_property
    def _imports(self) -> Imports:
        """The imports of the module, and where their names are mentioned."""
        return Imports(self.source.text)

    @cached_property
    def _mentioned(self) -> Counter[str]:
        """How often each name is written in the module."""
        return Counter(one.id for one in walk(self.module.body) if isinstance(one, ir.Name))

    def _import_place(self) -> Span | None:
        """Where a new import goes: behind the imports that the file starts with."""
        line = 0
        for statement in self.module.body:
            is_import = isinstance(statement, (ir.Import, ir.ImportFrom))
            is_text = (
                line == 0
                and isinstance(statement, ir.ExprStmt)
                and isinstance(statement.value, ir.Const)
                and isinstance(statement.value.value, str)
            )
            if not (is_import or is_text):
                first = self.module.locate(statement).line
                line = line or self._above(first)
                break
            span = self.module.locate(statement)
            rest = self.source.line(span.end_line)[span.end_column - 1 :].strip()
            if rest.startswith(";") or span.column > 1:
                return None
            line = span.end_line
        if line >= len(self.source.lines):
            return None
        return Span(line + 1, 1, line + 1, 1)

    def _above(self, line: int) -> int:
        """The last line before a statement and the decorators and comments above it."""
        while line > 1 and self.source.line(line - 1).lstrip().startswith(("@", "#")):
            line -= 1
        return line - 1

    def _is_enclosed(self, node: ir.Expr) -> bool:
        """Whether an expression stands between parentheses of its own."""
        span = self.module.locate(node)
        before = self.source.line(span.line)[: span.column - 1].rstrip()
        behind = self.source.line(span.end_line)[span.end_column - 1 :].lstrip()
        if not (before.endswith("(") and behind.startswith(")")):
            return False
        return _CALLED.search(before) is None or _KEYWORD.search(before) is not None

    def _loses_comment(self, span: Span, written: str) -> bool:
        return any(f"{one}\n" not in written for one in self.comments(span))

    @cached_property
    def _bare(self) -> list[str]:
        return without_comments(self.source)


def is_dotted(node: ir.Expr) -> bool:
    """Whether an expression is a name, or attributes of one."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


def _starts(dotted: str) -> Iterator[str]:
    """A dotted name, and what it starts with, the longest first: "a.b.c", "a.b", "a"."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]


def _is_closed(text: str) -> bool:
    """Whether the bracket that a text starts with is closed by its last character. Brackets in
    strings count too: then the answer may be no."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return at == len(text) - 1
    return False


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column

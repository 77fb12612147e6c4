"""Reads the inventory of a file: its functions, their statements, and what names functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.base.dataclass import replace, slotted
from jaxlint.base.surveys.inventory import Alias, Definition, Inventory, Reference, Statement
from jaxlint.base.surveys.spot import Spot
from jaxlint.dataflow.names import bound_names, dotted_text, is_stub, only_refuses, walk
from jaxlint.facts.provenance import excerpt
from jaxlint.syntax import ir
from jaxlint.syntax.ir import number

_CLOSED = (ir.FunctionDef, ir.ClassDef, ir.Lambda)
_KINDS = {
    ir.If: "if",
    ir.While: "while",
    ir.For: "for",
    ir.Try: "try",
    ir.Match: "match",
    ir.Return: "return",
    ir.Raise: "raise",
    ir.Break: "break",
    ir.Continue: "continue",
    ir.FunctionDef: "def",
    ir.ClassDef: "class",
}
# Fields of statements that hold blocks: what they are to the statement.
_BLOCKS = {"body": "body", "orelse": "orelse", "final": "final"}
_DECLARED = frozenset({"abstractmethod", "overload"})
_RUN_BY_TESTS = ("pytest_", "setup", "teardown", "test")
# Decorators whose result is called as the function itself is.
_PLAIN = frozenset(
    {
        "abstractmethod",
        "cached_property",
        "classmethod",
        "deleter",
        "final",
        "getter",
        "override",
        "property",
        "setter",
        "staticmethod",
        "wraps",
    }
)
_OF_TESTS = frozenset({"fixture", "given", "parametrize"})


@slotted(eq=False)
class _Scope:
    """Names of the code that is read: what binds them, and the functions among them."""

    bound: frozenset[str]
    functions: dict[str, tuple[int, ...]]
    is_class: bool = False


def inventory(module: ir.Module, top: str = "") -> Inventory:
    """The inventory of a file, which is in the package `top`."""
    return _Reader(module, top).read()


class _Reader:
    """Reads one file. `function`, `names` and `owner` are those of the code that is read."""

    def __init__(self, module: ir.Module, top: str) -> None:
        self.module = module
        self.top = top
        self.definitions: list[Definition] = []
        self.statements: list[Statement] = []
        self.references: list[Reference] = []
        self.aliases: set[Alias] = set()
        self.bases: set[tuple[str, str]] = set()
        self.imported: dict[str, str] = {}
        self.function = 0
        self.statement = 0
        self.names: tuple[str, ...] = ()
        self.owner = ""
        self.last = 0
        name = module.source.path.replace("\\", "/").rpartition("/")[2]
        self.is_test = name.startswith(("test_", "conftest")) or name.endswith("_test.py")
        self.scopes = [_Scope(frozenset(), _functions_of(module.body))]

    def read(self) -> Inventory:
        """All of it."""
        for one in walk(self.module.body):
            if isinstance(one, ir.Import):
                for dotted, alias in one.names:
                    self.imported[alias or dotted.partition(".")[0]] = dotted.partition(".")[0]
            elif isinstance(one, ir.ImportFrom):
                root = "." if one.level else one.module.partition(".")[0]
                for name, alias in one.names or ():
                    self.imported[alias or name] = root
        self._block(self.module.body)
        return Inventory(
            self.module.file,
            self.module.source.path,
            self.top,
            tuple(self.definitions),
            tuple(self.statements),
            tuple(self.references),
            frozenset(self.aliases),
            frozenset(self.bases),
        )

    # -- statements -------------------------------------------------------------------------------

    def _block(self, body: tuple[ir.Stmt, ...], parent: int = 0, role: str = "") -> None:
        after = 0
        for statement in body:
            self._read(statement, parent, role, after)
            after = number(statement)

    def _read(self, node: ir.Stmt, parent: int, role: str, after: int) -> None:
        around, self.statement = self.statement, number(node)
        heads = self._heads(node)
        if self.function:
            self._list(node, heads, parent, role, after)
        if isinstance(node, ir.FunctionDef):
            self._expressions((node.decorators, _defaults(node)))
            self._define(node, node.name, [*node.decorators])
        elif isinstance(node, ir.ClassDef):
            self._class(node)
        elif _named(node):
            assert isinstance(node, ir.Assign) and isinstance(node.value, ir.Lambda)
            self._expressions(_defaults(node.value.function))
            self._define(node.value.function, dotted_text(node.targets[0]).rpartition(".")[2], [])
        else:
            self._alias(node)
            self._expressions(heads)
            self._inner(node)
        self.statement = around

    def _inner(self, node: ir.Stmt) -> None:
        """The blocks of a compound statement."""
        own = number(node)
        if isinstance(node, ir.Try):
            self._block(node.body, own, "body")
            for handler in node.handlers:
                self._block(handler.body, own, "handler")
        elif isinstance(node, ir.Match):
            for case in node.cases:
                self._expressions((case.guard,))
                self._block(case.body, own, "case")
        for name, role in _BLOCKS.items():
            if name != "body" or not isinstance(node, ir.Try):
                self._block(getattr(node, name, ()), own, role)

    @staticmethod
    def _heads(node: ir.Stmt) -> tuple[Any, ...]:
        """The expressions that a statement itself evaluates, but for what it assigns to names."""
        if isinstance(node, (ir.If, ir.While)):
            return (node.test,)
        if isinstance(node, ir.For):
            return (node.iter,)
        if isinstance(node, ir.With):
            return tuple(expr for expr, _ in node.items)
        if isinstance(node, ir.Try):
            return tuple(one.type for one in node.handlers)
        if isinstance(node, ir.Match):
            return (node.subject,)
        if isinstance(node, ir.Assign):
            return (*(one for one in node.targets if not isinstance(one, ir.Name)), node.value)
        if isinstance(node, ir.AnnAssign):
            return (node.value,)
        if isinstance(node, (ir.FunctionDef, ir.ClassDef)):
            return ()
        return (node,)

    def _list(
        self, node: ir.Stmt, heads: tuple[Any, ...], parent: int, role: str, after: int
    ) -> None:
        if isinstance(node, (ir.Global, ir.Nonlocal)):
            return
        kind = next((name for one, name in _KINDS.items() if isinstance(node, one)), "")
        asked = ""
        if kind in ("if", "while", "for", "match"):
            asked = excerpt(self.module, heads[0])
        spot = self._spot(node)
        lines = [spot.span.end_line]
        lines += [self._spot(one).span.end_line for one in heads if isinstance(one, ir.Expr)]
        self.last = max(self.last, *lines)
        made = Statement(
            number(node), spot, kind, max(lines), self.function, parent, role, after, asked
        )
        self.statements.append(made)

    # -- functions and classes --------------------------------------------------------------------

    def _define(
        self,
        node: ir.FunctionDef,
        name: str,
        decorators: list[ir.Expr],
        anonymous: bool = False,
    ) -> None:
        spot = self._spot(node)
        own, names = number(node), (*self.names, name)
        first = min([spot.line, *(self._spot(one).line for one in decorators)])
        used = {dotted_text(one).rpartition(".")[2] for one in decorators}
        in_test = self.is_test and not self.function and name.lower().startswith(_RUN_BY_TESTS)
        at = len(self.definitions)
        made = Definition(
            own,
            spot,
            ".".join(names),
            name,
            first,
            spot.span.end_line,
            self.function,
            self.owner,
            is_stub(node) or only_refuses(node) or not used.isdisjoint(_DECLARED),
            in_test or not used.isdisjoint(_OF_TESTS),
            self._decorator(decorators),
            self.statement,
            anonymous,
        )
        self.definitions.append(made)
        before = (self.function, self.names, self.owner, self.last)
        self.function, self.names, self.owner, self.last = own, names, "", spot.span.end_line
        self.scopes.append(_Scope(node.bound, _functions_of(node.body)))
        if node.is_lambda:
            self._expressions(node.body)
        else:
            self._block(node.body)
        self.scopes.pop()
        self.definitions[at] = replace(made, last=self.last)
        last = self.last
        self.function, self.names, self.owner, self.last = before
        self.last = max(self.last, last)

    def _decorator(self, decorators: list[ir.Expr]) -> str:
        for one in decorators:
            if dotted_text(one).rpartition(".")[2] not in _PLAIN:
                return excerpt(self.module, one)
        return ""

    def _class(self, node: ir.ClassDef) -> None:
        self._expressions(node.decorators)
        for base in node.bases:
            name = dotted_text(base.value).rpartition(".")[2]
            if base.keyword is None and name:
                self.bases.add((node.name, name))
            else:
                self._expressions((base.value,))
        before = (self.names, self.owner)
        self.names, self.owner = (*self.names, node.name), node.name
        self.scopes.append(_Scope(frozenset(), {}, True))
        self._block(node.body, number(node), "body")
        self.scopes.pop()
        self.names, self.owner = before

    # -- expressions ------------------------------------------------------------------------------

    def _expressions(self, nodes: tuple[Any, ...]) -> None:
        """Notes what expressions name."""
        called: dict[int, ir.Call] = {}
        for node in walk(nodes, _CLOSED):
            if isinstance(node, ir.Call):
                called[id(node.func)] = node
                for argument in node.args:
                    if argument.keyword:
                        self._goes_by(argument.value, argument.keyword)
            elif isinstance(node, (ir.Name, ir.Attribute)):
                self._name(node, called.get(id(node)))
            elif isinstance(node, ir.Dict):
                for key, value in node.items:
                    if isinstance(key, ir.Const) and isinstance(key.value, str):
                        self._goes_by(value, key.value)
            elif isinstance(node, ir.Lambda):
                self._expressions(_defaults(node.function))
                self._define(node.function, node.function.name, [], anonymous=True)

    def _name(self, node: ir.Name | ir.Attribute, call: ir.Call | None) -> None:
        at = 0 if call is None else number(call)
        spot = self._spot(node)
        if isinstance(node, ir.Attribute):
            text = dotted_text(node.value)
            head = text.partition(".")[0] if text else ""
            root = self.imported.get(head, "") if self._scope(head) is None else ""
            made = Reference(node.attr, spot, "attribute", self.function, self.statement, at, root)
        else:
            scope = self._scope(node.id)
            local = () if scope is None else scope.functions.get(node.id, ())
            root = self.imported.get(node.id, "") if scope is None else ""
            bound = scope is not None and not local
            made = Reference(
                node.id, spot, "name", self.function, self.statement, at, root, local, bound
            )
        self.references.append(made)

    def _scope(self, name: str) -> _Scope | None:
        """What binds a name, None where it is imported, built in or a class."""
        for at, scope in enumerate(reversed(self.scopes)):
            if scope.is_class and at:
                continue
            if name in scope.bound or name in scope.functions:
                return scope
        return None

    def _alias(self, node: ir.Stmt) -> None:
        """`name = function` and `self.name = function`."""
        if isinstance(node, ir.Assign):
            for target in node.targets:
                if isinstance(target, (ir.Name, ir.Attribute)):
                    self._goes_by(node.value, dotted_text(target).rpartition(".")[2])

    def _goes_by(self, value: ir.Expr, name: str) -> None:
        if isinstance(value, (ir.Name, ir.Attribute)):
            own = dotted_text(value).rpartition(".")[2]
            if own and own != name:
                self.aliases.add(Alias(own, name))

    def _spot(self, node: ir.Node) -> Spot:
        span = self.module.locate(node)
        cell, line = self.module.source.place(span.line)
        end = span.end_line + line - span.line
        span = replace(span, line=line, end_line=end)
        return Spot(self.module.source.path, span, self.module.file, cell)


def _named(node: ir.Stmt) -> bool:
    """Whether a statement gives a lambda a name."""
    return (
        isinstance(node, ir.Assign)
        and isinstance(node.value, ir.Lambda)
        and len(node.targets) == 1
        and isinstance(node.targets[0], (ir.Name, ir.Attribute))
    )


def _functions_of(body: tuple[ir.Stmt, ...]) -> dict[str, tuple[int, ...]]:
    """The functions that code binds to names, by their names."""
    found: dict[str, tuple[int, ...]] = {}
    for node in walk(body, _CLOSED):
        made: Iterator[tuple[str, ir.FunctionDef]] = iter(())
        if isinstance(node, ir.FunctionDef):
            made = iter([(node.name, node)])
        elif isinstance(node, ir.Stmt) and _named(node):
            assert isinstance(node, ir.Assign) and isinstance(node.value, ir.Lambda)
            made = ((name, node.value.function) for name in sorted(bound_names(node)))
        for name, function in made:
            found[name] = (*found.get(name, ()), number(function))
    return found


def _defaults(node: ir.FunctionDef) -> tuple[ir.Expr | None, ...]:
    return tuple(one.default for one in node.params)

"""The nodes around a node of a file, and what names mean there, for the fixes of rules."""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice

from jaxlint.base.dataclass import is_slotted
from jaxlint.dataflow.names import bound_names, children, dotted_text, walk
from jaxlint.facts import Fact
from jaxlint.fixes.imports import for_types, imported_by
from jaxlint.syntax import ir

AnyNode = ir.Node | ir.Param


class Surroundings:
    """The nodes and names of one file. `parent` and what builds on it know its nodes only."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        # The innermost functions around nodes, as far as they were asked for.
        self._function_of: dict[int, ir.FunctionDef | None] = {}

    def parent(self, node: AnyNode) -> ir.Node | None:
        """The node that another one is directly part of; None for a statement of the module, and
        for a node that is none of this file."""
        return self._parents.get(id(node))

    def around(self, node: AnyNode) -> Iterator[ir.Node]:
        """All nodes that another one is part of, the innermost first."""
        one = self.parent(node)
        while one is not None:
            yield one
            one = self.parent(one)

    def statement(self, node: AnyNode) -> ir.Stmt | None:
        """The innermost statement that a node is, or is part of; a lambda is none."""
        for one in (node, *self.around(node)):
            if isinstance(one, ir.Stmt) and not self._is_of_lambda(one):
                return one
        return None

    def function(self, node: AnyNode) -> ir.FunctionDef | None:
        """The innermost function or lambda in which a node stands."""
        passed = []
        one = self.parent(node)
        while one is not None and not isinstance(one, ir.FunctionDef):
            if id(one) in self._function_of:
                one = self._function_of[id(one)]
                break
            passed.append(one)
            one = self.parent(one)
        self._function_of.update((id(each), one) for each in passed)
        return one

    def functions(self, node: AnyNode) -> list[ir.FunctionDef]:
        """The functions and lambdas in which a node stands, the innermost first."""
        found = []
        one = self.function(node)
        while one is not None:
            found.append(one)
            one = self.function(one)
        return found

    def block(self, statement: ir.Stmt) -> tuple[ir.Stmt, ...]:
        """The statements among which one stands."""
        parent = self.parent(statement)
        holders: Iterable[object] = (self.module,) if parent is None else walk(parent)
        for holder in holders:
            for name in ("body", "orelse", "final"):
                block = getattr(holder, name, ())
                if isinstance(block, tuple) and any(one is statement for one in block):
                    return block
        return (statement,)

    def meaning(self, node: ir.Expr) -> str:
        """The full name of what an expression names by imports of the module or as a builtin:
        "jax.numpy.exp", "builtins.max"; "" where that is not known."""
        base = node
        while isinstance(base, ir.Attribute):
            base = base.value
        if not isinstance(base, ir.Name):
            return ""
        first, _, rest = dotted_text(node).partition(".")
        scopes = self.functions(node)
        if self._is_hidden(first, scopes, node):
            return ""
        meant = self._imported.get(first)
        if meant is not None:
            return f"{meant}.{rest}" if rest else meant
        return "" if first in self._bound or rest else f"builtins.{first}"

    def is_local(self, name: str, node: AnyNode) -> bool:
        """Whether assigning to a name at a node changes what the code around means by it, and
        nothing else: a local of the function, or a name of the module outside functions."""
        function = self.function(node)
        return function is None or name in function.bound

    def binds(self, name: str, node: AnyNode) -> bool:
        """Whether the module gives a name a meaning of its own at a node."""
        scopes = self.functions(node)
        return name in self._bound or self._is_hidden(name, scopes, node)

    def is_unbound(self, name: str) -> bool:
        """Whether the module itself binds nothing to a name."""
        return name not in self._bound

    def is_exclusive(self, fact: Fact) -> bool:
        """Whether the code of a fact runs in no other way than the fact says: it stands in a
        function that is transformed where it is defined, or is run from nowhere else. What is
        called with other values too may rely on their being no tracers."""
        if fact.entry is None:
            return not fact.calls
        for one in self.functions(fact.node):
            applied = (one, *walk(one.decorators))
            around = list(islice(self.around(one), 2))
            if one.is_lambda and not isinstance(around[-1], ir.Assign):
                return True
            if any(part is fact.entry.node for part in applied):
                return True
        return False

    def count(self, name: str, nodes: object) -> int:
        """How often a name is written under nodes."""
        return sum(isinstance(one, ir.Name) and one.id == name for one in walk(nodes))

    @cached_property
    def _imported(self) -> dict[str, str]:
        """The names that imports of the module bind on its top level, each with its meaning, if
        nothing else binds them."""
        found: dict[str, set[str]] = {}
        typing = for_types(self.module)
        for one in (one for one in self._top() if id(one) not in typing):
            for name, meant in imported_by(one):
                found.setdefault(name, set()).add(meant)
        others = {name for one in self._top() for name in bound_names(one)}
        return {
            name: next(iter(meant))
            for name, meant in found.items()
            if len(meant) == 1 and name not in others
        }

    @cached_property
    def _names_of(self) -> dict[str, list[str]]:
        """The names that imports bind, by their meaning."""
        found: dict[str, list[str]] = {}
        for name, meant in self._imported.items():
            found.setdefault(meant, []).append(name)
        return found

    @cached_property
    def _bound(self) -> set[str]:
        """All names that the module binds anywhere on its top level."""
        found = {name for one in self._top() for name in bound_names(one)}
        return found | {name for one in self._top() for name, _ in imported_by(one)}

    def _top(self) -> Iterator[ir.Node]:
        """The nodes of the module that are in no function or class."""
        for one in walk(self.module.body, (ir.FunctionDef, ir.ClassDef)):
            if isinstance(one, ir.Node):
                yield one

    def _is_hidden(self, name: str, scopes: Collection[ir.FunctionDef], node: AnyNode) -> bool:
        """Whether a name of the module means something else at a node."""
        if any(name in scope.bound for scope in scopes):
            return True
        inside = (one for one in self.around(node) if isinstance(one, ir.Comprehension))
        targets = (clause.target for one in inside for clause in one.clauses)
        return any(
            isinstance(part, ir.Name) and part.id == name
            for target in targets
            for part in walk(target)
        )

    def _is_of_lambda(self, statement: ir.Stmt) -> bool:
        if isinstance(statement, ir.FunctionDef):
            return statement.is_lambda
        parent = self.parent(statement)
        return isinstance(parent, ir.FunctionDef) and parent.is_lambda

    @cached_property
    def _parents(self) -> dict[int, ir.Node]:
        found: dict[int, ir.Node] = {}
        for one in walk(self.module.body):
            if isinstance(one, ir.Node):
                for child in _inner(one):
                    found.setdefault(id(child), one)
        return found


def _inner(node: object) -> Iterator[ir.Node | ir.Param]:
    """The nodes directly in another one, through what is no node itself."""
    stack = [getattr(node, name) for name in children(type(node))]
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack += one
        elif isinstance(one, (ir.Node, ir.Param)):
            yield one
            if isinstance(one, ir.Param):
                stack += [one.default, one.annotation]
        elif is_slotted(type(one)):
            stack += [getattr(one, name) for name in children(type(one))]

"""Traces disagreements about names back to the statements where they begin."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from constructs import BODIES, Constructs, Function, has_body, inside_of, names_in, own

Key = tuple[str, int, int, str]
"""A label: function, its line, the line of the statement, and the name."""

HALF_SEEN = "half seen"
"""The cause of what JAX cannot decide."""


class Causes:
    """The disagreements of one program: "wrong", "undecided" or "unreached" by label.

    A cause is a construct. It is "half seen" where code that JAX never ran would bind the name,
    or call the function: what is traced on some paths only cannot be held against the engine.
    """

    def __init__(
        self, constructs: Constructs, bad: Mapping[Key, str], executed: frozenset[int]
    ) -> None:
        self.constructs = constructs
        self.bad = bad
        self.executed = executed
        self._known: dict[Key, str | None] = {}
        self._reached: dict[int, str | None] = {}
        self._whole: dict[str, bool] = {}
        self._at: dict[int, dict[str, Key]] = {}
        self._lost: dict[int, Key] = {}
        for key, verdict in bad.items():
            self._at.setdefault(key[2], {})[key[3]] = key
            if verdict == "unreached":
                self._lost.setdefault(key[2], key)

    def cause(self, key: Key) -> str:
        """The construct where the disagreement about a label begins."""
        if key not in self._known:
            self._known[key] = None
            if self.bad[key] == "unreached":
                self._known[key] = self._of_reach(key)
            else:
                self._known[key] = self._of_name(key)
        return self._known[key] or "itself"

    def _of_name(self, key: Key) -> str:
        function_name, first, line, name = key
        function = self.constructs.functions.get((function_name, first))
        if function is None:
            return "a function without a definition"
        binding = self.constructs.binding(function, line, name)
        if binding is None:
            # A loop may have bound it further down.
            binding = next(iter(self.constructs.bindings(function, name)), None)
        if binding is None:
            unseen = any(map(self._is_unseen, self.constructs.references(function_name)))
            own_cause = HALF_SEEN if unseen else self.constructs.parameter(function, name)
            return self._fed(key) or own_cause
        read = {n.id for n in own(binding) if isinstance(n, ast.Name)}
        for other, earlier in self._at.get(binding.lineno, {}).items():
            if (
                other in read
                and earlier[:2] == key[:2]
                and self._known.get(earlier, "") is not None
            ):
                return self.cause(earlier)
        bindings = self.constructs.bindings(function, name)
        if any(map(self._is_unseen, bindings)) or not all(map(self._is_whole, names_in(binding))):
            return HALF_SEEN
        return self.constructs.shape(binding)

    def _is_unseen(self, statement: ast.stmt) -> bool:
        """Whether JAX never ran a statement under trace. The module's own never is."""
        if isinstance(self.constructs.parents[statement], ast.Module):
            return False
        return statement.lineno not in self.executed

    def _is_whole(self, name: str) -> bool:
        """Whether a function, with those that it uses, ran from its first line to its last."""
        if name not in self._whole:
            self._whole[name] = True
            for function in self.constructs.named(name):
                inside = list(inside_of(function))
                used = {part for statement in inside for part in names_in(statement)}
                is_seen = not any(map(self._is_unseen, (s for s in inside if not has_body(s))))
                self._whole[name] &= is_seen and all(map(self._is_whole, used))
            for statement in self.constructs.tree.body:
                if isinstance(statement, ast.Assign) and name in names_in(statement):
                    self._whole[name] &= all(map(self._is_whole, names_in(statement)))
        return self._whole[name]

    def _fed(self, key: Key) -> str | None:
        """The cause behind a call of the label's function that passes a name in disagreement."""
        for line, names in self._at.items():
            statement = self.constructs.statements.get(line)
            if statement is None:
                continue
            read = {n.id for n in own(statement) if isinstance(n, ast.Name)}
            read |= {n.attr for n in own(statement) if isinstance(n, ast.Attribute)}
            if key[0] not in read:
                continue
            for name, fed in names.items():
                if name in read and self._known.get(fed, "") is not None:
                    return self.cause(fed)
        return None

    def _of_reach(self, key: Key) -> str:
        line = key[2]
        if line not in self._reached:
            self._reached[line] = None
            self._reached[line] = self._before(line, key)
        return self._reached[line] or "itself"

    def _before(self, line: int, key: Key) -> str:
        """What comes before a statement that the engine did not come to."""
        statement = self.constructs.statements.get(line)
        function = self.constructs.functions.get(key[:2])
        if statement is None or isinstance(function, ast.Lambda):
            return f"never enters {self.constructs.use(function)}" if function else "?"
        parent = self.constructs.parents[statement]
        body = next(
            (b for n in BODIES if statement in (b := getattr(parent, n, None) or [])), [statement]
        )
        at = body.index(statement)
        if at:
            above = body[at - 1]
            if above.lineno in self._lost and not has_body(above):
                return self._of_reach(self._lost[above.lineno])
            inner = [at for at in sorted(self._lost) if above.lineno <= at < line]
            if inner:
                return self._of_reach(self._lost[inner[0]])
            return f"after {self.constructs.shape(above)}"
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._entered(parent)
        if isinstance(parent, ast.stmt) and parent.lineno in self._lost:
            return self._of_reach(self._lost[parent.lineno])
        return f"inside {self.constructs.shape(parent)}"

    def _entered(self, function: Function) -> str:
        """Why a function is never entered."""
        name = getattr(function, "name", "")
        for line, lost in self._lost.items():
            statement = self.constructs.statements.get(line)
            if statement is None or function.lineno <= line <= (function.end_lineno or 0):
                continue
            names = {n.id for n in own(statement) if isinstance(n, ast.Name)}
            names |= {n.attr for n in own(statement) if isinstance(n, ast.Attribute)}
            if name in names and self._reached.get(line, "") is not None:
                return self._of_reach(lost)
        return f"never enters {self.constructs.use(function)}"

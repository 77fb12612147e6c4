"""Writes statements and expressions, one line each, from the choices of one source."""

from __future__ import annotations

import ast
import functools
import random
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from generator.conditions import TESTS
from generator.forms import FORMS
from generator.kinds import KEYS, LITERALS, MODES, narrower, parts
from generator.names import NAMES
from generator.scope import Function, Scope, Structure

T = TypeVar("T")

_HOLE = re.compile(r"\$(mode|key|name|test|\?[fv]|[a-zA-Z])\d?")
_LOOSE = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.UnaryOp,
    ast.IfExp,
    ast.Lambda,
    ast.NamedExpr,
    ast.GeneratorExp,
)

Maker = Callable[["Writer", Scope, int], None]
"""Writes one statement into a scope, this deep in nested blocks."""


class Writer:
    """The lines of a module so far, and what it defines that is known everywhere."""

    def __init__(self, rng: random.Random, statements: Sequence[tuple[int, Maker]]) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.indent = 0
        self.statements = [maker for _, maker in statements]
        self.weights = [weight for weight, _ in statements]
        self.structures: dict[str, Structure] = {}
        self.uncalled: list[Function] = []
        self.branches = 0
        self.is_differentiated = False

    def choice(self, options: Sequence[T]) -> T:
        """One of some options."""
        return options[self.rng.randrange(len(options))]

    def chance(self, share: float) -> bool:
        """True in this share of cases; the least choice gives False, which writes less."""
        return self.rng.random() >= 1.0 - share

    def emit(self, *lines: str) -> None:
        """Write lines at the current depth."""
        self.lines += [("    " * self.indent + line) if line else "" for line in lines]

    def fresh(self, scope: Scope, kind: str, pool: str = "") -> str:
        """A name that means nothing else in a scope."""
        names = (pool or NAMES.get(kind, "result outcome")).split()
        free = [name for name in names if name not in scope.taken]
        name = self.choice(free) if free else self._numbered(scope, self.choice(names))
        scope.taken.add(name)
        return name

    def _numbered(self, scope: Scope, name: str) -> str:
        number = 2
        while f"{name}_{number}" in scope.taken:
            number += 1
        return f"{name}_{number}"

    def bind(self, scope: Scope, name: str, kind: str, *, own: bool = True) -> None:
        """Note that a name holds a kind from here on."""
        scope.hide(name)
        scope.taken.add(name)
        if own:
            scope.own[name] = kind
        scope.values.append((name, kind))
        structure = self.structures.get(kind)
        found = (
            [(f"{name}.{field}", held) for field, held in (*structure.fields, *structure.members)]
            if structure
            else parts(kind, name)
        )
        scope.values += found

    def value(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of a kind."""
        return self.typed(kind, scope, depth)[0]

    def typed(self, kind: str, scope: Scope, depth: int = 2) -> tuple[str, str]:
        """An expression of a kind, and the narrower kind that it is known to have."""
        if kind in self.structures:
            return self._structure(kind, scope, depth), kind
        if depth <= 0:
            return self._near(kind, scope)
        exact = self._held(kind, scope.values)
        if exact and self.chance(0.3):
            return self._recent(exact, scope)
        calls = [each for each in scope.functions if each.result in narrower(kind)]
        if calls and self.chance(0.35):
            function = self.choice(calls)
            return self.call(function, scope, depth - 1), function.result
        options = [each for each in narrower(kind) if each in FORMS]
        if not options:
            return self._near(kind, scope)
        found = [(chosen, self.choice(FORMS[chosen])) for chosen in self.rng.choices(options, k=3)]
        held = {letter for _, letter in scope.values[scope.outer :]}
        chosen, pattern = max(found, key=lambda each: _share_held(each[1], held))
        return self.form(pattern, scope, depth), chosen

    def _near(self, kind: str, scope: Scope) -> tuple[str, str]:
        """A variable if there is one of the kind, else something made of one variable."""
        own = self._held(kind, scope.values[scope.outer :])
        if own and self.chance(0.9):
            return self._recent(own, scope)
        outer = self._held(kind, scope.values[: scope.outer])
        if outer and self.chance(0.3):
            return self.choice(outer)
        held = {letter for _, letter in scope.values[scope.outer :]}
        usable = [each for each in _SHORT.get(kind, ()) if _share_held(each[0], held) == 1.0]
        if usable and self.chance(0.85):
            pattern, chosen = self.choice(usable)
            return self.form(pattern, scope, 1), chosen
        return self.choice(outer) if outer else (self.choice(LITERALS[kind]), kind)

    def _held(self, kind: str, values: list[tuple[str, str]]) -> list[tuple[str, str]]:
        wanted = narrower(kind)
        return [(text, held) for text, held in values if held in wanted]

    def _recent(self, options: Sequence[tuple[str, str]], scope: Scope) -> tuple[str, str]:
        """One of some variables: those of the function, and those bound late, more often."""
        inner = set(scope.values[scope.outer :])
        weights = [4 + 2 * place if each in inner else 1 for place, each in enumerate(options)]
        return self.rng.choices(options, weights)[0]

    def _structure(self, kind: str, scope: Scope, depth: int) -> str:
        held = scope.of_kind(kind)
        if held and (depth <= 0 or self.chance(0.6)):
            return self.choice(held)
        structure = self.structures[kind]
        given = ", ".join(
            f"{name}={self.value(inner, scope, min(depth, 2) - 1)}"
            for name, inner in structure.fields
        )
        return f"{structure.name}({given})"

    def test(self, scope: Scope) -> str:
        """A condition: one that can be made of what the function holds."""
        held = {letter for _, letter in scope.values[scope.outer :]}
        found = [self.choice(TESTS) for _ in range(3)]
        return self.form(max(found, key=lambda each: _share_held(each, held)), scope, 1)

    def form(self, pattern: str, scope: Scope, depth: int) -> str:
        """A pattern with its holes filled."""

        def fill(match: re.Match[str]) -> str:
            text = self._filling(match[1], scope, depth)
            start, end = match.start(), match.end()
            before, after = pattern[:start].rstrip(" ")[-1:], pattern[end:].lstrip(" ")[:1]
            is_alone = before in ("", "(", "[", ",", "=") and after in ("", ")", "]", ",")
            if is_alone and not pattern[:start].endswith(("==", "<=", ">=", "!=")):
                return text
            return f"({text})" if is_loose(text) else text

        return _HOLE.sub(fill, pattern)

    def _filling(self, hole: str, scope: Scope, depth: int) -> str:
        if hole == "mode":
            return self.choice(MODES)
        if hole == "key":
            return self.choice(KEYS)
        if hole == "test":
            return self.test(scope)
        if hole == "name":
            return self.choice(scope.names_of("fFpiIn") or ["SCALE"])
        return self.value(hole, scope, depth - 1)

    def call(self, function: Function, scope: Scope, depth: int) -> str:
        """A call of a function, its arguments given in one of the ways that it takes."""
        if function in self.uncalled:
            self.uncalled.remove(function)
        given: list[str] = []
        by_name = False
        for parameter in function.parameters:
            text = self.value(parameter.kind, scope, depth if self.chance(0.3) else 0)
            if parameter.style == "varargs":
                if not by_name:
                    given += [self.value("f", scope, depth) for _ in range(self.rng.randint(1, 2))]
            elif parameter.style == "varkw":
                given += [f"{key}={self.value('f', scope, depth)}" for key in KEYS]
            elif parameter.style == "keyword":
                by_name = True
                if not parameter.default or self.chance(0.6):
                    given.append(f"{parameter.name}={text}")
            elif parameter.style == "default" and self.chance(0.4):
                by_name = True
            elif by_name or (
                parameter.style == "positional"
                and self.chance(0.15)
                and not any(each.style == "varargs" for each in function.parameters)
            ):
                by_name = True
                given.append(f"{parameter.name}={text}")
            else:
                given.append(text)
        return f"{function.text}({', '.join(given)})"

    def block(self, scope: Scope, depth: int, count: int) -> None:
        """Some statements of any kind."""
        for _ in range(count):
            if depth >= 2 or self.branches >= _MOST_BRANCHES:
                maker = self.statements[0]
            else:
                maker = self.rng.choices(self.statements, self.weights)[0]
            maker(self, scope, depth)


_MOST_BRANCHES = 9


@functools.cache
def _holes(pattern: str) -> tuple[str, ...]:
    return tuple(match[1] for match in _HOLE.finditer(pattern) if len(match[1]) <= 2)


def _share_held(pattern: str, held: set[str]) -> float:
    """The share of a pattern's holes that a variable can fill."""
    holes = _holes(pattern)
    filled = sum(not held.isdisjoint(narrower(hole)) for hole in holes)
    return filled / len(holes) if holes else 0.2


_SHORT = {
    kind: tuple(
        (pattern, held)
        for held in narrower(kind)
        for pattern in FORMS.get(held, ())
        if len(_holes(pattern)) == 1 and _holes(pattern)[0] not in narrower(kind)
    )
    for kind in LITERALS
}
"""Expressions of a kind that are made of one value of another."""


@functools.cache
def is_loose(text: str) -> bool:
    """Whether an expression needs parentheses inside another."""
    if text.replace(".", "").replace("_", "").isalnum():
        return False
    return isinstance(ast.parse(text, mode="eval").body, _LOOSE)

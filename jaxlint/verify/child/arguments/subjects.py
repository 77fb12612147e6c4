"""Callables of a module that can be staged: functions, methods on made-up objects, products."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax

from jaxlint.verify.child.arguments.candidates import Maker
from jaxlint.verify.child.observing.outline import Definition, Outline
from jaxlint.verify.child.observing.places import UserFiles

_DEPTH = 3


@dataclass(frozen=True)
class Subject:
    """A callable, the plain function under its wrappers, and the outline of that function.

    `owners` are objects to pass first to a method.
    """

    fn: Callable[..., Any]
    function: types.FunctionType
    outline: Outline | None
    owners: tuple[Any, ...] = ()
    is_method: bool = False

    @property
    def definition(self) -> Definition:
        return definition(self.function)


def definition(function: types.FunctionType) -> Definition:
    """Where a function's code starts, and its name."""
    return function.__code__.co_firstlineno, function.__name__


def plain(value: Any) -> types.FunctionType | None:
    """The Python function under wrappers, partials and bound methods."""
    for _ in range(20):
        if isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__"):
            return value
        if isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, (types.MethodType, staticmethod, classmethod)):
            value = value.__func__
        elif isinstance(value, property):
            value = value.fget
        elif callable(getattr(value, "__wrapped__", None)) and not isinstance(value, type):
            value = value.__wrapped__
        else:
            return None
    return None


def of_module(
    module: types.ModuleType, outlines: list[Outline], maker: Callable[[], Maker]
) -> Iterator[Subject]:
    """A subject for each outline that an attribute of the module leads to, in their order."""
    functions, classes = _found(module)
    for outline in outlines:
        if outline.owner:
            kind = classes.get(outline.owner)
            if kind is not None:
                yield from _method(kind, outline, maker())
        else:
            for fn in functions.get((outline.start, outline.node.name), []):
                function = plain(fn)
                if function is not None:
                    yield Subject(fn, function, outline)


def lambdas(module: types.ModuleType, lines: set[int] | None) -> Iterator[Subject]:
    """Lambdas that attributes of the module hold; only those that start on one of the lines."""
    functions, _ = _found(module)
    for (line, name), held in functions.items():
        if name == "<lambda>" and (lines is None or line in lines):
            for fn in held:
                function = plain(fn)
                if function is not None:
                    yield Subject(fn, function, None)


def products(result: Any, files: UserFiles) -> list[Subject]:
    """Callables of the user's that a call returned, alone or in a container."""
    found: dict[int, Subject] = {}

    def visit(value: Any, depth: int) -> None:
        function = None if isinstance(value, type) else plain(value)
        if function is not None:
            if function.__code__.co_filename in files:
                found[id(value)] = Subject(value, function, None)
            return
        if depth == 0 or isinstance(value, (str, bytes, type)):
            return
        if isinstance(value, dict):
            items = list(value.values())
        elif isinstance(value, (list, tuple)):
            items = list(value)
        else:
            items = list(getattr(value, "__dict__", {}).values())
        for item in items[:20]:
            visit(item, depth - 1)

    visit(result, _DEPTH)
    return sorted(found.values(), key=lambda subject: "init" not in subject.function.__name__)


def _found(
    module: types.ModuleType,
) -> tuple[dict[Definition, list[Any]], dict[str, type]]:
    functions: dict[Definition, list[Any]] = {}
    classes: dict[str, type] = {}

    def visit(value: Any) -> None:
        if isinstance(value, type):
            if value.__module__ == module.__name__ and value.__qualname__ not in classes:
                classes[value.__qualname__] = value
                for item in list(vars(value).values()):
                    if isinstance(item, type):
                        visit(item)
            return
        function = plain(value)
        if function is not None and function.__code__.co_filename == module.__file__:
            held = functions.setdefault(definition(function), [])
            if not any(value is item for item in held):
                held.append(value)

    for value in list(vars(module).values()):
        visit(value)
        if isinstance(value, dict) and value is not vars(module).get("__builtins__"):
            for item in list(value.values()):
                visit(item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                visit(item)
    return functions, classes


def _method(kind: type, outline: Outline, maker: Maker) -> Iterator[Subject]:
    name = outline.node.name
    held = vars(kind).get(name)
    function = plain(held)
    if function is None or definition(function) != (outline.start, name):
        return
    if isinstance(held, staticmethod):
        yield Subject(held.__func__, function, outline)
    elif isinstance(held, classmethod):
        yield Subject(held.__get__(None, kind), function, outline)
    elif name in ("__init__", "__new__", "__post_init__", "setup"):
        yield Subject(kind, function, outline)
    else:
        fn: Any = held.fget if isinstance(held, property) else held
        if hasattr(kind, "init_with_output"):  # A module of flax runs its methods by itself.
            fn = functools.partial(_initialised, fn)
            functools.update_wrapper(fn, function)
        yield Subject(fn, function, outline, owners=tuple(maker.objects(kind)), is_method=True)


def _initialised(method: Callable[..., Any], owner: Any, *args: Any, **kwargs: Any) -> Any:
    return owner.init_with_output(jax.random.PRNGKey(0), *args, method=method, **kwargs)

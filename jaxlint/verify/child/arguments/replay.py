"""Calls to study that do not have to be invented: recorded signatures and the user's examples."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import re
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child.arguments import avals, signatures
from jaxlint.verify.child.arguments.signatures import Call, Unreplayable
from jaxlint.verify.child.observing.outline import Module
from jaxlint.verify.protocol import Example, Recorded, Target

_MOST_SIGNATURES = 6
_WRAPPERS = 20


@dataclass(frozen=True)
class Replay:
    """A call that a recording describes. `is_near` tells that its function holds a target, and
    `phrase` which transform was given it."""

    name: str
    call: Call
    is_near: bool
    phrase: str = ""


def replays(
    module: types.ModuleType,
    outline: Module,
    recorded: Sequence[Recorded],
    targets: Sequence[Target],
    refused: Callable[[Recorded, str], None],
) -> Iterator[Replay]:
    """Recorded calls that may reach a target: of functions that hold it first, then of callers.

    Within a function those that a transform was applied to come first. `refused` hears why a
    recording cannot be replayed.
    """
    reaching = outline.reaching({target.line for target in targets})
    ranks = {(each.start, each.node.name): rank for rank, each in enumerate(reaching)}
    holding = {
        (each.start, each.node.name)
        for each in reaching
        if any(each.start <= target.line <= each.end for target in targets)
    }
    groups: dict[tuple[int, str], list[Recorded]] = {}
    for one in recorded:
        groups.setdefault((one.line, one.qualname.rpartition(".")[2]), []).append(one)
    for definition in sorted(groups, key=lambda each: ranks.get(each, len(ranks))):
        is_near = definition in holding or definition not in ranks
        entries = sorted(groups[definition], key=lambda each: not each.entry)
        for one in entries[:_MOST_SIGNATURES]:
            try:
                if one.arguments is None:
                    raise Unreplayable("its arguments have no text")
                function = resolved(module, one)
                call = signatures.decode(function, one.arguments)
            except Unreplayable as error:
                refused(one, f"{one.qualname} was recorded, but not replayed: {error}")
                continue
            yield Replay(one.qualname, call, is_near, one.phrase)


def resolved(module: types.ModuleType, recorded: Recorded) -> Callable[..., Any]:
    """The plain function that was recorded. Raises Unreplayable if nothing leads to it."""
    value: Any = module
    for part in recorded.qualname.split("."):
        value = _member(value, part)
    for each in [value, *vars(module).values()]:
        function = _code_at(each, recorded)
        if function is not None:
            return function
    if "<locals>" in recorded.qualname:
        raise Unreplayable("it is made inside another function")
    raise Unreplayable("nothing in the module leads to it")


def remains(error: BaseException | None, file: str) -> types.ModuleType | None:
    """What a module had defined when an error ended its import."""
    for frame, _ in traceback.walk_tb(error.__traceback__ if error else None):
        code = frame.f_code
        if code.co_name == "<module>" and is_same(code.co_filename, file):
            module = types.ModuleType(str(frame.f_globals["__name__"]))
            module.__dict__.update(frame.f_globals)
            return module
    return None


def is_same(file: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    return file == other or os.path.realpath(file) == os.path.realpath(other)


def given(
    module: types.ModuleType, example: Example, objects: Callable[[type], Sequence[Any]]
) -> Call:
    """The call that an example writes down. Raises whatever evaluating it raises.

    The function is taken as the module has it, wrapped by its transforms. `objects` makes the
    object that a method wants.
    """
    value: Any = module
    owner: Any = None
    for part in example.function.split("."):
        owner, value = value, getattr(value, part, None)
        if value is None:
            raise Unreplayable(f"the module has no {example.function}")
    args, kwargs = _evaluated(example.arguments, vars(module))
    if isinstance(owner, type) and isinstance(_member(owner, part), types.FunctionType):
        made = objects(owner)
        if not made:
            raise Unreplayable(f"no {owner.__name__} can be made")
        args = (made[0], *args)
    return signatures.abstract(value, args, kwargs)


def _member(value: Any, name: str) -> Any:
    try:
        return inspect.getattr_static(value, name)
    except AttributeError:
        return None


def _code_at(value: Any, recorded: Recorded) -> types.FunctionType | None:
    """The function beneath wrappers whose code starts where the recording says."""
    name = recorded.qualname.rpartition(".")[2]
    for _ in range(_WRAPPERS):
        if isinstance(value, types.FunctionType):
            code = value.__code__
            if (code.co_firstlineno, code.co_name) == (recorded.line, name):
                return value
        value = _inside(value)
        if value is None:
            break
    return None


def _inside(value: Any) -> Any:
    """What a wrapper wraps."""
    if isinstance(value, functools.partial):
        return value.func
    if isinstance(value, (types.MethodType, staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    try:
        return None if isinstance(value, type) else getattr(value, "__wrapped__", None)
    except Exception:  # The user's own `__getattr__` may raise anything.
        return None


# --- shorthand for abstract arrays ------------------------------------------------------------

_EMPTY = re.compile(r"\b(bool|(?:bf|[fiuc])\d+)\[\s*\]")
_KIND = re.compile(r"(bf|[fiuc])(\d+)")
_LONG = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}
_ARRAY = "__jaxlint_array__"
_KEY = "__jaxlint_key__"


def _evaluated(text: str, names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments in Python, with `f32[8, 3]`, `i32[]`, `bool[4]` and `key` for abstract ones."""
    filled = _EMPTY.sub(r"\1[()]", text)
    tree = ast.parse(f"_({filled})", mode="eval")
    tree = ast.fix_missing_locations(_Shorthand(names).visit(tree))
    namespace = {"jax": jax, "jnp": jnp, "np": np, **names, _ARRAY: _array, _KEY: _key}
    namespace["_"] = lambda *args, **kwargs: (args, kwargs)
    result: tuple[tuple[Any, ...], dict[str, Any]]
    result = eval(compile(tree, "<arguments>", "eval"), namespace)
    return result


class _Shorthand(ast.NodeTransformer):
    """Spells out shorthand, but for names that the module itself has."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id in self.names:
            return node
        name = node.value.id
        if name != "bool" and not _KIND.fullmatch(name):
            return node
        return _call(_ARRAY, [ast.Constant(name), node.slice])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _call(_KEY, []) if node.id == "key" and "key" not in self.names else node


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _array(name: str, shape: Any) -> jax.ShapeDtypeStruct:
    match = _KIND.fullmatch(name)
    dtype = _LONG[match[1]] + match[2] if match else name
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return avals.array(sizes, jax.dtypes.canonicalize_dtype(dtype), False)


def _key() -> Any:
    return jax.eval_shape(jax.random.key, 0)

"""What can be reached from a call and from the user's modules, and the tracers among it."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import named
from jaxlint.verify.child.experiments.evidence import contents
from jaxlint.verify.child.experiments.evidence.subject import Subject
from jaxlint.verify.child.observing.places import UserFiles

_MOST_OBJECTS = 20_000
_DEPTH = 12
_OPAQUE = (
    types.ModuleType, types.CodeType, types.FrameType, types.TracebackType,
    types.BuiltinFunctionType, str, bytes, int, float, complex, bool, jax.Array, type(None),
)  # fmt: skip
_FOREIGN = ("jax", "jaxlib", "numpy", "builtins")


def roots(subject: Subject) -> list[tuple[str, Any]]:
    """What the call and the user's modules hold, with names."""
    fn = subject.call.fn
    found = [(getattr(fn, "__name__", "function"), fn)]
    found += named(subject.call) if subject.is_outermost else []
    return found + [(name, vars(module)) for name, module in user_modules(subject.files)]


_Modules = list[tuple[str, types.ModuleType]]
_modules: tuple[Any, _Modules] = (None, [])


def user_modules(files: UserFiles) -> _Modules:
    """The user's modules by name. They are looked for again when others were imported since."""
    global _modules
    key = (files, len(sys.modules), next(reversed(sys.modules)))
    if _modules[0] != key:
        loaded = list(sys.modules.items())
        _modules = key, [(name, module) for name, module in loaded if is_user(module, files)]
    return _modules[1]


def is_user(module: Any, files: UserFiles) -> bool:
    """Whether a module is the user's."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file in files


def walk(start: list[tuple[str, Any]], files: UserFiles) -> Iterator[tuple[str, Any]]:
    """Every object that can be reached with a path to it, such as "module.cache[0]"."""
    seen: set[int] = set()
    keep: list[Any] = []
    level = list(start)
    for _ in range(_DEPTH):
        below: list[tuple[str, Any]] = []
        for path, each in level:
            if id(each) in seen or len(seen) > _MOST_OBJECTS:
                continue
            seen.add(id(each))
            keep.append(each)
            yield path, each
            if not isinstance(each, internals.Tracer):
                below.extend(_inside(path, each, files))
        level = below


def _inside(path: str, held: Any, files: UserFiles) -> Iterable[tuple[str, Any]]:
    if isinstance(held, _OPAQUE) or is_of_verifier(internals.home_of(type(held))):
        return ()
    if isinstance(held, types.FunctionType):
        return _of_function(path, held, files)
    if isinstance(held, types.MethodType):
        return ((path, held.__self__), (path, held.__func__))
    if isinstance(held, functools.partial):
        return ((path, held.func), (path, held.args), (path, held.keywords))
    if isinstance(held, dict):
        return [(_item(path, key), value) for key, value in list(held.items())]
    if isinstance(held, (list, tuple, set, frozenset)):
        return [(f"{path}[{at}]", value) for at, value in enumerate(list(held))]
    if isinstance(held, type):
        module = sys.modules.get(internals.home_of(held))
        if not is_user(module, files):
            return ()
        return [(f"{path}.{name}", value) for name, value in list(vars(held).items())]
    if internals.home_of(type(held)).partition(".")[0] in _FOREIGN[:3]:
        return _wrapped(path, held)
    found = [(f"{path}.{name}", value) for name, value in _attributes(held).items()]
    found.append((path, type(held)))
    wrapped = _wrapped(path, held)
    others = () if found[1:] else ((path, each) for each in gc.get_referents(held))
    return [*found, *wrapped, *others]


def is_of_verifier(module: Any) -> bool:
    """Whether a module is the verifier's, which holds what it observes: a module's loader leads to
    it."""
    return isinstance(module, str) and module.startswith("jaxlint.verify.")


def _attributes(held: Any) -> dict[str, Any]:
    own = getattr(held, "__dict__", None)
    return dict(own) if isinstance(own, dict) else {}


def _wrapped(path: str, held: Any) -> tuple[tuple[str, Any], ...]:
    """A function made by a transform: the user's own function is inside."""
    inner = inspect.getattr_static(held, "__wrapped__", None)
    if inner is None:
        return ()
    return ((path, getattr(held, "__wrapped__", None)),)


def _of_function(
    path: str, held: types.FunctionType, files: UserFiles
) -> Iterable[tuple[str, Any]]:
    found: list[tuple[str, Any]] = (
        [(path, held.__wrapped__)] if hasattr(held, "__wrapped__") else []
    )
    if is_of_verifier(held.__globals__.get("__name__")):
        return found
    for name, cell in zip(held.__code__.co_freevars, held.__closure__ or (), strict=False):
        found.append((name, contents.content(cell)))
    if held.__code__.co_filename in files:
        found.extend((path, each) for each in held.__defaults__ or ())
        found.extend((path, each) for each in (held.__kwdefaults__ or {}).values())
        module = str(held.__globals__.get("__name__", ""))
        found.append((module, held.__globals__))
        found.extend((path, each) for each in vars(held).values())
    return found


def _item(path: str, key: Any) -> str:
    if isinstance(key, str) and key.isidentifier():
        return f"{path}.{key}"
    return f"{path}[{key!r}]" if isinstance(key, (str, int)) else f"{path}[...]"


def tracers_in(value: Any) -> list[Any]:
    """All tracers that a value holds, itself if it is one; not those in modules."""
    start = [("", value)]
    nobody = UserFiles(())
    return [each for _, each in bounded(walk(start, nobody)) if isinstance(each, internals.Tracer)]


def bounded(found: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The first of many objects."""
    for number, each in enumerate(found):
        if number > 5000:
            return
        yield each

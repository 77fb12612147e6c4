"""Replaces the public transforms of JAX and its libraries by ones that observe their functions.

The functions of a library that is imported later are replaced when it is. Classes such as
`jax.custom_vjp` keep their identity and stay; the methods that take their rules are replaced.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from jaxlint.knowledge.transforms import OPERATORS, RULE_METHODS, WRAPPERS, Spots


class Observer(Protocol):
    """Takes the functions that transforms are given, and hears what came of it."""

    def observed(self, function: Any, phrase: str) -> Any: ...
    def made(
        self, phrase: str, compiles: bool, function: Any, result: Any, again: Callable[[], Any]
    ) -> None: ...


_LEFT_ALONE = frozenset({"pallas"})


class Patches:
    """The replaced functions, and the means to put the originals back."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._wanted = _wanted()
        self._replaced: list[tuple[types.ModuleType | type, str, Any, Any]] = []
        self._finder = _Finder(self)

    def install(self) -> None:
        """Replaces what is imported already, and the rest when it is imported."""
        for name in list(self._wanted):
            module = sys.modules.get(name)
            if module is not None:
                self.enter(module)
        sys.meta_path.insert(0, self._finder)

    def remove(self) -> None:
        """Puts the originals back where nobody has replaced our functions since."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._finder)
        for module, name, original, ours in reversed(self._replaced):
            if vars(module).get(name) is ours:
                setattr(module, name, original)
        self._replaced.clear()

    def waits_for(self, name: str) -> bool:
        """Whether a module of this name has transforms."""
        return name in self._wanted

    def enter(self, module: types.ModuleType) -> None:
        """Replaces the transforms of one module."""
        for name, (phrase, compiles, spots) in self._wanted[module.__name__].items():
            original = vars(module).get(name)
            if not isinstance(original, types.FunctionType):
                continue
            if any(module is each[0] and name == each[1] for each in self._replaced):
                continue
            self._replace(module, name, phrase, compiles, spots)
        for name, methods in RULE_METHODS.items() if module.__name__ == "jax" else ():
            for method, spots in methods.items():
                self._replace(vars(module)[name], method, name, False, spots)

    def _replace(
        self, owner: types.ModuleType | type, name: str, phrase: str, compiles: bool, spots: Spots
    ) -> None:
        original = vars(owner)[name]
        ours = _observing(original, self._observer, phrase, compiles, spots)
        self._replaced.append((owner, name, original, ours))
        setattr(owner, name, ours)


_JUDGING = frozenset(
    [
        *(
            dotted.rpartition(".")[2]
            for dotted, wrapper in WRAPPERS.items()
            if dotted.startswith("jax.")
            and wrapper.kind in ("jit", "remat", "vmap")
            and wrapper.result == "same"
        ),
        *(dotted.rpartition(".")[2] for dotted in OPERATORS if dotted.startswith("jax.lax.")),
    ]
)


def judges(phrase: str) -> bool:
    """Whether a transform refuses a result of which a part is no array and no number."""
    return phrase in _JUDGING


def after_import(name: str, action: Callable[[types.ModuleType], None]) -> None:
    """Does something with a module once: as soon as it has been imported."""
    module = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        action(module)
        return
    sys.meta_path.insert(0, _Once(name, action))


def _wanted() -> dict[str, dict[str, tuple[str, bool, Spots]]]:
    found: dict[str, dict[str, tuple[str, bool, Spots]]] = {}
    for dotted, wrapper in WRAPPERS.items():
        if wrapper.kind not in _LEFT_ALONE:
            module, _, name = dotted.rpartition(".")
            spots: Spots = ((wrapper.function, 0),)
            found.setdefault(module, {})[name] = (name, wrapper.compiles, spots)
    for dotted, operator in OPERATORS.items():
        module, _, name = dotted.rpartition(".")
        found.setdefault(module, {})[name] = (name, False, operator.functions)
    return found


def _observing(
    original: types.FunctionType,
    observer: Observer,
    phrase: str,
    compiles: bool,
    spots: Spots,
) -> Callable[..., Any]:
    """The transform, which passes each function that it is given through the observer."""

    def seen(value: Any) -> Any:
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(observer.observed(each, phrase) for each in value)
        return observer.observed(value, phrase)

    @functools.wraps(original)
    def transform(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        new, found = list(args), False
        first = None
        for name, position in spots:
            if position < len(new):
                first = first or new[position]
                new[position] = seen(new[position])
                found = True
            elif name in kwargs:
                first = first or kwargs[name]
                kwargs[name] = seen(kwargs[name])
                found = True
        result = original(*new, **kwargs)
        if result is None:
            return None
        if not found and not args:
            # A transform without its function, as in `@jax.jit(static_argnums=0)`.
            return _decorating(result, observer, phrase, compiles)
        if first is not None:
            again = functools.partial(original, *new, **kwargs)
            observer.made(phrase, compiles, first, result, again)
        return result

    return transform


def _decorating(
    decorate: Any, observer: Observer, phrase: str, compiles: bool
) -> Callable[[Any], Any]:
    @functools.wraps(decorate, updated=())
    def decorator(function: Any) -> Any:
        __tracebackhide__ = True
        given = observer.observed(function, phrase)
        result = decorate(given)
        again = functools.partial(decorate, given)
        observer.made(phrase, compiles, function, result, again)
        return result

    return decorator


class _Then(importlib.abc.Loader):
    """A loader that does something after it has run a module."""

    def __init__(self, inner: Any, then: Callable[[types.ModuleType], None]) -> None:
        self._inner = inner
        self._then = then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        module: types.ModuleType | None = self._inner.create_module(spec)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The module shows its own loader: others ask it for source and data.
        spec = module.__spec__
        if spec is not None:
            spec.loader = self._inner
        module.__loader__ = self._inner
        self._inner.exec_module(module)
        self._then(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules with transforms as the other finders do."""

    def __init__(self, patches: Patches) -> None:
        self._patches = patches

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self._patches.waits_for(fullname):
            return None
        return _followed(self, fullname, path, target, self._patches.enter)


class _Once(importlib.abc.MetaPathFinder):
    """Finds one module as the other finders do, then leaves."""

    def __init__(self, name: str, action: Callable[[types.ModuleType], None]) -> None:
        self._name = name
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return _followed(self, fullname, path, target, self._done)

    def _done(self, module: types.ModuleType) -> None:
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)
        self._action(module)


def _followed(
    finder: importlib.abc.MetaPathFinder,
    fullname: str,
    path: Sequence[str] | None,
    target: types.ModuleType | None,
    then: Callable[[types.ModuleType], None],
) -> importlib.machinery.ModuleSpec | None:
    """What the finders after this one say, with something to do after the module has run."""
    for other in list(_after(finder)):
        find = getattr(other, "find_spec", None)
        if find is None:
            continue
        spec: importlib.machinery.ModuleSpec | None = find(fullname, path, target)
        if spec is not None:
            if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                spec.loader = _Then(spec.loader, then)
            return spec
    return None


def _after(finder: importlib.abc.MetaPathFinder) -> Iterator[Any]:
    found = False
    for other in sys.meta_path:
        if found:
            yield other
        found = found or other is finder

"""Watches flagged expressions while the user's modules run, through an import hook."""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import importlib.abc
import importlib.machinery
import itertools
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from jaxlint.verify.child.observing.instrument import REACH, VALUE, instrument
from jaxlint.verify.child.observing.spots import decode
from jaxlint.verify.protocol import Target

_MOST_KINDS = 4
_DEEPEST = 3
_MOST_ITEMS = 64


class Listener(Protocol):
    """Hears of flagged expressions while it watches; `value` may return another value."""

    def reach(self, target: int) -> None: ...
    def value(self, target: int, value: Any) -> Any: ...


@dataclass
class Seen:
    """How often a target was evaluated, and in what circumstances.

    `reached` and `staged` count beginnings, all and those under staging. The others count
    values: under staging `tracer` (the value is or holds a tracer) and `concrete`; outside
    `eager`, of which `traced_eagerly` hold a tracer, as in an eager `jax.grad` or `jax.vmap`.
    A statement has no value. `kinds` are the kinds of the first few values, never their contents.
    """

    reached: int = 0
    staged: int = 0
    tracer: int = 0
    concrete: int = 0
    eager: int = 0
    traced_eagerly: int = 0
    kinds: list[str] = field(default_factory=list)

    @property
    def is_staged(self) -> bool:
        """Whether the target was evaluated under staging."""
        return self.staged > 0


class Tally:
    """A listener that counts."""

    def __init__(self, targets: Sequence[int] = ()) -> None:
        self.seen: dict[int, Seen] = {target: Seen() for target in targets}

    def __getitem__(self, target: int) -> Seen:
        """What was seen of one target so far."""
        return self.seen.get(target) or self.seen.setdefault(target, Seen())

    def reach(self, target: int) -> None:
        seen = self[target]
        seen.reached += 1
        if is_staged():
            seen.staged += 1

    def value(self, target: int, value: Any) -> Any:
        seen = self[target]
        has_tracer = holds_tracer(value)
        if not is_staged():
            seen.eager += 1
            seen.traced_eagerly += has_tracer
        elif has_tracer:
            seen.tracer += 1
        else:
            seen.concrete += 1
        if seen.reached <= _MOST_KINDS:
            kind = kind_of(value)
            if kind not in seen.kinds:
                seen.kinds.append(kind)
        return value


class Probes:
    """The probes of some targets, wherever their modules are loaded from now on.

    `unplaced` says why a target cannot be watched. While a listener watches, `seen` rests.
    """

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets: dict[str, list[Target]] = {}
        for target in targets:
            self._targets.setdefault(os.path.realpath(target.file), []).append(target)
        self._names = {_module_name(file) for file in self._targets}
        self._tally = Tally([target.id for target in targets])
        self._alone: list[Listener] = [self._tally]
        self._listeners = _Listeners()
        self._finder = _Finder(self)
        self.unplaced: dict[int, str] = {}

    @property
    def seen(self) -> dict[int, Seen]:
        """What was seen of each target while nobody watched."""
        return self._tally.seen

    def targets_in(self, path: str) -> list[Target]:
        """The targets of a file."""
        return self._targets.get(os.path.realpath(path), [])

    def may_hold(self, name: str) -> bool:
        """Whether a module of this name can be a file with targets."""
        return name.rpartition(".")[2] in self._names

    def compile(self, source: bytes, path: str, *, optimize: int = -1) -> types.CodeType:
        """The code of a file with its flagged expressions wrapped.

        Raises what `compile` raises for a file that Python rejects.
        """
        targets = self.targets_in(path)
        with warnings.catch_warnings():
            # A module with a bytecode cache does not warn either.
            warnings.simplefilter("ignore")
            try:
                code = self._compiled(source, path, optimize)
            except (SyntaxError, ValueError, RecursionError) as error:
                code = compile(source, path, "exec", dont_inherit=True, optimize=optimize)
                self.unplaced.update((target.id, f"not probed: {error}") for target in targets)
        return code

    def instrumented(self, source: bytes, path: str) -> ast.Module:
        """The syntax of a file with its flagged expressions wrapped.

        Raises what `ast.parse` raises for a file that Python rejects.
        """
        targets = self.targets_in(path)
        text = decode(source)
        tree = ast.parse(text, path)
        missing = instrument(tree, text, targets, self._slot)
        for target in targets:
            self.unplaced.pop(target.id, None)
        self.unplaced.update(missing)
        _offer()
        return tree

    def _compiled(self, source: bytes, path: str, optimize: int) -> types.CodeType:
        tree = self.instrumented(source, path)
        code: types.CodeType = compile(tree, path, "exec", dont_inherit=True, optimize=optimize)
        return code

    def _slot(self, reach: tuple[int, ...], value: tuple[int, ...]) -> int:
        with _numbering:
            _slots.append((self, reach, value))
            return len(_slots) - 1

    def install(self) -> None:
        """Watches modules that are imported from now on."""
        if self._finder not in sys.meta_path:
            sys.meta_path.insert(0, self._finder)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and self.may_hold(name) and name != "__main__":
                for target in self.targets_in(file):
                    self.unplaced.setdefault(target.id, f"{name} was imported before")

    def remove(self) -> None:
        """Leaves later imports alone; what is loaded keeps its probes."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._finder)

    @contextlib.contextmanager
    def watching(self, listener: Listener) -> Iterator[Listener]:
        """Tells the listener what this thread evaluates.

        The innermost listener hears first; the value that it returns goes to the next.
        """
        self._listeners.stack.append(listener)
        try:
            yield listener
        finally:
            self._listeners.stack.remove(listener)

    def hear_reach(self, targets: tuple[int, ...]) -> None:
        """Called by the probes."""
        for listener in self._listeners.stack[::-1] or self._alone:
            for target in targets:
                listener.reach(target)

    def hear_value(self, targets: tuple[int, ...], value: Any) -> Any:
        """Called by the probes."""
        for listener in self._listeners.stack[::-1] or self._alone:
            for target in targets:
                value = listener.value(target, value)
        return value


class _Listeners(threading.local):
    """The listeners of each thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[Listener] = []


_slots: list[tuple[Probes, tuple[int, ...], tuple[int, ...]]] = []
"""All probes of this process: code that is loaded keeps reporting to its own `Probes`."""
_numbering = threading.Lock()


def _reach(slot: int) -> int:
    probes, reach, _ = _slots[slot]
    probes.hear_reach(reach)
    return slot


def _value(slot: int, value: Any) -> Any:
    probes, _, targets = _slots[slot]
    return probes.hear_value(targets, value)


def _offer() -> None:
    setattr(builtins, REACH, _reach)
    setattr(builtins, VALUE, _value)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and loads those with targets in its own way."""

    def __init__(self, probes: Probes) -> None:
        self.probes = probes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self.probes.may_hold(fullname):
            return None
        spec = self._found(fullname, path, target)
        if spec is None or spec.origin is None or not spec.has_location:
            return None
        return spec if self.adopt(spec) else None

    def adopt(self, spec: importlib.machinery.ModuleSpec) -> bool:
        """Takes over the loading of a file with targets, if Python itself would load it."""
        targets = self.probes.targets_in(spec.origin or "")
        if not targets:
            return False
        if type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(spec.name, spec.loader.path, self.probes)
        else:
            reason = f"loaded by {type(spec.loader).__name__}"
            self.probes.unplaced.update((target.id, reason) for target in targets)
        return True

    def _found(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders say; two of this class would ask each other for ever."""
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            if find is None or isinstance(finder, _Finder):
                continue
            spec: importlib.machinery.ModuleSpec | None = find(fullname, path, target)
            if spec is not None:
                return spec
        return None


def probed(spec: importlib.machinery.ModuleSpec) -> None:
    """Watches the file of a specification that no finder made, if it has targets."""
    for finder in sys.meta_path:
        if isinstance(finder, _Finder) and finder.adopt(spec):
            return


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the file each time: bytecode caches are neither read nor written."""

    def __init__(self, name: str, path: str, probes: Probes) -> None:
        super().__init__(name, path)
        self.probes = probes

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return self.probes.compile(self.get_data(path), path)


def _module_name(file: str) -> str:
    folder, name = os.path.split(file)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem == "__init__" else stem


# --- values -----------------------------------------------------------------------------------

_staged: Callable[[], bool] | None = None


def is_staged() -> bool:
    """Whether JAX stages what runs now. Does not import JAX for the program."""
    global _staged
    if _staged is None:
        module = sys.modules.get("jax")
        if module is None or getattr(module.__spec__, "_initializing", False):
            return False
        from jaxlint.verify.child import internals

        _staged = internals.staged
    return _staged()


def holds_tracer(value: Any) -> bool:
    """Whether a value is a tracer, or a small container or object that holds one."""
    if type(value) in _PLAIN:
        return False
    tracer = _tracer_class()
    return tracer is not None and _holds(value, tracer, _DEEPEST)


_PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None)})
_tracer: type | None = None


def _tracer_class() -> type | None:
    """The class of tracers, once the program has imported JAX."""
    global _tracer
    if _tracer is None:
        _tracer = getattr(getattr(sys.modules.get("jax"), "core", None), "Tracer", None)
    return _tracer


def _holds(value: Any, tracer: type, depth: int) -> bool:
    kind = type(value)
    if issubclass(kind, tracer):
        return True
    if depth == 0 or kind in _PLAIN:
        return False
    return any(_holds(item, tracer, depth - 1) for item in _held(value, kind))


def _held(value: Any, kind: type) -> Sequence[Any]:
    """What the value holds, found without running any code of the user's."""
    if issubclass(kind, tuple):
        return tuple.__getitem__(value, slice(_MOST_ITEMS))
    if kind is list:
        return list(value[:_MOST_ITEMS])
    if kind in (dict, set, frozenset):
        items = value.values() if kind is dict else value
        return list(itertools.islice(items, _MOST_ITEMS))
    if kind is slice:
        return (value.start, value.stop, value.step)
    if dataclasses.is_dataclass(kind):
        return list(getattr(value, "__dict__", {}).values())[:_MOST_ITEMS]
    return ()


def kind_of(value: Any) -> str:
    """A value in a word or two: its type, and an array's shape."""
    kind = type(value)
    tracer = _tracer_class()
    if tracer is not None and issubclass(kind, tracer):
        aval = value.aval
        return f"traced {getattr(aval, 'dtype', '')}{list(getattr(aval, 'shape', ()))}"
    return kind.__name__

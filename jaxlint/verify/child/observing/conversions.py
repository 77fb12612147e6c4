"""The ways in which Python and JAX ask a tracer for its value, intercepted.

Each way is a method of `jax.core.Tracer` or a function of JAX that all its callers share. While
`intercepted` is active, a listener is asked what such a conversion should give.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from jaxlint.verify.child import internals

Native = Callable[[], Any]
Stub = Callable[[], Any]


class Listener(Protocol):
    """Decides about conversions."""

    def convert(self, kind: str, value: Any, native: Native, stubs: tuple[Stub, ...]) -> Any:
        """The answer to one conversion: what `native` gives or raises, or what a stub gives."""

    def iterates(self, value: Any) -> None:
        """Python iterates over a tracer, which unrolls the loop."""


@contextlib.contextmanager
def intercepted(listener: Listener) -> Iterator[None]:
    """Ask `listener` about every conversion in this process while the context is active.

    The hooks stay in place afterwards and do what JAX does: classes that change often lose track
    of their methods (Python 3.13 gives a class a thousand versions).
    """
    global _listener
    _install()
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


_listener: Listener | None = None
_installed: list[tuple[Any, str]] = []


def _install() -> None:
    if not _installed:
        for owner, name, make in list(_hooks()):
            setattr(owner, name, make(getattr(owner, name, None)))
            _installed.append((owner, name))


def _convert(kind: str, value: Any, native: Native, stubs: tuple[Stub, ...]) -> Any:
    return native() if _listener is None else _listener.convert(kind, value, native, stubs)


_Make = Callable[[Any], Callable[..., Any]]


def _hooks() -> Iterator[tuple[Any, str, _Make]]:
    tracer = internals.Tracer
    yield tracer, "__bool__", _method("bool", lambda _: (lambda: True, lambda: False))
    yield tracer, "__int__", _method("int", _integers)
    yield tracer, "__index__", _method("index", _integers)
    yield tracer, "__float__", _method("float", lambda _: _each(1.0, 0.5, 2.0))
    yield tracer, "__complex__", _method("complex", lambda _: _each(1 + 0j))
    yield tracer, "__array__", _method("array", lambda x: (lambda: _ones(x),))
    yield tracer, "tolist", _method("tolist", lambda x: (lambda: _ones(x).tolist(),))
    yield tracer, "item", _item
    yield tracer, "__hash__", _hash
    yield tracer, "__format__", _format
    yield tracer, "__iter__", _iterate
    yield tracer, "__getitem__", _getitem
    array = internals.array_class()
    if array is not None:
        yield array, "__getitem__", _getitem
    reference = internals.update_class()
    if reference is not None:
        for name in _UPDATES:
            if hasattr(reference, name):
                yield reference, name, _update(name)
    for module in internals.concrete_or_error_holders():
        yield module, "concrete_or_error", _concrete_or_error


_UPDATES = ("get", "set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max")


def _each(*values: Any) -> tuple[Stub, ...]:
    return tuple(lambda value=value: value for value in values)


def _integers(_: Any) -> tuple[Stub, ...]:
    return _each(2, 1, 0)


def _ones(value: Any, fill: int = 1) -> np.ndarray[Any, Any]:
    """An array of the shape and dtype of a tracer; TypeError for one that NumPy cannot hold."""
    return np.full(value.shape, fill, dtype=np.dtype(value.dtype))


def _method(kind: str, stubs: Callable[[Any], tuple[Stub, ...]]) -> _Make:
    def make(original: Any) -> Callable[..., Any]:
        def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
            native = lambda: original(self, *args, **kwargs)  # noqa: E731
            return _convert(kind, self, native, stubs(self))

        return hook

    return make


def _item(_: Any) -> Callable[..., Any]:
    def hook(self: Any, *args: Any) -> Any:
        def native() -> Any:
            return self.__getattr__("item")(*args)

        return _convert("item", self, native, (lambda: _ones(self).flat[0].item(),))

    return hook


def _hash(original: Any) -> Callable[..., Any]:
    def hook(self: Any) -> Any:
        def native() -> Any:
            if original is None:
                raise TypeError(f"unhashable type: {type(self).__name__!r}")
            return original(self)

        return _convert("hash", self, native, (lambda: id(self),))

    return hook


def _format(original: Any) -> Callable[..., Any]:
    def hook(self: Any, spec: str) -> Any:
        def stub() -> str:
            try:
                return format(_ones(self).flat[0].item(), spec)
            except ValueError:
                return spec

        return _convert("format", self, lambda: original(self, spec), (stub,))

    return hook


def _iterate(original: Any) -> Callable[..., Any]:
    def hook(self: Any) -> Any:
        steps = original(self)
        if _listener is not None:
            _listener.iterates(self)
        return steps

    return hook


def _getitem(original: Any) -> Callable[..., Any]:
    def hook(self: Any, index: Any, /) -> Any:
        kind = index_kind(index)
        if kind is None:
            return original(self, index)
        return _convert(
            kind,
            self,
            lambda: original(self, index),
            (lambda: original(self, relaxed(index)),),
        )

    return hook


def _update(name: str) -> _Make:
    def make(original: Any) -> Callable[..., Any]:
        def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
            kind = index_kind(self.index)
            if kind is None:
                return original(self, *args, **kwargs)

            def stub() -> Any:
                return original(type(self)(self.array, relaxed(self.index)), *args, **kwargs)

            return _convert(kind, self, lambda: original(self, *args, **kwargs), (stub,))

        hook.__name__ = name
        return hook

    return make


def index_kind(index: Any) -> str | None:
    """ "mask" or "slice" if an index holds a tracer that needs its value, else None."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, slice):
            if any(is_abstract(bound) for bound in (part.start, part.stop, part.step)):
                return "slice"
        elif is_abstract(part) and getattr(part, "dtype", None) == np.bool_:
            return "mask"
    return None


def relaxed(index: Any) -> Any:
    """The index with masks taken as all true and bounds that are tracers dropped."""
    if isinstance(index, tuple):
        return tuple(relaxed(part) for part in index)
    if isinstance(index, slice):
        bounds = (index.start, index.stop, index.step)
        return slice(*(None if is_abstract(bound) else bound for bound in bounds))
    if is_abstract(index) and getattr(index, "dtype", None) == np.bool_:
        return _ones(index)
    return index


def is_abstract(value: Any) -> bool:
    """Whether a value is a tracer without a concrete value."""
    return isinstance(value, internals.Tracer) and internals.is_abstract(value)


def _concrete_or_error(original: Any) -> Callable[..., Any]:
    def hook(force: Any, value: Any, context: str = "") -> Any:
        if not isinstance(value, internals.Tracer):
            return original(force, value, context)

        def stub(fill: int) -> Stub:
            def answer() -> Any:
                filled = _ones(value, fill)
                plain = filled.item() if filled.ndim == 0 else filled
                return plain if force is None else force(plain)

            return answer

        native = lambda: original(force, value, context)  # noqa: E731
        return _convert("shape", value, native, (stub(2), stub(1), stub(0)))

    return hook

"""Stand-ins for the user's functions: what JAX is given in their place, and when they are equal."""

from __future__ import annotations

import functools
import itertools
import os
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, Protocol

import jax

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.signatures import Call

_OURSELVES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


class Observer(Protocol):
    """Hears when functions begin and end."""

    def enter(
        self, fn: Callable[..., Any], phrase: str, number: int, args: Any, kwargs: Any
    ) -> Any: ...
    def leave(self, visit: Any, error: BaseException | None, result: Any = None) -> None: ...
    def count(self, fn: Callable[..., Any], number: int, args: Any, kwargs: Any) -> None: ...


Maker = Callable[[types.FunctionType, str, int], Callable[..., Any]]


class Standins:
    """One stand-in for each function, for the life of the function. Each has a number.

    JAX finds compiled programs by the identity of functions, so a bound method stays a bound
    method, equal and alive as before, and a partial function has one stand-in. `make` makes that
    of a user's function, `make_again` that of what a transform returned.
    """

    def __init__(self, make: Maker, make_again: Callable[[Callable[..., Any], int], Any]) -> None:
        self._make = make
        self._make_again = make_again
        self._known: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._instances: weakref.WeakKeyDictionary[Any, weakref.ref[Any]]
        self._instances = weakref.WeakKeyDictionary()
        self._methods: dict[int, types.MethodType] = {}
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._again: weakref.WeakKeyDictionary[Any, Callable[[], Any]]
        self._again = weakref.WeakKeyDictionary()
        self._count = itertools.count(1)

    def of(self, function: Any, phrase: str) -> Any:
        """What to pass to JAX: the function itself if it is not to be observed."""
        if type(function) is types.MethodType:
            return self._of_method(function, phrase)
        if not is_by_identity(function):
            return function
        method = getattr(type(function), "__call__", None)  # noqa: B004
        if isinstance(method, types.FunctionType) and function not in self._again:
            return self._of_instance(function, method, phrase)
        known = self._known.get(function)
        if known is None:
            known = self._new(function, phrase)
            if known is not function:
                self._known[function] = known
        return known

    def _of_method(self, method: types.MethodType, phrase: str) -> types.MethodType:
        """The stand-in of a bound method lives as long as that does.

        JAX forgets what it traced of a method object when there is no such object any more.
        """
        inner = self.of(method.__func__, phrase)
        if inner is method.__func__:
            return method
        known = self._methods.get(id(method))
        if known is None:
            known = self._methods[id(method)] = types.MethodType(inner, method.__self__)
            weakref.finalize(method, self._methods.pop, id(method), None).atexit = False
        return known

    def number(self, function: Any) -> int:
        """The number of a function's stand-in; 0 without one."""
        function = base_of(function)
        return self._numbers.get(function, 0) if is_by_identity(function) else 0

    def repeatable(self, result: Any, again: Callable[[], Any]) -> None:
        """Tells how to make again what a transform returned.

        A stand-in of the result calls its equal, and does not keep the result itself alive.
        """
        self._again[result] = again

    def _new(self, function: Any, phrase: str) -> Any:
        if isinstance(function, functools.partial):
            inner = self.of(function.func, phrase)
            if inner is function.func:
                return function
            return functools.partial(inner, *function.args, **function.keywords)
        again = self._again.get(function)
        is_function = isinstance(function, types.FunctionType)
        if again is None and (not is_function or _is_left_alone(function.__code__)):
            return function
        number = self._numbers[function] = next(self._count)
        if again is not None:
            return self._make_again(again(), number)
        return self._make(_copy_of(function), phrase, number)

    def _of_instance(self, instance: Any, method: types.FunctionType, phrase: str) -> Any:
        """The stand-in of an object that is called: it calls the stand-in of its method.

        It holds the object, so it is only remembered for as long as JAX holds it.
        """
        inner = self.of(method, phrase)
        if inner is method:
            return instance
        known = self._instances.get(instance)
        standin = known() if known is not None else None
        if standin is not None:
            return standin

        @functools.wraps(instance, updated=())
        def called(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            return inner(instance, *args, **kwargs)

        called.__name__ = called.__qualname__ = type(instance).__name__
        self._instances[instance] = weakref.ref(called)
        return called


def observing(
    observer: Observer, fn: types.FunctionType, phrase: str, number: int
) -> Callable[..., Any]:
    """The function, whose traces the observer hears of."""

    @functools.wraps(fn)
    def observed(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        visit = observer.enter(fn, phrase, number, args, kwargs)
        if visit is None:
            return fn(*args, **kwargs)
        try:
            result = fn(*args, **kwargs)
        except BaseException as error:
            observer.leave(visit, error)
            raise
        observer.leave(visit, None, result)
        return result

    return observed


def counting(observer: Observer, fn: Callable[..., Any], number: int) -> Callable[..., Any]:
    """What a transform returned, whose traces the observer counts."""

    @functools.wraps(fn)
    def counted(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        observer.count(fn, number, args, kwargs)
        return fn(*args, **kwargs)

    return counted


def caller() -> types.FrameType | None:
    """The frame outside this package that called a stand-in."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURSELVES):
        frame = frame.f_back
    return frame


def base_of(function: Any) -> Any:
    """The function in partial functions and methods."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        else:
            return function


def is_by_identity(value: Any) -> bool:
    """Whether a value can be a key that runs no code of the user's, and does not keep it alive."""
    kind: Any = type(value)
    by_identity = kind.__hash__ is object.__hash__ and kind.__eq__ is object.__eq__
    return by_identity and bool(kind.__weakrefoffset__)


def _is_left_alone(code: types.CodeType) -> bool:
    """Whether a function is JAX's or one of this package, wrappers included."""
    return code.co_filename.startswith(_OURSELVES) or internals.is_own_file(code.co_filename)


def _copy_of(function: types.FunctionType) -> types.FunctionType:
    """A function with the same code and cells.

    The stand-in must not keep the original alive, or neither would ever be freed: one is found
    by way of the other.
    """
    copy = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(copy, function)
    inner = function.__dict__.get("__wrapped__")
    if inner is None:
        del copy.__wrapped__  # type: ignore[attr-defined]
    else:
        copy.__wrapped__ = inner  # type: ignore[attr-defined]
    return copy


def signature_key(call: Call) -> Any:
    """What JAX tells signatures apart by, roughly: values that are static, types of the rest."""
    leaves, tree = jax.tree_util.tree_flatten((call.args, call.kwargs))

    def key(leaf: Any) -> Any:
        if isinstance(leaf, jax.ShapeDtypeStruct):
            return (leaf.shape, str(leaf.dtype), bool(getattr(leaf, "weak_type", False)))
        try:
            hash(leaf)
        except TypeError:
            return id(leaf)
        return leaf

    return str(tree), tuple(map(key, leaves))

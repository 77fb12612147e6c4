"""Every private name of JAX that the verifier uses, but those of jaxprs, each with a fallback.

Public names are used from here too where their place moved between JAX 0.4.30 and the newest.
Importing this module imports JAX.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Tracer: type = jax.core.Tracer
"""The public base class of everything that stands for a value under tracing."""

CONVERSION_ERRORS: tuple[type[BaseException], ...] = tuple(
    getattr(jax.errors, name)
    for name in (
        "ConcretizationTypeError",
        "TracerArrayConversionError",
        "TracerIntegerConversionError",
        "TracerBoolConversionError",
        "NonConcreteBooleanIndexError",
    )
    if hasattr(jax.errors, name)
)
"""What JAX raises when Python asks a tracer for its value."""


_HOMES = tuple(
    os.path.dirname(os.path.realpath(module.__file__ or "")) + os.sep
    for name, module in list(sys.modules.items())
    if name in ("jax", "jaxlib")
)


@functools.cache
def is_own_file(filename: str) -> bool:
    """Whether a file is part of JAX."""
    return os.path.realpath(filename).startswith(_HOMES)


def home_of(kind: type) -> str:
    """The module of a class. That of mapped functions names none on JAX 0.4.30."""
    return str(getattr(kind, "__module__", None) or "jaxlib")


def version() -> str:
    """The version of JAX, as text."""
    return str(jax.__version__)


def _core() -> Any:
    from jax._src import core

    return core


def _stagers() -> tuple[type, ...]:
    """Classes of traces that write a program down: jit, scan, make_jaxpr and their kin."""
    try:
        from jax._src.interpreters.partial_eval import DynamicJaxprTrace
    except ImportError:
        return ()
    return (DynamicJaxprTrace,)


_STAGERS = _stagers()


def _context_tests() -> Iterator[Callable[[], bool]]:
    """Tests of whether the current trace, or one beneath it, writes a program, by JAX version."""
    core, stagers = _core(), _STAGERS
    context = getattr(core, "trace_ctx", None)
    if context is not None:
        evaluation = getattr(core, "eval_trace", None)

        def newer() -> bool:
            trace = context.trace
            while trace is not None and trace is not evaluation:
                if isinstance(trace, stagers):
                    return True
                trace = getattr(trace, "parent_trace", None)
            return False

        yield newer
    state = getattr(core, "thread_local_state", None)
    if state is not None:

        def older() -> bool:
            return issubclass(state.trace_state.trace_stack.dynamic.trace_type, stagers)

        yield older


def _staged_by_value() -> bool:
    """Whether a constant is a tracer. Public names only, but writes an equation."""
    return isinstance(jnp.zeros(()), Tracer)


def _tells_staging(test: Callable[[], bool]) -> bool:
    """Whether a test tells staging from no staging on this JAX.

    Runs in a thread of its own, because JAX keeps the context per thread, and starts no backend.
    """
    answers: list[bool] = []

    def probe(x: Any) -> Any:
        answers.append(test())
        return x

    def mapped(x: Any) -> Any:
        return jax.vmap(probe)(jnp.reshape(probe(x), (1,)))

    def ask() -> None:
        with contextlib.suppress(AttributeError, TypeError):
            answers.append(test())
            jax.make_jaxpr(mapped)(jax.ShapeDtypeStruct((), "float32"))
            jax.vmap(probe)(np.ones(1, "float32"))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return answers == [False, True, True, False]


def _first_staged() -> bool:
    """Choose the test for this JAX and answer with it."""
    global _staged
    tests = filter(_tells_staging, _context_tests() if _STAGERS else ())
    _staged = next(tests, _staged_by_value)
    return _staged()


_staged: Callable[[], bool] = _first_staged


def staged() -> bool:
    """Whether JAX writes down what runs here: true in jit and scan, false in eager grad, vmap."""
    return _staged()


def is_writing() -> bool:
    """Whether what runs here is itself what JAX writes down.

    False in a function that vmap or grad maps on the way, though that is staged too.
    """
    core = _core()
    context = getattr(core, "trace_ctx", None)
    if context is not None and _STAGERS:
        return isinstance(context.trace, _STAGERS)
    state = getattr(getattr(core, "thread_local_state", None), "trace_state", None)
    if state is not None and _STAGERS:
        return issubclass(state.trace_stack.stack[-1].trace_type, _STAGERS)
    return staged()


def is_abstract(tracer: Any) -> bool:
    """Whether a tracer has no concrete value. Tracers of an eager `jax.grad` have one."""
    concrete = getattr(type(tracer), "to_concrete_value", None)
    if concrete is not None:
        return concrete(tracer) is None
    aval = tracer.aval
    return not hasattr(aval, "val")


def is_staged(tracer: Any) -> bool:
    """Whether a tracer is a value of a program that JAX writes down, not of `vmap` or `grad`."""
    return "DynamicJaxpr" in type(tracer).__name__


def clear_caches() -> None:
    """Forget all traces, so that every function body runs again."""
    jax.clear_caches()


def array_class() -> type | None:
    """The class of concrete arrays. Found without making one, which would start a backend."""
    try:
        from jax._src.array import ArrayImpl
    except ImportError:
        return None
    return ArrayImpl


def update_class() -> type | None:
    """The class of `x.at[i]`, which has `set`, `add` and their kin."""
    try:
        from jax._src.numpy.array_methods import _IndexUpdateRef
    except ImportError:
        return None
    return _IndexUpdateRef


def concrete_or_error_holders() -> list[Any]:
    """The modules that hold the function through which JAX's own functions ask for a value.

    Empty if this JAX has none: conversions then reach the methods of the tracer.
    """
    global _holders
    if _holders is None:
        original = getattr(_core(), "concrete_or_error", None)
        _holders = [
            module
            for name, module in list(sys.modules.items())
            if original is not None
            and name.partition(".")[0] == "jax"
            and vars(module).get("concrete_or_error") is original
        ]
    return _holders


_holders: list[Any] | None = None


@contextlib.contextmanager
def exact_tracebacks() -> Iterator[None]:
    """A context in which JAX leaves tracebacks alone.

    Those that it filters tell where each frame was when the error left it, a handler for example,
    and not where the error passed first.
    """
    before = getattr(jax.config, "jax_traceback_filtering", None)
    if before is None:
        yield
        return
    jax.config.update("jax_traceback_filtering", "off")
    try:
        yield
    finally:
        jax.config.update("jax_traceback_filtering", before)


def hide_file(filename: str) -> None:
    """Keeps the frames of a file out of JAX's filtered tracebacks and of the places it notes."""
    from jax._src import source_info_util, traceback_util

    for module in (source_info_util, traceback_util):
        register = getattr(module, "register_exclusion", None)
        if register is not None:
            register(filename)


def begins_staging(frame: types.FrameType) -> bool:
    """Whether JAX begins to write down a program of its own in a frame, as jit and scan do."""
    if not _is_staging_told():
        return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "jax"
    return _has_staging_name(frame)


def _has_staging_name(frame: types.FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    name = frame.f_code.co_name
    is_stager = module.endswith(".partial_eval") and name.startswith("trace_to_")
    # The others of these names split a program for its derivative.
    return is_stager and "nounits" not in name


@functools.cache
def _is_staging_told() -> bool:
    """Whether the frames of this JAX have the names by which staging is known."""
    found: list[bool] = []

    def probe(x: Any) -> Any:
        frame: types.FrameType | None = sys._getframe(1)
        names = False
        while frame is not None and not names:
            names = _has_staging_name(frame)
            frame = frame.f_back
        found.append(names)
        return x

    jax.make_jaxpr(probe)(jax.ShapeDtypeStruct((), "float32"))
    return found == [True]


def is_ahead_of_time(frame: types.FrameType | None) -> bool:
    """Whether a function is traced to be lowered or for its shapes, and nothing is compiled.

    `frame` is the one that calls the function.
    """
    return bool(_ahead_names() & set(_names_of_jax(frame)))


def _names_of_jax(frame: types.FrameType | None) -> Iterator[tuple[str, str]]:
    """The modules and names of JAX's frames, from one of them to the user's code."""
    while frame is not None and is_own_file(frame.f_code.co_filename):
        yield str(frame.f_globals.get("__name__", "")), frame.f_code.co_name
        frame = frame.f_back


class _StopError(Exception):
    """Ends a trace, so that nothing is lowered and no backend starts."""


@functools.cache
def _ahead_names() -> frozenset[tuple[str, str]]:
    """The functions of this JAX through which only what is not compiled is traced."""
    found: list[set[tuple[str, str]]] = []

    def probe(x: Any) -> Any:
        found.append(set(_names_of_jax(sys._getframe(1))))
        raise _StopError

    value = jax.ShapeDtypeStruct((), "float32")
    ways = [getattr(jax.jit(probe), name, None) for name in ("lower", "trace", "eval_shape")]

    def traced(way: Callable[[Any], Any]) -> set[tuple[str, str]]:
        with contextlib.suppress(_StopError):
            way(value)
        return found[-1]

    def ask() -> None:
        called = traced(lambda each: jax.make_jaxpr(lambda x: jax.jit(probe)(x))(each))
        ahead = [traced(way) for way in ways if way is not None]
        names.update(set().union(*ahead) - called)

    # JAX keeps its state per thread: a new one is in no trace.
    names: set[tuple[str, str]] = set()
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return frozenset(names)


def is_wide() -> bool:
    """Whether 64-bit types are enabled here, by a context of this thread or everywhere."""
    return bool(getattr(jax.config, "jax_enable_x64", False))


def be_wide(wide: bool) -> None:
    """Enables 64-bit types everywhere, or not."""
    jax.config.update("jax_enable_x64", wide)


def is_refusal(error: BaseException | None) -> bool:
    """Whether JAX refused a conversion, or an error has such a refusal as its cause.

    NumPy replaces some by errors of its own.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, CONVERSION_ERRORS):
            return True
        seen.add(id(error))
        error = error.__cause__
    return False


def is_raised_by_jax(error: BaseException) -> bool:
    """Whether JAX's own code raised an error."""
    step, file = error.__traceback__, ""
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        step = step.tb_next
    return is_own_file(file)

"""Runs a module without compiling anything.

Compiling takes most of the time that a small module needs, and what its functions compute does
not matter to what happens while they are traced: they give ones. What JAX computes outside them is
computed by NumPy. Needs private names of JAX; where one is missing, JAX compiles as ever, which
is slow and right.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import arithmetic
import jax
import numpy as np


def current_trace() -> Any:
    """The trace that operations are recorded by; `None` if they are executed."""
    return _current()


def _first_current() -> Any:
    """Choose how this JAX tells its trace, and answer with it."""
    global _current
    from jax._src import core

    context = getattr(core, "trace_ctx", None)
    evaluation = getattr(core, "eval_trace", None)
    if context is None or evaluation is None:
        raise RuntimeError(f"JAX {jax.__version__} does not tell its trace")

    def current() -> Any:
        trace = context.trace
        return None if trace is evaluation else trace

    _current = current
    return current()


_current: Callable[[], Any] = _first_current


@contextlib.contextmanager
def uncompiled(path: str) -> Iterator[None]:
    """A context in which functions of one file, and loops of JAX, are not compiled."""
    try:
        from jax._src import dispatch, pjit
    except ImportError:
        yield
        return
    with (
        _replaced(pjit, "_pjit_call_impl_python", functools.partial(_calls, path)),
        _replaced(dispatch, "xla_primitive_callable", _operations),
    ):
        yield


@contextlib.contextmanager
def _replaced(module: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(module, name, None)
    if original is None:
        yield
        return
    setattr(module, name, make(original))
    try:
        yield
    finally:
        setattr(module, name, original)


def _calls(path: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """What calls a jitted function: those of the file give ones, those of JAX are computed."""

    def call(*args: Any, jaxpr: Any, **params: Any) -> Any:
        info = getattr(jaxpr.jaxpr, "debug_info", None)
        source = getattr(info, "func_src_info", None) or ""
        if path in source:
            return [ones(aval) for aval in jaxpr.out_avals], None, None, []
        if _has_keys(jaxpr.jaxpr):
            return original(*args, jaxpr=jaxpr, **params)
        plain = [
            np.asarray(each, aval.dtype) for each, aval in zip(args, jaxpr.in_avals, strict=True)
        ]
        found = arithmetic.run(jaxpr.jaxpr, jaxpr.consts, plain)
        pairs = zip(found, jaxpr.out_avals, strict=True)
        return [arithmetic.array_of(value, aval) for value, aval in pairs], None, None, []

    return call


def _has_keys(jaxpr: Any) -> bool:
    """Whether a program works on keys, which only JAX can compute."""
    equations = (variable for each in jaxpr.eqns for variable in each.outvars)
    variables = (*jaxpr.constvars, *jaxpr.invars, *equations)
    return any(arithmetic.is_key(variable.aval) for variable in variables)


def _operations(original: Callable[..., Any]) -> Callable[..., Any]:
    """What executes one operation: the table does."""

    def callable_of(primitive: Any, **params: Any) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            given = list(map(jax.typeof, args))
            if primitive.name.startswith("random_") or any(map(arithmetic.is_key, given)):
                return original(primitive, **params)(*args)
            if primitive.name == "stage":  # What goes in comes out.
                return arithmetic.array_of(np.asarray(args[0], given[0].dtype), given[0])
            avals, _ = primitive.abstract_eval(*given, **params)
            avals = avals if primitive.multiple_results else [avals]
            if any(map(_is_program, params.values())):
                found = [ones(aval) for aval in avals]
            else:
                pairs = zip(args, given, strict=True)
                plain = [np.asarray(each, aval.dtype) for each, aval in pairs]
                values = arithmetic.operate(primitive.name, params, plain, avals)
                found = list(map(arithmetic.array_of, values, avals))
            return found if primitive.multiple_results else found[0]

        return call

    return callable_of


def _is_program(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_program, value))
    return type(value).__name__ in ("ClosedJaxpr", "Jaxpr")


def ones(aval: Any) -> jax.Array:
    """An array of ones; a key for keys."""
    if arithmetic.is_key(aval):
        return _key(aval.shape)
    return arithmetic.array_of(np.ones(aval.shape, aval.dtype), aval)


@functools.cache
def _key(shape: tuple[int, ...]) -> jax.Array:
    return jax.random.split(jax.random.key(1), shape) if shape else jax.random.key(1)

"""Whether an error that comes from elsewhere is due to what is flagged: a contrast decides.

A parameter that is used as a Python value raises where it is used, and a result that JAX does not
take raises behind the function. Another parameter may raise the same error, so the call is staged
again with another value of the flagged one alone.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.verify.child.arguments.signatures import Call, stager
from jaxlint.verify.child.arguments.subjects import plain
from jaxlint.verify.child.experiments.evidence.subject import Subject, Trace, depends_on, is_a
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.protocol import Target

_HARMLESS: tuple[Any, ...] = (None, np.float32(1.0))
_SCALARS: tuple[int, ...] = (0, 1)


def is_parameter(subject: Subject, target: Target) -> bool:
    """Whether the target is a parameter, which has no value of its own."""
    return isinstance(subject.syntax(target).node(target), ast.arg)


def is_due(subject: Subject, target: Target, trace: Trace) -> bool:
    """Whether the error that ended a trace is due to the target."""
    if is_parameter(subject, target):
        return _is_of_parameter(subject, target, trace)
    if any(target in subject.matcher.match(place) for place in trace.places):
        return True
    if not trace.watch.delivered[target.id]:
        return False
    return any(
        subject.trace(Watch(subject.files, on_value=new), entry=trace.is_entry).error is None
        for new in (_instead(target, value) for value in _HARMLESS)
    )


def is_tested(subject: Subject, target: Target) -> bool:
    """Whether a staging that comes to its end would have raised: a parameter was traced.

    Where nothing else is known of the place of the error, it may be outside of what is staged.
    """
    if not is_parameter(subject, target) or not _is_entry(subject, target):
        return False
    leaves = jax.tree_util.tree_leaves(_argument(subject, target))
    return any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves)


def _instead(target: Target, new: Any) -> Any:
    return lambda id, _, value: new if id == target.id else value


def _is_of_parameter(subject: Subject, target: Target, trace: Trace) -> bool:
    assert trace.error is not None
    name = _name(subject, target)
    if not _is_entry(subject, target):
        function = getattr(_function(subject, target), "name", "<lambda>")
        is_here = f"tracing the function {function} " in str(trace.error)
        return is_here and name in re.findall(r"\w+", depends_on(trace.error))
    return any(
        not _is_alike(subject.run(stager(call), Watch(subject.files)), trace)
        for call in _varied(subject, target)
    )


def _varied(subject: Subject, target: Target) -> Iterator[Call]:
    """The call with a value that is known in place of the flagged argument alone."""
    argument = _argument(subject, target)
    leaves = jax.tree_util.tree_leaves(argument)
    if not any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves):
        return
    for number in _SCALARS:
        known = jax.tree_util.tree_map(lambda leaf, number=number: _known(leaf, number), argument)
        yield _with_argument(subject.call, _name(subject, target), known)


def _known(leaf: Any, number: int) -> Any:
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return leaf
    made = np.full(leaf.shape, number, leaf.dtype)
    return made.item() if leaf.shape == () else made


def _is_alike(one: Trace, other: Trace) -> bool:
    """Whether two traces ended with an error of one class at one place."""
    if one.error is None or other.error is None:
        return one.error is other.error
    places = [each.places[-1] if each.places else None for each in (one, other)]
    return is_a(one.error, (type(other.error).__name__,)) and places[0] == places[1]


def _with_argument(call: Call, name: str, value: Any) -> Call:
    bound = inspect.signature(call.fn).bind(*call.args, **call.kwargs)
    bound.arguments[name] = value
    return replace(call, args=bound.args, kwargs=bound.kwargs)


def _argument(subject: Subject, target: Target) -> Any:
    """The argument for the flagged parameter; None if the call leaves it out."""
    call = subject.call
    try:
        bound = inspect.signature(call.fn).bind(*call.args, **call.kwargs)
    except (TypeError, ValueError):
        return None
    return bound.arguments.get(_name(subject, target))


def _is_entry(subject: Subject, target: Target) -> bool:
    """Whether the call is one of the function that has the flagged parameter."""
    function = plain(subject.call.fn)
    node = _function(subject, target)
    if function is None or node is None or function.__code__.co_filename not in subject.files:
        return False
    lines = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]
    names = inspect.signature(subject.call.fn).parameters
    is_here = min(lines) <= function.__code__.co_firstlineno <= node.lineno
    return is_here and _name(subject, target) in names


def _function(subject: Subject, target: Target) -> Any:
    """The function or lambda that has the flagged parameter."""
    syntax = subject.syntax(target)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    around = syntax.around(syntax.node(target))
    return next((each for each in around if isinstance(each, kinds)), None)


def _name(subject: Subject, target: Target) -> str:
    return str(getattr(subject.syntax(target).node(target), "arg", ""))

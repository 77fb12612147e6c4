"""Observes one JAX function: its result, and which parameters accept a traced value."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import knowledge_public as public
import knowledge_recipes as recipes
import numpy as np
from knowledge_arguments import OTHERS, RECIPES, M
from knowledge_bodies import BODIES
from knowledge_keys import consumed, makes_consumers

Values = dict[str, Any]
KINDS = {
    "bool": jnp.bool_,
    "int": jnp.integer,
    "float": jnp.floating,
    "complex": jnp.complexfloating,
}
FAILED = object()
EMPTY = inspect.Parameter.empty
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def public_functions() -> Iterator[tuple[str, Any]]:
    """Every public function that a row describes, with its full name."""
    for dotted, value in public.public_callables().items():
        if dotted not in recipes.ROWS and (public.left_out(dotted, value) or dotted in BODIES):
            continue
        yield dotted, value
        home, _, name = dotted.rpartition(".")
        if home == "jax.numpy" and isinstance(value, jnp.ufunc) and name in recipes.REDUCING_UFUNCS:
            for method in recipes.UFUNC_METHODS:
                yield f"{dotted}.{method}", getattr(value, method)


def parameters(function: Any) -> dict[str, inspect.Parameter] | None:
    """The parameters of a function, None when it does not tell."""
    if isinstance(function, jnp.ufunc):
        function = function._func
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


class Probe:
    """A function with arguments for which it works."""

    def __init__(self, dotted: str, function: Callable[..., Any]) -> None:
        self.dotted = dotted
        self.function = function
        self.parameters = parameters(function) or {}
        self.base: Values = {}
        self.varies: set[str] = set()

    def call(self, values: Values) -> Any:
        positional = []
        keywords = dict(values)
        for name, parameter in self.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(keywords.pop(name, ()))
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                keywords.update(keywords.pop(name, {}))
            elif (
                name in keywords
                and parameter.kind in POSITIONAL
                and len(positional) == list(self.parameters).index(name)
            ):
                positional.append(keywords.pop(name))
        return self.function(*positional, **keywords)

    def trace(self, values: Values, traced: set[str]) -> Any:
        """The result of a call in staged code where `traced` arguments are tracers."""
        out: list[Any] = []
        leaves = {name: values[name] for name in traced}

        def body(arguments: Values) -> None:
            out.append(self.call({**values, **arguments}))

        try:
            staged = body
            if self.dotted in recipes.COLLECTIVES:
                staged = lambda given: jax.vmap(  # noqa: E731
                    lambda _: body(given), axis_name="i", axis_size=2
                )(jnp.zeros(2))
            jax.make_jaxpr(staged)(leaves)
        except Exception:
            return FAILED
        return out[0]

    def made(self) -> Any:
        """What the function gives outside of any trace, None when it fails."""
        try:
            return self.call(self.base)
        except Exception:
            return None

    def numeric(self, values: Values) -> set[str]:
        return {name for name, value in values.items() if is_array(value)}

    def find_base(self) -> bool:
        """Look for arguments that work, first with the arrays among them traced."""
        home, _, name = self.dotted.rpartition(".")
        own = RECIPES.get(self.dotted)
        if own is None and home == "jax.Array":
            own = {"self": M}
        if home.rpartition(".")[2] in recipes.REDUCING_UFUNCS:
            own = recipes.UFUNC_METHODS[name]
        trials: list[tuple[Values, set[str]]] = []
        given = [values for values in (own, OTHERS.get(self.dotted)) if values is not None]
        trials.extend((dict(values), set()) for values in given)
        if own is None:
            trials.extend(self.generic())
        for values, varies in trials:
            for traced in (self.numeric(values), set[str]()):
                if self.trace(values, traced) is not FAILED:
                    self.base, self.varies = values, varies or floats(values)
                    return True
        return False

    def generic(self) -> Iterator[tuple[Values, set[str]]]:
        for named, data in itertools.product((recipes.NAMED, {}), recipes.DATA.values()):
            values: Values = {}
            varies = set()
            for name, parameter in self.parameters.items():
                if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                    continue
                if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                    values[name] = (data,)
                    varies.add(name)
                elif (
                    parameter.default is EMPTY and name in named and name not in recipes.OFTEN_DATA
                ):
                    values[name] = named[name][0]
                elif parameter.default is EMPTY:
                    values[name] = data
                    varies.add(name)
            yield values, varies


def is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic, jax.Array)) or (
        isinstance(value, (tuple, list)) and bool(value) and all(map(is_array, value))
    )


def floats(values: Values) -> set[str]:
    """The arguments that are arrays of floats."""
    return {
        name
        for name, value in values.items()
        if is_array(value)
        and all(jnp.issubdtype(leaf.dtype, jnp.floating) for leaf in jax.tree.leaves(value))
    }


def structure(result: Any) -> str:
    """The kind of a result, in the words of `FunctionSpec.result`."""
    if result is None:
        return "none"
    leaves = jax.tree.leaves(result)
    if not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
        if isinstance(result, jax.Array):
            return "array"
        return "object" if callable(result) and not isinstance(result, type) else "static"
    if isinstance(result, jax.Array):
        key = jax.dtypes.issubdtype(result.dtype, jax.dtypes.prng_key)
        return "key" if key else "array"
    parts = result.values() if isinstance(result, dict) else result
    for kind in (tuple, list, dict):
        if isinstance(result, kind) and all(isinstance(part, jax.Array) for part in parts):
            return kind.__name__
    return "object"


def parts(result: Any) -> str:
    """The kinds of the parts of a tuple whose parts are not all arrays, in order."""
    if structure(result) != "object" or not isinstance(result, tuple):
        return ""
    return " ".join(map(structure, result))


def keeps_structure(probe: Probe) -> bool:
    """Whether a tree for the first argument comes back as a tree of the same structure."""
    name = next(iter(probe.parameters), "")
    value = probe.base.get(name)
    if not isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return False
    tree = {"a": value, "b": (value,)}
    result = probe.trace({**probe.base, name: tree}, {name})
    return result is not FAILED and jax.tree.structure(result) == jax.tree.structure(tree)


def kind_of(result: Any) -> str:
    if not isinstance(result, jax.Array):
        return "?"
    return next((kind for kind, of in KINDS.items() if jnp.issubdtype(result.dtype, of)), "?")


def cast(value: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf).astype(dtype), value)


def _is_whole(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jnp.integer) or leaf.dtype == np.bool_


def fixed_kind(probe: Probe) -> str:
    """The kind of dtype that the result has for arguments of every kind, "" when it differs."""
    kinds = set()
    for dtype in (np.float32, np.int32, np.bool_, np.complex64):
        values = {
            name: cast(value, dtype) if name in probe.varies else value
            for name, value in probe.base.items()
        }
        result = probe.trace(values, probe.numeric(values))
        if result is FAILED:
            result = probe.trace(values, set())
        if result is not FAILED:
            kinds.add(kind_of(result))
    for name, value in probe.base.items():
        # What takes whole numbers may take truth values, and the other way round.
        if is_array(value) and all(map(_is_whole, jax.tree.leaves(value))):
            for dtype in (np.int32, np.bool_):
                values = {**probe.base, name: cast(value, dtype)}
                result = probe.trace(values, {name})
                if result is not FAILED:
                    kinds.add(kind_of(result))
    for name in probe.parameters:
        if "dtype" in name or name == "preferred_element_type":
            for dtype in (np.float32, np.int32, np.bool_, np.complex64):
                result = probe.trace({**probe.base, name: dtype}, set())
                if result is not FAILED:
                    kinds.add(kind_of(result))
    found = kinds.pop() if len(kinds) == 1 else "?"
    return "" if found == "?" else found


def is_scalar(probe: Probe) -> bool:
    """Whether results are zero-dimensional for arguments of several ranks."""
    if probe.dotted in recipes.SCALARS:
        return True
    if not recipes.SIZED.isdisjoint(probe.parameters) or not probe.varies:
        return False
    ranks = []
    for shape in ((3,), (3, 3), (2, 3, 3)):
        values = {
            name: jax.tree.map(lambda leaf: np.ones(shape, leaf.dtype), value)  # noqa: B023
            if name in probe.varies
            else value
            for name, value in probe.base.items()
        }
        result = probe.trace(values, probe.varies)
        if result is not FAILED:
            ranks.append(result.ndim if isinstance(result, jax.Array) else -1)
    return len(ranks) > 1 and set(ranks) == {0}


def candidates(probe: Probe, name: str) -> list[Any]:
    """Values worth trying for a parameter."""
    if name in probe.base:
        return [probe.base[name]]
    found = list(recipes.NAMED.get(name, ()))
    default = probe.parameters[name].default
    if default is not EMPTY and default is not None:
        found.append(default)
    found.extend([np.float32(0.5), np.int32(1), np.bool_(True), *recipes.DATA.values()])
    return found


def as_traced(value: Any) -> Any:
    """A value to pass as a tracer in place of a static one, None when there is none."""
    if isinstance(value, (bool, int, float, complex)):
        whole = isinstance(value, int) and not isinstance(value, bool)
        return np.asarray(value, np.int32 if whole else np.result_type(value))
    if is_array(value):
        return value
    if isinstance(value, (tuple, list)) and value:
        leaves = [as_traced(item) for item in value]
        return None if any(leaf is None for leaf in leaves) else type(value)(leaves)
    return None


def needs_static(probe: Probe, name: str) -> bool | None:
    """Whether a traced value raises where the same concrete one works; None when unknown."""
    if name in recipes.ALWAYS_STATIC:
        return probe.trace({**probe.base, name: np.float32(1)}, {name}) is FAILED
    for value in candidates(probe, name):
        if probe.trace({**probe.base, name: value}, set()) is FAILED:
            continue
        traced = as_traced(value)
        if traced is None:
            if probe.trace({**probe.base, name: np.float32(1)}, {name}) is FAILED:
                return True
            continue
        return probe.trace({**probe.base, name: traced}, {name}) is FAILED
    return None


def restructuring(probe: Probe, usual: str) -> list[str]:
    """The flags that change the structure of the result."""
    found = []
    for name, parameter in probe.parameters.items():
        if isinstance(parameter.default, bool):
            values = {**probe.base, name: not parameter.default}
            result = probe.trace(values, set())
            if result is not FAILED and structure(result) != usual:
                found.append(name)
    return found


def role(dotted: str, name: str) -> str:
    """The list of `FunctionSpec` to which a parameter belongs that must be static."""
    for kind, by_function in recipes.ROLES.items():
        short = dotted.removeprefix("jax.").removeprefix("numpy.")
        if name in by_function.get(short, "").split():
            return kind
    if name in recipes.BOUNDS or name in recipes.SHAPES:
        return "shape"
    return "layout" if name in recipes.LAYOUTS else "static"


def row(dotted: str, function: Any) -> tuple[Any, ...] | None:
    """The table row of a function, None when no arguments were found for which it works."""
    if dotted in recipes.ROWS:
        return recipes.ROWS[dotted]
    probe = Probe(dotted, function)
    if not probe.parameters and parameters(function) is None:
        return None
    if not probe.find_base():
        return None
    traced = probe.trace(probe.base, probe.numeric(probe.base))
    result = structure(probe.trace(probe.base, set()) if traced is FAILED else traced)
    result = recipes.RESULTS.get(dotted) or ("same" if keeps_structure(probe) else result)
    extra: dict[str, Any] = {}
    for name, parameter in probe.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL and dotted not in recipes.RESTLESS:
            extra["rest"] = name
        if parameter.kind is inspect.Parameter.VAR_KEYWORD or name in recipes.NO_ROLE | (
            recipes.ACCEPTED.get(dotted, frozenset())
        ):
            continue
        if result not in ("static", "object") and needs_static(probe, name):
            where = role(dotted, name)
            extra[where] = f"{extra.get(where, '')} {name}".strip()
    short = dotted.removeprefix("jax.").removeprefix("numpy.")
    for field, value in recipes.DATA_DEPENDENT.get(short, {}).items():
        extra[field] = value
        if field in ("data", "counts"):
            for other in ("static", "shape", "layout"):
                kept = [p for p in extra.get(other, "").split() if p not in value.split()]
                extra[other] = " ".join(kept)
    flags = restructuring(probe, structure(traced if traced is not FAILED else None))
    swaps = traced is not FAILED and result in ("array", "tuple")
    extra["restructures"] = " ".join(flags) if swaps else ""
    if is_scalar(probe):
        extra["scalar"] = True
    extra["parts"] = parts(traced) if dotted not in recipes.RESULTS else ""
    extra["keys"] = " ".join(consumed(probe.call, probe.base))
    if result == "object" and makes_consumers(probe.made()):
        extra["makes"] = "consumer"
    extra = {field: value for field, value in sorted(extra.items()) if value}
    fixed = fixed_kind(probe) if result == "array" else ""
    return finish(probe, result, fixed, extra)


def finish(probe: Probe, result: str, fixed: str, extra: dict[str, Any]) -> tuple[Any, ...]:
    hidden = {inspect.Parameter.VAR_KEYWORD}
    if "rest" not in extra:
        hidden.add(inspect.Parameter.VAR_POSITIONAL)
    order = [p for p in probe.parameters.values() if p.kind not in hidden]
    positional = sum(p.kind in POSITIONAL for p in order)
    if "rest" in extra:
        positional = -1
    names = " ".join(p.name for p in order)
    head = (result, fixed, names, positional)
    return (*head, extra) if extra else head

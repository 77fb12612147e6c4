"""What a library on top of JAX adds to the tables: one `Model` for each library.

The built-in ones stand in `jaxlint.knowledge.ecosystems`; packages bring more, as entry points
of the group `jaxlint.models`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.libraries import BUILT_IN
from jaxlint.knowledge.transforms import Wrapper


@slotted(frozen=True)
class Model:
    """One library, by its top-level package. Every name is dotted and canonical.

    - `aliases`: other spellings, and names that are another library's function
      (`flax.linen.relu` is `jax.nn.relu`);
    - `wrappers`: transforms that take a function and return one; `opaque`: those of which it is
      known that they wrap, but not what becomes traced;
    - `functions`: what calls give, in the words of `FunctionSpec`;
    - `pytree_decorators` make a class a pytree whose fields are children, `pytree_bases` do so
      by inheritance, `static_fields` declare fields that may be static
      (`static=True`, `pytree_node=False`);
    - `modules`: classes whose heirs have methods that run in compiled code, as layers do;
    - `plain_bases`: library classes that let attributes be read and set as Python does;
    - `transparent`: decorators that give back what they are given, as far as tracing goes;
      `name(...)` is what a call of `name` gives;
    - `annotations`: what annotates arrays, with the kind of their dtype where it is promised;
    - `static_annotations`: what annotates fields and parameters that are static, once subscripted;
    - `is_summary`: the model says in short what the library's own functions and classes do. Where
      a project has that source, the source is followed instead;
    - `kept`: names of which a summary tells more than the source does. The model speaks for
      them also where a project has that source.
    """

    library: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    wrappers: Mapping[str, Wrapper] = field(default_factory=dict)
    opaque: frozenset[str] = frozenset()
    functions: Mapping[str, FunctionSpec] = field(default_factory=dict)
    pytree_decorators: frozenset[str] = frozenset()
    pytree_bases: frozenset[str] = frozenset()
    static_fields: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    plain_bases: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    annotations: Mapping[str, str] = field(default_factory=dict)
    static_annotations: frozenset[str] = frozenset()
    is_summary: bool = False
    kept: frozenset[str] = frozenset()


_installed: dict[str, Model] = {}


# What the tables of jaxlint itself are about.
_RESERVED = frozenset({"builtins", "jax", "jaxlib", "numpy"})
_KINDS = frozenset({"ad", "custom", "jit", "pallas", "plain", "remat", "shard", "vmap"})
_RESULTS = frozenset({"array", "dict", "key", "list", "none", "object", "same", "static", "tuple"})


def objection(model: Model) -> str:
    """Why a model cannot be used, empty where it can.

    Questions about a name go to the model of its library, so names of others have no effect.
    """
    if not model.library.isidentifier() or model.library in _RESERVED:
        return f"{model.library!r} is not the top-level package of a library on top of JAX"
    return _foreign(model) or _misspelt(model)


def _foreign(model: Model) -> str:
    named = (
        model.aliases,
        model.wrappers,
        model.opaque,
        model.functions,
        model.pytree_decorators,
        model.pytree_bases,
        model.static_fields,
        model.modules,
        model.plain_bases,
        model.transparent,
        model.annotations,
        model.static_annotations,
        model.kept,
    )
    own = f"{model.library}."
    foreign = sorted({name for names in named for name in names if not name.startswith(own)})
    return f"{foreign[0]} is no name of {model.library}" if foreign else ""


def _misspelt(model: Model) -> str:
    words: list[tuple[str, str, frozenset[str]]]
    words = [(name, one.kind, _KINDS) for name, one in model.wrappers.items()]
    words += [(name, one.result, _RESULTS) for name, one in model.functions.items()]
    wrong = [(name, word, known) for name, word, known in words if word not in known]
    if not wrong:
        return ""
    name, word, known = wrong[0]
    return f"{name} cannot be {word!r}, but {', '.join(sorted(known))}"


def is_installed(library: str) -> bool:
    """Whether a package has brought a model of this library."""
    return library in _installed


def install(model: Model) -> None:
    """Adds the model of a library; it takes the place of a built-in one."""
    _installed[model.library] = model
    of.cache_clear()


def libraries() -> frozenset[str]:
    """The top-level packages that have a model."""
    return frozenset({*BUILT_IN, *_installed})


@cache
def of(library: str) -> Model | None:
    """The model of a top-level package."""
    if library in _installed:
        return _installed[library]
    if library not in BUILT_IN:
        return None
    # Imported at the first question about such a name, to keep start-up fast.
    made: Any = import_module(f"jaxlint.knowledge.ecosystems.{BUILT_IN[library]}").model
    assert isinstance(made, Model)
    return made


def model_of(dotted: str) -> Model | None:
    """The model of the library that a dotted name belongs to."""
    return of(dotted.partition(".")[0])

"""What the models know by name: libraries' classes and functions, their attributes, transforms."""

from __future__ import annotations

import ast
import importlib
import keyword
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jaxlint.engine.frameworks
import jaxlint.knowledge
from jaxlint.knowledge import lookup, models
from jaxlint.knowledge.transforms import OPAQUE_WRAPPERS, WRAPPERS

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_NAME = re.compile(r"[A-Za-z]\w*")
# Families of which the models know the members by their form alone.
_FAMILIES = (
    *(f"flax.nnx.{name}" for name in ("Linear", "BatchNorm", "Dropout", "Rngs", "LSTMCell", "RNN")),
    *(f"flax.nnx.{name}" for name in ("Optimizer", "Sequential", "Module", "metrics.Average")),
    *(f"flax.linen.{name}" for name in ("Dense", "BatchNorm", "LSTMCell", "RNN", "Sequential")),
    *(f"numpyro.distributions.{name}" for name in ("Normal", "Categorical", "Distribution")),
    *(f"haiku.{name}" for name in ("Linear", "LSTM", "Sequential", "Module", "Transformed")),
    *(f"equinox.nn.{name}" for name in ("Linear", "MLP", "Sequential", "State", "Lambda")),
    *('jaxtyping.Float[jax.Array, "n"]', "jaxtyping.PyTree[jax.Array]", "diffrax.Solution"),
    *("typing.Any", "typing.Callable", "typing.NamedTuple", "typing.Protocol", "typing.Self"),
    *("dataclasses.dataclass", "dataclasses.field", "dataclasses.InitVar", "enum.Enum"),
    *("collections.abc.Callable", "collections.OrderedDict", "collections.namedtuple"),
    *("int", "float", "str", "bool", "object", "list", "dict", "tuple", "range", "type"),
)
# Annotations in which a name occurs.
FORMS = (
    "{0}",
    "'''{0}'''",
    "Optional[{0}]",
    "{0} | None",
    "Union[{0}, int, Config]",
    "list[{0}]",
    "dict[str, {0}]",
    "tuple[{0}, ...]",
    "tuple[{0}, {0}]",
    "Sequence[{0}]",
    "Callable[[{0}], {0}]",
    "Annotated[{0}, 'x']",
    "type[{0}]",
    "{0}[{0}]",
    "jaxtyping.Float[{0}, 'n']",
    "jaxtyping.PyTree[{0}]",
    "Literal[{0}]",
    "{0}(3)",
    "ClassVar[{0}]",
    "Final[{0}]",
)


# Transforms that tell arrays from what is static by annotations, and others.
LENIENT = ("equinox.filter_jit", "equinox.filter_jit", "equinox.filter_vmap", "equinox.filter_grad",
           "equinox.filter_pmap", "jax.jit", "flax.nnx.jit", "jax.vmap", "jax.grad")  # fmt: skip


def _tables() -> Iterator[tuple[str, ModuleType]]:
    """The modules that say something of libraries, and the library each is about, if one."""
    for package in (jaxlint.knowledge, jaxlint.engine.frameworks):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            topic = found.name.rpartition(".")[2].partition("_")[0]
            yield topic, importlib.import_module(found.name)


def _texts(held: Any, seen: set[int], depth: int = 6) -> Iterator[str]:
    """The strings in a table."""
    if isinstance(held, str):
        yield held
    elif depth and id(held) not in seen:
        seen.add(id(held))
        inner: list[Any] = []
        if isinstance(held, (set, frozenset)):
            inner = sorted(held, key=repr)
        elif isinstance(held, (list, tuple)):
            inner = list(held)
        elif isinstance(held, Mapping):
            inner = [*held, *held.values()]
        elif type(held).__module__.startswith("jaxlint.knowledge"):
            inner = [getattr(held, name, None) for name in getattr(type(held), "__slots__", ())]
        for one in inner:
            yield from _texts(one, seen, depth - 1)


@cache
def names() -> dict[str, tuple[str, ...]]:
    """Every dotted name that a table knows, by its library, in a fixed order."""
    seen: set[int] = set()
    found: set[str] = set(_FAMILIES)
    for _, module in _tables():
        for name, held in vars(module).items():
            if not name.startswith("__"):
                texts = (text for text in _texts(held, seen) if _DOTTED.fullmatch(text))
                found.update(map(lookup.canonical, texts))
    grouped: dict[str, list[str]] = defaultdict(list)
    for name in sorted(found):
        grouped[name.partition(".")[0] if "." in name else "builtins"].append(name)
    known = {"jax", "numpy", "builtins", "typing", "dataclasses", "functools", *models.libraries()}
    return {library: tuple(grouped[library]) for library in sorted(known) if library in grouped}


@cache
def members(library: str) -> tuple[str, ...]:
    """Attributes that the model of a library mentions: every string there that could be one."""
    about = {"flax": ("flax", "linen", "nnx", "layers", "objects", "states", "scopes", "lifted",
                      "train"), "distrax": ("distrax", "distributions"),
             "numpyro": ("numpyro", "distributions")}.get(library, (library,))  # fmt: skip
    found: set[str] = set()
    for topic, module in _tables():
        if topic in about and module.__file__ is not None:
            tree = ast.parse(Path(module.__file__).read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    words = (one for one in node.value.split() if len(one) < 30)
                    found.update(filter(_NAME.fullmatch, words))
    return tuple(sorted(word for word in found if not keyword.iskeyword(word)))


ATTRIBUTES = ("shape", "dtype", "T", "at", "sum", "item", "copy", "update", "init", "__class__",
               "__call__", "__dict__", "append", "items", "keys", "get", "value", "apply", "run",
               "name", "func", "lower", "defvjp", "setter", "other")  # fmt: skip


@cache
def transforms() -> tuple[str, ...]:
    """Every transform that takes a function and gives one."""
    known = {*WRAPPERS, *OPAQUE_WRAPPERS}
    for library in models.libraries():
        model = models.of(library)
        assert model is not None
        known |= {*model.wrappers, *model.opaque}
    return tuple(sorted(known))

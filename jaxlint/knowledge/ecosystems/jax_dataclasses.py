"""What jaxlint knows of jax_dataclasses: pytrees of dataclasses, and what is static by annotation.

Source: the documentation of jax_dataclasses, "pytree_dataclass" and "Static": a field that is
annotated `Static[...]` is no child of the pytree, and such a parameter static for
`jax_dataclasses.jit`.
"""

from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.models import Model
from jaxlint.knowledge.transforms import Wrapper

_OF_DATACLASSES = ("asdict", "astuple", "field", "fields", "is_dataclass", "replace")

model = Model(
    "jax_dataclasses",
    aliases={
        **{f"jax_dataclasses.{name}": f"dataclasses.{name}" for name in _OF_DATACLASSES},
        "jax_dataclasses.static_field": "jax.tree.static",
    },
    wrappers={
        "jax_dataclasses.jit": Wrapper(
            "jit",
            EntryKind.JITTED.by("jax_dataclasses.jit"),
            compiles=True,
            statics=("", ""),
            annotated=True,
        )
    },
    pytree_decorators=frozenset({"jax_dataclasses.pytree_dataclass"}),
    static_annotations=frozenset({"jax_dataclasses.Static"}),
)

"""What jaxlint knows of Equinox.

Sources: the Equinox documentation, "Filtered transformations" (arrays are traced, all other
leaves of the arguments are static), "Module" and "Neural network modules".
"""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType

from jaxlint.base.dataclass import slotted
from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model
from jaxlint.knowledge.transforms import Wrapper, WrapperKind


@slotted(frozen=True)
class Layer:
    """A layer of `equinox.nn`: `arrays` are its array fields, `inner` its fields that are layers
    (of a class of `equinox.nn`), `numbers` its Python numbers that are leaves, `functions` those
    that are functions. All others are static. One with `layers` holds others, of any class.

    An array field named in `switches` is None where that argument is False. `result` is what a
    call gives: "array", "pair" (of arrays), "stateful" (an array and a state), or "" where it
    depends on the layer's arguments. One that `draws` is made of random numbers, by the argument
    `key`.
    """

    arrays: tuple[str, ...] = ()
    inner: MappingProxyType[str, str] = field(default_factory=lambda: MappingProxyType({}))
    numbers: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    switches: MappingProxyType[str, str] = field(default_factory=lambda: MappingProxyType({}))
    result: str = "array"
    layers: bool = False
    draws: bool = False

    @property
    def holds_arrays(self) -> bool:
        """Whether there may be arrays in it, those of the layers in it included."""
        return bool(self.arrays or self.inner or self.layers)


_BIAS = MappingProxyType({"bias": "use_bias", "bias_n": "use_bias"})
_AFFINE = MappingProxyType({"weight": "channelwise_affine", "bias": "channelwise_affine"})
_NORM = Layer(
    ("weight", "bias"), switches=MappingProxyType({"weight": "use_weight", "bias": "use_bias"})
)
_CONV = Layer(("weight", "bias"), switches=_BIAS, draws=True)
_POOL = Layer(numbers=("init",), functions=("operation",))
_ADAPTIVE = Layer(functions=("operation",))
_PROJECTIONS = ("query_proj", "key_proj", "value_proj", "output_proj")

LAYERS: dict[str, Layer] = {
    "Linear": Layer(("weight", "bias"), switches=_BIAS, draws=True),
    "Identity": Layer(result=""),
    "MLP": Layer(functions=("activation", "final_activation"), layers=True, draws=True),
    "Sequential": Layer(result="", layers=True),
    "Lambda": Layer(functions=("fn",), result="", layers=True),
    "Dropout": Layer(numbers=("p", "inference")),
    "Embedding": Layer(("weight",), draws=True),
    "PReLU": Layer(("negative_slope",)),
    "LayerNorm": _NORM,
    "RMSNorm": _NORM,
    "GroupNorm": Layer(("weight", "bias"), switches=_AFFINE),
    "BatchNorm": Layer(
        ("weight", "bias"), numbers=("inference",), switches=_AFFINE, result="stateful"
    ),
    "SpectralNorm": Layer(numbers=("inference",), result="stateful", layers=True, draws=True),
    "WeightNorm": Layer(("g",), functions=("_norm",)),
    "GRUCell": Layer(("weight_ih", "weight_hh", "bias", "bias_n"), switches=_BIAS, draws=True),
    "LSTMCell": Layer(
        ("weight_ih", "weight_hh", "bias"), switches=_BIAS, result="pair", draws=True
    ),
    "MultiheadAttention": Layer(
        inner=MappingProxyType({**dict.fromkeys(_PROJECTIONS, "Linear"), "dropout": "Dropout"}),
        draws=True,
    ),
    "RotaryPositionalEmbedding": Layer(),
    **{f"{kind}{n}": _CONV for kind in ("Conv", "ConvTranspose") for n in ("", "1d", "2d", "3d")},
    **{f"{kind}Pool{n}d": _POOL for kind in ("Avg", "Max") for n in (1, 2, 3)},
    **{f"Adaptive{kind}Pool{n}d": _ADAPTIVE for kind in ("Avg", "Max") for n in (1, 2, 3)},
    "Pool": _POOL,
    "AdaptivePool": _ADAPTIVE,
}
"""The layers of `equinox.nn` by their names; `tests/frameworks/test_equinox.py` observes them."""

LIBRARY = "equinox.nn."


def layer(dotted: str) -> Layer | None:
    """The layer of this dotted name."""
    return LAYERS.get(dotted.removeprefix(LIBRARY)) if dotted.startswith(LIBRARY) else None


def _filtered(
    kind: WrapperKind, how: Application, result: str = "same", compiles: bool = False
) -> Wrapper:
    return Wrapper(kind, how, compiles=compiles, statics=("", ""), result=result, lenient=True)


def _differentiated(name: str, result: str) -> Wrapper:
    return _filtered("ad", EntryKind.DIFFERENTIATED.by(f"eqx.{name}"), result)


_STATIC = FunctionSpec("static")
_ARRAY = FunctionSpec("array")

_WRAPPERS = {
    "equinox.filter_jit": _filtered("jit", EntryKind.JITTED.by("eqx.filter_jit"), compiles=True),
    "equinox.filter_pmap": _filtered("jit", EntryKind.MAPPED.by("eqx.filter_pmap"), compiles=True),
    "equinox.filter_vmap": _filtered("vmap", EntryKind.MAPPED.by("eqx.filter_vmap")),
    "equinox.filter_grad": _differentiated("filter_grad", "grad"),
    "equinox.filter_value_and_grad": _differentiated("filter_value_and_grad", "value_and_grad"),
    "equinox.filter_jacfwd": _differentiated("filter_jacfwd", "matrix"),
    "equinox.filter_jacrev": _differentiated("filter_jacrev", "matrix"),
    "equinox.filter_hessian": _differentiated("filter_hessian", "matrix"),
    "equinox.filter_checkpoint": _filtered("remat", EntryKind.TRACED.by("eqx.filter_checkpoint")),
    "equinox.filter_make_jaxpr": _filtered(
        "jit", EntryKind.TRACED.by("eqx.filter_make_jaxpr"), "unknown"
    ),
    "equinox.filter_custom_vjp": _filtered("custom", EntryKind.RULED.by("eqx.filter_custom_vjp")),
    "equinox.filter_custom_jvp": _filtered("custom", EntryKind.RULED.by("eqx.filter_custom_jvp")),
}
_MODULES = frozenset({"equinox.Module", "equinox.nn.StatefulLayer"})

model = Model(
    "equinox",
    aliases={
        "equinox.Partial": "jax.tree_util.Partial",
        "equinox.internal.error_if": "equinox.error_if",
        "equinox.internal.branched_error_if": "equinox.branched_error_if",
        "equinox.nn.inference_mode": "equinox.tree_inference",
    },
    wrappers=_WRAPPERS,
    functions={
        "equinox.tree_pformat": _STATIC,
        "equinox.tree_pprint": FunctionSpec("none"),
        "equinox.tree_check": FunctionSpec("none"),
        "equinox.tree_serialise_leaves": FunctionSpec("none"),
        "equinox.debug.get_num_traces": _STATIC,
        "equinox.internal.buffer_at_set": _ARRAY,
        "equinox.internal.left_broadcast_to": _ARRAY,
        "equinox.internal.nextafter": _ARRAY,
        "equinox.internal.prevbefore": _ARRAY,
        "equinox.internal.unvmap_all": _ARRAY,
        "equinox.internal.unvmap_any": _ARRAY,
        "equinox.internal.unvmap_max": _ARRAY,
    },
    pytree_bases=_MODULES,
    static_fields=frozenset({"equinox.field"}),
    modules=_MODULES,
    plain_bases=_MODULES,
    is_summary=True,
    kept=_MODULES.union(
        _WRAPPERS,
        {
            "equinox.Partial",
            "equinox.field",
            "equinox.is_array",
            "equinox.is_array_like",
            "equinox.is_inexact_array",
            "equinox.is_inexact_array_like",
            "equinox.static_field",
        },
    ),
    transparent=frozenset(
        {
            "equinox.debug.assert_max_traces(...)",
            "equinox.internal.doc_remove_args(...)",
            "equinox.internal.doc_repr",
            "equinox.internal.filter_primitive_batching",
            "equinox.internal.filter_primitive_def",
            "equinox.internal.filter_primitive_jvp",
            "equinox.internal.filter_primitive_transpose",
            "equinox.internal.filter_primitive_transpose(...)",
        }
    ),
)

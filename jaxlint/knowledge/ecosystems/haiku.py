"""What jaxlint knows of Haiku.

Sources: the Haiku documentation, "Haiku Fundamentals" (`hk.transform` makes a pair of pure
functions, parameters are made while `init` runs) and "Limitations of nesting JAX functions and
Haiku modules" (inside a transformed function, JAX transforms need their Haiku counterparts).
"""

from __future__ import annotations

from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model
from jaxlint.knowledge.transforms import Wrapper

MODULES = frozenset(
    {
        "BatchNorm", "Bias", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D",
        "Conv3DTranspose", "ConvND", "ConvNDTranspose", "DepthwiseConv1D", "DepthwiseConv2D",
        "DepthwiseConv3D", "Embed", "ExponentialMovingAverage", "GroupNorm", "InstanceNorm",
        "LayerNorm", "Linear", "MultiHeadAttention", "RMSNorm", "SeparableDepthwiseConv2D",
        "SpectralNorm", "nets.MLP", "nets.MobileNetV1", "nets.ResNet", "nets.ResNet18",
        "nets.ResNet34", "nets.ResNet50", "nets.ResNet101", "nets.ResNet152", "nets.ResNet200",
    }
)  # fmt: skip
"""Modules whose calls make parameters or state the first time, and give an array."""

MAKING = frozenset(
    {
        "BatchNorm", "Bias", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D",
        "Conv3DTranspose", "DepthwiseConv1D", "DepthwiseConv2D", "DepthwiseConv3D", "Embed",
        "ExponentialMovingAverage", "Linear", "MultiHeadAttention", "SeparableDepthwiseConv2D",
        "nets.MLP",
    }
)  # fmt: skip
"""Those of which it is observed that what they make are results of JAX operations."""

SCALED = {"LayerNorm": 1, "InstanceNorm": 0}
"""Those of which that holds where `create_scale` is true: the place of that argument."""

SHAPING = frozenset({"AvgPool", "Flatten", "MaxPool", "Reshape"})
"""Modules without parameters."""

CORES = frozenset({"Conv1DLSTM", "Conv2DLSTM", "Conv3DLSTM", "GRU", "LSTM", "VanillaRNN"})
"""Recurrent cores: `core(inputs, state)` gives an output and the next state."""

LIFTED = {
    "haiku.scan": "jax.lax.scan",
    "haiku.cond": "jax.lax.cond",
    "haiku.switch": "jax.lax.switch",
    "haiku.while_loop": "jax.lax.while_loop",
    "haiku.fori_loop": "jax.lax.fori_loop",
    "haiku.map": "jax.lax.map",
    "haiku.eval_shape": "jax.eval_shape",
}
"""Control flow that hands parameters, state and keys through: each by what it does otherwise."""

_ARRAY = FunctionSpec("array")

model = Model(
    "haiku",
    wrappers={
        "haiku.remat": Wrapper(
            "remat", EntryKind.TRACED.by("hk.remat"), statics=("static_argnums", "")
        ),
        "haiku.grad": Wrapper("ad", EntryKind.DIFFERENTIATED.by("hk.grad"), result="grad"),
        "haiku.value_and_grad": Wrapper(
            "ad", EntryKind.DIFFERENTIATED.by("hk.value_and_grad"), result="value_and_grad"
        ),
        "haiku.vmap": Wrapper("vmap", EntryKind.MAPPED.by("hk.vmap")),
    },
    functions={
        "haiku.dropout": _ARRAY,
        "haiku.max_pool": _ARRAY,
        "haiku.avg_pool": _ARRAY,
        "haiku.one_hot": _ARRAY,
        "haiku.multinomial": _ARRAY,
        "haiku.current_name": FunctionSpec("static"),
        "haiku.get_channel_index": FunctionSpec("static"),
        "haiku.pad.same": FunctionSpec("static"),
        "haiku.pad.valid": FunctionSpec("static"),
        "haiku.reserve_rng_keys": FunctionSpec("none"),
    },
    modules=frozenset({"haiku.Module", "haiku.RNNCore"}),
    plain_bases=frozenset({"haiku.Module", "haiku.RNNCore"}),
    transparent=frozenset({"haiku.transparent"}),
    is_summary=True,
)

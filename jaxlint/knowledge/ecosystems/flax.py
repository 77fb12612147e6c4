"""What jaxlint knows of flax: linen, nnx, `flax.struct`, `flax.core` and `flax.training`.

Sources: the flax API reference, and `tests/frameworks/test_flax.py`, which observes the
installed flax. What the objects of linen and nnx do stands in `jaxlint.engine.frameworks`.
"""

from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model
from jaxlint.knowledge.transforms import Wrapper

# Both `flax.linen` and `flax.nnx` hand these on from `jax.nn`.
_ACTIVATIONS = (
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "leaky_relu", "log_sigmoid", "log_softmax", "logsumexp", "one_hot", "relu", "relu6", "selu",
    "sigmoid", "silu", "soft_sign", "softmax", "softplus", "standardize", "swish",
)  # fmt: skip
# `flax.linen.initializers` and `flax.nnx.initializers` make those of `jax.nn.initializers`.
_INITIALIZERS = (
    "constant", "delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
    "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones",
    "orthogonal", "truncated_normal", "uniform", "variance_scaling", "xavier_normal",
    "xavier_uniform", "zeros",
)  # fmt: skip
_HOMES = ("flax.linen", "flax.nnx")

# The modules of flax's own source that define what `flax.linen` and `flax.nnx` hand on, as far as
# the engine knows what it does: the base classes of modules and objects with state, what acts on
# their state, and the transforms of both.
_DEFINED: dict[str, tuple[str, ...]] = {
    "flax.linen.module": (
        "Module", "apply", "compact", "compact_name_scope", "init", "init_with_output", "nowrap",
    ),
    "flax.linen.transforms": (
        "add_metadata_axis", "checkpoint", "cond", "custom_vjp", "fold_rngs", "jit",
        "map_variables", "named_call", "remat", "remat_scan", "scan", "vmap", "while_loop",
    ),
    "flax.nnx.graphlib": (
        "GraphDef", "cached_partial", "clone", "merge", "pop", "split", "state", "update",
        "variables",
    ),
    "flax.nnx.helpers": ("Dict", "List"),
    "flax.nnx.module": ("Module",),
    "flax.nnx.pytreelib": ("Object", "Pytree", "data", "dataclass", "static"),
    "flax.nnx.rnglib": (
        "RngCount", "RngKey", "RngState", "RngStream", "Rngs", "fork_rngs", "split_rngs",
    ),
    "flax.nnx.statelib": ("State",),
    "flax.nnx.transforms.autodiff": (
        "custom_vjp", "grad", "jvp", "remat", "value_and_grad", "vjp",
    ),
    "flax.nnx.transforms.compilation": ("jit", "jit_partial", "shard_map"),
    "flax.nnx.transforms.iteration": ("fori_loop", "pmap", "scan", "vmap", "while_loop"),
    "flax.nnx.transforms.transforms": ("cond", "eval_shape", "make_jaxpr", "switch"),
    "flax.nnx.variablelib": (
        "BatchStat", "Cache", "Intermediate", "Param", "Perturbation", "Variable",
        "register_variable_name",
    ),
}  # fmt: skip
_PUBLIC: dict[str, str] = {
    f"{home}.{name}": f"{'.'.join(home.split('.')[:2])}.{name}"
    for home, names in _DEFINED.items()
    for name in names
}

# Classes and functions of pytrees, which flax's own source registers with JAX.
_PYTREES = frozenset(
    {
        *("flax.struct.PyTreeNode", "flax.struct.dataclass", "flax.struct.field"),
        *(
            f"{home}.{name}"
            for home in ("flax.core", "flax.core.frozen_dict")
            for name in ("FrozenDict", "freeze", "unfreeze")
        ),
    }
)

ALIASES: dict[str, str] = {
    **_PUBLIC,
    **{f"{home}.{name}": f"jax.nn.{name}" for home in _HOMES for name in _ACTIVATIONS},
    **{
        f"{home}.initializers.{name}": f"jax.nn.initializers.{name}"
        for home in _HOMES
        for name in _INITIALIZERS
    },
    "flax.linen.tanh": "jax.numpy.tanh",
    "flax.nnx.tanh": "jax.numpy.tanh",
    "flax.linen.zeros": "jax.nn.initializers.zeros",
    "flax.linen.ones": "jax.nn.initializers.ones",
    "flax.linen.checkpoint": "flax.linen.remat",
    "flax.linen.transforms.checkpoint": "flax.linen.remat",
    "flax.core.frozen_dict.FrozenDict": "flax.core.FrozenDict",
    "flax.core.frozen_dict.freeze": "flax.core.freeze",
    "flax.core.frozen_dict.unfreeze": "flax.core.unfreeze",
}

_GRAD = EntryKind.DIFFERENTIATED.by("nnx.grad")
_VALUE_AND_GRAD = EntryKind.DIFFERENTIATED.by("nnx.value_and_grad")
_NO_STATICS = ("", "")

WRAPPERS: dict[str, Wrapper] = {
    # `target` is a function of a module and its arguments here; of classes, see the engine.
    "flax.linen.jit": Wrapper("jit", EntryKind.JITTED.by("nn.jit"), function="target"),
    "flax.linen.remat": Wrapper(
        "remat", EntryKind.TRACED.by("nn.remat"), function="target", statics=("static_argnums", "")
    ),
    "flax.nnx.grad": Wrapper("ad", _GRAD, function="f", result="grad"),
    "flax.nnx.value_and_grad": Wrapper(
        "ad", _VALUE_AND_GRAD, function="f", result="value_and_grad"
    ),
    "flax.nnx.vmap": Wrapper("vmap", EntryKind.MAPPED.by("nnx.vmap"), function="f"),
    "flax.nnx.remat": Wrapper(
        "remat", EntryKind.TRACED.by("nnx.remat"), function="f", statics=("static_argnums", "")
    ),
    "flax.nnx.shard_map": Wrapper(
        "shard", EntryKind.MAPPED.by("nnx.shard_map"), function="f", statics=_NO_STATICS
    ),
    "flax.nnx.pmap": Wrapper(
        "jit",
        EntryKind.MAPPED.by("nnx.pmap"),
        compiles=True,
        function="f",
        statics=("static_broadcasted_argnums", ""),
    ),
}

_OPAQUE = frozenset(
    {
        "flax.linen.add_metadata_axis",
        "flax.linen.custom_vjp",
        "flax.linen.fold_rngs",
        "flax.linen.map_variables",
        "flax.linen.remat_scan",
        "flax.linen.scan",
        "flax.linen.vmap",
        "flax.nnx.custom_vjp",
        "flax.nnx.jit_partial",
        "flax.nnx.make_jaxpr",
        "flax.nnx.scan",
    }
)

_ARRAY = FunctionSpec("array")

# The parameter of `Module.apply` that takes the keys of streams, the names that the method goes by,
# and the stream for variables alone, which `apply` draws nothing with.
STREAMS = "rngs"
APPLYING: frozenset[str] = frozenset({"apply", "apply_fn"})
INITIAL_STREAM = "params"
# Parameters that tell a module whether to draw, with what they are where it does not.
MODES: dict[str, bool] = {
    **dict.fromkeys(("train", "training", "is_train", "is_training"), False),
    **dict.fromkeys(("deterministic", "eval", "evaluate", "inference", "is_eval", "test"), True),
}
FUNCTIONS: dict[str, FunctionSpec] = {
    **{
        f"{home}.{name}": _ARRAY
        for home in _HOMES
        for name in (
            "combine_masks",
            "dot_product_attention",
            "make_attention_mask",
            "make_causal_mask",
        )
    },
    "flax.linen.dot_product_attention_weights": _ARRAY,
    "flax.linen.normalize": _ARRAY,
    "flax.linen.avg_pool": _ARRAY,
    "flax.linen.max_pool": _ARRAY,
    "flax.linen.pool": _ARRAY,
    "flax.linen.pooling.avg_pool": _ARRAY,
    "flax.linen.pooling.max_pool": _ARRAY,
    "flax.nnx.avg_pool": _ARRAY,
    "flax.nnx.max_pool": _ARRAY,
    "flax.nnx.min_pool": _ARRAY,
    "flax.nnx.pool": _ARRAY,
    "flax.training.common_utils.onehot": _ARRAY,
    "flax.training.common_utils.shard": FunctionSpec("same"),
    "flax.training.common_utils.stack_forest": FunctionSpec("same"),
    "flax.jax_utils.replicate": FunctionSpec("same"),
    "flax.jax_utils.unreplicate": FunctionSpec("same"),
}

model = Model(
    "flax",
    aliases=ALIASES,
    wrappers=WRAPPERS,
    opaque=_OPAQUE,
    functions=FUNCTIONS,
    pytree_decorators=frozenset({"flax.struct.dataclass"}),
    pytree_bases=frozenset({"flax.struct.PyTreeNode", "flax.training.train_state.TrainState"}),
    static_fields=frozenset({"flax.struct.field"}),
    modules=frozenset(
        {
            "flax.linen.Module",
            "flax.linen.RNNCellBase",
            "flax.nnx.Module",
            "flax.nnx.RNNCellBase",
        }
    ),
    plain_bases=frozenset(
        {
            "flax.linen.Module",
            "flax.linen.RNNCellBase",
            "flax.nnx.Module",
            "flax.nnx.Object",
            "flax.nnx.Pytree",
            "flax.nnx.RNNCellBase",
            "flax.nnx.Variable",
            "flax.nnx.Param",
            "flax.nnx.BatchStat",
            "flax.nnx.Cache",
            "flax.nnx.Intermediate",
            "flax.nnx.Metric",
            "flax.nnx.Optimizer",
            "flax.struct.PyTreeNode",
            "flax.training.train_state.TrainState",
        }
    ),
    transparent=frozenset(
        {
            "flax.linen.compact",
            "flax.linen.compact_name_scope",
            "flax.linen.nowrap",
            "flax.linen.named_call",
            "flax.nnx.static",
            "flax.nnx.dataclass",
            "flax.nnx.register_variable_name",
            "flax.linen.unbox",
            "flax.core.meta.unbox",
        }
    ),
    is_summary=True,
    kept=frozenset({*_PUBLIC, *_PUBLIC.values(), *_PYTREES}),
)

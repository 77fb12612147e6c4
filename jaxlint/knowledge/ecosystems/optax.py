"""What jaxlint knows of optax: transformations of gradients, schedules, losses.

Source: optax documentation, "API"; `tests/frameworks/test_optax.py` observes each line.
"""

from jaxlint.knowledge.applications import EntryKind
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model
from jaxlint.knowledge.transforms import Wrapper


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_LOSSES = _words(
    "convex_kl_divergence cosine_distance cosine_similarity ctc_loss generalized_kl_divergence "
    "hinge_loss huber_loss kl_divergence l2_loss log_cosh ntxent safe_softmax_cross_entropy "
    "sigmoid_binary_cross_entropy sigmoid_focal_loss smooth_labels softmax_cross_entropy "
    "softmax_cross_entropy_with_integer_labels squared_error"
)
# Losses that only the module `optax.losses` has.
_MORE_LOSSES = _words(
    "dice_loss kl_divergence_with_log_targets multiclass_hinge_loss "
    "multiclass_perceptron_loss multiclass_sparsemax_loss perceptron_loss poly_loss_cross_entropy "
    "ranking_softmax_loss sparsemax_loss triplet_margin_loss"
)
_SCHEDULES = _words(
    "cosine_decay_schedule cosine_onecycle_schedule exponential_decay join_schedules "
    "linear_onecycle_schedule linear_schedule piecewise_constant_schedule "
    "piecewise_interpolate_schedule polynomial_schedule sgdr_schedule warmup_constant_schedule "
    "warmup_cosine_decay_schedule warmup_exponential_decay_schedule"
)
# Transformations whose state holds no array as they come.
_STATELESS = _words(
    "adaptive_grad_clip add_decayed_weights centralize clip clip_by_block_rms clip_by_global_norm "
    "freeze fromage identity keep_params_nonnegative normalize_by_update_norm polyak_sgd scale "
    "scale_by_learning_rate scale_by_param_block_norm scale_by_param_block_rms scale_by_polyak "
    "scale_by_sign scale_by_trust_ratio set_to_zero sgd sign_sgd"
)
_STATEFUL = _words(
    "adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan add_noise amsgrad "
    "apply_every ema lamb lars lion nadam nadamw noisy_sgd novograd optimistic_adam "
    "optimistic_gradient_descent radam rmsprop rprop scale_by_adadelta scale_by_adam "
    "scale_by_adamax scale_by_adan scale_by_amsgrad scale_by_backtracking_linesearch "
    "scale_by_belief scale_by_distance_over_gradients scale_by_lbfgs scale_by_lion "
    "scale_by_novograd scale_by_optimistic_gradient scale_by_radam scale_by_rms scale_by_rprop "
    "scale_by_rss scale_by_schedule scale_by_sm3 scale_by_stddev scale_by_yogi "
    "scale_by_zoom_linesearch lbfgs signum sm3 trace yogi zero_nans"
)
# Transformations made of others.
_WRAPPING = _words(
    "apply_if_finite chain conditionally_mask conditionally_transform flatten lookahead masked "
    "multi_transform named_chain partition selective_transform with_extra_args_support"
)
_TREES = _words(
    "add add_scale cast cast_like clip conj div full_like mul ones_like real scale sub where "
    "zeros_like"
)
_NUMBERS = ("max", "min", "norm", "sum", "vdot")

SCHEDULES: frozenset[str] = frozenset(f"optax.{name}" for name in _SCHEDULES)
"""Functions that give a function of the step, whose result is an array.

Three of them give the initial value back instead, a Python number, where nothing is to change:
see `IDLE_WITHOUT`.
"""
IDLE_WITHOUT: dict[str, tuple[int, str]] = {
    "optax.exponential_decay": (1, "transition_steps"),
    "optax.linear_schedule": (2, "transition_steps"),
    "optax.piecewise_constant_schedule": (1, "boundaries_and_scales"),
    "optax.polynomial_schedule": (3, "transition_steps"),
    "optax.warmup_constant_schedule": (2, "warmup_steps"),
}
"""The parameter that a schedule changes nothing without."""

STATEFUL: frozenset[str] = frozenset(f"optax.{name}" for name in _STATEFUL)
"""Transformations whose state certainly holds arrays."""

TRANSFORMATIONS: frozenset[str] = STATEFUL | {f"optax.{n}" for n in (*_STATELESS, *_WRAPPING)}
"""Functions that give a `GradientTransformation`: a pair of functions, `init` and `update`."""

NEEDS_PARAMETERS: frozenset[str] = frozenset(
    f"optax.{name}"
    for name in (
        "adamaxw", "adamw", "adaptive_grad_clip", "add_decayed_weights", "keep_params_nonnegative",
        "lamb", "lars", "lion", "nadamw", "scale_by_trust_ratio",
    )
)  # fmt: skip
"""Transformations whose `update` raises without the parameters."""

TREES: dict[str, int] = {f"optax.tree.{name}": 0 for name in _TREES} | {
    "optax.apply_updates": 0,
    "optax.incremental_update": 0,
    "optax.periodic_update": 0,
    "optax.tree.scale": 1,
    "optax.tree.where": 1,
}
"""Functions that give a tree of arrays like the argument at this position."""

_ARRAY = FunctionSpec("array")
_NUMBER = FunctionSpec("array", scalar=True)
# Losses of which is known how many axes their results have (`arrays.ranks`), by their parameters.
_RANKED = {
    **dict.fromkeys(("l2_loss", "log_cosh", "squared_error"), _words("predictions targets")),
    "huber_loss": _words("predictions targets delta"),
    "sigmoid_binary_cross_entropy": _words("logits labels"),
    "softmax_cross_entropy": _words("logits labels axis where"),
    "softmax_cross_entropy_with_integer_labels": _words("logits labels axis where"),
}

model = Model(
    "optax",
    aliases={
        **{f"optax.losses.{name}": f"optax.{name}" for name in _LOSSES},
        **{f"optax.schedules.{name}": f"optax.{name}" for name in _SCHEDULES},
        **{
            f"optax.{home}.{name}": f"optax.{name}"
            for home in ("transforms", "schedules")
            for name in (*_STATELESS, *_STATEFUL, *_WRAPPING, "inject_hyperparams", "MultiSteps")
        },
        "optax.schedules.constant_schedule": "optax.constant_schedule",
        **{f"optax.tree_utils.tree_{name}": f"optax.tree.{name}" for name in (*_TREES, *_NUMBERS)},
        "optax.tree_utils.tree_l2_norm": "optax.tree.norm",
        "optax.tree_utils.tree_scalar_mul": "optax.tree.scale",
        "optax.safe_int32_increment": "optax.safe_increment",
    },
    functions={
        **{f"optax.{name}": _ARRAY for name in _LOSSES},
        **{
            f"optax.{name}": FunctionSpec("array", params=params, positional=len(params))
            for name, params in _RANKED.items()
        },
        **{f"optax.losses.{name}": _ARRAY for name in _MORE_LOSSES},
        **{f"optax.tree.{name}": _NUMBER for name in _NUMBERS},
        "optax.global_norm": _NUMBER,
        "optax.safe_increment": _ARRAY,
        "optax.safe_norm": _ARRAY,
        "optax.safe_root_mean_squares": _ARRAY,
    },
    wrappers={
        "optax.value_and_grad_from_state": Wrapper(
            "ad",
            EntryKind.DIFFERENTIATED.by("optax.value_and_grad_from_state"),
            function="value_fn",
            result="value_and_grad",
            takes=frozenset({"state"}),
        )
    },
    is_summary=True,
)

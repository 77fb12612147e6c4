"""Names as people give them, by the kind of value."""

from __future__ import annotations

_FLOATS = "loss scale rate total norm weight alpha gain offset energy score margin decay ratio"
_INTS = "index position count level rank order bucket slot"
_SMALL = "steps size depth width num_layers repeats order window"
_VECTORS = "x grads velocity features hidden logits targets residual inputs update delta bias"
_MATRICES = "kernel weights matrix batch basis images samples table"

NAMES = {
    "f": _FLOATS,
    "F": _FLOATS,
    "p": "factor threshold value_scale lower upper epsilon",
    "i": _INTS,
    "I": _INTS,
    "n": _SMALL,
    "b": "flag is_training done use_bias should_clip converged",
    "B": "is_valid has_converged any_active is_finite",
    "v": _VECTORS,
    "V": _VECTORS,
    "m": _MATRICES,
    "M": _MATRICES,
    "a": "mask active is_positive keep",
    "A": "mask active is_positive keep",
    "q": "labels ids indices order_of",
    "Q": "labels ids indices order_of",
    "s": "mode reduction method strategy",
    "k": "key rng subkey noise_key",
    "g": "activation transform nonlinearity",
    "h": "shape dims in_shape",
    "z": "allowed seen levels",
    "L": "terms losses scores coefficients",
    "l": "collected history parts results",
    "d": "config metrics options stats",
    "P": "params layer variables moments",
    "T": "carry pair outcome",
    "W": "rows pieces chunks",
    "?f": "limit clip_at cutoff",
    "?v": "prior shift_by initial",
}

FUNCTIONS = (
    "normalize scale_features compute_loss apply_layer clip_gradient mix smooth weighted_sum "
    "update project interpolate penalty select_rate accumulate rescale blend centre attenuate "
    "damp squash reduce_terms combine shift_features energy_of refine"
)

ENTRIES = (
    "train_step evaluate simulate predict optimize fit_step forward rollout loss_fn solve "
    "integrate advance infer sample_step estimate"
)

STEPS = "body step_fn tick advance_one inner_step transition one_step"

STRUCTURES = "State Carry Stats Batch Moments Agent Body"
CONFIGS = "Config Settings Schedule Options Hyper"
CLASSES = "Model Optimizer Layer Controller Sampler Solver Network"

MEMBERS = {
    "f": "energy loss scale rate",
    "v": "position velocity mean bias",
    "m": "kernel weights cov",
    "i": "step count",
    "n": "steps num_layers",
    "b": "verbose clip",
    "s": "mode reduction",
    "?f": "limit",
}

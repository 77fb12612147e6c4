"""What the generator must be told: what names mean, and the roles of sizes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from knowledge_arguments import BOOLS, INTS, KEY, M, V
from knowledge_public import words

COLLECTIVES = frozenset(
    f"jax.lax.{name}"
    for name in words(
        "all_gather all_to_all axis_index axis_size pbroadcast pcast pmax pmean pmin ppermute "
        "pshuffle psum psum_scatter pswapaxes"
    )
)

# Tried in this order for all parameters that must be passed and that `NAMED` leaves out.
DATA = {
    "matrix": M,
    "vector": V,
    "half": V / 4,
    "ints": INTS,
    "int matrix": M.astype(np.int32),
    "bools": BOOLS,
    "scalar": np.float32(0.5),
    "int": np.int32(3),
    "pair": (M, M),
    "vectors": (V, V),
    "cube": np.ones((2, 3, 3), np.float32),
    "complex": V.astype(np.complex64),
}

# Values by the parameter's name, the first for parameters that must be passed.
NAMED: dict[str, tuple[Any, ...]] = {
    "key": (KEY,),
    "shape": ((3, 3), (3,), (9,), ()),
    "axis": (0, (0,)),
    "axes": ((0, 1), (0,), (1, 0)),
    "axis1": (0, 1),
    "axis2": (1, 0),
    "dtype": (np.float32, np.int32),
    "new_dtype": (np.int32,),
    "index_dtype": (np.int32,),
    "preferred_element_type": (np.float32,),
    "num": (4,),
    "N": (3,),
    "M": (3,),
    "n": (3, 1),
    "m": (2,),
    "k": (1,),
    "s": ((3, 3),),
    "size": (3, (3,)),
    "length": (3,),
    "num_classes": (3,),
    "num_segments": (3,),
    "total_repeat_length": (9, 3),
    "deg": (1,),
    "dimension": (0,),
    "dimensions": ((0,), (1, 0)),
    "permutation": ((1, 0),),
    "ord": (2, "fro"),
    "where": (BOOLS, np.ones((3, 3), bool)),
    "weights": (V, M),
    "initial": (np.float32(1),),
    "offset": (1,),
    "decimals": (1,),
    "indices_or_sections": (3,),
    "reps": (2,),
    "pad_width": (1,),
    "source": (0,),
    "destination": (1,),
    "kth": (1,),
    "new_shape": ((2, 2),),
    "new_sizes": ((9,),),
    "axis_name": ("i",),
    "subscripts": ("ij,jk->ik",),
    "order": ("C", 2, 1),
    "side": ("right",),
    "mode": ("wrap", "constant", "same", "full", "low"),
    "ddof": (1,),
    "correction": (1,),
    "precision": ("highest",),
    "seed": (7,),
    "fill_value": (np.float32(1), np.int32(1)),
    "start_indices": ((0, 0),),
    "limit_indices": ((2, 2),),
    "strides": ((1, 1),),
    "start_index": (0,),
    "index": (0,),
    "slice_sizes": ((2, 2),),
    "slice_size": (2,),
    "limit_index": (2,),
    "sizes": ((1, 2),),
    "rank": (3,),
    "bins": (3,),
    "norm": ("ortho",),
    "type": (2,),
    "prepend": (np.float32(0),),
    "append": (np.float32(0),),
    "minlength": (2,),
    "ndmin": (2,),
    "repeats": (2,),
    "indexing": ("ij",),
    "UPLO": ("U",),
    "base": (2.0,),
    "count": (2,),
    "trim": ("f",),
    "axisa": (0,),
    "axisb": (0,),
    "axisc": (0,),
    "b": (V,),
    "device": (),
    "edge_order": (1,),
    "retstep": (True,),
    "replace": (False,),
    "p": (np.float32(0.5), V / 6),
    "impl": ("threefry2x32",),
    "nonpositive": (),
    "unroll": (2,),
}

# These are static in every function that refuses a tracer in them, working value or not.
ALWAYS_STATIC = words(
    "order mode method dtype precision device out_sharding algorithm implementation casting "
    "indexing UPLO side kind bitorder accuracy preferred_element_type out_dtype index_dtype "
    "axis_name axis_index_groups impl sharding rounding_method new_dtype norm lapack_driver "
    "memory_space dimension_numbers"
)
# Names that stand for data where the parameter must be passed, for options where not.
OFTEN_DATA = words("b p m where weights initial fill_value index")
# A deprecated `*args` that takes nothing.
RESTLESS = frozenset({"jax.numpy.array"})
# Parameters that hold an array beside a static value.
ACCEPTED = {"jax.scipy.linalg.cho_solve": frozenset({"c_and_lower"})}
NO_ROLE = words(
    "out overwrite_input inplace copy overwrite_a overwrite_b overwrite_ab check_finite "
    "_dot_general overwrite_x"
)

SHAPES = words("shape num num_classes N M")
BOUNDS = words("size length total_repeat_length num_segments")
LAYOUTS = words(
    "reps indices_or_sections pad_width padding_config new_shape new_sizes slice_sizes "
    "slice_size newshape"
)
SIZED = words(
    "axis axes shape size num N M dimension dimensions n keepdims key num_segments args dtype "
    "length"
)

_LIKE = "empty_like full_like ones_like zeros_like"
ROLES: dict[str, dict[str, str]] = {
    "shape": {
        "arange": "start stop step",
        "bartlett": "M", "blackman": "M", "hamming": "M", "hanning": "M", "kaiser": "M",
        "identity": "n",
        "indices": "dimensions",
        "fft.fftfreq": "n", "fft.rfftfreq": "n",
        "lax.iota": "size",
        "lax.broadcasted_iota": "shape",
        "lax.lu_pivots_to_permutation": "permutation_size",
        "lax.linalg.lu_pivots_to_permutation": "permutation_size",
        "random.ball": "d shape",
        "random.orthogonal": "n m shape",
        "scipy.linalg.dft": "n", "scipy.linalg.hadamard": "n", "scipy.linalg.hilbert": "n",
        "scipy.linalg.invhilbert": "n",
        "scipy.linalg.pascal": "n", "scipy.linalg.helmert": "n",
        "scipy.linalg.invpascal": "n", "scipy.linalg.convolution_matrix": "n",
        **dict.fromkeys(_LIKE.split(), "shape"),
    },
    "layout": {
        "diag_indices": "n ndim",
        "diff": "n",
        "reshape": "shape",
        "broadcast_to": "shape",
        "lax.reshape": "new_sizes",
        "lax.broadcast": "sizes",
        "lax.broadcast_in_dim": "shape",
        "lax.slice": "start_indices limit_indices strides",
        "lax.slice_in_dim": "start_index limit_index stride",
        "lax.split": "sizes",
        "repeat": "repeats",
        "tri": "",
        "tril_indices": "n m",
        "triu_indices": "n m",
        "vander": "N",
        "unravel_index": "shape",
        "Array.reshape": "args",
        "Array.repeat": "repeats",
    },
    "static": {"unravel_index": "shape", "lax.full_like": ""},
}  # fmt: skip

_SIZE = {"bound": "size"}
_SEGMENT = {"data": "segment_ids", "bound": "num_segments", "family": "length"}
_SET = {"data": "ar1 ar2", "family": "set", **_SIZE}
_UNIQUE = {"data": "x", "family": "set", **_SIZE}
DATA_DEPENDENT: dict[str, dict[str, str]] = {
    "nonzero": {"data": "a", "family": "nonzero", **_SIZE},
    "argwhere": {"data": "a", "family": "nonzero", **_SIZE},
    "flatnonzero": {"data": "a", "family": "nonzero", **_SIZE},
    "where": {"data": "condition", "family": "nonzero", "unless": "x y", "shape": "size", **_SIZE},
    "Array.nonzero": {"data": "self", "family": "nonzero", **_SIZE},
    "extract": {"data": "condition", "family": "filter", **_SIZE},
    "compress": {"data": "condition", "family": "filter", **_SIZE},
    "Array.compress": {"data": "condition", "family": "filter", **_SIZE},
    "delete": {
        "data": "obj",
        "family": "filter",
        "bound": "assume_unique_indices",
        "concrete": "obj",
    },
    "trim_zeros": {"data": "filt", "family": "filter"},
    "roots": {"data": "p", "family": "filter", "bound": "strip_zeros"},
    "repeat": {
        "data": "repeats",
        "family": "repeat",
        "bound": "total_repeat_length",
        "concrete": "repeats",
    },
    "Array.repeat": {
        "data": "repeats",
        "family": "repeat",
        "bound": "total_repeat_length",
        "concrete": "repeats",
    },
    "unique": {"data": "ar", "family": "set", **_SIZE},
    "unique_all": _UNIQUE,
    "unique_counts": _UNIQUE,
    "unique_inverse": _UNIQUE,
    "unique_values": _UNIQUE,
    "union1d": _SET,
    "intersect1d": _SET,
    "setdiff1d": _SET,
    "setxor1d": _SET,
    "bincount": {"data": "x", "family": "length", "bound": "length"},
    "nn.one_hot": {"family": "length"},
    "histogram": {"counts": "bins"},
    "histogram2d": {"counts": "bins"},
    "histogramdd": {"counts": "bins"},
    "histogram_bin_edges": {"counts": "bins"},
    "random.permutation": {"counts": "x"},
    "random.choice": {"counts": "a"},
    "ops.segment_sum": _SEGMENT,
    "ops.segment_prod": _SEGMENT,
    "ops.segment_max": _SEGMENT,
    "ops.segment_min": _SEGMENT,
}

REDUCING_UFUNCS = words("add logical_and logical_or maximum minimum multiply")
UFUNC_METHODS: dict[str, dict[str, Any]] = {
    "accumulate": {"a": M},
    "at": {"a": V, "indices": INTS, "b": V, "inplace": False},
    "outer": {"A": V, "B": V},
    "reduce": {"a": M},
    "reduceat": {"a": V, "indices": np.array([0, 1], np.int32)},
}

# Results that a probe cannot see: raw keys are arrays, the host gets no tracers, and a tree is
# what its argument is.
RESULTS = {
    "jax.device_get": "same",
    "jax.random.PRNGKey": "key",
    "jax.random.split": "key",
    **{
        f"jax.{home}{name}": "object"
        for home in ("tree.", "tree_util.tree_")
        for name in ("broadcast", "transpose", "unflatten")
    },
}
SCALARS = frozenset({"jax.lax.axis_index", "jax.random.key", "jax.random.fold_in"})

METHODS = words(
    "all any argmax argmin argpartition argsort astype byteswap choose clip compress conj "
    "conjugate copy cumprod cumsum diagonal dot flatten max mean min nonzero prod ptp ravel "
    "repeat reshape round searchsorted sort squeeze std sum swapaxes take trace transpose var view"
)

_CONTEXTS = (
    "checking_leaks default_device default_matmul_precision default_prng_impl disable_jit "
    "enable_x64 ensure_compile_time_eval log_compiles named_scope numpy_dtype_promotion "
    "numpy_rank_promotion debug_nans debug_infs transfer_guard "
    "debug_key_reuse check_tracer_leaks enable_checks enable_custom_prng legacy_prng_key "
    "transfer_guard_device_to_device transfer_guard_device_to_host "
    "transfer_guard_host_to_device no_tracing no_execution allow_f16_reductions "
    "array_garbage_collection_guard auto_pcast enable_custom_vjp_by_custom_transpose "
    "explain_cache_misses jax2tf_associative_scan_reductions softmax_custom_jvp thread_guard "
    "threefry_partitionable experimental.enable_x64 experimental.disable_x64"
)
_QUERIES = (
    "device_count local_device_count devices local_devices default_backend process_index "
    "process_count process_indices host_count host_id host_ids"
)


def _kind(dtype: Any) -> str:
    kinds = {"int": jnp.integer, "float": jnp.floating, "complex": jnp.complexfloating}
    return next((kind for kind, of in kinds.items() if jnp.issubdtype(dtype, of)), "bool")


def _written_rows() -> dict[str, tuple[Any, ...]]:
    """Rows that no probe can tell, each checked by tests/knowledge/test_tables.py."""
    rows: dict[str, tuple[Any, ...]] = {}
    for name in _CONTEXTS.split():
        rows[f"jax.{name}"] = ("object", "", "", -1, {"rest": "args"})
    for name in _QUERIES.split():
        rows[f"jax.{name}"] = ("static", "", "backend", 1)
    rows["jax.effects_barrier"] = ("none", "", "", 0)
    rows["jax.typeof"] = ("static", "", "x", 1)
    rows["jax.make_mesh"] = ("static", "", "axis_shapes axis_names axis_types devices", 3)
    rows["jax.ShapeDtypeStruct"] = (
        "static", "", "shape dtype sharding weak_type vma is_ref", 2, {"static": "dtype"},
    )  # fmt: skip
    for name in ("finfo", "iinfo", "dtype"):
        rows[f"jax.numpy.{name}"] = ("static", "", "dtype", 1)
    rows["jax.numpy.can_cast"] = ("static", "", "from_ to casting", 3)
    rows["jax.dtypes.finfo"] = rows["jax.dtypes.iinfo"] = ("static", "", "dtype", 1)
    rows["jax.numpy.trim_zeros"] = (
        "array", "", "filt trim axis", 3,
        {"data": "filt", "family": "filter", "static": "trim axis"},
    )  # fmt: skip
    rows["jax.lax.with_sharding_constraint"] = (
        "same", "", "x shardings", 2, {"static": "shardings"},
    )  # fmt: skip
    rows["jax.reshard"] = ("same", "", "xs out_shardings", 2, {"static": "out_shardings"})
    rows["jax.lax.pcast"] = ("same", "", "x axis_name to", 2, {"static": "axis_name to"})
    rows["jax.lax.random_gamma_grad"] = ("array", "float", "a sample", 2)
    for name in vars(jnp):
        value = getattr(jnp, name)
        if isinstance(value, type(jnp.float32)) and not name.startswith("_"):
            rows[f"jax.numpy.{name}"] = ("array", _kind(value), "x", 1)
    return rows


ROWS = _written_rows()

"""Which callables of JAX are public, and why some of them have no row."""

from __future__ import annotations

import functools
import importlib
import inspect
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


_STATS = (
    "bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma gennorm geom gumbel_l "
    "gumbel_r laplace logistic multinomial multivariate_normal nbinom norm pareto poisson t "
    "truncnorm uniform vonmises wrapcauchy"
)
# Modules all of whose names are public.
MODULES = (
    "jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.lax.linalg",
    "jax.random", "jax.nn", "jax.nn.initializers", "jax.image", "jax.ops", "jax.dtypes",
    "jax.debug", "jax.scipy.special", "jax.scipy.linalg", "jax.scipy.signal", "jax.scipy.fft",
    "jax.scipy.ndimage", "jax.scipy.integrate", "jax.scipy.cluster.vq", "jax.scipy.stats",
    *(f"jax.scipy.stats.{name}" for name in _STATS.split()),
    "jax.tree", "jax.tree_util", "jax.flatten_util", "jax.custom_batching",
    "jax.custom_derivatives", "jax.dlpack", "jax.sharding", "jax.ad_checkpoint", "jax.export",
    "jax.profiler", "jax.distributed", "jax.monitoring", "jax.ref", "jax.scipy.optimize",
    "jax.scipy.sparse.linalg", "jax.experimental.sparse",
)  # fmt: skip
# Modules of which only these functions are meant for use from outside.
SOME_NAMES = {
    "jax.core": "ensure_compile_time_eval eval_jaxpr max_dim min_dim",
    "jax.experimental": "io_callback enable_x64 disable_x64 primal_tangent_dtype",
    "jax.experimental.checkify": "check check_error checkify debug_check",
    "jax.experimental.compute_on": "compute_on",
    "jax.experimental.custom_partitioning": "custom_partitioning",
    "jax.experimental.jet": "jet",
    "jax.experimental.layout": "with_layout_constraint",
    "jax.experimental.mesh_utils": "create_device_mesh create_hybrid_device_mesh",
    "jax.experimental.multihost_utils": "assert_equal broadcast_one_to_all "
    "global_array_to_host_local_array host_local_array_to_global_array process_allgather "
    "reached_preemption_sync_point sync_global_devices",
    "jax.experimental.ode": "odeint",
    "jax.experimental.pjit": "pjit",
    "jax.experimental.rnn": "get_num_params_in_lstm init_lstm_weight lstm lstm_ref "
    "unpack_lstm_weights",
    "jax.experimental.shard_map": "shard_map",
    "jax.experimental.xla_metadata": "set_xla_metadata",
}
# The modules that a public name is taken from first when several have it.
HOMES = (
    "jax.tree", "jax.tree_util", "jax.debug", "jax.sharding", "jax.errors", "jax.export",
    "jax.stages", "jax.profiler", "jax.flatten_util", "jax.custom_batching",
    "jax.custom_derivatives", "jax.custom_transpose", "jax.experimental",
    "jax.experimental.pallas", "jax.experimental.checkify",
    "jax.experimental.pjit", "jax.experimental.shard_map", "jax.extend.core", "jax.core",
    "jax.scipy.optimize", "jax.scipy.sparse.linalg", "jax.scipy.interpolate",
    "jax.scipy.spatial.transform", "jax.ad_checkpoint", "jax.cloud_tpu_init", "jax.dlpack",
    "jax.distributed", "jax.ref",
)  # fmt: skip

_REASONS = {
    "changes what is around the trace": (
        "clear_caches print_environment_info numpy.set_printoptions numpy.printoptions "
        "numpy.get_printoptions set_mesh sharding.set_mesh sharding.use_abstract_mesh "
        "use_abstract_mesh distributed.initialize distributed.shutdown spmd_mode "
        "distributed.is_initialized profiler.annotate_function profiler.device_memory_profile "
        "profiler.export_profile_data profiler.register_subprocess "
        "profiler.save_device_memory_profile profiler.start_server profiler.start_trace "
        "profiler.stop_server profiler.stop_trace profiler.trace make_user_context "
        "monitoring.clear_event_listeners monitoring.record_event "
        "monitoring.record_event_duration_secs monitoring.record_event_time_span "
        "monitoring.record_scalar monitoring.register_event_duration_secs_listener "
        "monitoring.register_event_listener monitoring.register_event_time_span_listener "
        "monitoring.register_scalar_listener monitoring.unregister_event_duration_listener "
        "monitoring.unregister_event_listener monitoring.unregister_event_time_span_listener "
        "monitoring.unregister_scalar_listener tree_util.register_dataclass "
        "tree_util.register_pytree_node tree_util.register_pytree_node_class "
        "tree_util.register_pytree_with_keys tree_util.register_pytree_with_keys_class "
        "tree_util.register_static export.register_namedtuple_serialization "
        "export.register_pytree_node_serialization lax.infeed lax.outfeed debug.breakpoint"
    ),
    "reads or writes files or foreign buffers": (
        "numpy.load numpy.save numpy.savez numpy.fromfile numpy.from_dlpack dlpack.from_dlpack "
        "dlpack.to_dlpack export.deserialize"
    ),
    "needs several processes or a mesh of devices": (
        "make_array_from_callback make_array_from_process_local_data "
        "make_array_from_single_device_arrays copy_to_host_async live_arrays get_mesh "
        "sharding.get_mesh lax.psend lax.precv lax.ragged_all_to_all lax.psum_scatter_start "
        "lax.pdot lax.create_token lax.after_all lax.dce_sink device_put_sharded "
        "device_put_replicated sharding.make_single_device_sharding "
        "remove_size_one_mesh_axis_from_type sharding.reshard sharding.no_collectives "
        "experimental.mesh_utils.create_device_mesh "
        "experimental.mesh_utils.create_hybrid_device_mesh "
        "experimental.multihost_utils.assert_equal "
        "experimental.multihost_utils.broadcast_one_to_all "
        "experimental.multihost_utils.global_array_to_host_local_array "
        "experimental.multihost_utils.host_local_array_to_global_array "
        "experimental.multihost_utils.process_allgather "
        "experimental.multihost_utils.reached_preemption_sync_point "
        "experimental.multihost_utils.sync_global_devices debug.inspect_array_sharding "
        "debug.visualize_array_sharding debug.visualize_sharding "
        "experimental.layout.with_layout_constraint "
        "experimental.custom_partitioning.custom_partitioning"
    ),
    "works on jaxprs, shapes of convolutions or symbolic dimensions": (
        "lax.conv_general_permutations lax.conv_general_shape_tuple lax.conv_shape_tuple "
        "lax.conv_transpose_shape_tuple lax.ragged_dot_general nn.get_scaled_dot_general_config "
        "nn.scaled_dot_general lax.scan_bind lax.xeinsum core.eval_jaxpr core.max_dim "
        "core.min_dim export.is_symbolic_dim export.symbolic_args_specs "
        "export.symbolic_dim_bounds export.symbolic_shape export.default_export_platform"
    ),
    "handles references": (
        "empty_ref free_ref freeze new_ref ref.addupdate ref.empty_ref ref.free_ref ref.freeze "
        "ref.get ref.new_ref ref.set ref.swap"
    ),
    "describes trees or rules to JAX": (
        "tree_util.build_tree tree_util.treedef_children tree_util.treedef_is_leaf "
        "tree_util.treedef_tuple tree_util.flatten_one_level "
        "tree_util.flatten_one_level_with_keys tree_util.keystr "
        "custom_derivatives.custom_vjp_primal_tree_values custom_derivatives.zero_from_primal "
        "custom_derivatives.linear_call experimental.primal_tangent_dtype tree.static"
    ),
    "prints what a function saves, or raises what checkify found": (
        "ad_checkpoint.print_saved_residuals experimental.checkify.check_error"
    ),
    "runs on some accelerators alone": (
        "experimental.rnn.lstm experimental.rnn.lstm_ref experimental.rnn.unpack_lstm_weights"
    ),
    "formats an array as text": "numpy.array_repr numpy.array_str",
    "takes a jitted function": "export.export",
    "reads an iterator": "numpy.fromiter",
}
# Public callables without a row, by full name.
LEFT_OUT = {f"jax.{name}": reason for reason, names in _REASONS.items() for name in names.split()}
# Functions whose result's shape depends on data, in the versions in which nothing bounds it.
_NEED_SIZE = ("jax.numpy.intersect1d", "jax.numpy.setxor1d")
# Where the callables that JAX offers are defined; what else a module imports is not its own.
_OWN = ("jax", "numpy", "ml_dtypes")
# A whole module: sparse matrices are trees that the tables have no kind for.
LEFT_OUT_HOMES = {"jax.experimental.sparse": "makes or takes sparse matrices"}


def loaded(name: str) -> ModuleType | None:
    """A module, None when this version of JAX has none of this name."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def is_jax(value: Any) -> bool:
    """Whether JAX defines this callable, or passes on one of NumPy."""
    if isinstance(value, functools.partial):
        value = value.func
    home = getattr(value, "__module__", None) or ""
    own = home.startswith(_OWN) or type(value).__module__.startswith("jax")
    return callable(value) and own


def names_of(home: str, module: ModuleType) -> list[str]:
    """The names of a module that are meant for use from outside."""
    some = SOME_NAMES.get(home)
    names = sorted(vars(module)) if some is None else some.split()
    return [name for name in names if not name.startswith("_")]


@functools.cache
def public_callables() -> dict[str, Any]:
    """Every public callable by its full name, classes included."""
    found: dict[str, Any] = {}
    for home in (*MODULES, *SOME_NAMES):
        module = loaded(home)
        if module is None:
            continue
        for name in names_of(home, module):
            value = getattr(module, name, None)
            if is_jax(value):
                found[f"{home}.{name}"] = value
    return found


def left_out(dotted: str, value: Any) -> str:
    """Why a callable has no row, "" when it must have one."""
    if isinstance(value, (type, typing.NewType)):
        return "is a class"
    if dotted in _NEED_SIZE and "size" not in inspect.signature(value).parameters:
        return "has a shape that depends on data, whatever it is given"
    return LEFT_OUT.get(dotted) or LEFT_OUT_HOMES.get(dotted.rpartition(".")[0], "")


def candidates() -> Iterator[tuple[str, Any]]:
    """The callables that a probe should find a row for."""
    for dotted, value in public_callables().items():
        if not left_out(dotted, value):
            yield dotted, value

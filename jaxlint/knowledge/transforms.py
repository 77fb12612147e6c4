"""The contracts of JAX's transforms: what each does to the function that it is given.

Kinds of context (JAX documentation, "Tracing" and "Control flow and logical operators with
JIT"; `tests/knowledge/test_transforms.py` probes each line on the installed JAX):

- "jit": parameters become abstract, every JAX operation is staged, defaults that are not
  passed stay Python values;
- "vmap": mapped parameters become batch tracers, the others keep their values, nothing is
  staged;
- "shard": parameters become tracers with a shard on each device; outside staged code nothing is
  staged, printing shows the shards, and what collectives made alike everywhere has a value;
- "ad": differentiated parameters become tracers that carry a concrete value;
- "custom": rules for differentiation, called like the plain function;
- "pallas": a kernel, whose parameters are references (`engine.frameworks.pallas.kernels`);
- "plain": the function is called as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.knowledge.applications import Application, EntryKind

WrapperKind = Literal["ad", "custom", "haiku", "jit", "pallas", "plain", "remat", "shard", "vmap"]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A transform that takes a function and returns one.

    `phrase` completes "`step` is ...", in the words of a model or as data. `compiles` tells that
    the result caches compiled code by the identity of the function. `statics` names the options
    that keep parameters static (by number, by name). `result` is "same", "grad" (shaped like the
    differentiated arguments), "value_and_grad", "matrix", "pair" (an error and the value) or
    "unknown". `annotated` wrappers keep parameters static whose annotation says so. `lenient` ones
    trace arrays only: Python scalars stay static. Functions of `scalars` get single numbers, and
    no containers. What the result `takes` by name goes to no function.
    """

    kind: WrapperKind
    phrase: Application | str
    compiles: bool = False
    function: str = "fun"
    statics: tuple[str, str] = ("static_argnums", "static_argnames")
    result: str = "same"
    lenient: bool = False
    annotated: bool = False
    scalars: bool = False
    takes: frozenset[str] = frozenset()

    @property
    def application(self) -> Application:
        """How functions that it is given are entered."""
        phrase = self.phrase
        return phrase if isinstance(phrase, Application) else Application.declared(phrase)


_JIT = Wrapper("jit", Application(EntryKind.JITTED), compiles=True)
_PMAP = Wrapper(
    "jit",
    EntryKind.MAPPED.by("jax.pmap"),
    compiles=True,
    statics=("static_broadcasted_argnums", ""),
)
_REMAT = Wrapper("remat", EntryKind.TRACED.by("jax.checkpoint"), statics=("static_argnums", ""))
_GRAD = Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.grad"), result="grad")
_NONDIFF = ("nondiff_argnums", "nondiff_argnames")
_VALUE = Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.value_and_grad"), result="value_and_grad")

WRAPPERS: dict[str, Wrapper] = {
    "jax.jit": _JIT,
    "jax.pmap": _PMAP,
    "flax.nnx.jit": Wrapper("jit", EntryKind.JITTED.by("nnx.jit"), compiles=True),
    "haiku.jit": Wrapper("jit", EntryKind.JITTED.by("hk.jit"), compiles=True),
    "equinox.filter_jit": Wrapper(
        "jit", EntryKind.JITTED.by("eqx.filter_jit"), compiles=True, lenient=True, statics=("", "")
    ),
    "equinox.filter_pmap": Wrapper(
        "jit", EntryKind.MAPPED.by("eqx.filter_pmap"), compiles=True, lenient=True, statics=("", "")
    ),
    "jax.make_jaxpr": Wrapper(
        "jit",
        EntryKind.TRACED.by("jax.make_jaxpr"),
        result="unknown",
        statics=("static_argnums", ""),
    ),
    "jax.export.export": Wrapper("jit", EntryKind.TRACED.by("jax.export"), result="unknown"),
    "jax.shard_map": Wrapper(
        "shard", EntryKind.MAPPED.by("jax.shard_map"), function="f", statics=("", "")
    ),
    "jax.checkpoint": _REMAT,
    "jax.remat": _REMAT,
    "jax.vmap": Wrapper("vmap", EntryKind.MAPPED.by("jax.vmap")),
    "jax.numpy.vectorize": Wrapper(
        "vmap",
        EntryKind.MAPPED.by("jnp.vectorize"),
        function="pyfunc",
        statics=("excluded", "excluded"),
        scalars=True,
    ),
    "jax.grad": _GRAD,
    "jax.value_and_grad": _VALUE,
    "jax.jacfwd": Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.jacfwd"), result="matrix"),
    "jax.jacrev": Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.jacrev"), result="matrix"),
    "jax.jacobian": Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.jacobian"), result="matrix"),
    "jax.hessian": Wrapper("ad", EntryKind.DIFFERENTIATED.by("jax.hessian"), result="matrix"),
    "jax.custom_vjp": Wrapper("custom", EntryKind.RULED.by("jax.custom_vjp"), statics=_NONDIFF),
    "jax.custom_jvp": Wrapper("custom", EntryKind.RULED.by("jax.custom_jvp"), statics=_NONDIFF),
    "jax.custom_batching.custom_vmap": Wrapper("custom", EntryKind.RULED.by("custom_vmap")),
    "jax.named_call": Wrapper("plain", EntryKind.NAMED.by("jax.named_call")),
    "jax.experimental.checkify.checkify": Wrapper(
        "plain", EntryKind.CHECKED.by("checkify"), function="f", result="pair"
    ),
    "jax.experimental.pallas.pallas_call": Wrapper(
        "pallas", EntryKind.KERNEL.by("pallas_call"), function="kernel", statics=("", "")
    ),
}

# Libraries' names for wrappers whose arguments they split by their own rules: the function is
# known to be wrapped, what is traced in it is not.
OPAQUE_WRAPPERS: frozenset[str] = frozenset(
    {
        "equinox.filter_grad",
        "equinox.filter_value_and_grad",
        "equinox.filter_vmap",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
        "flax.nnx.vmap",
        "flax.nnx.remat",
        "flax.nnx.scan",
        "flax.nnx.pmap",
        "jax.custom_gradient",
        "jax.custom_transpose",
        "jax.linear_transpose",
        "jax.closure_convert",
    }
)

# Functions that run their function arguments in host code, when the program runs.
HOST_CALLBACKS: frozenset[str] = frozenset(
    {
        "jax.debug.callback",
        "jax.pure_callback",
        "jax.experimental.io_callback",
        "jax.experimental.pure_callback",
        "jax.experimental.host_callback.call",
        "jax.experimental.host_callback.id_tap",
    }
)

# Decorators and classes that make a class a pytree whose fields are children.
PYTREE_DECORATORS: frozenset[str] = frozenset(
    {
        "flax.struct.dataclass",
        "chex.dataclass",
        "jax.tree_util.register_dataclass",
        "tjax.dataclasses.dataclass",
    }
)
PYTREE_BASES: frozenset[str] = frozenset(
    {"typing.NamedTuple", "flax.struct.PyTreeNode", "equinox.Module", "penzai.pz.Struct"}
)
# Modules whose `apply` and kin are ordinary bound methods: each access is a new object.
MODULE_BASES: dict[str, frozenset[str]] = {
    "flax.linen.Module": frozenset({"apply", "init", "init_with_output"}),
}
# What these take themselves by name.
MODULE_OPTIONS: frozenset[str] = frozenset({"capture_intermediates", "method", "mutable", "rngs"})

# Context managers under which jit and control flow run eagerly.
EAGER_CONTEXTS: frozenset[str] = frozenset(
    {"chex.fake_jit", "chex.fake_pmap_and_jit", "jax.disable_jit"}
)
# Those under which control flow runs in Python too. Source: JAX documentation of `jax.disable_jit`.
UNSTAGED_CONTEXTS: frozenset[str] = frozenset({"jax.disable_jit"})
# Context managers under which operations on concrete values stay concrete in staged code.
COMPILE_TIME_CONTEXTS: frozenset[str] = frozenset(
    {"jax.ensure_compile_time_eval", "jax.core.eval_context", "jax._src.core.eval_context"}
)

# Collective operations: they take the name of an axis that a transform around them has to bind.
NAMED_AXIS_OPERATIONS: frozenset[str] = frozenset(
    {
        "jax.lax.all_gather",
        "jax.lax.all_to_all",
        "jax.lax.axis_index",
        "jax.lax.axis_size",
        "jax.lax.pmax",
        "jax.lax.pmean",
        "jax.lax.pmin",
        "jax.lax.ppermute",
        "jax.lax.precv",
        "jax.lax.psend",
        "jax.lax.pshuffle",
        "jax.lax.psum",
        "jax.lax.psum_scatter",
        "jax.lax.pswapaxes",
        "jax.lax.ragged_all_to_all",
    }
)
# The transforms that bind one, by the position of its name; others take it by keyword.
AXIS_NAMES: dict[str, int] = {"jax.pmap": 1, "jax.vmap": 3}

# Operations after which the devices that take part hold the same value.
COLLECTIVES: frozenset[str] = frozenset(
    {"jax.lax.all_gather", "jax.lax.pmax", "jax.lax.pmean", "jax.lax.pmin", "jax.lax.psum"}
)

# Classes whose objects are about dtypes and shapes: Python values in every trace.
HOST_OBJECTS: frozenset[str] = frozenset(
    {
        "jax.ShapeDtypeStruct",
        "jax.numpy.dtype",
        "jax.numpy.finfo",
        "jax.numpy.iinfo",
        "numpy.dtype",
        "numpy.finfo",
        "numpy.iinfo",
    }
)

# Types that a tracer is, and types that it is not, an instance of.
TRACER_TYPES: frozenset[str] = frozenset(
    {
        "jax.Array",
        "jax.core.Tracer",
        "jax.numpy.ndarray",
        "chex.Array",
        "chex.ArrayDevice",
        "jax.typing.ArrayLike",
    }
)
# Those of them that nothing traced has, be it a container.
SCALAR_TYPES: frozenset[str] = frozenset(
    {
        "builtins.bool",
        "builtins.bytes",
        "builtins.complex",
        "builtins.float",
        "builtins.int",
        "builtins.str",
        "numbers.Complex",
        "numbers.Integral",
        "numbers.Number",
        "numbers.Real",
    }
)
HOST_TYPES: frozenset[str] = frozenset(
    {
        "builtins.int",
        "builtins.float",
        "builtins.bool",
        "builtins.complex",
        "builtins.str",
        "builtins.bytes",
        "builtins.list",
        "builtins.tuple",
        "builtins.dict",
        "builtins.set",
        "numpy.ndarray",
        "numpy.generic",
        "numpy.number",
        "numpy.integer",
        "numpy.floating",
        "numbers.Number",
        "numbers.Integral",
        "numbers.Real",
        "collections.abc.Sequence",
        "collections.abc.Mapping",
        "collections.abc.Callable",
        "typing.Sequence",
        "typing.Mapping",
    }
)
CONTAINER_TYPES: frozenset[str] = frozenset(
    {
        "builtins.list",
        "builtins.tuple",
        "builtins.dict",
        "builtins.set",
        "collections.abc.Sequence",
        "collections.abc.Mapping",
        "collections.abc.Iterable",
        "typing.Sequence",
        "typing.Mapping",
    }
)
# Functions that tell whether a value is concrete.
CONCRETE_TESTS: frozenset[str] = frozenset(
    {"jax.core.is_concrete", "jax._src.core.is_concrete", "equinox.is_concrete"}
)
# Names that are False in traced code. Where `jax_disable_jit` is True, `jit` and control flow see
# concrete values: JAX documentation, `jax.disable_jit`.
FALSE_WHILE_TRACED: frozenset[str] = frozenset(
    {"typing.TYPE_CHECKING", "jax.config.jax_disable_jit"}
)

# Field declarations that can make a field static.
STATIC_FIELDS: frozenset[str] = frozenset({"flax.struct.field", "equinox.field", "chex.field"})

# Decorators that give back what they are given, as far as tracing goes.
TRANSPARENT: frozenset[str] = frozenset(
    {
        "abc.abstractmethod",
        "beartype.beartype",
        "contextlib.wraps",
        "functools.update_wrapper",
        "jaxtyping.jaxtyped",
        "typeguard.typechecked",
        "typing.dataclass_transform(...)",
        "typing.deprecated(...)",
        "typing.final",
        "typing.no_type_check",
        "typing.overload",
        "typing.override",
        "typing.runtime_checkable",
        "warnings.deprecated(...)",
    }
)

Spots = tuple[tuple[str, int], ...]
"""The names and positions of parameters that are functions, or sequences of functions."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A function that runs the functions that it is given at once, in a trace of their own.

    `functions` are its parameters that are functions. `takes` tells for each of them with how many
    arguments it is called; of branches, that is the number of positional ones from `operands` on.
    `leaves` have to be pytrees of arrays, as operands have, `options` Python values. `sequence` is
    the position of `xs`, over whose leading axis it runs, and `selector` the parameter that selects
    a branch. A loop that `carries` a value keeps its type. `staged` control flow compiles outside
    `jit` too, if that is not disabled. `once`: the functions are traced once for all iterations.
    From position `inputs` on, all is passed to the function.
    """

    functions: Spots
    leaves: Spots = ()
    takes: tuple[int, ...] = ()
    operands: int | None = None
    options: tuple[str, ...] = ()
    sequence: int | None = None
    selector: str = ""
    carries: bool = False
    staged: bool = True
    once: bool = True
    inputs: int | None = None


# Functions that trace the functions that they are given, besides the wrappers. What they give is in
# `jaxlint.engine.transforms.control_flow`.
OPERATORS: dict[str, Operator] = {
    "jax.eval_shape": Operator((("fun", 0),), staged=False, inputs=1),
    "jax.linearize": Operator((("fun", 0),), staged=False, inputs=1),
    "jax.vjp": Operator((("fun", 0),), staged=False, inputs=1),
    "jax.jvp": Operator((("fun", 0),), leaves=(("primals", 1), ("tangents", 2)), staged=False),
    "jax.scipy.optimize.minimize": Operator((("fun", 0),)),
    "jax.lax.scan": Operator(
        (("f", 0),),
        leaves=(("init", 1), ("xs", 2)),
        takes=(2,),
        options=("length", "reverse", "unroll"),
        sequence=2,
        carries=True,
    ),
    "jax.lax.map": Operator(
        (("f", 0),), leaves=(("xs", 1),), takes=(1,), options=("batch_size",), sequence=1
    ),
    "jax.lax.associative_scan": Operator(
        (("fn", 0),),
        leaves=(("elems", 1),),
        takes=(2,),
        options=("reverse", "axis"),
        staged=False,
        once=False,
    ),
    "jax.lax.cond": Operator((("true_fun", 1), ("false_fun", 2)), operands=3, selector="pred"),
    "jax.lax.switch": Operator((("branches", 1),), operands=2, selector="index"),
    "jax.lax.while_loop": Operator(
        (("cond_fun", 0), ("body_fun", 1)), leaves=(("init_val", 2),), takes=(1, 1), carries=True
    ),
    "jax.lax.fori_loop": Operator(
        (("body_fun", 2),), leaves=(("init_val", 3),), takes=(2,), carries=True
    ),
}
# Control flow that runs in Python where `jax.disable_jit` says so.
CONTROL_FLOW: frozenset[str] = frozenset(name for name, one in OPERATORS.items() if one.staged)
# Loops with a carry, and all that runs a function several times.
LOOPS: frozenset[str] = frozenset(name for name, one in OPERATORS.items() if one.carries)
REPEATING: frozenset[str] = LOOPS | {
    name for name, one in OPERATORS.items() if one.sequence is not None
}

# Methods of `jax`'s classes that take functions; `self` is the first argument.
RULE_METHODS: dict[str, dict[str, Spots]] = {
    "custom_vjp": {"defvjp": (("fwd", 1), ("bwd", 2))},
    "custom_jvp": {"defjvp": (("jvp", 1),)},
}

"""What jaxlint knows of chex: assertions, dataclasses, fakes.

Source: chex documentation, "Assertions" and "Dataclass", and its error "Value assertions can only
be called from functions wrapped with `@chex.chexify`"; `tests/frameworks/test_chex.py` observes
each line.
"""

from jaxlint.knowledge.models import Model

VALUE_ASSERTIONS: frozenset[str] = frozenset(
    f"chex.{name}"
    for name in ("assert_tree_all_finite", "assert_trees_all_close", "assert_trees_all_equal")
)
"""They compare values: on tracers they work only under `chex.chexify`."""

CONCRETE_ASSERTIONS: frozenset[str] = frozenset(
    f"chex.{name}"
    for name in (
        "assert_numerical_grads", "assert_scalar", "assert_scalar_in", "assert_scalar_negative",
        "assert_scalar_non_negative", "assert_scalar_positive", "assert_tree_is_on_device",
        "assert_tree_is_on_host", "assert_tree_is_sharded", "assert_trees_all_close_ulp",
    )
)  # fmt: skip
"""They need concrete values, even under `chex.chexify`."""

COMPARING_ASSERTIONS: frozenset[str] = frozenset({"chex.assert_equal", "chex.assert_is_divisible"})
"""They ask a comparison of their arguments for its truth."""

CHEXIFY: frozenset[str] = frozenset({"chex.chexify", "chex.with_jittable_assertions"})

VARIANTS: dict[str, bool] = {"chex.variants": False, "chex.all_variants": True}
"""Decorators of tests that run once for each variant, and whether one of them compiles unless
they say otherwise."""

TEST_CASES: frozenset[str] = frozenset({"absl.testing.parameterized.TestCase", "chex.TestCase"})
"""Test cases that run all variants of a test."""

COMPILED_VARIANT = "with_jit"
"""What asks for that variant."""

PLAIN_VARIANTS: frozenset[str] = frozenset({"with_device", "without_device", "without_jit"})
"""What asks for others, in which the function runs as it is."""

JIT_OPTIONS: frozenset[str] = frozenset({"backend", "device", "static_argnames", "static_argnums"})
"""Options of `self.variant` that go to `jax.jit`. The others are those of other variants."""

# Where chex's own tests have them from.
_MODULES = {"fake": "fake_jit fake_pmap_and_jit", "variants": "TestCase all_variants variants"}

model = Model(
    "chex",
    pytree_decorators=frozenset({"chex.dataclass", "chex.mappable_dataclass"}),
    static_fields=frozenset(),
    aliases={
        f"chex._src.{module}.{name}": f"chex.{name}"
        for module, names in _MODULES.items()
        for name in names.split()
    },
    annotations={
        f"chex.{name}": "" for name in ("Array", "ArrayDevice", "ArraySharded", "PRNGKey")
    },
    is_summary=True,
)

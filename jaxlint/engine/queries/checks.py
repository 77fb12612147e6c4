"""All checks, in the order in which they hear of an event."""

from __future__ import annotations

from typing import Final

from jaxlint.engine.checks.captures import changed_captures, custom_rule_closures, large_constants
from jaxlint.engine.checks.concretization import (
    format_specs,
    hashing,
    host_conversions,
    list_operands,
    shapes,
    swallowed_errors,
    type_tests,
)
from jaxlint.engine.checks.donation import (
    kept_aliases,
    kept_turns,
    use_after_donation,
    useless_donation,
)
from jaxlint.engine.checks.eager import clocks, list_arguments, loops, unrolling
from jaxlint.engine.checks.effects import (
    ambient,
    caches,
    discarded_results,
    given_containers,
    lost_updates,
)
from jaxlint.engine.checks.immutability import (
    in_place,
    numpy_views,
    readonly_views,
    references,
)
from jaxlint.engine.checks.library import (
    array_attributes,
    axis_names,
    callback_results,
    callback_rules,
    debug_calls,
    demanded_arguments,
    device_setup,
    mapped_branches,
    pytree_declarations,
    pytree_round_trips,
    refused_calls,
    removed_names,
    shardings,
    transform_options,
)
from jaxlint.engine.checks.numerics import (
    derivative_order,
    forward_mode,
    host_arithmetic,
    infinite_derivative,
    late_clamps,
    logits,
    lost_gradient,
    out_of_bounds,
    stability,
    where_gradient,
    whole_arguments,
    x64,
    zero_gradient,
)
from jaxlint.engine.checks.prng import key_reuse, sampling, syntactic_summary, unknown_samplers
from jaxlint.engine.checks.recompilation import (
    cache_clears,
    call_patterns,
    fresh_bodies,
    nested_jit,
    rejit,
)
from jaxlint.engine.machine.events import Check

_MODULES = (
    device_setup,
    axis_names,
    callback_results,
    callback_rules,
    mapped_branches,
    refused_calls,
    demanded_arguments,
    array_attributes,
    debug_calls,
    loops,
    list_arguments,
    host_arithmetic,
    ambient,
    sampling,
    transform_options,
    discarded_results,
    in_place,
    host_conversions,
    list_operands,
    out_of_bounds,
    pytree_declarations,
    pytree_round_trips,
    x64,
    stability,
    logits,
    forward_mode,
    where_gradient,
    derivative_order,
    whole_arguments,
    infinite_derivative,
    late_clamps,
    removed_names,
    shardings,
    clocks,
    custom_rule_closures,
    format_specs,
    given_containers,
    hashing,
    lost_gradient,
    lost_updates,
    numpy_views,
    readonly_views,
    references,
    shapes,
    swallowed_errors,
    syntactic_summary,
    unrolling,
    use_after_donation,
    kept_aliases,
    kept_turns,
    zero_gradient,
    key_reuse,
    unknown_samplers,
    nested_jit,
    caches,
    type_tests,
    changed_captures,
    useless_donation,
    rejit,
    large_constants,
    fresh_bodies,
    cache_clears,
    call_patterns,
)
CHECKS: Final[tuple[Check, ...]] = tuple(module.CHECK for module in _MODULES)

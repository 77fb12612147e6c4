"""Since when, and until when, JAX has a public name."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import import_module

from jaxlint.base.dataclass import slotted
from jaxlint.knowledge.functions import MOST_NAMES


@slotted(frozen=True)
class Release:
    """The releases in which a name came, began to warn, and went; "" for those that did not.

    A name without `since` is at least as old as the oldest JAX that is supported.
    """

    since: str = ""
    deprecated: str = ""
    removed: str = ""


_ALWAYS = Release()


@cache
def release(dotted: str) -> Release:
    """When a public name of JAX came and went."""
    # Imported at the first question, to keep start-up fast.
    row = import_module("jaxlint.knowledge.tables.releases").TABLE.get(dotted)
    return _ALWAYS if row is None else Release(*row)


def version_number(version: str) -> tuple[int, ...]:
    """A version as numbers, for comparison."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def available(dotted: str, version: str) -> bool:
    """Whether a name that the tables know is there in a release, perhaps with a warning."""
    found, asked = release(dotted), version_number(version)
    came = not found.since or version_number(found.since) <= asked
    return came and not (found.removed and version_number(found.removed) <= asked)


@slotted(frozen=True)
class Removal:
    """The releases in which a name began to warn and went, "" for those that did not, and the
    name that replaces it, where JAX says so."""

    deprecated: str
    removed: str
    instead: str


@lru_cache(maxsize=MOST_NAMES)
def removal(dotted: str) -> Removal | None:
    """What became of a name that JAX has taken away or warns about; None for any other."""
    row = import_module("jaxlint.knowledge.tables.removals").TABLE.get(dotted)
    return None if row is None else Removal(*row)


# Parameters that went, by function and name.
# Source: JAX change log, 0.4.27, 0.4.28, 0.6.0, 0.9.0 and 0.10.0.
PARAMETERS: dict[str, dict[str, Removal]] = {
    "jax.numpy.clip": {
        "a": Removal("0.4.27", "0.10.0", "arr"),
        "a_min": Removal("0.4.27", "0.10.0", "min"),
        "a_max": Removal("0.4.27", "0.10.0", "max"),
    },
    "jax.numpy.reshape": {"newshape": Removal("0.4.28", "0.6.0", "shape")},
    **{
        f"jax.nn.{name}": {"initial": Removal("0.4.27", "0.6.0", "")}
        for name in ("softmax", "log_softmax")
    },
    **{
        f"jax.numpy.{name}": {"interpolation": Removal("", "0.9.0", "method")}
        for name in ("quantile", "nanquantile", "percentile", "nanpercentile")
    },
}


# `with mesh:`. Source: JAX change log, 0.10.1.
MESH_CONTEXT = Removal("0.10.1", "", "jax.set_mesh")
# Of these, arguments from this position on have to be given by name: JAX 0.10.1 warns, and 0.12
# raises `TypeError`.
POSITIONAL: dict[str, tuple[int, Removal]] = {
    "jax.numpy.array": (2, Removal("0.10.1", "0.12.0", "keywords"))
}


# Names whose replacement has another contract, or is only part of what takes their place.
# Source: JAX change log, and the documentation of both.
UNLIKE: frozenset[str] = frozenset({
    "jax.core.abstract_token", "jax.core.as_hashable_function", "jax.core.dimension_as_value",
    "jax.core.get_aval", "jax.core.has_opaque_dtype", "jax.core.is_opaque_dtype",
    "jax.core.safe_map", "jax.core.safe_zip",
    "jax.custom_derivatives.custom_jvp_call_jaxpr_p", "jax.device_put_replicated",
    "jax.device_put_sharded", "jax.dlpack.SUPPORTED_DTYPES", "jax.experimental.disable_x64",
    "jax.experimental.enable_x64", "jax.interpreters.batching.Zeros",
    "jax.interpreters.pxla.Chunked", "jax.interpreters.pxla.MeshAxisName",
    "jax.interpreters.pxla.NoSharding", "jax.interpreters.pxla.Replicated",
    "jax.interpreters.pxla.ShardedAxis", "jax.interpreters.pxla.ShardingSpec",
    "jax.interpreters.pxla.Unstacked", "jax.interpreters.pxla.make_sharded_device_array",
    "jax.interpreters.pxla.spec_to_indices", "jax.interpreters.pxla.thread_resources",
    "jax.lax.pvary", "jax.random.rbg_key", "jax.random.threefry2x32_key",
    "jax.random.unsafe_rbg_key", "jax.scipy.special.sph_harm", "jax.sharding.GSPMDSharding",
    "jax.sharding.OpShardingSharding", "jax.sharding.PmapSharding",
    "jax.sharding.PositionalSharding", "jax.tree_util.build_tree",
})  # fmt: skip
# Names whose replacement differs from them in some cases: `isin` keeps the shape, `permutation`
# draws other numbers, `jax.Array` is a class that tracers are instances of.
CLOSE: frozenset[str] = frozenset({
    "jax.interpreters.pxla.ShardedDeviceArray", "jax.interpreters.xla.Buffer",
    "jax.interpreters.xla.DeviceArray", "jax.numpy.DeviceArray", "jax.numpy.in1d",
    "jax.random.KeyArray", "jax.random.PRNGKeyArray", "jax.random.shuffle",
})  # fmt: skip
# Contexts that set what is given, and this where nothing is; their replacement has no default.
SWITCHES: dict[str, str] = {
    "jax.experimental.disable_x64": "False",
    "jax.experimental.enable_x64": "True",
}
# Functions that take all but their first argument by name, where those that they replace take them
# in this order; and what they call those that have another name there.
TIGHTENED: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "jax.jit": (
        (
            "fun", "in_shardings", "out_shardings", "static_argnums", "static_argnames",
            "donate_argnums", "donate_argnames", "keep_unused", "device", "backend", "inline",
        ),
        {},
    ),
    "jax.shard_map": (
        ("f", "mesh", "in_specs", "out_specs", "check_rep"),
        {"check_rep": "check_vma"},
    ),
}  # fmt: skip


@slotted(frozen=True)
class Supported:
    """The newest JAX that a project is for: `newest` itself, or only what is older if it is
    `excluded`. Without one, the last for Python 3.11, which many projects still have."""

    newest: str = ""
    excluded: bool = False

    def reaches(self, version: str) -> bool:
        """Whether the project is for a version of JAX as new as this one."""
        asked, last = version_number(version), version_number(self.newest or _LATEST)
        return asked < last or (asked == last and not self.excluded)

    def has(self, dotted: str) -> bool:
        """Whether that newest JAX is known to have a name."""
        found = release(dotted)
        gone = bool(found.removed) and self.reaches(found.removed)
        return self.reaches(found.since or _OLDEST) and not gone


_LATEST = "0.10.2"
# What the tables tell of begins there.
_OLDEST = "0.4.30"
_LEAST = re.compile(r">=?\s*([\w.]+)")
_BOUND = re.compile(r"(===|==|~=|<=|<)\s*([\w.*+!-]+)")


def supported(requirement: str) -> Supported:
    """What a requirement such as `jax>=0.4.30,<0.6` says of the newest JAX.

    Source: Python Packaging User Guide, "Version specifiers".
    """
    bounds = []
    requirement = requirement.partition(";")[0]
    for operator, version in _BOUND.findall(requirement):
        numbers = version.split("+")[0]
        if operator == "~=" or numbers.endswith(".*"):
            parts = list(version_number(numbers))
            parts = parts[:-1] if operator == "~=" else parts
            if not parts:
                continue
            parts[-1] += 1
            bounds.append(Supported(".".join(map(str, parts)), excluded=True))
        else:
            bounds.append(Supported(numbers, excluded=operator == "<"))
    if bounds:
        return min(bounds, key=_strictness)
    least = max((version_number(v) for v in _LEAST.findall(requirement)), default=())
    return Supported("999") if least > version_number(_LATEST) else Supported()


def _strictness(bound: Supported) -> tuple[tuple[int, ...], bool]:
    return version_number(bound.newest), not bound.excluded

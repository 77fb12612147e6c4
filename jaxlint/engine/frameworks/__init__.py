"""Models of the frameworks on top of JAX, one module or room for each.

Each registers its hooks (`jaxlint.engine.domain.framework_values`). The interpreter knows none of
them by name.
"""

from __future__ import annotations

from typing import Final

_HERE = "jaxlint.engine.frameworks."
# Where the hooks of each library stand: module and name.
LIBRARIES: Final[dict[str, str]] = {
    "absl": _HERE + "chex_variants:HOOKS",
    "chex": _HERE + "chex:HOOKS",
    "diffrax": _HERE + "diffrax:HOOKS",
    "distrax": _HERE + "distrax:HOOKS",
    "einops": _HERE + "einops:HOOKS",
    "equinox": _HERE + "equinox.modules:HOOKS",
    "flax": _HERE + "flax.dispatch:HOOKS",
    "functools": _HERE + "singledispatch:HOOKS",
    "haiku": _HERE + "haiku.transform:HOOKS",
    "jax": _HERE + "pallas.kernels:HOOKS",
    "lineax": _HERE + "diffrax:LINEAX",
    "numpyro": _HERE + "numpyro:HOOKS",
    "optax": _HERE + "optax:HOOKS",
    "optimistix": _HERE + "diffrax:OPTIMISTIX",
    "tensorflow_probability": _HERE + "tensorflow_probability:HOOKS",
}

"""Arrays that a mesh of several devices cannot split: JAX and the linter say the same."""

import os
import re
import subprocess
import sys

import pytest

from jaxlint.session.session import Session, load_registry
from jaxlint.settings import Settings

SETUP = """
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 2), ("data", "model"))
rows = NamedSharding(mesh, P("data"))
both = NamedSharding(mesh, P(("data", "model")))
columns = NamedSharding(mesh, P(None, "model"))
"""
# Each with whether JAX refuses it.
USES = {
    "jax.device_put(jnp.ones((3, 2)), rows)": True,
    "jax.device_put(jnp.ones((6, 2)), both)": True,
    "jax.device_put(jnp.ones((4, 3)), columns)": True,
    "jax.jit(lambda x: x + 1, in_shardings=(rows,))(jnp.ones(5))": True,
    "jax.device_put(jnp.ones((4, 3)), rows)": False,
    "jax.device_put(jnp.ones((8, 1)), both)": False,
    "jax.device_put(jnp.ones((3, 4)), columns)": False,
    "jax.jit(lambda x: x + 1, in_shardings=(rows,))(jnp.ones(6))": False,
}


@pytest.fixture(scope="module")
def refused():
    """The uses that JAX refuses with four devices."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
    tried = [
        f"try:\n    {use}\nexcept Exception:\n    print({at})\n" for at, use in enumerate(USES)
    ]
    done = subprocess.run(
        [sys.executable, "-c", SETUP + "".join(tried)],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=True,
    )
    return {[*USES][int(line)] for line in done.stdout.split()}


@pytest.mark.parametrize("use", USES)
def test_sizes_of_axes(use, refused):
    assert (use in refused) == USES[use]
    report = Session(Settings(), registry=load_registry()).check_source(SETUP + use, "layouts.py")
    told = [one.message for one in report.findings if one.code == "JAX630"]
    assert bool(told) == USES[use]
    assert not told or re.match(r"an axis of length \d+ is split over \d devices", told[0])

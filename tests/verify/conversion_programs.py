"""Expressions that convert a tracer, by the kind of conversion."""

from __future__ import annotations

import jax
import jax.numpy as jnp

HEADER = """\
import contextlib, math
import jax, jax.numpy as jnp, numpy as np
TABLE = np.arange(5.0)
CONSTANT = jnp.arange(3.0)
"""


def scalar(dtype: str, *shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))


ARGUMENTS = (scalar("float32"), scalar("int32"), scalar("float32", 3), scalar("bool", 3))


EXPRESSIONS = {
    "bool": ["bool(x)", "not x", "max(x, 1.0)", "any([x])", "n in (1, 2)"],
    "int": ["int(x)", "'%d' % n"],
    "index": ["TABLE[n]", "[1, 2, 3][n]", "range(n)", "np.zeros((n, 2))", "hex(n)"],
    "float": ["float(x)", "math.sin(x)", "'%f' % x"],
    "complex": ["complex(x)"],
    "array": ["np.sin(v)", "np.asarray(x)", "np.concatenate([v, v])", "np.float32(x)"],
    "item": ["x.item()", "v.sum().item()"],
    "tolist": ["v.tolist()"],
    "hash": ["{x: 1}", "n in {1, 2}"],
    "mask": ["v[m]", "CONSTANT[v > 0]", "v.at[m].add(1.0)", "v[v > 0, ...]"],
    "slice": ["v[:n]", "v[n:]", "CONSTANT[:n]", "v.at[:n].set(0.0)"],
    "shape": [
        "jnp.zeros((n, 3))",
        "jnp.ones(n)",
        "jnp.arange(n)",
        "jnp.eye(n)",
        "x.reshape(n)",
        "jnp.reshape(x, (n, 1))",
        "jnp.broadcast_to(x, (n,))",
        "jnp.linspace(0, 1, n)",
        "jnp.repeat(v, n)",
        "jnp.nonzero(v)",
        "jnp.unique(v)",
        "jnp.where(v > 0)",
        "jnp.split(v, n)",
        "jnp.sum(v, axis=n)",
        "jax.nn.one_hot(0, n)",
        "jax.random.normal(jax.random.PRNGKey(0), (n,))",
    ],
}

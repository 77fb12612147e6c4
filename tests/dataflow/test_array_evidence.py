"""Which parameters a function uses as arrays."""

from __future__ import annotations

import pytest

from jaxlint.dataflow.array_evidence import array_names
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

HEAD = """\
import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import relu


def norm(v, scale=1.0):
    return scale * jnp.sqrt(v @ v)


def loose(v):
    return jax.tree.map(jnp.sin, v)


def f(x, y):
"""


def arrays(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    module = parse(HEAD + lines, "a.py")
    assert isinstance(module, ir.Module)
    functions = [one for one in module.body if isinstance(one, ir.FunctionDef)]
    return " ".join(sorted(array_names(functions[-1], module)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x - y", "x y"),
        ("return jnp.exp(x)", "x"),
        ("return jnp.dot(x, y)", "x y"),
        ("return relu(x)", "x"),
        ("return jax.nn.softmax(x)", "x"),
        ("return norm(x)", "x"),
        ("return norm(v=x, scale=y)", "x"),
        ("return x[:, 0]", "x"),
        ("return x[..., 0]", "x"),
        ("return x[None]", "x"),
        ("return x.shape", "x"),
        ("return x.astype(int).sum()", "x"),
        ("return x.at[0].set(y)", "x"),
        # Containers have these too, or functions that take them.
        ("return jnp.stack(x)", ""),
        ("return jnp.asarray(x)", ""),
        ("return lax.stop_gradient(x)", ""),
        ("return loose(x)", ""),
        ("return x[0]", ""),
        ("return x[1:]", ""),
        ("return x['a']", ""),
        ("return x * y", ""),
        ("return len(x)", ""),
        # Objects have attributes that arrays have, and others.
        ("return x.size + x.weights", ""),
        ("return x.mean", "x"),
        ("return jnp.exp(x) + x.scale", ""),
        # What is asked for may decide.
        ("return x if isinstance(x, dict) else jnp.exp(x)", ""),
        ("return jnp.exp(x) if hasattr(x, 'dtype') else x", ""),
        # The name means something else.
        ("x = x['a']; return jnp.exp(x)", ""),
        ("def g(x):;     return jnp.exp(x); return g", ""),
        ("return lambda x: jnp.exp(x)", ""),
        ("return np.exp(x)", ""),
    ],
)
def test_uses_tell_what_is_an_array(body: str, expected: str) -> None:
    assert arrays(body) == expected

"""Programs of which `jaxlint why` is asked."""

from __future__ import annotations

HEAD = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\nfrom jax import lax\n"


# Sources with `# ?` on the line that is asked about, and what the answers say of names there.
SOURCES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "a parameter of any arguments": (
        """
        @jax.jit
        def step(x):
            return x[0]  # ?
        """,
        {"x": ["traced: array or a container of arrays, in `step`"]},
    ),
    "the arguments of a visible call count, and none else": (
        """
        @jax.jit
        def step(x):
            y = x * 2.0  # ?

        step(jnp.ones(3))
        """,
        {
            "x": ["traced: float array of rank 1, in `step`"],
            "y": ["traced: float array of rank 1, in `step`"],
        },
    ),
    "static values": (
        """
        @partial(jax.jit, static_argnames="n")
        def step(x, n):
            k, shape, m = 3, x.shape, n  # ?
        """,
        {
            "k": ["static: int 3, in `step`"],
            "shape": ["static: shape, a tuple of int, in `step`"],
            "n": ["static: Python value, in `step`"],
        },
    ),
    "a container, and an object": (
        """
        class Net:
            def __init__(self, size):
                self.size = size

        @jax.jit
        def step(x):
            both, net = {"a": jnp.zeros(2), "b": (1, "c")}, Net(4)  # ?
            return both, net.size
        """,
        {
            "both": [
                "container: dict ('a': traced float array of rank 1, "
                "'b': tuple (static int 1, static str 'c')), in `step`"
            ],
            "net": ["object: `Net` (size: static int 4), in `step`"],
        },
    ),
    "what is not known, and why": (
        """
        import unheard

        @jax.jit
        def step(x):
            y = unheard.of(x)  # ?
        """,
        {"y": ["unknown: call of unheard, in `step`"]},
    ),
    "one of several": (
        """
        @jax.jit
        def step(x, flag=None):
            return flag  # ?
        """,
        {
            "flag": [
                "mixed: static None or traced array or a container of arrays, "
                "if `flag` is passed, in `step`"
            ]
        },
    ),
    "a captured array": (
        """
        table = jnp.arange(4)

        @jax.jit
        def step(x):
            return x + table  # ?
        """,
        {"table": ["concrete: JAX int array of rank 1, in `step`"]},
    ),
    "equal runs once": (
        """
        def scale(x, k):
            return x * 2 + k  # ?

        @jax.vmap
        def step(x):
            for k in range(3):
                x = scale(x[0], k) + x
            return x
        """,
        {"k": [f"static: int {k}, in `scale`" for k in range(3)]},
    ),
    "every entry has its say, though the arguments are alike": (
        """
        def inner(v):
            return v[0]  # ?

        def scale(v):
            return inner(v)

        @jax.jit
        def first(x):
            return scale(x)

        @jax.jit
        def second(y):
            return scale(y)
        """,
        {"v": ["traced: array or a container of arrays, in `inner`"] * 2},
    ),
    "the place of a store": (
        """
        class Box:
            pass

        @jax.jit
        def step(x):
            box = Box()
            box.held = x + 1.0  # ?
        """,
        {"box.held": ["traced: float or complex array, in `step`"]},
    ),
}

"""Healthy programs that look like refused ones. Flagged code is between « and »."""

from __future__ import annotations

RAISES = {
    "a static value beside a conversion": """
        def f(x, n=2):
            return float(«n») + float(x)
        """,
    "a static test beside a conversion": """
        def f(x):
            return 1 if «x.ndim > 3» or x > 0 else 0
        """,
    "a value behind a conversion in the same line": """
        def f(x, n=2):
            return float(x) + float(«n»)
        """,
    "an error that the caller handles": """
        def g(x):
            return float(«x»)
        def f(x):
            try:
                return g(x)
            except jax.errors.ConcretizationTypeError:
                return x
        """,
    "an operand of a wrong type": """
        def f(x):
            return «x» + "a"
        """,
    "a call of what cannot be called": """
        def f(x):
            return «x»(1)
        """,
    "too many arguments": """
        def f(x):
            return jnp.sin(«x», 2, 3, 4)
        """,
    "an index of a scalar": """
        def f(x):
            return «x»[0, 0, 0]
        """,
    "shapes that do not fit": """
        def f(x):
            return jnp.ones(3) @ («x» * jnp.ones(4))
        """,
    "own TypeError under a static test": """
        def f(x, n=2):
            if «n > 1»:
                raise TypeError("n")
            return x
        """,
    "own ValueError in a call with a traced operand": """
        def check(x):
            if x.ndim != 1:
                raise ValueError("expected a vector")
            return x

        def f(x):
            return «check(x)» + 1
        """,
    "own TypeError in a method on a traced operand": """
        class Box:
            def __init__(self, held): self.held = held
            def __gt__(self, other): raise TypeError("cannot compare boxes")

        def f(x):
            return «Box(x) > 1»
        """,
    "a missing attribute": """
        def f(x):
            return «x.no_such_thing» + 1
        """,
    "a wrong call": """
        def g(a): return a
        def f(x):
            return «g(x, x)»
        """,
    "a shape that does not fit": """
        def f(x):
            return «jnp.dot(jnp.ones((3, 3)), x.reshape(7))»
        """,
    "a lookup by a string": """
        def f(x, n=None):
            return {"a": x}[«"b"»]
        """,
    "an attempt with two ways out": """
        def f(x):
            try:
                n = int(«x»)
            except (TypeError, jax.errors.TracerIntegerConversionError):
                n = 0
            return x + n
        """,
    "an attempt behind a conversion": """
        def f(x):
            if x > 0:
                x = x + 1
            try:
                return float(«x»)
            except Exception:
                return x
        """,
    "a suppressed conversion": """
        import contextlib
        def f(x):
            with contextlib.suppress(Exception):
                bool(«x > 0»)
            return x
        """,
    "identity instead of truth": """
        def f(x):
            return x if «x is None» or «isinstance(x, float)» else -x
        """,
    "truth of a tuple": """
        def f(x):
            return x if «(x, x)» and «[x]» else 0
        """,
    "a while loop over a count": """
        def f(x, n=3):
            while «n > 0»:
                x, n = x * 2, n - 1
            return x
        """,
    "float of a shape": """
        def f(x):
            return x / float(«x.size») + int(«x.ndim») + len(«x.shape»)
        """,
    "truth inside a callback": """
        def f(x):
            def host(v):
                return np.float32(1.0) if «v > 0» else np.float32(0.0)
            return jax.pure_callback(host, jax.ShapeDtypeStruct((), "float32"), x)
        """,
    "a host function beside the trace": """
        def host(v):
            return float(«v»)
        def f(x):
            return x + host(1.0)
        """,
    "the own error behind a conversion": """
        def check(n):
            raise ValueError("n must be even")
        def f(x):
            if x > 0:
                x = x + 1
            return «check(3)» + x
        """,
    "a message about a traced value": """
        def f(x):
            raise ValueError(«x»)
        """,
    "a message in a format": """
        def f(x):
            if x.ndim == 0:
                raise TypeError(f"not a matrix: {«x»}")
            return x
        """,
    "an error that is raised again": """
        def f(x):
            try:
                return {}["a"]
            except KeyError as error:
                raise TypeError(«x») from error
        """,
    "an assertion of the user's": """
        def f(x, n=3):
            assert «n == 2», "n"
            return x
        """,
    "a jitted function with a static argument": """
        @partial(jax.jit, static_argnums=1)
        def g(x, n):
            return x * 2 if «n > 1» else x
        def f(x):
            return g(x, 2)
        """,
}

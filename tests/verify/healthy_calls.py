"""Healthy programs that look like hazards of calls: compilations, unrolling, keys, donations."""

from __future__ import annotations

RECOMPILES = {
    "jit at the module level": """
        @jax.jit
        def g(x): return x + 1
        def f(x):
            return «g»(x)
        """,
    "jit in a memoised factory": """
        import functools
        @functools.lru_cache(maxsize=None)
        def make(n):
            return «jax.jit(lambda x: x * n)»
        def f(x):
            return make(2)(x) + make(2)(x)
        """,
    "jit of a module function": """
        def g(x): return x + 1
        def f(x):
            return «jax.jit(g)»(x)
        """,
    "jit of a function in a loop": """
        def g(x): return x + 1
        def f(x):
            for _ in range(3):
                x = «jax.jit(g)»(x)
            return x
        """,
    "jit of a function of static self": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Net:
            k: float = 1.0
            @partial(jax.jit, static_argnums=0)
            def apply(self, x): return x * self.k
        def f(x):
            return «Net().apply»(x)
        """,
    "jit kept on an object": """
        class Net:
            step = None
            def run(self, x):
                if self.step is None:
                    self.step = «jax.jit(lambda v: v * 2)»
                return self.step(x)
        net = Net()
        def f(x):
            return net.run(x) + net.run(x)
        """,
    "jit of shapes that differ": """
        def g(x): return x + 1
        def f(x):
            return [«jax.jit(g)»(jnp.ones(n)) for n in (1, 2, 3)]
        """,
    "jit of a module function behind a conversion": """
        def g(x): return x + 1
        def f(x):
            y = float(x)
            return «jax.jit(g)»(x), y
        """,
    "static numbers that differ behind a conversion": """
        @partial(jax.jit, static_argnums=1)
        def g(x, n): return x * n
        def f(x):
            y = x
            while x > 0:
                y = «g»(y, 2 if y > 3 else 5)
            return y
        """,
    "jit that is never called": """
        def f(x):
            g = «jax.jit(lambda v: v * 2)»
            return x
        """,
    "memoised factory behind a conversion": """
        import functools
        @functools.lru_cache(maxsize=None)
        def make(n):
            return «jax.jit(lambda x: x * n)»
        def f(x):
            n = int(x)
            return make(n)(x) + make(n)(x)
        """,
}


UNROLLS = {
    "a loop on the host": """
        def f(x):
            total = 0
            for i in «range(50)»:
                total += i
            return x * total
        """,
    "a loop that ends at once": """
        def f(x):
            for i in «range(50)»:
                x = x + i
                break
            return x
        """,
    "a scan": """
        def f(x):
            return lax.fori_loop(0, 50, lambda i, y: [y * k for k in «(2,)»][0], x)
        """,
    "a host loop behind a conversion": """
        def f(x):
            total = 0
            if x > 0:
                total = 1
            for i in «range(50)»:
                total += i
            return x * total
        """,
    "a loop that builds a host table": """
        def f(x):
            table = np.array([math.sin(i) for i in «range(50)»])
            return x + table
        """,
    "a host loop statement": """
        def f(x):
            total = 0
            «for i in range(50):
                total += i»
            y = x * total
            return y if y > 0 else x
        """,
}


KEYS = {
    **{
        f"one {call}": f"""
        def f(key):
            return «jax.random.{call}»
        """
        for call in (
            "gamma(key, 2.0, (3,))",
            "beta(key, 2.0, 3.0)",
            "poisson(key, 3.0)",
            "permutation(key, 8)",
            "choice(key, 8, (3,), replace=False)",
            "randint(key, (3,), 0, 9)",
            "categorical(key, jnp.ones(4))",
            "dirichlet(key, jnp.ones(3))",
            "t(key, 3.0)",
            "multivariate_normal(key, jnp.zeros(2), jnp.eye(2))",
            "bernoulli(key)",
            "ball(key, 3)",
            "orthogonal(key, 3)",
            "truncated_normal(key, -1, 1)",
            "laplace(key)",
            "cauchy(key)",
            "binomial(key, 5, 0.5)",
            "maxwell(key)",
            "rademacher(key, (2,))",
            "loggamma(key, 2.0)",
        )
    },
    "split in a loop": """
        def f(key):
            out = []
            for _ in range(3):
                key, sub = jax.random.split(key)
                out.append(«jax.random.normal(sub)»)
            return out
        """,
    "branches that use one key each": """
        def f(key):
            return lax.cond(
                True, lambda k: jax.random.normal(k), lambda k: «jax.random.uniform(k)», key)
        """,
    "a scan over keys": """
        def f(key):
            def body(carry, k):
                return carry + «jax.random.normal(k)», None
            return lax.scan(body, 0.0, jax.random.split(key, 3))
        """,
    "a carried key": """
        def f(key):
            def body(carry, _):
                k, sub = jax.random.split(carry)
                return k, «jax.random.normal(sub)»
            return lax.scan(body, key, None, length=3)
        """,
    "vmap over keys": """
        def f(key):
            return jax.vmap(lambda k: «jax.random.normal(k)»)(jax.random.split(key, 3))
        """,
    "fold in": """
        def f(key):
            return [«jax.random.normal(jax.random.fold_in(key, i))» for i in (1, 2)]
        """,
    "a key that is only indexed": """
        def f(key):
            keys = jax.random.split(key, 2)
            a = jax.random.normal(keys[0])
            return a + «jax.random.normal(keys[1])»
        """,
    "branches of a conversion": """
        def f(key):
            if jax.random.key_data(key)[0] > 1:
                return jax.random.normal(key)
            return «jax.random.uniform(key)»
        """,
    "a split behind a conversion": """
        def f(key):
            key, sub = jax.random.split(key)
            if jax.random.uniform(sub) > 1:
                key = key
            return «jax.random.uniform(key)»
        """,
    "a while loop with a condition of its own": """
        def f(key):
            one, two = jax.random.split(key)
            def cond(c): return jax.random.normal(jax.random.fold_in(one, c[0])) < 0
            def body(c): return c[0] + 1, c[1]
            return lax.while_loop(cond, body, (0, 0.0)), «jax.random.normal(two)»
        """,
}


DONATES = {
    "a donated temporary": """
        g = jax.jit(lambda v: v + 1, donate_argnums=0)
        def f(x):
            y = g(x * 2)
            return «x» + y
        """,
    "a buffer that is rebound": """
        g = jax.jit(lambda v: v + 1, donate_argnums=0)
        def f(x):
            x = x + 0
            for _ in range(3):
                x = g(«x»)
            return x
        """,
    "a shape of what was donated": """
        g = jax.jit(lambda v: v + 1, donate_argnums=0)
        def f(x):
            x = x + 0
            y = g(x)
            return y + «x.shape»[0]
        """,
    "a copy": """
        g = jax.jit(lambda v: v + 1, donate_argnums=0)
        def f(x):
            y = g(jnp.array(x, copy=True))
            return «x» + y
        """,
}

"""Healthy programs that look like other hazards, by name. Flagged code is between « and »."""

FREEZES = {
    "a class that is only compared with": """
        class Mode:
            name = "a"
            limit = 3
        def f(x):
            return x if isinstance(x, «Mode») else x * 2
        """,
    "a name of a class that is printed": """
        class Mode:
            name = "a"
        def f(x):
            print(«Mode».name, «Mode.name»)
            return x
        """,
    "a value beside one that differs each time": """
        rate = 2.0
        def f(x):
            print(«rate»)
            return x * random.random()
        """,
    "a value beside code that is there sometimes": """
        rate, runs = 2.0, itertools.count()
        def f(x):
            print(«rate»)
            return x if next(runs) % 2 else x * 2 + 1
        """,
    "a static argument with a field that is read": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Config:
            k: float = 2.0
        config = Config()
        def f(config, x):
            return x * «config».k
        """,
    "a value that is only checked": """
        limit = 3
        def f(x):
            if x.ndim > «limit»:
                raise ValueError("rank")
            return x
        """,
    "a traced argument": """
        def f(x):
            scale = x * 2
            def g(y): return y * «scale»
            return g(x)
        """,
    "a name that a callback reads": """
        gain = 2.0
        def f(x):
            return jax.pure_callback(
                lambda v: np.float32(v * «gain»), jax.ShapeDtypeStruct((), "float32"), x)
        """,
    "a message": """
        name = "loss"
        def f(x):
            label = f"{«name»}:"
            return x
        """,
    "a static argument with equality": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Config:
            k: float = 2.0
        config = Config()
        def f(config, x):
            return x * «config.k»
        """,
    "a value of a dead branch": """
        rate = 2.0
        def f(x, train=False):
            y = «rate» if train else 1.0
            return x * y
        """,
    "a log of a value": """
        rate = 2.0
        log = logging.getLogger("quiet")
        def f(x):
            log.info("rate %s", «rate»)
            return x
        """,
    "a traced attribute": """
        class Net:
            pass
        def f(x):
            net = Net()
            net.w = x
            return x * «net.w»
        """,
    "time that JAX does not see, of a host function": """
        def clock(): return «time.time()»
        def f(x):
            return jax.pure_callback(
                lambda: np.float32(clock()), jax.ShapeDtypeStruct((), "float32")) + x
        """,
}

LEAKS = {
    "an object that an argument holds": """
        def f(tree):
            «tree["b"]» = tree["a"] * 2
            return tree
        """,
    "a context that resets": """
        import contextlib
        current = []
        @contextlib.contextmanager
        def scope(x):
            «current.append(x)»
            try:
                yield
            finally:
                current.pop()
        def f(x):
            with scope(x):
                return current[-1] * 2
        """,
    "a number in a counter": """
        import collections
        counts = collections.Counter()
        def f(x):
            «counts["f"]» += 1
            return x
        """,
    "a structure": """
        shapes = []
        def f(x):
            «shapes.append(jax.ShapeDtypeStruct(x.shape, x.dtype))»
            return x
        """,
    "a function without the tracer": """
        hooks = []
        def f(x):
            n = x.ndim
            «hooks.append(lambda y: y + n)»
            return x
        """,
    "a shape in a cache": """
        shapes = {}
        def f(x):
            «shapes["x"]» = x.shape
            return x
        """,
    "a size in a memoised function": """
        import functools
        table = {}
        @functools.lru_cache
        def size(n):
            «table[n]» = np.arange(n)
            return table[n].sum()
        def f(x):
            return x * size(3)
        """,
    "an array that was computed on the host": """
        cache = {}
        def table():
            if "t" not in cache:
                «cache["t"]» = np.arange(3.0)
            return cache["t"]
        def f(x):
            return x + table()
        """,
    "an array with a value": """
        cache = {}
        def table():
            with jax.ensure_compile_time_eval():
                «cache["t"]» = jnp.arange(3.0)
            return cache["t"]
        def f(x):
            return x + table()
        """,
    "an attribute that is taken away again": """
        class Box:
            held = None
        box = Box()
        def f(x):
            «box.held» = x
            y = box.held * 2
            box.held = None
            return y
        """,
    "a stack that is emptied again": """
        stack = []
        def f(x):
            «stack.append(x)»
            try:
                return stack[-1] * 2
            finally:
                stack.pop()
        """,
    "a list of the outer trace, in a plain inner call": """
        def f(x):
            kept = []
            def inner(y):
                «kept.append(y)»
                return y
            inner(x)
            return kept[0]
        """,
    "a result by way of a tree map": """
        def f(x):
            kept = []
            jax.tree_util.tree_map(lambda v: «kept.append(v)», {"a": x})
            return kept[0]
        """,
    "an attribute of an object that is born in the trace": """
        class Layer:
            def __call__(self, x):
                «self.last» = x
                return x
        def f(x):
            return Layer()(x)
        """,
    "a value that is stopped by a conversion and then dropped": """
        class Layer:
            pass
        def f(x):
            if x > 0:
                layer = Layer()
                «layer.last» = x
            return x
        """,
    "a dtype on a global": """
        last = None
        def f(x):
            global last
            «last» = x.dtype
            return x
        """,
}

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

"""Healthy programs that look like frozen values and leaks. Flagged code is between « and »."""

from __future__ import annotations

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

"""Healthy programs that look like effects. Flagged code is between « and »."""

from __future__ import annotations

EFFECTS = {
    "a list around a gradient": """
        def f(x):
            shapes = []
            def loss(w):
                «shapes.append(w.shape)»
                return w * 2
            return jax.grad(loss)(x), len(shapes)
        """,
    "a list around a vectorised function": """
        def f(x):
            shapes = []
            def each(w):
                «shapes.append(w.shape)»
                return w * 2
            return jax.vmap(each)(jnp.ones(3) * x), len(shapes)
        """,
    "an array of the host": """
        def f(x):
            table = np.zeros(3)
            «table[0]» = 1.0
            return x + table
        """,
    "keywords": """
        def g(**options):
            «options["y"]» = 1.0
            return options["y"]
        def f(x):
            return x * g(y=2.0)
        """,
    "fields that a constructor sets": """
        import dataclasses
        @dataclasses.dataclass
        class Point:
            x: object
            y: object = None
            def __post_init__(self):
                «self.y» = self.x
        def f(x):
            return Point(x).y
        """,
    "a stack of an object's own": """
        class Walker:
            def __init__(self):
                self.stack = []
            def walk(self, x, n):
                «self.stack.append(n)»
                if n:
                    x = self.walk(x * 2, n - 1)
                self.stack.pop()
                return x
        def f(x):
            return Walker().walk(x, 3)
        """,
    "a set of visited names": """
        def f(x):
            visited = set()
            for name in ("a", "b"):
                if name not in visited:
                    «visited.add(name)»
            return x
        """,
    "an unpacked pair": """
        def f(x):
            left, right = [], []
            «left.append(x)»
            «right.append(x)»
            pair = (left, right)
            «pair[0].append(x)»
            return pair
        """,
    "a list that a generator fills": """
        def rows(kept, x):
            for i in range(2):
                «kept.append(i)»
                yield x * i
        def f(x):
            kept = []
            return list(rows(kept, x))
        """,
    "a list of an outer function": """
        def outer(x):
            kept = []
            def add(v): «kept.append(v)»
            def run(v):
                add(v)
                return kept[-1]
            return run(x)
        def f(x):
            return outer(x)
        """,
    "a print through JAX": """
        def f(x):
            jax.debug.print("x is {}", x)
            jax.debug.callback(lambda v: «print(v)», x)
            return x
        """,
    "a callback behind a conversion": """
        def f(x):
            if x > 0:
                jax.debug.callback(lambda v: «print(v)», x)
            return x
        """,
    "an io callback": """
        from jax.experimental import io_callback
        seen = []
        def f(x):
            io_callback(lambda v: «seen.append(v)», None, x)
            return x
        """,
    "a list that is born in the trace": """
        def f(x):
            rows = []
            for i in range(3):
                «rows.append(x * i)»
            return jnp.stack(rows)
        """,
    "a list that is passed on": """
        def collect(rows, x):
            «rows.append(x)»
            return rows
        def f(x):
            return jnp.stack(collect([], x))
        """,
    "a dict in a helper object": """
        class Store:
            def __init__(self): self.rows = {}
            def put(self, name, x): «self.rows[name]» = x
        def f(x):
            store = Store()
            store.put("a", x)
            return store.rows["a"]
        """,
    "an attribute of a new object": """
        class Point:
            def __init__(self, x):
                «self.x» = x
        def f(x):
            return Point(x).x
        """,
    "a list inside a scan body": """
        def f(x):
            def body(carry, each):
                parts = [carry]
                «parts.append(each)»
                return sum(parts), each
            return lax.scan(body, x, jnp.ones(3))
        """,
    "a list inside a nested jit": """
        @jax.jit
        def g(x):
            parts = [x]
            «parts.append(x)»
            return parts
        def f(x):
            return g(x)
        """,
    "a generator that is made inside": """
        def f(x):
            numbers = itertools.count()
            return [x + next(«numbers») for _ in range(3)]
        """,
    "a counter of the enclosing call": """
        def f(x):
            count = 0
            def walk(leaf):
                nonlocal count
                «count» += 1
                return leaf
            jax.tree_util.tree_map(walk, [x, x])
            return x + count
        """,
    "a copied argument": """
        def f(tree):
            tree = dict(tree)
            «tree["a"]» = tree["a"] * 2
            return tree
        """,
    "a comprehension that appends": """
        def f(x):
            out = []
            [«out.append(i * x)» for i in range(3)]
            return out
        """,
    "a default dictionary made inside": """
        import collections
        def f(x):
            groups = collections.defaultdict(list)
            «groups["a"].append(x)»
            return groups["a"][0]
        """,
    "the last of many lists": """
        def f(x):
            rows = [[], []]
            «rows[-1].append(x)»
            rows[x.ndim].append(x)
            return rows
        """,
    "a group that is made when it is asked for": """
        def f(x):
            groups = {}
            «groups.setdefault("a", []).append(x)»
            «groups.get("a").append(x)»
            return groups["a"]
        """,
    "a list that a function has just made": """
        def rows(): return []
        def f(x):
            «rows().append(x)»
            return x
        """,
    "a list by name of an attribute": """
        class Box:
            def __init__(self): self.rows = []
        def f(x):
            box = Box()
            «getattr(box, "rows").append(x)»
            return box.rows
        """,
    "a list of a list made inside": """
        def f(x):
            rows = [[], []]
            for row in rows:
                «row.append(x)»
            return rows
        """,
    "a closure inside a vmapped function": """
        def f(x):
            def each(v):
                kept = []
                def add(w):
                    «kept.append(w)»
                add(v)
                return kept[0]
            return jax.vmap(each)(jnp.ones(3)) * x
        """,
}

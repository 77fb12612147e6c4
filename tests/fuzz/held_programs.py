"""Modules in which names hold tracers, with what each holds."""

from __future__ import annotations

HELD = {
    "containers and instances": """
@dataclasses.dataclass
class Pair:
    left: object
    right: object
class Slotted:
    __slots__ = ("inner",)
    def __init__(self, inner):
        self.inner = inner  #: self=static inner=traced
@jax.jit
def f(x):
    a = [1, x]  #: x=traced
    b = {"k": (2, [x])}
    c = Pair(1, 2)
    d = Pair(1, x)
    e = functools.partial(max, x)
    g = functools.partial(max, 1)
    h = Slotted(x)
    i = [[[[([{"k": x}],)]]]]
    g = [[[[1]]], g]
    g[0].append(g)
    del x  #: x=traced a=traced b=traced c=static d=traced e=traced g=static h=traced i=traced
f(1.0)
""",
    "what is part of a tracer": """
@jax.jit
def f(x):
    a = collections.deque([x])
    b = {"k": x}.values()
    c = x.shape
    d = x.at
    return x  #: x=traced a=traced b=traced c=static d=traced
f(1.0)
""",
    "containers are searched up to a number of parts": """
@jax.jit
def f(x):
    a = list(range(900))
    b = [*range(5000), x]
    c = list(range(5000))
    d = [c, x]
    return x  #: x=traced a=static b=opaque c=opaque d=traced
f(1.0)
""",
    "methods of what holds a tracer, and objects that hold it deep down, are opaque": """
class Deep:
    def __init__(self, inner):
        self.inner = {"k": [(inner,)]}
        self.own = self.call
    def call(self):
        return self
@jax.jit
def f(x):
    a = Deep(x).call
    b = [Deep(1).call]
    c = Deep(x)
    d = Deep(1)
    return x  #: x=traced a=opaque b=static c=opaque d=static
f(1.0)
""",
    "iterators cannot be looked into": """
@jax.jit
def f(x):
    a = iter([x])
    b = (y for y in [x])
    c = map(abs, [1])
    d = zip([1], [x])
    e = range(3)
    g = x.sum
    return x  #: x=traced a=opaque b=opaque c=opaque d=opaque e=static g=opaque
f(jnp.ones(3))
""",
    "functions, classes and modules are static": """
@jax.jit
def f(x):
    import math as a
    b = lambda: x
    class C:
        held = x
    def g():
        return x
    h = jax.jit(g)
    return x  #: x=traced a=static b=static C=static g=static h=static
f(1.0)
""",
    "traced at times": """
@jax.jit
def f(x):
    total = 0
    for _ in range(2):
        total = total + x  #: x=traced total=may _=static
    if x > 1:
        y = 2
    else:
        y = x
    return y  #: x=traced total=traced _=static y=may
f(1.0)
""",
    "arguments of any kind": """
def helper(a, /, b=2, *c, d, e=None, **g):
    return a  #: a=traced b=static c=traced d=static e=static g=traced
def kind(p):
    return p  #: p=may
@functools.partial(jax.jit, static_argnames="n")
def f(x, n):
    helper(x, n, x, d=1, h=x)
    kind(n)
    return kind(x)  #: x=traced n=static
f(1.0, n=3)
""",
    "statements that are left out": """
@jax.jit
def f(x):
    a = 1
    for i in range(2):  #:
        a = i  #: x=traced a=static i=static
    while a < 3:  #:
        a += 1
    with contextlib.nullcontext() as c:  #:
        a = 2
    try:  #:
        a = 3
    finally:
        a = 4
    match a:  #:
        case 4:
            a = 5  #: x=traced a=static i=static c=static
    if a == 1:  #: x=traced a=static i=static c=static
        a = 6
    elif a == 5:  #:
        a = 7
    b = 1; d = 2  #:
    return x
f(1.0)
""",
    "lambdas": """
g = jax.jit(lambda x, n=2: x + n)  #: x=traced n=traced
h = jax.jit(
    lambda x:
        x * 2
)
k = jax.jit(lambda x: (lambda y: y)(x))  #:
g(1.0, 2)
h(1.0)
k(1.0)
""",
    "names of a function, and of those within it": """
@jax.jit
def f(x):
    y = 1
    def inner(z):
        nonlocal y
        y = z  #: z=traced
        w = y
        return w  #: z=traced w=traced
    inner(x)
    del x
    return y  #: y=traced inner=static
f(1.0)
""",
    "comprehensions and assignment expressions": """
@jax.jit
def f(x):
    a = [b * 2 for b in (1, x)]
    c = (d := x) + 1
    e = [
        (g := 1),
        x,
    ]  #:
    return e  #: x=traced a=traced c=traced d=traced e=traced g=static
f(1.0)
""",
    "errors are caught": """
@jax.jit
def f(x):
    try:
        y = float(x)  #: x=traced
    except TypeError as e:
        y = x  #: x=traced e=opaque
    return y  #: x=traced y=traced
f(1.0)
""",
    "generators": """
def steps(x):
    n = 0
    while n < 2:
        yield x * n  #: x=traced n=static
        n = n + 1
@jax.jit
def f(x):
    for s in steps(x):
        y = s  #: x=traced s=traced y=traced
    return y
f(1.0)
""",
    "outside a trace": """
def f(x):
    y = x  #:
    return y
f(1.0)
f(jnp.ones(3))
""",
    "without jit": """
def f(x):
    y = x * 2  #: x=traced
    return y.sum()  #: x=traced y=traced
jax.vmap(f)(jnp.ones(3))
jax.grad(f)(1.0)
""",
    "several lines": """
@jax.jit
def f(x):
    y = (
        x + 1
    )
    z = abs(
        y
    )
    return (
        z
    )
f(1.0)
""",
}

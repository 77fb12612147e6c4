"""Computes with shapes or other Python values in JAX, and then needs the Python value.

In traced code every JAX operation gives a traced value, also `jnp.minimum(x.shape[0], 8)`, whose
operands are both known. What could have been a Python integer cannot be a shape, a slice bound, the
end of a `range` or the test of an `if` any more: each of these raises. NumPy, `math` and Python
itself compute at once.

Source: JAX documentation, "How to think in JAX", on static and traced operations.

## Example

```py
@jax.jit
def flattened(x):
    return x.reshape(jnp.prod(jnp.array(x.shape)))  # error

flattened(jnp.ones((2, 3)))
```

## Use instead

```py fixed
@jax.jit
def flattened(x):
    return x.reshape(math.prod(x.shape))

flattened(jnp.ones((2, 3)))
```

`--fix` writes this where all that is computed with is a shape or a number by its looks. It is
safe: the same number comes out, and as a traced value it was of no use there.

## A bound of a slice

```py
@jax.jit
def head(x):
    count = jnp.minimum(x.shape[0], 4)
    return x[:count]  # error

head(jnp.arange(6.0))
```

```py fixed
@jax.jit
def head(x):
    count = min(x.shape[0], 4)
    return x[:count]

head(jnp.arange(6.0))
```

## A number of steps

```py
@jax.jit
def halvings(x):
    depth = jnp.ceil(jnp.log2(x.size)).astype(int)
    for _ in range(depth):  # error
        x = x / 2
    return x

halvings(jnp.ones(5))
```

## A test

```py
@jax.jit
def scaled(x):
    if jnp.greater(x.ndim, 1):  # error
        return x / x.shape[-1]
    return x

scaled(jnp.ones(5))
```

## Fine as it is

Many questions about arrays have Python answers.

```py
@jax.jit
def described(x):
    count = jnp.size(x) // 2
    rank = jnp.ndim(x)
    limit = jnp.finfo(x.dtype).max
    return x[:count], jnp.zeros(rank), jnp.minimum(x, limit), x.reshape(np.prod(x.shape))

described(jnp.arange(4.0))
```

Traced on purpose: the result is used as an array.

```py
@jax.jit
def scaled(x):
    scale = jnp.sqrt(x.shape[-1])
    return jnp.where(scale > 1, x / scale, x)

scaled(jnp.arange(4.0))
```

JAX can compute at once where it is told to.

```py
@jax.jit
def flattened(x):
    with jax.ensure_compile_time_eval():
        count = jnp.array(x.shape).prod()
    return x.reshape(count)

flattened(jnp.ones((2, 3)))
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX412",
    severity=Severity.ERROR,
    since="0.1",
    over=("JAX301", "JAX303", "JAX304", "JAX309", "JAX317", "JAX408", "JAX409", "JAX410", "JAX411"),
    witness=Raises(
        "TypeError",
        "IndexError",
        "ValueError",
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
    ),
    applicability=Applicability.SAFE,
)

_NEEDS = frozenset({"shape", "length", "slice", "repeat"})
_SINKS = frozenset({"if", "ifexp", "assert", "and", "or", "not", "count", "cast", "subscript"})


def _is_python(fact: facts.Fact) -> bool:
    return fact.trail is not None and fact.trail.python


def _finding(fact: facts.Fact, needs: str) -> Finding:
    return rule.finding(
        fact,
        f"`{fact.text}` is computed from Python values, but by JAX: in traced code that gives a "
        f"traced value, and {needs}",
        help="compute it with `math`, NumPy or Python operators",
    )


@rule.on(facts.ShapeNeeded)
def check_shape(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need in _NEEDS and _is_python(fact):
        callee = f"`{fact.callee}` needs" if fact.callee else "a slice needs"
        yield _finding(fact, f"{callee} Python integers")


@rule.on(facts.StaticNeeded)
def check_option(fact: facts.StaticNeeded) -> Iterator[Finding]:
    if _is_python(fact):
        yield _finding(fact, f"`{fact.callee}` needs a Python value")


@rule.on(facts.Concretized)
def check_value(fact: facts.Concretized) -> Iterator[Finding]:
    if fact.sink in _SINKS and _is_python(fact):
        yield _finding(fact, "Python needs its value here")


@rule.fix(facts.ShapeNeeded)
def fix_shape(fact: facts.ShapeNeeded, code: Code) -> Fix | None:
    return _fix(fact, code, whole=True)


@rule.fix(facts.StaticNeeded)
def fix_option(fact: facts.StaticNeeded, code: Code) -> Fix | None:
    return _fix(fact, code, whole=True)


@rule.fix(facts.Concretized)
def fix_value(fact: facts.Concretized, code: Code) -> Fix | None:
    return _fix(fact, code, whole=fact.sink in ("count", "subscript"))


def _fix(fact: facts.Fact, code: Code, *, whole: bool) -> Fix | None:
    node = fact.node
    if not _is_python(fact) or not isinstance(node, ir.Expr):
        return None
    made = fixes.forms.definition(code, node) if isinstance(node, ir.Name) else node
    found = None if made is None else fixes.host_math.written(code, made)
    if made is None or found is None or not (made is node or fixes.uses.suits_number(code, made)):
        return None
    if whole and not found.whole:
        return None
    edit = (code.replace if found.closed else code.expression)(made, found.text)
    return code.fix(f"Compute it in Python: `{found.text}`", edit, *found.edits)

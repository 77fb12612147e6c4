"""Slices an array with traced bounds.

The length of `x[start:stop]` is the difference of its bounds. If one of them is traced JAX does
not know that length, not even in `x[i : i + 3]`, where it only sees two traced numbers. Tracing
stops with a plain `IndexError` ("Slice entries must be static integers"; see issues 1007 and 7222
of jax-ml/jax).

## Example

```py
@jax.jit
def window_mean(series, start):
    return series[start : start + 3].mean()  # error

window_mean(jnp.arange(8.0), 2)
```

## Use instead

A dynamic slice has a traced start and a static size. Unlike Python's slices it moves a window
that would stick out back into the array. `series[jax.ds(start, 3)]` is the same.

```py fixed
@jax.jit
def window_mean(series, start):
    return lax.dynamic_slice_in_dim(series, start, 3).mean()

window_mean(jnp.arange(8.0), 2)
```

`--fix --unsafe-fixes` writes `lax.dynamic_slice_in_dim` where the two bounds differ by a number
that is static by its looks. It is unsafe since a window that sticks out is moved and not cut.

## A varying length

The counter of `fori_loop` is traced, with or without `jit`. A prefix has no fixed size; select
it with a mask: `jnp.where(jnp.arange(x.size) < i, x, 0)`.

```py
def prefix_sums(x):
    def body(i, total):
        return total + x[:i].sum()  # error
    return lax.fori_loop(0, x.size, body, 0.0)

prefix_sums(jnp.arange(4.0))
```

## Fine as it is

A traced index is not a slice: the shape of the result is that of the index.

```py
@jax.jit
def around(series, i):
    return series[i], series[-i], series[i + jnp.arange(2)], series[i, None]

around(jnp.arange(8.0), 2)
```

Bounds from shapes, static arguments and Python loops are numbers.

```py
@partial(jax.jit, static_argnames="width")
def pooled(series, width):
    half = series[: series.shape[0] // 2]
    return [half[k : k + width].max() for k in range(0, half.size, width)]

pooled(jnp.arange(8.0), width=2)
```
"""

from collections.abc import Iterator

from jaxlint.api import Applicability, Code, Finding, Fix, Raises, Rule, Severity, facts, fixes, ir

rule = Rule(
    __name__,
    code="JAX410",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Raises("IndexError", "TypeError", "TracerArrayConversionError"),
)


@rule.on(facts.ShapeNeeded)
def check(fact: facts.ShapeNeeded) -> Iterator[Finding]:
    if fact.need == "slice":
        yield rule.finding(
            fact,
            f"the slice bound `{fact.text}` must be static, so that the length is known during "
            f"tracing; {fact.why()}",
            help="for a fixed length `lax.dynamic_slice_in_dim(x, start, size)` or "
            "`x[jax.ds(start, size)]`, for a varying one a mask with `jnp.where`",
        )


@rule.fix(facts.ShapeNeeded)
def fix(fact: facts.ShapeNeeded, code: Code) -> Fix | None:
    window = code.parent(fact.node)
    if fact.need != "slice" or not isinstance(window, ir.Slice):
        return None
    index = code.parent(window)
    whole = index if isinstance(index, ir.Sequence) else window
    item = code.parent(whole)
    if not (isinstance(item, ir.Subscript) and item.index is whole and _is_read(code, item)):
        return None
    items = list(fixes.calls.parts(item.index))
    axis, length = items.index(window), _length(code, window)
    others = [one for one in items if one is not window]
    reached = code.reach("jax.lax.dynamic_slice_in_dim", item)
    if not length or reached is None or window.lower is None or not all(map(_is_all, others)):
        return None
    where = f", axis={axis}" if axis else ""
    start = code.text(window.lower)
    text = f"{reached[0]}({code.text(item.value)}, {start}, {length}{where})"
    return code.fix(
        f"Slice with a static length: `{reached[0]}(...)`",
        code.replace(item, text),
        *reached[1],
        unsafe=True,
    )


def _is_read(code: Code, item: ir.Subscript) -> bool:
    """Whether an element is read from an array, rather than assigned or updated."""
    parent = code.parent(item)
    is_target = isinstance(parent, (ir.Assign, ir.Delete)) and item in parent.targets
    is_update = isinstance(item.value, ir.Attribute) and item.value.attr == "at"
    return not (is_target or is_update or isinstance(parent, ir.AugAssign))


def _is_all(one: ir.Expr) -> bool:
    return isinstance(one, ir.Slice) and one.lower is one.upper is one.step is None


def _length(code: Code, window: ir.Slice) -> str:
    """The length of `i : i + n` and `i - m : i + n`, "" where it is not to be seen."""
    if window.lower is None or window.upper is None or window.step is not None:
        return ""
    base, before = _split(code, window.lower, "-")
    same, behind = _split(code, window.upper, "+")
    if base != same or (before is None and behind is None):
        return ""
    sizes = [one for one in (before, behind) if one is not None]
    if not all(_is_static(code, one) for one in sizes):
        return ""
    numbers = [one.value for one in sizes if isinstance(one, ir.Const)]
    if len(numbers) == len(sizes):
        return str(sum(numbers))
    return " + ".join(code.operand(one) for one in sizes)


def _split(code: Code, node: ir.Expr, op: str) -> tuple[str, ir.Expr | None]:
    """The text of `i` in `i + n`, `n + i` or `i - n`, and the other operand."""
    if isinstance(node, ir.BinOp) and node.op == op:
        if op == "+" and _is_static(code, node.left):
            return code.text(node.right), node.left
        return code.text(node.left), node.right
    return code.text(node), None


def _is_static(code: Code, node: ir.Expr) -> bool:
    """Whether this is a whole number while the code is traced: one that is written down, here or
    as a constant of the module, or a question about a shape."""
    if isinstance(node, ir.Const):
        return isinstance(node.value, int)
    if isinstance(node, ir.Name):
        value = fixes.forms.definition(code, node)
        return isinstance(value, ir.Const) and isinstance(value.value, int)
    return fixes.forms.is_static(node)

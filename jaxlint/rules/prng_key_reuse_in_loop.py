"""Uses up the same random key in each iteration: every turn draws the same numbers.

The key of a loop must change with the loop. Where a sampler, or `split`, gets a key from before
the loop, each iteration repeats the numbers of the first one.

Source: JAX documentation, "Pseudorandom numbers" and `jax.debug_key_reuse`; jax-ml/jax#192.

## Example

```py
key = jax.random.key(0)
paths = []
for _ in range(3):
    paths.append(jax.random.normal(key, (4,)).cumsum())  # error
bool((paths[0] != paths[1]).any())
```

## Use instead

```py fixed
key = jax.random.key(0)
paths = []
for _ in range(3):
    key, step = jax.random.split(key)
    paths.append(jax.random.normal(step, (4,)).cumsum())
bool((paths[0] != paths[1]).any())
```

`--fix --unsafe-fixes` splits the key in the loop, and in a comprehension over a `range` goes over
the parts of the key. It is unsafe since other numbers are drawn.

## The split itself

`split` is a function of the key as well: the same two keys come out each time.

```py
key = jax.random.key(5)
layers = []
while len(layers) < 2:
    weights_key, bias_key = jax.random.split(key)  # error
    layers.append(jax.random.normal(weights_key, (2, 2)))
bool((layers[0] != layers[1]).any())
```

## In a comprehension

```py
def ensemble(key, n):
    return [jax.random.uniform(key, (2,)) for _ in range(n)]  # error

one, other, _ = ensemble(jax.random.key(1), 3)
bool((one != other).any())
```

## In a carry

`lax.scan`, `fori_loop` and `while_loop` run a body again with the carry that it gives. A key that
the body hands on as it got it is the same in all iterations.

```py
def walk(carry, _):
    key, x = carry
    x = x + jax.random.normal(key)  # error
    return (key, x), x

_, path = jax.lax.scan(walk, (jax.random.key(0), 0.0), None, length=3)
bool(abs((path[2] - path[1]) - (path[1] - path[0])) > 1e-3)
```

```py
def walk(carry, _):
    key, x = carry
    key, step = jax.random.split(key)
    x = x + jax.random.normal(step)
    return (key, x), x

_, path = jax.lax.scan(walk, (jax.random.key(0), 0.0), None, length=3)
bool(abs((path[2] - path[1]) - (path[1] - path[0])) > 1e-3)
```

## Fine as it is

`fold_in` makes a key of the loop's own index, and an array of keys gives each turn one.

```py
def rollout(key, n):
    total = 0.0
    for i in range(n):
        total += jax.random.normal(jax.random.fold_in(key, i))
    return total

total = rollout(jax.random.key(0), 3)
```

```py
keys = jax.random.split(jax.random.key(0), 3)
sizes = [2, 3, 4]
layers = [jax.random.normal(k, (n,)) for k, n in zip(keys, sizes)]
```

## Minor findings

In tests, findings are minor, and reported only where the rule is selected: data may be alike.
"""

from collections.abc import Iterator

from jaxlint.api import (
    Applicability,
    Code,
    Edit,
    Expects,
    Finding,
    Fix,
    Rule,
    Severity,
    facts,
    fixes,
    ir,
)

rule = Rule(
    __name__,
    code="JAX802",
    severity=Severity.ERROR,
    since="0.1",
    applicability=Applicability.UNSAFE,
    witness=Expects(),
)


@rule.on(facts.KeyUsed)
def check(fact: facts.KeyUsed) -> Iterator[Finding]:
    if fact.kind == "loop":
        yield rule.finding(
            fact,
            f"each iteration consumes the same key `{fact.subject}`, so `{fact.callee}` gives the "
            "same numbers every time",
            help=f"`{fact.subject}, step = jax.random.split({fact.subject})` in the loop, or "
            f"`jax.random.fold_in({fact.subject}, i)`",
        )


@rule.fix(facts.KeyUsed)
def fix(fact: facts.KeyUsed, code: Code) -> Fix | None:
    if fact.kind != "loop" or not fact.subject.isidentifier():
        return None
    key, reached = fact.subject, code.reach("jax.random.split", fact.node)
    loops = (ir.For, ir.While, ir.Comprehension, ir.FunctionDef)
    loop = next((one for one in code.around(fact.node) if isinstance(one, loops)), None)
    if reached is None:
        return None
    if isinstance(loop, (ir.For, ir.While)) and code.is_local(key, fact.node):
        edits = _split_in(code, loop, key, reached[0])
        title = f"Split `{key}` in the loop"
    elif isinstance(loop, ir.Comprehension):
        edits, title = _over_keys(code, loop, key, reached[0]), f"Split `{key}` for each element"
    else:
        return None
    return None if edits is None else code.fix(title, *edits, *reached[1], unsafe=True)


def _split_in(code: Code, loop: ir.For | ir.While, key: str, split: str) -> tuple[Edit, ...] | None:
    """Splits a key that a loop reads once, and binds nowhere, where its body begins. A function
    that captures the key would see another one in each iteration."""
    if fixes.scopes.is_captured(code, key, loop):
        return None
    used, first = _only(code, key, loop), loop.body[0]
    span = code.module.locate(first)
    indent = code.source.line(span.line)[: span.column - 1]
    if used is None or indent.strip() or isinstance(first, (ir.FunctionDef, ir.ClassDef)):
        return None
    new = _free(code, used, key)
    line = f"{key}, {new} = {split}({key})\n{indent}"
    return code.before(first, line), code.replace(used, new)


def _over_keys(code: Code, loop: ir.Comprehension, key: str, split: str) -> tuple[Edit, ...] | None:
    """`for k in split(key, n)` instead of `for _ in range(n)`."""
    clause, used = loop.clauses[0], _only(code, key, loop)
    times = clause.iter
    if len(loop.clauses) > 1 or clause.ifs or used is None or not isinstance(times, ir.Call):
        return None
    is_range = isinstance(times.func, ir.Name) and times.func.id == "range" and len(times.args) == 1
    if not is_range or not isinstance(clause.target, ir.Name):
        return None
    if code.count(clause.target.id, loop) > 1 or times.args[0].star:
        return None
    new = _free(code, used, key)
    text = f"{split}({key}, {code.text(times.args[0].value)})"
    return code.replace(used, new), code.replace(clause.target, new), code.replace(times, text)


def _only(code: Code, key: str, loop: ir.Node) -> ir.Expr | None:
    """Where a loop mentions a name, if that is once, and not in a function that it defines."""
    found = [one for one in fixes.forms.names(loop) if one.id == key]
    if len(found) != 1 or code.function(found[0]) is not code.function(loop):
        return None
    return found[0]


def _free(code: Code, node: ir.Expr, key: str) -> str:
    """A name for the key of one turn, which means nothing here yet."""
    function = code.function(node)
    used = fixes.forms.said(code.module.body if function is None else function)
    names = ("step_key", "subkey", f"{key}_of_step", f"{key}_of_turn")
    return next((one for one in names if one not in used), f"{key}_of_this_turn")

"""How an expression of host code changes from one turn of a loop to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.ranges import count_of
from jaxlint.dataflow.names import dotted_text
from jaxlint.dataflow.structure import FEW_TURNS, Layout, Part, Turn, names_of
from jaxlint.syntax import ir

STAYS, MAY, NEW = 0, 1, 2
"""It is the same in each turn, may be another one, is a new one each time."""

MOST_DEPTH = 12
# How many functions up the calls are followed that pass an argument on.
MOST_CALLERS = 2

Dotted = Callable[[Any], str]
Count = Callable[[Any], int | None]

_ACCUMULATES = frozenset({"+", "-", "*", "/", "**", "<<"})
# They take a value to another one for each other one.
_ONE_TO_ONE = frozenset(
    [
        *("builtins.float", "builtins.str", "builtins.repr", "builtins.complex", "builtins.tuple"),
        *(f"{module}.{name}" for module in ("math", "numpy") for name in ("exp", "log", "sqrt")),
        *("math.pow", "numpy.power", "numpy.square", "numpy.float32", "numpy.float64"),
        *("numpy.int32", "numpy.int64", "numpy.log1p", "numpy.log2", "math.log2", "math.log1p"),
        *("dataclasses.replace", "numpy.expm1", "math.expm1"),
        *("math.cos", "math.sin", "math.tanh", "numpy.cos", "numpy.sin", "numpy.tanh"),
    ]
)
_FRESH = frozenset(
    [
        *("random.random", "random.uniform", "random.gauss", "random.normalvariate"),
        *("time.time", "time.perf_counter", "time.monotonic", "time.time_ns", "uuid.uuid4"),
        *("numpy.random.rand", "numpy.random.randn", "numpy.random.uniform"),
        *("numpy.random.normal", "numpy.random.random", "numpy.random.random_sample"),
        *("datetime.datetime.now", "time.perf_counter_ns"),
    ]
)
# They hand on what they go through.
_SHOWN = (
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "rich.progress.track",
    "tqdm.std.tqdm",
)
_SPREAD = frozenset({"numpy.linspace", "numpy.logspace", "numpy.arange", "numpy.geomspace"})


@slotted()
class Around:
    """Where an expression stands: the loops around it, the innermost first, and the parameters of
    a function that is called there with the expressions that are passed for them."""

    layout: Layout
    turns: list[Turn]
    function: ir.FunctionDef | None
    dotted: Dotted
    count: Count
    few: int = FEW_TURNS
    passed: dict[str, int] = field(default_factory=dict)
    busy: set[tuple[int, str]] = field(default_factory=set)
    callers: int = 0


def around(
    layout: Layout,
    node: Any,
    dotted: Dotted,
    count: Count,
    few: int = FEW_TURNS,
    callers: int = 0,
) -> Around:
    """The surroundings of a node; loops of a `few` turns do not count."""
    turns = [turn for turn in layout.turns(node) if not is_short(turn, dotted, count, few)]
    return Around(layout, turns, layout.function_of(node), dotted, count, few, callers=callers)


def is_short(turn: Turn, dotted: Dotted, count: Count, few: int = FEW_TURNS) -> bool:
    """Whether a loop is known to turn a few times only."""
    node = turn.node
    if isinstance(node, ir.While):
        return False
    sizes = [_size(iterable, dotted, count) for _, iterable in turn.targets]
    total = 1
    for size in sizes:
        if size is None:
            return False
        total *= size
    return total <= few


def _size(iterable: Any, dotted: Dotted, count: Count) -> int | None:
    """How many elements an iterable has, where that is known."""
    if isinstance(iterable, ir.Sequence):
        starred = any(isinstance(one, ir.Starred) for one in iterable.items)
        return None if starred else len(iterable.items)
    if isinstance(iterable, ir.Const):
        return len(iterable.value) if isinstance(iterable.value, (str, bytes)) else None
    if not isinstance(iterable, ir.Call):
        return count(iterable)
    name = dotted(iterable.func)
    given = [argument.value for argument in iterable.args if argument.keyword is None]
    if name in ("builtins.range", "numpy.arange", "tqdm.trange") and given:
        known = [_number(one, count) for one in given]
        if all(isinstance(one, int) for one in known):
            numbers = [one for one in known if one is not None]
            return count_of(range(*numbers)) if len(numbers) < 3 or numbers[2] else None
        return None
    if name in ("builtins.enumerate", "builtins.reversed", "builtins.sorted", *_SHOWN) and given:
        return _size(given[0], dotted, count)
    if name == "builtins.zip":
        sizes = [_size(one, dotted, count) for one in given]
        return min((size for size in sizes if size is not None), default=None)
    return None


def _number(node: Any, count: Count) -> int | None:
    if isinstance(node, ir.Const):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ir.UnaryOp) and node.op == "-":
        inner = _number(node.operand, count)
        return None if inner is None else -inner
    return count(node)


# -- values --------------------------------------------------------------------------------------


def variation(node: Any, at: Around, depth: int = MOST_DEPTH) -> int:
    """Whether the value of an expression is a new one in each turn of some loop around it."""
    if depth == 0 or node is None:
        return MAY
    if isinstance(node, (ir.Const, ir.Lambda)):
        return STAYS
    if isinstance(node, (ir.Name, ir.Attribute)):
        return _of_name(node, at, depth)
    if isinstance(node, ir.BinOp):
        return _of_operator(node, at, depth)
    if isinstance(node, ir.UnaryOp):
        inner = variation(node.operand, at, depth - 1)
        return inner if node.op in "+-" else min(inner, MAY)
    if isinstance(node, ir.NamedExpr):
        return variation(node.value, at, depth - 1)
    if isinstance(node, ir.Sequence):
        return max((variation(one, at, depth - 1) for one in node.items), default=STAYS)
    if isinstance(node, ir.JoinedString):
        return max((variation(one, at, depth - 1) for one in node.parts), default=STAYS)
    if isinstance(node, (ir.Formatted, ir.Starred)):
        return variation(node.value, at, depth - 1)
    if isinstance(node, ir.Call):
        return _of_call(node, at, depth)
    if isinstance(node, Part):
        return min(variation(node.value, at, depth - 1), MAY)
    return MAY


def _of_operator(node: ir.BinOp, at: Around, depth: int) -> int:
    left = variation(node.left, at, depth - 1)
    right = variation(node.right, at, depth - 1)
    both = max(left, right)
    if node.op not in _ACCUMULATES:
        return min(both, MAY)
    if min(left, right) > STAYS and node.op not in "+*":
        return MAY
    return both


def _of_name(node: Any, at: Around, depth: int) -> int:
    name = dotted_text(node)
    if name in at.passed:
        return at.passed[name]
    head = name.partition(".")[0]
    for turn in at.turns:
        for target, iterable in turn.targets:
            if head in names_of(target):
                return _of_element(target, iterable, head, at, depth) if head == name else MAY
        if name in turn.bound:
            return _of_bindings(turn, name, at, depth)
        if head in turn.bound:
            return MAY
    if _counts_calls(name, at):
        return NEW
    if isinstance(node, ir.Attribute):
        return MAY if at.turns else STAYS
    return _of_outer(name, at, depth)


def _counts_calls(name: str, at: Around) -> bool:
    """Whether each call of the function around adds to what outlives the call, in a loop."""
    func = at.function
    if func is None or at.turns or at.callers >= MOST_CALLERS or func.is_lambda:
        return False
    if name not in (func.globals | func.nonlocals) and "." not in name:
        return False
    found = at.layout.bindings(func, name)
    one = found[0] if len(found) == 1 else None
    if not isinstance(one, ir.AugAssign) or one.op not in _ACCUMULATES or _is_neutral(one):
        return False
    if not any(one is statement for statement in func.body):
        return False
    return any(around(at.layout, c, at.dotted, at.count, at.few).turns for c in _calls(func, at))


def _of_outer(name: str, at: Around, depth: int) -> int:
    """A name that no loop of the function binds: a parameter is what callers pass."""
    func = at.function
    if func is None or func.is_lambda:
        return STAYS
    found = at.layout.bindings(func, name)
    params = [param for param in func.params if param.kind in ("plain", "positional", "keyword")]
    if name not in {param.name for param in params}:
        one = found[0] if len(found) == 1 else None
        key = (id(func), name)
        if not isinstance(one, ir.Expr) or key in at.busy:
            return STAYS
        at.busy.add(key)
        result = variation(one, at, depth - 1)
        at.busy.discard(key)
        return result
    if found or at.callers >= MOST_CALLERS or at.layout.function(func.name) is not func:
        return STAYS
    return max((_passed(call, func, name, at) for call in _calls(func, at)), default=STAYS)


def _calls(func: ir.FunctionDef, at: Around) -> list[ir.Call]:
    return at.layout.calls_of(func.name)[:64]


def _passed(call: ir.Call, func: ir.FunctionDef, name: str, at: Around) -> int:
    """How the argument of one call varies that becomes a parameter."""
    if any(argument.star for argument in call.args):
        return STAYS
    argument = next((a.value for a in call.args if a.keyword == name), None)
    if argument is None:
        names = [param.name for param in func.params if param.kind in ("plain", "positional")]
        method = names[:1] in (["self"], ["cls"]) and isinstance(call.func, ir.Attribute)
        plain = [a.value for a in call.args if a.keyword is None]
        where = names.index(name) - method if name in names else -1
        argument = plain[where] if 0 <= where < len(plain) else None
    if argument is None:
        return STAYS
    outer = around(at.layout, call, at.dotted, at.count, at.few, at.callers + 1)
    return variation(argument, outer)


def _of_element(target: Any, iterable: Any, name: str, at: Around, depth: int) -> int:
    """A name that a loop binds to an element of an iterable, or to a part of one."""
    if isinstance(iterable, ir.Name):
        iterable = _bound_once(iterable, at)
    if isinstance(iterable, ir.Call):
        return _of_element_of_call(target, iterable, name, at, depth)
    if isinstance(iterable, ir.Sequence) and isinstance(target, ir.Name):
        values = {one.value for one in iterable.items if isinstance(one, ir.Const)}
        return NEW if len(values) > FEW_TURNS else MAY
    return MAY


def _bound_once(node: ir.Name, at: Around) -> Any:
    """The call or display that a name is bound to once, or else the name."""
    found = at.layout.bindings(at.function, node.id) if at.function else []
    found = found or at.layout.bindings(None, node.id)
    made = found[0] if len(found) == 1 else None
    params = () if at.function is None else at.function.params
    if isinstance(made, (ir.Call, ir.Sequence)) and node.id not in {p.name for p in params}:
        return made
    return node


def _of_element_of_call(target: Any, iterable: ir.Call, name: str, at: Around, depth: int) -> int:
    called = at.dotted(iterable.func)
    given = [argument.value for argument in iterable.args if argument.keyword is None]
    targets = target.items if isinstance(target, ir.Sequence) else ()
    if called == "builtins.enumerate" and targets:
        if name in names_of(targets[0]):
            return NEW
        rest = targets[1] if len(targets) > 1 else targets[0]
        return _of_element(rest, given[0], name, at, depth - 1) if given and depth else MAY
    if called == "builtins.zip" and isinstance(target, ir.Sequence):
        pairs = zip(targets, given, strict=False)
        inner = (_of_element(t, g, name, at, depth - 1) for t, g in pairs if name in names_of(t))
        return next(inner, MAY)
    if called in ("builtins.reversed", "builtins.sorted", *_SHOWN) and given and depth:
        return _of_element(target, given[0], name, at, depth - 1)
    if called in ("tqdm.trange", "builtins.range", "itertools.count") or called in _SPREAD:
        return NEW if isinstance(target, ir.Name) else MAY
    return MAY


def _of_bindings(turn: Turn, name: str, at: Around, depth: int) -> int:
    """A name that the body of a loop binds, once or more."""
    key = (id(turn.node), name)
    if key in at.busy:
        return STAYS
    at.busy.add(key)
    try:
        found = [_of_binding(one, name, at, depth) for one in turn.bound[name]]
    finally:
        at.busy.discard(key)
    return found[0] if len(found) == 1 else min(found)


def _of_binding(binding: tuple[Any, bool], name: str, at: Around, depth: int) -> int:
    value, always = binding
    if isinstance(value, ir.AugAssign):
        certain = always and value.op in _ACCUMULATES and not _is_neutral(value)
        return NEW if certain else MAY
    if isinstance(value, ir.For):
        # Seen from a loop around, a short one goes through the same few values again.
        if is_short(at.layout.turn(value), at.dotted, at.count, at.few):
            return MAY
        return _of_element(value.target, value.iter, name, at, depth - 1) if depth else MAY
    if not isinstance(value, (ir.Expr, Part)):
        return MAY
    if isinstance(value, ir.BinOp) and value.op in _ACCUMULATES and mentions(value, name):
        others = [side for side in (value.left, value.right) if dotted_text(side) != name]
        return NEW if always and len(others) == 1 and not mentions(others[0], name) else MAY
    inner = variation(value, at, depth - 1)
    return inner if always else min(inner, MAY)


def _is_neutral(node: ir.AugAssign) -> bool:
    """Whether an update changes nothing: `n += 0`, `n *= 1`."""
    value = node.value.value if isinstance(node.value, ir.Const) else None
    return value == (0 if node.op in ("+", "-") else 1)


def mentions(node: Any, name: str) -> bool:
    """Whether arithmetic has a name among its operands."""
    if isinstance(node, (ir.Name, ir.Attribute)):
        return dotted_text(node) == name
    if isinstance(node, ir.BinOp):
        return mentions(node.left, name) or mentions(node.right, name)
    return False


def _of_call(node: ir.Call, at: Around, depth: int) -> int:
    called = at.dotted(node.func)
    given = [variation(argument.value, at, depth - 1) for argument in node.args]
    most = max(given, default=STAYS)
    if called in _FRESH and at.turns and not any(a.keyword == "size" for a in node.args):
        # With a shape, these are arrays, which cannot be static anyway.
        return NEW
    if called == "builtins.next" and node.args:
        return _of_next(node.args[0].value, at)
    if called in _ONE_TO_ONE:
        return most
    name = dotted_text(node.func)
    if name.endswith("._replace") or (called == "" and name.endswith(".replace")):
        return NEW if NEW in given else MAY
    if at.layout.is_class(name):
        return most
    if isinstance(node.func, ir.Attribute) and node.func.attr == "format":
        return most
    func = at.layout.function(name) if isinstance(node.func, ir.Name) else None
    last = func.body[-1] if func is not None and func.body else None
    if func is not None and isinstance(last, ir.Return) and _is_straight(func):
        return _of_inlined(node, func, last, at, depth)
    return min(most, MAY) if most or at.turns else STAYS


def _of_next(iterator: Any, at: Around) -> int:
    name = dotted_text(iterator)
    if not at.turns or isinstance(iterator, ir.Call) or not name:
        return MAY
    found = at.layout.bindings(at.function, name) or at.layout.bindings(None, name)
    counts = [
        isinstance(one, ir.Call) and at.dotted(one.func) == "itertools.count" for one in found
    ]
    return NEW if counts and all(counts) else MAY


def _is_straight(func: ir.FunctionDef) -> bool:
    """Whether a function binds names and returns, and does nothing else."""
    return all(isinstance(one, (ir.Assign, ir.AnnAssign, ir.ExprStmt)) for one in func.body[:-1])


def _of_inlined(
    node: ir.Call, func: ir.FunctionDef, body: ir.Return, at: Around, depth: int
) -> int:
    """What a function that only computes gives for these arguments."""
    if any(argument.star for argument in node.args) or depth == 0:
        return MAY
    names = [param.name for param in func.params]
    passed = dict.fromkeys(names, STAYS)
    for where, argument in enumerate(node.args):
        name = argument.keyword or (names[where] if where < len(names) else "")
        passed[name] = variation(argument.value, at, depth - 1)
    inside = Around(at.layout, [], func, at.dotted, at.count, at.few, passed)
    inside.callers = MOST_CALLERS
    return variation(body.value, inside, depth - 1)

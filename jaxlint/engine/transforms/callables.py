"""Whether what control flow is given can be called, and with as many arguments as it passes."""

from __future__ import annotations

from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.kinds.value import present
from jaxlint.engine.domain.values import (
    Bound,
    Class,
    Concrete,
    Function,
    Instance,
    LibraryName,
    Mapping,
    NumPy,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Unknown,
    Value,
)
from jaxlint.engine.inference.constant_names import PLAIN_BASES
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import callee_of, leaves, refuse
from jaxlint.engine.summaries.transformed import function_name, plain_function
from jaxlint.knowledge import lookup
from jaxlint.knowledge.transforms import OPERATORS, Operator
from jaxlint.syntax import ir

# Wrapped functions that are called as the function inside is.
_SAME_CALL = frozenset({"ad", "custom", "jit", "remat", "vmap"})
_ARRAYS = ("jax.numpy.", "jax.lax.", "jax.nn.")
_NO_FUNCTIONS = ("int", "float", "bool", "complex", "str", "shape", "bytes")


def check_call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> bool:
    """Reports what is no function where one is called, and functions that take another number of
    arguments. False where something of the sort was found."""
    operator = OPERATORS.get(dotted)
    if operator is None or machine.dynamic.eager or args.rest is not None or args.more is not None:
        return True
    if dotted == "jax.lax.cond" and _is_former_cond(args):
        return True
    counts = _counts(operator, args)
    for name, at in operator.functions:
        value = args.get(at, name)
        if value is None:
            continue
        place = args.node(at, name, node)
        if name == "branches":
            sound = _check_branches(machine, frame, node, dotted, value, place, counts.get(name))
        else:
            sound = _check_one(machine, frame, node, dotted, value, place, counts.get(name))
        if not sound:
            return False
    _check_order(machine, frame, node, dotted, args)
    return True


# By what names parameters go of those that loops pass first, and at which place the body stands.
# Those of the last set may be the index; values go by them as well.
_ORDER = {
    "jax.lax.fori_loop": (
        ("body_fun", 2),
        frozenset({"i", "j", "idx", "index", "it", "iteration"}),
        frozenset({"k", "l", "m", "n", "iter", "step", "t"}),
        "the index",
    ),
    "jax.lax.scan": (("f", 0), frozenset({"carry"}), frozenset({"c", "state"}), "the carry"),
}


def _check_order(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> None:
    """The first parameter of a body goes by no name that only the second one is given."""
    if dotted not in _ORDER:
        return
    (name, at), names, others, what = _ORDER[dotted]
    body = args.get(at, name)
    plain = None if body is None else plain_function(body)
    params = [] if body is None else signature(body)
    if body is None or plain is None or len(params) != 2 or not _is_plain_call(body):
        return
    first, second = (one.name for one in params)
    if second not in names or first in names | others or first.startswith("_"):
        return
    read = {one.id for one in walk(plain.node.body) if isinstance(one, ir.Name)}
    if {first, second} <= read:
        callee, where = callee_of(node, dotted), args.node(at, name, node)
        refuse(machine, frame, where, "order", second, f"{what}|{first}", callee, unsure=True)


def _is_former_cond(args: Args) -> bool:
    """Whether this may be `lax.cond(pred, x, f, y, g)`, which JAX still understands."""
    if len(args.positional) != 5:
        return False
    _, first, on_true, _, on_false = args.positional
    return not (_is_function(first) or is_no_function(on_true) or is_no_function(on_false))


def branches_of(args: Args) -> list[tuple[Value, list[Value]]] | None:
    """The branches of a `lax.cond` with what each is given, None where that is not known."""
    operands = args.positional[3:]
    if "operand" in args.keywords:
        operands = [args.keywords["operand"]]
    if not _is_former_cond(args):
        both = (args.get(1, "true_fun"), args.get(2, "false_fun"))
        return [(branch, operands) for branch in present(both)]
    _, first, on_true, second, on_false = args.positional
    if is_no_function(first) or _is_function(on_false):
        return [(on_true, [first]), (on_false, [second])]
    least, most = arity(on_true) or (1, 1)
    return None if least <= 1 <= most else [(first, operands), (on_true, operands)]


def _is_function(value: Value) -> bool:
    if isinstance(value, Instance):
        return value.cls.find("__call__") is not None
    return isinstance(value, (Bound, Class, Function, LibraryName, Partial, Transformed))


def _counts(operator: Operator, args: Args) -> dict[str, int]:
    """With how many arguments each of the functions is called, where that is known."""
    names = [name for name, _ in operator.functions]
    if operator.operands is None:
        return dict(zip(names, operator.takes, strict=False))
    if not args.keywords.keys().isdisjoint(names):
        return {}
    given = 1 if "operand" in args.keywords else max(len(args.positional) - operator.operands, 0)
    return dict.fromkeys(names, given)


def _check_branches(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    value: Value,
    place: ir.Expr,
    count: int | None,
) -> bool:
    if isinstance(value, (Function, Transformed, Bound)):
        refuse(machine, frame, place, "branches", function_name(value), callee="lax.switch")
        return False
    items = value.items if isinstance(value, Sequence) else None
    nodes = place.items if isinstance(place, ir.Sequence) else ()
    for at, one in enumerate(items or ()):
        where = nodes[at] if at < len(nodes) else place
        if not _check_one(machine, frame, node, dotted, one, where, count):
            return False
    return True


def _check_one(
    machine: Machine,
    frame: Frame,
    node: ir.Expr,
    dotted: str,
    value: Value,
    place: ir.Expr,
    count: int | None,
) -> bool:
    callee = callee_of(node, dotted)
    if is_no_function(value) or _makes_array(machine, frame, value, place):
        detail = "called" if isinstance(place, ir.Call) else ""
        refuse(machine, frame, place, "no-function", detail=detail, callee=callee)
        return False
    bounds = None if count is None else arity(value)
    if count is None or bounds is None or bounds[0] <= count <= bounds[1]:
        return True
    detail = f"{count} argument{'s' if count != 1 else ''}"
    refuse(machine, frame, place, "arity", function_name(value), detail, callee)
    return False


# Bases that give their objects no `__call__`.
_WITHOUT_CALL = PLAIN_BASES | {"typing.NamedTuple"}


def is_no_function(value: Value) -> bool:
    """Whether a value can certainly not be called."""
    if isinstance(value, Traced):
        return value.leaf
    if isinstance(value, Static):
        return value.kind in _NO_FUNCTIONS
    if isinstance(value, Sequence):
        return type(value) is Sequence and bool(leaves(value)) and value.kind in ("tuple", "list")
    if isinstance(value, Instance):
        cls = value.cls
        is_plain = not cls.opaque and _WITHOUT_CALL.issuperset(cls.externals())
        return is_plain and cls.find("__call__") is None
    return isinstance(value, (Concrete, NumPy, Mapping))


def _makes_array(machine: Machine, frame: Frame, value: Value, place: ir.Expr) -> bool:
    """Whether a call of which too little is known gives an array all the same."""
    if not (isinstance(value, Unknown) and isinstance(place, ir.Call)):
        return False
    if not isinstance(place.func, (ir.Name, ir.Attribute)):
        return False
    func = machine.eval(frame, place.func)
    if not (isinstance(func, LibraryName) and func.dotted.startswith(_ARRAYS)):
        return False
    spec = lookup.function(func.dotted)
    return spec is not None and spec.result == "array"


def arity(func: Value) -> tuple[int, float] | None:
    """The least and the largest number of arguments that a function takes by position; None where
    that is not known."""
    plain = plain_function(func)
    if plain is None or not _is_plain_call(func):
        return None
    params = signature(func)
    least = sum(p.kind in ("plain", "positional") and p.name not in plain.defaults for p in params)
    most = float(sum(p.kind in ("plain", "positional") for p in params))
    if any(p.kind == "keyword" and p.name not in plain.defaults for p in params):
        return None
    return least, float("inf") if any(p.kind == "vararg" for p in params) else most


def _is_plain_call(func: Value) -> bool:
    """Whether nothing around the function changes what it is called with."""
    while not isinstance(func, Function):
        if isinstance(func, Transformed) and func.record.wrapper.kind not in _SAME_CALL:
            return False
        if not isinstance(func, (Transformed, Partial, Bound)):
            return False
        func = func.func
    return True

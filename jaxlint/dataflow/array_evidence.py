"""Which parameters a function uses as arrays, read off its source."""

from __future__ import annotations

from jaxlint.dataflow.budget import unmetered
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import (
    array_parameters,
    bound_names,
    dotted_text,
    imported_names,
    walk,
)
from jaxlint.knowledge.arrays.attributes import ARRAY_ATTRIBUTES, ARRAYS_ONLY, STATIC_ATTRIBUTES
from jaxlint.knowledge.arrays.operands import array_operands
from jaxlint.knowledge.host.numpy_calls import CONVERTERS
from jaxlint.syntax import ir

_ATTRIBUTES = ARRAYS_ONLY | ARRAY_ATTRIBUTES | STATIC_ATTRIBUTES | {"at", "conj", "copy"}
# Questions about what a value is: the answer may part the uses.
ASKS = frozenset({"callable", "getattr", "hasattr", "isinstance", "issubclass", "type"})
# How deep functions of the same module are looked into.
_DEEPEST = 2


@answered_once
def array_names(
    function: ir.FunctionDef, module: ir.Module | None, depth: int = _DEEPEST
) -> frozenset[str]:
    """The parameters that a function of a module uses as an array or a number, and never as a
    container or an object.

    Besides what `array_parameters` reads off operators: functions of JAX that take nothing but an
    array there, functions of the module that use what they get as an array, indices that no
    container takes, and attributes, if arrays have all that are read.
    """
    with unmetered():  # Read once, whatever the budget of who asks first.
        return _array_names(function, module, depth)


def _array_names(function: ir.FunctionDef, module: ir.Module | None, depth: int) -> frozenset[str]:
    libraries = _libraries(module) if module is not None else {}
    converters = _converters(module) if module is not None else frozenset()
    helpers = _functions(module) if module is not None and depth else {}
    used: set[str] = set()
    read: dict[str, set[str]] = {}
    other: set[str] = set()
    for node in walk(function.body):
        used |= _converted(node, converters)
        if isinstance(node, ir.Call):
            used |= _operands(node, libraries)
            if isinstance(node.func, ir.Name) and node.func.id in helpers:
                helper = helpers[node.func.id]
                used |= _handed_on(node, helper, array_names(helper, module, depth - 1))
            if isinstance(node.func, ir.Name) and node.func.id in ASKS:
                other |= {one.value.id for one in node.args if isinstance(one.value, ir.Name)}
        elif isinstance(node, ir.Subscript):
            if isinstance(node.value, ir.Name) and _is_of_arrays(node.index):
                used.add(node.value.id)
        elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
            read.setdefault(node.value.id, set()).add(node.attr)
        elif isinstance(node, (ir.Assign, ir.For, ir.AnnAssign, ir.With, ir.NamedExpr)):
            other |= bound_names(node)
        elif isinstance(node, ir.FunctionDef):
            other |= {param.name for param in node.params}
    used |= {name for name, attributes in read.items() if attributes <= _ATTRIBUTES}
    used -= {name for name, attributes in read.items() if not attributes <= _ATTRIBUTES}
    params = {param.name for param in function.params if param.kind not in ("vararg", "kwarg")}
    return (frozenset(used) | array_parameters(function)) & params - other


def _handed_on(call: ir.Call, helper: ir.FunctionDef, arrays: frozenset[str]) -> set[str]:
    """The names that a call passes for parameters that are arrays."""
    found: set[str] = set()
    params = iter(param.name for param in helper.params)
    for one in call.args:
        if one.star:
            break
        name = one.keyword or next(params, "")
        if name in arrays and isinstance(one.value, ir.Name):
            found.add(one.value.id)
    return found


def _operands(call: ir.Call, libraries: dict[str, str]) -> set[str]:
    """The names that a call passes where a function of JAX takes nothing but an array."""
    root, dot, rest = dotted_text(call.func).partition(".")
    if root not in libraries:
        return set()
    plain = [one.value for one in call.args if one.keyword is None and not one.star]
    positions = array_operands(f"{libraries[root]}{dot}{rest}")
    values = [plain[at] for at in positions if at < len(plain)]
    return {one.id for one in values if isinstance(one, ir.Name)}


def _converted(node: ir.Node, converters: frozenset[str]) -> set[str]:
    """The names that NumPy is asked to make arrays of, where these are operands at once: what is
    no array, or a sequence of some, has none of that."""
    used: tuple[ir.Expr, ...] = ()
    if isinstance(node, ir.BinOp):
        used = (node.left, node.right)
    is_read = isinstance(node, ir.Attribute) and node.attr in _ATTRIBUTES
    if isinstance(node, ir.Subscript) or (isinstance(node, ir.Attribute) and is_read):
        used = (node.value,)
    calls = [one for one in used if isinstance(one, ir.Call) and one.args]
    made = [one.args[0].value for one in calls if dotted_text(one.func) in converters]
    return {one.id for one in made if isinstance(one, ir.Name)}


def _is_of_arrays(index: ir.Expr) -> bool:
    """Whether no container takes an index: several slices, a new axis, an ellipsis."""
    parts = index.items if isinstance(index, ir.Sequence) else (index,)
    if any(isinstance(one, ir.Const) and one.value in (None, ...) for one in parts):
        return True
    return len(parts) > 1 and any(isinstance(one, ir.Slice) for one in parts)


@answered_once
def _functions(module: ir.Module) -> dict[str, ir.FunctionDef]:
    """The functions of a module that are defined once, and undecorated."""
    found: dict[str, ir.FunctionDef] = {}
    again: set[str] = set()
    for node in module.body:
        for name in bound_names(node):
            again.update({name} & found.keys())
            if isinstance(node, ir.FunctionDef) and not node.decorators:
                found[name] = node
    return {name: one for name, one in found.items() if name not in again}


@answered_once
def _converters(module: ir.Module) -> frozenset[str]:
    """How a module spells the functions of NumPy that make arrays of anything."""
    known = imported_names(module).items()
    roots = [name for name, dotted in known if dotted == "numpy"]
    return frozenset(f"{root}.{name}" for root in roots for name in CONVERTERS)


@answered_once
def _libraries(module: ir.Module) -> dict[str, str]:
    """The names that a module imports from JAX, with what they stand for."""
    known = imported_names(module).items()
    return {name: dotted for name, dotted in known if dotted.partition(".")[0] == "jax"}

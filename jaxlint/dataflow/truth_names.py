"""Names that a module has for arrays of truth values, read off its source."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import assigned, dotted_text, walk
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Functions that take truth values first and choose between two others.
_CHOOSING = frozenset({"select", "where"})
# Functions that give indices, or may.
_INDICES = frozenset(
    {"arange", "argsort", "choice", "nonzero", "permutation", "top_k", "unique", "where"}
)
_COMPARED = frozenset({"!=", "<", "<=", "==", ">", ">="})


@answered_once
def truth_names(module: ir.Module) -> frozenset[str]:
    """The names, and the last ones of attributes, that a module uses to choose between two values,
    negates with `~` or gives the result of a comparison, and never gives whole numbers."""
    used, others = set[str](), set[str]()
    for node in walk(module.body):
        if isinstance(node, ir.Call):
            used |= _chosen_by(node)
        elif isinstance(node, ir.UnaryOp) and node.op == "~":
            used.add(last_name(node.operand))
        elif isinstance(node, (ir.AnnAssign, ir.Assign)):
            targets, value = assigned(node)
            found = used if _is_truth(value) else others if _is_whole(value) else set[str]()
            found.update(map(last_name, targets))
        elif isinstance(node, ir.FunctionDef):
            used.update(_annotated(node))
    return frozenset(used) - others - {""}


def last_name(node: ir.Expr | None) -> str:
    """The name that something goes by, the last one of an attribute; empty where it has none."""
    return dotted_text(node).rpartition(".")[2]


def _chosen_by(call: ir.Call) -> set[str]:
    if last_name(call.func) not in _CHOOSING or len(call.args) < 3 or call.args[0].star:
        return set()
    return {last_name(call.args[0].value)} if not call.args[0].keyword else set()


def _is_truth(value: ir.Expr | None) -> bool:
    if isinstance(value, ir.Compare):
        return _COMPARED.issuperset(value.ops)
    return isinstance(value, ir.Call) and _dtype_of(value) == "bool"


def _is_whole(value: ir.Expr | None) -> bool:
    while isinstance(value, ir.Subscript):
        value = value.value
    return isinstance(value, ir.Call) and (
        last_name(value.func) in _INDICES or _dtype_of(value) == "int"
    )


def _dtype_of(call: ir.Call) -> str:
    """The dtype that a function of JAX gives whose name is that of the callee."""
    name = last_name(call.func)
    specs = (lookup.function(f"jax.{module}.{name}") for module in ("numpy", "random"))
    return next((spec.dtype for spec in specs if spec is not None), "")


def _annotated(func: ir.FunctionDef) -> Iterator[str]:
    """The parameters whose annotations say that they hold truth values: `Bool[Array, "n"]`."""
    for param in func.params:
        annotation = param.annotation
        if isinstance(annotation, ir.Subscript) and last_name(annotation.value) == "Bool":
            yield param.name

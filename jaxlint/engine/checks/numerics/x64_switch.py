"""When 64-bit numbers are switched on: too late, or in a way that does nothing."""

from __future__ import annotations

from typing import Any

from jaxlint.dataflow.names import bound_names, dotted_text, free_in, walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Concrete, Mapping, Sequence, Static, Value
from jaxlint.engine.inference.definitions import term
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

_OPTION = "jax_enable_x64"
_VARIABLE = "JAX_ENABLE_X64"
# What tells that the dtype of an array does not depend on the option.
_EXPLICIT = ("dtype", "astype", "key", "PRNGKey", "split", "bool_", "32", "16", "int8")


def updated(machine: Machine, frame: Frame, node: ir.Expr, args: Args) -> None:
    """`jax.config.update(option, value)`."""
    option, value = args.get(0, "name"), args.get(1, "val")
    if not isinstance(option, Static) or not isinstance(option.const, str) or machine.dynamic.idle:
        return
    if option.const != _OPTION:
        if "x64" in option.const.lower():
            misused(machine, frame, node, "x64-option", option.const)
        return
    if isinstance(value, Static) and value.const is True and frame.trace.is_host:
        late = _made_before(machine, frame, node)
        if late:
            misused(machine, frame, node, "x64-late", late)


def variable_set(machine: Machine, frame: Frame, node: ir.Expr, key: Value | None) -> None:
    """`os.environ[key] = ...`, or `os.environ.setdefault(key, ...)`."""
    named = isinstance(key, Static) and key.const == _VARIABLE
    named = named or (isinstance(key, Mapping) and _VARIABLE in key.items)
    if named and not machine.dynamic.idle:
        module = machine.sources.owner(node, machine.module)
        imported = next((one for one in module.body if _imports_jax(one)), None)
        # The nodes of a file are numbered statement by statement.
        if imported is not None and imported.origin < node.origin:
            misused(machine, frame, node, "x64-environment", _VARIABLE)


def option_assigned(machine: Machine, frame: Frame, target: ir.Expr) -> None:
    """`jax.config.option = ...`."""
    if isinstance(target, ir.Attribute) and "x64" in target.attr and not machine.dynamic.idle:
        misused(machine, frame, target, "x64-assigned", target.attr)


def _imports_jax(node: ir.Stmt) -> bool:
    if isinstance(node, ir.Import):
        return any(name.partition(".")[0] == "jax" for name, _ in node.names)
    if isinstance(node, ir.ImportFrom):
        return not node.level and node.module.partition(".")[0] == "jax"
    return False


def _holds(statement: ir.Stmt, node: ir.Node) -> bool:
    return any(one is node for one in walk(statement))


def _made_before(machine: Machine, frame: Frame, node: ir.Expr) -> str:
    """The name of an array that was made before and is used after; "" where there is none."""
    home = frame.home()
    module = machine.sources.owner(node, machine.module)
    if home.func is None:
        return _around(module.body, home, node)
    found = _around(home.func.body, home, node)
    if found or home.parent is None or home.parent.func is not None:
        return found
    # The module itself calls the function: what it made before the call counts as well.
    for one in module.body:
        calls = walk(one, (ir.FunctionDef, ir.ClassDef, ir.Lambda))
        for call in calls:
            if isinstance(call, ir.Call) and dotted_text(call.func) == home.func.name:
                return _around(module.body, home.root, call)
    return ""


def _around(body: tuple[ir.Stmt, ...], frame: Frame, node: ir.Node) -> str:
    at = next((n for n, one in enumerate(body) if _holds(one, node)), None)
    if at is None:
        return ""
    before: dict[str, None] = {}
    for one in body[:at]:
        before |= dict.fromkeys(sorted(bound_names(one)))
    functions = [one for one in body[:at] if isinstance(one, ir.FunctionDef)]
    after: set[str] = set()
    for one in (*functions, *body[at + 1 :]):
        after |= free_in(one)
    for name in before:
        if name in after and _depends(frame, name, frame.env.get(name)):
            return name
    return ""


def _depends(frame: Frame, name: str, value: Value | None, depth: int = 2) -> bool:
    """Whether a name holds an array whose dtype is what JAX takes by default."""
    if isinstance(value, Concrete):
        if value.dtype == "bool":
            return False
        made = term(frame, ir.Name(ir.NOWHERE, name)).resolved().node
        return isinstance(made, ir.Call) and not _is_explicit(made)
    if isinstance(value, Sequence) and depth and value.items:
        return any(isinstance(one, Concrete) for one in value.items)
    if isinstance(value, Mapping) and depth:
        return any(isinstance(one, Concrete) for one in value.items.values())
    return False


def _is_explicit(call: Any) -> bool:
    """Whether a call says which dtype it makes."""
    for node in walk(call):
        if isinstance(node, ir.Argument) and node.keyword == "dtype":
            return True
        if isinstance(node, ir.Attribute) and any(word in node.attr for word in _EXPLICIT):
            return True
    return False

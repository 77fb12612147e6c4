"""How objects are set up: initialisers, and the methods that are parts of them."""

from __future__ import annotations

from jaxlint.dataflow.names import CONSTRUCTORS
from jaxlint.engine.domain.values import Function
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

INITIALISERS = frozenset(
    {
        *CONSTRUCTORS,
        "__check_init__",  # Of Equinox.
        "setup",
        "__new__",
        "__setstate__",
        "__enter__",
        "build",
        "setUp",
        "setUpClass",
        "setup_method",
        "setup_class",
    }
)
_DEPTH = 3


def sets_up(machine: Machine, func: ir.FunctionDef | None) -> bool:
    """Whether a function is an initialiser, or only initialisers are seen to call it."""
    if func is None:
        return False
    return func.name in INITIALISERS or _is_part(machine, id(func), _initialisers(machine), _DEPTH)


def _is_part(machine: Machine, func: int, initialisers: set[int], depth: int) -> bool:
    callers = machine.program.callers.get(func, set()) - {func}
    if not callers or func in machine.program.called_outside:
        return False
    others = callers - initialisers
    return not others or (
        depth > 0 and all(_is_part(machine, one, initialisers, depth - 1) for one in others)
    )


def _initialisers(machine: Machine) -> set[int]:
    held = (
        one
        for cls in machine.classes()
        for name, one in cls.namespace.items()
        if name in INITIALISERS
    )
    return {id(one.node) for one in held if isinstance(one, Function)}

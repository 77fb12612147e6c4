"""The transfer functions that a machine runs with: the meaning of each kind of syntax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import Module
from jaxlint.engine.domain.values import Value
from jaxlint.engine.machine.events import Subscriptions
from jaxlint.syntax import ir

# The first argument of each is the machine, which has a `Semantics` itself.
Eval = Callable[[Any, Frame, Any], Value]
Exec = Callable[[Any, Frame, Any], bool]
Evaluators = Mapping[type, Eval]
Executors = Mapping[type, Exec]


@slotted(frozen=True)
class Semantics:
    """What expressions, statements, calls and names of modules mean.

    They are handed to the machine, so that expressions, statements and calls can run each other
    without importing each other.
    """

    evaluators: Evaluators
    # Whether what follows the statement is reached.
    executors: Executors
    call: Callable[[Any, Frame, ir.Expr, Value, Args], Value]
    # The value of a name whose module was not run yet.
    resolve: Callable[[Any, Value], Value]
    # `module.name`.
    member: Callable[[Any, Module, str], Value]
    # A dotted name of a library.
    external: Callable[[Any, str], Value]
    # The handlers of the events that these emit.
    checks: Subscriptions = Subscriptions()

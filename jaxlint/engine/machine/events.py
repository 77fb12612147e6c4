"""Events of a run, and the checks that subscribe to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from jaxlint.base.dataclass import slotted
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Concrete, Container, NumPy, Static, Traced, Value
from jaxlint.facts.check import Check
from jaxlint.facts.core import Fact
from jaxlint.facts.provenance import Provenance, TraceEntry
from jaxlint.syntax import ir

Handler = Callable[[Any], None]


@slotted
class Seen:
    """What is known of one value, in the terms of `jaxlint.facts.check.Operand`."""

    value: Value

    @property
    def kind(self) -> str:
        value = self.value
        if isinstance(value, Traced):
            return "traced"
        if isinstance(value, (Concrete, NumPy)):
            return "array"
        if isinstance(value, Static):
            return "static"
        return "container" if isinstance(value, Container) else "unknown"

    @property
    def is_known(self) -> bool:
        return isinstance(self.value, Static) and self.value.known

    @property
    def constant(self) -> Any:
        return self.value.const if isinstance(self.value, Static) and self.value.known else None

    @property
    def provenance(self) -> Provenance | None:
        return self.value.trail if isinstance(self.value, Traced) else None


@slotted
class Called:
    """A function of a library is called: a `jaxlint.facts.check.Call`."""

    machine: Any
    frame: Frame
    node: ir.Expr
    dotted: str
    args: Args

    @property
    def module(self) -> ir.Module:
        module: ir.Module = self.machine.module
        return module

    @property
    def function(self) -> str:
        return self.frame.name

    @property
    def entry(self) -> TraceEntry | None:
        return self.frame.trace.entry

    def argument(self, position: int, name: str) -> Seen | None:
        """The argument at a position or with a name, None where none is seen."""
        value = self.args.get(position, name)
        return None if value is None else Seen(value)

    def emit(self, fact: Fact) -> None:
        """Adds a fact, which the rules that listen to its kind judge."""
        self.machine.emit(fact)


@slotted(frozen=True, eq=False)
class Subscriptions:
    """The handlers of each event, in the order of the checks."""

    calls: Mapping[str, tuple[Handler, ...]]
    finish: tuple[Handler, ...]


@lru_cache(maxsize=8)
def subscriptions(checks: tuple[Check, ...]) -> Subscriptions:
    """The handlers of some checks."""
    return Subscriptions(
        _by_name((name, check.on_call) for check in checks for name in sorted(check.calls)),
        tuple(check.on_finish for check in checks if check.on_finish is not None),
    )


def _by_name(
    rows: Iterable[tuple[str, Handler | None]],
) -> Mapping[str, tuple[Handler, ...]]:
    found: dict[str, tuple[Handler, ...]] = {}
    for name, handler in rows:
        if handler is not None:
            found[name] = (*found.get(name, ()), handler)
    return found

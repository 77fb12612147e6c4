"""Host code that throws compiled programs away, or asks for others by settings around the call."""

from __future__ import annotations

from jaxlint import facts
from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import dotted_text, free_in
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame, Loop, in_test
from jaxlint.engine.domain.values import Method, Transformed
from jaxlint.engine.inference.occasions import reads_clock
from jaxlint.engine.machine.events import Check, Named, PerRun, Typed
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

CLEARING = frozenset({"importlib.reload", "jax.clear_caches"})
# Settings by which compiled programs are told apart.
CONTEXTS = frozenset(
    {
        "jax.default_device",
        "jax.default_matmul_precision",
        "jax.default_prng_impl",
        "jax.enable_x64",
        "jax.experimental.disable_x64",
        "jax.experimental.enable_x64",
        "jax.numpy_dtype_promotion",
        "jax.numpy_rank_promotion",
    }
)


@slotted(frozen=True)
class Setting:
    """A `with` statement that ran: from which tick of the clock to which one."""

    module: ir.Module
    node: ir.Expr
    frame: Frame
    loop: Loop | None
    began: int
    ended: int

    @property
    def text(self) -> str:
        return self.module.text_of(self.node)


def method_called(
    machine: Machine, frame: Frame, node: ir.Expr, method: Method, args: Args
) -> None:
    """A method of a compiled function."""
    if method.name == "clear_cache":
        cleared(machine, frame, node)


def cleared(machine: Machine, frame: Frame, node: ir.Expr) -> None:
    """Host code clears a cache: in a loop, what was compiled in it compiles again."""
    conditional = machine.asks(CONDITIONS).conditions
    if not machine.in_loop(frame) or conditional or in_test(frame) or not frame.trace.is_host:
        return
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    timed = reads_clock(frame)
    machine.emit(facts.CacheCleared(machine.module, node, frame.name, callee=callee, timed=timed))


_SETTINGS: PerRun[list[Setting]] = PerRun(list)


def entered(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, began: int) -> None:
    """Host code leaves `with node:`."""
    if frame.trace.is_host and machine.counters.tick > began:
        loop = frame.innermost_loop()
        now = machine.counters.tick
        _SETTINGS.of(machine).append(Setting(machine.module, node, frame, loop, began, now))


def after(machine: Machine) -> None:
    """Emits the facts about compiled functions that are called with several settings."""
    settings = _SETTINGS.of(machine)
    for record in machine.uses() if settings else ():
        if not record.wrapper.compiles or not record.trace.is_host or record.imported:
            continue
        states = {tick: _state(settings, tick) for tick, _, _ in record.calls}
        several = len({tuple(s.text for s in state) for state in states.values()}) > 1
        around = {id(s): s for state in states.values() for s in state}
        for setting in around.values():
            if several or _varies(setting):
                _emit(machine, setting)


def _state(settings: list[Setting], tick: int) -> list[Setting]:
    return [s for s in settings if s.began < tick <= s.ended]


def _varies(setting: Setting) -> bool:
    loop = setting.loop
    return loop is not None and not loop.names.isdisjoint(free_in(setting.node))


def _emit(machine: Machine, setting: Setting) -> None:
    if setting.frame.root is not machine.globals or in_test(setting.frame):
        return
    node = setting.node
    callee = dotted_text(node.func) if isinstance(node, ir.Call) else ""
    fact = facts.CacheCleared(
        setting.module, node, setting.frame.name, kind="context", callee=callee
    )
    machine.emit(fact)


CHECK = Check(
    "cache-clears",
    on_method_result=(Typed(method_called, (Transformed,)),),
    on_exit=(Named(entered, CONTEXTS),),
    on_finish=after,
)

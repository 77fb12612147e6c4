"""Names: what they are bound to where they are read, and what binding them changes."""

from __future__ import annotations

from typing import Literal

from jaxlint import facts
from jaxlint.dataflow.idioms import flags, remembered, restored
from jaxlint.dataflow.names import dotted_text
from jaxlint.engine.domain.circumstances import TESTED
from jaxlint.engine.domain.environment import Frame, in_test
from jaxlint.engine.domain.generalization import widened
from jaxlint.engine.domain.pytrees import leaks
from jaxlint.engine.domain.special_values import Deferred
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import Function, Heap, LibraryName, Value, join
from jaxlint.engine.machine.emission import Emission
from jaxlint.engine.relations.repetition import repeats
from jaxlint.engine.relations.trace_levels import always_runs, outlives, runs_once_in
from jaxlint.knowledge import lookup
from jaxlint.syntax import ir

# Where a name of code around is bound.
OuterPlace = Literal["global", "nonlocal"]
BUILTINS = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)


# Changes that keep a value under a name or a key.
_KEEPS = ("assign", "subscript")


class Names(Emission):
    """Looks up names and binds them."""

    def lookup(self, frame: Frame, name: str, node: ir.Node) -> Value:
        """What a name is bound to where it is read."""
        value = frame.env.get(name)
        if value is not None and name not in frame.globals:
            if isinstance(value, Deferred):
                value = frame.env[name] = self.semantics.resolve(self, value)
            if isinstance(value, Heap) and value.leaks and value.born is frame.trace:
                self.surface(value)
            return value
        if name in frame.globals:
            scope: Frame | None = frame.root
        elif name in frame.bound and frame.kind != "class":
            return self.unknown("unbound local")
        else:
            scope = frame.enclosing()
        while scope is not None:
            value = scope.env.get(name)
            if value is not None:
                return self._read_outer(frame, scope, name, value, node)
            scope = scope.enclosing()
        self.dynamic.effects.read(frame.root, name, None)
        return self._of_library(frame.root, name)

    def _read_outer(
        self, frame: Frame, scope: Frame, name: str, value: Value, node: ir.Node
    ) -> Value:
        """The value of a name of code around."""
        if isinstance(value, Deferred):
            value = scope.env[name] = self.semantics.resolve(self, value)
        if isinstance(value, Heap) and value.leaks and value.born is frame.trace:
            self.surface(value)
        self.dynamic.effects.read(scope, name, value)
        if not frame.trace.is_host and scope.trace is not frame.trace:
            self.captured(frame, scope, name, value, node)
        elif frame.trace.is_host:
            self._escaped(frame, scope, value)
        return value

    def _of_library(self, root: Frame, name: str) -> Value:
        """What a name is that no code around binds."""
        for star in root.stars:
            if lookup.function(f"{star}.{name}") is not None:
                return LibraryName(lookup.canonical(f"{star}.{name}"))
        if name in BUILTINS or name == "reveal":
            return LibraryName(f"builtins.{name}")
        return self.unknown("unbound name")

    def captured(self, frame: Frame, scope: Frame, name: str, value: Value, node: ir.Node) -> None:
        """Compiled code reads a name of code around it."""
        record = frame.trace.compiled
        if record is not None and scope.trace.is_host and not self.dynamic.supposed:
            self.borrow(record)
            record.captured(scope, name, value, node)
            self.dynamic.effects.capture(record, scope, name, value, node)

    def _escaped(self, frame: Frame, scope: Frame, value: Value) -> None:
        record = getattr(value, "record", None)
        if record is not None and scope.home() is not frame.home():
            self.borrow(record)
            record.escaped = True

    def bind(
        self, frame: Frame, name: str, value: Value, node: ir.Node, how: str = "assign"
    ) -> None:
        """Binds a name as an assignment in `frame` does."""
        frame = frame if name in frame.bound else frame.home()
        if name in frame.globals:
            self.bind_outer(frame, frame.root, "global", name, value, node, how)
        elif name in frame.nonlocals:
            owner = frame.enclosing()
            while owner is not None and name not in owner.bound and owner.parent is not None:
                owner = owner.enclosing()
            if owner is not None:
                self.bind_outer(frame, owner, "nonlocal", name, value, node, how)
        else:
            if frame.trace.is_host:
                self.counters.tick += 1
                frame.writes.setdefault(name, []).append((self.counters.tick, node))
            frame.env[name] = value

    def bind_outer(
        self,
        frame: Frame,
        owner: Frame,
        place: OuterPlace,
        name: str,
        value: Value,
        node: ir.Node,
        how: str,
    ) -> None:
        """Binds a name of code around, or of another module."""
        frames, effects = self.dynamic.frames, self.dynamic.effects
        lent = not restored(frame.func).isdisjoint((name, dotted_text(node)))
        if frame.trace.is_host:
            self._note_write(frame, owner, place, name, node, lent)
        elif owner.trace is not frame.trace:
            self._emit_stored(frame, owner, place, name, value, node, how)
        self.hand_out(value)
        if self.world is not None:
            self.loans.take_name(owner, name)
        effects.oldest = min(effects.oldest, owner.age)
        record = frame.trace.compiled
        if record is not None and how == "assign" and always_runs(frames, frame.trace):
            self.borrow(record)
            record.own.add((owner, name))
        old = owner.env.get(name)
        if place == "nonlocal" and owner.trace is frame.trace and runs_once_in(frames, owner):
            old = None
        if place == "global" and lent:
            # It holds this only until the function, or the `with` statement around it, is left.
            old = None
        if isinstance(node, ir.Attribute) and type(old) is type(value) is Function:
            old = None  # A function of another module is replaced for what runs from here on.
        owner.env[name] = value if old is None else join(old, widened(value))

    def _note_write(
        self, frame: Frame, owner: Frame, place: OuterPlace, name: str, node: ir.Node, lent: bool
    ) -> None:
        """Host code binds a name of code around."""
        # What is patched for a while is patched for what runs meanwhile.
        if not (lent and isinstance(node, ir.Attribute)):
            writes = owner.writes.setdefault(name, [])
            self.happened(writes, owner.age, node, lambda tick: (tick, node))
        if place == "global" and name not in self.asks(TESTED).tested and not lent:
            found = self.program.global_writes.setdefault((owner, name), [])
            found.append((self.counters.tick, node, frame.func))

    def _emit_stored(
        self,
        frame: Frame,
        owner: Frame,
        place: OuterPlace,
        name: str,
        value: Value,
        node: ir.Node,
        how: str,
    ) -> None:
        """Traced code binds a name of another trace: the change is lost, or leaks a tracer."""
        if (
            repeats(owner.env.get(name), value, node)
            or dotted_text(node) in restored(frame.home().func)
            or not self.matters(frame, value, how, name, home=owner.trace)
        ):
            return
        traced = leaks(value, owner.trace)
        frames = self.dynamic.frames
        if traced is not None and outlives(frames, frame.trace, owner.trace, traced):
            return
        self.emit(
            facts.Stored(
                self.module,
                node,
                frame.name,
                frame.trace.entry,
                traced.trail if traced else None,
                place=place,
                target=name,
                how=how,
                body=not owner.trace.is_host,
                once=name in flags(frame.func),
            )
        )

    def matters(
        self,
        frame: Frame,
        value: Value,
        how: str,
        target: str,
        local: bool = True,
        home: Trace | None = None,
    ) -> bool:
        """Whether a change from inside a trace is lost: leaks always, static values where the
        code runs once for many executions.

        A body that hands out what it knows of structure by plain assignment is not lost: it
        runs before the code that uses it (`lax.scan` in code that is traced anyway). Nor is what
        is kept once under a test of the same name: a memo of a concrete value stays right, and
        what is to be done once is done once. What a `finally` clause sets back is not changed at
        all.
        """
        if target and target in restored(frame.home().func):
            return False
        if leaks(value, home) is not None:
            return True
        tested = self.silences().tested
        if (target in tested or target.partition(".")[0] in tested) and how in _KEEPS:
            return False
        if f"len({target})" in tested or (how == "add" and f"in {target}" in tested):
            return False
        if how == "subscript" and target in remembered(frame.home().func):
            return False
        if not frame.trace.once or in_test(frame):
            return False
        hands_out = frame.trace.kind != "jit" and how in ("assign", "subscript") and local
        return not hands_out

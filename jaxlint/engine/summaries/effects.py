"""What a run of a function reads and does outside itself.

It is noted while the function runs. Where the result of the run stands for another call, what was
read must be as it was, and what was done is done again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from jaxlint.engine.domain.circumstances import CONDITIONS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.namespace import Namespace
from jaxlint.engine.domain.values import (
    AGES,
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
    Value,
)
from jaxlint.engine.summaries.fingerprints import content_key, key
from jaxlint.syntax import ir

Owner = Frame | Instance | Sequence | Mapping
# What a name of an outer frame, an attribute of an object that stands for its class, or a container
# held.
Reads = dict[tuple[Owner, str], Any]
# What a name of a module held.
Names = dict[tuple[Frame, str], Value | None]
# The environments of modules, with the versions that they had.
Versions = tuple[tuple[Frame, Namespace, int], ...]
# Names that compiled code reads, by the record of the code: where, and what they held.
Captures = dict[tuple[Any, Owner, str], tuple[Value | None, dict[int, ir.Node]]]
# What happens at a moment that counts: it gets a later one where it happens again. With the age
# of what it happens to, whether it does so only if that certainly happens again, and the functions
# that were running.
HostCall = tuple[ir.FunctionDef, ir.FunctionDef | None, bool, bool]
Event = tuple[int, bool, Callable[[Any], None], tuple[ir.FunctionDef, ...]]
# Values that are the same as long as they are the same object.
_FIXED = (Class, Concrete, LibraryName, Function, NumPy, Static, Traced, Transformed)
# A call that finds more facts is run each time.
MOST_FACTS = 64
# Of a call that read no more names of modules, they are copied.
MOST_COPIED = 8
# The place in the stack of what goes by all of it.
WHOLE_STACK = -1
# Under which what a whole container holds is noted.
CONTENT = ""


class Effects:
    """The effects of one run, those of the calls in it included; `since` is the age at which it
    begins. Effects on what the run itself made are its own affair.

    `local` tells that something else was noted of it that counts for this analysis alone.
    `asks` are the parts of the circumstances around that it goes by. `emits` tells that it found
    facts, or would in others, `loses` that its trace lost a derivative, and `private` that it must
    not stand for another call at all. `oldest_called` is the age of the oldest transformed function
    that it calls. `outermost` is the place in the stack of the outermost running function that it
    goes by.

    `names` are the names of modules that were read, but for those in `nested`: these effects of
    calls are shared. `roots` are the modules of all of them, and `checked` the versions in which
    they were as they had been read. `arrays` are what names of modules held of arrays.
    """

    __slots__ = (
        "arrays",
        "asks",
        "called",
        "captures",
        "checked",
        "compiles",
        "deepest",
        "emits",
        "events",
        "facts",
        "hosted",
        "local",
        "loses",
        "names",
        "nested",
        "oldest",
        "oldest_called",
        "outermost",
        "private",
        "ran",
        "reads",
        "roots",
        "since",
        "transforms",
    )

    def __init__(self, since: int | None = None) -> None:
        self.since = next(AGES) if since is None else since
        # The age of the oldest object or frame that the running function has changed.
        self.oldest = self.since if since is None else next(AGES)
        self.reads: Reads = {}
        self.names: Names = {}
        self.nested: dict[int, Effects] = {}
        self.roots: set[Frame] = set()
        self.arrays: dict[int, tuple[Value, Frame]] = {}
        self.checked: Versions | None = None
        self.captures: Captures = {}
        self.called: set[int] = set()
        # Calls by host code: of which function, by which one, whether in a loop and in a function.
        self.hosted: dict[tuple[int, int, bool, bool], HostCall] = {}
        # Whether transforms were applied that are to run for any arguments.
        self.transforms = False
        # Whether one of them compiles.
        self.compiles = False
        # The functions that ran in a trace, with their files.
        self.ran: dict[int, tuple[ir.FunctionDef, str]] = {}
        self.events: dict[tuple[int, int], Event] = {}
        self.oldest_called = self.outermost = sys.maxsize
        # How many functions ran within each other at most, those around this run included.
        self.deepest = 0
        self.asks = 0
        self.emits = self.loses = self.private = self.local = False
        # The facts that were found, each with the calls that led there.
        self.facts: list[tuple[Any, tuple[Any, ...]]] = []

    def read(self, owner: Owner, name: str, value: Value | None) -> None:
        """A name from outside was read; None for one that was not bound."""
        place = (owner, name)
        if owner.age >= self.since or place in self.reads or place in self.names:
            return
        if value is not None and not isinstance(value, _FIXED):
            self.reads[place] = ("key", key(value))
        elif isinstance(owner, Frame) and isinstance(owner.env, Namespace):
            owner.env.read.add(name)
            self.roots.add(owner)
            self.names[owner, name] = value
            if isinstance(value, (Concrete, Traced)):
                self.arrays[id(value)] = value, owner
        else:
            self.reads[place] = value

    def read_content(self, owner: Sequence | Mapping, held: Any) -> None:
        """The result goes by what a container holds, of which that is the key."""
        if owner.age < self.since:
            self.reads.setdefault((owner, CONTENT), ("key", held))

    def capture(
        self, record: Any, owner: Owner, name: str, value: Value | None, node: ir.Node
    ) -> None:
        """Compiled code read a name of the code around it."""
        self.captures.setdefault((record, owner, name), (value, {}))[1][id(node)] = node

    def goes_by(self, place: int) -> None:
        """The result depends on the function at this place in the stack."""
        self.outermost = min(self.outermost, place)

    def calls(self, age: int) -> None:
        """A transformed function of this age is called."""
        self.oldest_called = min(self.oldest_called, age)

    def happened(
        self,
        place: tuple[int, int],
        age: int,
        changes: bool,
        again: Callable[[Any], None],
        stack: tuple[ir.FunctionDef, ...],
    ) -> None:
        """Something happened in these functions, to an owner of this age, that `again` makes
        happen once more."""
        if age < self.since:
            self.events.setdefault(place, (age, changes, again, stack))

    def include(self, inner: Effects, always: bool) -> None:
        """What a call did, the code that calls it did too; `always` where that is on all paths."""
        since = self.since
        for place, held in inner.reads.items():
            if place[0].age < since:
                self.reads.setdefault(place, held)
        if inner.roots:
            self._share(inner)
        for read, (value, nodes) in inner.captures.items():
            self.captures.setdefault(read, (value, {}))[1].update(nodes)
        for at, event in inner.events.items():
            if event[0] < since:
                # Whether changes happen again depends on the tests around.
                self.asks |= CONDITIONS if event[1] else 0
                if always or not event[1]:
                    self.events.setdefault(at, event)
        self.called |= inner.called
        self.ran.update(inner.ran)
        self.transforms |= inner.transforms
        self.compiles |= inner.compiles
        if inner.hosted:
            self.hosted.update(inner.hosted)
        self.asks |= inner.asks
        self.emits |= inner.emits
        self.loses |= inner.loses
        self.oldest_called = min(self.oldest_called, inner.oldest_called)
        self.outermost = min(self.outermost, inner.outermost)
        self.deepest = max(self.deepest, inner.deepest)
        self.private |= inner.private
        self.local |= inner.local
        if inner.facts and len(self.facts) <= MOST_FACTS:
            self.facts += inner.facts

    def _share(self, inner: Effects) -> None:
        """The names of modules that a call read are read here too. Of many calls within each other
        they are not copied."""
        older = {root for root in inner.roots if root.age < self.since}
        if inner.nested or len(inner.names) > MOST_COPIED:
            if older:
                self.nested[id(inner)] = inner
                self.roots |= inner.roots
        else:
            for place, held in inner.names.items():
                if place[0] in older:
                    self.names.setdefault(place, held)
            self.roots |= older
        if len(older) == len(inner.roots):
            self.arrays.update(inner.arrays)
        else:
            arrays = inner.arrays.items()
            self.arrays.update((at, held) for at, held in arrays if held[1] in older)

    def holds(self) -> bool:
        """Whether all that was read is as it was."""
        reads = self.reads.items()
        return all(_is_as_it_was(place, held) for place, held in reads) and self._names_hold()

    def _names_hold(self) -> bool:
        """Whether all names of modules are as they were: each effects are looked at once, until
        one of the names is bound again."""
        seen: dict[int, Effects] = {}
        waiting = [self] if self.roots else []
        while waiting:
            one = waiting.pop()
            if id(one) not in seen and not one.is_checked():
                seen[id(one)] = one
                if not all(_is_as_it_was(place, held) for place, held in one.names.items()):
                    return False
                waiting += one.nested.values()
        for one in seen.values():
            one.check()
        return True

    def is_checked(self) -> bool:
        """Whether all names of modules are known to be as they were."""
        return self.checked is not None and all(
            root.env is env and env.version == version for root, env, version in self.checked
        )

    def check(self) -> None:
        """Notes that all names of modules are as they were."""
        found = []
        for root in self.roots:
            env = root.env
            if not isinstance(env, Namespace):
                return
            found.append((root, env, env.version))
        for root, name in self.names:
            if isinstance(root.env, Namespace):
                root.env.read.add(name)
        self.checked = tuple(found)

    def reads_value(self, value: Value) -> bool:
        """Whether a value comes from outside as it is."""
        return id(value) in self.arrays or any(held is value for held in self.reads.values())


def known_field(owner: Instance, name: str) -> Value | None:
    """What a field of an object holds, as far as that may be believed: of an opaque class, only
    that it is a function."""
    field = owner.fields.get(name)
    is_function = isinstance(field, (Transformed, Function, Bound, Partial))
    return None if owner.cls.opaque and not is_function else field


def _is_as_it_was(place: tuple[Owner, str], held: Any) -> bool:
    owner, name = place
    if isinstance(owner, (Sequence, Mapping)):
        return bool(content_key(owner) == held[1])
    now = owner.env.get(name) if isinstance(owner, Frame) else known_field(owner, name)
    if now is held:
        return True
    if now is None or held is None:
        return False
    return bool(key(now) == (key(held) if isinstance(held, Value) else held[1]))

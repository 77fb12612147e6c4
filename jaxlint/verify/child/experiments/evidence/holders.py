"""Where flagged code writes to, and whether that place outlives the trace that writes."""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import inspect
import itertools
import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxlint.verify.child import internals
from jaxlint.verify.child.arguments.subjects import plain
from jaxlint.verify.child.experiments.evidence import contents
from jaxlint.verify.child.experiments.evidence.reachable import (
    bounded,
    is_of_verifier,
    roots,
    tracers_in,
    walk,
)
from jaxlint.verify.child.experiments.evidence.subject import Subject
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.protocol import Target

_missing = object()
_Namespaces = tuple[Mapping[str, Any], ...]


@dataclass
class Slot:
    """One place that flagged code writes to, found while it does.

    `kind` is "name", "attribute", "cells" or "container"; `owner` the namespace, the object, the
    cells of a variable or the container itself. `former` is what it held when it was found, and
    `copy` a copy of that. `name` is that of the variable or attribute; `text` the place as the
    code spells it. `is_outside` tells that the place was there before the trace that writes,
    `is_older` that it was there before what JAX writes down: a gradient, unlike a loop, is a trace
    that is written down with the code around it. `is_unsure` tells that this is not known until the
    trace is over; `again` finds the owner anew then, from what modules hold. `is_kept` tells that
    the place is new and left when the trace is over.
    """

    kind: str
    owner: Any
    name: str
    text: str
    is_outside: bool
    is_older: bool
    is_unsure: bool = False
    is_kept: bool = False
    again: Callable[[], Any] = lambda: None
    before: list[Any] = field(default_factory=list)
    former: Any = None
    copy: Any = None
    was_there: bool = True

    @property
    def is_bound(self) -> bool:
        """Whether writing to the place binds a value to it."""
        return self.kind != "container"

    @property
    def key(self) -> Hashable:
        """Equal for all slots of one place."""
        owner = self.owner[0] if self.kind == "cells" and self.owner else self.owner
        return self.kind, id(owner), self.name

    def content(self) -> Any:
        """What the place holds now."""
        if self.kind == "name":
            return self.owner.get(self.name)
        if self.kind == "cells":
            held = [contents.content(cell) for cell in self.owner]
            return held[0] if len(held) == 1 else held
        if self.kind == "attribute":
            held = inspect.getattr_static(self.owner, "__dict__", None)
            own = vars(self.owner) if held is not None else {}
            if self.name in own:
                return own[self.name]
            return inspect.getattr_static(self.owner, self.name, None)
        return self.owner

    def state(self) -> Any:
        """What tells this content from another; None if nothing does."""
        if self.kind == "cells" and len(self.owner) != 1:
            return None
        return contents.state(self.content(), is_bound=self.is_bound)

    def is_import(self) -> bool:
        """Whether what came to the place since it was found is what imports give.

        That is the same at every trace.
        """
        content = self.content()
        if self.is_bound:
            return contents.is_imported(content)
        if not isinstance(content, dict) or not isinstance(self.copy, dict):
            return False
        old: dict[Any, Any] = self.copy
        new = [value for key, value in dict.items(content) if old.get(key, old) is not value]
        return old.keys() <= content.keys() and bool(new) and all(map(contents.is_imported, new))

    def remember(self) -> None:
        """Notes what the place holds."""
        self.former = self.content()
        self.before = tracers_in(self.former)
        self.copy = contents.copied(self.former)
        own = self.owner if self.kind == "name" else getattr(self.owner, "__dict__", {})
        self.was_there = not self.is_bound or self.name in own

    def is_left(self, reachable: dict[int, Any]) -> bool:
        """Whether the place is one of what is reachable now, or modules lead to it."""
        if self.kind == "cells":
            held = (each for each in reachable.values() if isinstance(each, types.FunctionType))
            return any(
                cell is own
                for each in held
                for cell in each.__closure__ or ()
                for own in self.owner
            )
        return id(self.owner) in reachable or self.again() is self.owner

    def put_back(self) -> None:
        """Gives the place what it held when it was found."""
        if self.kind == "name":
            contents.rebind(self.owner, self.name, self.former, self.was_there)
        elif self.kind == "cells" and len(self.owner) == 1:
            self.owner[0].cell_contents = self.former
        elif self.kind == "attribute" and type(getattr(self.owner, "__dict__", None)) is dict:
            contents.rebind(vars(self.owner), self.name, self.former, self.was_there)
        elif self.kind == "attribute" and isinstance(self.owner, type) and self.was_there:
            type.__setattr__(self.owner, self.name, self.former)
        if self.copy is not self.former:
            contents.put_back(self.former, self.copy)

    def leaked(self) -> list[Any]:
        """The tracers that came to the place since it was found."""
        known = {id(each) for each in self.before}
        new = [each for each in tracers_in(self.content()) if id(each) not in known]
        # A place that is part of a program that JAX writes down may hold that program's values.
        is_older = self.is_older or self.is_kept
        return new if is_older else [each for each in new if not internals.is_staged(each)]


class Holders:
    """Finds the slots of targets at the moment at which they are reached.

    What is reachable from the call and from the user's modules is outside any trace; of a call
    within a trace, only what is reachable from modules is. `unknown` are the targets that wrote to
    which cannot be told without running user code. `contents` are the states of the places
    that are older than what JAX writes down, of an `earlier` trace's places from the beginning.

    A trace may put an object that it makes where a module leads to it, and may take it away again.
    So what is reachable is collected when the trace begins. An object that was not reachable then,
    and that no function outside the trace has, is looked for when the trace is over.
    """

    def __init__(self, subject: Subject, earlier: Holders | None = None) -> None:
        self.contents: contents.Contents = contents.Contents(
            earlier.contents if earlier is not None else None
        )
        self._targets = {target.id: target for target in subject.targets}
        self._files = subject.files
        self._subject = subject
        self.slots: dict[int, list[Slot]] = {}
        self.unknown: set[int] = set()

    def begin(self) -> None:
        """A trace is about to begin. Most calls have no target that writes."""
        writing = (self._subject.syntax(each).written(each) for each in self._targets.values())
        if any(each is not None for each in writing):
            self._known = self._reachable()

    def close(self) -> None:
        """The trace is over. A place of which the age is not known is older if it is left."""
        self.contents.close()
        inside = [s for slots in self.slots.values() for s in slots if not s.is_outside]
        left = self._reachable() if inside else {}
        for slot in inside:
            if slot.is_left(left):
                slot.is_outside = slot.is_kept = True
                slot.is_older, slot.is_unsure = slot.is_older or slot.is_unsure, False
        for target, slots in self.slots.items():
            if any(slot.is_unsure for slot in slots):
                self.unknown.add(target)
                self.slots[target] = [slot for slot in slots if not slot.is_unsure]

    @functools.cached_property
    def _known(self) -> dict[int, Any]:
        """What was reachable when the trace began, or else when the first target wrote."""
        return self._reachable()

    def _reachable(self) -> dict[int, Any]:
        start = roots(self._subject)
        return {id(each): each for _, each in walk(start, self._files)}

    def on_reach(self, target: int, frame: types.FrameType | None) -> None:
        """For `Watch`."""
        known = self._targets.get(target)
        if known is None or frame is None or len(self.slots.get(target, ())) > 20:
            return
        written = self._subject.syntax(known).written(known)
        if written is None:
            return
        slot = self._slot(written, frame)
        is_iterated = self._subject.syntax(known).is_iterated(known)
        if slot is None or (is_iterated and not hasattr(type(slot.owner), "__next__")):
            # A loop does not change what only makes iterators.
            self.unknown.add(target)
        else:
            slot.remember()
            if slot.is_older or slot.is_unsure:
                self.contents.note(slot)
            self.slots.setdefault(target, []).append(slot)

    def _slot(self, written: ast.expr, frame: types.FrameType) -> Slot | None:
        text = ast.unparse(written)
        if isinstance(written, ast.Name) and isinstance(written.ctx, (ast.Store, ast.Del)):
            return self._variable(written.id, frame)
        is_attribute = isinstance(written, ast.Attribute) and isinstance(
            written.ctx, (ast.Store, ast.Del)
        )
        base = written.value if is_attribute else written  # type: ignore[attr-defined]
        value, root = _resolve(base, _namespaces(frame))
        is_part = value is _missing
        if is_part:
            # A part of what was there before was so too, as far as can be told.
            if root is _missing or _is_born_outside((root,), frame, is_of_transform) is False:
                return None
            value = root
        outside: bool | None = True
        older: bool | None = True
        if id(value) not in self._known:
            if self._is_given((value, root), frame):
                return None
            outside = _is_born_outside((value, root), frame, is_of_transform)
            older = _is_born_outside((value, root), frame, internals.begins_staging)
        ages = (bool(outside), bool(older), older is None)
        namespaces = _namespaces(frame)[1:]
        again = functools.partial(_again, base, namespaces, is_part)
        if is_attribute and not is_part:
            return Slot("attribute", value, written.attr, text, *ages, again=again)  # type: ignore[attr-defined]
        return Slot("container", value, "", text, *ages, again=again)

    def _is_given(self, objects: tuple[Any, ...], frame: types.FrameType) -> bool:
        """Whether a call within a trace was given an object, which may be of that very trace."""
        function = plain(self._subject.call.fn)
        if self._subject.is_outermost or function is None:
            return False
        wanted = {id(each) for each in objects if each is not _missing}
        for step in _stack(frame):
            if step.f_code is function.__code__:
                given = [(name, step.f_locals.get(name)) for name in _parameters(step.f_code)]
                if any(id(each) in wanted for _, each in bounded(walk(given, UserFiles(())))):
                    return True
        return False

    def _variable(self, name: str, frame: types.FrameType) -> Slot | None:
        code = frame.f_code
        if name in code.co_freevars:
            return self._nonlocal(name, frame)
        if name in code.co_varnames or name in code.co_cellvars:
            return Slot("name", {}, name, name, is_outside=False, is_older=False)
        return Slot("name", frame.f_globals, name, name, is_outside=True, is_older=True)

    def _nonlocal(self, name: str, frame: types.FrameType) -> Slot | None:
        """The variable is inside if the function that owns it runs in the same trace."""
        crossed = staged = False
        for outer in itertools.islice(_stack(frame), 1, None):
            crossed = crossed or is_of_transform(outer)
            staged = staged or internals.begins_staging(outer)
            if name in outer.f_code.co_cellvars and outer.f_code.co_filename in self._files:
                near = contents.cells([*outer.f_locals.values()], frame, name)
                cells = near or contents.cells(gc.get_referrers(frame.f_code), frame, name)
                return Slot("cells", cells[-1:], name, name, is_outside=crossed, is_older=staged)
        known = contents.cells([*self._known.values()], frame, name)
        found = contents.cells(gc.get_referrers(frame.f_code), frame, name)
        new = {id(each): each for each in found if all(each is not cell for cell in known)}
        made = [*new.values()]
        if made and (known or len(made) > 1):
            return None
        outside = not made
        return Slot("cells", known or made, name, name, outside, outside, is_unsure=bool(made))


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    """The names of all parameters of a function."""
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def resolve(node: ast.AST, frame: types.FrameType) -> Any:
    """The value of a chain of names, attributes and constant items; None if that is not known."""
    value, _ = _resolve(node, _namespaces(frame))
    return None if value is _missing else value


def _namespaces(frame: types.FrameType) -> _Namespaces:
    return frame.f_locals, frame.f_globals, vars(builtins)


def _again(base: ast.AST, namespaces: _Namespaces, is_part: bool) -> Any:
    """What an expression yields now, or the value of its first name."""
    value, root = _resolve(base, namespaces)
    return root if is_part else value


def _resolve(node: ast.AST, namespaces: _Namespaces) -> tuple[Any, Any]:
    """The value of a chain of names, attributes and constant items, and that of its first name."""
    if isinstance(node, ast.Name):
        for namespace in namespaces:
            if node.id in namespace:
                return namespace[node.id], namespace[node.id]
        return _missing, _missing
    if isinstance(node, ast.Attribute):
        value, root = _resolve(node.value, namespaces)
        if value is _missing:
            return _missing, root
        try:
            return getattr(value, node.attr), root
        except Exception:  # The user's own attribute access may raise anything.
            return _missing, root
    if isinstance(node, ast.Subscript):
        value, root = _resolve(node.value, namespaces)
        return _item_of(value, _resolve(node.slice, namespaces)[0]), root
    if isinstance(node, ast.Constant):
        return node.value, _missing
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value, _ = _resolve(node.operand, namespaces)
        return (-value if type(value) is int else _missing), _missing
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        value, root = _resolve(node.func.value, namespaces)
        if node.func.attr in ("get", "setdefault") and isinstance(value, dict):
            return _item_of(value, _resolve(node.args[0], namespaces)[0]), root
    return _missing, _missing


def _item_of(held: Any, key: Any) -> Any:
    """An item of a container of Python's own. One that is yet to be made is as old as that is."""
    if type(key) not in (int, str, bool, bytes, type(None), tuple):
        return _missing
    try:
        if isinstance(held, dict) and type(held).__getitem__ is dict.__getitem__:
            return dict.get(held, key, held)
        return held[key] if type(held) in (list, tuple) else _missing
    except (LookupError, TypeError):
        return _missing


def _is_born_outside(
    objects: tuple[Any, ...], frame: types.FrameType, begins: Callable[[types.FrameType], bool]
) -> bool | None:
    """Whether functions outside the innermost trace, told by how it `begins`, have an object.

    None if no function has it.
    """
    wanted = {id(each) for each in objects if each is not _missing}
    crossed, outermost = False, None
    for step in _stack(frame):
        crossed = crossed or begins(step)
        free = step.f_code.co_freevars
        if step.f_code.co_name != "<module>" and not is_of_transform(step):
            held = (value for name, value in step.f_locals.items() if name not in free)
            if any(id(value) in wanted for value in held):
                outermost = crossed
    return outermost


def _stack(frame: types.FrameType | None) -> Iterator[types.FrameType]:
    """A frame and those that wait for it, but for the verifier's own.

    Those of a recorder's stand-ins are between the user's function and what traces it.
    """
    while frame is not None:
        if not is_of_verifier(frame.f_globals.get("__name__")):
            yield frame
        frame = frame.f_back


def is_of_transform(frame: types.FrameType) -> bool:
    """Whether a frame is JAX's and not one that walks a tree for the user's function."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] == "jax" and "tree" not in name


def writes_inside(holders: Holders, target: Target) -> bool:
    """Whether all that the target was seen to write to is as new as the program around it."""
    slots = holders.slots.get(target.id, ())
    return bool(slots) and not any(slot.is_older for slot in slots)


def is_unknown(holders: Holders, target: Target) -> bool:
    """Whether the target wrote to places that cannot be told, and to none from before the trace."""
    slots = holders.slots.get(target.id, ())
    return target.id in holders.unknown and not any(slot.is_older for slot in slots)

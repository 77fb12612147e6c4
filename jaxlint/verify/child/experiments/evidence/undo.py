"""Takes tracers that an experiment leaked out of the user's modules again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from jaxlint.verify.child.experiments.evidence.holders import Holders, Slot
from jaxlint.verify.child.experiments.evidence.reachable import tracers_in, user_modules
from jaxlint.verify.child.observing.places import UserFiles


@contextlib.contextmanager
def globals_kept(files: UserFiles) -> Iterator[None]:
    """Gives each global of the user's modules its value back that holds new tracers afterwards."""
    modules = [vars(module) for _, module in user_modules(files)]
    before = [dict(namespace) for namespace in modules]
    try:
        yield
    finally:
        for namespace, old in zip(modules, before, strict=True):
            for name, value in list(namespace.items()):
                if old.get(name) is not value and tracers_in(value):
                    _restore(namespace, name, old)


def _restore(namespace: dict[str, Any], name: str, old: dict[str, Any]) -> None:
    if name in old:
        namespace[name] = old[name]
    else:
        del namespace[name]


@contextlib.contextmanager
def emptied(holders: Holders) -> Iterator[Holders]:
    """Takes leaked tracers out of the lists, sets and dicts and off the objects they are on.

    Tells `holders` that a trace begins.
    """
    holders.begin()
    try:
        yield holders
    finally:
        for slots in holders.slots.values():
            for slot in slots:
                if slot.is_outside and slot.leaked():
                    _empty(slot)


def _empty(slot: Slot) -> None:
    new = {id(each) for each in slot.leaked()}

    def is_new(value: Any) -> bool:
        return any(id(each) in new for each in tracers_in(value))

    if slot.kind == "attribute":
        with contextlib.suppress(AttributeError, TypeError):
            setattr(slot.owner, slot.name, slot.former)
    elif isinstance(slot.owner, list):
        slot.owner[:] = [value for value in slot.owner if not is_new(value)]
    elif isinstance(slot.owner, dict) and slot.kind == "container":
        for key in [key for key, value in slot.owner.items() if is_new(value)]:
            del slot.owner[key]
    elif isinstance(slot.owner, set):
        slot.owner.difference_update([value for value in slot.owner if is_new(value)])

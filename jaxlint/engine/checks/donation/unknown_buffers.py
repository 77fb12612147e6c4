"""Values of host code of which nothing is known but that their buffers were given away.

A parameter of a host function may be an array, or a pytree of arrays. The engine has one object for
it and for all that is read from it, so parts need no marks of their own: `state.params` is as
unknown as `state`, and the same object. What tells two unknown values apart that came from one,
such as the elements of a container, is not known; so only names are followed.
"""

from __future__ import annotations

from collections.abc import Iterator as Iterates

from jaxlint.dataflow.memo import answered_once_of
from jaxlint.dataflow.names import chain_text, dotted_text
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.special_values import GivenAway
from jaxlint.engine.domain.traversal import parts
from jaxlint.engine.domain.values import Mapping, Sequence, Unknown, Value
from jaxlint.engine.inference.aliasing import arrays
from jaxlint.engine.inference.definitions import bindings
from jaxlint.knowledge import lookup
from jaxlint.knowledge.arrays.buffers import UNREAD, WITHOUT_BUFFERS
from jaxlint.syntax import ir

# Methods of containers, some of which arrays have as well.
_OF_CONTAINERS = frozenset({*dir(dict), *dir(list), *dir(tuple), *dir(set)})


def buffers(value: Value) -> Iterates[Value]:
    """The arrays in a pytree, and what may be some."""
    if isinstance(value, Unknown):
        yield value
        return
    yield from arrays(value)
    if isinstance(value, (Sequence, Mapping)):
        yield from (one for one in parts(value) if isinstance(one, Unknown))


def reads_whole(node: ir.Expr) -> bool:
    """Whether a call is one of a method that arrays alone have, and that needs their elements."""
    func = node.func if isinstance(node, ir.Call) else None
    if not isinstance(func, ir.Attribute) or func.attr in UNREAD or func.attr in _OF_CONTAINERS:
        return False
    return lookup.method(func.attr) is not None


def is_unread(node: ir.Node) -> bool:
    """Whether an operation leaves the elements of an array alone."""
    if isinstance(node, ir.Attribute):
        return True
    if not isinstance(node, ir.Call):
        return False
    func = node.func
    name = func.attr if isinstance(func, ir.Attribute) else dotted_text(func).rpartition(".")[2]
    return name in UNREAD


def told_apart(frame: Frame, node: ir.Expr, value: Unknown) -> Value | None:
    """An object of its own for what an expression stands for, which from here on is held by the
    names that stand for it or for a part of it; None where there are none."""
    home = frame.home()
    text = chain_text(node)
    root = text.partition(".")[0]
    if not text or (text != root and home.env.get(root) is value):
        return None
    held = GivenAway(value)
    found = [name for name in _names(home, text) if home.env.get(name) is value]
    for name in found:
        home.env[name] = held
    return held if found else None


def _names(home: Frame, text: str) -> list[str]:
    named = _named_parts(home.func.body) if home.func is not None else {}
    return [text, *(name for name, of in named.items() if f"{of}.".startswith(f"{text}."))]


@answered_once_of
def _named_parts(body: tuple[ir.Stmt, ...]) -> dict[str, str]:
    """The names of a body that are bound once, to another name or to an attribute or an item of
    one, with the text of what they are bound to, up to an index."""
    found: dict[str, str] = {}
    for name, values in bindings(body).items():
        value = values[0] if len(values) == 1 else None
        while isinstance(value, ir.Subscript):
            value = value.value
        text = "" if value is None else chain_text(value)
        if text and WITHOUT_BUFFERS.isdisjoint(text.split(".")[1:]):
            found[name] = text
    return found

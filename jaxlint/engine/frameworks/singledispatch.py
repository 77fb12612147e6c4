"""`functools.singledispatch`: the class of the first argument tells which function runs.

Source: the documentation of the standard library, `functools.singledispatch`.
"""

from __future__ import annotations

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import FrameworkObject, Hooks
from jaxlint.engine.domain.possibilities import among
from jaxlint.engine.domain.values import (
    Class,
    Function,
    LibraryName,
    Method,
    Partial,
    Sequence,
    Union,
    Unknown,
    Value,
    options,
)
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models.stdlib.single_dispatch import DISPATCHER, REGISTER, add
from jaxlint.engine.relations.type_tests import type_answer
from jaxlint.syntax import ir


def _attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, attr: str
) -> Value | None:
    return Method(owner, attr, node) if attr == "register" else None


def _method(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, name: str, args: Args
) -> Value | None:
    """`dispatcher.register(cls)`, `register(cls, func)`, or `register(func)` with an annotation."""
    first, func = args.get(0, "cls"), args.get(1, "func")
    if first is None:
        return None
    if isinstance(first, Function) and func is None:
        func, first = first, _annotated(machine, first)
    if func is None:
        return Partial(LibraryName(REGISTER), (owner, first), {}, frame.loop)
    return add(machine, owner, first, func)


def _annotated(machine: Machine, func: Function) -> Value:
    """The class that a function names for its first parameter."""
    annotation = func.node.params[0].annotation if func.node.params else None
    if annotation is None:
        return machine.unknown("class that is dispatched on")
    with machine.quiet():
        return machine.eval(func.frame, annotation)


def _invoke(
    machine: Machine, frame: Frame, node: ir.Expr, owner: FrameworkObject, args: Args
) -> Value | None:
    first, default = args.get(0, ""), owner.given(0, "")
    if first is None or default is None:
        return None
    certain: tuple[Value, Value] | None = None
    found: list[Value] = []
    cases = _cases(owner)
    for cls, func in cases:
        answer = _answer(first, cls)
        if answer is None:
            found.append(func)
        elif answer and (certain is None or _is_closer(cls, certain[0])):
            certain = cls, func
    found.append(default if certain is None else certain[1])
    is_unlikely = found == [default] and _gives_up(default) and bool(cases)
    if is_unlikely:
        # Another function was meant: the class of the argument is not what it seems.
        found = [func for _, func in cases]
    if len(found) == 1 and not is_unlikely:
        return machine.call(frame, node, found[0], args)
    if isinstance(first, Unknown) or is_unlikely:
        unknown = Unknown("function that a class tells")
        return machine.call(frame, node, among(unknown, found), args)
    return machine.call(frame, node, Union(tuple(found)), args)


def _gives_up(func: Value) -> bool:
    """Whether a function only says that nothing is done for such an argument."""
    body = func.node.body if isinstance(func, Function) else ()
    last = body[-1] if body else None
    if isinstance(last, ir.Return):
        return isinstance(last.value, ir.Name) and last.value.id == "NotImplemented"
    return isinstance(last, ir.Raise)


def _cases(owner: FrameworkObject) -> list[tuple[Value, Value]]:
    """The classes that something is registered for, each in front of its function."""
    known = owner.given(1, "")
    items = known.items if isinstance(known, Sequence) else None
    pairs = [one.items for one in items or () if isinstance(one, Sequence) and one.items]
    return [(cls, func) for cls, func in pairs]


def _answer(first: Value, cls: Value) -> bool | None:
    """Whether the first argument is of a class, None where that is not known."""
    answers = {type_answer(one, cls) for one in options(first)}
    return answers.pop() if len(answers) == 1 else None


def _is_closer(cls: Value, other: Value) -> bool:
    """Whether a class stands before another one in the order of classes of the argument."""
    return not (isinstance(cls, Class) and isinstance(other, Class) and other.derives(cls))


HOOKS = Hooks(DISPATCHER, attribute=_attribute, method=_method, invoke=_invoke)

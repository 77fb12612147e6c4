"""Arguments of mapped functions whose names tell that they are mapped, or not, by mistake.

Nothing is known of them but how the module speaks of them: what it passes whole to a function by
the same name, as `params`, is no stack of such things where examples are mapped beside it; and what
goes by the plural of what the function takes one of, is several.
"""

from __future__ import annotations

from collections.abc import Mapping

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.call_places import (
    Place,
    mapped_by,
    passed_directly,
    passed_mapped,
    passed_whole,
    places,
)
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import (
    Traced,
    Transformed,
    Unknown,
    Value,
)
from jaxlint.engine.inference.parameters import signature
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.refusals import refuse
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.engine.transforms.passed_arguments import mapped_axis
from jaxlint.syntax import ir

# Names of what all examples share, by their last words.
_SHARED = frozenset({"parameters", "params", "theta", "variables", "weights"})
# Shorter names say little.
_LEAST = 3


@slotted(frozen=True)
class _Passed:
    """One argument: its name, whether it is mapped, and the names that the module has for what is
    passed there: to a single call, to all calls, and mapped more than once."""

    name: str
    is_mapped: bool
    single: frozenset[str]
    whole: frozenset[str]
    mapped: frozenset[str]


def check_names(
    machine: Machine, frame: Frame, node: ir.Expr, record: TransformUse, args: Args
) -> None:
    """Reports an argument that the module says to be one, and that is mapped, or to be several, and
    that is not."""
    inner, module = mapped_by(node), frame.root.module
    if inner is None or inner is not record.node or module is None:
        return
    if args.rest is not None or args.keywords:
        return
    names = [
        one.id if isinstance(one, ir.Name) and len(one.id) >= _LEAST else "" for one in args.nodes
    ]
    axes = [mapped_axis(record, at) for at in range(len(names))]
    asked = [
        name != "" and (not is_mapped or (_is_shared(name) and _is_given(value, name)))
        for name, is_mapped, value in zip(names, axes, args.positional, strict=True)
    ]
    if not any(asked) or None in axes:
        return
    func = inner.args[0].value
    params = [] if isinstance(record.func, Transformed) else signature(record.func)
    passed = [
        _Passed(
            name,
            bool(is_mapped),
            _named(passed_directly(module), places(func, at))
            | {one.name for one in params[at : at + 1] if not isinstance(func, ir.Lambda)},
            _named(passed_whole(module), places(func, at)),
            _named(passed_mapped(module), places(func, at)),
        )
        for at, (name, is_mapped) in enumerate(zip(names, axes, strict=True))
    ]
    for at, one in enumerate(passed):
        others = passed[:at] + passed[at + 1 :]
        kind = _mistaken(one, others) if asked[at] else ""
        if kind:
            refuse(machine, frame, args.nodes[at], kind, one.name, unsure=True)
            return


def _mistaken(one: _Passed, others: list[_Passed]) -> str:
    """How an argument is taken for something else than its name says, empty where it is not."""
    if one.is_mapped:
        is_whole = one.name in one.single | one.whole and one.name not in one.mapped
        beside = any(it.is_mapped and it.name not in it.single | it.whole for it in others)
        return "axes-shared" if is_whole and beside else ""
    is_several = _is_plural(one) and one.name not in one.single
    beside = any(it.is_mapped and (_is_plural(it) or it.name in it.mapped) for it in others)
    return "axes-several" if is_several and beside else ""


def _is_given(value: Value, name: str) -> bool:
    """Whether the function around is given a value, of which nothing is known."""
    if isinstance(value, Traced):
        return not value.leaf and value.trail.parent is None and value.trail.name == name
    return isinstance(value, Unknown) and value.reason == "host parameter"


def _named(known: Mapping[Place, frozenset[str]], where: list[Place]) -> frozenset[str]:
    return frozenset[str]().union(*(known.get(one, ()) for one in where))


def _is_shared(name: str) -> bool:
    return name.rpartition("_")[2] in _SHARED


def _is_plural(one: _Passed) -> bool:
    """Whether what is passed goes by the plural of what the function takes there."""
    last = one.name.rpartition("_")[2]
    words = (it.rpartition("_")[2] for it in one.single)
    return any(len(it) >= _LEAST and last in _plurals(it) for it in words)


def _plurals(word: str) -> tuple[str, ...]:
    return f"{word}s", f"{word}es", f"{word.removesuffix('y')}ies"

"""By which names a module passes things to functions, one at a time or mapped, read off its
source: `loss(params, x)`, `jax.vmap(loss, in_axes=(None, 0))(params, xs)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import dotted_text, walk
from jaxlint.syntax import ir

Place = tuple[str, str]
"""A function as it is written, and which of its arguments: "0", "name" or, in a dict, "0.key"."""
_MAP = "vmap"


@answered_once
def passed_directly(module: ir.Module) -> Mapping[Place, frozenset[str]]:
    """The names of what calls pass to functions. What lambdas do is no part of it: their parameters
    are elements of something else."""
    return _uses(module)[0]


@answered_once
def passed_whole(module: ir.Module) -> Mapping[Place, frozenset[str]]:
    """The names of what `vmap` gives to all calls of a function, with `None` in `in_axes`."""
    return _uses(module)[1]


@answered_once
def passed_mapped(module: ir.Module) -> Mapping[Place, frozenset[str]]:
    """The names of what `vmap` maps the arguments of functions along an axis of, more than once."""
    return _uses(module)[2]


@answered_once
def _uses(module: ir.Module) -> tuple[Mapping[Place, frozenset[str]], ...]:
    direct, whole, mapped = (dict[Place, list[str]]() for _ in range(3))
    for call in walk(module.body, (ir.Lambda,)):
        if not isinstance(call, ir.Call) or any(one.star for one in call.args):
            continue
        inner = mapped_by(call)
        if inner is None:
            for place, node in _parts(call):
                _add(direct, place, node)
            continue
        axes = _axes(inner)
        for at, one in enumerate(call.args):
            is_whole = axes is not None and at < len(axes) and _is_none(axes[at])
            if not one.keyword:
                found = whole if is_whole else mapped
                _add(found, (dotted_text(inner.args[0].value), str(at)), one.value)
    again = {key: [one for one in names if names.count(one) > 1] for key, names in mapped.items()}
    return tuple(
        {key: frozenset(names) for key, names in one.items()} for one in (direct, whole, again)
    )


def mapped_by(call: ir.Expr) -> ir.Call | None:
    """The call of `vmap` whose result a call calls: `jax.vmap(f)(x)`."""
    inner = call.func if isinstance(call, ir.Call) else None
    if not isinstance(inner, ir.Call) or not inner.args or isinstance(inner.func, ir.Call):
        return None
    return inner if dotted_text(inner.func).rpartition(".")[2] == _MAP else None


def places(func: ir.Expr, at: int) -> list[Place]:
    """Where a function that `vmap` is given gets its argument at this position: for a lambda,
    where its body passes it on."""
    if not isinstance(func, ir.Lambda):
        text = dotted_text(func) if isinstance(func, (ir.Attribute, ir.Name)) else ""
        return [(text, str(at))] if text else []
    params = func.function.params
    name = params[at].name if at < len(params) else ""
    calls = [one for one in walk(func.function.body) if isinstance(one, ir.Call)]
    return [place for call in calls for place, node in _parts(call) if _name(node) == name != ""]


def _add(found: dict[Place, list[str]], place: Place, node: ir.Expr) -> None:
    if place[0] and _name(node):
        found.setdefault(place, []).append(_name(node))


def _name(node: ir.Expr) -> str:
    """The name of what is passed, of which a part may be taken."""
    while isinstance(node, ir.Subscript):
        node = node.value
    return dotted_text(node).rpartition(".")[2] if isinstance(node, (ir.Attribute, ir.Name)) else ""


def _parts(call: ir.Call) -> Iterator[tuple[Place, ir.Expr]]:
    text = dotted_text(call.func) if isinstance(call.func, (ir.Attribute, ir.Name)) else ""
    for at, one in enumerate(call.args):
        where = one.keyword or str(at)
        yield (text, where), one.value
        for key, value in one.value.items if isinstance(one.value, ir.Dict) else ():
            if isinstance(key, ir.Const):
                yield (text, f"{where}.{key.value}"), value


def _axes(call: ir.Call) -> tuple[ir.Expr, ...] | None:
    """The entries of `in_axes` of a call of `vmap`, None where there is no such tuple."""
    given = [one.value for one in call.args if one.keyword == "in_axes"]
    given += [one.value for one in call.args[1:2] if not one.keyword]
    axes = given[0] if given else None
    return axes.items if isinstance(axes, ir.Sequence) else None


def _is_none(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is None

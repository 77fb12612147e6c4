"""The arguments of a call, and how Python binds them to parameters."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import field

from jaxlint.base.dataclass import replace, slotted
from jaxlint.engine.domain.kinds.value import present, refilled
from jaxlint.engine.domain.traces import Trace
from jaxlint.engine.domain.values import (
    NONE,
    Function,
    Mapping,
    Sequence,
    Traced,
    Union,
    Unknown,
    Value,
    join,
    join_all,
)
from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.syntax import ir


@slotted()
class Args:
    """The arguments of a call: `rest` stands for unknown further positional ones (`*xs`),
    `more` for unknown keywords (`**options`)."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    rest: Value | None = None
    more: Value | None = None
    nodes: list[ir.Expr] = field(default_factory=list)
    keyword_nodes: dict[str, ir.Expr] = field(default_factory=dict)

    def get(self, index: int, name: str) -> Value | None:
        """The argument at a position or with a name, None where it is not passed."""
        if name and name in self.keywords:
            return self.keywords[name]
        if 0 <= index < len(self.positional):
            return self.positional[index]
        return None

    def node(self, index: int, name: str, otherwise: ir.Expr) -> ir.Expr:
        """The expression of that argument."""
        if name and name in self.keyword_nodes:
            return self.keyword_nodes[name]
        if 0 <= index < len(self.nodes):
            return self.nodes[index]
        return otherwise

    def values(self) -> list[Value]:
        """Everything that is passed."""
        return [*self.positional, *self.keywords.values(), *present((self.rest, self.more))]

    def behind(self, count: int) -> Args:
        """The arguments without the first ones by position."""
        return Args(
            self.positional[count:],
            self.keywords,
            self.rest,
            self.more,
            self.nodes[count:],
            self.keyword_nodes,
        )

    def refilled(self, values: list[Value]) -> Args:
        """The same call with other values, in the order of `values`."""
        inside = iter(values)
        positional = [next(inside) for _ in self.positional]
        keywords = {name: next(inside) for name in self.keywords}
        rest, more = refilled((self.rest, self.more), inside)
        return Args(positional, keywords, rest, more, self.nodes, self.keyword_nodes)

    def pairs(self) -> list[tuple[Value, ir.Expr]]:
        """Positional and keyword arguments with their expressions."""
        found = list(zip(self.positional, self.nodes, strict=False))
        nodes = self.keyword_nodes
        found.extend((v, nodes[k]) for k, v in self.keywords.items() if k in nodes)
        return found


def fits(func: ir.FunctionDef, args: Args) -> bool:
    """Whether Python may bind arguments to parameters: it raises TypeError where there are more
    than the function takes, one that it does not know, or one that is given twice."""
    kinds = {param.kind for param in func.params}
    places = [one.name for one in func.params if one.kind in ("plain", "positional")]
    if len(args.positional) > len(places) and "vararg" not in kinds:
        return False
    named = {one.name for one in func.params if one.kind in ("plain", "keyword")}
    given = places[: len(args.positional)]
    if any(name in named and name in args.keywords for name in given):
        return False
    return "kwarg" in kinds or named.issuperset(args.keywords)


def takes(func: Function, args: Args) -> bool:
    """Whether a call may pass these arguments to a function: all that it needs, and no others."""
    if args.rest is not None:
        return True
    if not fits(func.node, args):
        return False
    params = [one for one in func.node.params if one.kind in ("plain", "positional", "keyword")]
    places = [one.name for one in params if one.kind != "keyword"]
    given = {*places[: len(args.positional)], *args.keywords, *func.defaults}
    return args.more is not None or all(one.name in given for one in params)


def takes_count(func: Function, count: int) -> bool:
    """Whether a function can be called with so many arguments by position and no others."""
    return takes(func, Args([NONE] * count))


def bind_parameters(
    unknown: Callable[[str], Unknown], func: Function, args: Args, trace: Trace
) -> dict[str, Value]:
    """The environment in which a body starts, by Python's rules for binding arguments."""
    env: dict[str, Value] = {}
    at = 0
    used: set[str] = set()
    for param in func.node.params:
        name = param.name
        if param.kind == "vararg":
            items = args.positional[at:]
            at = len(args.positional)
            if args.rest is None:
                env[name] = Sequence("tuple", items, trace)
            else:
                made = Sequence("tuple", None, trace, join_all([*items, args.rest]))
                made.head = (items, args.rest) if items else None
                env[name] = made
        elif param.kind == "kwarg":
            extra = {k: v for k, v in args.keywords.items() if k not in used}
            env[name] = Mapping(extra, trace, args.more, open=args.more is not None)
        elif param.kind != "keyword" and at < len(args.positional):
            env[name] = args.positional[at]
            at += 1
        elif name in args.keywords and param.kind != "positional":
            env[name] = args.keywords[name]
            used.add(name)
        else:
            env[name] = _missing(unknown, func, param, args)
    return env


def _missing(
    unknown: Callable[[str], Unknown], func: Function, param: ir.Param, args: Args
) -> Value:
    default = func.defaults.get(param.name)
    given = [
        v for v in (args.rest if param.kind != "keyword" else None, args.more) if v is not None
    ]
    if not given:
        return default if default is not None else unknown("argument not passed")
    value = join_all(given)
    return value if default is None else join(_perhaps(value, param), default)


def _perhaps(value: Value, param: ir.Param) -> Value:
    """What may be among unknown arguments, for a parameter that has a default."""
    if isinstance(value, Union):
        return join_all([_perhaps(one, param) for one in value.options])
    if not isinstance(value, Traced):
        return value
    made = copy(value)
    made.trail = replace(
        value.trail, node=param, parent=value.trail, name=param.name, optional=True
    )
    return made


def by_name(spec: FunctionSpec, args: Args) -> dict[str, tuple[Value, ir.Expr]]:
    """Arguments by parameter name, with their expressions; those of `*rest` are numbered."""
    bound: dict[str, tuple[Value, ir.Expr]] = {}
    count = len(spec.params) if spec.positional < 0 else spec.positional
    if spec.rest in spec.params:
        count = spec.params.index(spec.rest)
    for at, (value, place) in enumerate(zip(args.positional, args.nodes, strict=False)):
        if at < min(count, len(spec.params)):
            bound[spec.params[at]] = (value, place)
        elif spec.rest:
            bound[f"{spec.rest}*{at}"] = (value, place)
    for name, value in args.keywords.items():
        if name in args.keyword_nodes:
            bound[name] = (value, args.keyword_nodes[name])
    return bound

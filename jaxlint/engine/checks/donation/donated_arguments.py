"""Which arguments of a call go to parameters whose buffers are given away."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.names import walk
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.values import Value
from jaxlint.engine.inference.signatures import Params, named_by, shown
from jaxlint.engine.summaries.transformed import TransformUse, plain_function
from jaxlint.syntax import ir


@slotted(frozen=True)
class Argument:
    """One argument of a call: the parameter that it goes to, as far as that is known, and whether
    its buffers go with it."""

    value: Value
    node: ir.Expr
    given: bool
    name: str = ""


def arguments(record: TransformUse, args: Args) -> list[Argument]:
    """The arguments that the function reads."""
    params = shown(record.func)
    numbers, names = _donated(record, params)
    found = []
    for at, (value, node) in enumerate(zip(args.positional, args.nodes, strict=False)):
        name = params[at].name if params and at < len(params) else ""
        if not _is_ignored(record, name):
            given = at in numbers or (record.gives is not None and at >= record.gives)
            found.append(Argument(value, node, given, name))
    for name, value in args.keywords.items():
        if name in args.keyword_nodes and not _is_ignored(record, name):
            given = name in names or record.gives is not None
            found.append(Argument(value, args.keyword_nodes[name], given, name))
    return found


def _donated(record: TransformUse, params: Params | None) -> tuple[frozenset[int], frozenset[str]]:
    """Numbers and names of the donated parameters, either found by the other."""
    numbers, names = record.donated, record.donated_names
    if numbers is None:
        return frozenset(), names or frozenset()
    if names is not None and not numbers and params is not None:
        found = (at for at, p in enumerate(params) if p.kind == "plain" and p.name in names)
        return frozenset(found), names
    if params is not None and names is None:
        names = named_by(params, numbers)
        numbers = frozenset(n + len(params) if n < 0 else n for n in numbers)
    return numbers, names or frozenset()


def is_donated(record: TransformUse, at: int, name: str) -> bool:
    """Whether the argument at a position, or of a name, is given away."""
    numbers, names = _donated(record, shown(record.func))
    return name in names if name else at in numbers


def _is_ignored(record: TransformUse, name: str) -> bool:
    """Whether the function has a parameter of this name and does nothing with it: JAX drops the
    argument."""
    func = plain_function(record.func)
    if func is None or not any(p.name == name for p in func.node.params):
        return False
    return not any(isinstance(n, ir.Name) and n.id == name for n in walk(func.node.body))

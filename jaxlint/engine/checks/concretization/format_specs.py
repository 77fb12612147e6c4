"""Formatting that needs the number itself: `f"{x:.2f}"`, `format(x, ".2f")`, `"%d" % x`."""

from __future__ import annotations

import re
import string

from jaxlint.engine.checks.concretization.demands import demand
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.values import Sequence, Static, Value
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.syntax import ir

_FIELD = re.compile(r"%(?:\(\w*\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(.)")
_NUMBERS = "diouxXceEfFgG"


def with_specification(
    machine: Machine, frame: Frame, node: ir.Expr, value: Value, spec: str, callee: str
) -> None:
    """A value is formatted by its own `__format__`, which tracers have for no specification."""
    if spec:
        demand(machine, frame, node, value, "format", callee, spec)


def specification(node: ir.Formatted) -> str:
    """What the source says of a field's specification; fields within it are left out."""
    if node.spec is None or node.conversion is not None:
        return ""
    return "".join(str(part.value) for part in node.spec.parts if isinstance(part, ir.Const))


def by_template(machine: Machine, frame: Frame, template: Static, args: Args) -> None:
    """`str.format` with a constant template: each field and the argument that it names."""
    if not isinstance(template.const, str) or args.rest is not None or args.more is not None:
        return
    try:
        fields = list(string.Formatter().parse(template.const))
    except ValueError:
        return
    number = 0
    for _, name, spec, conversion in fields:
        if name is None:
            continue
        index, number = (number, number + 1) if name == "" else (_number(name), number)
        value = args.get(index, name)
        node = args.nodes[index] if 0 <= index < len(args.nodes) else args.keyword_nodes.get(name)
        if value is not None and node is not None and not conversion:
            with_specification(machine, frame, node, value, spec or "", "str.format")


def by_percent(
    machine: Machine, frame: Frame, template: Static, right: Value, node: ir.Expr
) -> None:
    """`template % values` with a constant template: `%d` and `%f` ask for numbers."""
    if not isinstance(template.const, str) or "*" in template.const or "%(" in template.const:
        return
    wanted = [kind for kind in _FIELD.findall(template.const) if kind != "%"]
    values, nodes = [right], [node]
    if isinstance(right, Sequence) and right.kind == "tuple":
        values = right.items or []
        nodes = list(node.items) if isinstance(node, ir.Sequence) else [node] * len(values)
    if len(wanted) != len(values) or len(nodes) != len(values):
        return
    for kind, value, place in zip(wanted, values, nodes, strict=True):
        if kind in _NUMBERS:
            demand(machine, frame, place, value, "format", "%", f"%{kind}")


def _number(name: str) -> int:
    return int(name) if name.isdecimal() else -1


CHECK = Check(
    "format-specs",
    on_format=with_specification,
    on_percent_format=by_percent,
    on_template_format=by_template,
)

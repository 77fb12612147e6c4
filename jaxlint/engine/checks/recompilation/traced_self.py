"""Methods that are compiled with their `self`, although JAX cannot take objects of the class."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint import facts
from jaxlint.dataflow.names import walk
from jaxlint.engine.checks.captures.staleness import entry_of
from jaxlint.engine.checks.recompilation.call_sites import TAKES_ARRAYS, Site
from jaxlint.engine.checks.recompilation.non_arrays import is_no_pytree
from jaxlint.engine.domain.values import Class, Function, Instance, Transformed
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.summaries.transformed import TransformUse
from jaxlint.syntax import ir


def traced_self(machine: Machine, record: TransformUse) -> Iterator[facts.Refusal]:
    """A compiled function in the body of a class, whose first parameter is an object of it."""
    func = record.func
    if record.dotted not in TAKES_ARRAYS or not isinstance(func, Function) or func.owner is None:
        return
    if record.frame.kind != "class" or record.wrapped or record.expected:
        return
    first = func.node.params[0] if func.node.params else None
    if first is None or first.kind not in ("plain", "positional") or first.default is not None:
        return
    if _may_be_static(record, first.name, func):
        return
    cls = func.owner
    if not any(isinstance(v, Transformed) and v.record is record for v in cls.namespace.values()):
        return
    alone = first.name == "self" and not _given_else(record) and not _is_abstract(cls)
    if alone or _given_self(record, cls):
        heirs = [one for one in machine.classes() if one.derives(cls)]
        if all(is_no_pytree(machine, one) for one in heirs):
            made = facts.Refusal(machine.module, record.definition or record.node, func.node.name)
            made.entry = entry_of(record)
            made.kind, made.subject, made.detail = "self", first.name, cls.name
            made.callee = func.node.name
            yield made


def _may_be_static(record: TransformUse, name: str, func: Function) -> bool:
    if record.numbers is None or record.names is None:
        # Options that JAX refuses are not read: static ones may be among them.
        written = walk(record.definition.decorators if record.definition else ())
        static = (isinstance(n, ir.Argument) and "static" in (n.keyword or "") for n in written)
        return not record.refused or any(static)
    params = [p for p in func.node.params if p.kind in ("plain", "positional")]
    numbers = record.numbers or frozenset()
    return name in (record.names or ()) or 0 in numbers or -len(params) in numbers


def _is_abstract(cls: Class) -> bool:
    """Whether objects are meant to be of classes that derive from this one, elsewhere maybe."""
    return any(base.startswith(("abc.", "typing.Protocol")) for base in cls.externals())


def _first_values(record: TransformUse) -> list[object]:
    sites: list[Site] = record.sites
    return [site.given[0].value for site in sites if site.given and site.given[0].at == 0]


def _given_self(record: TransformUse, cls: Class) -> bool:
    """Whether a call is seen that passes an object of the class."""
    values = _first_values(record)
    return any(isinstance(one, Instance) and one.cls.derives(cls) for one in values)


def _given_else(record: TransformUse) -> bool:
    """Whether a call is seen that passes something else: `Model.apply(x)`."""
    return any(not isinstance(one, Instance) for one in _first_values(record))

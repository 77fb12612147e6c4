"""Fields that a class declares to be arrays and no children: transforms compare them, which raises
for arrays as soon as a second object meets the first.

Source: JAX documentation, "Pytrees", section "Custom pytree nodes"; Equinox warns where an array of
JAX is set as static (`equinox.Module`).
"""

from __future__ import annotations

from jaxlint.dataflow.names import is_none_literal
from jaxlint.engine.domain.values import Class, LibraryName
from jaxlint.engine.evaluation.peek import peek
from jaxlint.engine.inference.parameters import array_dtype
from jaxlint.engine.machine.events import Check
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.reporting.violations import misused
from jaxlint.syntax import ir

EQUINOX = "equinox.Module"
# What these annotate may be a Python number.
_NUMBERS_TOO = frozenset(
    {"chex.Numeric", "chex.Scalar", "jax.typing.ArrayLike", "jaxtyping.Scalar"}
)
# What stands around the type of a field.
_WRAPPED = frozenset({"jax_dataclasses.Static", "typing.Annotated", "typing.Optional"})
_NUMPY = "numpy.ndarray"


def finish(machine: Machine) -> None:
    """The file has run: its classes are registered by now."""
    for cls in machine.program.classes:
        if cls.home is not machine.globals or cls.node is None or cls.tree != "leaves":
            continue
        for name in sorted(cls.meta & cls.fields.keys()):
            place = declared_array(machine, cls, name)
            if place is not None and not cls.opaque:
                misused(machine, machine.globals, place, "pytree-metadata", cls.name, name)


def declared_array(machine: Machine, cls: Class, name: str) -> ir.Expr | None:
    """The annotation of a field of a class if it is that of an array. Equinox takes those of NumPy,
    as long as they stay the same."""
    annotation, _ = cls.fields.get(name, (None, None))
    if annotation is None or any(name in one.fields for one in cls.lineage[1:]):
        return None
    return annotation if _is_array(machine, cls, annotation) else None


def _is_array(machine: Machine, cls: Class, annotation: ir.Expr) -> bool:
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        sides = [one for one in (annotation.left, annotation.right) if not is_none_literal(one)]
        return all(_is_array(machine, cls, one) for one in sides)
    if isinstance(annotation, ir.Subscript):
        return _is_array_of(machine, cls, annotation)
    dotted = _dotted(machine, cls, annotation)
    if dotted == _NUMPY:
        return EQUINOX not in cls.externals()
    return dotted not in _NUMBERS_TOO and array_dtype(dotted) is not None


def _is_array_of(machine: Machine, cls: Class, annotation: ir.Subscript) -> bool:
    """`Float[Array, "n"]`, `Optional[Array]`, `Static[Array]`."""
    dotted, parts = _dotted(machine, cls, annotation.value), annotation.index
    items = parts.items if isinstance(parts, ir.Sequence) else (parts,)
    if dotted == _NUMPY:
        return _is_array(machine, cls, annotation.value)
    if dotted in _WRAPPED:
        return _is_array(machine, cls, items[0])
    if not dotted.startswith("jaxtyping.") or array_dtype(dotted) is None:
        return False
    shape = items[1] if len(items) > 1 else None
    scalar = isinstance(shape, ir.Const) and shape.value == ""
    return not scalar and _is_array(machine, cls, items[0])


def _dotted(machine: Machine, cls: Class, node: ir.Expr) -> str:
    found = None if cls.home is None else peek(machine, cls.home, node)
    return found.dotted if isinstance(found, LibraryName) else ""


CHECK = Check("pytree-declarations", on_finish=finish)

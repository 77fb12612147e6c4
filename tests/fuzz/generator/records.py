"""Statements about instances of the classes that a module defines."""

from __future__ import annotations

from generator.flow import assign
from generator.scope import Scope
from generator.writer import Writer


def replaced(w: Writer, scope: Scope, depth: int) -> None:
    """A structure with another value in a field, made in one of several ways."""
    held = [(text, kind) for text, kind in scope.values if kind in w.structures]
    if not held:
        assign(w, scope, depth)
        return
    text, kind = w.choice(held)
    structure = w.structures[kind]
    field, inner = w.choice(structure.fields)
    value = w.value(inner, scope, 1)
    name = w.fresh(scope, kind, f"{kind.lower()} next_{kind.lower()} new_{kind.lower()}")
    if structure.flavour == "tuple":
        others = ", ".join(f"{text}.{each}" for each, _ in structure.fields if each != field)
        made = w.choice(
            [
                f"{text}._replace({field}={value})",
                f"{kind}(**{{**{text}._asdict(), '{field}': {value}}})",
            ]
        )
        if w.chance(0.2) and field == structure.fields[-1][0]:
            made = f"{kind}({others}, {value})"
    else:
        made = f"dataclasses.replace({text}, {field}={value})"
    w.emit(f"{name} = {made}")
    w.bind(scope, name, kind)
    if structure.flavour in ("data", "plain") and w.chance(0.2):
        w.emit(f"{name}.{field} = {w.value(inner, scope, 1)}")


def taken_apart(w: Writer, scope: Scope, depth: int) -> None:
    """The fields of a structure as names, or a structure mapped leaf by leaf."""
    held = [
        (text, kind)
        for text, kind in scope.values
        if kind in w.structures and w.structures[kind].is_tree
    ]
    if not held:
        assign(w, scope, depth)
        return
    text, kind = w.choice(held)
    structure = w.structures[kind]
    if structure.flavour == "tuple" and w.chance(0.5):
        names = [w.fresh(scope, inner, f"{each} {each}_of") for each, inner in structure.fields]
        w.emit(f"{', '.join(names)} = {text}")
        for name, (_, inner) in zip(names, structure.fields, strict=True):
            w.bind(scope, name, inner)
        return
    name = w.fresh(scope, kind, f"scaled_{kind.lower()} half_{kind.lower()}")
    factor = w.value("f", scope, 0)
    w.emit(f"{name} = jax.tree.map(lambda leaf: leaf * {factor}, {text})")


STATEMENTS = ((2, replaced), (2, taken_apart))

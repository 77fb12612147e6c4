"""A fix edits the file of its finding, also where the transform stands in another file."""

from __future__ import annotations

from jaxlint.fixes.queries.transform_sites import application
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

SOURCE = "import jax\n\ncompiled = jax.jit(lambda x: x)\n"


def _jit(module: ir.Module) -> ir.Expr:
    statement = module.body[1]
    assert isinstance(statement, ir.Assign)
    return statement.value


def test_a_transform_of_another_file_is_no_application_here() -> None:
    here, there = parse(SOURCE, "here.py"), parse(SOURCE, "there.py")

    assert application(Code(here), _jit(here)) is not None
    assert application(Code(here), _jit(there)) is None

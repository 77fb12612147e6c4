"""The scope facts of functions are held against Python's own symbol tables."""

from __future__ import annotations

import symtable
import sys
import warnings

import pytest
from sources import NASTY, installed, module_of, nodes

from jaxlint.syntax import ir

Facts = dict[tuple[str, int], tuple[set[str], set[str], set[str]]]


def _ours(source: str) -> Facts:
    module = module_of(source)
    facts: Facts = {}
    for node in nodes(module):
        if isinstance(node, ir.FunctionDef) and not node.is_lambda:
            place = (node.name, module.locate(node).line)
            facts[place] = (set(node.bound), set(node.globals), set(node.nonlocals))
    return facts


def _pythons(source: str) -> Facts:
    facts: Facts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pending = [symtable.symtable(source, "file.py", "exec")]
    while pending:
        table = pending.pop()
        pending += table.get_children()
        inner = ("lambda", "listcomp", "setcomp", "dictcomp", "genexpr")
        if table.get_type() == "function" and table.get_name() not in inner:
            symbols = table.get_symbols()
            facts[table.get_name(), table.get_lineno()] = (
                {one.get_name() for one in symbols if one.is_local()},
                {one.get_name() for one in symbols if one.is_declared_global()},
                {one.get_name() for one in symbols if one.is_nonlocal()},
            )
    return facts


SCOPES = """
def plain(a, /, b=(q := 1), *c, d: int, **e): f = g[0] = h.i = 1; j += 1; (k, [*l]), m = n
def flow():
    for a, b in c: pass
    with d as (e, f): pass
    try: pass
    except g as h: pass
    import i.j, k as l; from m import n as o, p
    del q
    (r) = 1
    s: int
def walrus():
    [a for b in c if (d := b)]
    lambda e: (f := e)
    print((g := 1))
    {(h := i): j for i in k}
def nested():
    def a(b): c = 1
    class d: e = 1
    async def f(): yield
def declared():
    a = b = c = 1
    def inner():
        global g; nonlocal a, b
        a = 2; b += 1; g = 3; d = 4
def patterns(x):
    match x:
        case [a, *b, {"k": c, **d}]: pass
        case C(e, k=f) | D(e, f) if (g := e): pass
        case _ as h: pass
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="symtable counts names of inlined comprehensions as bound"
)
@pytest.mark.parametrize(
    "source", [SCOPES, NASTY, installed("jax._src.api_util"), installed("jax._src.linear_util")]
)
def test_functions_bind_what_python_says_they_bind(source: str) -> None:
    assert _pythons(source) == _ours(source)


def test_lambdas_bind_their_parameters_and_walrus_targets() -> None:
    module = module_of("f = lambda a, *b, c=(d := 1), **e: [(g := h) for h in a]")

    (function,) = [node for node in nodes(module) if isinstance(node, ir.FunctionDef)]
    assert {"a", "b", "c", "e", "g"} == function.bound


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): yield", True),
        ("def f(): x = yield from y", True),
        ("def f(): return [(yield)]", True),
        ("def f():\n  if x:\n    with y: (yield)", True),
        ("def f(): return lambda: (yield)", False),
        ("def f():\n  def g(): yield", False),
        ("def f():\n  class C:\n    def g(self): yield", False),
        ("async def f(): await x", False),
    ],
)
def test_a_generator_yields_by_itself(source: str, expected: bool) -> None:
    function = module_of(source).body[0]

    assert isinstance(function, ir.FunctionDef)
    assert expected == function.is_generator

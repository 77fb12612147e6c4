"""What plain JAX does until its first error is among the labels of generated programs."""

from __future__ import annotations

import ast
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import jax
import pytest
from contract import Site
from dry import current_trace
from generator import generate
from holding import holds, kind_of
from labels import label

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.places import UserFiles, error_places

pytestmark = pytest.mark.jax

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_first_error_of_plain_jax_is_the_first_site(seed: int, tmp_path: Path) -> None:
    """And what plain JAX holds until then is among what the labels say."""
    program = generate(seed)
    labels = label(program, tmp_path)
    path = tmp_path / f"program_{seed}.py"
    error, seen = _plain(program.source, path)
    sites = [site for site in labels.sites if not site.guarded]
    if error is None:
        assert sites == []
    elif not labels.endings:
        assert internals.is_refusal(error) or "unhashable" in str(error)
        where = error_places(error, UserFiles([str(path)]))[-1]
        assert sites[0] == Site(
            sites[0].kind,
            *(where.line, where.column or 0, where.end_line or 0, where.end_column or 0),
            guarded=False,
        )
    known = {(each.function, each.first, each.line, each.name): each.kind for each in labels.names}
    assert seen
    for key, bits in seen.items():
        assert known.get(key) in (kind_of(bits), "may"), key


def _plain(
    source: str, path: Path
) -> tuple[BaseException | None, dict[tuple[str, int, int, str], int]]:
    """The error of an ordinary run of a module, and what names held, as `sys.settrace` sees it."""
    tree = ast.parse(source)
    starts = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    functions = {
        (node.decorator_list[0].lineno if node.decorator_list else node.lineno, node.name): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    # Python 3.12 runs comprehensions in the function around them, with their names.
    inner = {
        part.id
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension)
        for part in ast.walk(node.target)
        if isinstance(part, ast.Name)
    }
    seen: dict[tuple[str, int, int, str], int] = {}

    def local(frame: types.FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        function = functions.get((code.co_firstlineno, code.co_name))
        if event == "line" and frame.f_lineno in starts and function and current_trace():
            values = dict(frame.f_locals)
            for name in ({*code.co_varnames, *code.co_cellvars} - inner) & values.keys():
                key = (code.co_name, function.lineno, frame.f_lineno, name)
                seen[key] = seen.get(key, 0) | holds(values[name])
        return local

    def calls(frame: types.FrameType, event: str, argument: object) -> Any:
        return local if frame.f_code.co_filename == str(path) else None

    module = types.ModuleType("plain")
    sys.modules["plain"] = module
    code = compile(source, str(path), "exec")
    before = sys.gettrace()
    sys.settrace(calls)
    try:
        with internals.exact_tracebacks(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, vars(module))
    except Exception as error:
        return error, seen
    finally:
        sys.settrace(before)
        sys.modules.pop("plain")
        jax.clear_caches()
    return None, seen

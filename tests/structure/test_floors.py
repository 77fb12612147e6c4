"""The shape of the code: who imports whom, what is never imported, how long things may be."""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "jaxlint"
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")])
GENERATED = PACKAGE / "knowledge" / "tables"
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "base_class"}
FILE_LIMIT = 400
FUNCTION_LIMIT, FUNCTION_P95 = 80, 30

HAZARD = """
import jax

@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def modules_after(statements: str) -> set[str]:
    """What is imported once the statements ran in a new process, in its own directory."""
    script = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{statements}\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(run.stdout.split())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def function_lengths(path: Path) -> dict[str, int]:
    """The lines of each function, decorators aside."""
    return {
        f"{relative(path)}:{node.lineno} {node.name}": (node.end_lineno or node.lineno)
        - node.lineno
        + 1
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def test_imports_keep_the_contracts() -> None:
    script = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert 0 == run.returncode, run.stdout + run.stderr


def test_a_lint_imports_neither_jax_nor_libcst() -> None:
    imported = modules_after(f"import jaxlint\nassert jaxlint.lint({HAZARD!r})")
    unwanted = {"jax", "jaxlib", "numpy", "flake8", "distributed", "libcst"}
    assert set() == unwanted & imported


def test_a_lint_that_explains_no_silence_loads_nothing_of_it() -> None:
    imported = modules_after(f"import jaxlint\nassert jaxlint.lint({HAZARD!r})")
    reasons = {
        "jaxlint.base.surveys.coverage",
        "jaxlint.base.surveys.unreached",
        "jaxlint.engine.queries.inventory",
    }
    assert set() == reasons & imported


def test_a_file_that_never_mentions_jax_costs_no_parser() -> None:
    imported = modules_after("import jaxlint\nassert not jaxlint.lint('x = 1')")
    assert "libcst" not in imported


def test_reading_pages_imports_no_jax() -> None:
    imported = modules_after("import jaxlint.testing.pages, jaxlint.testing.reveal")
    assert set() == {"jax", "libcst"} & imported


def test_files_are_short() -> None:
    counts = {
        relative(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in SOURCES
        if path.parent != GENERATED
    }
    assert [path for path, count in counts.items() if count > FILE_LIMIT] == []


def test_functions_are_short() -> None:
    lengths = [item for path in SOURCES for item in function_lengths(path).items()]
    assert {} == {name: length for name, length in lengths if length > FUNCTION_LIMIT}


def test_nearly_all_functions_fit_a_screen() -> None:
    lengths = [n for path in PACKAGE.rglob("*.py") for n in function_lengths(path).values()]
    assert statistics.quantiles(lengths, n=20)[-1] <= FUNCTION_P95


def test_no_module_is_called_after_nothing() -> None:
    assert [] == [relative(path) for path in SOURCES if path.stem in BANNED_NAMES]


def test_a_module_says_its_subject() -> None:
    assert [] == [
        relative(path)
        for path in SOURCES
        if not ast.get_docstring(parsed(path))
        and (path.name != "__init__.py" or path.read_text(encoding="utf-8").strip())
    ]

"""Generated programs are Python, differ from seed to seed, and run."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from contract import Program
from generator import generate, modules
from generator.conditions import CONSTANT, TESTS
from generator.forms import FORMS
from generator.idioms import IDIOMS
from generator.kinds import ARGUMENTS, LITERALS, narrower
from hypothesis import HealthCheck, given, settings

SEEDS = range(300)

CONSTRUCTS = (
    ast.AugAssign,
    ast.Break,
    ast.Continue,
    ast.ClassDef,
    ast.Delete,
    ast.DictComp,
    ast.For,
    ast.GeneratorExp,
    ast.Global,
    ast.IfExp,
    ast.JoinedStr,
    ast.Lambda,
    ast.ListComp,
    ast.Match,
    ast.NamedExpr,
    ast.Nonlocal,
    ast.Raise,
    ast.Set,
    ast.Starred,
    ast.Try,
    ast.While,
    ast.With,
    ast.Yield,
)

CALLS = """
    jax.jit jax.vmap jax.grad jax.value_and_grad jax.checkpoint jax.custom_jvp jax.custom_vjp
    jax.lax.scan jax.lax.cond jax.lax.switch jax.lax.while_loop jax.lax.fori_loop jax.lax.map
    jax.tree.map jax.random.split functools.partial dataclasses.replace enumerate zip range print
    time.time HISTORY.append np.tanh math.sqrt float int len isinstance sorted
"""


HAZARD = "jax.vmap(lambda value: value if value > 0 else -value)($V)"
"""An expression that JAX refuses wherever it stands."""


def test_every_program_is_python_with_one_statement_on_a_line() -> None:
    for seed in SEEDS:
        lines = Counter(
            node.lineno
            for node in ast.walk(ast.parse(generate(seed).source))
            if isinstance(node, ast.stmt)
        )
        assert {1} == set(lines.values()), f"seed {seed}"
        compile(generate(seed).source, f"<{seed}>", "exec", dont_inherit=True)


def test_a_seed_gives_one_program_whatever_the_hashes() -> None:
    script = "from generator import generate; print([generate(n).source for n in range(20)])"
    folder = str(Path(__file__).parent)
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": folder, "PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0] == f"{[generate(number).source for number in range(20)]}\n"


def test_programs_are_of_a_readable_length_and_differ() -> None:
    sources = [generate(seed).source for seed in SEEDS]
    lengths = sorted(source.count("\n") for source in sources)
    assert len(SEEDS) == len(set(sources))
    assert 60 <= lengths[len(lengths) // 2] <= 110
    assert lengths[0] >= 20
    assert lengths[-1] <= 220


def test_programs_hold_every_construct_and_call_that_matters() -> None:
    nodes: Counter[type[ast.AST]] = Counter()
    called: Counter[str] = Counter()
    for seed in SEEDS:
        for node in ast.walk(ast.parse(generate(seed).source)):
            nodes[type(node)] += 1
            if isinstance(node, (ast.Name, ast.Attribute)):
                called[ast.unparse(node)] += 1
    assert [] == [each.__name__ for each in CONSTRUCTS if nodes[each] < 5]
    assert [] == [each for each in CALLS.split() if called[each] < 3]


def test_every_kind_that_is_asked_for_can_be_written() -> None:
    patterns = [pattern for patterns in FORMS.values() for pattern in patterns]
    holes = set(re.findall(r"\$(\?[fv]|[a-zA-Z]\b)", " ".join([*patterns, *TESTS, *CONSTANT])))
    assert set() == {hole for hole in holes if not LITERALS.get(hole)}
    assert set() == {kind for kind in ARGUMENTS if not LITERALS.get(kind)}
    assert set() == {kind for each in LITERALS for kind in narrower(each)} - set(LITERALS)


def test_every_idiom_binds_the_names_that_it_uses() -> None:
    for lines in IDIOMS:
        text = "\n".join(lines)
        declared = re.findall(r"<(\w+):\w+>", text)
        assert set(declared) == set(re.findall(r"<(\w+)>", text)) | set(declared), text
        assert len(declared) == len(set(declared)), text


@settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(modules())
def test_hypothesis_can_make_the_choices(program: Program) -> None:
    assert "jax." in program.source
    compile(program.source, "<program>", "exec", dont_inherit=True)


@pytest.mark.jax
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
@pytest.mark.parametrize("kind", sorted(set(FORMS) & set("fFpiInbBvVmMaAqQsLldhz")))
def test_expressions_have_the_class_the_dtype_and_the_shape_of_their_kind(kind: str) -> None:
    import random

    from generator.scope import Scope
    from generator.writer import Writer

    writer = Writer(random.Random(0), [])
    assert HAZARD in FORMS["V"]
    for pattern in sorted({*FORMS[kind], *LITERALS[kind]} - {HAZARD}):
        text = writer.form(pattern, Scope(), 0)
        assert _is_of(kind, eval(text, _prelude())), f"{pattern}: {text}"


def _prelude() -> dict[str, Any]:
    import functools
    import math
    import operator

    import jax
    import numpy as np

    names: dict[str, Any] = {
        "functools": functools,
        "math": math,
        "operator": operator,
        "jax": jax,
        "np": np,
    }
    names |= {"jnp": jax.numpy, "SCALE": 1.5, "MODES": ("mean", "sum", "max")}
    return {**names, "TABLE": np.array([0.5, -1.0, 2.0]), "OFFSETS": [0.25, 0.75, 1.5]}


def _is_of(kind: str, value: Any) -> bool:
    """Whether a value is of a kind, by what Python and JAX know of it."""
    import jax
    import numpy as np

    plain = {
        "p": float,
        "s": str,
        "L": (list, tuple),
        "l": list,
        "d": dict,
        "h": tuple,
        "z": (set, frozenset),
    }
    if kind in plain:
        return isinstance(value, plain[kind])
    numbers = {"f": "fi", "i": "iu", "n": "iu", "b": "b", "v": "f", "m": "f", "a": "b", "q": "iu"}
    shapes = {"v": (3,), "m": (3, 3), "a": (3,), "q": (3,)}
    low = kind.lower() if kind not in "nI" else "i"
    array = np.asarray(value)
    return (
        array.dtype.kind in numbers[low]
        and array.shape == shapes.get(low, ())
        and (kind.islower() or isinstance(value, jax.Array))
    )


@pytest.mark.jax
def test_programs_run_to_their_end_and_leave_few_lines_out(tmp_path: Path) -> None:
    from labels import label

    ended = lines = executed = 0
    for seed in range(24):
        program = generate(seed)
        labels = label(program, tmp_path)
        ended += not labels.endings
        traced = _statements(program.source)
        lines += len(traced)
        executed += len(traced & labels.executed)
    assert ended >= 23
    assert executed / lines >= 0.82


def _statements(source: str) -> set[int]:
    """Where the statements of functions start, other than declarations."""
    return {
        inner.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.stmt) and not isinstance(inner, (ast.Global, ast.Nonlocal))
    }

"""The same program, written in another way, has the same findings."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from rewrites import REWRITES, Places, Rewrite, rewritten, same, statements, static, unjitted
from wrappings import WRAPPINGS

from jaxlint.base.finding import Finding
from jaxlint.registry.registry import rules_in
from jaxlint.testing.lint import lint
from jaxlint.testing.pages import read_page

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
GENERATED = 40
ALL = (*REWRITES, *WRAPPINGS)
# What a rewrite changes by right. Names and annotations are evidence that a parameter is static,
# and that code handles options; a statement without effect is a finding itself; where a program
# is rebound, and what is read between, decides whether it is stale. Weak types, updates in loops
# and recursion are read from the text as far as it is plain.
EXPECTED = {
    "in_partials": {"JAX507", "JAX508"},
    "renamed": {"JAX112", "JAX206", "JAX309", "JAX408", "JAX606"},
    "annotated": {"JAX108", "JAX301", "JAX309", "JAX509", "JAX606", "JAX709"},
    "split": {"JAX807"},
    "with_dead_code": {"JAX152", "JAX155", "JAX328", "JAX509"},
    "moved": {"JAX205", "JAX211", "JAX322"},
    # What a factory makes is a new function each time as far as the text tells, and functions that
    # nothing calls are looked for outside other functions.
    "in_closures": {
        *("JAX106", "JAX203", "JAX206", "JAX501", "JAX502", "JAX503", "JAX505", "JAX510", "JAX614"),
        *("JAX701", "JAX702", "JAX704", "JAX706", "JAX710"),
    },
    # Which arguments a call passes is read from the call as written.
    "starred": {"JAX507", "JAX508", "JAX509", "JAX511", "JAX605", "JAX621", "JAX802"},
    # Gaps: the parameters of a wrapper are `*args` and `**kwargs`, so that the names of static
    # parameters, what callers pass and where a result is returned are those of the wrapper, which
    # also calls what nothing else does.
    "in_wrappers": {
        *("JAX117", "JAX612", "JAX630", "JAX952"),
        *("JAX102", "JAX104", "JAX106", "JAX108", "JAX203", "JAX206", "JAX212", "JAX301"),
        *("JAX309", "JAX322", "JAX327", "JAX328", "JAX408", "JAX509", "JAX510", "JAX512"),
        "JAX513",
        *("JAX601", "JAX602", "JAX603", "JAX606", "JAX618", "JAX621", "JAX623", "JAX624"),
        *("JAX629", "JAX702"),
        *("JAX801", "JAX802", "JAX803", "JAX906", "JAX911", "JAX955", "JAX959", "JAX961"),
    },
    # Gaps: a method that an assignment compiles is reported at the assignment, or not.
    "by_assignment": {"JAX111", "JAX516", "JAX608"},
    "aliased": {"JAX111"},
}


# A tenth of the pages of the long tail: the same ones, whichever there are beside them.
DRAWN = (
    "ambient-state-read",
    "branches-called-not-passed",
    "concretise-under-grad",
    "device-op-on-static",
    "grad-output-misuse",
    "int32-literal-overflow",
    "jit-partial-per-call",
    "logging-in-traced-code",
    "nnx-python-counter",
    "pallas-captured-constant",
    "python-index-with-traced",
    "stale-mutable-capture",
    "timing-includes-compilation",
    "tracer-leak-container",
    "wall-clock-in-traced-code",
)


@cache
def programs() -> tuple[tuple[str, str], ...]:
    """Name and source of every example of a page, of part of the long tail, of the fixtures, and
    of generated programs."""
    found = []
    pages = [
        *sorted((ROOT / "jaxlint" / "rules").glob("*.py")),
        *(TESTS / "rules" / f"{name}.md" for name in DRAWN),
    ]
    for path in pages:
        if path.name != "__init__.py":
            for example in read_page(path, path.stem.replace("_", "-")).examples:
                found.append(
                    (
                        f"{path.name}:{example.line}",
                        example.program.replace("\n" * (example.line - 1), "\n", 1),
                    )
                )
    for folder in ("tour", "verify"):
        for path in sorted((ROOT / "fixtures" / folder).glob("*.py")):
            found.append((path.name, path.read_text(encoding="utf-8")))
    # Of programs without findings a third tells as much as all.
    quiet = {name for name, source in found if not expected(source)}
    left_out = {name for at, name in enumerate(sorted(quiet)) if at % 3}
    return (*((name, source) for name, source in found if name not in left_out), *generated())


def generated() -> list[tuple[str, str]]:
    """Programs nobody wrote by hand."""
    sys.path.insert(0, str(TESTS / "fuzz"))
    try:
        from generator import generate
    finally:
        sys.path.remove(str(TESTS / "fuzz"))
    return [(f"seed {seed}", generate(seed).source) for seed in range(GENERATED)]


@cache
def _rules() -> tuple[object, ...]:
    return tuple(rules_in("jaxlint.rules"))


def findings(source: str) -> list[Finding]:
    return lint(source, "file.py", _rules())  # type: ignore[arg-type]


def told(source: str, origins: dict[int, int] | None = None) -> set[tuple[str, int]]:
    """Code and statement of each finding, the statement as it was before a rewrite."""
    places = Places(source)
    found = ((f.code, places.statement(f.line, f.column)) for f in findings(source))
    return {(code, at if origins is None else origins[at]) for code, at in found}


@cache
def expected(source: str) -> frozenset[tuple[str, int]]:
    return frozenset(told(source))


def differences(name: str, source: str, rewrite: Rewrite) -> list[str]:
    """What a rewrite changed that it should not have."""
    other, origins = rewritten(source, rewrite)
    changed = expected(source) ^ told(other, origins)
    allowed = EXPECTED.get(rewrite.__name__, set())
    return [
        f"{name}: {code} at statement {at}" for code, at in sorted(changed) if code not in allowed
    ]


@pytest.mark.parametrize("rewrite", ALL, ids=lambda rewrite: rewrite.__name__)
def test_the_findings_do_not_depend_on_how_a_program_is_written(rewrite: Rewrite) -> None:
    assert [] == [
        line
        for name, source in programs()
        if rewrite in REWRITES or not name.startswith("seed ")
        for line in differences(name, source, rewrite)
    ]


def test_the_rewrites_change_programs_that_have_findings() -> None:
    assert 500 <= sum(len(expected(source)) for _, source in programs())
    for rewrite in ALL[1:]:
        changed = [
            source
            for _, source in programs()
            if expected(source) and rewritten(source, rewrite)[0] != rewritten(source, same)[0]
        ]
        assert 20 <= len(changed), rewrite.__name__


@pytest.mark.parametrize("width", [40, 200])
def test_a_formatter_changes_no_finding(tmp_path: Path, width: int) -> None:
    chosen = [(name, source) for name, source in programs() if expected(source)]
    for at, (_, source) in enumerate(chosen):
        (tmp_path / f"{at}.py").write_text(rewritten(source, same)[0], encoding="utf-8")
    command = ["ruff", "format", "--isolated", "--quiet", f"--line-length={width}", "."]
    subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, check=True)
    found = {
        name: expected(source) ^ told((tmp_path / f"{at}.py").read_text(encoding="utf-8"))
        for at, (name, source) in enumerate(chosen)
    }

    assert {} == {name: codes for name, codes in found.items() if codes}


# Names under which a program may stage code without `jit`.
STAGING = re.compile(
    r"\b(vmap|pmap|grad|value_and_grad|jac\w+|hessian|jvp|vjp|linearize|linear_\w+|checkpoint|"
    r"remat|scan|while_loop|fori_loop|cond|switch|map|associative_scan|custom_\w+|shard_map|pjit|"
    r"eval_shape|make_jaxpr|pure_callback|io_callback|xla_computation|pallas_call|"
    r"Jitted|filter_\w+|nn|eqx|hk|closure_convert|custom_root|reduce|vectorize|"
    r"trace|lower|disable_jit|named_call|jit_\w+|apply_along_axis|apply_over_axes|piecewise|"
    r"checking_leaks|ensure_compile_time_eval|tree_map)\b"
)


# Arrays that do not change, hashes, lists for arrays, formats, classes of pytrees and what they
# keep as static data, callbacks, shardings, slow host code, keys, versions and numbers are what
# they are without `jit` as well.
EVERYWHERE = re.compile(r"JAX(15\d|114|318|414|507|515|62[568]|63[01]|[789]\d\d)")


def test_nothing_is_reported_of_code_that_is_not_compiled() -> None:
    count = 0
    wrong = []
    for name, source in programs():
        other, _ = rewritten(source, unjitted)
        if not expected(source) or STAGING.search(other) or re.search(r"\bjit\b", other):
            continue
        count += 1
        found = sorted(one for one in told(other) if not EVERYWHERE.fullmatch(one[0]))
        wrong += [f"{name}: {code} at statement {at}" for code, at in found]

    assert [] == wrong
    assert 100 <= count


BRANCHES = {"JAX301", "JAX302", "JAX303", "JAX304", "JAX305"}


def _tested_parameters(source: str) -> list[tuple[str, int, str, str]]:
    """Code, statement, function and parameter of each finding that tests one parameter alone."""
    places = Places(source)
    nodes = statements(ast.parse(source))
    found = []
    for finding in findings(source):
        at = places.statement(finding.line, finding.column)
        test = getattr(nodes[at], "test", None)
        around = [n for n in nodes if isinstance(n, ast.FunctionDef) and nodes[at] in ast.walk(n)]
        if finding.code not in BRANCHES or test is None or not around:
            continue
        function = around[-1]
        read = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        kinds = (ast.Call, ast.Attribute, ast.Subscript)
        computed = any(isinstance(n, kinds) for n in ast.walk(test))
        taken = [a.arg for a in [*function.args.args, *function.args.kwonlyargs]]
        bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and _is_bound(n)}
        plain = [d for d in function.decorator_list if ast.unparse(d) == "jax.jit"]
        alone = sum(n.name == function.name for n in nodes if isinstance(n, ast.FunctionDef)) == 1
        if len(read) == 1 and read <= set(taken) - bound and plain and alone and not computed:
            found.append((finding.code, at, function.name, read.pop()))
    return found


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


PLAIN = tuple(
    (body, f"import jax\n\n@jax.jit\ndef f(x):\n    {body}\n    return x\n\nf(1.0)\n")
    for body in ("if x > 0: return -x", "while x > 1: return x", "assert x < 3")
)


def test_a_parameter_that_becomes_static_can_be_branched_on() -> None:
    count = 0
    wrong = []
    for name, source in (*programs(), *PLAIN):
        for code, at, function, parameter in _tested_parameters(source):
            other, origins = rewritten(source, static(function, parameter))
            count += 1
            places = Places(other)
            # What is computed from an array is traced, even from a static one.
            wrong += [
                f"{name}: {found.message}"
                for found in findings(other)
                if (code, at) == (found.code, origins[places.statement(found.line, found.column)])
                and "a parameter of" in found.message
            ]

    assert [] == wrong
    assert len(PLAIN) <= count


JIT = (
    "@jax.jit\ndef f(x, y, k=3):\n{}",
    "@functools.partial(jax.jit, static_argnums=2)\ndef f(x, y, k=3):\n{}",
    "class A:\n @functools.partial(jax.jit, static_argnums=0)\n def f(self, x, y, k=3):\n{}",
)
TESTS_OF_X = (
    "if x > 0:\n   y = y + 1",
    "while x < 3:\n   x = x + 1",
    "assert x",
    "y = x and y",
    "y = 1 if x else y",
    "y = 0 < x < 3",
    "y = not x",
    "if k and x == 2:\n   return y",
    "for _ in range(x):\n   y = y + 1",
    "y = [1, 2][x]",
    "y = float(x)",
    "y = [y for _ in (1, 2) if x]",
)


@pytest.mark.parametrize("body", TESTS_OF_X)
@pytest.mark.parametrize("form", JIT)
def test_what_asks_for_a_value_is_fine_once_the_parameter_is_static(form: str, body: str) -> None:
    header = "import functools, jax\n"
    body = f"  {body}\n  return y\n"
    partial = "functools.partial(jax.jit, static_argnames=('x',))"
    # A call shows that the parameter is no container.
    call = "A().f(1, 2.0)\n" if form.startswith("class") else "f(1, 2.0)\n"
    traced = header + form.format(body) + call
    fixed = traced.replace("jax.jit", "jax.jit, static_argnames=('x',)", 1)
    if form.startswith("@jax.jit"):
        fixed = traced.replace("jax.jit", partial, 1)

    assert ["error"] == [finding.severity.value for finding in findings(traced)]
    assert [] == findings(fixed)

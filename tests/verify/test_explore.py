"""The explorer finds every conversion of a function, in order, and what handles it."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import jax
import pytest
from conversion_programs import ARGUMENTS, EXPRESSIONS, HEADER, scalar

from jaxlint.verify.child import internals
from jaxlint.verify.child.observing.explore import explore
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.sites import Found

sys.path.insert(0, str(Path(__file__).parent))
from agreement import judge_native, judge_witness, observe


def explored(folder: Path, text: str, **limits: Any) -> tuple[Found, list[str]]:
    """Explore `f(x, n, v, m)`; its sites as "kind: source"."""
    source = HEADER + text
    path = folder / "explored.py"
    path.write_text(source)
    module: dict[str, Any] = {"__name__": "explored"}
    exec(compile(source, str(path), "exec"), module)

    def stage() -> object:
        @functools.wraps(module["f"])
        def fresh(*args: Any) -> Any:
            module["f"](*args)
            return 0

        return jax.make_jaxpr(fresh)(*ARGUMENTS)

    found = explore(stage, UserFiles([str(path)]), **limits)
    lines = source.splitlines()
    texts = []
    for site, sighting in found.sites.items():
        where = site.place
        text = lines[where.line - 1]
        if where.end_line == where.line:
            text = text.encode()[where.column : where.end_column].decode()
        texts.append(f"{site.kind}: {text.strip()}" + (" (guarded)" if sighting.guarded else ""))
    return found, texts


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_every_form_of_conversion_is_found_and_stepped_over(kind: str, tmp_path: Path) -> None:
    """All in one function: each is found although each would end the trace."""
    forms = EXPRESSIONS[kind]
    if kind == "hash" and internals.version().startswith("0.4."):
        pytest.skip("this JAX only warns about hashing")
    text = "def f(x, n, v, m):\n" + "".join(f"    {form}\n" for form in forms)
    found, texts = explored(tmp_path, text)
    assert texts == [f"{kind}: {form}" for form in forms]
    assert found.first is not None and found.first.place.line == 6
    assert [len(sighting.after) for sighting in found.sites.values()] == list(range(len(forms)))


def test_evidence_is_what_jax_raises(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    if x > 0:
        pass
    jnp.zeros((n, 3))
    v[m]
    v[:n]
    if v > 0:
        pass
"""
    found, _ = explored(tmp_path, text)
    assert [sighting.error for sighting in found.sites.values()] == [
        "TracerBoolConversionError",
        "TypeError",
        "NonConcreteBooleanIndexError",
        "IndexError",
        "ValueError",
    ]
    shape = list(found.sites.values())[1]
    assert "Shapes must be 1D sequences of concrete values" in shape.message


def test_both_ways_of_a_branch(tmp_path: Path) -> None:
    text = """
def helper(y):
    return y if y > 1 else int(y)
def f(x, n, v, m):
    if x > 0:
        float(x)
    elif x > -1:
        helper(x)
    else:
        v.tolist()
    assert x > 3
    for e in v:
        while e > 0:
            e = e - 1
    return [e for e in v if e > 2]
"""
    found, texts = explored(tmp_path, text)
    assert sorted(texts) == sorted(
        [
            "bool: x > 0",
            "float: float(x)",
            "bool: x > -1",
            "bool: y > 1",
            "int: int(y)",
            "tolist: v.tolist()",
            "bool: x > 3",
            "bool: e > 0",
            "bool: e > 2",
        ]
    )
    assert not found.exhausted
    assert [(site.kind, steps) for site, steps in found.loops.items()] == [("iter", 3)] * 2


def test_handled_errors_are_guarded_and_their_handlers_explored(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    try:
        y = int(n)
    except TypeError:
        y = len(np.sin(v))
    with contextlib.suppress(TypeError):
        float(x)
        x.item()
    try:
        complex(x)
    except KeyError:
        v.tolist()
    try:
        bool(x)
    finally:
        y = 2
    try:
        jnp.zeros((n,))
    except TypeError as error:
        raise RuntimeError("no size") from error
"""
    found, texts = explored(tmp_path, text)
    assert sorted(texts) == sorted(
        [
            "array: np.sin(v)",
            "complex: complex(x)",
            "bool: bool(x)",
            "shape: jnp.zeros((n,))",
            "int: int(n) (guarded)",
            "float: float(x) (guarded)",
        ]
    )
    assert found.first is not None and found.first.kind == "array"


def test_transforms_inside_the_function(tmp_path: Path) -> None:
    text = """
def body(carry, row):
    return carry, row if row > 0 else -row
@jax.jit
def inner(y):
    return y if y > 1 else -y
def f(x, n, v, m):
    jax.lax.scan(body, x, v)
    inner(x)
    jax.vmap(lambda e: e if e > 2 else -e)(v)
    jax.grad(lambda e: e if e > 3 else -e)(x)
    jax.lax.cond(x > 0, lambda: int(n), lambda: 1)
    return jax.lax.fori_loop(0, n, lambda i, c: c + float(i), x)
"""
    _, texts = explored(tmp_path, text)
    assert sorted(texts) == sorted(
        [
            "bool: row > 0",
            "bool: y > 1",
            "bool: e > 2",
            "bool: e > 3",
            "int: int(n)",
            "float: float(i)",
        ]
    )


def test_static_decisions_are_no_sites(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    if v.ndim == 1 and v.shape[0] > 2 and x is not None and isinstance(x, jax.Array):
        x = jnp.where(x > 0, x, -x)
    str(x), repr(x), f"{x}", type(x) is float, len(v)
    with jax.ensure_compile_time_eval():
        if jnp.sum(CONSTANT) > 0:
            x = x + 1
    return v[n], v.at[n].set(0.0), jnp.zeros_like(v), jnp.where(m, v, 0.0)
"""
    found, texts = explored(tmp_path, text)
    assert texts == [] and found.first is None
    assert found.endings == [""] and found.runs == 1


def test_loops_and_recursion_end(tmp_path: Path) -> None:
    text = """
def factorial(k):
    return 1 if k <= 1 else k * factorial(k - 1)
def f(x, n, v, m):
    while x < 10:
        x = x * 2
    while not x > 20:
        x = x + 1
    while True:
        if x > 30:
            break
        x = x + 1
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return factorial(n)
"""
    found, texts = explored(tmp_path, text)
    assert sorted(texts) == sorted(
        [
            "bool: x < 10",
            "bool: x > 20",
            "bool: x > 30",
            "bool: n != 1",
            "bool: n % 2 == 0",
            "bool: k <= 1",
        ]
    )
    assert not found.exhausted


def test_branches_on_numbers_that_were_stubs(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    k = int(n)
    if k == 1 and v.ndim == 1:
        float(x)
    return v.tolist() if k == 0 else 0
"""
    found, texts = explored(tmp_path, text)
    assert texts == ["int: int(n)", "float: float(x)", "tolist: v.tolist()"]
    assert found.runs == 3


def test_an_error_that_the_user_translates_keeps_its_own_class(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    try:
        return float(x)
    except TypeError as error:
        raise ValueError("a number, please") from error
"""
    found, texts = explored(tmp_path, text)
    assert texts == ["float: float(x)"]
    (sighting,) = found.sites.values()
    assert "ConcretizationTypeError" == sighting.error


def test_two_tests_of_one_line_are_both_answered(tmp_path: Path) -> None:
    text = "def f(x, n, v, m):\n    if x.sum() or n.sum(): return float(x)\n    return int(n)\n"
    _, texts = explored(tmp_path, text)
    assert {text.partition(":")[0] for text in texts} == {"bool", "float", "int"}


def test_limits_and_hooks(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    while True:
        int(n)
"""
    runs: list[int] = []
    found, texts = explored(tmp_path, text, events=50, on_run=lambda: runs.append(1))
    assert texts == ["int: int(n)"] and found.exhausted
    assert found.runs == len(runs) == 1
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.make_jaxpr(lambda x: 1 if x else 2)(1.0)


def test_what_the_verifier_asks_is_no_site(tmp_path: Path) -> None:
    """A probe may look at the values that it is given."""
    source = "def f(x, probe):\n    probe(x)\n    return int(x)\n"
    path = tmp_path / "explored.py"
    path.write_text(source)
    module: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), module)
    probing: dict[str, Any] = {}
    file = str(Path(internals.__file__).parent / "probe.py")
    text = "def probe(x):\n    try:\n        bool(x)\n    except TypeError:\n        pass\n"
    exec(compile(text, file, "exec"), probing)

    def stage() -> object:
        return jax.make_jaxpr(lambda x: module["f"](x, probing["probe"]))(scalar("float32"))

    found = explore(stage, UserFiles([str(path)]))
    assert [(site.kind, site.place.line) for site in found.sites] == [("int", 3)]


def test_a_library_may_handle_or_replace_the_error(tmp_path: Path) -> None:
    library = tmp_path / "site-packages" / "library.py"
    library.parent.mkdir()
    text = """\
def size(n):
    try:
        return int(n)
    except TypeError:
        return 1
def strict(n):
    try:
        return int(n)
    except TypeError as error:
        raise ValueError("no number") from error
"""
    library.write_text(text)
    module: dict[str, Any] = {}
    exec(compile(text, str(library), "exec"), module)
    source = "def f(n, lib):\n    lib['size'](n)\n    lib['strict'](n)\n    lib['strict'](n + 1)\n"
    path = tmp_path / "explored.py"
    path.write_text(source)
    exec(compile(source, str(path), "exec"), module)

    def stage() -> object:
        return jax.make_jaxpr(lambda n: module["f"](n, module))(scalar("int32"))

    found = explore(stage, UserFiles([str(tmp_path)]))
    assert [(site.place.line, seen.error, seen.guarded) for site, seen in found.sites.items()] == [
        (3, "ValueError", False),
        (4, "ValueError", False),
        (2, "ConcretizationTypeError", True),
    ]


def test_exploring_often_does_not_blind_the_explorer(tmp_path: Path) -> None:
    """Python 3.13 stops to notice changes of a class after a thousand of them."""
    text = "\ndef f(x, n, v, m):\n    return v[m]\n"
    for _ in range(120):
        assert explored(tmp_path, text)[1] == ["mask: v[m]"]
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.make_jaxpr(lambda v, m: v[m])(*ARGUMENTS[2:])


def test_errors_of_the_program_are_endings(tmp_path: Path) -> None:
    text = """
def f(x, n, v, m):
    if x > 0:
        raise KeyError("missing")
    raise SystemExit(3)
"""
    found, texts = explored(tmp_path, text)
    assert texts == ["bool: x > 0"]
    assert found.endings == ["KeyError: 'missing'", "SystemExit: 3"]


@pytest.mark.parametrize("seed", range(24, 28))
def test_generated_programs_agree_with_plain_jax_and_the_witness(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with internals.exact_tracebacks():
        observed = observe(seed, str(tmp_path))
    assert judge_native(observed) in ("first site", "no error, no sites", "other error")
    assert judge_witness(observed) in ("same", "agrees, stopped early", "witness has fewer")

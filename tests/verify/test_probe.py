"""Probes tell what flagged expressions evaluate to, in modules that are imported too."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from probing import flagged, watched

from jaxlint.verify.child.observing.instrument import VALUE
from jaxlint.verify.child.observing.probe import Probes, Tally, holds_tracer
from jaxlint.verify.protocol import Target

FUNCTION = """\
def f(x, n):
    if x.sum() > 0 and n > 1:
        y = [x, n]
    else:
        y = (n, {"k": n})
    total = n + 1
    total += n
    return x * total
"""


def test_staged_values_are_told_from_eager_ones() -> None:
    namespace, probes = watched(FUNCTION, "x.sum() > 0", "[x, n]", 'n, {"k": n}', "total += n", "n")
    f = namespace["f"]
    f(jnp.ones(3), 2)
    assert (1, 0, 0, 0, 1, 0) == counts(probes, 0)
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.make_jaxpr(f)(jnp.ones(3), 2)
    assert (2, 1, 1, 0, 1, 0) == counts(probes, 0)
    jax.grad(lambda x: f(x, 2).sum())(jnp.ones(3))
    assert (3, 1, 1, 0, 2, 0) == counts(probes, 0)
    assert (2, 0, 0, 0, 2, 1) == counts(probes, 1)
    assert (0, 0, 0, 0, 0, 0) == counts(probes, 2)
    assert (2, 0, 0, 0, 0, 0) == counts(probes, 3), "a statement has no value"


def counts(probes: Probes, number: int) -> tuple[int, ...]:
    seen = probes.seen[number]
    return (
        seen.reached, seen.staged, seen.tracer, seen.concrete, seen.eager, seen.traced_eagerly
    )  # fmt: skip


def test_static_values_under_staging_are_concrete() -> None:
    namespace, probes = watched(FUNCTION, "n + 1", "y = [x, n]")
    f = namespace["f"]
    jax.jit(lambda x: f(jnp.ones, 2) if x is None else x * (0 if f is None else 1))(1.0)
    inner = "def g(x, n):\n    return x * (n + 1)\n"
    namespace, probes = watched(inner, "n + 1", "n")
    jax.jit(namespace["g"], static_argnums=1)(jnp.ones(3), 2)
    assert (1, 1, 0, 1, 0, 0) == counts(probes, 0)
    jax.jit(namespace["g"])(jnp.ones(3), 2)
    assert (2, 2, 1, 1, 0, 0) == counts(probes, 0)
    assert 2 == len(probes.seen[0].kinds)


def test_vmap_is_not_staging_but_scan_is() -> None:
    namespace, probes = watched("def g(c, x):\n    return c + x, x\n", "c + x")
    jax.vmap(namespace["g"])(jnp.ones(3), jnp.ones(3))
    assert (1, 0, 0, 0, 1, 1) == counts(probes, 0)
    jax.lax.scan(namespace["g"], jnp.zeros(()), jnp.ones(3))
    assert probes.seen[0].is_staged


def test_a_parameter_is_reached_when_its_function_is_called() -> None:
    source = "def f(x, n=2):\n    'doc'\n    return x\ng = lambda y: y\n"
    namespace, probes = watched(source, "n=2"[:1], "y")
    assert "doc" == namespace["f"].__doc__
    assert [0, 0] == [probes.seen[number].reached for number in (0, 1)]
    namespace["f"](1)
    assert [1, 0] == [probes.seen[number].reached for number in (0, 1)]
    assert 5 == namespace["g"](5)
    assert [1, 1] == [probes.seen[number].reached for number in (0, 1)]


def test_statements_are_reached_in_front() -> None:
    source = (
        "def make():\n    @staticmethod\n    def step(x):\n        return x\n    return step\n"
        "def write(d):\n    d['k'] = 1\n    del d['k']\n    d.update(k=2)\n"
        "def imports():\n    import os as system\n"
    )
    namespace, probes = watched(
        source, "def step", "def step(x):\n        return x", "d['k']", "del d['k']",
        "k=2", "os as system",
    )  # fmt: skip
    namespace["make"](), namespace["make"](), namespace["write"]({}), namespace["imports"]()
    assert [2, 2, 1, 1, 1, 1] == [seen.reached for seen in probes.seen.values()]
    assert 1 == probes.seen[4].eager, "the value of a keyword argument is seen"


def test_parentheses_and_columns_in_bytes() -> None:
    source = "é = 'é'; t = (1, (2), é); g = list((x for x in t)); u = (\n    t\n)\n"
    _, probes = watched(source, "1, (2), é", "(1, (2), é)", "x for x in t", "(2)", "(\n    t\n)")
    assert [1] * 5 == [seen.reached for seen in probes.seen.values()]
    assert [["tuple"], ["tuple"], ["generator"], ["int"], ["tuple"]] == [
        seen.kinds for seen in probes.seen.values()
    ]


def test_expressions_in_strings_are_found() -> None:
    source = 'v = 3\ns = f\'a {v + 1} b\' f"""{v:>{v + 2}}\n{v * 2!r}"""\n'
    namespace, probes = watched(source, "v + 1", "v + 2", "v * 2")
    assert "a 4 b    3\n6" == namespace["s"]
    assert [1, 1, 1] == [seen.eager for seen in probes.seen.values()]


def test_a_range_without_code_is_unplaced() -> None:
    probes = Probes([Target(7, "forms.py", 9, 4, 9, 8, "JAX001", "raises")])
    probes.compile(b"x = 1\n", "forms.py")
    assert {7: "no code at line 9, column 5"} == probes.unplaced


class Doubles:
    """Replaces values, and counts the beginnings."""

    def __init__(self) -> None:
        self.begun = 0

    def reach(self, target: int) -> None:
        self.begun += 1

    def value(self, target: int, value: Any) -> Any:
        return value * 2


def test_a_listener_may_replace_a_value_and_the_counters_rest() -> None:
    namespace, probes = watched("def f(x):\n    return x + 1\n", "x + 1")
    with probes.watching(Doubles()) as outer:
        assert 8 == namespace["f"](3)
        with probes.watching(Tally()) as inner:
            assert 8 == namespace["f"](3)
        assert 1 == inner[0].eager
    assert 2 == outer.begun
    assert 0 == probes.seen[0].reached
    assert 4 == namespace["f"](3)
    assert 1 == probes.seen[0].reached


def test_listeners_hear_their_own_thread_only() -> None:
    namespace, probes = watched("def f(x):\n    return x + 1\n", "x + 1")
    with probes.watching(Doubles()) as listener:
        thread = threading.Thread(target=namespace["f"], args=(1,))
        thread.start()
        thread.join()
    assert (0, 1) == (listener.begun, probes.seen[0].reached)


def test_what_several_targets_share_is_evaluated_once() -> None:
    source = "calls = []\nx = calls.append(1)\n"
    namespace, probes = watched(source, "calls.append(1)", "calls.append(1)")
    assert [1] == namespace["calls"]
    assert [1, 1] == [seen.reached for seen in probes.seen.values()]


def test_code_that_python_rejects_raises_as_ever() -> None:
    source = "x = 1\nif x\n    pass\n"
    with pytest.raises(SyntaxError) as caught:
        Probes(flagged(source, "x")).compile(source.encode(), "forms.py")
    assert 2 == caught.value.lineno


def test_holding_a_tracer_is_seen_through_containers() -> None:
    found = []

    def f(x: Any) -> Any:
        for value in (x, [x], {"a": (1, x)}, slice(None, x), 1, "x", [1, [2]], {"a": None}):
            found.append(holds_tracer(value))
        return x

    jax.make_jaxpr(f)(1.0)
    assert [True] * 4 + [False] * 4 == found


# --- the import hook --------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "probed_package"
    root.mkdir()
    (root / "__init__.py").write_text("from . import part\n")
    (root / "part.py").write_text("VALUE = 20 + 1\n")
    (root / "other.py").write_text("from .part import VALUE\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield root
    for name in [name for name in sys.modules if name.startswith("probed_package")]:
        del sys.modules[name]


@contextlib.contextmanager
def installed(probes: Probes) -> Iterator[Probes]:
    probes.install()
    try:
        yield probes
    finally:
        probes.remove()


def probes_of(file: Path, text: str) -> Probes:
    return Probes(flagged(file.read_text(), text, file=str(file)))


def test_imports_are_watched_and_leave_no_bytecode(package: Path) -> None:
    with installed(probes_of(package / "part.py", "20 + 1")) as probes:
        module = importlib.import_module("probed_package.other")
    assert 21 == module.VALUE
    assert 1 == probes.seen[0].reached
    cached = [path.name for path in package.rglob("*.pyc")]
    assert any("other" in name for name in cached)
    assert not any("part" in name for name in cached)


def test_stale_bytecode_is_not_read(package: Path) -> None:
    importlib.import_module("probed_package.part")
    for name in ("probed_package", "probed_package.part"):
        del sys.modules[name]
    with installed(probes_of(package / "part.py", "20 + 1")) as probes:
        importlib.import_module("probed_package.part")
    assert 1 == probes.seen[0].reached


def test_two_sets_of_probes_keep_apart(package: Path) -> None:
    first = probes_of(package / "part.py", "20 + 1")
    second = Probes(flagged("from . import part\n", "from", file=str(package / "__init__.py")))
    with installed(first), installed(second):
        importlib.import_module("probed_package")
    assert 1 == first.seen[0].reached
    assert 1 == second.seen[0].reached


def test_what_was_imported_before_is_said_to_be_unplaced(package: Path) -> None:
    importlib.import_module("probed_package")
    with installed(probes_of(package / "part.py", "20 + 1")) as probes:
        assert {0: "probed_package.part was imported before"} == probes.unplaced


def test_after_removal_imports_are_left_alone(package: Path) -> None:
    probes = probes_of(package / "part.py", "20 + 1")
    with installed(probes):
        pass
    module = importlib.import_module("probed_package.part")
    assert VALUE not in module.__loader__.get_code(module.__name__).co_names
    assert 0 == probes.seen[0].reached


def test_a_loader_of_another_kind_is_named(package: Path, monkeypatch: Any) -> None:
    class Own(importlib.machinery.SourceFileLoader):
        pass

    class Finder:
        @staticmethod
        def find_spec(name: str, path: Any, target: Any = None) -> Any:
            if name == "probed_package.part":
                file = str(package / "part.py")
                return importlib.util.spec_from_file_location(name, file, loader=Own(name, file))
            return None

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    with installed(probes_of(package / "part.py", "20 + 1")) as probes:
        assert 21 == importlib.import_module("probed_package.part").VALUE
    assert {0: "loaded by Own"} == probes.unplaced


def test_syntax_warnings_stay_silent() -> None:
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        watched("x = 1\ny = x is 1\n", "x is 1")
    assert "" == errors.getvalue()

"""Calls that users write for the verifier: in settings, comments and docstrings."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from jaxlint.verify.given import examples, unmatched


def found(source: str, file: str = "demo.py", **table: str) -> list[tuple[str, str, str]]:
    text = dedent(source)
    return [(item.function, item.arguments, item.origin) for item in examples(file, text, table)]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    inner = tmp_path / "src" / "pkg" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    return inner


@pytest.mark.parametrize(
    ("key", "name", "is_found"),
    [
        ("pkg.inner.model:step", "model.py", True),
        ("pkg.inner:step", "__init__.py", True),
        ("inner.model:step", "model.py", False),
        ("model:step", "model.py", False),
        ("src.pkg.inner.model:step", "model.py", True),
        ("pkg.inner.other:step", "model.py", False),
    ],
)
def test_settings_name_a_function_by_its_module(
    package: Path, key: str, name: str, is_found: bool
) -> None:
    got = examples(str(package / name), "", {key: "f32[8], n=2"})
    assert [item.arguments for item in got] == (["f32[8], n=2"] if is_found else [])
    assert all(item.function == "step" and item.origin == "settings" for item in got)


def test_settings_name_a_script_and_a_method(tmp_path: Path) -> None:
    got = examples(str(tmp_path / "train.py"), "", {"train:Model.step": "i32[]"})
    assert [(item.function, item.arguments) for item in got] == [("Model.step", "i32[]")]


def test_settings_hold_for_a_file_that_does_not_parse(tmp_path: Path) -> None:
    assert len(examples(str(tmp_path / "train.py"), "def (", {"train:f": "1"})) == 1


def test_a_comment_on_or_above_the_definition() -> None:
    source = """
        import jax

        # Computes things.
        # jaxlint: args(f32[8, 3], n=(2))
        # jaxlint: args(f32[], n=3)
        @jax.jit
        def step(x, n):
            # jaxlint: args(f32[1])
            return x

        class Model:
            def apply(self, x):  # jaxlint: args(f32[4])
                return x

        fast = jax.jit(lambda x: x)  # jaxlint: args(i32[])
        text = "# jaxlint: args(f32[9])"
    """
    assert found(source) == [
        ("step", "f32[8, 3], n=(2)", "comment, line 5"),
        ("step", "f32[], n=3", "comment, line 6"),
        ("Model.apply", "f32[4]", "comment, line 13"),
        ("fast", "i32[]", "comment, line 16"),
    ]


def test_a_comment_apart_from_the_definition_is_nothing() -> None:
    source = """
        # jaxlint: args(f32[8])

        def step(x):
            return x
    """
    assert found(source) == []


def test_a_comment_within_a_header_of_many_lines() -> None:
    source = """
        def step(
            x,  # jaxlint: args(f32[8])
            y=1,
        ):
            return x
    """
    assert found(source) == [("step", "f32[8]", "comment, line 3")]


def test_doctests_call_the_function() -> None:
    source = '''
        def step(x, n):
            """Steps.

            >>> import jax.numpy as jnp
            >>> x = jnp.ones(3)
            >>> y = x * 2
            >>> print(demo.step(y, n=2))
            [2. 2. 2.]
            >>> other(x)
            >>> jax.jit(step, static_argnames="n")(x, n=3)
            """
            return x
    '''
    assert found(source) == [
        ("step", "jnp.ones(3) * 2, n=2", "docstring, line 8"),
        ("step", "jnp.ones(3), n=3", "docstring, line 11"),
    ]


def test_doctests_of_a_method() -> None:
    source = '''
        class Model:
            def apply(self, x):
                """
                >>> Model().apply(jnp.zeros((2, 2)))
                >>> Model().apply(
                """
    '''
    assert found(source) == [("Model.apply", "jnp.zeros((2, 2))", "docstring, line 5")]


def test_a_docstring_that_doctest_cannot_read_is_nothing() -> None:
    assert found('def f(x):\n    """\n    >>>f(1)\n    """\n') == []


MODULE = """
from elsewhere import borrowed

fast, slow = make()

class Model:
    def apply(self, x): ...

class Derived(Model):
    pass

def step(x): ...
"""


@pytest.mark.parametrize(
    "key",
    [
        "train:step",
        "train:Model",
        "train:Model.apply",
        "train:Derived.apply",
        "train:borrowed",
        "train:borrowed.inner",
        "train:slow",
        "elsewhere:anything",
    ],
)
def test_keys_that_match_or_may_match(key: str) -> None:
    assert unmatched({"train.py": MODULE}, {key: "f32[]"}) == []


@pytest.mark.parametrize(
    "key", ["train:stpe", "train:Model.aply", "train:apply", "train:Mdl.apply"]
)
def test_keys_that_match_no_function(key: str) -> None:
    (problem,) = unmatched({"train.py": MODULE}, {key: "f32[]"})
    assert problem == f'"{key}" matches nothing: train.py has no `{key.partition(":")[2]}`'


@pytest.mark.parametrize("key", ["train.step", "train:", ":step"])
def test_keys_that_are_not_of_the_form(key: str) -> None:
    assert unmatched({}, {key: ""}) == [f'"{key}" is not of the form "package.module:function"']


def test_nothing_is_said_of_a_module_whose_names_are_not_all_known() -> None:
    assert unmatched({"train.py": "from elsewhere import *"}, {"train:step": ""}) == []
    assert unmatched({"train.py": "def ("}, {"train:step": ""}) == []

"""Code that runs only where a name is there."""

from __future__ import annotations

import pytest

from jaxlint.dataflow.guards import attempted, conditional, replaced
from jaxlint.dataflow.names import names_by_text
from jaxlint.syntax import ir
from jaxlint.testing.lint import module_of


def place(module: ir.Module) -> int:
    """The identity of the name `here`."""
    return id(names_by_text(module.body)["here"][0])


@pytest.mark.parametrize(
    "code",
    [
        "if jax.__version__ > '0.5':\n    here",
        "if hasattr(jax, 'here'):\n    pass\nelse:\n    here",
        "NEW = hasattr(jax, 'a')\nif NEW:\n    here",
        "try:\n    here\nexcept AttributeError:\n    pass",
        "try:\n    here\nexcept:\n    pass",
        "with pytest.raises(AttributeError):\n    here",
        "hasattr(jax, 'a') and here",
        "x = here if hasattr(jax, 'a') else None",
        "def f():\n    if not hasattr(jax, 'a'):\n        return\n    here",
    ],
)
def test_code_behind_a_question_need_not_find_its_names(code: str) -> None:
    module = module_of(code, "file.py")
    assert place(module) in conditional(module)


@pytest.mark.parametrize(
    "code",
    [
        "here",
        "if x > 0:\n    here",
        "try:\n    here\nexcept ValueError:\n    pass",
        "with open(path):\n    here",
        "def f():\n    if hasattr(jax, 'a'):\n        return\n\nhere",
    ],
)
def test_other_code_has_to(code: str) -> None:
    module = module_of(code, "file.py")
    assert place(module) not in conditional(module)


def test_what_is_tried_has_a_handler_for_the_error() -> None:
    module = module_of("try:\n    here\nexcept (KeyError, TypeError):\n    pass", "file.py")
    assert place(module) in attempted(module, frozenset({"TypeError"}))
    assert place(module) not in attempted(module, frozenset({"ValueError"}))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("jax.tree_map = jax.tree.map", True),
        ("setattr(jax, 'tree_map', f)", True),
        ("tree_map = jax.tree.map", False),
        ("jax.tree_map(f, x)", False),
    ],
)
def test_an_attribute_that_the_module_sets_is_replaced(code: str, expected: bool) -> None:
    assert expected is replaced(module_of(code, "file.py"), "tree_map")

"""Modules for which arguments are invented, and what is invented for them."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from jaxlint.verify.child.arguments import signatures
from jaxlint.verify.child.arguments.invent import Invented, calls
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.protocol import Target

Load = Callable[[str], ModuleType]


_numbers = itertools.count()


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    made: list[str] = []

    def loaded(source: str) -> ModuleType:
        name = f"invented_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        header = "import jax, jax.numpy as jnp\nfrom functools import partial\n"
        path.write_text(header + dedent(source))
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield loaded
    for name in made:
        del sys.modules[name]


def files(module: ModuleType) -> UserFiles:
    return UserFiles([str(module.__file__)])


def everything(module: ModuleType) -> list[Invented]:
    return list(calls(module, None, files(module)))


def entered(module: ModuleType) -> set[str]:
    """Names of the functions that ran under staging."""
    return {name.rpartition(".")[2] for made in everything(module) for _, _, name in made.functions}


def lines_run(module: ModuleType) -> set[str]:
    """The text of the lines that ran under staging."""
    text = Path(str(module.__file__)).read_text().splitlines()
    return {text[line - 1].strip() for made in everything(module) for _, line in made.lines}


def only(module: ModuleType) -> Invented:
    (made,) = everything(module)
    return made


def described(made: Invented) -> str:
    return signatures.describe(made.call)


def target(module: ModuleType, text: str, number: int = 0) -> Target:
    lines = Path(str(module.__file__)).read_text().splitlines()
    (line,) = (place for place, each in enumerate(lines, 1) if text in each)
    column = lines[line - 1].index(text)
    end = column + len(text)
    return Target(number, str(module.__file__), line, column, line, end, "JAX101", "raises")

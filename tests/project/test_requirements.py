"""Which JAX a project is for, by what it declares."""

from __future__ import annotations

import pytest

from jaxlint.engine.machine.project import Context
from jaxlint.engine.queries.analyse import analyse
from jaxlint.facts import ContractViolation
from jaxlint.knowledge import lookup
from jaxlint.knowledge.releases import Supported
from jaxlint.project.requirements import declared_jax
from jaxlint.testing.lint import module_of


class Files:
    """A project of these files."""

    def __init__(self, **files: str) -> None:
        self.files = {f"/p/{name.replace('_', '.', 1)}": text for name, text in files.items()}

    def source(self, path: str) -> str:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]


PROJECT = '[project]\ndependencies = ["numpy", {!r}]\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROJECT.format("jax>=0.4.30"), ">=0.4.30"),
        (PROJECT.format("jax[cuda12]==0.4.38"), "==0.4.38"),
        (PROJECT.format("jaxtyping>=0.2"), ""),
        ('[project.optional-dependencies]\ngpu = ["jax <0.5"]\n', "<0.5"),
        ('[tool.poetry.dependencies]\njax = "^0.4.20"\n', "~=0.4.0"),
        ('[tool.poetry.dependencies]\njax = {version = "0.4.30"}\n', "0.4.30"),
        ("not toml [", ""),
    ],
)
def test_the_requirement_on_jax_is_read(text: str, expected: str) -> None:
    assert declared_jax("/p", Files(pyproject_toml=text)) == expected  # type: ignore[arg-type]


def test_requirements_count_where_the_project_says_nothing() -> None:
    files = Files(requirements_txt="flax\njax==0.4.20  # for the TPU\njaxlib\n")
    assert declared_jax("/p", files).strip() == "==0.4.20"  # type: ignore[arg-type]


def test_without_a_project_nothing_is_declared() -> None:
    assert declared_jax(None, Files()) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("requirement", "reached", "beyond"),
    [
        ("", "0.10.2", "0.11.0"),
        (">=0.4.30", "0.10.2", "0.11.0"),
        (">=0.11", "0.12.0", ""),
        ("<0.5", "0.4.38", "0.5.0"),
        ("<=0.4.30", "0.4.30", "0.4.31"),
        (">=0.4,<0.6,!=0.5.1", "0.5.3", "0.6.0"),
        ("==0.4.*", "0.4.38", "0.5.0"),
        ("~=0.4.30", "0.4.38", "0.5.0"),
        ("==0.4.20; python_version >= '3.10'", "0.4.20", "0.4.21"),
    ],
)
def test_a_requirement_bounds_the_newest_version(
    requirement: str, reached: str, beyond: str
) -> None:
    found = lookup.supported(requirement)
    assert found.reaches(reached)
    assert not beyond or not found.reaches(beyond)


def test_a_target_is_the_newest_version_itself() -> None:
    assert Supported("0.4.30").reaches("0.4.30")
    assert not Supported("0.4.30").reaches("0.4.31")


MAPPED = """import jax
import jax.numpy as jnp

def smooth(row):
    return jax.pure_callback(lambda a: a, row, row)

jax.vmap(smooth)(jnp.ones((4, 3)))
"""


@pytest.mark.parametrize(
    ("newest", "refused"), [(Supported("0.5.3"), False), (Supported("0.6.0"), True)]
)
def test_what_releases_refuse_is_told_of_a_project_for_them(
    newest: Supported, refused: bool
) -> None:
    found = analyse(module_of(MAPPED, "file.py"), Context(newest_jax=newest))
    violations = [fact.kind for fact in found if isinstance(fact, ContractViolation)]
    assert ("callback-vmap_method" in violations) == refused

"""Nothing is looked for where nothing can be found, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.project.mentions import Mentions


def make(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


PROJECT = {"setup.cfg": "", "a.py": "import os\n", "pkg/__init__.py": "", "pkg/b.py": "x = 1\n"}


def none_in(root: Path, *names: str) -> bool:
    return Mentions().none_in([str(root / name) for name in names])


def test_a_project_that_names_no_library_has_no_findings(tmp_path: Path) -> None:
    make(tmp_path, {**PROJECT, "jax_free.txt": "import jax", ".venv/lib/x.py": "import jax"})
    assert none_in(tmp_path, "a.py", "pkg/b.py")


@pytest.mark.parametrize(
    "more",
    [
        {"a.py": "import jax\n"},
        {"pkg/deep/er/c.py": "from flax import nnx\n"},
        {"build/gen.py": "import jax\n"},
        {"pkg/b.py": "pytest.importorskip('jax')\n"},
        {"pyproject.toml": "[tool.jaxlint]\ntransforms = {'own.jit' = 'jax.jit'}\n"},
        {"pkg/pyproject.toml": "[tool.jaxlint]\nsrc = ['../elsewhere']\n"},
        {"__init__.py": ""},
    ],
    ids=str,
)
def test_anything_that_may_matter_makes_it_be_looked_at(
    tmp_path: Path, more: dict[str, str]
) -> None:
    make(tmp_path, PROJECT | more)
    assert not none_in(tmp_path, "a.py", "pkg/b.py")


def test_of_two_projects_either_may_matter(tmp_path: Path) -> None:
    make(tmp_path / "one", PROJECT)
    make(tmp_path / "two", {**PROJECT, "c.py": "import jax\n"})
    assert none_in(tmp_path, "one/a.py")
    assert not none_in(tmp_path, "one/a.py", "two/a.py")


def test_a_link_to_a_directory_is_followed_once(tmp_path: Path) -> None:
    make(tmp_path / "one", PROJECT)
    make(tmp_path / "two", {"c.py": "import jax\n"})
    (tmp_path / "one" / "around").symlink_to(tmp_path / "one", target_is_directory=True)
    assert none_in(tmp_path, "one/a.py")
    (tmp_path / "one" / "other").symlink_to(tmp_path / "two", target_is_directory=True)
    assert not none_in(tmp_path, "one/a.py")


def test_what_git_and_installers_hide_is_looked_at_when_asked_for(tmp_path: Path) -> None:
    make(tmp_path, {**PROJECT, "venv/a.py": "x = 1\n"})
    assert not none_in(tmp_path, "venv/a.py")


def test_a_file_of_another_name_counts(tmp_path: Path) -> None:
    make(tmp_path, {**PROJECT, "script": "import jax\n"})
    assert none_in(tmp_path, "a.py")
    assert not none_in(tmp_path, "script")

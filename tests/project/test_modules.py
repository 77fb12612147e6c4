"""Where modules are found: the linter finds the file that Python finds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import pytest

from jaxlint.project.file_systems.files import DISK, Memory
from jaxlint.project.imports import Import, imports_in
from jaxlint.project.modules import Place, Resolver
from jaxlint.project.roots import project_root

TREE = [
    "pyproject.toml",
    "setup_helper.py",
    "scripts/train.py",
    "scripts/tools.py",
    "src/pkg/__init__.py",
    "src/pkg/core.py",
    "src/pkg/core/shadowed.py",
    "src/pkg/sub/__init__.py",
    "src/pkg/sub/deep.py",
    "src/pkg/both.py",
    "src/pkg/both/__init__.py",
    "src/space/part/leaf.py",
    "tests/test_core.py",
    "tests/json.py",
    "tests/data.py",
    "data/readings.csv",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path.resolve()


def python_finds(name: str, path: Sequence[str]) -> Place | None:
    """Where Python finds a dotted name whose first part is looked for in these directories."""
    spec: ModuleSpec | None = None
    for part in name.split("."):
        PathFinder.invalidate_caches()
        spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = [*(spec.submodule_search_locations or ())]
    assert spec is not None
    locations = [*(spec.submodule_search_locations or ())]
    origin = spec.origin if spec.has_location else None
    return Place(origin, locations[0] if locations else None)


@pytest.mark.parametrize(
    "name",
    ["pkg", "pkg.core", "pkg.sub", "pkg.sub.deep", "pkg.both", "pkg.missing", "pkg.core.shadowed",
     "space", "space.part", "space.part.leaf", "scripts.train", "tests", "setup_helper", "data",
     "nothing"],
)  # fmt: skip
def test_an_absolute_import_finds_the_file_that_python_finds(root: Path, name: str) -> None:
    importer = str(root / "tests" / "test_core.py")
    path = [str(root / "src"), str(root), str(root / "tests")]
    found = Resolver(str(root), DISK).find(importer, name)
    assert found == python_finds(name, path)


@pytest.mark.parametrize(
    ("importer", "level", "module", "expected"),
    [
        ("src/pkg/core.py", 1, "", "src/pkg/__init__.py"),
        ("src/pkg/core.py", 1, "sub", "src/pkg/sub/__init__.py"),
        ("src/pkg/__init__.py", 1, "core", "src/pkg/core.py"),
        ("src/pkg/sub/deep.py", 2, "core", "src/pkg/core.py"),
        ("src/pkg/sub/__init__.py", 2, "both", "src/pkg/both/__init__.py"),
        ("src/pkg/sub/deep.py", 1, "missing", None),
        ("src/space/part/leaf.py", 2, "part.leaf", "src/space/part/leaf.py"),
    ],
)
def test_dots_count_packages(
    root: Path, importer: str, level: int, module: str, expected: str | None
) -> None:
    found = Resolver(str(root), DISK).find(str(root / importer), module, level)
    assert (found and found.path) == (expected and str(root / expected))


def test_the_standard_library_is_not_looked_for(root: Path) -> None:
    assert Resolver(str(root), DISK).find(str(root / "tests/test_core.py"), "json") is None


def test_a_script_finds_what_lies_beside_it(root: Path) -> None:
    found = Resolver(str(root), DISK).find(str(root / "scripts/train.py"), "tools")
    assert found == Place(str(root / "scripts/tools.py"))


def test_configured_sources_come_first(root: Path) -> None:
    resolver = Resolver(str(root), DISK, [str(root / "src" / "space")])
    found = resolver.find(str(root / "tests/test_core.py"), "part.leaf")
    assert found == Place(str(root / "src/space/part/leaf.py"))


@pytest.mark.parametrize("mark", ["pyproject.toml", "setup.py", "setup.cfg", ".git/HEAD"])
def test_the_nearest_mark_is_the_root_of_a_project(mark: str) -> None:
    root = os.path.join(os.sep, "work")
    inner = os.path.join(root, "inner")
    path = os.path.join(inner, "pkg", "a.py")
    files = {path: "", os.path.join(root, "pyproject.toml"): ""}
    assert project_root(path, Memory(files)) == root
    assert project_root(path, Memory({**files, os.path.join(inner, mark): ""})) == inner
    assert project_root(path, Memory({path: ""})) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/pkg/sub/deep.py", "pkg.sub.deep"),
        ("src/pkg/sub/__init__.py", "pkg.sub"),
        ("scripts/train.py", "train"),
    ],
)
def test_a_file_is_called_by_its_packages(root: Path, name: str, expected: str) -> None:
    assert Resolver(str(root), DISK).name(str(root / name)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a", [Import("a")]),
        ("import a.b as c, d", [Import("a.b"), Import("d")]),
        ("import a, \\\n  b", [Import("a"), Import("b")]),
        ("from a import b as c, d", [Import("a", 0, ("b", "d"))]),
        ("from a import (  # why\n    b,  # c,\n    d,\n)", [Import("a", 0, ("b", "d"))]),
        ("from . import a", [Import("", 1, ("a",))]),
        ("from ..a.b import *", [Import("a.b", 2, ("*",))]),
        ("from a import b, \\\n  c", [Import("a", 0, ("b", "c"))]),
        ("from a import ω as omega", [Import("a", 0, ("ω",))]),
        ("from a import ", [Import("a")]),
        ("from.a import b", [Import("a", 1, ("b",))]),
        ("def f():\n    from .a import b; import c", [Import("a", 1, ("b",)), Import("c")]),
        ("try: import a\nexcept ImportError: a = None", [Import("a")]),
        ("if x: from a import b\nelse: import c", [Import("a", 0, ("b",)), Import("c")]),
        ("\ufeffimport a\n\x0cfrom b import c", [Import("a"), Import("b", 0, ("c",))]),
        ("important = 1\nx = 'import'", []),
    ],
)
def test_imports_are_read_without_parsing(source: str, expected: list[Import]) -> None:
    assert imports_in(source.encode()) == expected


@pytest.mark.parametrize("packages", ["site-packages", "dist-packages"])
def test_an_installed_package_is_a_project_without_its_neighbours(packages: str) -> None:
    around = os.path.join(os.sep, "project", ".venv", "lib", packages)
    inner = os.path.join(around, "ours", "core", "a.py")
    package = os.path.join(around, "ours", "__init__.py")
    names = [inner, package, os.path.join(os.path.dirname(inner), "__init__.py")]
    theirs = os.path.join(around, "theirs", "__init__.py")
    project = os.path.join(os.sep, "project", "pyproject.toml")
    files = Memory(dict.fromkeys([*names, theirs, project], ""))

    root = project_root(inner, files)
    assert os.path.join(around, "ours") == root
    resolver = Resolver(root, files)
    assert Place(package, os.path.dirname(package)) == resolver.find(inner, "ours")
    assert resolver.find(inner, "theirs") is None


def test_a_home_directory_is_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", os.path.join("home", "me"))
    inside = os.path.join("home", "me", "work")
    files = Memory({os.path.join("home", "me", "setup.py"): "", os.path.join(inside, "a.py"): ""})
    assert project_root(os.path.join(inside, "a.py"), files) is None
    files = Memory({os.path.join(inside, "setup.py"): "", os.path.join(inside, "b", "a.py"): ""})
    assert inside == project_root(os.path.join(inside, "b", "a.py"), files)

"""Which files are found below directories, and which are left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jaxlint.base.errors import SettingsError
from jaxlint.project.discovery import Discovery, discover
from jaxlint.project.file_systems.files import Disk, Entry, FileSystem, Memory
from jaxlint.project.ignore import Exclude
from jaxlint.project.roots import DEFAULT_EXCLUDES


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *names: str, **texts: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(*paths: str, **options: object) -> list[str]:
    return discover(paths, **options).files  # type: ignore[arg-type]


def test_directories_are_searched_in_sorted_order(here: Path) -> None:
    write(here, "b.py", "a/z.py", "a/a.py", "c/x.py", "a/notes.txt", "a.pyi", "a/b.pyx")
    assert found(".") == ["a/a.py", "a/z.py", "b.py", "c/x.py"]
    assert found("c", "a") == ["c/x.py", "a/a.py", "a/z.py"]


def test_a_file_is_taken_whatever_its_name(here: Path) -> None:
    write(here, "script", ".venv/x.py")
    assert found("./script", ".venv/x.py") == ["./script", ".venv/x.py"]


def test_a_path_listed_twice_is_checked_once(here: Path) -> None:
    write(here, "a/x.py")
    assert found("a/x.py", "a", "./a/x.py", str(here / "a")) == ["a/x.py"]


@pytest.mark.parametrize("name", [name.replace("*", "my") for name in sorted(DEFAULT_EXCLUDES)])
def test_default_excludes_hide_directories_but_not_when_named(here: Path, name: str) -> None:
    write(here, f"{name}/x.py", f"deep/{name}/x.py", "y.py")
    assert found(".") == ["y.py"]
    assert [f"{name}/x.py"] == found(name)


def test_a_directory_below_an_excluded_one_is_checked_when_named(here: Path) -> None:
    write(here, ".venv/lib/site-packages/jax/core.py", ".git/HEAD")
    (here / ".gitignore").write_text(".venv/\n")
    (here / ".venv" / ".gitignore").write_text("*\n")
    named = ".venv/lib/site-packages/jax"
    assert [f"{named}/core.py"] == found(named)


def test_a_directory_called_like_a_module_is_a_directory(here: Path) -> None:
    write(here, "x.py/inner.py")
    assert found(".") == ["x.py/inner.py"]
    assert found("x.py") == ["x.py/inner.py"]


def test_a_missing_path_is_a_problem_and_the_rest_is_found(here: Path) -> None:
    write(here, "a.py")
    result = discover(["gone.py", "a.py", ""])
    assert result.files == ["a.py"]
    assert [(problem.filename, problem.message) for problem in result.problems] == [
        ("gone.py", "no such file or directory"),
        ("", "no such file or directory"),
    ]


def test_endings_say_which_files_of_a_directory_count(here: Path) -> None:
    write(here, "a.ipynb", "b.py", "c.md")
    assert found(".") == ["b.py"]
    assert discover(["."], endings=(".py", ".ipynb")).files == ["a.ipynb", "b.py"]
    assert found("c.md") == ["c.md"]


def test_a_directory_without_python_files_is_told_of(here: Path) -> None:
    write(here, "empty/notes.txt", "full/a.py")
    assert Discovery(files=["full/a.py"], empty=["empty"]) == discover(["empty", "full"])


def test_loops_of_links_end(here: Path) -> None:
    write(here, "a/x.py")
    (here / "a" / "loop").symlink_to(here / "a", target_is_directory=True)
    (here / "a" / "self.py").symlink_to("self.py")
    (here / "a" / "dangling.py").symlink_to("nowhere.py")
    assert found("a") == ["a/x.py"]
    result = discover(["a/self.py"])
    assert [p.message for p in result.problems] == ["too many levels of symbolic links"]


def test_a_link_to_a_file_and_the_file_are_one(here: Path) -> None:
    write(here, "b.py")
    (here / "a.py").symlink_to("b.py")
    assert found(".") == ["a.py"]


def test_an_unreadable_directory_is_a_problem_and_the_rest_is_found() -> None:
    class Locked(Memory):
        def scan(self, directory: str) -> list[Entry]:
            if directory.endswith("locked"):
                raise PermissionError(13, "Permission denied", directory)
            return super().scan(directory)

    files = Locked({"src/locked/a.py": "", "src/open/b.py": ""})
    result = discover(["src"], files)
    assert result.files == ["src/open/b.py"]
    assert [(problem.filename, problem.message) for problem in result.problems] == [
        ("src/locked", "permission denied")
    ]


GITIGNORES = [
    ("gen/\n", "", ["keep.py", "sub/x.py"]),
    ("*.py\n!keep.py\n", "", ["keep.py"]),
    ("x.py\n", "", ["gen/y.py", "keep.py"]),
    ("x.py\n", "!x.py\n", ["gen/y.py", "keep.py", "sub/x.py"]),
    ("/x.py\n", "", ["gen/y.py", "keep.py", "sub/x.py"]),
    ("sub\n", "!x.py\n", ["gen/y.py", "keep.py"]),
    ("", "/x.py\n", ["gen/y.py", "keep.py"]),
    ("# nothing\n\n", "", ["gen/y.py", "keep.py", "sub/x.py"]),
    ("!\ngen/\n", "", ["keep.py", "sub/x.py"]),
]


@pytest.mark.parametrize("outer, inner, expected", GITIGNORES)
@pytest.mark.parametrize("repository", [False, True])
def test_gitignore_files_are_respected_at_every_level(
    here: Path, outer: str, inner: str, expected: list[str], repository: bool
) -> None:
    write(here, "gen/y.py", "keep.py", "sub/x.py", *([".git/HEAD"] if repository else []))
    (here / ".gitignore").write_text(outer)
    (here / "sub" / ".gitignore").write_text(inner)
    assert expected == found(".")


def test_gitignore_files_above_count_up_to_the_repository(here: Path) -> None:
    write(here, "repo/.git/HEAD", "repo/src/a.py", "repo/src/gen.py", "repo/src/pkg/b.py")
    (here / ".gitignore").write_text("a.py\n")
    (here / "repo" / ".gitignore").write_text("gen.py\n")
    (here / "repo" / "src" / ".gitignore").write_text("pkg/b.py\n")
    assert found("repo/src") == ["repo/src/a.py"]
    assert found("repo/src/pkg") == []


@pytest.mark.parametrize("linked", [False, True])
def test_the_exclude_file_of_the_repository_counts(here: Path, linked: bool) -> None:
    write(here, "src/a.py", "src/b.py")
    git = here / ".git"
    if linked:
        (here / ".git").write_text("gitdir: elsewhere/worktrees/w\n")
        tree = here / "elsewhere" / "worktrees" / "w"
        tree.mkdir(parents=True)
        (tree / "commondir").write_text("../..\n")
        git = here / "elsewhere"
    (git / "info").mkdir(parents=True)
    (git / "info" / "exclude").write_text("b.py\n")
    assert found("src") == ["src/a.py"]


def test_patterns_exclude_relative_to_their_base(here: Path) -> None:
    write(here, "src/gen/a.py", "src/b_pb2.py", "src/c.py", "gen/d.py")

    def patterns(*words: str, base: str = "") -> list[str]:
        return found(".", exclude=lambda path: Exclude(words, base))

    assert patterns("*_pb2.py", "src/gen") == ["gen/d.py", "src/c.py"]
    assert patterns("gen/") == ["src/b_pb2.py", "src/c.py"]
    assert patterns("/gen", base="src") == ["gen/d.py", "src/b_pb2.py", "src/c.py"]


def test_patterns_do_not_exclude_a_directory_that_is_named(here: Path) -> None:
    write(here, "gen/a.py", "gen/b_pb2.py")
    assert found("gen", exclude=lambda path: Exclude(["gen"])) == ["gen/a.py", "gen/b_pb2.py"]
    assert found("gen", exclude=lambda path: Exclude(["*_pb2.py"])) == ["gen/a.py"]


def test_a_pattern_that_means_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="exclude: "):
        Exclude(["!"])


def test_forced_excludes_apply_to_files_that_are_named(here: Path) -> None:
    write(here, "gen/a.py", "build/b.py", "c.py")

    def forced(force: bool) -> list[str]:
        named = ["gen/a.py", str(here / "build" / "b.py"), "c.py"]
        return found(*named, exclude=lambda path: Exclude(["gen"]), force_exclude=force)

    assert forced(True) == ["c.py"]
    assert len(forced(False)) == 3


@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_disk_and_memory_agree(here: Path, kind: str) -> None:
    names = ["a/b/c.py", "a/d.py", "e.py"]
    write(here, *names)
    files: FileSystem = Disk() if kind == "disk" else Memory(dict.fromkeys(names, ""))
    assert [files.kind(path) for path in ("a", "a/d.py", "x", "e.py/y")] == [
        "directory",
        "file",
        "missing",
        "missing",
    ]
    assert [Entry("b", "directory"), Entry("d.py", "file")] == files.scan("a")
    assert [Entry("a", "directory"), Entry("e.py", "file")] == files.scan(os.curdir)
    assert files.read("a/d.py") == b""
    assert files.identity("a/../e.py") == files.identity("e.py")
    with pytest.raises(FileNotFoundError):
        files.read("x")

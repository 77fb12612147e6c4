"""The file of projects is well-formed, and its reader says clearly what is wrong with a file."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from public_projects import (
    KINDS,
    PROJECTS,
    REQUIREMENTS,
    Place,
    Project,
    ProjectError,
    project,
    read,
)

TEXT = PROJECTS.read_text(encoding="utf-8")
ALL = read()
COMMIT = "0123456789abcdef0123456789abcdef01234567"
TABLE: dict[str, object] = {
    "repository": "owner/name",
    "commit": COMMIT,
    "kind": ["library", "small", "plain"],
    "tests": ["tests"],
}
LEAST = 24
"""The accuracy page speaks of at least so many projects."""
JUDGED = 10
"""Of the repositories of the ledger at least so many are among the projects."""
MOVES_JAX = re.compile(r"(jax|jaxlib|numpy)([=<>~!\[ ].*)?")


def test_there_are_enough_projects_beside_the_last() -> None:
    assert sum(not each.last for each in ALL.values()) >= LEAST
    assert sum(each.last for each in ALL.values()) == 1
    assert list(ALL.values())[-1].last


def test_each_repository_is_there_once() -> None:
    counts = Counter(each.repository.lower() for each in ALL.values())
    assert not [name for name, count in counts.items() if count > 1]


@pytest.mark.parametrize("tag", sorted(KINDS))
def test_each_kind_is_among_them(tag: str) -> None:
    assert [name for name, each in ALL.items() if tag in each.kind and not each.last]


@pytest.mark.parametrize("name", ALL)
def test_kind_says_what_and_how_large(name: str) -> None:
    kind = ALL[name].kind
    assert len({"library", "application"} & set(kind)) == 1
    assert len({"small", "large"} & set(kind)) == 1
    assert set(kind) - {"library", "application", "small", "large"}


@pytest.mark.parametrize("name", ALL)
def test_install_moves_neither_jax_nor_numpy(name: str) -> None:
    assert not [each for each in ALL[name].install if MOVES_JAX.fullmatch(each)]


@pytest.mark.parametrize("name", ALL)
def test_nothing_names_a_machine(name: str) -> None:
    each = ALL[name]
    words = [*each.tests, *each.script, *each.install, *each.environment.values(), each.note]
    assert not [word for word in words if word.startswith(("/", "~")) or "://" in word]


def test_no_file_names_a_host() -> None:
    text = TEXT + REQUIREMENTS.read_text(encoding="utf-8")
    assert not re.findall(r"://|--(?:extra-)?index-url|--find-links|/tmp/|/home/|/root/", text)


def test_every_shared_requirement_is_pinned() -> None:
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert pinned and all(re.fullmatch(r"[\w.-]+==[\w.+]+", line) for line in pinned)


def test_table_is_read() -> None:
    table = {**TABLE, "roots": ["src"], "environment": {"A": "b"}, "last": True}
    each = project("name", table)
    expected = Project("name", "owner/name", COMMIT, ("library", "small", "plain"), ("tests",))
    assert each == replace(expected, roots=("src",), environment={"A": "b"}, last=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"commit": "main"}, "name: `commit` has 40 hexadecimal digits, not 'main'"),
        ({"commit": COMMIT.upper()}, "name: `commit` has 40 hexadecimal digits"),
        ({"repository": "name"}, "name: `repository` is OWNER/NAME, not 'name'"),
        ({"kind": []}, "name: `kind` has at least one tag"),
        ({"kind": ["toy"]}, "name: `kind` has tags of application, equinox"),
        ({"tests": []}, "name: `tests` has arguments unless `script` has"),
        ({"tests": "tests"}, "name: `tests` is a list of strings, not 'tests'"),
        ({"tests": [1]}, r"name: `tests` is a list of strings, not \[1\]"),
        ({"roots": ["/src"]}, "name: `roots` has paths relative to the checkout"),
        ({"paths": ["a/../.."]}, "name: `paths` has paths relative to the checkout"),
        ({"generated": {"/a": ""}}, "name: `generated` has paths relative to the checkout"),
        ({"environment": ["A"]}, "name: `environment` is a table of strings"),
        ({"environment": {"A": 1}}, "name: `environment` is a table of strings"),
        ({"last": 1}, "name: `last` is bool, not 1"),
        ({"extra": 1}, "name: unknown key `extra`"),
        ({"name": "other"}, "name: unknown key `name`"),
    ],
)
def test_wrong_table_is_an_error(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ProjectError, match=message):
        project("name", {**TABLE, **changes})


@pytest.mark.parametrize("key", ["repository", "commit", "kind"])
def test_missing_key_is_an_error(key: str) -> None:
    table = {name: value for name, value in TABLE.items() if name != key}
    with pytest.raises(ProjectError, match=f"name: no `{key}`"):
        project("name", table)


@pytest.mark.parametrize(("text", "message"), [("x = 1", "x: a project is a table"), ("x", "toml")])
def test_wrong_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "projects.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProjectError, match=message):
        read(path)


@pytest.fixture
def small(tmp_path: Path) -> Project:
    """A project whose repository is a folder of copies."""
    source = tmp_path / "copies" / "small"
    (source / "src").mkdir(parents=True)
    (source / "src" / "small.py").write_text("NUMBER = 1\n", encoding="utf-8")
    _git(source, "init", "--quiet")
    _git(source, "add", ".")
    _git(source, "commit", "--quiet", "--message", "first")
    commit = _git(source, "rev-parse", "HEAD").strip()
    (source / "src" / "small.py").write_text("NUMBER = 2\n", encoding="utf-8")
    _git(source, "commit", "--quiet", "--all", "--message", "second")
    return project("small", {**TABLE, "commit": commit, "roots": ["src"]})


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_checkout_has_the_commit_and_what_a_build_writes(small: Project, tmp_path: Path) -> None:
    place = Place(tmp_path / "work", Path(sys.prefix), tmp_path / "copies")
    checkout = place.clone(replace(small, generated={"src/made.py": "MADE = 3\n"}))
    assert checkout == tmp_path / "work" / "checkouts" / "small"
    assert _git(checkout, "rev-parse", "HEAD").strip() == small.commit
    assert _git(checkout, "status", "--porcelain").split() == ["??", "src/made.py"]
    assert (checkout / "src" / "small.py").read_text(encoding="utf-8") == "NUMBER = 1\n"


def test_file_without_content_is_left_out(small: Project, tmp_path: Path) -> None:
    source = tmp_path / "copies" / "small"
    large = _git(source, "rev-parse", f"{small.commit}:src/small.py").strip()
    (source / ".git" / "objects" / large[:2] / large[2:]).unlink()
    place = Place(tmp_path / "work", Path(sys.prefix), tmp_path / "copies")
    checkout = place.clone(small)
    assert not (checkout / "src" / "small.py").exists()
    assert not _git(checkout, "status", "--porcelain")


def test_unknown_commit_is_an_error(small: Project, tmp_path: Path) -> None:
    place = Place(tmp_path / "work", Path(sys.prefix), tmp_path / "copies")
    with pytest.raises(ProjectError, match="git"):
        place.clone(replace(small, commit=COMMIT))


def test_child_imports_the_checkout_alone(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    place = Place(tmp_path / "work", Path(sys.prefix), tmp_path / "copies")
    variables = replace(small, environment={"A": "b"}).variables(place.clone(small))
    assert variables["PYTHONPATH"].split(":")[0] == str(place.checkout(small) / "src")
    assert (variables["JAX_PLATFORMS"], variables["A"]) == ("cpu", "b")
    command = [sys.executable, "-c", "import small; print(small.NUMBER)"]
    out = subprocess.run(command, env=variables, check=True, capture_output=True, text=True)
    assert out.stdout == "1\n"

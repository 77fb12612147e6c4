"""Documents of the cache that come with a repository change nothing: somebody else wrote them, or
this user did, elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from edited import Outcome, cached, fresh, inside, make

from jaxlint.cache import key
from jaxlint.cache.folder import Folder
from jaxlint.cache.key import Key
from jaxlint.frontends.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="needs links, pipes and modes")
HOSTILE = "\x1b[2J\x1b]0;owned\x07\n::error file=x::owned\n::set-env name=PATH::/tmp\n"


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the keys of this user, "mine", and of somebody else, "theirs"."""
    monkeypatch.setenv(key.VARIABLE, str(tmp_path / "keys" / "mine"))
    return tmp_path / "keys"


@pytest.fixture
def theirs(keys: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], Any]:
    """Does something as somebody else, who has the same jaxlint and another key."""

    def act(something: Callable[[], Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setenv(key.VARIABLE, str(keys / "theirs"))
            return something()

    return act


def written(cache: Path) -> dict[Path, Any]:
    """The documents of a cache, read by nobody's leave."""
    paths = sorted((cache / "check").glob("*.json"))
    return {path: json.loads(path.read_bytes().partition(b"\n")[2]) for path in paths}


def emptied(document: Any) -> Any:
    """A run that has looked at nothing."""
    lists = ("files", "directories", "kinds", "links", "sources", "packages")
    return {
        **document,
        **{name: [] for name in lists},
        "said": [["out", "No findings.\n"]],
        "code": 0,
    }


def shouting(document: Any) -> Any:
    """A run that speaks to the terminal and to the service that runs it."""
    return {**emptied(document), "said": [["out", HOSTILE], ["err", HOSTILE]]}


def cleared(document: Any) -> Any:
    """Files in which nothing was found."""
    return {**document, "examined": {path: [[], [], None] for path in document["examined"]}}


FORGERIES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "an empty run": ("run-", emptied),
    "a run with escapes and commands": ("run-", shouting),
    "files without findings": ("files-", cleared),
}


@pytest.mark.parametrize("kind", FORGERIES)
def test_what_somebody_else_forged_changes_nothing(
    project: Path, theirs: Callable[[Callable[[], Any]], Any], kind: str
) -> None:
    beginning, forge = FORGERIES[kind]
    cache = project / ".jaxlint_cache"

    def forged() -> Outcome:
        cached(cache, ())
        for path, document in written(cache).items():
            if path.name.startswith(beginning):
                assert Folder(str(cache)).write(path.stem, forge(document))
            else:
                path.unlink()
        return cached(cache, ())[0]

    expected = fresh(())
    assert expected[0] == 1
    assert theirs(forged) != expected
    assert cached(cache, ()) == (expected, False)
    assert cached(cache, ()) == (expected, True)


def test_a_document_is_for_its_place_its_name_and_its_version(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    make(other)
    (other / "app.py").write_text("import jax\n")
    (other / "alone.py").write_text("import jax\n")
    caches = project / ".jaxlint_cache", other / ".jaxlint_cache"
    with inside(other):
        cached(caches[1], ("--exclude", "helper.py,pkg"))
        assert cached(caches[1], ())[0][0] == 0
    expected = cached(caches[0], ())[0]
    for name, document in (("run-1", {"a": 1}), ("run-2", {"a": 2})):
        assert Folder(str(caches[0])).write(name, document)
    first, second = (caches[0] / "check" / f"run-{number}.json" for number in (1, 2))
    shutil.copy(second, first)
    assert Folder(str(caches[0])).read("run-1") is None
    assert Folder(str(caches[0])).read("run-2") == {"a": 2}
    with monkeypatch.context() as patch:
        patch.setattr(key, "version", "0.0.1")
        assert Folder(str(caches[0])).read("run-2") is None
    # The run of the other project under the name of this one's, and its files too.
    shutil.rmtree(caches[0])
    shutil.copytree(caches[1], caches[0])
    assert cached(caches[0], ()) == (expected, False)
    here = {path.name.partition("-")[0]: path for path in written(caches[0])}
    shutil.rmtree(caches[0])
    shutil.copytree(caches[1], caches[0])
    for path in written(caches[1]):
        shutil.copy(path, here[path.name.partition("-")[0]])
    assert cached(caches[0], ()) == (expected, False)


@posix
@pytest.mark.parametrize("kind", ["link", "pipe", "device", "socket", "huge", "directory"])
def test_what_is_no_file_of_ours_is_neither_read_nor_waited_for(
    project: Path, tmp_path: Path, kind: str
) -> None:
    cache = project / ".jaxlint_cache"
    expected = cached(cache, ())[0]
    for path in written(cache):
        aside = tmp_path / path.name
        path.rename(aside)
        if kind == "link":
            path.symlink_to(aside)
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "socket":
            with inside(path.parent), socket.socket(socket.AF_UNIX) as one:
                one.bind(path.name)
        elif kind == "huge":
            with path.open("wb") as stream:
                stream.truncate(1 << 40)
        else:
            path.mkdir()
    assert cached(cache, ()) == (expected, False)


@posix
@pytest.mark.parametrize("part", [".", "check"])
def test_no_document_is_written_through_a_link(project: Path, tmp_path: Path, part: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = project / ".jaxlint_cache" / part
    if part != ".":
        link.parent.mkdir()
    link = project / ".jaxlint_cache" if part == "." else link
    link.symlink_to(elsewhere)
    for _ in range(2):
        assert CliRunner().invoke(main, ["check"]).exit_code == 1
    assert list(elsewhere.iterdir()) == []


def test_nothing_is_kept_out_of_version_control_in_a_directory_that_was_there(
    project: Path,
) -> None:
    (project / "src").mkdir()
    assert CliRunner().invoke(main, ["check", "--cache-dir", "src"]).exit_code == 1
    assert written(project / "src")
    assert not (project / "src" / ".gitignore").exists()


def test_only_own_documents_are_counted_and_removed(project: Path) -> None:
    cache = project / ".jaxlint_cache"
    CliRunner().invoke(main, ["check"])
    number = len(written(cache))
    forged = [cache / "check" / name for name in ("run-1.json", "files-2.json", "run-3.json.4-5")]
    for path in forged:
        path.write_text('jaxlint 2 abc def\n{"mine": 1}')
    assert "runs: 1\n" in CliRunner().invoke(main, ["cache", "info"]).stdout
    result = CliRunner().invoke(main, ["cache", "clear"])
    assert result.stdout.startswith(f"removed {number} files")
    assert sorted(forged) == sorted((cache / "check").iterdir())


def test_documents_of_another_version_are_removed_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = project / ".jaxlint_cache"
    with monkeypatch.context() as patch:
        patch.setattr(key, "version", "0.0.1")
        assert Folder(str(cache)).write("run-1", {})
    assert Folder(str(cache)).clear()[0] == 1


@posix
def test_the_key_is_secret_and_made_once(keys: Path) -> None:
    first = Key.find(make=True)
    assert first is not None
    path = keys / "mine"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0
    assert [path] == list(keys.iterdir())
    before, again = path.read_bytes(), Key.find(make=True)
    assert again is not None
    assert first.mark("run-1") == again.mark("run-1") != again.mark("run-2")
    assert before == path.read_bytes()


@posix
@pytest.mark.parametrize("wrong", ["readable", "short", "link", "pipe", "huge", "in the project"])
def test_a_key_that_is_no_secret_is_none(
    project: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    assert Key.find(make=True) is not None
    path = keys / "mine"
    if wrong == "readable":
        path.chmod(0o644)
    elif wrong == "short":
        path.write_bytes(b"short")
    elif wrong == "link":
        path.rename(keys / "other")
        path.symlink_to(keys / "other")
    elif wrong == "pipe":
        path.unlink()
        os.mkfifo(path, 0o600)
    elif wrong == "huge":
        with path.open("wb") as stream:
            stream.truncate(1 << 40)
    else:
        shutil.copy(path, project / "key")
        monkeypatch.setenv(key.VARIABLE, str(project / "key"))
    assert Key.find(make=True) is None
    cache = project / ".jaxlint_cache"
    expected = fresh(())
    assert [cached(cache, ()) for _ in range(2)] == [(expected, False)] * 2


@pytest.mark.parametrize("missing", ["a file in the way", "no home"])
def test_without_a_place_for_a_key_there_is_no_cache(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    if missing == "no home":
        monkeypatch.delenv(key.VARIABLE)
        for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    else:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv(key.VARIABLE, str(tmp_path / "file" / "key"))
    cache = project / ".jaxlint_cache"
    expected = fresh(())
    assert [cached(cache, ()) for _ in range(2)] == [(expected, False)] * 2
    assert not cache.exists()

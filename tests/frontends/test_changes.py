"""A session that is told of edits says what a new one says."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.base.finding import Finding
from jaxlint.frontends.lsp.documents import Documents
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

ROOT = os.path.abspath(os.sep + "p")
VERSIONS = {
    "pkg/__init__.py": [
        "",
        "from pkg.ops import act\n",
        "import jax\njax.config.update('jax_enable_x64', True)\n",
    ],
    "pkg/ops.py": [
        "def act(x):\n    return x\n",
        "def act(x):\n    if x > 0:\n        return x\n    return -x\n",
        "from pkg.deep import sign as act\n",
        "def act(x:\n",
        "def act(x):\n    return helper(x)\n\nfrom pkg.deep import sign as helper\n",
    ],
    "pkg/deep.py": [
        "def sign(x):\n    return x\n",
        "def sign(x):\n    return bool(x)\n",
        "import jax\n\n@jax.jit\ndef sign(x):\n    assert x\n    return x\n",
    ],
    "pkg/main.py": [
        "import jax\nfrom pkg.ops import act\n\n@jax.jit\ndef step(x):\n    return act(x)\n",
        "import jax\nfrom pkg import ops\n\nstep = jax.jit(lambda x: ops.act(x.shape[0]))\n",
        "import jax\nimport jax.numpy as jnp\nfrom pkg.ops import act\n\nstep = jax.jit(act)\n"
        "big = jnp.zeros(3, jnp.float64)\n",
        "x = 1\n",
    ],
}
NAMES = sorted(VERSIONS)
EDITS = st.lists(
    st.sampled_from([(name, text) for name in NAMES for text in VERSIONS[name]]),
    min_size=1,
    max_size=6,
)


def findings(session: Session) -> dict[str, tuple[Finding, ...]]:
    return {name: session.check(os.path.join(ROOT, name)).findings for name in NAMES}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(EDITS)
def test_after_any_edits_a_session_says_what_a_new_one_says(edits: list[tuple[str, str]]) -> None:
    contents = {os.path.join(ROOT, name): VERSIONS[name][0] for name in NAMES}
    files = Memory({os.path.join(ROOT, "setup.cfg"): "", **contents})
    paths = list(contents)
    warm = Session(files=files)
    warm.ask(paths)
    findings(warm)
    for name, text in edits:
        path = os.path.join(ROOT, name)
        files.contents[path] = text.encode()
        warm.changed(path)
        fresh = Session(files=files)
        fresh.ask(paths)
        assert findings(fresh) == findings(warm)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 4), st.integers(0, 8))))
def test_after_edits_that_interrupt_each_other_a_server_says_what_a_new_one_says(
    edits: list[tuple[str, int, int]],
) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "pkg").mkdir()
        (Path(folder) / "setup.cfg").write_text("")
        paths = {name: os.path.join(folder, name) for name in NAMES}
        projects = Projects()
        for name, path in paths.items():
            Path(path).write_text(VERSIONS[name][0])
            projects.put(path, VERSIONS[name][0])
        for name, version, calls in edits:
            projects.put(paths[name], VERSIONS[name][version % len(VERSIONS[name])])
            left = iter([False] * calls)
            for outdated in projects.outdated():
                projects.check(outdated, lambda left=left: next(left, True))  # type: ignore[misc]
        fresh = Session(files=projects.documents)
        fresh.ask(paths.values())
        for path in paths.values():
            report = projects.check(path, lambda: False)
            assert report is not None
            assert fresh.check(path).findings == report.findings


def test_only_what_depends_on_a_file_is_examined_again() -> None:
    texts = {name: VERSIONS[name][0] for name in NAMES} | {"setup.cfg": "", "other.py": ""}
    texts["other.py"] = "import jax\n\n@jax.jit\ndef f(x):\n    return x\n"
    files = Memory({os.path.join(ROOT, name): text for name, text in texts.items()})
    session = Session(files=files)
    main, other, ops = (os.path.join(ROOT, it) for it in ("pkg/main.py", "other.py", "pkg/ops.py"))
    session.check(main)
    session.check(other)
    files.contents[ops] = VERSIONS["pkg/ops.py"][1].encode()
    affected = session.changed(ops)
    assert main in affected
    assert other not in affected
    assert session.known(other)
    assert not session.known(main)


def test_what_depends_on_a_broken_file_may_wait(tmp_path: Path) -> None:
    files = Memory({os.path.join(ROOT, name): VERSIONS[name][0] for name in NAMES})
    session = Session(files=files)
    main, ops = (os.path.join(ROOT, name) for name in ("pkg/main.py", "pkg/ops.py"))
    session.ask([main, ops])

    def edited(number: int) -> tuple[set[str], int]:
        files.contents[ops] = VERSIONS["pkg/ops.py"][number].encode()
        affected = session.changed(ops, patient=True)
        return affected, len(session.check(ops).findings)

    session.check(main)
    affected, count = edited(1)
    assert {main, ops} <= affected
    assert 1 == count
    affected, count = edited(3)
    assert {ops} == affected
    assert session.known(main)
    affected, count = edited(1)
    assert {main, ops} <= affected
    assert 1 == count


def test_documents_tell_what_changes_on_the_disk(tmp_path: Path) -> None:
    one, two, new = (str(tmp_path / name) for name in ("one.py", "two.py", "new.py"))
    Path(one).write_text("x = 1\n")
    Path(two).write_text("x = 1\n")
    files = Documents()
    assert b"x = 1\n" == files.read(one) == files.source(two)
    files.scan(str(tmp_path))
    assert "missing" == files.kind(new)
    news = files.news()
    assert (set(), False) == (news.files, news.structure)
    Path(two).write_text("x = 22\n")
    (tmp_path / "swap").write_text("")
    news = files.news()
    assert ({two}, False) == (news.files, news.structure)
    # What is open is what the editor shows, whatever the disk holds.
    assert set() == files.put(one, "x = 1\n").files
    assert {one} == files.put(one, "x = 3\n").files
    Path(one).write_text("x = 4\n")
    assert "x = 3\n" == files.source(one)
    assert {one} == files.close(one).files
    assert b"x = 4\n" == files.source(one)
    Path(new).write_text("")
    assert files.news().structure


def test_a_change_between_two_readers_is_news(tmp_path: Path) -> None:
    path, new = tmp_path / "one.py", tmp_path / "new.py"
    path.write_text("x = 1\n")
    files = Documents()
    assert b"x = 1\n" == files.read(str(path))
    path.write_text("x = 22\n")
    assert b"x = 22\n" == files.read(str(path))
    assert {str(path)} == files.news().files
    assert set() == files.news().files
    assert "missing" == files.kind(str(new))
    new.write_text("")
    assert "file" == files.kind(str(new))
    assert files.news().structure


def test_an_entry_between_two_scans_is_news(tmp_path: Path) -> None:
    files = Documents()
    assert [] == files.scan(str(tmp_path))
    (tmp_path / "new.py").write_text("")
    assert ["new.py"] == [entry.name for entry in files.scan(str(tmp_path))]
    assert files.news().structure


def test_a_document_that_was_never_saved_is_a_file(tmp_path: Path) -> None:
    files = Documents()
    path = str(tmp_path / "new.py")
    assert files.put(path, "x = 1\n").structure
    assert "file" == files.kind(path)
    assert ["new.py"] == [entry.name for entry in files.scan(str(tmp_path))]
    assert files.close(path).structure
    assert "missing" == files.kind(path)


def test_work_that_nobody_waits_for_is_given_up(tmp_path: Path) -> None:
    projects = Projects()
    path = str(tmp_path / "a.py")
    projects.put(path, "import jax\n\n@jax.jit\ndef f(x):\n    assert x > 0\n    return x\n")
    assert [path] == projects.outdated()
    assert projects.check(path, lambda: True) is None
    assert [path] == projects.outdated()
    report = projects.check(path, lambda: False)
    assert report is not None
    assert ["JAX303"] == [finding.code for finding in report.findings]
    assert [] == projects.outdated()


def test_what_a_document_tells_itself_is_shown_first(tmp_path: Path) -> None:
    path, other = str(tmp_path / "a.py"), tmp_path / "b.py"
    (tmp_path / "setup.cfg").write_text("")
    other.write_text("import jax\nfrom a import g\n\n@jax.jit\ndef h(x):\n    return g(x)\n")
    source = (
        "import jax\n\n@jax.jit\ndef f(x):\n    assert x > 0\n    return x\n\n"
        "def g(x):\n    return bool(x > 0)\n"
    )
    Path(path).write_text(source)
    projects = Projects()
    shown: list[int] = []
    for text, told in ((source, [1, 2]), (source + "\n", [2, 2])):
        shown.clear()
        projects.put(path, text)
        report = projects.check(path, lambda: False, lambda it: shown.append(len(it.findings)))
        assert report is not None
        assert told == [*shown, len(report.findings)]


@pytest.mark.parametrize("saved", ["x = 1\n", None])
def test_what_is_closed_is_forgotten(tmp_path: Path, saved: str | None) -> None:
    path, other = str(tmp_path / "a.py"), str(tmp_path / "b.py")
    if saved is not None:
        Path(path).write_text(saved)
    projects = Projects()
    projects.put(path, "import jax\n\ndef f(x):\n    assert x > 0\n    return x\n")
    projects.put(other, "import jax\nfrom a import f\n\njax.jit(f)(1)\n")
    report = projects.check(path, lambda: False)
    assert report is not None
    assert ["JAX303"] == [finding.code for finding in report.findings]
    projects.close(path)
    assert [other] == projects.outdated()
    report = projects.check(other, lambda: False)
    assert report is not None
    assert report.findings == ()

"""Every command in the documents runs, and prints what is shown."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from documents import DOCUMENTS, ROOT, Block
from sessions import LEFT_OUT, SCRIPT, Command, Ran, commands, document_commands, play, project

SHOWING = [path for path in DOCUMENTS if any(document_commands(path))]
# Documents whose commands run JAX.
ON_JAX = {"README.md", "formats.md", "tour.md", "verification.md"}

needs_bash = pytest.mark.skipif(
    shutil.which("bash") is None or shutil.which("git") is None, reason="needs bash and git"
)


def wrong(ran: list[Ran]) -> str:
    """What is not as shown, to be read."""
    return "\n".join(
        f"{one.command.place}: $ {one.command.text}\n{one.printed}[exit code {one.code}]\n"
        for one in ran
        if not one.is_as_shown
    )


@needs_bash
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.jax] if path.name in ON_JAX else [])
        for path in SHOWING
    ],
    ids=lambda path: path.name,
)
def test_commands_print_what_is_shown(tmp_path: Path, path: Path) -> None:
    assert "" == wrong(play(path, project(path, tmp_path / "project")))


def test_no_reason_to_leave_commands_out_is_idle() -> None:
    shown = [one.text for path in SHOWING for one in document_commands(path)]
    idle = [pattern for pattern in LEFT_OUT if not any(re.search(pattern, it) for it in shown)]
    assert [] == idle


def test_scripts_that_are_not_run_have_the_options_that_are_shown() -> None:
    texts = [one.text for path in SHOWING for one in document_commands(path)]
    for text in filter(re.compile(SCRIPT).search, texts):
        script = re.search(r"python3? (\S+)", text)
        assert script is not None
        source = (ROOT / script[1]).read_text(encoding="utf-8")
        own = text.partition("#")[0].partition(" -- ")[0]
        missing = [it for it in re.findall(r"(?<= )--[\w-]+", own) if f'"{it}"' not in source]
        assert [] == missing, text


def block(text: str, language: str = "console") -> list[Command]:
    return commands(Block(ROOT / "README.md", language, 1, text))


def test_a_command_may_go_on_and_shows_what_it_prints() -> None:
    first, second = block("$ echo one \\\n    two\none two\n$ true\n")
    assert ("README.md:1", "echo one \\\n    two", "one two\n") == (
        first.place,
        first.text,
        first.printed,
    )
    assert ("README.md:4", "true", "") == (second.place, second.text, second.printed)


def test_where_nothing_is_shown_nothing_is_compared() -> None:
    assert [None, None] == [one.printed for one in block("$ echo 1\n$ echo 2\n")]
    assert [None, None] == [one.printed for one in block("echo 1\n\necho 2\n", "sh")]


@pytest.mark.parametrize(
    ("text", "shown", "printed", "code", "expected"),
    [
        ("true", None, "x\n", 0, True),
        ("grep", None, "", 1, False),
        ("jaxlint check src", None, "", 1, True),
        ("jaxlint check src", None, "", 2, False),
        ("jaxlint record x.py", None, "", 1, False),
        ("true", "a\nb\n", "a\nb\n", 0, True),
        ("true", "a\nb\n", "a\nc\n", 0, False),
        ("true", "a\n", "a\nb\n", 0, False),
        ("true", "a\n...\nd\n", "a\nb\nc\nd\n", 0, True),
        ("true", "a\n...\nd\n", "a\nb\nc\n", 0, False),
        ("true", "", "said\n", 0, False),
    ],
)
def test_what_differs_is_noticed(
    text: str, shown: str | None, printed: str, code: int, expected: bool
) -> None:
    assert expected == Ran(Command("", 1, text, shown), printed, code).is_as_shown


@needs_bash
def test_a_document_is_played_from_top_to_bottom(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```text\n# notes/one.txt\nfirst\n```\n"
        "```console\n$ cat notes/one.txt\n# notes/one.txt\nfirst\n$ false\n$ echo $?\n1\n"
        "$ pip install x\n```\n"
        "```python\nimport jaxlint\n\nprint(jaxlint.__version__)\n```\n"
        "```sh\nwrongly spelt\n```\n"
    )
    (tmp_path / "project").mkdir()
    ran = play(page, tmp_path / "project")
    assert ["cat notes/one.txt", "false", "echo $?"] == [one.command.text for one in ran[:3]]
    assert [True, True, True, True, False] == [one.is_as_shown for one in ran]

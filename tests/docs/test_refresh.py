"""What commands print now gets into the documents, and nothing else changes."""

from __future__ import annotations

from refresh import refreshed
from sessions import Command, Ran

PAGE = """\
```console
$ one
old
old
$ two
...
$ three
good
$ four
kept
```
"""


def test_what_is_shown_and_no_longer_printed_is_replaced() -> None:
    ran = [
        Ran(Command("page.md", 2, "one", "old\nold\n"), "new\n", 0),
        Ran(Command("page.md", 5, "two", "...\n"), "other\n", 2),
        Ran(Command("page.md", 7, "three", "good\n"), "good\n", 1),
        Ran(Command("page.md", 9, "four", "kept\n"), "failed\n", 2),
    ]
    assert PAGE.replace("old\nold\n", "new\n") == refreshed(PAGE, ran)

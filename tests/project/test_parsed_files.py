"""The cache of parsed files drops what is used least, and grows with what is needed again."""

from __future__ import annotations

import pytest

from jaxlint.project import parsed_files
from jaxlint.project.parsed_files import ParsedFiles


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> ParsedFiles:
    monkeypatch.setattr(parsed_files, "MOST_SOURCE", 30)
    monkeypatch.setattr(parsed_files, "MOST_NEEDED", 45)
    return ParsedFiles()


def ask(cache: ParsedFiles, names: str) -> None:
    for name in names:
        if name in cache:
            cache.get(name)
        else:
            cache.keep(name, None, 10)


def kept(cache: ParsedFiles, names: str) -> str:
    return "".join(name for name in names if name in cache)


def test_the_files_that_were_used_last_are_kept(cache: ParsedFiles) -> None:
    ask(cache, "abcad")

    assert "acd" == kept(cache, "abcd")


def test_files_that_are_asked_for_once_get_no_more_room(cache: ParsedFiles) -> None:
    ask(cache, "abcdefgh")

    assert "fgh" == kept(cache, "abcdefgh")


def test_files_that_are_asked_for_again_get_more_room_up_to_a_limit(cache: ParsedFiles) -> None:
    ask(cache, "abcdabcd")
    assert "abcd" == kept(cache, "abcd")

    ask(cache, "efghefgh")
    assert "efgh" == kept(cache, "abcdefgh")


def test_a_file_that_changed_is_dropped(cache: ParsedFiles) -> None:
    cache.keep("a", None, 10)
    cache.forget("a")
    cache.forget("b")

    assert "a" not in cache

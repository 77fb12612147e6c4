"""After an edit of functions, what is traced again, and what is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edited import ALONE, APP, BODIES, EDITS, TABLE, cached, fresh, inside

from jaxlint.cache.codec import believed, decode_outline, encode_outline
from jaxlint.project.callers import outlines, project_names

CASES = {"app": APP, "alone": ALONE, "table": TABLE.format(**BODIES["plain"]), "none": ""}


def test_an_edit_of_a_body_has_those_traced_again_whose_names_lead_there(
    project: Path, examined: list[str], tmp_path: Path
) -> None:
    with inside(project):
        EDITS["table, plain"](project)
        cached(tmp_path / "cache", ())
        for edit, again in (
            ("table, comment", False),
            ("table, other", False),
            ("table, plain", False),
            ("table, method", False),
            ("table, refused", True),
            ("table, plain", True),
            ("table, broken", True),
            ("table, plain", True),
            ("table, scale", True),
            # What is told of `scale` may be at another line.
            ("table, stores", True),
        ):
            EDITS[edit](project)
            examined.clear()
            found = cached(tmp_path / "cache", ())[0]

            assert again == ("app.py" in examined), edit
            assert found == fresh(()), edit


def test_what_files_mention_is_read_once(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    real = project_names.outline

    def outline(data: bytes, ignored: frozenset[str]) -> outlines.Outline:
        read.append(data)
        return real(data, ignored)

    monkeypatch.setattr(project_names, "outline", outline)
    with inside(project):
        cached(tmp_path / "cache", ("helper.py",))
        assert len(read) > 4
        read.clear()
        EDITS["helper.py fine"](project)
        found = cached(tmp_path / "cache", ("helper.py",))[0]
        assert read == [(project / "helper.py").read_bytes()]
        assert found == fresh(("helper.py",))


@pytest.mark.parametrize("name", sorted(CASES))
def test_an_outline_is_kept_as_it_is(name: str) -> None:
    found = outlines.outline(CASES[name].encode(), frozenset())
    assert decode_outline(json.loads(json.dumps(encode_outline(found)))) == found


@pytest.mark.parametrize(
    "damaged", [None, [], [0, [], [[]]], [0, [], [["other", *[""] * 8]]], [0, [[1]], []], {"a": 1}]
)
def test_what_is_no_outline_is_not_taken_for_one(damaged: object) -> None:
    assert believed(decode_outline, damaged) is None

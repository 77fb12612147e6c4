"""In every format: the calls in other files that lead to a finding, and why it is minor."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from jaxlint.base.finding import Because
from jaxlint.base.text import SourceText, Span
from jaxlint.report.formats import table
from jaxlint.report.formatter import RunContext, RunResult
from jaxlint.results.report import Report
from tests.report.samples import BRANCH, HERE, NORM, OTHER, find

CALLS = tuple(
    Because(Span(2, 6, 2, 10), "this leads here", name, cell)
    for name, cell in (
        ("a.ipynb", 4),
        ("b.py", 0),
        (OTHER.path, 0),
        ("x.py", 0),
        ("y.py", 0),
    )
)
FOUND = replace(BRANCH, places=CALLS, minor="no loop is seen to call `clip`")
HEADER = "# %% cell "
NOTEBOOK = SourceText(
    "a.ipynb", f"{HEADER}2\nimport norm\n\n{HEADER}4\nx = 1\n1 if clip(x) else 0\n"
)
SOURCES = {NORM.path: NORM, OTHER.path: OTHER, "a.ipynb": NOTEBOOK}


def written(name: str) -> str:
    form = table.load(name)(RunContext(find, SOURCES.get, HERE))
    report = Report(NORM.path, (FOUND,), source=NORM)
    return form.add(report) + form.end(RunResult(1, [FOUND], ()))


def test_people_see_three_of_them() -> None:
    lines = [line.strip() for line in written("full").splitlines()]
    assert [
        "= also: a.ipynb:cell 4:2:6: this leads here",
        "= also: b.py:2:6: this leads here",
        f"= also: {OTHER.path}:2:6: this leads here",
        "= also: 2 more places",
        "= minor: no loop is seen to call `clip`",
    ] == [line for line in lines if line.startswith(("= also", "= minor"))]


def test_one_place_more_is_one_place() -> None:
    form = table.load("full")(RunContext(find, SOURCES.get, HERE))
    report = Report(NORM.path, (replace(FOUND, places=CALLS[:4]),), source=NORM)
    assert "= also: 1 more place\n" in form.add(report)


@pytest.mark.parametrize("name", ["json", "json-lines"])
def test_programs_see_all_of_them(name: str) -> None:
    row = json.loads(written(name))
    row = row[0] if isinstance(row, list) else row
    assert "no loop is seen to call `clip`" == row["minor"]
    assert [one.filename for one in CALLS] == [one["filename"] for one in row["places"]]
    assert (4, 2, 6) == tuple(row["places"][0][key] for key in ("cell", "line", "column"))
    assert "cell" not in row["places"][1]


def test_findings_without_them_have_no_such_fields() -> None:
    form = table.load("json")(RunContext(find, SOURCES.get, HERE))
    (row,) = json.loads(form.end(RunResult(1, [BRANCH], ())))
    assert {"places", "minor"}.isdisjoint(row)


def test_code_scanning_relates_them() -> None:
    (result,) = json.loads(written("sarif"))["runs"][0]["results"]
    related = result["relatedLocations"]
    assert list(range(1, 7)) == [one["id"] for one in related]
    assert "cell 4:2:6: this leads here" == related[1]["message"]["text"]
    assert [{"name": "cell 4"}] == related[1]["logicalLocations"]
    assert "clip" == related[1]["physicalLocation"]["region"]["snippet"]["text"]
    assert 2 == related[2]["physicalLocation"]["region"]["startLine"]
    assert "no loop is seen to call `clip`" == result["properties"]["minor"]


def test_reviewdog_relates_them() -> None:
    (row,) = json.loads(written("rdjson"))["diagnostics"]
    related = row["relatedLocations"]
    assert ["a.ipynb", "b.py"] == [one["location"]["path"] for one in related[1:3]]
    assert "cell 4:2:6: this leads here" == related[1]["message"]


def test_annotations_list_them() -> None:
    assert "%0Aalso: a.ipynb:cell 4:2:6: this leads here%0Aalso: b.py:2:6" in written("github")


def test_pages_list_them() -> None:
    page = written("html")
    assert "Also: a.ipynb:cell 4:2:6: this leads here" in page
    assert "Minor: no loop is seen to call" in page


def test_editors_relate_them() -> None:
    pytest.importorskip("pygls")
    from jaxlint.frontends.lsp.diagnostics import diagnostic
    from jaxlint.frontends.lsp.texts import Encoding

    def look(name: str) -> tuple[str, SourceText]:
        return name, SOURCES.get(name, SourceText(name, ""))

    related = diagnostic(FOUND, look, Encoding.UTF16).related_information or ()
    assert [it.filename for it in CALLS] == [it.location.uri for it in related[-5:]]
    begin = related[-5].location.range.start
    assert (5, 5) == (begin.line, begin.character)

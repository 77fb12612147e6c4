"""Every output format: held against files in `golden`, read by those it is for, given any text."""

from __future__ import annotations

import html
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import jsonschema
import junitparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BRANCH, FINDINGS, HERE, NORM, OTHER, PROBLEMS, written

from jaxlint.base.finding import Because, Finding
from jaxlint.base.printable import clean, one_line
from jaxlint.base.text import SourceText
from jaxlint.base.version import version
from jaxlint.project.file_systems.files import Problem
from jaxlint.report.formats import table
from jaxlint.results.report import Report

GOLDEN = Path(__file__).parent / "golden"
PLACE = {
    "type": "object",
    "required": ["line"],
    "additionalProperties": False,
    "properties": {
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
    },
}
# What GitLab documents of its Code Quality reports.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "location", "severity"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string"},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "minLength": 16},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "positions"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": r"^[^./]"},
                    "positions": {
                        "type": "object",
                        "required": ["begin", "end"],
                        "additionalProperties": False,
                        "properties": {"begin": PLACE, "end": PLACE},
                    },
                },
            },
        },
    },
}
LOCATION = {
    "type": "object",
    "required": ["path"],
    "additionalProperties": False,
    "properties": {
        "path": {"type": "string"},
        "range": {
            "type": "object",
            "required": ["start"],
            "additionalProperties": False,
            "properties": {"start": PLACE, "end": PLACE},
        },
    },
}
# What reviewdog documents of its diagnostic format.
RDJSON = {
    "type": "object",
    "required": ["source", "severity", "diagnostics"],
    "additionalProperties": False,
    "properties": {
        "source": {
            "type": "object",
            "required": ["name"],
            "additionalProperties": False,
            "properties": {"name": {"const": "jaxlint"}, "url": {"type": "string"}},
        },
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message", "location"],
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "string"},
                    "location": LOCATION,
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": {
                        "type": "object",
                        "required": ["value"],
                        "additionalProperties": False,
                        "properties": {"value": {"type": "string"}, "url": {"type": "string"}},
                    },
                    "relatedLocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["location"],
                            "additionalProperties": False,
                            "properties": {"message": {"type": "string"}, "location": LOCATION},
                        },
                    },
                },
            },
        },
    },
}
COMMAND = re.compile(r"::(?P<name>error|warning|notice) (?P<properties>[^:\n]*)::(?P<message>.*)")
FILES = {
    "json-lines": "findings.jsonl",
    "sarif": "findings.sarif",
    "github": "github.txt",
    "gitlab": "gitlab.json",
    "junit": "junit.xml",
    "rdjson": "rdjson.json",
}


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Workflow commands as the runner reads them: one a line, with name, properties, message."""
    found = []
    for line in re.split("\r\n|\r|\n", text.removesuffix("\n")) if text else []:
        match = COMMAND.fullmatch(line)
        assert match, line
        pairs = [pair.split("=", 1) for pair in match["properties"].split(",")]
        properties = {key: unescaped(value, ":,") for key, value in pairs}
        found.append((match["name"], properties, unescaped(match["message"])))
    return found


def unescaped(text: str, more: str = "") -> str:
    for character in f"\r\n{more}%":
        text = text.replace(f"%{ord(character):02X}", character)
    return text


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_as_it_was(name: str) -> None:
    with (GOLDEN / FILES[name]).open(encoding="utf-8", newline="") as stream:
        assert stream.read() == written(name).replace(f'"{version}"', '"0.1.0"')


def test_github_reads_each_command() -> None:
    *found, problem = commands(written("github"))
    names = [name for name, _, _ in found]
    assert names == ["error", "error", "warning", "notice", "warning"]
    assert found[0][1] == {
        "title": "jaxlint (JAX301)",
        "file": f"{HERE}/src/norm.py",
        "line": "5",
        "endLine": "5",
        "col": "27",
        "endColumn": "32",
    }
    assert found[0][2].splitlines() == [
        "src/norm.py:5:27: JAX301 `if` needs the value of `名 > 0`: 100%, really",
        "because: src/norm.py:4:16: `名` is a parameter of `clip`",
        "help: use `jnp.where(a, b, c)`",
    ]
    assert "col" not in found[2][1] and found[2][1]["endLine"] == "6"
    assert found[4][2].splitlines()[0].endswith("[confirmed]")
    assert problem == (
        "error",
        {"title": "jaxlint", "file": f"{HERE}/gone, 1.py"},
        "gone, 1.py: no such file or directory",
    )


def test_gitlab_reads_the_report() -> None:
    rows = json.loads(written("gitlab"))
    jsonschema.validate(rows, GITLAB)
    assert [row["severity"] for row in rows] == ["major", "major", "minor", "info", "minor"]
    assert len({row["fingerprint"] for row in rows}) == len(rows)


def test_paths_for_gitlab_start_at_its_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", "/home/me")
    rows = json.loads(written("gitlab"))
    assert {row["location"]["path"] for row in rows} == {
        f"my project/{path}" for path in (NORM.path, OTHER.path)
    }


def test_fingerprints_outlive_moved_lines() -> None:
    text = NORM.text.replace("    '😀", "\t'😀").replace("else\n", "else  # why\n")
    moved = SourceText(NORM.path, "# new\n" + text)
    shifted = tuple(
        replace(one, span=replace(one.span, line=one.line + 1, end_line=one.end_line + 1))
        for one in FINDINGS
    )
    for name, key in (("gitlab", "fingerprint"), ("sarif", "partialFingerprints")):
        before, after = (
            [row[key] for row in results(written(name, [report]))]
            for report in (
                Report(NORM.path, FINDINGS, source=NORM),
                Report(NORM.path, shifted, source=moved),
            )
        )
        assert before == after
        changed = SourceText(NORM.path, NORM.text.replace("😀", "😁"))
        other = results(written(name, [Report(NORM.path, FINDINGS, source=changed)]))
        assert [row[key] == old for row, old in zip(other, before, strict=True)] == [
            False,
            False,
            False,
            True,
        ]


def results(text: str) -> list[dict[str, Any]]:
    """The findings in a report for GitLab or in SARIF."""
    document = json.loads(text)
    return document if isinstance(document, list) else document["runs"][0]["results"]


def test_reviewdog_reads_bytes_for_columns() -> None:
    document = json.loads(written("rdjson"))
    jsonschema.validate(document, RDJSON)
    first, _, long, *_ = document["diagnostics"]
    line = NORM.line(5).encode()
    start, end = (first["location"]["range"][key] for key in ("start", "end"))
    assert "名 > 0".encode() == line[start["column"] - 1 : end["column"] - 1]
    other = long["relatedLocations"][0]["location"]
    start, end = other["range"]["start"], other["range"]["end"]
    assert b"clip" == OTHER.line(2).encode()[start["column"] - 1 : end["column"] - 1]


def test_junit_has_a_suite_for_each_file(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(written("junit"), encoding="utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "report.xml")))
    assert [suite.name for suite in suites] == [NORM.path, OTHER.path, "gone, 1.py"]
    assert [(it.tests, it.failures, it.errors) for it in suites] == [
        (4, 4, 0),
        (1, 1, 0),
        (1, 0, 1),
    ]
    case = next(iter(suites[0]))
    (failure,) = case.result
    assert case.classname == "src/norm"
    assert failure.message == BRANCH.message
    assert failure.type == "error"
    assert "  = help: use `jnp.where(a, b, c)`" in failure.text.splitlines()
    (error,) = next(iter(suites[2])).result
    assert isinstance(error, junitparser.Error)
    assert error.message == PROBLEMS[0].message


def test_nothing_found_is_a_passed_test() -> None:
    root = ElementTree.fromstring(written("junit", [Report("a.py")], ()))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "0")
    assert [case.get("name") for case in root.iter("testcase")] == ["No findings"]
    assert not list(root.iter("failure"))


@pytest.mark.parametrize(
    "name, expected", [("json", "[]\n"), ("gitlab", "[]\n"), ("json-lines", ""), ("github", "")]
)
def test_nothing_found_has_its_form(name: str, expected: str) -> None:
    assert expected == written(name, [Report("a.py")], ())


def test_a_line_of_json_is_an_object() -> None:
    lines = written("json-lines").splitlines()
    assert json.loads(written("json")) == [json.loads(line) for line in lines]


words = st.text(max_size=12) | st.text(
    st.sampled_from("%:,\r\n\t\x00\x1b\x7f\x85\u2028\ud800\udfff\ufffe&<>]]>\"'[a](1){0}é😀")
)
names = (
    st.text(st.sampled_from("%:, \r\n\t\x1b\udc80\udcff\ufffe&<>\"'\\#?é😀a."), min_size=1)
    .map(lambda name: name + ".py")
    .filter(lambda name: name == os.path.normpath(name))
)


def plain(text: str) -> str:
    """Text as JSON holds it."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def xml(text: str) -> str:
    """Text as XML holds it."""
    shown = re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    return visible(shown, "\t\n\r")


def visible(text: str, kept: str) -> str:
    """Text in which all is shown that is not printable, but for some."""
    return "".join(one if one in kept else clean(one) for one in text)


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(message=words, step=words, path=names)
def test_any_text_survives_every_format(message: str, step: str, path: str) -> None:
    found = replace(
        BRANCH,
        filename=path,
        message=message,
        help=step,
        because=(Because(BRANCH.span, step),),
        trail=(),
    )
    reports, problems = [Report(path, (found,), source=NORM)], [Problem(path, message)]
    for name in table.FORMATS:
        text = written(name, reports, problems)
        if name in READERS:
            assert text.isascii() or name == "github"
            READERS[name](text, found)


def read_sarif(text: str, found: Finding) -> None:
    (run,) = json.loads(text)["runs"]
    (result,) = run["results"]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert result["message"]["text"] == plain(found.message)
    assert result["relatedLocations"][0]["message"]["text"] == plain(found.help)
    assert notice["message"]["text"] == plain(f"{found.filename}: {found.message}")
    for place in (result["locations"][0], notice["locations"][0]):
        artifact = place["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"(%[0-9A-F]{2}|[A-Za-z0-9_.~-])+", artifact["uri"])
        assert unquote_to_bytes(artifact["uri"]) == os.fsencode(found.filename)


def read_github(text: str, found: Finding) -> None:
    (_, properties, message), (_, problem, _) = commands(text)
    kept = "\r\n"
    assert properties["file"] == problem["file"] == f"{HERE}/{visible(found.filename, kept)}"
    head, because, *_ = message.split("\n")
    assert head.endswith(f": JAX301 {one_line(found.message)}")
    assert because.endswith(f": {one_line(found.help)}")


def read_gitlab(text: str, found: Finding) -> None:
    (row,) = json.loads(text)
    assert row["description"] == plain(f"JAX301: {found.message}")
    assert row["location"]["path"] == plain(found.filename)


def read_rdjson(text: str, found: Finding) -> None:
    (row,) = json.loads(text)["diagnostics"]
    assert row["message"] == plain(found.message)
    assert row["location"]["path"] == plain(found.filename)


def read_junit(text: str, found: Finding) -> None:
    root = ElementTree.fromstring(text)
    (case, _), (failure,) = root.iter("testcase"), root.iter("failure")
    assert failure.get("message") == xml(one_line(found.message))
    assert case.get("file") == xml(found.filename)


def read_lines(text: str, found: Finding) -> None:
    row = json.loads(text) if text.startswith("{") else json.loads(text)[0]
    assert row["message"] == plain(found.message)
    assert row["filename"] == plain(found.filename)


def read_html(text: str, found: Finding) -> None:
    shown = re.sub(r"\s+", " ", html.unescape(re.sub("<[^<>]*>", "", text)))
    nothing = "[\ud800-\udfff\ufdd0-\ufdef]|[\ufffe\uffff]"
    for words in (found.message, found.help, found.filename):
        wanted = re.sub(nothing, "\ufffd", one_line(words))
        assert re.sub(r"\s+", " ", wanted).strip() in shown


READERS = {
    "html": read_html,
    "json": read_lines,
    "json-lines": read_lines,
    "sarif": read_sarif,
    "github": read_github,
    "gitlab": read_gitlab,
    "rdjson": read_rdjson,
    "junit": read_junit,
}


def test_every_format_for_machines_has_a_reader() -> None:
    assert set(table.FORMATS) == set(READERS) | {"full", "concise"}

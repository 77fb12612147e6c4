"""SARIF: held against the model of its schema, and what its readers make of it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import attr
import jsonschema
import pytest
import sarif_om
from samples import FINDINGS, HERE, NORM, OTHER, PAGE, REPORTS, written

from jaxlint.base.text import Span
from jaxlint.report.links import relative, uri
from jaxlint.results.report import Report

# The classes of what stands under a name; a list has one for each of its elements.
CLASSES = {
    "artifactLocation": sarif_om.ArtifactLocation,
    "codeFlows": sarif_om.CodeFlow,
    "defaultConfiguration": sarif_om.ReportingConfiguration,
    "driver": sarif_om.ToolComponent,
    "fullDescription": sarif_om.MultiformatMessageString,
    "help": sarif_om.MultiformatMessageString,
    "invocations": sarif_om.Invocation,
    "location": sarif_om.Location,
    "message": sarif_om.Message,
    "physicalLocation": sarif_om.PhysicalLocation,
    "region": sarif_om.Region,
    "relatedLocations": sarif_om.Location,
    "results": sarif_om.Result,
    "rules": sarif_om.ReportingDescriptor,
    "runs": sarif_om.Run,
    "shortDescription": sarif_om.MultiformatMessageString,
    "snippet": sarif_om.ArtifactContent,
    "threadFlows": sarif_om.ThreadFlow,
    "tool": sarif_om.Tool,
    "toolExecutionNotifications": sarif_om.Notification,
    "workingDirectory": sarif_om.ArtifactLocation,
}
# Objects whose keys are free.
FREE = {"partialFingerprints", "properties"}
# The official schema, for those who have it.
SCHEMA = os.environ.get("SARIF_SCHEMA", "")


def model(value: dict[str, Any], kind: type) -> Any:
    """An object of SARIF's model. Fails for a property that it does not have, and for one that
    it must have and that is not there."""
    names = {field.metadata["schema_property_name"]: field.name for field in attr.fields(kind)}
    unknown = value.keys() - names.keys()
    assert not unknown, (kind, unknown)
    return kind(**{names[name]: inside(name, one, kind) for name, one in value.items()})


def inside(name: str, value: Any, kind: type) -> Any:
    if name == "locations" and kind is sarif_om.ThreadFlow:
        return [model(one, sarif_om.ThreadFlowLocation) for one in value]
    if name == "locations":
        return [model(one, sarif_om.Location) for one in value]
    if name == "originalUriBaseIds":
        return {key: model(one, sarif_om.ArtifactLocation) for key, one in value.items()}
    if isinstance(value, dict) and name not in FREE:
        return model(value, CLASSES[name])
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [model(one, CLASSES[name]) for one in value]
    return value


@pytest.fixture
def log() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(written("sarif"))
    return document


@pytest.fixture
def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = log["runs"][0]["results"]
    return found


@pytest.mark.parametrize("reports", [REPORTS, ()], ids=["findings", "nothing"])
def test_a_log_fits_the_model(reports: Any) -> None:
    log = model(json.loads(written("sarif", reports)), sarif_om.SarifLog)
    (run,) = log.runs
    assert run.column_kind == "unicodeCodePoints"
    assert [one.rule_id for one in run.results] == [
        found.code for report in reports for found in report.findings
    ]


@pytest.mark.parametrize("change", ["unknown", "missing"])
def test_what_does_not_fit_the_model_is_noticed(log: dict[str, Any], change: str) -> None:
    result = log["runs"][0]["results"][0]
    if change == "unknown":
        result["locations"][0]["physicalLocation"]["region"]["startRow"] = 1
    else:
        del result["message"]
    with pytest.raises((AssertionError, TypeError)):
        model(log, sarif_om.SarifLog)


@pytest.mark.skipif(not SCHEMA, reason="SARIF_SCHEMA does not name the official schema")
@pytest.mark.parametrize("reports", [REPORTS, ()], ids=["findings", "nothing"])
def test_a_log_fits_the_official_schema(reports: Any) -> None:
    schema = json.loads(Path(SCHEMA).read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    checker = kind(schema, format_checker=jsonschema.FormatChecker())
    assert [] == [
        str(error) for error in checker.iter_errors(json.loads(written("sarif", reports)))
    ]


def test_levels_follow_severities(results: list[dict[str, Any]]) -> None:
    assert [it["level"] for it in results] == ["error", "error", "warning", "note", "warning"]
    assert results[2]["properties"]["severity"] == "perf"


def test_regions_count_code_points_and_quote_the_source(results: list[dict[str, Any]]) -> None:
    for result, finding in zip(results, FINDINGS, strict=False):
        region = result["locations"][0]["physicalLocation"]["region"]
        text = region.pop("snippet")["text"]
        span = Span(*region.values())
        assert (finding.span, NORM.slice(span)) == (span, text)
    assert "名 > 0" == NORM.slice(FINDINGS[0].span)


def test_the_trail_leads_from_the_transform_to_the_finding(results: list[dict[str, Any]]) -> None:
    (flow,) = results[0]["codeFlows"]
    (thread,) = flow["threadFlows"]
    steps = [step["location"] for step in thread["locations"]]
    assert [step["message"]["text"] for step in steps] == [
        "`clip` is jitted here",
        "`clip` is called here",
        "`名` is a parameter of `clip`",
        FINDINGS[0].message,
    ]
    called = steps[1]["physicalLocation"]
    assert called["artifactLocation"]["uri"] == "src/gr%C3%B6%C3%9Fe%201.py"
    assert called["region"]["snippet"]["text"] == "clip"
    assert "codeFlows" not in results[1]


def test_places_are_relative_to_here(log: dict[str, Any]) -> None:
    (run,) = log["runs"]
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///home/me/my%20project/"}}
    assert {
        it["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"]
        for it in run["results"]
    } == {"%SRCROOT%"}


def test_a_place_elsewhere_is_absolute() -> None:
    found = replace(FINDINGS[3], filename="../a b%.py")
    (result,) = json.loads(written("sarif", [Report(found.filename, (found,))]))["runs"][0][
        "results"
    ]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "file:///home/me/a%20b%25.py"}
    assert "snippet" not in place["region"]


def test_paths_and_their_uris() -> None:
    assert relative(f"{HERE}/b/../a.py", HERE) == "a.py"
    assert relative("a.py", HERE) == "a.py"
    assert uri("a:b.py") == "a%3Ab.py"


def test_the_rules_that_were_broken_are_explained(log: dict[str, Any]) -> None:
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["JAX301", "JAX901", "JAX902"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    rule = rules[0]
    assert rule["shortDescription"]["text"] == "Python branches on a traced value."
    assert rule["fullDescription"]["text"] == "It has none."
    assert rule["help"]["markdown"] == PAGE
    assert rule["helpUri"].endswith("/rules/branch-on-traced")


def test_what_could_not_be_checked_is_a_failure(log: dict[str, Any]) -> None:
    (invocation,) = log["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["exitCode"] == 2
    (notice,) = invocation["toolExecutionNotifications"]
    assert notice["message"]["text"] == "gone, 1.py: no such file or directory"
    place = notice["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "gone%2C%201.py", "uriBaseId": "%SRCROOT%"}


def test_a_run_that_found_something_went_well() -> None:
    (invocation,) = json.loads(written("sarif", problems=()))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"]
    assert invocation["exitCode"] == 1
    assert "toolExecutionNotifications" not in invocation


def test_verdict_and_doubt_are_properties(results: list[dict[str, Any]]) -> None:
    assert results[4]["properties"]["verdict"]["status"] == "confirmed"
    assert results[2]["properties"]["doubt"]["message"] == "`grad` is taken to be an array"
    assert "verdict" not in results[0]["properties"]


def test_no_two_findings_are_taken_for_one(results: list[dict[str, Any]]) -> None:
    known = [result["partialFingerprints"]["jaxlint/v1"] for result in results]
    assert len(set(known)) == len(results)


def test_paths_are_quoted_as_bytes() -> None:
    assert uri("\udcff.py") == "%FF.py"
    assert uri(OTHER.path) == "src/gr%C3%B6%C3%9Fe%201.py"

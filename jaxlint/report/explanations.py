"""Explanations of values, for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jaxlint.base.explanation import Answer, Explanation, Subject
from jaxlint.base.finding import Because
from jaxlint.base.printable import code, one_line
from jaxlint.base.text import SourceText
from jaxlint.report.formats.json import dump
from jaxlint.report.notebook_lines import Spot, spot

UNREACHED = "no traced code reaches this line"
HOST = "runs on the host only"


def text(explanation: Explanation, source: SourceText | None = None, reason: str = "") -> str:
    """Each name with what it is, and below it the way from where tracing starts; `source` tells
    the cells of a notebook, and `reason` why tracing does not come there."""
    line = str(explanation.line) if source is None else source.shown(explanation.line)
    place = f"{explanation.filename}:{line}"
    because = f": {reason}" if reason else ""
    if explanation.reach == "nowhere":
        return one_line(f"{place}: {UNREACHED}{because}") + "\n"
    lines = [f"{place}: {HOST}{because}"] if explanation.reach == "host" else []
    for subject in explanation.subjects:
        at = spot(explanation.filename, subject.span, source)
        lines.append(f"{at}: `{subject.text}`")
        for answer in subject.answers:
            lines.append(f"  {headline(answer)}")
            lines += [
                f"    {_spot(step, explanation, source)}: {step.message}" for step in answer.trail
            ]
        if subject.more:
            lines.append(f"  and something else in at least {subject.more} more")
        if not subject.answers:
            lines.append("  no run reaches it")
    return "".join(one_line(line) + "\n" for line in lines)


def headline(answer: Answer) -> str:
    """What a value is, and in which runs: "traced float array in `step`"."""
    around = "module code" if answer.function == "<module>" else f"`{answer.function}`"
    where = f"on the host, in {around}" if answer.is_host else f"in {around}"
    often = f" ({answer.times} runs)" if answer.times > 1 else ""
    return f"{answer.kind}: {answer.what}, {where}{often}"


def markdown(explanation: Explanation, link: Callable[[str, int], str]) -> str:
    """The same for an editor to show beside the code; `link` makes a link to a line of a file."""
    paragraphs: list[str] = []
    for subject in explanation.subjects:
        for answer in subject.answers:
            _, _, what = headline(answer).partition(": ")
            paragraphs.append(f"{code(subject.text)} **{answer.kind}**: {one_line(what)}")
            steps = [
                f"{number}. {link(step.filename or explanation.filename, step.span.line)} "
                f"{one_line(step.message)}"
                for number, step in enumerate(answer.trail, 1)
            ]
            paragraphs += ["\n".join(steps)] if steps else []
    return "\n\n".join(paragraphs)


def _spot(step: Because, explanation: Explanation, source: SourceText | None) -> Spot:
    if step.filename and step.filename != explanation.filename:
        return spot(step.filename, step.span, None)
    return spot(explanation.filename, step.span, source)


def as_json(explanation: Explanation, source: SourceText | None = None, reason: str = "") -> str:
    """One object."""
    cell, line = (0, explanation.line) if source is None else source.place(explanation.line)
    return dump(
        {
            "filename": explanation.filename,
            **({"cell": cell} if cell else {}),
            "line": line,
            "column": explanation.column,
            "reach": explanation.reach,
            **({"reason": reason} if reason else {}),
            "subjects": [_subject(it, explanation, source) for it in explanation.subjects],
        }
    )


def _subject(
    subject: Subject, explanation: Explanation, source: SourceText | None
) -> dict[str, Any]:
    return {
        "text": subject.text,
        **spot(explanation.filename, subject.span, source).row,
        "more": subject.more,
        "answers": [
            {
                "kind": answer.kind,
                "what": answer.what,
                "function": answer.function,
                "host": answer.is_host,
                "runs": answer.times,
                "trail": [_step(step, explanation, source) for step in answer.trail],
            }
            for answer in subject.answers
        ],
    }


def _step(step: Because, explanation: Explanation, source: SourceText | None) -> dict[str, Any]:
    place = _spot(step, explanation, source)
    row = {key: value for key, value in place.row.items() if not key.startswith("end_")}
    return {"filename": place.path, **row, "message": step.message}


FORMS: Mapping[str, Callable[[Explanation, SourceText | None, str], str]] = {
    "text": text,
    "json": as_json,
}

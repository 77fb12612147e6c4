"""The graph of traced code: where tracing starts, what it reaches, and where it cannot be seen.

As text and JSON, and as programs for Graphviz and Mermaid. Everything is in the order of places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jaxlint.base.dataclass import slotted
from jaxlint.base.printable import one_line
from jaxlint.base.surveys.call_graph import Edge, Reached, Seen, Start, Survey
from jaxlint.base.wording import counted
from jaxlint.report import silence
from jaxlint.report.formats import json


def text(survey: Survey) -> str:
    """The starts, then each function with what it runs, then the sums."""
    sizes = _sizes(survey)
    lines = ["Entry points:"] if survey.starts or survey.blind else []
    for start in sorted(survey.starts | survey.blind):
        reaches = "not known what it reaches" if start in survey.blind else sizes[start]
        lines.append(f"  {start.spot} {_described(start)}: {reaches}")
    lines += ["Functions:"] if survey.functions else []
    edges, opaque = _by_caller(survey.edges), _by_function(survey)
    for function in sorted(survey.functions):
        lines.append(f"  {function.spot} {function.name}")
        lines += [f"    {_ran(edge)}" for edge in edges.get(function, ())]
        for seen in opaque.get(function, ()):
            lines.append(f"    ? {seen.spot} {seen.callee}: {seen.reason}")
    return "".join(one_line(line) + "\n" for line in lines) + silence.text(survey)


def as_json(survey: Survey) -> str:
    """An object: entries, functions by number, edges between them, opaque places and the sums."""
    numbers = {function: n for n, function in enumerate(sorted(survey.functions))}
    reached = _openings(survey)
    return json.dump(
        {
            "entries": [
                {
                    **silence.position(start.spot),
                    "function": start.name,
                    "phrase": start.phrase,
                    "how": start.how,
                    "known": start not in survey.blind,
                    "runs": [numbers[one] for one in reached.get(start, ()) if one in numbers],
                }
                for start in sorted(survey.starts | survey.blind)
            ],
            "functions": [
                {"id": n, **silence.position(function.spot), "name": function.name}
                for function, n in numbers.items()
            ],
            "edges": [
                {
                    "caller": numbers[edge.caller],
                    "callee": numbers[edge.callee],
                    **silence.position(edge.spot),
                    "phrase": edge.phrase,
                }
                for edge in _shown(survey)
            ],
            "opaque": [
                {
                    **silence.position(seen.spot),
                    "function": numbers[seen.function],
                    "callee": seen.callee,
                    "reason": seen.reason,
                    "called": seen in survey.calls,
                }
                for seen in _opaque(survey)
                if seen.function in numbers
            ],
            "totals": silence.totals(survey),
        }
    )


# -- drawings ------------------------------------------------------------------------------------


@slotted(frozen=True)
class _Drawing:
    """Nodes by file, and arrows between them. `kind` of a node or an arrow is "start",
    "function" or "opaque"."""

    nodes: dict[str, list[tuple[str, str, str]]]
    arrows: list[tuple[str, str, str, str]]


def dot(survey: Survey) -> str:
    """A program for Graphviz."""
    drawing = _drawing(survey)
    lines = ["digraph traced {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    shapes = {
        "start": ", shape=ellipse, style=bold",
        "function": "",
        "opaque": ", style=dashed, color=gray40, fontcolor=gray40",
    }
    for number, (path, nodes) in enumerate(drawing.nodes.items()):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_quoted(path)};"]
        lines += [
            f"    {name} [label={_quoted(said)}{shapes[kind]}];" for name, said, kind in nodes
        ]
        lines.append("  }")
    for tail, head, said, kind in drawing.arrows:
        dashed = ", style=dashed" if kind == "opaque" else ""
        lines.append(f"  {tail} -> {head} [label={_quoted(said)}{dashed}];")
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(survey: Survey) -> str:
    """A flowchart for Mermaid."""
    drawing = _drawing(survey)
    shapes = {"start": ("([", "])"), "function": ("[", "]"), "opaque": ("[/", "/]")}
    lines = ["flowchart LR"]
    for number, (path, nodes) in enumerate(drawing.nodes.items()):
        lines.append(f"  subgraph f{number}[{_escaped(path)}]")
        for name, said, kind in nodes:
            left, right = shapes[kind]
            lines.append(f"    {name}{left}{_escaped(said)}{right}")
        lines.append("  end")
    for tail, head, said, kind in drawing.arrows:
        arrow = "-.->" if kind == "opaque" else "-->"
        label = f"|{_escaped(said)}|" if said else ""
        lines.append(f"  {tail} {arrow}{label} {head}")
    return "\n".join(lines) + "\n"


def _quoted(said: str) -> str:
    text = one_line(said).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _escaped(said: str) -> str:
    text = one_line(said).replace("&", "&amp;").replace('"', "&quot;")
    return '"' + text.replace("<", "&lt;").replace(">", "&gt;") + '"'


def _drawing(survey: Survey) -> _Drawing:
    nodes: dict[str, list[tuple[str, str, str]]] = {}
    arrows: list[tuple[str, str, str, str]] = []
    names: dict[Start | Reached, str] = {}
    for n, start in enumerate(sorted(survey.starts | survey.blind)):
        names[start] = f"s{n}"
        kind = "opaque" if start in survey.blind else "start"
        said = f"{_described(start)}, {start.spot.named_line}".replace("`", "")
        nodes.setdefault(start.spot.path, []).append((f"s{n}", said, kind))
    for n, function in enumerate(sorted(survey.functions)):
        names[function] = f"n{n}"
        said = f"{function.name}, {function.spot.named_line}"
        nodes.setdefault(function.spot.path, []).append((f"n{n}", said, "function"))
    for one in sorted(survey.openings):
        if one.start in names and one.function in names:
            arrows.append((names[one.start], names[one.function], "", "start"))
    for caller, callee, said in _pairs(survey):
        arrows.append((names[caller], names[callee], said, "function"))
    for n, (function, reason, count) in enumerate(_walls(survey)):
        said = reason if count == 1 else f"{reason} ({count} calls)"
        nodes[function.spot.path].append((f"u{n}", said, "opaque"))
        arrows.append((names[function], f"u{n}", "", "opaque"))
    return _Drawing(dict(sorted(nodes.items())), arrows)


def _pairs(survey: Survey) -> Iterator[tuple[Reached, Reached, str]]:
    """Who runs whom, once each, with the lines."""
    grouped: dict[tuple[Reached, Reached, str], list[Edge]] = {}
    for edge in _shown(survey):
        grouped.setdefault((edge.caller, edge.callee, edge.phrase), []).append(edge)
    for (caller, callee, phrase), edges in sorted(grouped.items()):
        lines = sorted({edge.spot.line for edge in edges})
        listed = ", ".join(map(str, lines[:3])) + (", ..." if len(lines) > 3 else "")
        said = f"{'line' if len(lines) == 1 else 'lines'} {listed}"
        yield caller, callee, f"{phrase}, {said}".replace("`", "") if phrase else said


def _walls(survey: Survey) -> list[tuple[Reached, str, int]]:
    """For each function, how many of its calls cannot be seen, by reason."""
    counts: dict[tuple[Reached, str], int] = {}
    for seen in _opaque(survey):
        if seen.function in survey.functions:
            key = (seen.function, seen.reason)
            counts[key] = counts.get(key, 0) + 1
    return [(function, reason, count) for (function, reason), count in sorted(counts.items())]


# -- parts ---------------------------------------------------------------------------------------


def _described(start: Start) -> str:
    return f"`{start.name}` is {start.phrase} ({start.how})"


def _ran(edge: Edge) -> str:
    how = f", {edge.phrase}," if edge.phrase else ""
    return f"> {edge.callee.name} {edge.callee.spot}{how} at {edge.spot}"


def _shown(survey: Survey) -> list[Edge]:
    """The edges between functions that ran."""
    known = survey.functions
    return sorted(edge for edge in survey.edges if edge.caller in known and edge.callee in known)


def _opaque(survey: Survey) -> list[Seen]:
    return sorted([*survey.unknown(), *survey.unseen()])


def _by_caller(edges: Iterable[Edge]) -> dict[Reached, list[Edge]]:
    found: dict[Reached, list[Edge]] = {}
    for edge in sorted(edges, key=lambda edge: (edge.spot, edge)):
        found.setdefault(edge.caller, []).append(edge)
    return found


def _by_function(survey: Survey) -> dict[Reached, list[Seen]]:
    found: dict[Reached, list[Seen]] = {}
    for seen in _opaque(survey):
        found.setdefault(seen.function, []).append(seen)
    return found


def _openings(survey: Survey) -> dict[Start, list[Reached]]:
    found: dict[Start, list[Reached]] = {}
    for one in sorted(survey.openings):
        found.setdefault(one.start, []).append(one.function)
    return found


def _sizes(survey: Survey) -> dict[Start, str]:
    """How much each start reaches, in words."""
    openings = _openings(survey)
    return {start: _size(survey, openings.get(start, ())) for start in survey.starts}


def _size(survey: Survey, first: Sequence[Reached]) -> str:
    count = len(survey.reached_from(first) & survey.functions)
    return f"reaches {counted(count, 'function')}"

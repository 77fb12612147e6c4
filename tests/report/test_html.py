"""The report for browsers: its figures, and in a real browser how it looks and what it does."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BRANCH, FINDINGS, JUDGED, NORM, OTHER, PAGE, REPORTS, SOURCES, written

from jaxlint.base.finding import Because, Finding
from jaxlint.base.text import SourceText, Span
from jaxlint.report.formats.figure import ROW, Figure, Piece, draw, lanes, trail
from jaxlint.results.report import Report

EMPTY = {"input", "meta", "path"}
LONG = SourceText(
    "src/long.py",
    "\n".join([f"x_{number} = {'long_name + ' * 20}1" for number in range(40)]),
)
FAR = replace(
    BRANCH,
    filename=LONG.path,
    span=Span(20, 1, 20, 5),
    trail=tuple(Because(Span(line, 1, line, 4), f"step {line}") for line in (18, 4, 30, 2)),
)
PROGRAM = replace(
    JUDGED,
    verdict=replace(JUDGED.verdict, evidence={"program": "{ lambda ; a:f32[]. <let> }"}),  # type: ignore[type-var]
)
ALL = (
    *REPORTS,
    Report(LONG.path, (FAR,), source=LONG),
    Report(NORM.path, (PROGRAM,), source=NORM),
)


class Reader(HTMLParser):
    """Notes the ids, the links and the text of a page. Fails where elements do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += [tag] * (tag not in EMPTY)
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("src", "style")
            self.ids += [str(value)] * (name == "id")
            self.links += [str(value)] * (name == "href")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "path"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def figure(finding: Finding) -> Figure:
    look = {**SOURCES, LONG.path: LONG}.get
    return draw(trail(finding, look), look)


def text(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def test_a_page_is_well_formed_and_its_links_lead_somewhere() -> None:
    read = Reader(written("html", ALL))
    assert len(set(read.ids)) == len(read.ids)
    inner = {link[1:] for link in read.links if link.startswith("#")}
    assert inner <= set(read.ids)
    assert {"stop-1-1", "JAX301", "finding-7"} <= inner | set(read.ids)
    assert "{ lambda ; a:f32[]. <let> }" in read.words
    assert "Could not be checked:\ngone, 1.py: no such" in re.sub("\n+", "\n", read.words)
    assert PAGE.splitlines()[0] in read.words


def test_a_page_of_nothing_says_so() -> None:
    read = Reader(written("html", [Report("a.py")], ()))
    assert "No findings in 1 file." in read.words
    assert "Rules" not in read.words


def test_a_figure_goes_from_file_to_file_along_the_trail() -> None:
    drawn = figure(BRANCH)
    assert [row.path for row in drawn.rows if row.path] == [NORM.path, OTHER.path]
    shown = [(row.number, text(row.pieces)) for row in drawn.rows]
    assert shown == [
        (0, ""),
        *[(number, NORM.line(number)) for number in range(3, 7)],
        (0, ""),
        *[(number, OTHER.line(number)) for number in (1, 2)],
    ]
    assert drawn.stops == {1: 1, 2: 7, 3: 2, 4: 3}


def test_what_is_far_apart_has_a_gap_between() -> None:
    numbers = [row.number for row in figure(FAR).rows]
    assert numbers == [0, 1, 2, 3, 4, 5, 0, 17, 18, 19, 20, 21, 0, 29, 30, 31]


def test_a_figure_has_no_blank_edge_and_no_gap_for_one_line() -> None:
    source = SourceText(BRANCH.filename, "\na\n\nb\n\n")
    found = replace(BRANCH, span=Span(4, 1, 4, 2), trail=(Because(Span(2, 1, 2, 2), "a"),))
    drawn = draw(trail(found, lambda path: source), lambda path: source)
    assert [row.number for row in drawn.rows] == [0, 2, 3, 4]


def test_a_long_line_is_shortened() -> None:
    source = SourceText("a.py", "x = [" + "1, " * 40_000 + "]; y = float(x)")
    found = replace(
        BRANCH, filename="a.py", span=Span(1, 120_009, 1, 120_017), trail=(), because=()
    )
    figure = draw(trail(found, lambda path: source), lambda path: source)
    shown = "".join(piece.text for row in figure.rows for piece in row.pieces)
    assert len(shown) < 600 and shown.endswith("y = float(x)")


def test_pieces_overlap_and_may_be_empty() -> None:
    found = replace(
        BRANCH,
        span=Span(5, 27, 5, 32),
        trail=(Because(Span(5, 27, 5, 28), "inner"), Because(Span(5, 32, 5, 32), "empty")),
    )
    (row,) = (row for row in figure(found).rows if row.number == 5)
    assert text(row.pieces) == NORM.line(5)
    assert row.pieces[1:] == (
        Piece("名", (2, 3), (2, 3)),
        Piece(" > 0", (), (3,)),
        Piece(" else", (1,), ()),
    )


def test_a_place_outside_the_source_has_no_figure() -> None:
    assert figure(replace(BRANCH, span=Span(99, 1, 99, 2), trail=(), because=())) == Figure()
    assert (
        "figure" not in written("html", [Report("x.py", FINDINGS[3:])], (), {}).split("</style>")[1]
    )


def test_hops_over_the_same_rows_have_lanes_of_their_own() -> None:
    width, path = lanes(figure(FAR))
    hops = path.split(" M")
    assert len(hops) == 4
    assert len({re.findall(r"H(\d+)q", hop)[0] for hop in hops}) == 3
    assert width == 3 * 9 + 10
    assert lanes(figure(FINDINGS[3])) == (0, "")


spans = st.builds(
    lambda line, column, lines, end: Span(line, column, line + lines, column + end),
    st.integers(1, 9),
    st.integers(1, 6),
    st.integers(0, 12),
    st.integers(0, 5),
)


@settings(max_examples=80, derandomize=True, deadline=None, database=None)
@given(
    source=st.text(st.sampled_from("ab <&\t\x0c\x1b\n\r\u2028é😀\ud800"), max_size=40),
    span=spans,
    steps=st.lists(spans, max_size=4),
)
def test_a_figure_quotes_its_source_whatever_the_places(
    source: str, span: Span, steps: list[Span]
) -> None:
    quoted = SourceText("x.py", source)
    reasons = tuple(Because(step, "step") for step in steps)
    found = replace(BRANCH, filename="x.py", span=span, trail=reasons)
    drawn = draw(trail(found, lambda path: quoted), lambda path: quoted)
    for row in drawn.rows:
        assert text(row.pieces) == (quoted.line(row.number) if row.number else "")
    rows = enumerate(drawn.rows)
    begun = [(stop, number) for number, row in rows for it in row.pieces for stop in it.begins]
    assert sorted(begun) == sorted(drawn.stops.items())
    Reader(written("html", [Report("x.py", (found,), source=quoted)]))
    for name in ("rdjson", "sarif"):
        json.loads(written(name, [Report("x.py", (found,), source=quoted)]))


BROWSER = os.environ.get("BROWSER_FOR_TESTS") or shutil.which("chromium") or ""
CONTRAST = """() => {
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map((v) => v / 255).map(
    (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!c.startsWith('rgba(') ) return c; } return 'none'; };
  return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() &&
    [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())).map((e) => {
      const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
      return [e.outerHTML.slice(0, 80), (Math.max(a, b) + .05) / (Math.min(a, b) + .05),
        parseFloat(getComputedStyle(e).fontSize)]; });
}"""
ENDS = """() => [...document.querySelectorAll('article')].map((article) => {
  const svg = article.querySelector('svg');
  if (!svg) return [];
  const top = svg.getBoundingClientRect().top;
  const nth = (e) => Number(e.textContent);
  return [...article.querySelectorAll('.stop')].sort((a, b) => nth(a) - nth(b)).map((e) => {
    const box = e.getBoundingClientRect(); return (box.top + box.bottom) / 2 - top; });
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not BROWSER:
        pytest.skip("no chromium: name one in BROWSER_FOR_TESTS")
    with playwright.sync_playwright() as tool:
        running = tool.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(params=["light", "dark"])
def phone(request: pytest.FixtureRequest, browser: Any, tmp_path: Path) -> Iterator[Any]:
    """The report in a browser as small as a phone; what it asks of the network, and what it
    complains about, is an error."""
    (tmp_path / "report.html").write_text(written("html", ALL), encoding="ascii")
    page = browser.new_page(color_scheme=request.param, viewport={"width": 360, "height": 740})
    noticed: list[str] = []
    page.on("request", lambda asked: noticed.append(asked.url))
    page.on("console", lambda said: noticed.append(said.text))
    page.goto((tmp_path / "report.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    yield page
    assert noticed == [(tmp_path / "report.html").as_uri()]
    page.close()


def test_it_is_legible_on_a_phone_by_day_and_by_night(phone: Any) -> None:
    width, window = phone.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window
    lines = phone.locator("article .lines").nth(5)
    assert lines.evaluate("(e) => e.scrollWidth > e.clientWidth && e.clientWidth > 200")
    measured = phone.evaluate(CONTRAST)
    assert len(measured) > 50
    assert [it for it in measured if it[1] < 4.5] == []
    assert {size for _, _, size in measured} == {11, 14, 16, 17.6, 24}
    dark = phone.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    ground = phone.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(20, 23, 28)") == dark


def test_the_trail_runs_from_stop_to_stop(phone: Any) -> None:
    drawn = phone.locator("article svg path")
    paths = drawn.evaluate_all("(all) => all.map((e) => e.getAttribute('d'))")
    stops = [heights for heights in phone.evaluate(ENDS) if heights]
    assert len(paths) == len(stops) == 4
    for path, heights in zip(paths, stops, strict=True):
        starts = [int(y) for y in re.findall(r"M\d+ (\d+)H", path)]
        assert len(starts) == len(heights)
        assert all(abs(y - height) < ROW / 2 for y, height in zip(starts, heights, strict=True))


def test_a_switch_hides_a_severity(phone: Any) -> None:
    errors, others = phone.locator("article.error"), phone.locator("article.perf")
    assert errors.first.is_visible() and others.first.is_visible()
    phone.get_by_label("errors").uncheck()
    assert not errors.first.is_visible() and others.first.is_visible()

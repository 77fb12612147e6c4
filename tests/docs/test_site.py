"""The site is made without a warning, holds a page for each rule, and no link leads nowhere."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from jaxlint.base.own_codes import METAS
from jaxlint.report.links import HOME, page
from jaxlint.testing.rulebook import builtin_rules

ROOT = Path(__file__).parents[2]
# Made by Sphinx itself, and for itself.
OWN = {"genindex", "search"}


@dataclass
class Page(HTMLParser):
    """What others may link to on a page, and what it links to."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    targets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.targets.append(value)


@dataclass
class Site:
    """The pages of a site, by their paths."""

    root: Path
    pages: dict[Path, Page] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in sorted(self.root.rglob("*.html")):
            self.pages[path] = Page(path)

    def target(self, page: Page, link: str) -> tuple[Path, str] | None:
        """The file that a link of a page leads to, with the anchor; None for another site."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        path = page.path
        if parts.path:
            path = (path.parent / unquote(parts.path)).resolve()
        return path / "index.html" if path.is_dir() else path, unquote(parts.fragment)

    def reachable(self) -> set[Path]:
        """The pages that links lead to from the first one, step by step."""
        seen: set[Path] = set()
        waiting = {self.root / "index.html"}
        while waiting:
            path = waiting.pop()
            seen.add(path)
            for link in self.pages[path].targets:
                found = self.target(self.pages[path], link)
                if found and found[0] in self.pages and found[0] not in seen:
                    waiting.add(found[0])
        return seen


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    out = tmp_path_factory.mktemp("site").resolve()
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-E", "-b", "dirhtml"]
    options = ["-d", str(out / "doctrees"), str(ROOT / "docs"), str(out / "html")]
    done = subprocess.run([*command, *options], capture_output=True, text=True, cwd=ROOT)
    assert (0, "") == (done.returncode, done.stderr)
    return Site(out / "html")


def broken(site: Site) -> list[str]:
    """The links within the site that lead to no file or to no place in one."""
    return [
        f"{page.path.relative_to(site.root)}: {link}"
        for page in site.pages.values()
        for link in page.targets
        if (found := site.target(page, link))
        if not found[0].exists()
        or (found[1] and found[0] in site.pages and found[1] not in site.pages[found[0]].anchors)
    ]


def test_no_link_and_no_anchor_leads_nowhere(site: Site) -> None:
    assert [] == broken(site)


def test_every_page_is_reached_from_the_first(site: Site) -> None:
    lost = {path.parent.relative_to(site.root).as_posix() for path in site.pages}
    lost -= {path.parent.relative_to(site.root).as_posix() for path in site.reachable()}
    assert set() == lost - OWN
    assert len(site.pages) > len(builtin_rules())


def test_every_rule_has_a_page_where_reports_say(site: Site) -> None:
    names = [*builtin_rules(), *(meta.name for meta in METAS)]
    for name in names:
        path = site.root / page(name).removeprefix(f"{HOME}/") / "index.html"
        text = path.read_text(encoding="utf-8")
        assert f"<h1>{name}<" in text


def test_the_page_of_a_rule_has_its_figures(site: Site) -> None:
    for name in builtin_rules():
        text = (site.root / "rules" / name / "index.html").read_text(encoding="utf-8")
        assert "<p>hazards that are reported and that real JAX shows</p>" in text


def test_the_code_of_a_rule_leads_to_its_page(site: Site) -> None:
    page = site.pages[site.root / "semantics" / "index.html"]
    leads_to = {found[0] for link in page.targets if (found := site.target(page, link))}
    assert site.root / "rules" / "redundant-nested-jit" / "index.html" in leads_to


def test_links_that_lead_nowhere_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text('<p id="here">')
    (tmp_path / "index.html").write_text('<a href="other/#gone"></a><a href="other/#here"></a>')
    (tmp_path / "last.html").write_text('<img src="no.png"><a href="https://example.org/no"></a>')
    assert ["index.html: other/#gone", "last.html: no.png"] == broken(Site(tmp_path))

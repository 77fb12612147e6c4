"""What is shown of a document while the files that lead to it are examined again."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Applicability, Because, Finding, Fix, Severity
from jaxlint.base.text import SourceText, Span
from jaxlint.frontends.lsp.interim import Elsewhere, interim
from jaxlint.frontends.lsp.projects import Projects
from jaxlint.results.report import Report

HELPER = """\
import jax


def clip(x):
    if x > 0:
        return x
    return -x
"""
OWN = """

@jax.jit
def own(x):
    assert x > 0
    return x
"""
CALLER = "import jax\nfrom helper import clip\n\n\n@jax.jit\ndef step(x):\n    return clip(x)\n"
Places = list[tuple[int, str]]


class Document:
    """A helper that is open in an editor; another file leads to what is found in it."""

    def __init__(self, folder: Path) -> None:
        (folder / "setup.cfg").write_text("")
        (folder / "helper.py").write_text(HELPER)
        (folder / "caller.py").write_text(CALLER)
        self.path = str(folder / "helper.py")
        self.projects = Projects()

    def checked(self, text: str, stale: bool = False) -> list[Places]:
        """What is shown of a text, one report after another; if it is `stale` then, nothing comes
        behind the first."""
        shown: list[Report] = []
        self.projects.put(self.path, text)
        last = self.projects.check(self.path, lambda: stale and bool(shown), shown.append)
        reports = shown if last is None else [*shown, last]
        return [[(one.line, one.code) for one in report.findings] for report in reports]


@pytest.fixture
def document(tmp_path: Path) -> Document:
    return Document(tmp_path)


def test_what_others_found_moves_with_its_line(document: Document) -> None:
    branch, own = (5, "JAX301"), (12, "JAX303")
    assert [[], [branch]] == document.checked(HELPER)
    assert [[branch, own]] * 2 == document.checked(HELPER + OWN)
    moved = [[(7, "JAX301"), (14, "JAX303")]] * 2
    assert moved == document.checked(f"# One\n# Two\n{HELPER}{OWN}")
    assert [[(6, "JAX301"), (13, "JAX303")]] * 2 == document.checked(f"# One\n{HELPER}{OWN}")


def test_what_others_found_on_an_edited_line_is_left_out(document: Document) -> None:
    document.checked(HELPER)
    assert [[], []] == document.checked(HELPER.replace("x > 0", "x.ndim > 0"))
    assert [[], [(5, "JAX301")]] == document.checked(HELPER.replace("x > 0", "x > 1"))


def test_what_cannot_be_parsed_says_that_alone(document: Document) -> None:
    document.checked(HELPER)
    broken = document.checked(f"{HELPER}def (\n")
    assert [[(8, "JAX001")]] * 2 == broken


def test_what_was_given_up_is_shown_when_there_is_time(document: Document) -> None:
    document.checked(HELPER)
    assert [[(6, "JAX301")]] == document.checked(f"# One\n{HELPER}", stale=True)
    assert [[(6, "JAX301")]] == document.checked(f"# One\n{HELPER}", stale=True)
    assert [(7, "JAX301")] == document.checked(f"# One\n# Two\n{HELPER}")[-1]


def test_only_a_full_report_tells_that_a_comment_is_unused(document: Document) -> None:
    folder = Path(document.path).parent
    settings = '[tool.jaxlint]\nextend-select = ["JAX003"]\n'
    (folder / "setup.cfg").rename(folder / "pyproject.toml").write_text(settings)
    used = HELPER.replace("x > 0:", "x > 0:  # jaxlint: ignore[JAX301]")
    assert [[], []] == document.checked(used)
    unused = used.replace("clip(x):", "clip(x):  # jaxlint: ignore[JAX301]")
    assert [[], [(4, "JAX003")]] == document.checked(unused)


def test_all_parts_of_a_finding_move() -> None:
    before = SourceText("a.py", "one\ntwo\nthree\nfour\nfive\n")
    after = SourceText("a.py", "one\nTWO\nmore\nthree\nfour\nfive\n")

    def at(line: int) -> Span:
        return Span(line, 1, line, 2)

    def fix(*lines: int) -> Fix:
        return Fix("Do it", Applicability.SAFE, tuple(Edit(at(line), "") for line in lines))

    def finding(line: int, fix: Fix | None, *because: Because) -> Finding:
        code = ("JAX301", "branch-on-traced", Severity.ERROR, "It is")
        return Finding("a.py", at(line), *code, because=because, trail=because, fix=fix)

    steps = Because(at(1), "first"), Because(at(2), "gone"), Because(at(2), "there", "b.py")
    found = finding(4, fix(1, 4), *steps), finding(5, fix(2, 5)), finding(2, None)
    shown = interim(after, Report("a.py"), Elsewhere(before, found))
    steps = Because(at(1), "first"), Because(at(2), "there", "b.py")
    assert (finding(5, fix(1, 5), *steps), finding(6, None)) == shown.findings
    assert shown.source is after

"""The figure of README.md shows what is printed: python tests/docs/test_figure.py draws it."""

from __future__ import annotations

import html
import io
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
FIGURE = ROOT / "docs" / "terminal.svg"
COMMAND = "jaxlint check train.py"
PIECE = re.compile(r'<text [^>]*x="([\d.]+)"[^>]* y="([\d.]+)"[^>]*clip-path[^>]*>(.*?)</text>')


def printed(colour: str) -> str:
    """What the command prints, findings first."""
    options = ["--no-cache", "--color", colour]
    done = subprocess.run(
        [sys.executable, "-m", *COMMAND.split(), *options],
        cwd=ROOT / "fixtures" / "figure",
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def draw() -> str:
    """The figure: a terminal with the command and what it prints."""
    console = Console(record=True, width=118, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ {COMMAND}\n{printed('always')}".rstrip()))
    figure = console.export_svg(title="jaxlint", unique_id="jaxlint")
    # Nothing is fetched from anywhere to show it.
    figure = re.sub(r" *@font-face \{.*?\}\n", "", figure, flags=re.DOTALL)
    return figure.replace("Fira Code, monospace", "ui-monospace, monospace")


def shown(svg: str) -> str:
    """The text of a figure, without blanks."""
    rows: dict[float, list[tuple[float, str]]] = defaultdict(list)
    for x, y, text in PIECE.findall(svg):
        rows[float(y)].append((float(x), html.unescape(text)))
    return packed("".join(text for y in sorted(rows) for _, text in sorted(rows[y])))


def packed(text: str) -> str:
    """Without blanks: lines are broken where a terminal breaks them."""
    return "".join(text.split())


def test_the_figure_shows_what_is_printed() -> None:
    assert packed(f"$ {COMMAND}") + packed(printed("never")) == shown(FIGURE.read_text("utf-8"))


if __name__ == "__main__":
    FIGURE.write_text(draw(), encoding="utf-8")

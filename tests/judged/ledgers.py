"""Ledgers of judged findings: reading, writing, and what git says of a checkout."""

from __future__ import annotations

import json
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

LEDGERS = Path(__file__).parents[2] / "fixtures" / "ecosystem"
VERDICTS = ("right", "wrong", "unclear", "unjudged")


@dataclass(frozen=True)
class Row:
    """One finding and the verdict of who read the code: `reason` says why."""

    file: str
    line: int
    column: int
    code: str
    severity: str
    message: str
    verdict: str
    reason: str

    @property
    def key(self) -> tuple[str, int, int, str]:
        return (self.file, self.line, self.column, self.code)


@dataclass(frozen=True)
class Ledger:
    """The findings in one repository at one commit; `lines` is its size under `root`."""

    repository: str
    commit: str
    root: str
    lines: int
    rows: tuple[Row, ...]


def read(name: str, folder: Path = LEDGERS) -> Ledger:
    """The ledger of a repository.

    Raises:
        FileNotFoundError: there is no ledger of that name.
    """
    data = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    rows = tuple(Row(**row) for row in data.get("finding", []))
    return Ledger(
        data["repository"], data["commit"], data.get("root", "."), data.get("lines", 0), rows
    )


def text(value: str) -> str:
    """A TOML string: JSON writes control characters as TOML does."""
    return json.dumps(value, ensure_ascii=False)


def write(name: str, ledger: Ledger, folder: Path = LEDGERS) -> None:
    """Replaces the ledger of a repository."""
    parts = [
        f"repository = {text(ledger.repository)}",
        f"commit = {text(ledger.commit)}",
        f"root = {text(ledger.root)}",
        f"lines = {ledger.lines}",
    ]
    for row in ledger.rows:
        parts += [
            "",
            "[[finding]]",
            f"file = {text(row.file)}",
            f"line = {row.line}",
            f"column = {row.column}",
            f"code = {text(row.code)}",
            f"severity = {text(row.severity)}",
            f"message = {text(row.message)}",
            f"verdict = {text(row.verdict)}",
            f"reason = {text(row.reason)}",
        ]
    (folder / f"{name}.toml").write_text("\n".join([*parts, ""]), encoding="utf-8")


def commit_of(checkout: Path) -> str | None:
    """The commit of a checkout, None where git cannot tell; "+" if Python files differ from it."""
    if not (checkout / ".git").exists():
        return None
    git = ["git", "-C", str(checkout)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode:
        return None
    differs = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "*.py"], check=False)
    return head.stdout.strip() + ("+" if differs.returncode else "")

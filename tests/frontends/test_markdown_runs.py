"""Whole runs on Markdown: only on request, on the lines of the file, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
CHECK = ("check", "--output-format", "concise", "--no-cache")
PAGE = """\
# A page about jax

```python
import jax
```

* Names from above are known:

  ```python
  @jax.jit
  def relu(x):
      return x if x > 0 else 0.0
  ```

```python
relu(...
```
"""
WHERE = "README.md:12:19: JAX301 "
LEFT_OUT = "1 block in 1 file called Python and left out, because Python cannot read them.\n"


@pytest.fixture
def project(here: Path) -> Path:
    (here / "pyproject.toml").touch()
    (here / "README.md").write_text(PAGE)
    return here


@pytest.mark.parametrize("path", [".", "README.md"])
def test_blocks_are_checked_on_request(project: Path, run: Run, path: str) -> None:
    result = run(*CHECK, "--markdown", path)
    assert 1 == result.exit_code
    assert result.stdout.startswith(WHERE)
    assert 1 == result.stdout.count("\n")
    assert result.stderr.endswith(LEFT_OUT)


def test_blocks_are_not_checked_without_being_asked_for(project: Path, run: Run) -> None:
    assert (0, "") == (run(*CHECK).exit_code, run(*CHECK).stdout)
    result = run(*CHECK, "README.md")
    complaint = "jaxlint: error: README.md: Markdown is checked with --markdown only\n"
    assert (2, "") == (result.exit_code, result.stdout)
    assert complaint in result.stderr
    stdin = run(*CHECK, "-", "--stdin-filename", "README.md", input=PAGE)
    assert (2, complaint) == (stdin.exit_code, stdin.stderr)


def test_settings_ask_for_it(project: Path, run: Run) -> None:
    (project / "pyproject.toml").write_text("[tool.jaxlint]\nmarkdown = true\n")
    assert run(*CHECK).stdout.startswith(WHERE)
    assert "" == run(*CHECK, "--no-markdown").stdout
    stdin = run(*CHECK, "-", "--stdin-filename", "README.md", input=PAGE)
    assert stdin.stdout.startswith(WHERE)


def test_the_page_is_quoted_as_it_is(project: Path, run: Run) -> None:
    shown = run("check", "--no-cache", "--markdown").stdout
    lines = [line for line in shown.splitlines() if line[:1].isdigit()]
    assert ["11 |   def relu(x):", "12 |       return x if x > 0 else 0.0", "13 |   ```"] == lines


def test_comments_are_written_into_the_block(project: Path, run: Run) -> None:
    assert 0 == run(*CHECK, "--markdown", "--add-noqa").exit_code
    expected = PAGE.replace("else 0.0", "else 0.0  # noqa: JAX301")
    assert expected == (project / "README.md").read_text()
    assert 0 == run(*CHECK, "--markdown", "--warn-unused-suppressions").exit_code


def test_why_takes_the_lines_of_the_page(project: Path, run: Run) -> None:
    assert "    README.md:11:3: `relu` is jitted here\n" in run("why", "README.md:12:19").stdout


def test_a_missing_parser_is_named(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jaxlint.syntax.formats.markdown.find_spec", lambda name: None)
    result = run(*CHECK, "--markdown")
    assert (2, "") == (result.exit_code, result.stdout)
    assert "pip install markdown-it-py" in result.stderr
    assert 0 == run(*CHECK).exit_code


def test_the_cache_notices_that_pages_change_and_come(project: Path, run: Run) -> None:
    check = ("check", "--output-format", "concise", "--markdown")
    assert run(*check).stdout == run(*check).stdout != ""
    assert run(*check).stderr.endswith(LEFT_OUT)
    (project / "b.md").write_text(PAGE)
    assert 2 == run(*check).stdout.count("JAX301")
    (project / "README.md").write_text(f"\n{PAGE}")
    assert "README.md:13:19: JAX301 " in run(*check).stdout

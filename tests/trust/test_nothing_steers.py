"""Whatever files are called and hold, what jaxlint prints moves no cursor, changes no direction of
writing and is no command to the service whose log it is in."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jaxlint import lint
from jaxlint.base import printable
from jaxlint.frontends.cli import main
from jaxlint.report.formats.table import FORMATS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names that other systems do not have")

STEERING = "\x1b[2J\x1b]0;t\x07\x9b31m\x08\x7f\u202e\u2066\u200f##[error]x##vso[a]b##teamcity[c]"
COMMAND = "::error file=x::owned"
NAMES = (f"{COMMAND}.py", f"{STEERING}.py", f"a\n{COMMAND}\r\n##[x].py", f"  {COMMAND}.py")
TEMPLATE = """\
import jax
import jax.numpy as jnp

TEXT = '''
{command}
   {command}
##[group]
'''


@jax.jit
def step(x):
    print(x, "{steering}")
    if x > len("{steering}"):  # {steering}
        return x
    return x


@jax.jit
def other(x):
    y = {{"{steering}": x}}
    if y["{steering}"] > 0:
        return jnp.sum(x)
    x[0] = 1  # {steering}
    return x
"""
# What a source may hold besides, Python would not read it with the others in it.
SOURCE = TEMPLATE.format(
    command=COMMAND, steering=STEERING.replace("\x08", "").replace("\n", "").replace('"', "")
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    for name in NAMES:
        (root / name).write_text(SOURCE)
    (root / "plain.py").write_text(SOURCE)
    (root / "pyproject.toml").write_text("[tool.jaxlint]\nselect = ['ALL']\n")
    return root


def wrong(text: str, *, is_github: bool = False) -> Iterator[str]:
    """What of a text may steer whoever shows it."""
    for line in text.split("\n"):
        for character in line:
            kind = unicodedata.category(character)
            if kind in ("Cc", "Cf", "Zl", "Zp") and character != "\t":
                yield f"{character!r} in {line!r}"
        if re.search(r"##\w*\[", line):
            yield line
        if line.lstrip().startswith("::"):
            own = r"::(error|warning|notice) title=jaxlint(?: \(JAX\d+\))?,file=[^:,]*(,|::)"
            if not (is_github and re.match(own, line)):
                yield line


def shown(result: Result) -> str:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.stdout + "\n" + result.stderr


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("paths", [(".",), (*NAMES, "gone\x1b[2J.py", "\n::error::gone.py")])
def test_no_format_passes_it_on(project: Path, name: str, paths: tuple[str, ...]) -> None:
    arguments = ["check", "--no-cache", "--output-format", name, "--", *paths]
    result = CliRunner().invoke(main, arguments)
    assert "JAX301" in result.stdout
    assert list(wrong(shown(result), is_github=name == "github")) == []
    for document in [result.stdout] if name in ("json", "gitlab", "sarif", "rdjson") else []:
        # What is for programs is exact.
        if name == "json":
            names = {os.path.normpath(row["filename"]) for row in json.loads(document)}
            assert names >= set(NAMES)
        for text in strings(json.loads(document)):
            assert "\x00" not in text


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


@pytest.mark.parametrize("name", ["full", "concise"])
def test_colours_are_all_that_is_left(project: Path, name: str) -> None:
    arguments = ["check", "--no-cache", "--color", "always", "--output-format", name]
    result = CliRunner().invoke(main, arguments, color=True)
    text = re.sub(r"\x1b\[\d*(;\d+)*m", "", shown(result))
    assert "\x1b[" in result.stdout
    assert list(wrong(text)) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--diff", "--unsafe-fixes"),
        ("check", "--fix", "--show-fixes"),
        ("check", "--statistics"),
        ("check", "--explain-silence", "--timing"),
        ("check", "--write-baseline", "\x1b[2J\n::error::b.json"),
        ("check", "--add-noqa"),
        ("check", "--baseline", "\x1b[2J\n::error::b.json"),
        ("check", "--config", "\x1b[2J\n::error::"),
        ("check", "--cache-dir", "plain.py\x1b[2J"),
        ("check", "--target-jax", "\x1b[2J\n::error::"),
        ("check", "--dask", "\x1b[2J\n::error::"),
        ("graph",),
        ("graph", "--output-format", "json"),
        ("graph", "--output-format", "dot"),
        ("graph", "--output-format", "mermaid"),
        ("config", NAMES[1]),
        ("config", NAMES[2]),
        ("config", "gone\x1b[2J"),
        ("rules", "\x1b[2J"),
        ("explain", "\x1b[2J\n::error::"),
        ("cache", "info", "--cache-dir", "\x1b[2J\n::error::"),
        ("why", "gone\x1b[2J\n::error::.py:3"),
        ("why", "\x1b[2J\n::error::"),
        *(("why", f"{name}:{line}") for name in NAMES for line in (13, 14, 22)),
        ("why", "--output-format", "json", f"{NAMES[1]}:22"),
    ],
)
def test_no_command_passes_it_on(project: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, list(arguments))
    assert list(wrong(shown(result))) == []


@pytest.mark.parametrize(
    "settings",
    [
        '"\\u001b[2J\\n::error::x" = 1',
        'ignore = ["\\u001b[2J\\n::error::x"]',
        'transforms = {"a.b" = "\\u001b[2J\\n::error::x"}',
        'exclude = ["\\u001b[2J\\n::error::x/**"]',
        'baseline = "\\u001b[2J\\n::error::x"',
        'extend = "\\u001b[2J\\n::error::x"',
        'per-file-ignores = {"[\\u001b[2J\\n::error::x" = ["JAX3"]}',
        'severity = {JAX3 = "\\u001b[2J\\n::error::x"}',
        "\x1b[2J = 1",
    ],
)
def test_no_message_about_settings_passes_it_on(project: Path, settings: str) -> None:
    (project / "jaxlint.toml").write_text(settings)
    for command in (["check", "--no-cache"], ["config"]):
        assert list(wrong(shown(CliRunner().invoke(main, command)))) == []


def test_a_patch_that_steers_nothing_is_exact() -> None:
    text = "--- a\n+++ a\n@@ -1 +1 @@\n-x = '\t\x0c é 👩‍🔬'\r\n+y = 1 # a::b ## c\r\n"
    assert text == printable.patch(text)


def test_markdown_for_editors_holds_no_links_of_the_source() -> None:
    text = "f('`[click](command:evil)`')"
    assert printable.code(text) == f"`` {text} ``"
    assert printable.code("x") == "`x`"


def test_flake8_is_given_nothing_of_the_kind(project: Path) -> None:
    from jaxlint.frontends.findings import Findings

    path = str(project / "plain.py")
    rows = Findings(None, (path,)).rows(path, SOURCE)
    assert rows and lint(SOURCE)
    for _, _, code, text in rows:
        assert list(wrong(f"{code} {text}")) == []

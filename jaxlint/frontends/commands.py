"""The commands that check nothing. They import what they need when they run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from jaxlint.base.errors import JaxlintError
from jaxlint.base.printable import one_line
from jaxlint.frontends.options import (
    cache_directory,
    configuration,
    exclusion,
    printed_as,
    selection,
)

if TYPE_CHECKING:
    from jaxlint.cache.folder import Folder


@click.group(short_help="Look at the cache, or empty it.")
def cache() -> None:
    """What `jaxlint check` found is kept in .jaxlint_cache, in the project around the current
    directory, for as long as nothing has changed that it depends on."""


@cache.command(short_help="Say where the cache is and what is in it.")
@cache_directory
@configuration
def info(**options: Any) -> None:
    """Say where the cache is and what is in it."""
    from jaxlint.cache.folder import MOST_BYTES

    folder = _folder(options)
    documents = list(folder.documents())
    runs = sum(name.startswith("run-") for name, _ in documents)
    click.echo(f"directory: {one_line(folder.directory)}")
    click.echo(f"runs: {runs}")
    click.echo(f"projects: {len(documents) - runs}")
    size, most = sum(size for _, size in documents), MOST_BYTES
    click.echo(f"size: {size / 1e6:.1f} MB of at most {most / 1e6:.0f} MB")


@cache.command(short_help="Remove what is in the cache.")
@cache_directory
@configuration
def clear(**options: Any) -> None:
    """Remove what is in the cache. Recordings stay."""
    from jaxlint.base.wording import counted

    count, size = _folder(options).clear()
    click.echo(f"removed {counted(count, 'file')}, {size / 1e6:.1f} MB")


def _folder(options: dict[str, Any]) -> Folder:
    """The cache that the options of a command stand for."""
    from jaxlint.cache.folder import Folder, default_directory
    from jaxlint.frontends import cli_settings

    directory = options.pop("cache_dir")
    chosen = cli_settings.take(options).configuration().near(os.curdir).run
    directory = directory and os.path.realpath(directory)
    return Folder(directory or default_directory(chosen.cache_dir))


_CONFIG_HELP = """\
Show the settings that count for PATH (the current directory by default), and where each is given.

Patterns and paths are relative to the file that they stand in. The options are those of
`jaxlint check`.
"""


@click.command(short_help="Show the settings, and where they come from.", help=_CONFIG_HELP)
@click.argument("path", type=click.Path(), default=os.curdir)
@printed_as("json", help="TOML with comments, or one object.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of the settings instead.")
@selection
@exclusion
def config(path: str, output_format: str, schema: bool, **options: Any) -> None:
    if schema:
        from jaxlint.settings.schema import text

        click.echo(text(), nl=False)
        return
    from jaxlint.frontends import cli_settings
    from jaxlint.frontends.runs.config import shown

    click.echo(shown(path, cli_settings.take(options), output_format), nl=False)


_WHY_HELP = """\
Say of the names on a line, or of the expression at a column, what they are to the tracer, and why.

A value is traced, static or not known. For each run that comes to the place there is the way from
where tracing starts, through calls and parameters.

\b
  jaxlint why train.py:12
  jaxlint why train.py:12:9
  jaxlint why 'train.ipynb:cell 3:12'
"""


@click.command(short_help="Say why a value is traced or static.", help=_WHY_HELP)
@click.argument("place", metavar="FILE:LINE[:COLUMN]")
@printed_as("json", help="Lines to read, or one object.")
@exclusion
def why(place: str, output_format: str, **options: Any) -> None:
    from jaxlint.frontends import cli_settings
    from jaxlint.frontends.runs.why import shown

    configuration = cli_settings.take(options).configuration()
    click.echo(shown(place, configuration, output_format), nl=False)


_LSP_HELP = """\
Serve an editor over standard input and output, in the language server protocol.

Your editor starts this. It needs pygls: pip install pygls.
"""


@click.command(short_help="Serve an editor.", help=_LSP_HELP)
def lsp() -> None:
    from importlib.util import find_spec

    if find_spec("pygls") is None:
        raise JaxlintError("lsp needs pygls: pip install pygls")
    from jaxlint.frontends.lsp.server import serve

    serve()


@click.command(short_help="Print the page of a rule.", help="Print the page of a rule.")
@click.argument("rule", metavar="CODE|NAME")
def explain(rule: str) -> None:
    from jaxlint.base.finding import Applicability
    from jaxlint.registry.pages import page
    from jaxlint.session.session import load_registry

    entry = load_registry().find(rule)
    state = "on by default" if entry.default else "off by default"
    click.echo(click.style(f"{entry.code} {entry.name}", bold=True))
    fix = "no fix" if entry.applicability is Applicability.NONE else f"{entry.applicability} fix"
    click.echo(f"severity {entry.severity}, {state}, {fix}, since {entry.since}\n")
    click.echo(page(entry), nl=False)


@click.command(short_help="List the rules.", help="List the rules.")
@printed_as("json", help="A table to read, or a list of objects.")
def rules(output_format: str) -> None:
    from jaxlint.registry.pages import summary
    from jaxlint.report.formats import json, text
    from jaxlint.session.session import load_registry

    entries = load_registry().entries
    if output_format == "json":
        rows = [
            {
                "code": entry.code,
                "name": entry.name,
                "severity": str(entry.severity),
                "default": entry.default,
                "fix": str(entry.applicability),
                "since": entry.since,
                "summary": summary(entry),
            }
            for entry in entries
        ]
        click.echo(json.dump(rows), nl=False)
        return
    table = [("code", "name", "severity", "default", "summary")]
    table += [
        (
            entry.code,
            entry.name,
            str(entry.severity),
            "on" if entry.default else "off",
            summary(entry),
        )
        for entry in entries
    ]
    click.echo(text.table(table), nl=False)


COMMANDS = (cache, config, why, lsp, explain, rules)

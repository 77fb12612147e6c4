"""The command line: what it accepts and what it prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

from jaxlint import __version__
from jaxlint.base.errors import JaxlintError

# Whatever leads to the parser, the rules or pathspec is imported inside the commands that need
# it, so that `--help`, `--version` and shell completion answer at once.

FAILED = 2
INTERRUPTED = 130


class Program(click.Group):
    """The command group, with our exit codes: 2 for failure, 130 for an interrupt."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. An error that the user can act on becomes one line."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except JaxlintError as error:
            click.echo(f"jaxlint: error: {error}", err=True)
            ctx.exit(FAILED)
        except KeyboardInterrupt:
            click.echo("jaxlint: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            _abandon_output()
            ctx.exit(FAILED)
        return result


def _abandon_output() -> None:
    """Nobody reads our output any more: what Python still holds must not fail at exit."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _split(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...] | None:
    """Options that may be repeated, each with a list separated by commas; None if absent."""
    words = [word.strip() for value in values for word in value.split(",")]
    return tuple(word for word in words if word) if values else None


def _list_option(name: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(name, multiple=True, metavar="LIST", callback=_split, help=help)


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A static linter for JAX code.",
)
@click.version_option(__version__, "-V", "--version", prog_name="jaxlint")
def main() -> None:
    pass


_CHECK_HELP = """\
Check files and directories (the current one by default).

Directories are searched for *.py; gitignore files are respected, and directories such as .venv,
build and node_modules are skipped. "-" stands for standard input.

Exit codes: 0 nothing found, 1 findings, 2 bad usage, a path that cannot be checked or an internal
error.
"""


@main.command(short_help="Check files and directories.", help=_CHECK_HELP)
@click.argument("paths", nargs=-1, type=click.Path())
@_list_option("--select", "Run only these rules: code prefixes or rule names.")
@_list_option("--ignore", "Do not run these rules.")
@_list_option("--extend-select", "Run these rules too.")
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json"]),
    default="full",
    show_default=True,
    help="How findings are printed.",
)
@click.option("--statistics", is_flag=True, help="Count findings by rule instead.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors, nothing else.")
@click.option(
    "--color",
    "colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to colour output; auto honours NO_COLOR.",
)
@click.option("--disable-noqa", is_flag=True, help="Report what comments suppress.")
@click.option(
    "--stdin-filename", default="stdin", metavar="PATH", help="The name of standard input."
)
@_list_option("--exclude", "Skip what matches these gitignore patterns too.")
@click.option("--force-exclude", is_flag=True, help="Exclude files named on the command line too.")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Read [tool.jaxlint] of this file, not of the nearest pyproject.toml.",
)
def check(
    paths: tuple[str, ...],
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    extend_select: tuple[str, ...] | None,
    colour: str,
    disable_noqa: bool,
    exclude: tuple[str, ...] | None,
    **options: Any,
) -> NoReturn:
    from jaxlint.frontends.check import Options, Run, standard_streams, wants_colour
    from jaxlint.settings import Selection

    streams = standard_streams()
    run = Run(
        Options(
            paths=paths or (os.curdir,),
            selection=Selection(select, ignore or (), extend_select or ()),
            colour=wants_colour(colour, streams.out),
            noqa=not disable_noqa,
            exclude=exclude or (),
            **options,
        ),
        streams,
    )
    raise click.exceptions.Exit(run.execute())


@main.command(short_help="Print the page of a rule.", help="Print the page of a rule.")
@click.argument("rule", metavar="CODE|NAME")
def explain(rule: str) -> None:
    from jaxlint.registry import page
    from jaxlint.session import load_registry

    entry = load_registry().find(rule)
    state = "on by default" if entry.default else "off by default"
    click.echo(click.style(f"{entry.code} {entry.name}", bold=True))
    click.echo(f"severity {entry.severity}, {state}, since {entry.since}\n")
    click.echo(page(entry), nl=False)


@main.command(short_help="List the rules.", help="List the rules.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table to read, or a list of objects.",
)
def rules(output_format: str) -> None:
    from jaxlint.registry import summary
    from jaxlint.report import json, text
    from jaxlint.session import load_registry

    entries = load_registry().entries
    if output_format == "json":
        rows = [
            {
                "code": entry.code,
                "name": entry.name,
                "severity": str(entry.severity),
                "default": entry.default,
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

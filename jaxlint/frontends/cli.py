"""The command line: what it accepts and what it prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from jaxlint import __version__
from jaxlint.base import collector
from jaxlint.base.errors import JaxlintError
from jaxlint.frontends.options import (
    WithVerify,
    cache_directory,
    caching,
    cluster,
    files,
    output,
    python,
    selection,
    verification,
)
from jaxlint.frontends.streams import FAILED, abandon_output, interrupted

if TYPE_CHECKING:
    from jaxlint.frontends.request import Request

# Whatever leads to the parser, the rules or pathspec is imported inside the commands that need
# it, so that `--help`, `--version` and shell completion answer at once.

_ARGUMENTS = "jaxlint.arguments"


class Program(click.Group):
    """The command group, with our exit codes: 2 for failure, 130 for an interrupt."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remembers the command line as it was given."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. An error that the user can act on becomes one line."""
        try:
            with collector.paused_to_the_end():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except JaxlintError as error:
            click.echo(f"jaxlint: error: {error}", err=True)
            ctx.exit(FAILED)
        except KeyboardInterrupt:
            ctx.exit(interrupted())
        except BrokenPipeError:
            abandon_output()
            ctx.exit(FAILED)
        return result


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


@main.command(cls=WithVerify, short_help="Check files and directories.", help=_CHECK_HELP)
@click.argument("paths", nargs=-1, type=click.Path())
@selection
@output
@click.option(
    "--stdin-filename", default="stdin", metavar="PATH", help="The name of standard input."
)
@click.option(
    "--explain-silence",
    is_flag=True,
    help="Say too how many calls in traced code jaxlint cannot follow, and why.",
)
@files
@caching
@cluster
@verification
def check(paths: tuple[str, ...], modes: frozenset[str], **options: Any) -> NoReturn:
    wanted = {name: options.pop(name) for name in _REQUEST}
    if not modes and any(wanted.values()):
        names = ", ".join(_REQUEST[name] for name, value in wanted.items() if value)
        raise click.UsageError(f"{names} without --verify")
    request = _request(modes, wanted) if modes else None
    options["arguments"] = click.get_current_context().meta[_ARGUMENTS]
    raise click.exceptions.Exit(_run(paths, request, options))


_VERIFY_HELP = """\
Check files, run them in a child process, and say of each finding what real JAX made of it.

PATH:LINE stands for the findings that touch one line. Otherwise this is `jaxlint check --verify`.
"""


@main.command(cls=WithVerify, short_help="Put findings to real JAX.", help=_VERIFY_HELP)
@click.argument("places", nargs=-1, metavar="PATH[:LINE]...")
@selection
@output
@files
@caching
@cluster
@verification
def verify(places: tuple[str, ...], modes: frozenset[str], **options: Any) -> NoReturn:
    from jaxlint.frontends.request import parse_places

    wanted = {name: options.pop(name) for name in _REQUEST}
    paths, lines = parse_places(places)
    request = _request(modes or frozenset(("replay",)), wanted, lines)
    raise click.exceptions.Exit(_run(paths, request, options))


_REQUEST = {
    "python": "--python",
    "verify_timeout": "--verify-timeout",
    "verify_drop": "--verify-drop",
    "evidence": "--evidence",
}


def _request(
    modes: frozenset[str],
    wanted: dict[str, Any],
    lines: dict[str, frozenset[int]] | None = None,
) -> Request:
    from jaxlint.frontends.request import Request

    return Request(
        guess="guess" in modes,
        execute="execute" in modes,
        python=wanted["python"],
        timeout=wanted["verify_timeout"],
        evidence=wanted["evidence"] or "",
        drop_refuted=wanted["verify_drop"] == "refuted",
        lines=lines or {},
    )


def _run(paths: Sequence[str], request: Request | None, options: dict[str, Any]) -> int:
    from jaxlint.base.finding import Confidence
    from jaxlint.cache.folder import Folder, default_directory
    from jaxlint.frontends.check import Options, Run, standard_streams, wants_colour
    from jaxlint.settings import Selection

    streams = standard_streams()
    select, ignore = options.pop("select"), options.pop("ignore")
    selection = Selection(select, ignore or (), options.pop("extend_select") or ())
    colour = wants_colour(options.pop("colour"), streams.out)
    noqa = not options.pop("disable_noqa")
    exclude = options.pop("exclude") or ()
    least = options.pop("min_confidence")
    directory, wants_none = options.pop("cache_dir"), options.pop("no_cache")
    cache = None if wants_none else Folder(directory or default_directory())
    return Run(
        Options(
            paths=tuple(paths) or (os.curdir,),
            selection=selection,
            colour=colour,
            noqa=noqa,
            exclude=exclude,
            min_confidence=None if least is None else Confidence(least),
            verify=request,
            cache=cache,
            **options,
        ),
        streams,
    ).execute()


_GRAPH_HELP = """\
Show where tracing starts, which functions it reaches, and where jaxlint cannot follow it.

This is about the files that PATHS stand for (the current directory by default): what starts there,
and what starts elsewhere and reaches them.

\b
  jaxlint graph src | less
  jaxlint graph --output-format dot src/train.py | dot -Tsvg > train.svg
"""


@main.command(short_help="Show what traced code reaches.", help=_GRAPH_HELP)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "dot", "mermaid"]),
    default="text",
    show_default=True,
    help="Lines to read, one object, or a program for Graphviz or Mermaid.",
)
@files
def graph(paths: tuple[str, ...], **options: Any) -> NoReturn:
    from jaxlint.frontends.check import standard_streams
    from jaxlint.frontends.graph import Options, Run

    exclude = options.pop("exclude") or ()
    chosen = Options(paths=paths or (os.curdir,), exclude=exclude, **options)
    raise click.exceptions.Exit(Run(chosen, standard_streams()).execute())


_RECORD_HELP = """\
Run your tests or your script, and note what JAX traces with which shapes.

\b
  jaxlint record -- pytest tests/
  jaxlint record train.py --steps 10

What is noted goes to .jaxlint_cache/recordings: abstract signatures, never values. `jaxlint check
--verify` uses it. The exit code is that of your command.
"""


@main.command(
    short_help="Run your tests under observation.",
    help=_RECORD_HELP,
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--lint",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True),
    help="The code whose findings are observed (default: the current directory and the script).",
)
@python
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def record(lint: tuple[str, ...], python: str, command: tuple[str, ...]) -> NoReturn:
    from jaxlint.frontends import record as recording
    from jaxlint.settings import Configuration

    python = python or Configuration().near(os.curdir).verify.python
    options = recording.Options(command=command, lint=lint, python=python)
    raise click.exceptions.Exit(recording.record(options))


@main.group(short_help="Look at the cache, or empty it.")
def cache() -> None:
    """What `jaxlint check` found is kept in .jaxlint_cache, in the project around the current
    directory, for as long as nothing has changed that it depends on."""


@cache.command(short_help="Say where the cache is and what is in it.")
@cache_directory
def info(cache_dir: str | None) -> None:
    """Say where the cache is and what is in it."""
    from jaxlint.cache.folder import MOST_BYTES, Folder, default_directory

    folder = Folder(cache_dir or default_directory())
    documents = list(folder.documents())
    runs = sum(name.startswith("run-") for name, _ in documents)
    click.echo(f"directory: {folder.directory}")
    click.echo(f"runs: {runs}")
    click.echo(f"projects: {len(documents) - runs}")
    size, most = sum(size for _, size in documents), MOST_BYTES
    click.echo(f"size: {size / 1e6:.1f} MB of at most {most / 1e6:.0f} MB")


@cache.command(short_help="Remove what is in the cache.")
@cache_directory
def clear(cache_dir: str | None) -> None:
    """Remove what is in the cache. Recordings stay."""
    from jaxlint.cache.folder import Folder, default_directory

    count, size = Folder(cache_dir or default_directory()).clear()
    click.echo(f"removed {count} file{'' if count == 1 else 's'}, {size / 1e6:.1f} MB")


_LSP_HELP = """\
Serve an editor over standard input and output, in the language server protocol.

Your editor starts this. It needs pygls: pip install 'flake8-jaxlint[lsp]'.
"""


@main.command(short_help="Serve an editor.", help=_LSP_HELP)
def lsp() -> None:
    from importlib.util import find_spec

    if find_spec("pygls") is None:
        raise JaxlintError("lsp needs pygls: pip install 'flake8-jaxlint[lsp]'")
    from jaxlint.frontends.lsp.server import serve

    serve()


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
                "fix": str(entry.fix),
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

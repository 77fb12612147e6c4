"""The command line: what it accepts and what it prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from jaxlint import __version__
from jaxlint.base.errors import JaxlintError
from jaxlint.base.printable import lines, one_line
from jaxlint.base.runtime import garbage
from jaxlint.frontends.commands import COMMANDS, explain
from jaxlint.frontends.options import (
    WithBareOptions,
    caching,
    cluster,
    configuration,
    files,
    fixes,
    markdown,
    output,
    printed_as,
    python,
    selection,
    silencing,
    verification,
)
from jaxlint.frontends.streams import FAILED, OutputFile, interrupted
from jaxlint.report.formats.table import COUNTING

if TYPE_CHECKING:
    from typing import TextIO

    from jaxlint.frontends.runs.fixing import Fixing
    from jaxlint.frontends.runs.suppress import Silencing
    from jaxlint.frontends.verify_options import Request
    from jaxlint.project.file_systems.snapshot import Snapshot
    from jaxlint.settings import RunSettings

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
            with garbage.paused_to_the_end():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except JaxlintError as error:
            for line in str(error).splitlines():
                click.echo(f"jaxlint: error: {one_line(line)}", err=True)
            ctx.exit(FAILED)
        except click.ClickException as error:
            error.message = lines(error.message)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:
            ctx.exit(interrupted())
        except BrokenPipeError:
            # click's own exit code for it means findings here.
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

Directories are searched for *.py and *.ipynb; gitignore files are respected, and directories such
as .venv, build and node_modules are skipped. "-" stands for standard input.

Exit codes: 0 nothing found, 1 findings, 2 bad usage, a path that cannot be checked or an internal
error.
"""


@main.command(cls=WithBareOptions, short_help="Check files and directories.", help=_CHECK_HELP)
@click.argument("paths", nargs=-1, type=click.Path())
@selection
@output
@fixes
@silencing
@click.option(
    "--stdin-filename", default="stdin", metavar="PATH", help="The name of standard input."
)
@click.option(
    "--explain-silence",
    is_flag=True,
    help="Say too which calls jaxlint cannot follow, what tracing does not reach, and why.",
)
@click.option("--timing", is_flag=True, help="Say how long the run took, and what took longest.")
@click.option("-w", "--watch", is_flag=True, help="Check again whenever something has changed.")
@markdown
@files
@caching
@cluster
@verification
def check(paths: tuple[str, ...], modes: frozenset[str], watch: bool, **options: Any) -> NoReturn:
    wanted = {name: options.pop(name) for name in _REQUEST}
    if not modes and any(wanted.values()):
        names = ", ".join(_REQUEST[name] for name, value in wanted.items() if value)
        raise click.UsageError(f"{names} without --verify")
    request = _request(modes, wanted) if modes else None
    options["fixing"] = {name: options.pop(name) for name in _FIXING}
    options["silencing"] = _silencing(paths, {name: options.pop(name) for name in _SILENCING})
    if watch:
        _watch(paths, request, options)
    if options["output_file"] is None:
        options["arguments"] = click.get_current_context().meta[_ARGUMENTS]
    raise click.exceptions.Exit(_run(paths, request, options))


def _watch(paths: tuple[str, ...], request: Request | None, options: dict[str, Any]) -> NoReturn:
    if "-" in paths:
        raise click.UsageError("--watch cannot wait for standard input to change")
    if options["silencing"] is not None:
        raise click.UsageError("--watch reports findings, and cannot be told to silence them")
    from jaxlint.frontends.runs.watch import watch

    clears = sys.stdout.isatty() and options["output_file"] is None
    watch(lambda files: _run(paths, request, dict(options), files), options["quiet"], clears)


_FIXING = ("diff", "fix_only", "show_fixes", "exit_non_zero_on_fix")
_SILENCING = {
    "write_baseline": "--write-baseline",
    "add_noqa": "--add-noqa",
    "add_ignore": "--add-ignore",
}


def _silencing(paths: tuple[str, ...], wanted: dict[str, str | None]) -> Silencing | None:
    given = [name for name, value in wanted.items() if value is not None]
    if not given:
        return None
    names = " and ".join(_SILENCING[name] for name in given)
    if len(given) > 1:
        raise click.UsageError(f"{names} cannot be combined")
    if "-" in paths and given != ["write_baseline"]:
        raise click.UsageError(f"{names} cannot change standard input")
    # Most runs need none of this.
    from jaxlint.frontends.runs.suppress import silencing

    return silencing(**wanted)


_VERIFY_HELP = """\
Check files, run them in a child process, and say of each finding what real JAX made of it.

PATH:LINE stands for the findings that touch one line. Otherwise this is `jaxlint check --verify`.
"""


@main.command(cls=WithBareOptions, short_help="Put findings to real JAX.", help=_VERIFY_HELP)
@click.argument("places", nargs=-1, metavar="PATH[:LINE]...")
@selection
@output
@markdown
@files
@caching
@cluster
@verification
def verify(places: tuple[str, ...], modes: frozenset[str], **options: Any) -> NoReturn:
    from jaxlint.frontends.verify_options import parse_places

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
    from jaxlint.frontends.verify_options import Request

    return Request(
        guess="guess" in modes,
        execute="execute" in modes,
        python=wanted["python"],
        timeout=wanted["verify_timeout"],
        evidence=wanted["evidence"] or "",
        drop_refuted=wanted["verify_drop"] == "refuted",
        lines=lines or {},
    )


def _run(
    paths: Sequence[str],
    request: Request | None,
    options: dict[str, Any],
    files: Snapshot | None = None,
) -> int:
    path = options.pop("output_file")
    if path is None:
        return _print(paths, request, options, files)
    with OutputFile(path) as file:
        return _print(paths, request, options, files, file.text)


def _print(
    paths: Sequence[str],
    request: Request | None,
    options: dict[str, Any],
    files: Snapshot | None = None,
    out: TextIO | None = None,
) -> int:
    from jaxlint.cache.folder import Folder, default_directory
    from jaxlint.frontends import cli_settings
    from jaxlint.frontends.runs.check import Run
    from jaxlint.frontends.runs.options import Options, standard_streams, wants_colour
    from jaxlint.project.file_systems.snapshot import Snapshot

    streams = standard_streams()
    colour = wants_colour(options.pop("colour"), streams.out) and out is None
    streams.out = out or streams.out
    noqa = not options.pop("disable_noqa")
    wished = options.pop("fixing", None)
    directory, wants_none = options.pop("cache_dir"), options.pop("no_cache")
    files = files or Snapshot(noting=not wants_none)
    configuration = cli_settings.take(options).configuration(files)
    chosen = configuration.near(os.curdir).run
    if options["statistics"] and chosen.output_format not in COUNTING:
        counting = ", ".join(COUNTING)
        raise click.UsageError(
            f"--statistics has no {chosen.output_format} output, only {counting}"
        )
    fixing = None
    if wished is not None:
        fixing = _fixing(paths, chosen, wished, is_special=bool(options["silencing"] or request))
    cache = None
    if not (wants_none or fixing):
        chosen_directory = directory and os.path.realpath(directory)
        cache = Folder(chosen_directory or default_directory(chosen.cache_dir))
    return Run(
        Options(
            paths=tuple(paths) or (os.curdir,),
            configuration=configuration,
            files=files,
            output_format=chosen.output_format,
            colour=colour,
            noqa=noqa,
            verify=request,
            cache=cache,
            fixing=fixing,
            unsafe_fixes=chosen.unsafe_fixes,
            **options,
        ),
        streams,
    ).execute()


def _fixing(
    paths: Sequence[str],
    chosen: RunSettings,
    wished: dict[str, bool],
    is_special: bool,
) -> Fixing | None:
    """What is to be fixed in a run, None where nothing is. Runs that are `is_special` do something
    else with findings: there it is not asked for in settings."""
    is_said = any(wished[name] for name in ("diff", "fix_only"))
    if is_special:
        if is_said:
            raise click.UsageError("fixes are for runs that neither verify nor silence findings")
        return None
    if not (chosen.fix or is_said):
        return None
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("standard input can only be fixed alone")
    # Most runs need none of this.
    from jaxlint.frontends.runs.fixing import Fixing

    return Fixing(
        unsafe=chosen.unsafe_fixes,
        diff=wished["diff"],
        only=wished["fix_only"],
        show=wished["show_fixes"],
        fails=wished["exit_non_zero_on_fix"],
    )


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
@printed_as(
    *("json", "dot", "mermaid"),
    help="Lines to read, one object, or a program for Graphviz or Mermaid.",
)
@files
def graph(paths: tuple[str, ...], **options: Any) -> NoReturn:
    from jaxlint.frontends import cli_settings
    from jaxlint.frontends.runs.graph import Options, Run
    from jaxlint.frontends.runs.options import standard_streams

    configuration = cli_settings.take(options, "output_format").configuration()
    chosen = Options(paths=paths or (os.curdir,), configuration=configuration, **options)
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
@configuration
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def record(
    lint: tuple[str, ...], python: str, command: tuple[str, ...], **options: Any
) -> NoReturn:
    from jaxlint.frontends import cli_settings
    from jaxlint.frontends.runs import record as recording

    settings = cli_settings.take(options).configuration()
    python = python or settings.near(os.curdir).verify.python
    chosen = recording.Options(command, lint, python, settings)
    raise click.exceptions.Exit(recording.record(chosen))


for command in COMMANDS:
    main.add_command(command)
# The name that ruff has for it.
main.add_command(explain, "rule")

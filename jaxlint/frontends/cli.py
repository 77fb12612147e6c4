"""The command line: what it accepts and what it prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from jaxlint import __version__
from jaxlint.base.errors import JaxlintError

if TYPE_CHECKING:
    from jaxlint.frontends.request import Request

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


class _WithVerify(click.Command):
    """A command on which `--verify` takes its value after "=" only, so that a path may follow."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Gives a bare `--verify` its value."""
        end = args.index("--") if "--" in args else len(args)
        words = [REPLAY if word == "--verify" else word for word in args[:end]]
        return super().parse_args(ctx, words + args[end:])


REPLAY = "--verify=replay"
_MODES = ("replay", "guess", "execute")


def _modes(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> frozenset[str]:
    """The words of `--verify`, empty where it was not given."""
    words = _split(context, parameter, values) or ()
    for word in words:
        if word not in _MODES:
            raise click.BadParameter(f"{word!r} is not one of {', '.join(_MODES)}")
    return frozenset(words)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _all_of(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order in which help lists them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_selection = _all_of(
    _list_option("--select", "Run only these rules: code prefixes or rule names."),
    _list_option("--ignore", "Do not run these rules."),
    _list_option("--extend-select", "Run these rules too."),
)
_output = _all_of(
    click.option(
        "--output-format",
        type=click.Choice(["full", "concise", "json"]),
        default="full",
        show_default=True,
        help="How findings are printed.",
    ),
    click.option("--statistics", is_flag=True, help="Count findings by rule instead."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
    click.option("-q", "--quiet", is_flag=True, help="Print findings and errors, nothing else."),
    click.option(
        "--color",
        "colour",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="When to colour output; auto honours NO_COLOR.",
    ),
    click.option("--disable-noqa", is_flag=True, help="Report what comments suppress."),
)
_files = _all_of(
    _list_option("--exclude", "Skip what matches these gitignore patterns too."),
    click.option(
        "--force-exclude", is_flag=True, help="Exclude files named on the command line too."
    ),
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="Read [tool.jaxlint] of this file, not of the nearest pyproject.toml.",
    ),
)
_python = click.option(
    "--python", default="", metavar="PYTHON", help="The interpreter that runs your code and JAX."
)
_verification = _all_of(
    click.option(
        "--verify",
        "modes",
        multiple=True,
        metavar="[=MODES]",
        callback=_modes,
        help="RUN YOUR CODE in a child process, to put each finding to real JAX. MODES: replay "
        "(known arguments, the default), guess (invent arguments too), execute (run XLA too).",
    ),
    _python,
    click.option(
        "--verify-timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="The most time that one call may take.",
    ),
    click.option(
        "--verify-drop",
        type=click.Choice(["refuted"]),
        help="Leave out findings that real arguments refuted.",
    ),
    click.option(
        "--evidence",
        type=click.Choice(["jaxpr", "stablehlo"]),
        help="Show the whole traced program too.",
    ),
)


@main.command(cls=_WithVerify, short_help="Check files and directories.", help=_CHECK_HELP)
@click.argument("paths", nargs=-1, type=click.Path())
@_selection
@_output
@click.option(
    "--stdin-filename", default="stdin", metavar="PATH", help="The name of standard input."
)
@_files
@_verification
def check(paths: tuple[str, ...], modes: frozenset[str], **options: Any) -> NoReturn:
    wanted = {name: options.pop(name) for name in _REQUEST}
    if not modes and any(wanted.values()):
        names = ", ".join(_REQUEST[name] for name, value in wanted.items() if value)
        raise click.UsageError(f"{names} without --verify")
    request = _request(modes, wanted) if modes else None
    raise click.exceptions.Exit(_run(paths, request, options))


_VERIFY_HELP = """\
Check files, run them in a child process, and say of each finding what real JAX made of it.

PATH:LINE stands for the findings that touch one line. Otherwise this is `jaxlint check --verify`.
"""


@main.command(cls=_WithVerify, short_help="Put findings to real JAX.", help=_VERIFY_HELP)
@click.argument("places", nargs=-1, metavar="PATH[:LINE]...")
@_selection
@_output
@_files
@_verification
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
    from jaxlint.frontends.check import Options, Run, standard_streams, wants_colour
    from jaxlint.settings import Selection

    streams = standard_streams()
    select, ignore = options.pop("select"), options.pop("ignore")
    selection = Selection(select, ignore or (), options.pop("extend_select") or ())
    colour = wants_colour(options.pop("colour"), streams.out)
    noqa = not options.pop("disable_noqa")
    exclude = options.pop("exclude") or ()
    return Run(
        Options(
            paths=tuple(paths) or (os.curdir,),
            selection=selection,
            colour=colour,
            noqa=noqa,
            exclude=exclude,
            verify=request,
            **options,
        ),
        streams,
    ).execute()


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
@_python
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def record(lint: tuple[str, ...], python: str, command: tuple[str, ...]) -> NoReturn:
    from jaxlint.frontends import record as recording
    from jaxlint.settings import Configuration

    python = python or Configuration().near(os.curdir).verify.python
    options = recording.Options(command=command, lint=lint, python=python)
    raise click.exceptions.Exit(recording.record(options))


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

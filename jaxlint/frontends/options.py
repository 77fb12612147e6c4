"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click


def _split(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...] | None:
    """Options that may be repeated, each with a list separated by commas; None if absent."""
    words = [word.strip() for value in values for word in value.split(",")]
    return tuple(word for word in words if word) if values else None


def _list_option(name: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(name, multiple=True, metavar="LIST", callback=_split, help=help)


class WithVerify(click.Command):
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


class Jobs(click.IntRange):
    """A number of processes; "auto" is the word for 0."""

    name = "jobs"

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that was asked for."""
        number: int = super().convert(0 if value == "auto" else value, param, ctx)
        return number


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _all_of(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order in which help lists them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


selection = _all_of(
    _list_option("--select", "Run only these rules: code prefixes or rule names."),
    _list_option("--ignore", "Do not run these rules."),
    _list_option("--extend-select", "Run these rules too."),
    click.option(
        "--min-confidence",
        type=click.Choice(["high", "medium", "low"]),
        help="Report what is at least so sure; medium, unless configured. With low, what jaxlint "
        "cannot follow is taken to be traced.",
    ),
)
output = _all_of(
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
files = _all_of(
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
    click.option(
        "-j",
        "--jobs",
        type=Jobs(),
        default="auto",
        show_default=True,
        metavar="N",
        help="Check with so many processes; auto stands for one on each processor, and none on "
        "so little code that they would not pay.",
    ),
)
cache_directory = click.option(
    "--cache-dir",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Where the cache is; .jaxlint_cache in the project, unless given.",
)
caching = _all_of(
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    cache_directory,
)
cluster = click.option(
    "--dask",
    metavar="ADDRESS",
    help="Check with the workers of the Dask cluster whose scheduler is there: tcp://host:8786.",
)
python = click.option(
    "--python", default="", metavar="PYTHON", help="The interpreter that runs your code and JAX."
)
verification = _all_of(
    click.option(
        "--verify",
        "modes",
        multiple=True,
        metavar="[=MODES]",
        callback=_modes,
        help="RUN YOUR CODE in a child process, to put each finding to real JAX. MODES: replay "
        "(known arguments, the default), guess (invent arguments too), execute (run XLA too).",
    ),
    python,
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

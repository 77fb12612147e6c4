"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from jaxlint.report.formats.table import FORMATS


def _split(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...] | None:
    """Options that may be repeated, each with a list separated by commas; None if absent."""
    words = [word.strip() for value in values for word in value.split(",")]
    return tuple(word for word in words if word) if values else None


def _list_option(name: str, help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(name, multiple=True, metavar="LIST", callback=_split, help=help)


def _file_ignores(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, list[str]] | None:
    """Pairs such as "tests/*:JAX5", separated by commas, as a table; None if absent."""
    table: dict[str, list[str]] = {}
    for pair in _split(context, parameter, values) or ():
        pattern, _, selector = pair.rpartition(":")
        if not (pattern.strip() and selector.strip()):
            raise click.BadParameter(f"{pair!r} is not like 'tests/*:JAX501'")
        table.setdefault(pattern.strip(), []).append(selector.strip())
    return table if values else None


class WithBareOptions(click.Command):
    """A command on which some options take a value after "=" only, so that a path may follow."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Gives those that are bare their value."""
        end = args.index("--") if "--" in args else len(args)
        words = [f"{word}={_BARE[word]}" if word in _BARE else word for word in args[:end]]
        return super().parse_args(ctx, words + args[end:])


_BARE = {"--verify": "replay", "--add-noqa": "", "--add-ignore": ""}
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


def printed_as(*formats: str, help: str) -> Decorator:
    """The option of a command that prints text unless it is asked for another format."""
    return click.option(
        "--output-format",
        type=click.Choice(["text", *formats]),
        default="text",
        show_default=True,
        help=help,
    )


selection = _all_of(
    _list_option("--select", "Run only these rules: code prefixes or rule names."),
    _list_option("--ignore", "Do not run these rules."),
    _list_option("--extend-select", "Run these rules too."),
    click.option(
        "--warn-unused-suppressions",
        is_flag=True,
        help="Report comments that suppress nothing (JAX003).",
    ),
    click.option(
        "--per-file-ignores",
        multiple=True,
        metavar="LIST",
        callback=_file_ignores,
        help="Do not run rules in some files: tests/*:JAX501. Patterns in the place of those of "
        "the settings.",
    ),
    click.option(
        "--extend-per-file-ignores",
        multiple=True,
        metavar="LIST",
        callback=_file_ignores,
        help="The same, beside those of the settings.",
    ),
    click.option(
        "--target-jax", metavar="VERSION", help="The newest JAX that the code is written for."
    ),
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
        type=click.Choice(list(FORMATS)),
        help="How findings are printed; full, unless configured.",
    ),
    click.option(
        "-o",
        "--output-file",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write findings to this file, not to standard output.",
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
        help="When to colour output; auto honours NO_COLOR and FORCE_COLOR.",
    ),
    click.option("--disable-noqa", is_flag=True, help="Report what comments suppress."),
    click.option(
        "--baseline",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Report only what is not in this file, which --write-baseline made.",
    ),
)
silencing = _all_of(
    click.option(
        "--write-baseline",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write what is found to this file instead of reporting it.",
    ),
    click.option(
        "--add-noqa",
        metavar="[=REASON]",
        help="Silence what is found with `# noqa: CODE` comments instead of reporting it.",
    ),
    click.option(
        "--add-ignore",
        metavar="[=REASON]",
        help="The same with `# jaxlint: ignore[rule-name]` comments.",
    ),
)
fixes = _all_of(
    click.option("--fix/--no-fix", default=None, help="Fix what can be fixed safely."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes",
        default=None,
        help="Fix too what may then work differently: look at the changes.",
    ),
    click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing."),
    click.option("--fix-only", is_flag=True, help="Fix, and report nothing that is left."),
    click.option("--show-fixes", is_flag=True, help="List what was fixed."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    _list_option("--fixable", "Fix only what these rules find."),
    _list_option("--unfixable", "Do not fix what these rules find."),
)
configuration = _all_of(
    click.option(
        "--config",
        multiple=True,
        metavar="FILE|SETTING",
        help="Read the settings of this file, not of the nearest one; or set one, as in TOML: "
        "'verify.timeout = 30'.",
    ),
    click.option("--isolated", is_flag=True, help="Read no settings files."),
)
exclusion = _all_of(
    click.option(
        "--exclude",
        "--extend-exclude",
        "exclude",
        multiple=True,
        metavar="LIST",
        callback=_split,
        help="Skip what matches these gitignore patterns too.",
    ),
    click.option(
        "--force-exclude/--no-force-exclude",
        default=None,
        help="Exclude files named on the command line too.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore",
        default=None,
        help="Skip what git ignores, as usual, or do not.",
    ),
    configuration,
)
markdown = click.option(
    "--markdown/--no-markdown",
    default=None,
    help="Check blocks of Python in Markdown files too.",
)
files = _all_of(
    exclusion,
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

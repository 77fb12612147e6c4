"""The keys that there are. Whatever reads, shows or documents settings goes by this table."""

from __future__ import annotations

from typing import Any

from jaxlint.settings.kinds import Choice, Flag, Kind, Names, Number, Strings, Table, Text

# Where each output format is: a module of `jaxlint.report.formats`, and the class in it.
OUTPUT_FORMATS = {
    "full": ("text", "Full"),
    "concise": ("text", "Concise"),
    "json": ("json", "Json"),
    "json-lines": ("json", "JsonLines"),
    "sarif": ("sarif", "Sarif"),
    "github": ("github", "GitHub"),
    "gitlab": ("gitlab", "GitLab"),
    "junit": ("junit", "JUnit"),
    "rdjson": ("rdjson", "Rdjson"),
    "html": ("html", "Html"),
}


class Key:
    """One key: what may stand behind it, and what it does.

    `default` is what counts where the key is not given, None where that is nothing. `adds` tells
    that a file which extends another adds to what stands there; a table always does, key by key,
    unless it `replaces`. `option` is how the command line says it.
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        text: str,
        default: Any = None,
        example: str = "",
        *,
        adds: bool = False,
        replaces: bool = False,
        option: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.text = text
        self.default = default
        self.example = example
        self.adds = adds
        self.merges = isinstance(kind, Table | Names) and not replaces and not adds
        self.option = option

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the tables that the key is in, and its own."""
        return tuple(self.name.split("."))

    @property
    def title(self) -> str:
        """The first sentence of the text, without its full stop."""
        return self.text.partition(". ")[0].rstrip(".").replace("`", "")


_LIST = Strings()
_FLAG = Flag()
_CODES = '"tests/**" = ["JAX501"]'

KEYS: tuple[Key, ...] = (
    Key(
        "baseline",
        Text("the path of a file", "path", "."),
        "The file of [known findings](suppression.md#baselines), which are not reported: a path in "
        "the project, relative to the file.",
        example='"jaxlint-baseline.json"',
        option="--baseline",
    ),
    Key(
        "cache-dir",
        Text("the path of a directory", "path", "."),
        "Where the [cache](cache.md) is: a path in the project, relative to the file. By default "
        "it is `.jaxlint_cache` in the project; the variable `JAXLINT_CACHE_DIR` comes first.",
        example='".cache/jaxlint"',
        option="--cache-dir",
    ),
    Key(
        "exclude",
        _LIST,
        "What is left out of directories: gitignore patterns, relative to the file. Directories "
        "such as `.venv`, `build` and `node_modules` are always left out.",
        [],
        '["legacy/", "*_pb2.py"]',
    ),
    Key(
        "extend",
        Text("the path of a settings file", "path", "."),
        "A settings file of the project that this one adds to, by a path relative to this file. "
        "What stands here counts more.",
        example='"../jaxlint.toml"',
    ),
    Key(
        "extend-exclude",
        _LIST,
        "What is left out beside what `exclude` says.",
        [],
        '["generated/"]',
        adds=True,
        option="--exclude",
    ),
    Key(
        "extend-per-file-ignores",
        Table(_LIST, _CODES),
        "Rules that say nothing in some files, beside those of `per-file-ignores`.",
        {},
        '{ "examples/**" = ["JAX7"] }',
        adds=True,
        option="--extend-per-file-ignores",
    ),
    Key(
        "extend-safe-fixes",
        _LIST,
        "Rules whose [fixes](fixes.md) count as safe: codes, prefixes of codes, names.",
        [],
        '["JAX301"]',
        adds=True,
    ),
    Key(
        "extend-select",
        _LIST,
        "Rules that run too: codes, prefixes of codes, names.",
        [],
        '["JAX702"]',
        adds=True,
        option="--extend-select",
    ),
    Key(
        "extend-unsafe-fixes",
        _LIST,
        "Rules whose [fixes](fixes.md) count as unsafe: codes, prefixes of codes, names.",
        [],
        '["JAX314"]',
        adds=True,
    ),
    Key(
        "fix",
        _FLAG,
        "Whether `jaxlint check` [fixes](fixes.md) what it finds. "
        "[A setting of the run](#the-settings-of-a-run).",
        False,
        "true",
        option="--fix",
    ),
    Key(
        "fixable",
        _LIST,
        "The rules whose findings are [fixed](fixes.md), in the place of all: codes, prefixes of "
        "codes, names.",
        example='["JAX3", "array-item-assignment"]',
        option="--fixable",
    ),
    Key(
        "force-exclude",
        _FLAG,
        "Whether files that are named on the command line can be excluded too. "
        "[Settings of the run](#the-settings-of-a-run).",
        False,
        "true",
        option="--force-exclude",
    ),
    Key(
        "framework-methods",
        _FLAG,
        "Whether to analyse [methods that nothing visible calls](#methods-of-frameworks).",
        False,
        "true",
    ),
    Key(
        "ignore",
        _LIST,
        "Rules that do not run. Of two selectors in one file, the more specific one wins.",
        [],
        '["JAX5"]',
        adds=True,
        option="--ignore",
    ),
    Key(
        "markdown",
        _FLAG,
        "Whether blocks of Python in [Markdown files](notebooks.md#markdown) are checked too. "
        "[A setting of the run](#the-settings-of-a-run).",
        False,
        "true",
        option="--markdown",
    ),
    Key(
        "min-confidence",
        Choice("high", "medium", "low"),
        "The least [confidence](#confidence) of what is reported.",
        "medium",
        '"high"',
        option="--min-confidence",
    ),
    Key(
        "models",
        Names(),
        "What [functions of packages](#models) do: those of JAX that they are like.",
        {},
        '{ "fastlib.relu" = "jax.nn.relu" }',
    ),
    Key(
        "output-format",
        Choice(*OUTPUT_FORMATS),
        "How findings are printed. [A setting of the run](#the-settings-of-a-run).",
        "full",
        '"concise"',
        option="--output-format",
    ),
    Key(
        "per-file-ignores",
        Table(_LIST, _CODES),
        "Rules that say nothing in [some files](#per-file-ignores).",
        {},
        '{ "tests/**" = ["JAX501"], "!src/**" = ["JAX7"] }',
        replaces=True,
        option="--per-file-ignores",
    ),
    Key(
        "respect-gitignore",
        _FLAG,
        "Whether what git ignores is left out. [A setting of the run](#the-settings-of-a-run).",
        True,
        "false",
        option="--respect-gitignore",
    ),
    Key(
        "select",
        _LIST,
        "The rules that run, in the place of those that are on by default: codes, prefixes of "
        "codes, names, or `ALL`.",
        example='["JAX3", "prng-key-reuse"]',
        option="--select",
    ),
    Key(
        "severity",
        Table(Choice("error", "warning", "perf", "info"), '"JAX7" = "info"'),
        "Another [severity](#severity) for some rules: codes, prefixes of codes, names.",
        {},
        '{ "JAX7" = "info", "print-traced-value" = "error" }',
    ),
    Key(
        "src",
        _LIST,
        "Directories, relative to the file, that absolute [imports](#imports) start from.",
        [],
        '["lib", "tools/python"]',
    ),
    Key(
        "target-jax",
        Text('a version such as "0.4.30"', "version", r"^\d+(\.\d+)*$"),
        "The newest JAX that the code is written for. By default it is what the project's "
        "requirements say.",
        example='"0.4.30"',
        option="--target-jax",
    ),
    Key(
        "transforms",
        Names(),
        "What [functions without source](#transforms) stand for.",
        {},
        '{ "fastlib.compile" = "jax.jit" }',
    ),
    Key(
        "unfixable",
        _LIST,
        "Rules whose findings are not [fixed](fixes.md). Of two selectors, the more specific one "
        "wins.",
        [],
        '["JAX101"]',
        adds=True,
        option="--unfixable",
    ),
    Key(
        "unsafe-fixes",
        _FLAG,
        "Whether unsafe [fixes](fixes.md) are carried out too. "
        "[A setting of the run](#the-settings-of-a-run).",
        False,
        "true",
        option="--unsafe-fixes",
    ),
    Key(
        "verify.arguments",
        Table(Text("the source of arguments", "strings"), '"pkg.mod:f" = "f32[8]"'),
        "Arguments of functions, for [verification](verification.md).",
        {},
        '{ "pkg.mod:step" = "f32[8], n=2" }',
    ),
    Key(
        "verify.evidence",
        Choice("jaxpr", "stablehlo"),
        "The form in which whole traced programs are shown.",
        example='"jaxpr"',
        option="--evidence",
    ),
    Key(
        "verify.memory",
        Number(),
        "How much memory verification may take, in GiB.",
        6.0,
        "12",
    ),
    Key(
        "verify.python",
        Text("the path of an interpreter", "path"),
        "The interpreter that runs your code: a command, or a path relative to the file.",
        example='".venv/bin/python"',
        option="--python",
    ),
    Key(
        "verify.timeout",
        Number(),
        "The most time that one call may take, in seconds.",
        10.0,
        "30",
        option="--verify-timeout",
    ),
)
BY_NAME = {key.name: key for key in KEYS}

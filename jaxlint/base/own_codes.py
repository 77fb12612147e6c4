"""The codes that jaxlint itself reports, without a rule."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted
from jaxlint.base.finding import Applicability, Severity, Tag


@slotted(frozen=True)
class Meta:
    """A code of our own and its page."""

    code: str
    name: str
    page: str
    severity: Severity = Severity.ERROR
    since: str = "0.1"
    default: bool = True
    applicability: Applicability = Applicability.NONE
    tags: tuple[Tag, ...] = ()


SYNTAX_ERROR = Meta(
    "JAX001",
    "syntax-error",
    """\
The file is not Python that can be parsed.

Nothing else is reported on such a file. Besides errors of syntax this covers bytes that are not
text in the encoding that the file declares (UTF-8 if it declares none) and null bytes. The line
and the column are the place at which the parser gave up, which may lie behind the mistake.

The code is reported for files that import JAX or a library on top of it, for what such files
import, and for every file that is named on the command line. Of other files in a directory only
the imports are read: nothing in them can be traced. No comment in a file suppresses the code. Under
flake8 you see it only for files that flake8 itself can parse.
""",
)

UNUSED_SUPPRESSION = Meta(
    "JAX003",
    "unused-suppression",
    """\
A comment silences a rule that has nothing to say there.

The code has changed since, or the comment stands on the wrong line; what it hides next is a new
finding. Each code and each name in a list is looked at by itself, in `# noqa: JAX301` as in
`# jaxlint: ignore[branch-on-traced]` and in their forms for whole files. A code that begins with
JAX but belongs to no rule is reported too.

Nothing is said of `# noqa` without a list and of the codes of other tools, nor of a rule that is
not selected. The code is off unless it is selected: `--extend-select JAX003`, or
`--warn-unused-suppressions`. Under flake8, which reads `# noqa` itself, it is about the comments
that only jaxlint reads. `--fix` takes out what silences nothing.
""",
    severity=Severity.WARNING,
    default=False,
    applicability=Applicability.SAFE,
)

MALFORMED_SUPPRESSION = Meta(
    "JAX005",
    "malformed-suppression",
    """\
A comment is meant for jaxlint, but silences nothing because it cannot be understood.

It has no list in brackets, it names a rule that does not exist, it is misspelt, or it is for a
whole file and does not stand on a line of its own:

```py
y = f(x)  # jaxlint: ignore
y = f(x)  # jaxlint: ignore[branch-on-trace]
y = f(x)  # jaxlint: ingore[branch-on-traced]
y = f(x)  # jaxlint: ignore-file[branch-on-traced]
```

Write `# jaxlint: ignore[branch-on-traced] reason`. Of several rules in a list, those that exist are
silenced.
""",
    severity=Severity.WARNING,
)

INTERNAL_ERROR = Meta(
    "JAX009",
    "internal-error",
    """\
jaxlint failed on this file, which is a defect of jaxlint.

The message holds the exception and the innermost functions it came through. The file has no
other findings, the other files are checked as usual, and the exit code of the run is 2. Please
report the message, if you can with the smallest part of the file that brings it about.

When the message says that the file is nested too deep, the code outgrew Python's limit on
recursion; such code is usually generated and can be excluded.
""",
)

INCOMPLETE_ANALYSIS = Meta(
    "JAX007",
    "incomplete-analysis",
    """\
Not everything that a file does was followed, because that would take too long.

What the analysis of a file may do is counted in steps and grows with the size of the file and of
the modules that it runs, not with the number of paths through them. Each statement of a module and
each function that is traced gets a share of the steps. When a share is used up, calls are not
followed any further, and at last the rest of the place is left out. The findings until then are
reported, other places are followed as usual, and the outcome is the same in each run.

In the analysis of a file, a function is followed some fifty times: for arguments that differ, or
because it changes what others read. After that, what its calls give is unknown, and so is what they
change. This happens in ordinary code too, to helpers that everything uses. What such a helper does
with the first arguments is known by then; what is missing at most are findings that come about with
later ones.

There is one finding for each file, at the first place that was cut off; the message says how many
there are. It is a note: it does not change the exit code unless the code is selected by its own
name (`--extend-select JAX007`). flake8, which fails for whatever it shows, shows it only then.
`--explain-silence` counts the places.

Code that needs too many steps is usually generated: functions that call each other along very many
paths. Exclude it, or split the function at the place.
""",
    severity=Severity.INFO,
)

METAS = (
    SYNTAX_ERROR,
    UNUSED_SUPPRESSION,
    MALFORMED_SUPPRESSION,
    INCOMPLETE_ANALYSIS,
    INTERNAL_ERROR,
)

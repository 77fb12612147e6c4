"""The codes that jaxlint itself reports, without a rule: they are on unless ignored."""

from __future__ import annotations

from jaxlint.base.finding import Fix, Severity
from jaxlint.base.slotted import slotted


@slotted(frozen=True)
class Meta:
    """A code of our own and its page."""

    code: str
    name: str
    page: str
    severity: Severity = Severity.ERROR
    since: str = "0.1"
    default: bool = True
    fix: Fix = Fix.NONE


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

METAS = (SYNTAX_ERROR, INTERNAL_ERROR)

"""The errors jaxlint raises on purpose."""

from __future__ import annotations

from jaxlint.base.wording import suggestion


class JaxlintError(Exception):
    """Base of every error that jaxlint raises for a reason the user can act on."""


class UnknownRuleError(JaxlintError):
    """A selector names no rule code, code prefix or rule name."""

    def __init__(self, selector: str, near: str = "") -> None:
        super().__init__(f"unknown rule or code prefix {selector!r}{suggestion(near)}")
        self.selector = selector


class SettingsError(JaxlintError):
    """A configuration value cannot be used."""


class ClusterError(JaxlintError):
    """A Dask cluster that was asked for cannot be used."""


class DocumentError(JaxlintError):
    """A file is not the notebook that its name promises: where, and why."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message


class PlaceError(JaxlintError):
    """There is nothing to ask about at a place."""


class Interrupted(BaseException):
    """Work is given up because nobody waits for it any more. No defect, so that nothing that
    looks for one catches it."""


def reason(error: OSError) -> str:
    """The cause of an operating system error, without its number and path."""
    return (error.strerror or str(error) or type(error).__name__).lower()


_FRAMES = 4


def described(error: Exception) -> str:
    """An exception that nobody expected, and the innermost functions that it came through,
    innermost first."""
    # Few runs need this.
    import traceback

    frames = [
        f"{frame.f_globals.get('__name__', '?')}.{frame.f_code.co_name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    trail = " < ".join(reversed(frames[-_FRAMES:]))
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    if isinstance(error, RecursionError):
        return f"the code is nested too deep to be analysed ({what}; at {trail})"
    return f"{what} (at {trail})"

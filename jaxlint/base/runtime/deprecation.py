"""Warnings about former names of the interface of rules, which go with the next release."""

from __future__ import annotations

import warnings


def warn_renamed(former: str, current: str) -> None:
    """Warns the caller of the function that stands for a former name."""
    warnings.warn(f"{former} is called {current} now", DeprecationWarning, stacklevel=3)

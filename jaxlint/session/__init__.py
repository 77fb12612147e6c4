"""The one way to get findings: settings and files go in, a report on each file comes out.

Here belongs what one run does with files and rules. To print, to fix files and to talk to editors
is the task of `report`, `apply` and `frontends`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.session.session import Session as Session


def __getattr__(name: str) -> Any:
    if name != "Session":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from jaxlint.session.session import Session

    return Session

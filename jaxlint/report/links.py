"""Where things are: pages on the web, paths and URIs of files."""

from __future__ import annotations

import os
from urllib.parse import quote

HOME = "https://example.org/jaxlint"


def page(name: str) -> str:
    """The address of the page of a rule."""
    return f"{HOME}/rules/{quote(name, safe='')}"


def relative(path: str, directory: str) -> str:
    """A path as it is seen from a directory, with slashes; absolute if it is not below it."""
    full = os.path.abspath(os.path.join(directory, path))
    try:
        short = os.path.relpath(full, directory)
    except ValueError:
        # On another drive.
        return full.replace(os.sep, "/")
    outside = short == os.pardir or short.startswith(os.pardir + os.sep)
    return (full if outside else short).replace(os.sep, "/")


def uri(path: str) -> str:
    """The URI of an absolute path, or of a relative one the reference; both with slashes."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        name = path.encode("utf-8", "replace")
    if not os.path.isabs(path):
        return quote(name, safe="/")
    return f"file://{'' if path.startswith('/') else '/'}{quote(name, safe='/:')}"

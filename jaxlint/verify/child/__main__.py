"""The start of a child process: `python .../child/__main__.py` in the user's interpreter.

The rest of jaxlint stays unimported, and the directory that holds it stays off the path: it may
hold packages for another Python.
"""

from __future__ import annotations

import os
import sys
import types


def _offer_package() -> None:
    """Makes `jaxlint.verify.child` importable from where this file is."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != here]
    package = types.ModuleType("jaxlint")
    package.__path__ = [os.path.dirname(os.path.dirname(here))]
    sys.modules["jaxlint"] = package


if __name__ == "__main__":
    _offer_package()
    from jaxlint.verify.child.process.serve import serve

    serve()

"""Starts the observation of a recorded process. Python imports this before the program.

The folder of this file comes first on PYTHONPATH; it leaves `sys.path` as it would be without,
and the user's own `sitecustomize` runs as always.
"""

import importlib.machinery
import importlib.util
import os
import sys
import types

_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))


def _leave_path() -> None:
    for entry in list(sys.path):
        if os.path.abspath(entry) == _HERE:
            sys.path.remove(entry)


def _run_own() -> None:
    """The `sitecustomize` that Python would have found."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _make_importable() -> None:
    """Gives access to the modules used here, without running `jaxlint/__init__.py` in
    interpreters that this jaxlint is not installed for.
    """
    if "jaxlint" in sys.modules:
        return
    spec = importlib.util.find_spec("jaxlint")
    here = os.path.join(_PACKAGE, "__init__.py")
    if spec is None or os.path.realpath(spec.origin or "") != os.path.realpath(here):
        package = types.ModuleType("jaxlint")
        package.__path__ = [_PACKAGE]
        sys.modules["jaxlint"] = package


def _start() -> None:
    plan = os.environ.get("JAXLINT_RECORDING")
    if plan:
        _make_importable()
        from jaxlint.verify.child.recording import session

        session.start(plan)


_leave_path()
try:
    _start()
finally:
    _run_own()

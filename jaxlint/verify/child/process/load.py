"""Loads the user's modules: by dotted name, so that relative imports work, or by path."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
import types
from collections.abc import Sequence

from jaxlint.verify.child.observing.probe import probed

_roots: list[str] = []
"""Directories that `load` has put on `sys.path`."""


class LoadError(Exception):
    """Why a module could not be loaded, in words."""


def locate(file: str) -> tuple[str, list[str]]:
    """The dotted name of a file, and the directories to import it from.

    The name is empty for a file that no import statement can name.
    """
    file = os.path.abspath(file)
    folder, name = os.path.split(file)
    parts = [os.path.splitext(name)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    paths = [folder]
    if os.path.basename(folder) == "src":
        paths.append(os.path.dirname(folder))
    return (".".join(parts) if all(part.isidentifier() for part in parts) else "", paths)


def load(file: str) -> types.ModuleType:
    """The module of a file, run if it was not yet. Raises LoadError, whatever its code raises.

    Tried in turn: its dotted name, the same after its top package, the file by its path.
    """
    file = os.path.abspath(file)
    found = _loaded(file)
    if found is not None:
        return found
    name, paths = locate(file)
    names = [name, *_namespace_names(file)] if name else []
    _enter(paths)
    problems: list[BaseException] = []
    for each in dict.fromkeys(names):
        top = each.partition(".")[0]
        for first in ["", top] if "." in each else [""]:
            module = _attempt(problems, file, each, first)
            if module is not None:
                return module
            if _is_final(problems[-1], file, top):
                break
    if not problems or not _is_final(problems[0], file, ""):
        module = _attempt(problems, file, "", "")
        if module is not None:
            return module
    raise LoadError(_reason(problems[0])) from problems[0]


def _attempt(
    problems: list[BaseException], file: str, name: str, first: str
) -> types.ModuleType | None:
    """One way to load the file; what went wrong is added to the problems."""
    try:
        if not name:
            return _by_path(file)
        if first:
            importlib.import_module(first)
        module = importlib.import_module(name)
        if not _is_file(module, file):
            raise ImportError(f"{name} is {getattr(module, '__file__', None)}")
        return module
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # A class of our own is the guard's way to stop what takes too long.
        if type(error).__module__.startswith("jaxlint."):
            raise
        problems.append(error)
        return None


def _by_path(file: str) -> types.ModuleType:
    """The file as a module that nothing imports by name, with its folder on the path."""
    name = "_jaxlint_" + "".join(each if each.isalnum() else "_" for each in file)
    _enter([os.path.dirname(file)])
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python module")
    probed(spec)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _namespace_names(file: str) -> list[str]:
    """Dotted names through folders without `__init__.py`, as the import path allows them."""
    names = []
    stem = os.path.splitext(file)[0]
    for path in sys.path:
        root = os.path.join(os.path.abspath(path), "")
        if stem.startswith(root):
            parts = stem[len(root) :].split(os.sep)
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if parts and all(part.isidentifier() for part in parts):
                names.append(".".join(parts))
    return sorted(names, key=len)


def _is_file(module: types.ModuleType, file: str) -> bool:
    found = vars(module).get("__file__")
    if not isinstance(found, str) or os.path.basename(found) != os.path.basename(file):
        return False
    return os.path.realpath(found) == os.path.realpath(file)


def _enter(paths: Sequence[str]) -> None:
    """Puts directories first on the path, and forgets modules that others of ours provided.

    Two projects, or two folders of scripts, may use one name for different files.
    """
    for path in reversed(paths):
        if path in sys.path:
            sys.path.remove(path)
        sys.path.insert(0, path)
    importlib.invalidate_caches()
    others = [root for root in _roots if root not in paths]
    _roots.extend(path for path in paths if path not in _roots)
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        if any(_provides(path, top) for path in paths) and _lives_in(module, others, paths):
            del sys.modules[name]


def _provides(path: str, name: str) -> bool:
    here = os.path.join(path, name)
    return os.path.isfile(here + ".py") or os.path.isdir(here)


def _lives_in(module: types.ModuleType, roots: Sequence[str], paths: Sequence[str]) -> bool:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return False

    def inside(root: str) -> bool:
        return os.path.abspath(file).startswith(os.path.join(root, ""))

    return any(map(inside, roots)) and not any(map(inside, paths))


def _began(error: BaseException, file: str) -> bool:
    """Whether the file's own code was running when the error came."""
    real = os.path.realpath(file)
    return any(
        os.path.realpath(frame.f_code.co_filename) == real
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def _is_final(error: BaseException, file: str, top: str) -> bool:
    """Whether the file itself failed, in a way that no other order of imports changes."""
    if not _began(error, file):
        return False
    if isinstance(error, ModuleNotFoundError) and error.name:
        return error.name.partition(".")[0] != top
    return not isinstance(error, (ImportError, AttributeError))


def _loaded(file: str) -> types.ModuleType | None:
    """The module that some import has made of the file."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and isinstance(module, types.ModuleType) and _is_file(module, file):
            return module
    return None


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"import failed: the module exits with {error.code!r}"
    text = " ".join(str(error).split())[:300]
    if isinstance(error, ImportError) and text:
        return f"import failed: {text}"
    return f"import failed: {type(error).__name__}" + (f": {text}" if text else "")

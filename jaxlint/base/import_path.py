"""The import path of the command: the environment, and nothing of the code that is linted.

`python -m jaxlint` puts the current directory first on the import path, and so does PYTHONPATH=. ;
then `import click` would run a `click.py` of the repository that is linted. This is imported
before anything else of the command, so it imports next to nothing.
"""

from __future__ import annotations

import os
import site
import sys

from jaxlint.base.stamps import is_below, project_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Directories below a project that .pth files of the environment put on the path: the source of
# distributions that are installed in place, which only plugins are imported from.
_in_place: list[str] = []


def site_directories() -> list[str]:
    """The directories that distributions are installed into, those that count more first."""
    found = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    found += site.getsitepackages()
    return list(dict.fromkeys(path for path in found if os.path.isdir(path)))


def restrict(arguments: Sequence[str] = ()) -> None:
    """Removes from the import path whatever lies in the project around the current directory, or
    around a path among the arguments, but for the environment itself."""
    given = [word for word in arguments if not word.startswith("-") and os.path.exists(word)]
    projects = {_real(os.curdir)} | {
        os.path.normcase(project_around(path)) for path in (os.curdir, *given)
    }
    from_outside = {_real(path) for path in _variable()}
    own = _environment(projects)
    for entry in list(sys.path):
        real = _real(entry)
        if any(is_below(real, each) for each in own):
            continue
        if any(is_below(real, project) for project in projects):
            sys.path.remove(entry)
            if entry and real not in from_outside and real != _real(os.curdir):
                _in_place.append(entry)


def admit(module: str) -> None:
    """Puts the directory back of which the environment says that this module, or the package that
    it is in, is installed there in place."""
    top = module.partition(".")[0]
    for directory in _in_place:
        place = os.path.join(directory, top)
        if directory not in sys.path and (os.path.isdir(place) or os.path.isfile(place + ".py")):
            sys.path.append(directory)


def _variable() -> list[str]:
    value = os.environ.get("PYTHONPATH", "")
    return value.split(os.pathsep) if value else []


def _environment(projects: set[str]) -> list[str]:
    """The directories of the interpreter and of what is installed for it."""
    standard = os.path.dirname(os.__file__)
    prefixes = {_real(each) for each in (sys.prefix, sys.exec_prefix, sys.base_prefix)}
    # An environment may lie in a project, and a project in the directory of an environment.
    apart = [each for each in prefixes if not any(is_below(it, each) for it in projects)]
    return [*map(_real, (standard, *site_directories())), *apart]


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path or os.curdir))

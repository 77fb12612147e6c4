"""The import path of the command: the environment, and nothing of the code that is linted.

`python -m jaxlint` puts the current directory first on the import path, and so does PYTHONPATH=. ;
then `import click` would run a `click.py` of the repository that is linted. This is imported
before anything else of the command, so it imports next to nothing.
"""

import os
import sys

from jaxlint.base.file_stats import is_below, project_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Directories below a project that .pth files of the environment put on the path: the source of
# distributions that are installed in place, which only plugins are imported from.
_in_place: list[str] = []


def site_directories() -> list[str]:
    """The directories that distributions are installed into, those that count more first."""
    # Without it, as under `python -S`, nothing is installed.
    site = sys.modules.get("site")
    if site is None:
        return []
    found = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    found += site.getsitepackages()
    return list(dict.fromkeys(path for path in found if os.path.isdir(path)))


def restrict(arguments: "Sequence[str]" = ()) -> None:
    """Removes from the import path whatever lies in the project around the current directory, or
    around a path among the arguments, but for the environment itself."""
    given = [word for word in arguments if not word.startswith("-") and os.path.exists(word)]
    projects = {_real(os.curdir)} | {
        os.path.normcase(project_around(path)) for path in (os.curdir, *given)
    }
    own = _environment(projects)
    variable = {_real(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)}
    kept: list[str] = []
    for number, entry in enumerate(sys.path):
        real = _real(entry)
        is_own = any(is_below(real, each) for each in own)
        if is_own or not any(is_below(real, project) for project in projects):
            kept.append(entry)
        elif number and entry not in _in_place and real not in variable:
            # The first one is the directory of the program, or the current one.
            _in_place.append(entry)
    sys.path[:] = kept


def admit(module: str) -> None:
    """Puts the directory back of which the environment says that this module, or the package that
    it is in, is installed there in place."""
    top = module.partition(".")[0]
    for directory in _in_place:
        place = os.path.join(directory, top)
        if directory not in sys.path and (os.path.isdir(place) or os.path.isfile(place + ".py")):
            sys.path.append(directory)


def _environment(projects: set[str]) -> list[str]:
    """The directories of the interpreter and of what is installed for it."""
    standard = os.path.dirname(os.__file__)
    prefixes = {_real(each) for each in (sys.prefix, sys.exec_prefix, sys.base_prefix)}
    # An environment may lie in a project, and a project in the directory of an environment.
    apart = [each for each in prefixes if not any(is_below(it, each) for it in projects)]
    return [*map(_real, (standard, *site_directories())), *apart]


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path or os.curdir))


class Restricted:
    """For a while, the import path as `restrict` leaves it: in a program of somebody else."""

    def __enter__(self) -> None:
        self._before = list(sys.path)
        restrict()

    def __exit__(self, *_: object) -> None:
        added = [path for path in sys.path if path not in self._before]
        sys.path[:] = [*self._before, *added]

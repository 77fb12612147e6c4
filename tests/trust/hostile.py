"""A checkout that wants its code run, and a Python that notes whether it was.

Every module of it writes a mark when it runs, and is called like something that jaxlint, what it
depends on, or the standard library imports at some time or other.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import pickle
import struct
import sys
from pathlib import Path
from typing import Any

from environments import Environment, write_metadata

SOURCE = """\
import jax
import jax.numpy as jnp
import helper


@jax.jit
def step(x):
    if x > 0:
        return helper.last(x)
    return jnp.sum(x)
"""
# What a module does when it is run: the mark is a file in the directory that MARKS names.
MARK = """\
import os
open(os.path.join(os.environ["MARKS"], {name!r}), "w").close()
raise ImportError("a module of the checkout ran")
"""
POINTS = """\
[jaxlint.rules]
evil = evil_rules
[jaxlint.models]
evil = evil_models
[flake8.extension]
EVL = evil_flake8:Plugin
[console_scripts]
jaxlint = evil_rules:main
"""
# Run by `site` before anything else, from the environment: notes each code that is executed, each
# class that a pickle names and each library that is loaded, with the file that it comes from.
HOOK = """\
import os, sys

_log = os.open(os.environ["AUDIT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_checkout = os.path.realpath(os.environ["CHECKOUT"])
_marks = ("evil", "hostile")


def _below(path):
    if not isinstance(path, str) or not path or path.startswith("<"):
        return False
    path = os.path.join(os.getcwd(), path)
    return path.startswith(_checkout) or os.path.realpath(path).startswith(_checkout)


def _hook(event, args):
    found = None
    if event == "exec":
        found = args[0].co_filename
    elif event == "import":
        found = args[1]
    elif event == "ctypes.dlopen":
        found = args[0]
    elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
        found = args[0]
    elif event == "pickle.find_class":
        os.write(_log, f"class {args[0]}.{args[1]}\\n".encode())
        return
    elif event == "open" and str(args[0]).endswith((".pyc", ".so", ".pth")):
        found = args[0]
    if found is not None and _below(found):
        os.write(_log, f"{event} {found}\\n".encode(errors="replace"))


sys.addaudithook(_hook)
os.write(_log, b"installed\\n")
"""


_OF_TESTS = ("PYTHONPATH", "JAXLINT_CACHE_KEY", "JAXLINT_CACHE_DIR")


class Stage:
    """An environment with the hook, and the checkout; `environment` are the variables of both."""

    def __init__(self, place: Path) -> None:
        self.checkout = place / "checkout"
        self.marks = place / "marks"
        self.log = place / "audit"
        self.made = Environment(place / "environment")
        (self.made.site / "audit_hook_of_the_test.py").write_text(HOOK)
        (self.made.site / "0_audit.pth").write_text("import audit_hook_of_the_test\n")
        self.jaxlint = self.made.command("jaxlint", "jaxlint.frontends.start")
        entry_points = "[flake8.extension]\nJAX = jaxlint.frontends.flake8:Plugin\n"
        self.made.install("flake8-jaxlint", entry_points, "0.1.0")
        self.flake8 = self.made.command("flake8", "flake8.main.cli")
        self.checkout.mkdir()
        self.marks.mkdir()
        fill(self.checkout)
        self.variables = {
            **{name: value for name, value in os.environ.items() if name not in _OF_TESTS},
            "AUDIT": str(self.log),
            "CHECKOUT": str(self.checkout),
            "MARKS": str(self.marks),
            "XDG_STATE_HOME": str(place / "state"),
            "HOME": str(place / "home"),
        }

    def ran(self) -> list[str]:
        """What of the checkout was run since the last call: marks, and what the hook has seen."""
        seen = self.log.read_text().splitlines() if self.log.exists() else []
        found = [line for line in seen if not line.startswith(("installed", "class "))]
        classes = {line.split()[1].partition(".")[0] for line in seen if line.startswith("class ")}
        found += sorted(name for name in classes if name in ("posix", "nt", "evil", "os"))
        for mark in self.marks.iterdir():
            found.append(f"mark {mark.name}")
            mark.unlink()
        assert "installed" in seen, "the hook was not there"
        self.log.unlink()
        return found


def names() -> list[str]:
    """The modules that the checkout has a file for: all of the standard library, and whatever any
    distribution of this environment installs."""
    standard = set(sys.stdlib_module_names)
    installed = importlib.metadata.packages_distributions()
    others = {name.partition(".")[0] for name in installed if name.isidentifier()}
    ours = {"setup", "conftest", "sitecustomize", "usercustomize", "evil_rules", "evil_models"}
    optional = {"yaml", "tomli", "rich", "watchfiles", "pygls", "lsprotocol", "evil_flake8"}
    return sorted({*standard, *others, *ours, *optional, "orjson", "colorama"})


def fill(checkout: Path) -> None:
    """Writes the checkout."""
    for name in names():
        (checkout / f"{name}.py").write_text(MARK.format(name=name))
    for name in ("mypkg", "__pycache__"):
        (checkout / name).mkdir()
    package = checkout / "jaxlint"
    (package / "rules").mkdir(parents=True)
    for path in (package / "__init__.py", package / "rules" / "__init__.py"):
        path.write_text(MARK.format(name="jaxlint"))
    (checkout / "jaxlint.py").unlink(missing_ok=True)
    (checkout / "click.so").write_bytes(b"\x7fELF" + bytes(64))
    (checkout / "evil.pth").write_text("import evil_rules\n")
    (checkout / "model.pickle").write_bytes(pickle.dumps(Bomb()))
    (checkout / "step.py").write_text(SOURCE)
    (checkout / "helper.py").write_text("def last(x):\n    return -x if x > 1 else x\n")
    write_metadata(checkout, "evil", POINTS)
    egg = checkout / "other.egg-info"
    egg.mkdir()
    (egg / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (egg / "entry_points.txt").write_text(POINTS)
    (checkout / "pyproject.toml").write_text(
        '[project]\nname = "evil"\nversion = "1"\n\n[tool.jaxlint]\nselect = ["ALL"]\n'
    )
    (checkout / ".gitignore").write_text("".join(f"/{name}.py\n" for name in names()))
    forge_recording(checkout / ".jaxlint_cache" / "recordings")


def forge_recording(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "evil.pickle").write_bytes(pickle.dumps(Bomb()))
    (directory / "evil.json").write_text(json.dumps({"version": 1}))
    (directory / "evil.npy").write_bytes(struct.pack("<Q", 2**62))


class Bomb:
    """An object whose pickle runs a command."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (os.path.join("evil", "unpickled"),)

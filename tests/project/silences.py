"""What tracing does not reach of small projects."""

from __future__ import annotations

from pathlib import Path

from jaxlint.base.surveys.silence import Reason, Silence
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session
from jaxlint.session.surveys import silence
from jaxlint.settings import Settings

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"


PRELUDE = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n"


def silent(files: dict[str, str], asked: list[str] | None = None) -> Silence:
    """What is not reached of a project; the files named like Python files have the prelude."""
    session = Session(Settings(), Memory({**files, "pyproject.toml": ""}), surveys=True)
    paths = sorted(files) if asked is None else asked
    session.ask(paths)
    return silence(session, paths)


def of(source: str) -> Silence:
    """What is not reached of a single file."""
    return silent({"model.py": PRELUDE + source})


def reasons(found: Silence) -> dict[str, Reason]:
    """The reasons for functions that are not reached, by their names."""
    return {one.name: one.reason for one in found.functions}

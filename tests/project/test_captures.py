"""What changes between calls, in a project: a module's own body ran before anything it defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.session.session import Session

TREE = {
    "pyproject.toml": "",
    "settings.py": """\
scale = 1.0


def apply(x):
    return x * scale


def set_scale(value):
    global scale
    scale = value
""",
    "train.py": """\
import jax


@jax.jit
def step(x):
    from settings import apply

    return apply(x)


step(1.0)
step(2.0)
""",
    "lent.py": """\
import jax
import settings


@jax.jit
def step(x):
    old = settings.scale
    settings.scale = 3.0
    x = settings.apply(x)
    settings.scale = old
    return x


step(1.0)
settings.set_scale(2.0)
step(1.0)
""",
    "told.py": """\
import jax
import settings


@jax.jit
def step(x):
    old = settings.scale
    settings.scale = 3.0
    x = settings.apply(x) * old
    settings.scale = old
    return x


step(1.0)
settings.set_scale(2.0)
step(1.0)
""",
    "tune.py": """\
import jax
import settings


@jax.jit
def step(x):
    return settings.apply(x)


step(1.0)
settings.set_scale(2.0)
step(1.0)
""",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)
    return tmp_path.resolve()


def found(root: Path, name: str) -> list[str]:
    """What is found in a script and in the settings where no other script uses them."""
    for other in root.glob("*.py"):
        if other.name not in (name, "settings.py"):
            other.unlink()
    session = Session()
    paths = [str(root / other) for other in (name, "settings.py")]
    session.ask(paths)
    return [
        f"{Path(one.filename).name}:{one.line} {one.code}"
        for path in paths
        for one in session.check(path).findings
    ]


def test_a_module_that_is_imported_late_is_not_changed_by_its_own_body(root: Path) -> None:
    settings = root / "settings.py"
    settings.write_text(TREE["settings.py"].partition("\n\n\ndef set_scale")[0] + "\n")
    assert found(root, "train.py") == []


def test_a_function_that_nothing_calls_may_change_a_name_at_any_time(root: Path) -> None:
    assert found(root, "train.py") == ["settings.py:5 JAX205"]


def test_a_change_between_calls_is_shown_where_the_value_is_read(root: Path) -> None:
    assert "settings.py:5 JAX205" in found(root, "tune.py")


def test_what_is_kept_to_be_put_back_goes_into_no_program(root: Path) -> None:
    assert [] == found(root, "lent.py")


def test_what_is_kept_and_used_is_shown(root: Path) -> None:
    assert ["told.py:7 JAX205"] == found(root, "told.py")

"""Findings of a project are shown in the files that are asked for, whoever leads to them."""

from __future__ import annotations

import pytest

from jaxlint.base.finding import Finding
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

MATHS = """\
def clip(x, most):
    if x > most:
        return most
    return x
"""
TRAIN = """\
import jax
import maths

@jax.jit
def step(x):
    return maths.clip(x, 1.0)
"""
LAYERS = """\
import jax

def double(x):
    @jax.jit
    def inner(y):
        return 2 * y
    return inner(x)
"""


def found(
    files: dict[str, str], *asked: str, project: bool = True
) -> list[tuple[str, int, str, str]]:
    """File, line, code and message of what is shown when these files are asked for."""
    memory = Memory({**files, "pyproject.toml": ""} if project else files)
    session = Session(files=memory)
    session.ask(asked)
    return [_row(one) for path in asked for one in session.check(path).findings]


def _row(finding: Finding) -> tuple[str, int, str, str]:
    return finding.filename, finding.line, finding.code, finding.message


def places(*given: object, **named: bool) -> list[tuple[str, int, str]]:
    return [row[:3] for row in found(*given, **named)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "asked", [("maths.py",), ("maths.py", "train.py"), ("train.py", "maths.py")]
)
def test_a_finding_is_shown_where_it_happens(asked: tuple[str, ...]) -> None:
    files = {"maths.py": MATHS, "train.py": TRAIN}
    assert [("maths.py", 2, "JAX301")] == places(files, *asked)


def test_the_file_of_the_entry_alone_shows_the_call_that_leads_there() -> None:
    ((file, line, code, message),) = found({"maths.py": MATHS, "train.py": TRAIN}, "train.py")
    assert ("train.py", 6, "JAX301") == (file, line, code)
    assert message.endswith("jitted at line 5 of train.py (in maths.py:2:8)")


def test_without_a_project_only_imports_are_followed() -> None:
    files = {"maths.py": MATHS, "train.py": TRAIN}
    assert [] == places(files, "maths.py", project=False)
    assert [("train.py", 6, "JAX301")] == places(files, "train.py", project=False)


def test_a_comment_where_it_happens_silences_every_caller() -> None:
    files = {"maths.py": MATHS.replace("most:", "most:  # noqa: JAX301"), "train.py": TRAIN}
    assert [] == places(files, "train.py")
    assert [] == places(files, "maths.py")


def test_a_comment_at_the_call_silences_that_call() -> None:
    files = {"maths.py": MATHS, "train.py": TRAIN.replace("1.0)", "1.0)  # noqa: JAX301")}
    assert [] == places(files, "train.py")
    assert [("maths.py", 2, "JAX301")] == places(files, "maths.py")


def test_a_module_that_is_no_python_hides_no_other_finding() -> None:
    own = "\n@jax.jit\ndef other(x):\n    return 1 if x > 0 else 0\n"
    files = {"maths.py": MATHS + "def (:\n", "train.py": TRAIN + own}
    assert [("train.py", 10, "JAX301")] == places(files, "train.py")
    assert [("maths.py", 5, "JAX001")] == places(files, "maths.py")


def test_what_other_modules_trace_is_compiled_with_their_code() -> None:
    traced = "import jax, layers\nstep = jax.jit(lambda x: layers.double(x))\n"
    assert [("layers.py", 5, "JAX502")] == places({"layers.py": LAYERS}, "layers.py")
    assert [] == places({"layers.py": LAYERS, "train.py": traced}, "layers.py")


def test_compiled_functions_of_an_import_are_told_of_in_their_own_file() -> None:
    built = """\
import jax

def build(x, f):
    inner = jax.jit(f)
    @jax.jit
    def outer(y):
        return inner(y)
    return outer(x)
"""
    main = """\
import jax.numpy as jnp
from built import build

def double(y):
    return 2 * y

def run(x):
    return build(x, double)

print(run(jnp.ones(3)))
"""
    assert [] == places({"built.py": built, "main.py": main}, "main.py")


def test_text_that_is_not_saved_is_seen_by_what_it_imports() -> None:
    session = Session(files=Memory({"maths.py": MATHS, "train.py": "", "pyproject.toml": ""}))
    (finding,) = session.check_source(TRAIN, "train.py").findings
    assert ("train.py", 6) == (finding.filename, finding.line)
    assert [] == list(session.check("train.py").findings)
    (finding,) = session.check_source(TRAIN, "new.py").findings
    assert ("new.py", 6) == (finding.filename, finding.line)


def test_one_of_two_functions_that_may_be_called_is_no_error() -> None:
    text = """\
import jax
import maths

def plain(x, most):
    return x

def fit(x, sharp):
    @jax.jit
    def step(x):
        act = maths.clip if sharp else plain
        return act(x, 1.0)
    return step(x)
"""
    session = Session(files=Memory({"maths.py": MATHS, "fit.py": text, "pyproject.toml": ""}))
    (finding,) = session.check("maths.py").findings
    assert ("warning", "medium") == (finding.severity, finding.confidence)
    assert finding.doubt is not None


def test_what_was_checked_before_counts_for_nothing() -> None:
    session = Session(files=Memory({"maths.py": MATHS, "train.py": TRAIN, "pyproject.toml": ""}))
    for _ in range(2):
        assert [2] == [one.line for one in session.check("maths.py").findings]
        assert [6] == [one.line for one in session.check("train.py").findings]

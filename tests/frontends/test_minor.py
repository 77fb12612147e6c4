"""Minor findings: true, and reported where the user selects their rule."""

from __future__ import annotations

import pytest

import jaxlint
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session
from jaxlint.settings import Selection, Settings

pytestmark = pytest.mark.usefixtures("empty_directory")

SOURCE = """
import jax
import jax.numpy as jnp


def evaluated(weights, x):
    return jax.jit(lambda v: jnp.tanh(v @ weights))(x)
"""
LOOP = "\n\n[evaluated(jnp.eye(2), jnp.ones(2)) for _ in range(9)]\n"


def found(source: str = SOURCE, **options: object) -> list[str]:
    return [one.code for one in jaxlint.lint(source, **options)]  # type: ignore[arg-type]


def test_what_is_seldom_worth_a_change_is_not_said_by_default() -> None:
    assert ([], ["JAX501"]) == (found(), found(SOURCE + LOOP))


@pytest.mark.parametrize("word", ["JAX501", "JAX50", "JAX", "ALL", "jit-lambda-per-iteration"])
@pytest.mark.parametrize("key", ["select", "extend_select"])
def test_who_selects_a_rule_gets_all_of_it(key: str, word: str) -> None:
    assert ["JAX501"] == found(**{key: [word]})


def test_to_select_another_rule_is_not_to_select_this_one() -> None:
    assert [] == found(extend_select=["JAX502"])
    assert [] == found(select=["JAX"], ignore=["JAX501"])


def test_a_later_selection_starts_anew() -> None:
    def codes(*selections: Selection) -> list[str]:
        report = Session(Settings(selections)).check_source(SOURCE, "a.py")
        return [one.code for one in report.findings]

    whole = Selection(select=("JAX501",))
    assert ["JAX501"] == codes(whole) == codes(whole, Selection(ignore=("JAX3",)))
    assert [] == codes(whole, Selection(select=("JAX3",)))


def test_a_comment_that_suppresses_a_minor_finding_is_used() -> None:
    line = "jnp.tanh(v @ weights))(x)"
    source = SOURCE.replace(line, f"{line}  # noqa: JAX501")
    assert [] == found(source, extend_select=["JAX003"])
    assert ["JAX003"] == found(source.replace("JAX501", "JAX502"), extend_select=["JAX003"])


TREE = {
    "/p/pyproject.toml": "",
    "/p/tests/speed.py": SOURCE + LOOP,
    "/p/src/speed_test.py": SOURCE + LOOP,
    "/p/src/contest.py": SOURCE + LOOP,
    "/p/src/latest/testing.py": SOURCE + LOOP,
}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/p/tests/speed.py", []),
        ("/p/src/speed_test.py", []),
        ("/p/src/contest.py", ["JAX501"]),
        ("/p/src/latest/testing.py", ["JAX501"]),
    ],
)
def test_speed_is_no_matter_in_tests(path: str, said: list[str]) -> None:
    assert said == [one.code for one in Session(files=Memory(TREE)).check(path).findings]
    asked = Settings((Selection(extend_select=("JAX501",)),))
    assert ["JAX501"] == [one.code for one in Session(asked, Memory(TREE)).check(path).findings]


def test_directories_above_the_project_tell_nothing_of_it() -> None:
    files = {path.replace("/p/", "/tests/p/"): text for path, text in TREE.items()}
    report = Session(files=Memory(files)).check("/tests/p/src/contest.py")
    assert ["JAX501"] == [one.code for one in report.findings]


def test_an_error_in_a_test_is_an_error() -> None:
    source = "import jax\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"
    files = Memory({"/p/pyproject.toml": "", "/p/tests/test_it.py": source})
    report = Session(files=files).check("/p/tests/test_it.py")
    assert ["JAX301"] == [one.code for one in report.findings]


KEYS = """
import jax


def drawn(key):
    return jax.random.split(key, 3)


def moved(key):
    return jax.random.split(key, 4)


key = jax.random.key(0)
print(drawn(key), moved(key))
"""
DIRECT = KEYS.replace("moved(key))", "jax.random.split(key, 4))")


@pytest.mark.parametrize(("path", "said"), [("/p/tests/a.py", []), ("/p/a.py", ["JAX806"])])
def test_a_test_may_compare_what_functions_make_of_one_key(path: str, said: list[str]) -> None:
    files = Memory({"/p/pyproject.toml": "", path: KEYS})
    assert said == [one.code for one in Session(files=files).check(path).findings]
    direct = Memory({"/p/pyproject.toml": "", path: DIRECT})
    assert ["JAX806"] == [one.code for one in Session(files=direct).check(path).findings]


@pytest.mark.parametrize(
    ("main", "said"),
    [
        ("from lib import evaluated\nevaluated(1, 2)\n", []),
        ("from lib import evaluated\nfor n in range(9):\n    evaluated(1, n)\n", ["JAX501"]),
        (
            "import lib\n\ndef once(n):\n    return lib.evaluated(1, n)\n\n"
            "print([once(n) for n in range(9)])\n",
            ["JAX501"],
        ),
    ],
)
def test_a_loop_of_another_module_counts(main: str, said: list[str]) -> None:
    files = Memory({"/p/pyproject.toml": "", "/p/lib.py": SOURCE, "/p/main.py": main})
    session = Session(files=files)
    session.ask(["/p/main.py", "/p/lib.py"])
    found = [*session.check("/p/main.py").findings, *session.check("/p/lib.py").findings]
    assert [("/p/lib.py", code) for code in said] == [(one.filename, one.code) for one in found]


def test_tests_do_not_make_a_function_hot() -> None:
    main = "from lib import evaluated\nfor n in range(9):\n    evaluated(1, n)\n"
    files = Memory({"/p/pyproject.toml": "", "/p/lib.py": SOURCE, "/p/tests/test_lib.py": main})
    assert () == Session(files=files).check("/p/lib.py").findings


DATA = """
import jax

key = jax.random.key(0)
data = [jax.random.normal(key, shape) for shape in ((2,), (3,))]
"""


@pytest.mark.parametrize(("path", "said"), [("/p/tests/a.py", []), ("/p/a.py", ["JAX802"])])
def test_the_data_of_a_test_may_be_alike(path: str, said: list[str]) -> None:
    files = Memory({"/p/pyproject.toml": "", path: DATA})
    assert said == [one.code for one in Session(files=files).check(path).findings]

"""The work for a file grows with its size, counted in lines of Python that run; and whatever a file
does, its analysis ends within its budget and says what it left out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from heavy import LIGHT, heavy

from jaxlint.engine.machine import activation
from jaxlint.engine.machine.activation import LEAST_RUNS, MOST_RUNS, MOST_STATEMENTS
from jaxlint.engine.transforms import wrappers
from jaxlint.session.session import Report, Session
from jaxlint.settings import Selection, Settings

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks.measure import exponent, growth  # noqa: E402
from benchmarks.shapes import CONTEXTS, LEAST, Shape, shapes  # noqa: E402
from benchmarks.work import lines_run  # noqa: E402

pytestmark = pytest.mark.usefixtures("empty_directory")

ALLOWED = 1.2
SIZES = (12, 24, 48)
# As many statements as a function may have that is run as often as any.
ROOM = MOST_STATEMENTS // MOST_RUNS


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits on what grows without bounds that small sizes reach."""
    for name, most in (("MOST_RUNS", 4), ("MOST_CONSTANTS", 2), ("MOST_DEPTH", 6)):
        monkeypatch.setattr(activation, name, most)
    monkeypatch.setattr(wrappers, "MOST_TRACES", 6)


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("shape", tuple(shapes()), ids=lambda shape: shape.name)
def test_work_grows_with_the_size(shape: Shape) -> None:
    # What is cut off shows from larger sizes on.
    sizes = [n * shape.least // LEAST for n in SIZES]
    found = {}
    for context in CONTEXTS:
        lines_run(shape.source(2, context))
        found[context] = growth(sizes, [lines_run(shape.source(n, context)) for n in sizes])
    assert {} == {name: each for name, each in found.items() if each > ALLOWED}


def test_work_grows_with_the_number_of_calls_that_a_function_makes_of_itself() -> None:
    sizes = (8, 16, 32)
    sources = [
        "import jax\n\n@jax.jit\ndef turned(x, way, size=1):\n"
        + "".join(f"    x = x + turned(x, 'way{i}', {i})\n" for i in range(n))
        + "    return x\n"
        for n in sizes
    ]
    lines_run(sources[0])
    assert exponent(sizes, [lines_run(source) for source in sources]) <= ALLOWED


# -- the budget -----------------------------------------------------------------------------------


def checked(source: str, *selections: Selection) -> Report:
    return Session(Settings(selections=selections)).check_source(source, "heavy.py")


def codes(report: Report) -> list[tuple[str, int]]:
    return [(one.code, one.line) for one in report.findings]


def line_of(source: str, text: str) -> int:
    return source[: source.index(text)].count("\n") + 1


@pytest.mark.usefixtures("scarce")
def test_what_is_left_out_is_said_and_what_was_found_is_kept() -> None:
    source = heavy() + LIGHT
    report = checked(source)
    found = codes(report)
    assert not report.crashed
    assert ("JAX301", line_of(source, "if x > 1")) in found
    assert ("JAX301", line_of(source, "if x > 2")) in found
    (note,) = (one for one in report.findings if one.code == "JAX007")
    assert ("info", line_of(source, "def heavy")) == (note.severity.value, note.line)


@pytest.mark.usefixtures("scarce")
def test_the_note_can_be_ignored() -> None:
    found = codes(checked(heavy(), Selection(ignore=("incomplete-analysis",))))
    assert found
    assert "JAX007" not in dict(found)


@pytest.mark.usefixtures("scarce")
def test_it_can_be_asked_for_alone() -> None:
    assert {"JAX007"} == dict(codes(checked(heavy(), Selection(select=("JAX007",))))).keys()


@pytest.mark.usefixtures("scarce")
def test_a_statement_of_the_module_that_takes_too_long_is_left_out() -> None:
    source = (
        "import jax\n\nlimit = 1\n" + "limit = (" + " + ".join(["limit"] * 3000) + ")\n" + LIGHT
    )
    report = checked(source)
    assert [("JAX007", 4), ("JAX301", line_of(source, "if x > 2"))] == codes(report)


def test_the_budget_suffices_for_many_functions() -> None:
    source = "import jax\n" + "".join(LIGHT.replace("light", f"light{i}") for i in range(300))
    assert ["JAX301"] * 300 == [code for code, _ in codes(checked(source))]


def with_words(number: int, lines: int = 0) -> str:
    """A helper of so many lines more that is called with so many different words, in host code and
    in a trace."""
    calls = "".join(f'    y = helper(x, "word{at}")\n' for at in range(number))
    more = "    x = x + 1\n" * lines
    helper = f"def helper(x, word):\n{more}    return x if word else -x\n"
    return f"import jax\n\n{helper}\n@jax.jit\ndef f(x):\n{calls}    return x\n"


def test_what_is_left_out_of_a_helper_is_said() -> None:
    """Calls with arguments that differ from those of all others are counted."""
    report = checked(with_words(MOST_RUNS))
    (note,) = report.findings
    assert ("JAX007", "info", 7) == (note.code, note.severity.value, note.line)
    assert "`helper` would run too often" in note.message


def test_nothing_is_said_where_a_helper_is_followed_each_time() -> None:
    assert [] == codes(checked(with_words(MOST_RUNS // 2 - 1)))


@pytest.mark.parametrize(("lines", "most"), [(2 * ROOM, MOST_RUNS // 2), (60 * ROOM, LEAST_RUNS)])
def test_a_long_helper_is_followed_less_often(lines: int, most: int) -> None:
    """The statements that run again count, down to a number of runs that is always left."""
    assert [] == codes(checked(with_words(most // 2 - 1, lines)))
    assert ["JAX007"] == [code for code, _ in codes(checked(with_words(most, lines)))]

"""What jaxlint knows of test runners is what pytest, unittest and absl do."""

from __future__ import annotations

import importlib
import unittest
from typing import Any

import pytest
from imports_of_jax import marked

from jaxlint.knowledge.test_runners import (
    FIXTURES,
    NAMED_ROWS,
    NOT_RUN,
    PARAM,
    PARAMETRIZE,
    PRODUCTS,
    ROW_NAME,
    ROWS,
    SET_UP,
    TEST_CASES,
)

pytest_plugins = ["pytester"]
# Libraries that are not installed with the tests.
ABSENT = ("parameterized.", "pytest_asyncio.")
NAMES = sorted(
    FIXTURES | ROWS | NAMED_ROWS | PRODUCTS | NOT_RUN | TEST_CASES | {PARAM, PARAMETRIZE}
)


def found(dotted: str) -> Any:
    parts = dotted.split(".")
    for at in range(len(parts) - 1, 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:at]))
        except ModuleNotFoundError:
            continue
        for part in parts[at:]:
            value = getattr(value, part)
        return value
    raise LookupError(dotted)


@pytest.mark.parametrize("dotted", marked(one for one in NAMES if not one.startswith(ABSENT)))
def test_every_name_exists(dotted: str) -> None:
    pytest.importorskip(dotted.partition(".")[0])
    assert callable(found(dotted))


@pytest.mark.parametrize("dotted", marked(sorted(TEST_CASES)))
def test_test_cases_are_those_of_unittest(dotted: str) -> None:
    pytest.importorskip(dotted.partition(".")[0])
    assert issubclass(found(dotted), unittest.TestCase)


def test_absl_calls_a_method_with_each_row() -> None:
    parameterized = pytest.importorskip("absl.testing.parameterized")
    calls: list[object] = []

    class Rows(parameterized.TestCase):
        @parameterized.parameters((1, 2), {"x": 3, "y": 4})
        def test_rows(self, x: int, y: int) -> None:
            calls.append((x, y))

        @parameterized.parameters([5, 6])
        def test_list(self, x: int) -> None:
            calls.append(x)

        @parameterized.named_parameters(("a", 7), {ROW_NAME: "b", "x": 8})
        def test_named(self, x: int) -> None:
            calls.append(x)

        @parameterized.product([{"x": 1}, {"x": 2}], y=[3, 4])
        def test_product(self, x: int, y: int) -> None:
            calls.append(x + 10 * y)

    unittest.defaultTestLoader.loadTestsFromTestCase(Rows).run(unittest.TestResult())
    assert {(1, 2), (3, 4), 5, 6, 7, 8, 31, 32, 41, 42} == set(calls)


def test_pytest_calls_what_sets_up_before_each_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import unittest

        CALLS = []

        def noting(name):
            def note(*args):
                CALLS.append(name)
            return note

        class TestCase(unittest.TestCase):
            for name in ("setUpClass", "setUp"):
                locals()[name] = noting(name)
            setUpClass = classmethod(setUpClass)

            def test(self):
                assert CALLS == ["setUpClass", "setUp"]

        class TestPlain:
            setup_class = classmethod(noting("setup_class"))
            setup_method = noting("setup_method")

            def test(self):
                assert CALLS[-2:] == ["setup_class", "setup_method"]
    """)
    assert {"setUpClass", "setUp", "setup_class", "setup_method"} <= set(SET_UP)
    pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q").assert_outcomes(passed=2)


def test_the_nearest_fixture_is_taken(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest

        @pytest.fixture
        def far():
            return "conftest"

        @pytest.fixture
        def near():
            return "conftest"

        @pytest.fixture(params=[1, 2])
        def number(request):
            return request.param
    """)
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def near():
            return "module"

        @pytest.fixture(name="renamed")
        def other():
            yield "renamed"

        def test_functions(far, near, renamed, number):
            assert (far, near, renamed) == ("conftest", "module", "renamed")
            assert number in (1, 2)

        class Test:
            @pytest.fixture
            def near(self):
                return "class"

            def test_methods(self, near):
                assert near == "class"
    """)
    pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q").assert_outcomes(passed=3)

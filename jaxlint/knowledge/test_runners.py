"""What test runners make of functions: pytest, unittest, absl and chex call them with arguments
that decorators name. `tests/knowledge/test_runners.py` runs each of them.
"""

PARAMETRIZE = "pytest.mark.parametrize"
FIXTURES: frozenset[str] = frozenset({"pytest.fixture", "pytest_asyncio.fixture"})
PARAM = "pytest.param"
REQUEST = "request"
"""The fixture by which another one reads the parameter that it is made for."""

ROWS: frozenset[str] = frozenset(
    {
        "absl.testing.parameterized.parameters",
        "parameterized.parameterized",
        "parameterized.parameterized.expand",
    }
)
"""Each argument is what one call of the function is given; a single list holds them all."""

NAMED_ROWS: frozenset[str] = frozenset({"absl.testing.parameterized.named_parameters"})
"""As `ROWS`, each behind the name of the test."""
ROW_NAME = "testcase_name"

PRODUCTS: frozenset[str] = frozenset({"absl.testing.parameterized.product"})
"""Each keyword lists the values of one parameter: the function is called for all combinations."""

NOT_RUN: frozenset[str] = frozenset(
    {"pytest.mark.skip", "pytest.mark.xfail", "unittest.skip", "unittest.expectedFailure"}
)
"""A function so marked does not run, or is expected to fail."""

TEST_CASES: frozenset[str] = frozenset(
    {
        "absl.testing.absltest.TestCase",
        "absl.testing.parameterized.TestCase",
        "chex.TestCase",
        "unittest.TestCase",
        "unittest.IsolatedAsyncioTestCase",
    }
)
"""Classes whose attributes Python's own rules decide, but for the methods that they bring."""

SET_UP: tuple[str, ...] = ("setUpClass", "setup_class", "setUp", "asyncSetUp", "setup_method")
"""Methods that a runner calls before each test of a class, in this order."""

CONFTEST = "conftest"
"""The module whose fixtures hold for all tests of a directory and those below."""

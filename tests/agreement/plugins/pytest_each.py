"""A plugin of pytest that runs only some cases of each parametrised test.

It is loaded in the environment of another project: it may need nothing but pytest.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

CASE = re.compile(r"\[.*\Z|_*\d+\Z", re.DOTALL)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that limits the cases."""
    parser.addoption("--each", type=int, default=0, help="run at most this many cases of a test")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keeps the cases of each test that lie evenly among all, in their order."""
    most = config.getoption("--each")
    if not most:
        return
    tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        tests[CASE.sub("", item.nodeid)].append(item)
    kept = {id(case) for cases in tests.values() for case in spread(cases, most)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


def spread(cases: list[pytest.Item], most: int) -> list[pytest.Item]:
    """At most so many of the cases, at equal distances, beginning with the first."""
    count = min(most, len(cases))
    return [cases[index * len(cases) // count] for index in range(count)]

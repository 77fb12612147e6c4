"""The ledgers of judged findings are complete, and those of libraries hold nothing wrong."""

from __future__ import annotations

import pytest
from ecosystem import LEDGERS, read

from jaxlint.registry import rules_in

NAMES = sorted(path.stem for path in LEDGERS.glob("*.toml"))
CODES = {rule.code for rule in rules_in("jaxlint.rules")}


@pytest.mark.parametrize("name", NAMES)
def test_a_ledger_says_what_was_judged_and_why(name: str) -> None:
    ledger = read(name)
    assert ledger.repository.startswith("https://github.com/")
    assert ledger.commit
    for row in ledger.rows:
        assert row.code in CODES
        assert row.verdict in ("right", "wrong")
        assert row.reason.endswith(".")
        assert row.line > 0


@pytest.mark.parametrize("name", ["flax", "jax", "optax"])
def test_no_error_in_a_library_is_a_false_alarm(name: str) -> None:
    assert [] == [row for row in read(name).rows if row.verdict == "wrong"]

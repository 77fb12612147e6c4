"""A run with a cache says what one without says, whatever happened in between."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from edited import COMMANDS, EDITS, cached, fresh, inside, make
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint.base import file_stats

steps = st.lists(
    st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, len(COMMANDS) - 1)),
    min_size=2,
    max_size=7,
)


@pytest.mark.parametrize("coarse", [file_stats._COARSE, 0], ids=["by content", "by state"])
@settings(
    max_examples=8,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(edits=steps)
def test_a_cached_run_is_like_any_other(coarse: int, edits: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        # Right after an edit, files are compared by what they hold; here also by their state.
        patch.setattr(file_stats, "_COARSE", coarse)
        root = Path(name).resolve() / "project"
        root.mkdir()
        make(root)
        for edit, number in [("app as before", 0), *edits]:
            EDITS[edit](root)
            directory, arguments = COMMANDS[number]
            with inside(root / directory):
                expected = fresh(arguments)
                for _ in range(2):
                    assert cached(root.parent / "cache", arguments)[0] == expected, edit

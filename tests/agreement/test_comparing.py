"""What the engine says of a name is held against what it held."""

from pathlib import Path
from typing import Any

import agree
import holdings
from observations import Entry, Function, Observations, Seen, Statements


def test_entry_points_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n")
    function = Function("a.py", "f", 1, 1, 0, 0, 0, (), ())
    seen = Observations([Function("b.py", "step", 3, 1, 0, 0, 0, (), ())])
    seen.statements["a.py", 2] = Seen(
        "a.py", 2, function, 1, entries={Entry("b.py", 3)}, names={"x": {"p"}}
    )
    engine: dict[str, Any] = {"lines": [["a.py", 2, ["visible"]]], "unreached": []}
    engine["names"] = [["a.py", 2, "x", {"0": ["traced"]}, ""]]
    outcomes = []
    for entry in ("step", "b.py:3", "c.py:3", "other"):
        found = agree.compare("a", seen, {**engine, "entries": [[entry]]}, Statements(tmp_path))
        outcomes += [one.outcome for one in found.labels]
    assert outcomes == ["disagrees", "disagrees", "unreached", "unreached"]


def test_staged_runs_are_told_from_eager_ones(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n")
    function = Function("a.py", "f", 1, 1, 0, 0, 0, (), ())
    engine: dict[str, Any] = {"lines": [["a.py", 2, ["visible"]]], "unreached": []}
    engine["names"] = [["a.py", 2, "x", {"0": ["static"]}, ""]]
    outcomes = {}
    for kind in (holdings.STAGED, holdings.EAGER):
        for staged in range(3):
            seen = Observations()
            seen.statements["a.py", 2] = Seen("a.py", 2, function, 2, staged, names={"x": {"t"}})
            found = agree.compare("a", seen, {**engine, "entries": [[kind]]}, Statements(tmp_path))
            outcomes[kind, staged] = [one.outcome for one in found.labels]
    assert [outcomes[holdings.STAGED, staged] for staged in range(3)] == [
        ["unreached"],
        ["disagrees"],
        ["disagrees"],
    ]
    assert [outcomes[holdings.EAGER, staged] for staged in range(3)] == [
        ["disagrees"],
        ["disagrees"],
        ["unreached"],
    ]


def test_a_list_that_is_filled_is_not_known_from_where_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n")
    function = Function("a.py", "f", 1, 1, 0, 0, 0, (), ())
    engine: dict[str, Any] = {
        "entries": [[]],
        "lines": [["a.py", 2, ["visible"]]],
        "unreached": [],
        "names": [["a.py", 2, "x", {"0": ["empty"]}, ""]],
    }
    outcomes = {}
    for kinds in ("em", "m", "ec", "c"):
        seen = Observations()
        seen.statements["a.py", 2] = Seen("a.py", 2, function, 1, names={"x": set(kinds)})
        found = agree.compare("a", seen, engine, Statements(tmp_path))
        outcomes[kinds] = [one.outcome for one in found.labels]
    assert outcomes == {
        "em": ["unknown"],
        "m": ["disagrees"],
        "ec": ["agrees"],
        "c": ["agrees"],
    }


def test_none_has_no_leaf_that_could_be_traced(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n")
    function = Function("a.py", "f", 1, 1, 0, 0, 0, (), ())
    engine: dict[str, Any] = {
        "entries": [[]],
        "lines": [["a.py", 2, ["visible"]]],
        "unreached": [],
    }
    outcomes = {}
    for said in ("leaves", "traced"):
        engine["names"] = [["a.py", 2, "x", {"0": [said]}, ""]]
        for kinds in ("o", "eo", "op", "p", "t", "ot"):
            seen = Observations()
            seen.statements["a.py", 2] = Seen("a.py", 2, function, 1, names={"x": set(kinds)})
            found = agree.compare("a", seen, engine, Statements(tmp_path))
            outcomes[said, kinds] = [one.outcome for one in found.labels]
    assert outcomes["leaves", "o"] == outcomes["leaves", "eo"] == ["may"]
    assert outcomes["leaves", "op"] == outcomes["leaves", "p"] == ["disagrees"]
    assert outcomes["leaves", "t"] == outcomes["traced", "t"] == ["agrees"]
    assert outcomes["traced", "o"] == outcomes["traced", "p"] == ["disagrees"]
    assert outcomes["leaves", "ot"] == []

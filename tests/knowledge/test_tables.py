"""The knowledge tables are what the JAX that is installed does, row by row."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jaxlint.knowledge import lookup
from jaxlint.knowledge.releases import PARAMETERS, version_number

jax = pytest.importorskip("jax")
np = pytest.importorskip("numpy")

pytestmark = pytest.mark.jax

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
OBSERVED = (
    "aliases", "higher_order", "jax_lax", "jax_numpy", "jax_other", "jax_random", "jax_scipy",
    "methods", "names", "numpy_outcomes", "private_aliases", "signatures",
)  # fmt: skip
WRITTEN = (*OBSERVED, "releases", "removals", "versions")
WORLDS = [python for python in os.environ.get("JAXLINT_WORLDS", "").split(os.pathsep) if python]


def rows_of(name: str) -> dict[str, Any]:
    rows: dict[str, Any] = importlib.import_module(f"jaxlint.knowledge.tables.{name}").TABLE
    return rows


def recorded_version() -> str:
    """The recorded version of JAX that the installed one has to agree with."""
    recorded = sorted(rows_of("versions"), key=version_number)
    if jax.__version__ in recorded:
        return str(jax.__version__)
    if version_number(jax.__version__) < version_number(recorded[-1]):
        pytest.skip(f"JAX {jax.__version__} is not recorded, only {', '.join(recorded)}")
    return recorded[-1]


@pytest.fixture(scope="module")
def worlds() -> Iterator[ModuleType]:
    """The script's module that observes and compares."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield importlib.import_module("knowledge_worlds")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def observed(worlds: ModuleType) -> dict[str, Any]:
    """What the installed JAX does, in a process that has imported nothing else."""
    found: dict[str, Any] = worlds.observe_with(sys.executable)
    return found


def written(worlds: ModuleType, name: str, observed: dict[str, Any]) -> dict[str, Any]:
    """A table as it has to be for the installed version."""
    version = recorded_version()
    numpy = rows_of("versions")[version]["numpy"]
    if name == "numpy_outcomes" and worlds.minor(numpy) != worlds.minor(np.__version__):
        pytest.skip(f"NumPy {np.__version__} is not recorded with JAX {version}, but {numpy}")
    found: dict[str, Any] = worlds.as_of(version, name, rows_of(name), rows_of("versions"))
    if name in worlds.NAMES:
        return {key: row for key, row in found.items() if key in observed["tables"][name]}
    return found


@pytest.mark.parametrize("name", OBSERVED)
def test_every_row_is_what_this_jax_does(
    worlds: ModuleType, observed: dict[str, Any], name: str
) -> None:
    expected = written(worlds, name, observed)
    assert worlds.differences(observed["tables"][name], expected) == []


def altered(row: Any) -> list[Any]:
    """A row with each of its fields changed in turn."""
    if isinstance(row, str):
        return [f"{row}x"]
    return [
        (*row[:at], {"key": "x"} if isinstance(field, dict) else f"{field}x", *row[at + 1 :])
        for at, field in enumerate(row)
    ]


@pytest.mark.parametrize("name", OBSERVED)
def test_a_change_of_any_field_of_any_row_is_noticed(
    worlds: ModuleType, observed: dict[str, Any], name: str
) -> None:
    found = observed["tables"][name]
    expected = written(worlds, name, observed)
    for at in range(5):
        changed = {
            key: variants[at] if at < len(variants := altered(row)) else variants[0]
            for key, row in expected.items()
        }
        noticed = [line.partition(":")[0] for line in worlds.differences(found, changed)]
        assert noticed == sorted(expected)


@pytest.mark.parametrize("name", OBSERVED)
def test_a_missing_and_a_strange_row_are_noticed(
    worlds: ModuleType, observed: dict[str, Any], name: str
) -> None:
    found = observed["tables"][name]
    expected = written(worlds, name, observed)
    strange = {**expected, "jax.numpy.nosuch": ("array", "", "x", 1)}
    missing = [line.partition(":")[0] for line in worlds.differences(found, {})]
    assert missing == sorted(found)
    assert len(worlds.differences(found, strange)) == 1


@pytest.mark.parametrize("name", WRITTEN)
def test_no_table_was_edited_by_hand(worlds: ModuleType, name: str) -> None:
    # Rows about other versions than the installed one are covered by this alone.
    module = importlib.import_module(f"jaxlint.knowledge.tables.{name}")
    assert worlds.digest(module.TABLE) in Path(str(module.__file__)).read_text().splitlines()[0]


@pytest.mark.parametrize("name", WRITTEN)
def test_the_digest_changes_with_a_row(worlds: ModuleType, name: str) -> None:
    table = rows_of(name)
    keys = sorted(table)
    digests = {worlds.digest({**table, key: "x"}) for key in (keys[0], keys[-1])}
    assert len(digests | {worlds.digest(table)}) == 3


def test_every_public_callable_has_a_row_or_a_reason(observed: dict[str, Any]) -> None:
    assert observed["failed"] == []


def test_what_is_left_out_is_counted(observed: dict[str, Any]) -> None:
    counts = Counter(observed["left out"].values())
    classes = counts.pop("is a class")
    rows = sum(len(observed["tables"][name]) for name in OBSERVED if name.startswith("jax_"))
    assert (sum(counts.values()) <= 170, classes <= 180, rows >= 1000) == (True, True, True), counts


def test_every_name_that_is_left_out_is_a_name_of_jax(
    worlds: ModuleType, observed: dict[str, Any]
) -> None:
    public = importlib.import_module("knowledge_public")
    there = {*observed["left out"], *rows_of("releases")}
    assert sorted(set(public.LEFT_OUT) - there) == []


def resolves(dotted: str) -> bool:
    """Whether a name can be used, with or without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pkgutil.resolve_name(dotted)
        except (AttributeError, ImportError):
            return False
    return True


def test_names_are_there_in_the_releases_that_the_table_says() -> None:
    recorded_version()
    wrong = [
        dotted
        for dotted in sorted(rows_of("releases"))
        if lookup.available(dotted, jax.__version__) is not resolves(dotted)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ["higher_order", "jax_lax", "jax_numpy", "jax_other",
                                  "jax_random", "jax_scipy"])  # fmt: skip
def test_a_row_is_written_for_a_name_unless_a_release_lacks_it(name: str) -> None:
    recorded_version()
    wrong = [
        dotted
        for dotted in sorted(rows_of(name))
        if not resolves(dotted)
        and lookup.available(dotted, jax.__version__)
        and dotted.rpartition(".")[0] not in rows_of(name)
    ]
    assert wrong == []


@pytest.mark.parametrize("python", WORLDS)
def test_the_tables_are_what_the_jax_of_another_interpreter_does(python: str) -> None:
    command = [python, "-W", "ignore", str(SCRIPTS / "generate_knowledge.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("the tables are what this JAX does", 0)


def is_module(dotted: str) -> bool:
    try:
        importlib.import_module(dotted)
    except Exception:
        return False
    return True


def test_names_are_gone_in_the_releases_that_the_table_of_removals_says() -> None:
    installed = version_number(jax.__version__)
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dotted, (_, removed, _) in sorted(rows_of("removals").items()):
            gone = bool(removed) and version_number(removed) <= installed
            older = installed < version_number("0.10")
            there = resolves(dotted) or is_module(dotted)
            # Not every name of a later release is in an older one.
            if (gone and there) or (not gone and not there and not older):
                wrong.append(dotted)
    assert len(wrong) <= older, wrong


@pytest.mark.parametrize(
    ("dotted", "parameter"),
    [(d, p) for d, gone in PARAMETERS.items() for p in gone],
)
def test_parameters_went_in_the_releases_that_are_said(dotted: str, parameter: str) -> None:
    home, _, name = dotted.rpartition(".")
    function = getattr(importlib.import_module(home), name)
    removed = version_number(PARAMETERS[dotted][parameter].removed)
    there = parameter in inspect.signature(function).parameters
    assert there is (version_number(jax.__version__) < removed)

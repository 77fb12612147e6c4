"""Hazards are planted where a small project's run showed tracers, and are found or missed there."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import agree
import plant
import pytest
from hazards import BY_NAME, KINDS, Kind
from observations import Observations, Statements, read
from plant_linting import Linter, batches
from plant_places import Plant, Sources, choose, planted
from plant_report import Knowledge
from plant_running import HELD, NOT_RUN, WRONG, labels

from jaxlint.registry.loading import load_registry

pytestmark = pytest.mark.jax

FILES = {
    "kit/__init__.py": "",
    "kit/core.py": '''"""Functions that others call."""

from __future__ import annotations

import jax.numpy as jnp


def scaled(values, factor):
    """Values times a number of Python."""
    total = values * factor
    if factor > 1:
        total = total + 1
    return total


def hidden(values):
    doubled = values * 2
    return doubled


def unused(values):
    doubled = values * 2
    return doubled


def on_host(values):
    doubled = values * 2
    return doubled
''',
    "kit/model.py": """import os

import jax
import jax.numpy as jnp

from kit import core


def loss(weights, batch):
    moved = core.scaled(batch, 2)
    return jnp.sum(moved * weights)


@jax.jit
def step(weights, batch, key):
    noise = jax.random.normal(key, batch.shape)
    value = loss(weights, batch)
    chosen = core.__dict__[os.environ.get("CHOSEN", "hidden")]
    return weights - value + chosen(batch)
""",
    "run.py": """import jax
import jax.numpy as jnp

from kit import core, model

core.on_host(jnp.ones(3))
print(model.step(jnp.ones(3), jnp.ones(3), jax.random.key(0)))
""",
}

COMMAND = ("run.py",)

# The engine takes an argument of compiled code to be of any dtype.
NEEDS_DTYPE = {"carry-dtype-of-value"}
# Hazards that raise whatever calls the function.
WRONG_ANYWHERE = {"carry-shape"}


def digests(root: Path) -> dict[str, str]:
    return {
        str(file.relative_to(root)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A project, and what a run of it showed."""
    root = written(tmp_path_factory.mktemp("project") / "project", FILES)
    out = root.parent / "seen.json"
    observer = Path(plant.__file__).with_name("observer.py")
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [sys.executable, str(observer), str(out), str(root), "--", *COMMAND],
        cwd=root,
        env=environment | {"JAX_PLATFORMS": "cpu"},
        check=True,
        capture_output=True,
    )
    return root, out


@pytest.fixture(scope="module")
def seen(observed: tuple[Path, Path]) -> Observations:
    root, out = observed
    return read(out, root)


@pytest.fixture(scope="module")
def sources(observed: tuple[Path, Path]) -> Sources:
    return Sources(observed[0])


@pytest.fixture(scope="module")
def plants(seen: Observations, sources: Sources) -> list[Plant]:
    return [one for kind in KINDS for one in choose(seen, sources, kind, 6, 0)]


def place(kind: str, file: str, line: int, name: str, function: str = "f") -> Plant:
    return Plant(BY_NAME[kind], file, line, name, function, line, 0, 0)


def test_each_kind_has_a_name_of_its_own_and_rules_that_there_are() -> None:
    assert len(BY_NAME) == len(KINDS)
    known = {rule.code for rule in load_registry().rules}
    for kind in KINDS:
        assert known.issuperset(kind.codes), kind.name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("note", ["", "plant_notes"])
def test_a_template_is_python_and_takes_the_lines_that_are_told(
    kind: Kind, note: str, tmp_path: Path
) -> None:
    text = 'def f(x):\n    """Says."""\n    y = x\n    return y\n'
    sources = Sources(written(tmp_path, {"a.py": text}))
    one = Plant(kind, "a.py", 4, "y", "f", 1, 0, 0)
    changed = planted(sources, "a.py", [one], note)
    ast.parse(changed.text)
    lines = changed.text.split("\n")
    taken = [lines[at - 1] for at in changed.lines[one]]
    assert all(line.startswith("    ") for line in taken)
    rest = [line for at, line in enumerate(lines, start=1) if at not in changed.lines[one]]
    preamble = [line for line in rest if "planted" in line]
    assert [line for line in rest if line not in preamble] == text.split("\n")
    assert len(preamble) <= 1


def test_what_a_module_imports_is_used_by_its_name(tmp_path: Path) -> None:
    text = (
        '"""Says."""\n'
        "from __future__ import annotations\n"
        "import numpy as array_kit\n"
        "def f(x):\n"
        "    return x\n"
    )
    sources = Sources(written(tmp_path, {"a.py": text}))
    changed = planted(sources, "a.py", [place("numpy", "a.py", 5, "x")]).text
    assert "array_kit.maximum(x, 0)" in changed
    assert "planted_np" not in changed


def test_a_module_that_a_parameter_hides_is_imported_anew(tmp_path: Path) -> None:
    text = "import time\n\n\ndef f(x, time):\n    return x\n"
    sources = Sources(written(tmp_path, {"a.py": text}))
    changed = planted(sources, "a.py", [place("clock", "a.py", 5, "")]).text
    assert "planted_time.time()" in changed
    assert changed.startswith("import time as planted_time\n")


def test_lines_stand_only_before_statements_that_begin_a_line(tmp_path: Path) -> None:
    text = (
        "def f(x):\n"
        "    if x: y = 1\n"
        "    elif x: y = 2\n"
        "    y = (\n"
        "        x)\n"
        "    @g\n"
        "    def h(): pass\n"
        "    for z in x:\n"
        "        w = z\n"
        "    return y\n"
    )
    sources = Sources(written(tmp_path, {"a.py": text}))
    slots = sources.slots("a.py")
    assert set(slots) == {2, 4, 6, 8, 9, 10}
    assert not slots[8].is_bound("z")
    assert slots[9].is_bound("z")
    assert not slots[9].is_bound("w")
    assert slots[10].is_bound("w")
    assert slots[10].is_bound("elsewhere")


def test_batches_hold_few_plants_of_a_function_and_one_of_a_statement() -> None:
    some = [place("float", "a.py", line, name) for line in (1, 2, 3) for name in ("x", "y")]
    some = [Plant(**{**vars(one), "start": 1}) for one in some]
    groups = batches(some, 2)
    assert sorted(one.key for group in groups for one in group) == sorted(one.key for one in some)
    for group in groups:
        assert len(group) <= 2
        assert len({one.line for one in group}) == len(group)


def test_places_are_chosen_where_tracers_were_and_are_the_same_each_time(
    seen: Observations, sources: Sources, plants: list[Plant]
) -> None:
    again = [one for kind in KINDS for one in choose(seen, sources, kind, 6, 0)]
    assert plants == again
    assert {one.function for one in plants} == {"scaled", "hidden", "loss", "step"}
    assert "factor" not in {one.name for one in plants}
    assert {one.kind.name for one in plants} == set(BY_NAME)
    assert {one.name for one in plants if one.kind.needs_key} == {"key"}
    assert {(one.calls, one.modules) for one in plants if one.function == "scaled"} == {(2, 1)}


def test_every_plant_of_a_reached_function_is_found_and_no_other(
    observed: tuple[Path, Path], seen: Observations, sources: Sources, plants: list[Plant]
) -> None:
    knowledge = Knowledge(agree.engine_of(observed[0]), seen, Statements(observed[0]))
    rows = [knowledge.row(one, "") for one in plant.found(sources, plants)]
    assert {row.outcome.plant for row in rows} == set(plants)
    missed = [row.outcome.plant for row in rows if row.is_reached and not row.is_found]
    assert {one.kind.name for one in missed} <= NEEDS_DTYPE
    lost = [row for row in rows if row.outcome.plant.function == "hidden"]
    assert lost
    assert {row.outcome.plant.kind.name for row in lost if row.is_found} == WRONG_ANYWHERE
    assert {row.cause for row in lost if not row.is_found} == {"its function is not reached"}


def test_a_plant_in_code_that_nothing_calls_is_not_found(sources: Sources) -> None:
    line = 1 + FILES["kit/core.py"].split("\n").index("def unused(values):") + 2
    dead = place("float", "kit/core.py", line, "doubled", "unused")
    assert [outcome.is_found for outcome in plant.found(sources, [dead])] == [False]


def test_plants_that_are_linted_together_are_found_as_each_alone(
    sources: Sources, plants: list[Plant]
) -> None:
    some = plants[::7]
    together = {one.plant: one for one in plant.found(sources, some)}
    linter = Linter(sources, sorted({code for one in KINDS for code in one.codes}))
    for one in some:
        alone = linter.lint([one])[0]
        assert alone.found == together[one].found, one.key


def test_a_run_tells_hazards_from_what_is_none(sources: Sources, plants: list[Plant]) -> None:
    line = 1 + FILES["kit/core.py"].split("\n").index("    if factor > 1:")
    static = place("float", "kit/core.py", line, "jnp.float32(factor)", "scaled")
    number = place("asarray", "kit/core.py", line, "factor", "scaled")
    dead = 1 + FILES["kit/core.py"].split("\n").index("def unused(values):") + 2
    unused = place("float", "kit/core.py", dead, "doubled", "unused")
    before = digests(sources.root)
    said = labels(sources, [*plants, static, number, unused], sys.executable, COMMAND)
    assert digests(sources.root) == before
    assert {said[one] for one in plants} == {HELD}
    assert said[static] == HELD  # Under a trace this is a tracer too.
    assert said[number] == WRONG
    assert said[unused] == NOT_RUN


def test_the_command_prints_tables_and_leaves_the_checkout_as_it_was(
    observed: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = observed
    before = digests(root)
    data = tmp_path / "plants.json"
    arguments = ["--most", "3", "--kinds", "float", "print", "--json", str(data)]
    run = ["--share", "1", "--run", sys.executable, "--", *COMMAND]
    assert plant.main([str(root), str(out), *arguments, *run]) == 0
    assert digests(root) == before
    printed = capsys.readouterr().out
    assert "| float | " in printed
    assert "Labels tried: 6 held" in printed
    rows = json.loads(data.read_text(encoding="utf-8"))["plants"]
    assert len(rows) == 6
    assert {row["kind"] for row in rows} == {"float", "print"}

"""`jaxlint graph` and `jaxlint check --explain-silence`: what is traced, what cannot be seen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]

TREE = {
    "pyproject.toml": "",
    "shop/__init__.py": "",
    "shop/mathx.py": (
        "import jax.numpy as jnp\n"
        "import torch\n"
        "\n"
        "\n"
        "def norm(x):\n"
        "    return jnp.sqrt(square(x)).sum()\n"
        "\n"
        "\n"
        "def square(x):\n"
        "    return torch.square(x) + unused(x)\n"
        "\n"
        "\n"
        "def unused(x):\n"
        "    return x\n"
        "\n"
        "\n"
        "def idle(x):\n"
        "    return torch.abs(x)\n"
    ),
    "shop/steps.py": (
        "import jax\n"
        "from jax import lax\n"
        "\n"
        "from shop.mathx import norm\n"
        "\n"
        "\n"
        "@jax.jit\n"
        "def step(x, score):\n"
        "    def body(carry, _):\n"
        "        return carry + norm(carry), None\n"
        "\n"
        "    carry, _ = lax.scan(body, x, None, length=3)\n"
        "    return score(carry)\n"
    ),
    "train.py": (
        "import jax\n"
        "import jax.numpy as jnp\n"
        "\n"
        "from shop import mathx\n"
        "from shop.steps import step\n"
        "\n"
        "fast = jax.jit(mathx.norm)\n"
        "\n"
        "\n"
        "def main(make):\n"
        "    made = jax.jit(make())\n"
        "    return made(step(jnp.ones(3), abs))\n"
    ),
}


@pytest.fixture
def tree(here: Path) -> Path:
    for name, source in TREE.items():
        path = here / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    return here


def graph(run: Command, *args: str) -> dict[str, Any]:
    result = run("graph", "--output-format", "json", *args)
    assert result.exit_code == 0, result.output
    shown: dict[str, Any] = json.loads(result.stdout)
    return shown


def starts(shown: dict[str, Any]) -> list[tuple[str, int, str, str, bool]]:
    names = ("filename", "line", "function", "how", "known")
    return [tuple(entry[name] for name in names) for entry in shown["entries"]]


def arrows(shown: dict[str, Any]) -> set[tuple[str, str]]:
    names = {function["id"]: function["name"] for function in shown["functions"]}
    return {(names[edge["caller"]], names[edge["callee"]]) for edge in shown["edges"]}


def test_a_project_shows_starts_functions_and_who_runs_whom(tree: Path, run: Command) -> None:
    shown = graph(run, ".")
    assert starts(shown) == [
        ("shop/steps.py", 8, "step", "decorator", True),
        ("train.py", 7, "norm", "call", True),
        ("train.py", 11, "make()", "call", False),
    ]
    assert arrows(shown) == {
        ("step", "step.body"),
        ("step.body", "norm"),
        ("norm", "square"),
        ("square", "unused"),
    }
    names = [function["name"] for function in shown["functions"]]
    assert names == ["norm", "square", "unused", "step", "step.body"]


def test_what_a_body_is_run_by_is_said(tree: Path, run: Command) -> None:
    edges = graph(run, ".")["edges"]
    phrases = {(edge["filename"], edge["line"]): edge["phrase"] for edge in edges}
    assert phrases["shop/steps.py", 12] == "traced by `lax.scan`"
    assert phrases["shop/steps.py", 10] == ""


def test_what_is_opaque_is_listed_with_the_reason(tree: Path, run: Command) -> None:
    opaque = {
        (one["filename"], one["line"], one["callee"]): one["reason"]
        for one in graph(run, ".")["opaque"]
    }
    assert opaque["shop/mathx.py", 10, "torch.square"] == "third party without a model: torch"
    assert not any(line == 18 for _, line, _ in opaque), "no traced code reaches it"


def test_the_graph_of_a_helper_is_that_of_what_reaches_it(tree: Path, run: Command) -> None:
    shown = graph(run, "shop/mathx.py")
    assert [function for _, _, function, _, _ in starts(shown)] == ["step", "norm"]
    assert ("step", "step.body") in arrows(shown)


def test_the_graph_of_an_entry_leaves_out_what_it_does_not_reach(tree: Path, run: Command) -> None:
    shown = graph(run, "shop/steps.py")
    assert [function for _, _, function, _, _ in starts(shown)] == ["step"]


def test_an_entry_that_another_module_calls_counts_once(tree: Path, run: Command) -> None:
    shown = graph(run, "train.py", "shop/steps.py")
    assert [function for _, _, function, _, _ in starts(shown)].count("step") == 1


@pytest.mark.parametrize("form", ["text", "json", "dot", "mermaid"])
def test_the_order_of_paths_does_not_matter(tree: Path, run: Command, form: str) -> None:
    paths = ["train.py", "shop/steps.py", "shop/mathx.py", "shop/__init__.py"]
    outputs = set()
    for seed in range(3):
        random.Random(seed).shuffle(paths)
        outputs.add(run("graph", "--output-format", form, *paths).stdout)
    assert len(outputs) == 1


def test_the_number_of_processes_does_not_matter(tree: Path, run: Command) -> None:
    assert run("graph", ".").stdout == run("graph", "-j", "2", ".").stdout
    silent = ("check", "--explain-silence", "--output-format", "json", ".")
    assert run(*silent).stdout == run(*silent, "-j", "2").stdout


def test_a_path_that_is_missing_fails(tree: Path, run: Command) -> None:
    result = run("graph", "nowhere.py")
    assert result.exit_code == 2
    assert "nowhere.py" in result.stderr


def test_nothing_traced_is_an_empty_graph(here: Path, run: Command) -> None:
    (here / "plain.py").write_text("x = 1\n")
    shown = graph(run, ".")
    assert (shown["entries"], shown["functions"], shown["totals"]["calls"]) == ([], [], 0)
    text = run("graph", ".").stdout
    assert text == "Traced code: 0 entry points, 0 functions, 0 calls, 0 of them unknown (0.0%).\n"


class TestSilence:
    def test_it_follows_the_findings_on_standard_error(self, tree: Path, run: Command) -> None:
        plain, silent = run("check", "."), run("check", "--explain-silence", ".")
        assert (silent.exit_code, silent.stdout) == (plain.exit_code, plain.stdout)
        assert silent.stderr.startswith(plain.stderr)
        said = silent.stderr[len(plain.stderr) :].splitlines()
        # The call of torch, and that of `score`, for which JAX takes no function.
        assert said[0] == (
            "Traced code: 3 entry points, 5 functions, 8 calls, 2 of them unknown (25.0%)."
        )
        assert said[1] == "Entry points of functions that are not known: 1."
        assert "  1  12.5%  third party without a model: torch (shop/mathx.py:10:12)" in said

    def test_json_becomes_an_object(self, tree: Path, run: Command) -> None:
        form = ("--output-format", "json", ".")
        plain = json.loads(run("check", *form).stdout)
        shown = json.loads(run("check", "--explain-silence", *form).stdout)
        assert shown["findings"] == plain
        sums = shown["silence"]
        assert (sums["entries"], sums["blind_entries"], sums["functions"]) == (3, 1, 5)
        assert (sums["calls"], sums["unknown"], sums["share"]) == (8, 2, 0.25)
        assert sum(row["count"] for row in sums["reasons"]) == sums["unknown"]
        counted = json.loads(run("check", "--explain-silence", "--statistics", *form).stdout)
        assert counted["silence"] == sums

    def test_it_counts_what_is_written_in_the_files(self, tree: Path, run: Command) -> None:
        form = ("--explain-silence", "--output-format", "json")
        sums = json.loads(run("check", *form, "shop/mathx.py").stdout)["silence"]
        assert (sums["entries"], sums["functions"], sums["calls"]) == (0, 3, 5)

    def test_standard_input_counts(self, tree: Path, run: Command) -> None:
        form = ("--explain-silence", "--output-format", "json")
        source = "import jax\njax.jit(lambda x: x.sum())\n"
        sums = json.loads(run("check", *form, "-", input=source).stdout)["silence"]
        assert (sums["entries"], sums["calls"], sums["unknown"]) == (1, 1, 0)

    def test_what_is_not_reached_has_a_reason(self, tree: Path, run: Command) -> None:
        said = run("check", "--explain-silence", ".").stderr.splitlines()
        assert (
            "Not reached by tracing: 2 of 7 functions, and 0 of 7 statements in the others." in said
        )
        row = (
            "  1 function: nothing in the project calls `idle` or hands it on (shop/mathx.py:17:1)"
        )
        assert row in said

    def test_json_has_every_place_that_is_not_reached(self, tree: Path, run: Command) -> None:
        form = ("--explain-silence", "--output-format", "json", ".")
        shown = json.loads(run("check", *form).stdout)["silence"]["unreached"]
        place, main = shown["unreached_functions"]
        assert main["name"] == "main"
        assert (place["filename"], place["line"], place["name"]) == ("shop/mathx.py", 17, "idle")
        assert (place["kind"], shown["roots"][place["root"]]["kind"]) == ("caller", "caller")
        assert shown["roots"][0]["places"] == [
            {"filename": "shop/mathx.py", "line": 17, "column": 1}
        ]
        assert (shown["functions"], shown["statements"]) == (7, 7)
        assert shown["unreached_statements"] == []

    def test_only_files_that_are_named_count(self, tree: Path, run: Command) -> None:
        form = ("--explain-silence", "--output-format", "json")
        shown = json.loads(run("check", *form, "shop/steps.py").stdout)["silence"]["unreached"]
        assert (shown["functions"], shown["unreached_functions"]) == (2, [])

    def test_ten_lines_are_enough(self, here: Path, run: Command) -> None:
        (here / "pyproject.toml").write_text("")
        many = "".join(f"def unused_{n}(x):\n    return x\n\n" for n in range(30))
        (here / "many.py").write_text("import jax\n\n" + many)
        said = run("check", "--explain-silence", ".").stderr.splitlines()
        assert "Reasons: no caller 30." in said
        assert said[-1] == "  24 functions: 24 reasons more"
        assert len(said) < 12

    def test_what_hides_most_comes_first(self, here: Path, run: Command) -> None:
        (here / "pyproject.toml").write_text("")
        chain = "".join(f"def one_{n}(x):\n    return one_{n + 1}(x)\n\n" for n in range(5))
        source = "import jax\n\ndef alone(x):\n    return x\n\n" + chain
        (here / "chain.py").write_text(source + "def one_5(x):\n    return x\n")
        said = run("check", "--explain-silence", ".").stderr.splitlines()
        rows = [line for line in said if line.startswith("  ")]
        assert rows[0].startswith("  6 functions: nothing in the project calls `one_0`")
        assert rows[1].startswith("  1 function: nothing in the project calls `alone`")

    def test_the_order_of_files_does_not_matter(self, tree: Path, run: Command) -> None:
        paths = ["train.py", "shop/steps.py", "shop/mathx.py", "shop/__init__.py"]
        form = ("--explain-silence", "--output-format", "json")
        outputs = {
            json.dumps(json.loads(run("check", *form, *order).stdout)["silence"])
            for order in (paths, paths[::-1], paths[2:] + paths[:2])
        }
        assert len(outputs) == 1

    def test_reasons_survive_settings_that_differ_by_directory(
        self, tree: Path, run: Command
    ) -> None:
        form = ("check", "--explain-silence", "--output-format", "json", ".")
        before = json.loads(run(*form).stdout)["silence"]["unreached"]
        (tree / "shop" / "jaxlint.toml").write_text('min-confidence = "low"\n')
        after = json.loads(run(*form).stdout)["silence"]["unreached"]
        assert after == before

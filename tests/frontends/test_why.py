"""`jaxlint why`: what a value is to the tracer, and the way to it from where tracing starts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import Result
from why_sources import HEAD, SOURCES

from jaxlint.report.explanations import headline
from jaxlint.session.session import Session

Command = Callable[..., Result]
PLACE = ("line", "column", "message")


def asked(run: Command, *args: str) -> list[dict[str, object]]:
    result = run("why", "--output-format", "json", *args)
    assert result.exit_code == 0, result.output
    subjects: list[dict[str, object]] = json.loads(result.stdout)["subjects"]
    return subjects


@pytest.mark.parametrize("case", SOURCES)
def test_says_what_values_are(case: str, here: Path, run: Command) -> None:
    source, expected = SOURCES[case]
    text = HEAD + dedent(source)
    (here / "train.py").write_text(text)
    line = next(n for n, it in enumerate(text.splitlines(), 1) if it.endswith("# ?"))
    explanation = Session().why("train.py", line)
    assert explanation.reach == "traced"
    found = {it.text: [headline(one) for one in it.answers] for it in explanation.subjects}
    assert {name: found.get(name) for name in expected} == expected


@pytest.fixture
def project(here: Path) -> Path:
    """Two files, the traced code of one in the other."""
    (here / "pyproject.toml").write_text("")
    (here / "model.py").write_text(
        dedent(
            """\
            import jax.numpy as jnp


            def norm(v, eps=1e-6):
                total = jnp.sum(v * v)
                return jnp.sqrt(total + eps)


            def idle(v):
                return v
            """
        )
    )
    (here / "train.py").write_text(
        dedent(
            """\
            import jax
            from jax import lax
            from model import norm


            @jax.jit
            def step(x):
                y = x + 1.0

                def body(carry, _):
                    return carry * norm(y), None

                out, _ = lax.scan(body, y, None, length=3)
                return out


            def main():
                size = 3
                return step(size)
            """
        )
    )
    return here


def test_the_way_leads_from_the_entry_through_files_and_calls(project: Path, run: Command) -> None:
    result = run("why", "model.py:5:5")
    assert result.exit_code == 0
    assert result.stdout == dedent(
        """\
        model.py:5:5: `total`
          traced: float array of rank 0, in `norm`
            train.py:7:1: `step` is jitted here
            train.py:7:10: `x` is a parameter of `step`
            train.py:8:9: `x + 1.0` is computed from a traced value
            train.py:13:14: `body` is traced by `lax.scan` here
            train.py:11:24: `norm(y)` calls `norm` here
            model.py:5:21: `v * v` is computed from a traced value
            model.py:5:13: `jnp.sum(v * v)` is computed from a traced value
        """
    )


def test_a_traced_function_that_is_called_in_traced_code(here: Path, run: Command) -> None:
    source = """
        import jax

        @jax.jit
        def outer(x):
            @jax.jit
            def inner(z):
                return z + 1
            return inner(x)
        """
    (here / "nested.py").write_text(dedent(source))
    assert run("why", "nested.py:8:16").stdout == dedent(
        """\
        nested.py:8:16: `z`
          traced: array or a container of arrays, in `inner`
            nested.py:5:1: `outer` is jitted here
            nested.py:5:11: `x` is a parameter of `outer`
            nested.py:7:5: `inner` is jitted here
            nested.py:9:12: `inner(x)` calls `inner` here
            nested.py:7:15: `z` is passed to a function here
        """
    )


def test_a_static_value_has_the_way_to_the_code(project: Path, run: Command) -> None:
    assert run("why", "model.py:6:29").stdout == dedent(
        """\
        model.py:6:29: `eps`
          static: float 1e-06, in `norm`
            train.py:7:1: `step` is jitted here
            train.py:13:14: `body` is traced by `lax.scan` here
            train.py:11:24: `norm(y)` calls `norm` here
        """
    )


def test_a_column_stands_for_the_innermost_expression(project: Path, run: Command) -> None:
    found = {column: asked(run, f"model.py:6:{column}")[0]["text"] for column in (12, 16, 21, 29)}
    assert found == {12: "jnp", 16: "jnp.sqrt", 21: "total", 29: "eps"}


def test_a_line_leaves_out_what_tracing_is_not_about(project: Path, run: Command) -> None:
    assert [it["text"] for it in asked(run, "model.py:5")] == ["total", "v"]


def test_a_file_outside_any_project_is_asked_with_those_beside_it(
    project: Path, run: Command
) -> None:
    (project / "pyproject.toml").unlink()
    assert "train.py:7:1" in run("why", "model.py:5").stdout


def test_says_that_code_runs_on_the_host_only(project: Path, run: Command) -> None:
    first, *rest = run("why", "train.py:18").stdout.splitlines()
    reason = "nothing in the project calls `main` or hands it on (train.py:17:1)"
    assert first == f"train.py:18: runs on the host only: {reason}"
    assert rest == ["train.py:18:5: `size`", "  static: int 3, on the host, in `main`"]
    assert "runs on the host only" in run("why", "model.py:10").stdout


def test_says_that_no_traced_code_comes(here: Path, run: Command) -> None:
    (here / "dead.py").write_text("import jax\n\nif False:\n    y = jax\n")
    result = run("why", "dead.py:4")
    assert (result.exit_code, result.stdout) == (0, "dead.py:4: no traced code reaches this line\n")


def test_says_why_no_traced_code_comes(here: Path, run: Command) -> None:
    source = "import jax\nimport torch\n\ndef loss(x):\n    return x\n\ntorch.fit(loss)\n"
    (here / "model.py").write_text(source)
    reason = (
        "`torch.fit` is given functions, and not followed: third party without a model: torch "
        "(model.py:7:1)"
    )
    said = run("why", "model.py:5").stdout.splitlines()
    assert said[0] == f"model.py:5: runs on the host only: {reason}"
    shown = json.loads(run("why", "--output-format", "json", "model.py:5").stdout)
    assert (shown["reach"], shown["reason"]) == ("host", reason)


def test_says_why_no_path_comes(here: Path, run: Command) -> None:
    source = (
        "import jax\n\n@jax.jit\ndef step(x):\n    if x is None:\n        x = 1\n    return x\n"
    )
    (here / "model.py").write_text(source)
    said = run("why", "model.py:6").stdout.splitlines()
    assert (
        said[0] == "model.py:6: runs on the host only: `x is None` is always false (model.py:5:5)"
    )


def test_what_is_left_out_is_counted(here: Path, run: Command) -> None:
    callers = "".join(
        f"@jax.jit\ndef caller{number}(x):\n    return common(x)\n\n" for number in range(35)
    )
    (here / "many.py").write_text(f"import jax\n\ndef common(v):\n    return v + 1\n\n{callers}")
    lines = run("why", "many.py:4").stdout.splitlines()
    assert sum(" is jitted here" in line for line in lines) == 32
    assert lines[-1] == "  and something else in at least 3 more"


def test_json_has_it_all(project: Path, run: Command) -> None:
    result = run("why", "--output-format", "json", "train.py:8:5")
    assert json.loads(result.stdout) == {
        "filename": "train.py",
        "line": 8,
        "column": 5,
        "reach": "traced",
        "subjects": [
            {
                "text": "y",
                "line": 8,
                "column": 5,
                "end_line": 8,
                "end_column": 6,
                "more": 0,
                "answers": [
                    {
                        "kind": "traced",
                        "what": "float array of rank 0",
                        "function": "step",
                        "host": False,
                        "runs": 1,
                        "trail": [
                            {"filename": "train.py", **dict(zip(PLACE, step, strict=True))}
                            for step in (
                                (7, 1, "`step` is jitted here"),
                                (7, 10, "`x` is a parameter of `step`"),
                                (8, 9, "`x + 1.0` is computed from a traced value"),
                            )
                        ],
                    }
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("train.py", "train.py: not like FILE:LINE or FILE:LINE:COLUMN"),
        (":3", ":3: not like FILE:LINE or FILE:LINE:COLUMN"),
        ("missing.py:1", "missing.py: no such file"),
        (".:1", ".: is a directory"),
        ("train.py:0", "train.py:0: no such line, the last is 19"),
        ("train.py:20", "train.py:20: no such line, the last is 19"),
        ("train.py:8:40", "train.py:8:40: no such column, the last is 15"),
        ("train.py:4", "train.py:4: no name or expression is there"),
        ("train.py:8:1", "train.py:8:1: no name or expression is there"),
        ("broken.py:1", "broken.py:1:5: "),
    ],
)
def test_a_bad_place_is_one_line(place: str, message: str, project: Path, run: Command) -> None:
    (project / "broken.py").write_text("def (:\n")
    result = run("why", place)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"jaxlint: error: {message}")
    assert result.stderr.count("\n") == 1


def test_a_failure_of_the_engine_is_one_line(
    project: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("divided")

    monkeypatch.setattr("jaxlint.engine.queries.explain.explain", fail)
    result = run("why", "model.py:5")
    assert result.exit_code == 2
    assert result.stderr.startswith("jaxlint: error: model.py: ZeroDivisionError: divided")

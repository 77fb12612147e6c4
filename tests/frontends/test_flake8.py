"""The flake8 plugin prints what the command prints, and leaves to flake8 what is flake8's."""

from __future__ import annotations

import argparse
import ast
import io
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from flake8.api import legacy
from flake8.main.cli import main as flake8_main
from flake8.style_guide import Decision, DecisionEngine
from flake8.utils import stdin_get_value

from jaxlint.frontends import flake8 as adapter

Command = Callable[..., Result]
Flake8 = Callable[..., list[str]]

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("**/*.py"))


@pytest.fixture(autouse=True)
def fresh_plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """flake8 hands options to the class: give back what a test found there."""
    monkeypatch.setattr(adapter.Plugin, "_run", None)
    yield


@pytest.fixture
def flake8(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Flake8:
    """Runs flake8 and returns the lines it printed, sorted."""

    def invoke(*args: str | Path, input: str | bytes | None = None) -> list[str]:
        if input is not None:
            data = input.encode() if isinstance(input, str) else input
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            stdin_get_value.cache_clear()
        capfd.readouterr()
        flake8_main([str(arg) for arg in args])
        return sorted(capfd.readouterr().out.splitlines())

    return invoke


def command_lines(run: Command, *args: str | Path, **options: str | bytes) -> list[str]:
    """What the command prints for these arguments, sorted, without its marks of fixes."""
    result = run("check", "--output-format", "concise", *args, **options)
    return sorted(result.stdout.replace(" [*] ", " ").splitlines())


SNIPPETS = {
    "bom": "\ufeffimport jax\nhazard\n",
    "clean": "import jax\n",
    "crash": "import jax\nexplode\n",
    "crlf": "import jax\r\nhazard\r\n\r\nhazard\r\n",
    "empty": "",
    "file-noqa": "# jaxlint: noqa\nimport jax\nhazard\n",
    "form-feed": "import jax\n\x0chazard\n",
    "indented": "import jax\nif 1:\n    hazard, hazard\n\thazard and 1\n".replace("\t", "    "),
    "line-noqa": "import jax\nhazard  # noqa\nhazard  # noqa: JAX901\nhazard\n",
    "no-jax": "hazard\n",
    "no-newline": "import jax\nhazard",
    "off-by-default": "import jax\nwhisper\nhazard\n",
    "tabs": "import jax\nif 1:\n\thazard\n",
    "wide": "import jax\n'\u957f\u00e9\U0001f600', hazard\n",
}
LATIN = "import jax\n'\xe9', hazard\n"


@pytest.mark.usefixtures("fake_engine")
class TestWithFakeEngine:
    @pytest.mark.parametrize("name", sorted(SNIPPETS))
    @pytest.mark.parametrize("select", ["JAX", "JAX901", "JAX912", "JAX9,JAX0"])
    def test_flake8_and_the_command_agree(
        self, here: Path, run: Command, flake8: Flake8, name: str, select: str
    ) -> None:
        path = here / "snippet.py"
        path.write_bytes(SNIPPETS[name].encode())
        options = ("--select", select, "snippet.py")
        expected = command_lines(run, *options)
        if select.startswith("JAX9") and "JAX0" not in select:
            expected = [line for line in expected if "JAX0" not in line]
        assert expected == flake8(*options)

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--ignore", "E501"],
            ["--extend-ignore", "JAX901"],
            ["--extend-select", "JAX912"],
            ["--extend-select", "JAX9", "--extend-ignore", "JAX901"],
        ],
        ids=" ".join,
    )
    def test_rules_that_are_off_stay_off_unless_selected(
        self, here: Path, flake8: Flake8, options: list[str]
    ) -> None:
        (here / "a.py").write_text("import jax\nhazard\nwhisper\n")
        codes = {line.split()[1] for line in flake8(*options, "a.py")}
        assert ("JAX912" in codes) == ("--extend-select" in options)
        assert ("JAX901" in codes) == ("--extend-ignore" not in options)

    def test_the_configuration_file_counts(self, here: Path, run: Command, flake8: Flake8) -> None:
        (here / "a.py").write_text("import jax\nhazard\nwhisper\n")
        (here / "pyproject.toml").write_text(
            '[tool.jaxlint]\nextend-select = ["soft-whisper"]\nignore = ["loud"]\n'
        )
        lines = [line for line in flake8("a.py") if " JAX" in line]
        assert command_lines(run, "a.py") == lines
        assert [line.split()[1] for line in lines] == ["JAX912"]

    def test_files_that_ignore_rules_count(self, here: Path, run: Command, flake8: Flake8) -> None:
        (here / "base.toml").write_text("extend-select = ['JAX912']\n")
        (here / "jaxlint.toml").write_text(
            "extend = 'base.toml'\nper-file-ignores = {'b*.py' = ['loud']}\n"
        )
        for name in ("a.py", "b.py"):
            (here / name).write_text("import jax\nhazard\nwhisper\n")
        lines = [line for line in flake8("a.py", "b.py") if " JAX" in line]
        assert command_lines(run, "a.py", "b.py") == lines
        shown = [(line.partition(":")[0], line.split()[1]) for line in lines]
        assert [("a.py", "JAX901"), ("a.py", "JAX912"), ("b.py", "JAX912")] == shown

    def test_a_bad_configuration_file_is_a_message(self, here: Path, flake8: Flake8) -> None:
        (here / "pyproject.toml").write_text("[tool.jaxlint]\nnonsense = 1\n")
        assert any("unknown key tool.jaxlint.nonsense" in line for line in flake8("a.py"))

    @pytest.mark.parametrize("name", sorted(SNIPPETS))
    def test_they_agree_on_standard_input(
        self, here: Path, run: Command, flake8: Flake8, name: str
    ) -> None:
        data = SNIPPETS[name].encode()
        selected = ("--select", "JAX")
        expected = command_lines(run, *selected, "--stdin-filename", "src/a.py", "-", input=data)
        assert expected == flake8(*selected, "--stdin-display-name", "src/a.py", "-", input=data)

    def test_they_agree_without_suppression(self, here: Path, run: Command, flake8: Flake8) -> None:
        (here / "a.py").write_text(SNIPPETS["line-noqa"])
        (here / "b.py").write_text(SNIPPETS["file-noqa"])
        options = ("--select", "JAX", "--disable-noqa", "a.py", "b.py")
        expected = command_lines(run, *options)
        assert len(expected) == 4
        assert expected == flake8(*options)

    def test_they_agree_with_several_processes(
        self, here: Path, run: Command, flake8: Flake8
    ) -> None:
        names = []
        for number, name in enumerate(sorted(SNIPPETS)):
            names.append(f"f{number}.py")
            (here / names[-1]).write_bytes(SNIPPETS[name].encode())
        expected = command_lines(run, "--select", "JAX", *names)
        assert len(expected) > 10
        assert expected == flake8("--select", "JAX", "-j", "2", *names)

    def test_they_agree_on_other_encodings(self, here: Path, run: Command, flake8: Flake8) -> None:
        (here / "good.py").write_bytes(f"# coding: latin-1\n{LATIN}".encode("latin-1"))
        (here / "bad.py").write_bytes(LATIN.encode("latin-1"))
        (here / "utf8.py").write_bytes(LATIN.encode())
        options = ("--select", "JAX", "good.py", "bad.py", "utf8.py")
        expected = command_lines(run, *options)
        assert "bad.py:1:1: JAX001 not UTF-8: byte 12" in expected
        assert expected == flake8(*options)

    def test_a_syntax_error_is_left_to_flake8(self, here: Path, flake8: Flake8) -> None:
        (here / "a.py").write_text("import jax\ndef f(:\n")
        (line,) = flake8("--select", "JAX,E9", "a.py")
        assert "E999" in line

    def test_a_plugin_of_another_prefix_reports_its_own_codes(self) -> None:
        class Other(adapter.Plugin):
            prefix = "ZZ"

        lines = ["import jax\n", "hazard\n"]
        tree = ast.parse("".join(lines))
        assert list(Other(tree, lines, "a.py").run()) == []
        expected = [(2, 0, "JAX901 `hazard` is loud", adapter.Plugin)]
        assert expected == list(adapter.Plugin(tree, lines, "a.py").run())


def options(**given: list[str] | None) -> argparse.Namespace:
    unset = dict.fromkeys(("select", "extend_select", "ignore", "extend_ignore"))
    unset |= {"extended_default_select": ["JAX", "E", "F"], "extended_default_ignore": []}
    return argparse.Namespace(**(unset | given))


@pytest.mark.parametrize("code", ["JAX301", "ZZ1"])
@pytest.mark.parametrize("select", [None, ["E"], ["JAX"], ["JAX3", "E"], ["J"], ["ZZ"]])
@pytest.mark.parametrize("extend", [None, ["JAX301"], ["E"]])
@pytest.mark.parametrize("ignore", [None, ["JAX"], ["E", "J"], ["JAX1"], ["JAX301"]])
def test_what_flake8_would_not_show_is_not_looked_for(
    code: str, select: list[str] | None, extend: list[str] | None, ignore: list[str] | None
) -> None:
    given = options(select=select, extend_select=extend, ignore=ignore)
    given.extended_default_select.append("ZZ")
    decision = DecisionEngine(given).decision_for(code)
    prefix = code.rstrip("0123456789")
    assert adapter.is_wanted(prefix, given) or decision is not Decision.Selected


HANDED = {"a.py": [(1, 0, "JAX301", "it says \u201cno\u201d")]}


def read_what_is_handed() -> None:
    assert HANDED == adapter.handed_down()


def test_a_process_that_inherits_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAXLINT_FLAKE8_FOUND", "")
    assert {} == adapter.handed_down()
    path = Path(adapter.hand_down(HANDED))
    assert {} == adapter.handed_down()
    child = multiprocessing.get_context("spawn").Process(target=read_what_is_handed)
    child.start()
    child.join()
    assert 0 == child.exitcode
    path.unlink()


def test_files_that_are_named_later_are_checked(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(HOST.replace("{comment}", ""))
    (here / "pkg").mkdir()
    (here / "pkg" / "b.py").write_text(HOST.replace("{comment}", ""))
    (here / "pkg" / "c.py").write_text(HOST.replace("{comment}", ""))
    guide = legacy.get_style_guide(select=["JAX301"])
    assert 1 == guide.check_files(["a.py"]).total_errors
    assert 2 == guide.check_files(["pkg"]).total_errors


FREE = """
import argparse, sys
sys.argv = ["flake8", "a.py"]
from flake8.main.cli import main
before = set(sys.modules)
assert main(["a.py", "b.py", "-j1"]) == 1
sys.stdout.write(" ".join(name for name in set(sys.modules) - before))
"""


def test_a_project_without_jax_costs_no_imports(here: Path) -> None:
    (here / "setup.cfg").write_text("")
    (here / "a.py").write_text("import os\n")
    (here / "b.py").write_text("x = 1\n")
    run = subprocess.run([sys.executable, "-c", FREE], capture_output=True, text=True, check=True)
    assert "F401" in run.stdout
    imported = run.stdout.splitlines()[-1].split()
    ours = [name for name in imported if name.startswith("jaxlint")]
    assert "jaxlint.frontends.flake8" in ours
    assert len(ours) < 25
    assert not {"click", "libcst", "pathspec", "tomllib", "jaxlint.session.session"} & set(imported)


AGAIN = """
import sys
sys.argv = ["flake8", "a.py"]
from flake8.main.cli import main
assert main(["a.py", "--select", "JAX301"]) == 1
print("jaxlint.session.session" in sys.modules)
"""


def test_what_has_not_changed_is_not_looked_at_again(here: Path) -> None:
    (here / "setup.cfg").write_text("")
    (here / "a.py").write_text(HOST.replace("{comment}", ""))

    def run() -> list[str]:
        command = [sys.executable, "-c", AGAIN]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )

    first, second = run(), run()
    assert "True" == first[-2]
    assert [*first[:-2], "False", ""] == second
    (here / "a.py").write_text("\n" + HOST.replace("{comment}", ""))
    third = run()
    assert "True" == third[-2]
    assert first[:-2] != third[:-2]


def test_they_agree_on_every_fixture(run: Command, flake8: Flake8) -> None:
    assert FIXTURES
    options = ("--select", "JAX,JAX007", *FIXTURES)
    expected = command_lines(run, *options)
    assert expected
    assert expected == flake8(*options)


HOST = """\
import functools
import jax
import jax.numpy as jnp


@jax.jit
def relu(x):
    if x > 0:{comment}
        return x
    return 0.0 * x


@functools.partial(jax.jit, static_argnames=("n",))
def power(x, n):
    total = jnp.ones_like(x)
    while x.sum() > (
        n + 1  # inside{comment}
    ):
        total = total * x
    print("traced", x){comment}
    return [
        float(total),
        x[x > 0],{comment}
    ]
"""


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "  # noqa",
        "  # noqa: JAX301",
        "  #noqa:JAX313,JAX101",
        "  # NOQA : JAX",
        "  # noqa: E501",
    ],
)
@pytest.mark.parametrize("options", [[], ["--disable-noqa"]], ids=["noqa", "no-noqa"])
def test_they_agree_on_comments(
    here: Path, run: Command, flake8: Flake8, comment: str, options: list[str]
) -> None:
    (here / "a.py").write_text(HOST.replace("{comment}", comment))
    # Of the comments that flake8 reads, only flake8 knows which it needed.
    arguments = ("--select", "JAX", "--ignore", "JAX003", *options, "a.py")
    expected = command_lines(run, *arguments)
    assert expected == flake8(*arguments)

"""Record mode leaves the user's run as it is, and tells what real JAX made of each finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest
from record_programs import HAZARDS, MORE, MORE_RUN, RUN, STUDIES

from jaxlint.base.errors import JaxlintError
from jaxlint.frontends.runs import record
from jaxlint.verify import store

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="studies need fork")


def write(folder, name, *parts):
    (folder / "pyproject.toml").write_text("")
    path = folder / name
    path.write_text("".join(map(textwrap.dedent, parts)))
    return path


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JAX")}
    return {**kept, "JAX_PLATFORMS": "cpu", **more}


# On a busy machine a trace takes its time, which is not what is tested.
PATIENT = ("--config", "verify.timeout = 600")


def run(folder, *arguments, **more):
    return subprocess.run(
        arguments, cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=900
    )


def recorded(folder, *arguments, lint=".", **more):
    command = [sys.executable, "-m", "jaxlint", "record", *PATIENT, "--lint", lint, *arguments]
    return run(folder, *command, **more)


def seen(folder):
    """Line and outcome of everything that was observed."""
    found = store.read(store.directory(str(folder)))
    assert not found.warnings
    assert not found.defects
    return {(key[1], each.outcome) for key, group in found.seen.items() for each in group}


def verdicts(folder, name):
    """Line and verdict of each finding: what the run did not settle, is traced again."""
    command = [sys.executable, "-m", "jaxlint", "check", "--verify", *PATIENT]
    command += ["--output-format", "json"]
    found = json.loads(run(folder, *command, name).stdout)
    return {(each["line"], each["verdict"]["status"]) for each in found}


def line_of(path, text):
    lines = path.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """One script, run alone and under observation."""
    folder = tmp_path_factory.mktemp("script")
    path = write(folder, "train.py", HAZARDS, MORE, RUN, "\nmain()\n", MORE_RUN)
    own = run(folder, sys.executable, "train.py")
    assert own.returncode == 7, own.stderr
    for name in ("log.txt", "side.txt"):
        (folder / name).unlink()
    return path, own, recorded(folder, "train.py")


def test_a_script_runs_as_it_does_alone(script):
    _, own, watched = script
    assert own.returncode == watched.returncode == 7
    assert own.stdout == watched.stdout
    lines = [line for line in watched.stderr.splitlines() if not line.startswith("jaxlint:")]
    assert own.stderr.splitlines() == lines


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("if x > 0", "shown"),
        ("while x < 3", "next"),
        ('print("traced"', "shown"),
        ("calls.append", "shown"),
        ('print("wide"', "shown"),
        ("lambda v", "shown"),
        ("def step(", "shown"),
        ("def power(", "shown"),
        ("def shift(", "shown"),
        ("fresh = ", "shown"),
        ("nested = ", "shown"),
    ],
)
def test_its_hazards_are_seen(script, text, outcome):
    if text == "def shift(" and jax.__version_info__ < (0, 7):
        pytest.skip("this JAX has no such form of jit")
    assert (line_of(script[0], text), outcome) in seen(script[0].parent)


def test_a_flagged_expression_that_is_static_is_absent(script):
    line = line_of(script[0], "if x > 1")
    assert {(line, "absent")} == {each for each in seen(script[0].parent) if each[0] == line}


def test_code_outside_traces_is_eager(script):
    line = line_of(script[0], "if x > 2")
    assert {(line, "eager")} == {each for each in seen(script[0].parent) if each[0] == line}


def test_studies_leave_no_trace_of_their_own(script):
    path, _, watched = script
    assert (path.parent / "log.txt").read_text() == "traced\n"
    assert (path.parent / "side.txt").read_text() == "x"
    # No child is left to wait for, and no thread but the main one.
    assert watched.stdout.splitlines()[-1] == "1"


def test_a_study_starts_no_other_and_ends(tmp_path):
    head = MORE[MORE.index("def left") :]
    done = run(tmp_path, sys.executable, "-c", f"import os\n{head}{STUDIES}")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True [(0, 'PermissionError', 'Outcome(found=[], is_whole=False, seconds=0.0, "
        "reasons={})')]",
        "False [(1, '', '')]",
        "1",
    ]


def test_what_a_script_raises_looks_as_it_does_alone(tmp_path):
    write(tmp_path, "train.py", HAZARDS, "\nbranch(1.0)\n")
    alone = run(tmp_path, sys.executable, "train.py")
    watched = recorded(tmp_path, "train.py")
    assert watched.returncode == alone.returncode == 1
    own = [line for line in watched.stderr.splitlines() if not line.startswith("jaxlint:")]
    assert own == alone.stderr.splitlines()


TEST = """
import warnings
import jax.numpy as jnp
import pytest
import model
from model import jax

def test_branch():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        model.branch(1.0)

def test_effect():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.effect(jnp.float32(1.0)) == 2.0

def test_layer(capfd):
    assert model.Layer().apply(jnp.ones(2)).shape == (2,)
    assert capfd.readouterr().out == ""

def test_that_fails():
    assert False
"""


def test_a_test_run_is_observed_in_all_its_processes(tmp_path):
    pytest.importorskip("xdist")
    module = write(tmp_path, "model.py", HAZARDS)
    write(tmp_path, "test_model.py", TEST)
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]
    done = recorded(tmp_path, "--", *pytest_)
    assert done.returncode == 1
    assert "1 failed, 3 passed" in done.stdout
    assert {
        (line_of(module, "if x > 0"), "confirmed"),
        (line_of(module, "while x < 3"), "confirmed-next"),
        (line_of(module, 'print("traced"'), "confirmed"),
    } <= verdicts(tmp_path, "model.py")
    names = {each.qualname for each in store.read(store.directory(str(tmp_path))).recorded}
    assert {"branch", "effect", "Layer.apply"} <= names


def test_the_pytest_plugin_needs_no_command_of_ours(tmp_path):
    module = write(tmp_path, "model.py", HAZARDS)
    write(tmp_path, "test_model.py", TEST)
    plugin = ("-p", "jaxlint.verify.child.pytest_plugin", "--jaxlint-record")
    plugin += ("--jaxlint-lint", "model.py")
    done = run(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 3 passed" in done.stdout
    assert {
        (line_of(module, "if x > 0"), "confirmed"),
        (line_of(module, "while x < 3"), "confirmed-next"),
        (line_of(module, 'print("traced"'), "confirmed"),
    } <= verdicts(tmp_path, "model.py")


def test_processes_that_the_program_starts_are_observed_too(tmp_path):
    module = write(tmp_path, "model.py", HAZARDS, RUN)
    source = """
    import os
    import subprocess
    import sys

    if __name__ == "__main__":
        subprocess.run([sys.executable, "-c", "import model; model.effect(1.0)"], check=True)
        import multiprocessing
        import model
        process = multiprocessing.get_context("fork").Process(target=model.again, args=([1, 1],))
        process.start()
        process.join()
    """
    write(tmp_path, "train.py", source)
    done = recorded(tmp_path, "train.py")
    assert done.returncode == 0, done.stderr
    assert {
        (line_of(module, 'print("traced"'), "shown"),
        (line_of(module, "lambda v"), "shown"),
    } <= seen(tmp_path)


def test_an_own_sitecustomize_still_runs(tmp_path):
    own = tmp_path / "site"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.own = True\n")
    write(tmp_path, "train.py", "import sys\nprint(sys.own, sys.path[1:3])\n")
    alone = run(tmp_path, sys.executable, "train.py", PYTHONPATH=str(own))
    watched = recorded(tmp_path, "train.py", PYTHONPATH=str(own))
    assert watched.stdout == alone.stdout
    assert watched.stdout.startswith("True")


@pytest.mark.parametrize("value", ["1", "true"])
def test_nothing_is_recorded_where_nothing_is_traced(tmp_path, value):
    write(tmp_path, "train.py", "print('ran')\n")
    done = recorded(tmp_path, "train.py", JAX_DISABLE_JIT=value)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "JAX_DISABLE_JIT" in done.stderr


def test_a_command_that_does_not_exist_is_said_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JaxlintError, match="no-such-program"):
        record.record(record.Options(("no-such-program",)))


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        (("train.py", "--steps"), (".", "train.py")),
        (("python3.11", "train.py"), (".", "train.py")),
        (("../else/where.py",), ("../else/where.py",)),
        (("pytest", "train.py"), (".",)),
        (("python", "-m", "pytest"), (".",)),
        (("python",), (".",)),
        (("missing.py",), (".",)),
    ],
)
def test_what_is_linted_without_being_told(tmp_path, monkeypatch, command, paths):
    (tmp_path / "here").mkdir()
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write(tmp_path / "here", "train.py")
    write(tmp_path / "else", "where.py")
    assert paths == record.Options(command).paths
    assert ("src",) == record.Options(command, ("src",)).paths

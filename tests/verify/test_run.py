"""Runs child processes over small projects: what reaches a function, and what does not."""

from __future__ import annotations

import os
import re
import select
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import pytest
from child_runs import answers, targets_in, told, write

from jaxlint.verify import plan, run
from jaxlint.verify.child.arguments.signatures import Call, encode
from jaxlint.verify.process import environment
from jaxlint.verify.protocol import Config, Example, Job, Miss, Observation, Recorded, Target, load
from jaxlint.verify.run import Verification, VerifyError

__all__ = ["write"]

# --- plan -------------------------------------------------------------------------------------


def test_targets_count_bytes_and_keep_the_place_of_their_findings(
    write: Callable[..., Path],
) -> None:
    file = write(
        "näme.py",
        """\
        import jax
        @jax.jit
        def f(x):
            é = "é"; y = float(x)  # noqa: F821
            assert x > 0
            return x
        """,
    )
    first, second = targets_in(file)
    assert (first.id, second.id) == (0, 1)
    assert (first.line, first.column, first.end_column) == (4, 25, 26)
    assert first.hazard == "raises"
    assert "ConcretizationTypeError" in first.errors
    assert first.file == str(file)


def test_jobs_bring_a_files_targets_recordings_and_examples_together() -> None:
    one, two, three = (
        Target(number, file, 1, 0, 1, 1, "JAX301", "raises")
        for number, file in enumerate(["/a.py", "/b.py", "/a.py"])
    )
    recorded = Recorded("/b.py", 1, "f", [])
    example = Example("g", "f32[]")
    first, second = plan.jobs([one, two, three], [recorded], {"/a.py": [example]})
    assert first == Job("/a.py", (one, three), (), (example,))
    assert second == Job("/b.py", (two,), (recorded,), ())


def test_roots_are_packages_and_their_projects(write: Callable[..., Path], tmp_path: Path) -> None:
    write("src/pack/__init__.py", "")
    file = write("src/pack/deep/part.py", "")
    write("src/pack/deep/__init__.py", "")
    assert plan.roots([str(file)]) == (str(tmp_path / "src/pack"), str(tmp_path))
    assert plan.paths([str(file)]) == (str(tmp_path / "src"), str(tmp_path))


# --- what reaches a function ------------------------------------------------------------------

SOURCES = """\
import jax
import jax.numpy as jnp
import helper

@jax.jit
def ran(x):
    return x if x > 0 else -x

@jax.jit
def shown(x, flag):
    if flag and x.sum() > 0:
        return x
    return float(x)

class Model:
    def __init__(self, size: int = 3):
        self.size = size

    @jax.jit
    def late(x, n):
        return x[:n]

@jax.jit
def unknown(x):
    return int(x)

try:
    ran(jnp.ones(()))
finally:
    pass
"""


def test_each_source_of_arguments_reaches_its_functions(write: Callable[..., Path]) -> None:
    write("helper.py", "")
    file = write("sources.py", SOURCES)
    targets = targets_in(file)
    lines = {target.line: target.id for target in targets}
    examples = {
        str(file): [Example("Model.late", "f32[8], n=i32[]"), Example("gone", "1")],
    }
    found = answers(plan.jobs(targets, (), examples))
    assert {(lines[7], "shown", "run", "x: f32[]")} == {
        it for it in told(found) if it[0] == lines[7]
    }
    assert {(it[1], it[2]) for it in told(found) if it[0] == lines[21]} == {("shown", "given")}
    reasons = {it.target: it.reason for it in found if isinstance(it, Miss)}
    assert lines[25] in reasons
    assert "import failed: TracerBoolConversionError" in reasons[lines[25]]
    assert "the module has no gone" in reasons[lines[25]]


def test_a_reason_is_about_the_function_of_the_finding(write: Callable[..., Path]) -> None:
    file = write(
        "inner.py",
        """\
        import jax
        def helper(x):
            if x > 0:
                return x
            return -x
        def train(x):
            def body(carry, step):
                if carry > 1:
                    return helper(carry), step
                return carry, step
            return jax.lax.scan(body, x, None, 3)
        jitted = jax.jit(train)
        """,
    )
    arguments = encode(Call(print, (jax.ShapeDtypeStruct((), "float32"), None)))
    body = Recorded(str(file), 7, "train.<locals>.body", arguments, entry=True, phrase="scan")
    targets = targets_in(file)
    found = answers(plan.jobs(targets, [body]))
    reasons = {it.target: it.reason for it in found if isinstance(it, Miss)}
    lines = {target.line: reasons[target.id] for target in targets}
    assert "body was recorded, but not replayed: it is made inside" in lines[8]
    assert "no arguments" == lines[3]


def test_shorthand_spells_abstract_arrays(write: Callable[..., Path]) -> None:
    file = write(
        "short.py",
        """\
        import jax
        SIZE = 2
        @jax.jit
        def f(x, mask, rng, n, m):
            assert n > 0
            return x
        """,
    )
    text = "f32[SIZE, 3], bool[4], key, i32[], jnp.ones((SIZE,), 'bfloat16')"
    found = answers(plan.jobs(targets_in(file), (), {str(file): [Example("f", text)]}))
    (signature,) = {it[3] for it in told(found)}
    assert signature.startswith("x: f32[2,3], mask: bool[4], rng: key<")
    assert signature.endswith(", n: i32[], m: bf16[2]")


def test_recorded_signatures_are_replayed(write: Callable[..., Path]) -> None:
    file = write(
        "again.py",
        """\
        import jax
        def _apply(x, scale):
            if x > scale:
                return x
            return -x
        apply = jax.jit(_apply)
        """,
    )
    arguments = encode(Call(print, (jax.ShapeDtypeStruct((), "float32"), 2)))
    recorded = Recorded(str(file), 2, "_apply", arguments, entry=True, phrase="jit")
    targets = targets_in(file)
    found = answers(plan.jobs(targets, [recorded]))
    assert told(found) == {(0, "shown", "recorded", "x: f32[], scale=2")}
    lost = [Recorded(str(file), 2, "_lost", arguments), Recorded(str(file), 2, "_apply", None)]
    (miss,) = answers(plan.jobs(targets, lost))
    assert isinstance(miss, Miss)
    assert "nothing in the module leads to it" in miss.reason
    assert "its arguments have no text" in miss.reason


def test_invented_arguments_are_an_assumption(write: Callable[..., Path]) -> None:
    file = write(
        "guess.py",
        """\
        import jax
        @jax.jit
        def f(x: jax.Array):
            if x.sum() > 0:
                return x
            return -x
        """,
    )
    jobs = plan.jobs(targets_in(file))
    assert [it for it in answers(jobs) if isinstance(it, Miss)] == [Miss(0, "no arguments")]
    found = answers(jobs, guess=True)
    assert {("shown", "invented")} == {it[1:3] for it in told(found)}
    assert all("`x` is a traced" in it.assumption for it in found if isinstance(it, Observation))


# --- processes --------------------------------------------------------------------------------


def test_a_child_that_cannot_be_interrupted_is_killed(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_GRACE_SECONDS", 0.5)
    stuck = write(
        "stuck.py",
        """\
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        while True: pass
        import jax
        @jax.jit
        def f(x):
            return float(x)
        """,
    )
    user = write("user.py", "import jax, stuck\n@jax.jit\ndef f(x): return float(x)\n")
    targets = [
        Target(0, str(stuck), 7, 11, 7, 19, "JAX310", "raises", ("ConcretizationTypeError",)),
        Target(1, str(user), 3, 17, 3, 25, "JAX310", "raises", ("ConcretizationTypeError",)),
    ]
    found = answers(plan.jobs(targets), import_seconds=0.75)
    reasons = {it.target: it.reason for it in found if isinstance(it, Miss)}
    assert reasons[0] == "import failed: time-out, more than 1 s"
    assert "stuck was given up" in reasons[1]


def test_no_interpreter_is_one_clear_message(write: Callable[..., Path]) -> None:
    jobs = [Job("/a.py", (Target(0, "/a.py", 1, 0, 1, 1, "JAX301", "raises"),))]
    with pytest.raises(VerifyError, match=r"no interpreter 'nowhere/python'.*pip install jax"):
        list(Verification(Config(), "nowhere/python").execute(jobs))


@pytest.mark.skipif(os.name != "posix", reason="scripts as programs")
@pytest.mark.parametrize(
    ("jax", "problem"),
    [
        ("raise ModuleNotFoundError('no jax', name='jax')", "has no jax"),
        ("__version__ = '0.4.29'", "has JAX 0.4.29"),
        ("raise OSError('broken')", "cannot import jax: OSError: broken"),
    ],
)
def test_a_jax_that_will_not_do_is_one_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jax: str, problem: str
) -> None:
    (tmp_path / "jax.py").write_text(jax)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    jobs = [Job("/a.py", (Target(0, "/a.py", 1, 0, 1, 1, "JAX301", "raises"),))]
    with pytest.raises(VerifyError, match=problem) as caught:
        list(Verification(Config(), sys.executable).execute(jobs))
    assert "pip install jax" in str(caught.value)


def test_a_program_that_is_no_python_is_one_clear_message(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho something else >&2\nexit 7\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    jobs = [Job("/a.py", (Target(0, "/a.py", 1, 0, 1, 1, "JAX301", "raises"),))]
    with pytest.raises(VerifyError, match="does not start: ended with exit status 7: something"):
        list(Verification(Config(), str(program)).execute(jobs))


def test_a_jax_that_cannot_be_observed_judges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., Path]
) -> None:
    file = write("fine.py", "import jax\n@jax.jit\ndef f(x): return float(x)\nf(1)\n")
    (tmp_path / "sitecustomize.py").write_text(
        "import jax\njax.core.Tracer.__float__ = lambda self: 1.0\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (miss,) = answers(plan.jobs(targets_in(file)))
    assert isinstance(miss, Miss)
    assert miss.reason.startswith("inconclusive: ")


def test_the_environment_keeps_no_secrets(tmp_path: Path) -> None:
    outside = {
        "PATH": "/bin",
        "API_TOKEN": "secret",
        "JAX_ENABLE_X64": "1",
        "JAX_DISABLE_JIT": "1",
        "JAX_PLATFORMS": "cuda",
        "JAX_DUMP_IR_TO": "/",
        "JAX_COMPILATION_CACHE_DIR": "/",
        "XLA_FLAGS": "--xla_dump_to=/ --xla_force_host_platform_device_count=2",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "LC_ALL": "tr_TR.UTF-8",
        "LC_NUMERIC": "de_DE",
        "LANG": "de_DE",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": "here",
    }
    inside = environment(outside, str(tmp_path))
    assert "API_TOKEN" not in inside
    assert "JAX_DISABLE_JIT" not in inside
    assert (inside["JAX_PLATFORMS"], inside["JAX_ENABLE_X64"]) == ("cpu", "1")
    assert inside["PYTHONPATH"] == os.path.abspath("here")
    assert inside["TMPDIR"] == str(tmp_path)
    assert inside["XLA_FLAGS"] == "--xla_force_host_platform_device_count=2"
    assert inside["LC_ALL"] == "C.UTF-8"
    named = {name for name in inside if name.startswith(("JAX_", "XLA_", "LC_", "LANG"))}
    assert named == {"JAX_ENABLE_X64", "JAX_PLATFORMS", "XLA_FLAGS", "LC_ALL"}


STAYING = """
import os, subprocess, sys
from pathlib import Path
program = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(600)"
def start(**more):
    one = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, **more)
    return one.stdout.readline().decode()
alone = start(start_new_session=True)
blank = start(start_new_session=True, env={})
twice = "import os, subprocess, sys; subprocess.Popen([sys.executable, '-c', %r], env={})" % program
one = subprocess.Popen(
    [sys.executable, "-c", twice], stdout=subprocess.PIPE, start_new_session=True, env={}
)
orphan = one.stdout.readline().decode()
one.wait()
if one.returncode == 0:
    raise RuntimeError(f"pids {alone.strip()} {blank.strip()} {orphan.strip()}.")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="others do not tell who started whom")
def test_nothing_that_was_started_outlives_the_child(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    file = tmp_path / "staying.py"
    file.write_text(STAYING + "import jax\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n")
    (miss,) = answers(plan.jobs(targets_in(file)))
    assert isinstance(miss, Miss)
    found = re.search(r"pids (\d+) (\d+) (\d+)", miss.reason)
    assert found is not None, miss.reason
    for process in map(int, found.groups()):
        assert _has_ended(process), process


def _has_ended(process: int) -> bool:
    """Whether a process has ended. One that was killed does so as soon as the kernel gets to it;
    those that nobody kills go on for ten minutes."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def test_no_jobs_start_no_process() -> None:
    assert list(Verification(Config(), "nowhere/python").execute([])) == []


def test_messages_are_protocol_lines() -> None:
    with pytest.raises(ValueError, match="unknown message"):
        load('["Nothing", {}]')

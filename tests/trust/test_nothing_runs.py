"""Nothing of a checkout is imported, executed or unpickled, however jaxlint is started on it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hostile import Stage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="writes scripts for a shell")

# Prints what Python has imported when the first line of a program runs that is started this way.
PROBE = "import sys\ndef main():\n    print(*sys.modules)\nif __name__ == '__main__':\n    main()\n"
NEW_PROCESSES = """\
import sys
from jaxlint.frontends.pools import worker
worker.can_fork = lambda: False
from jaxlint.frontends.start import main
sys.exit(main())
"""
API = """\
import sys
from pathlib import Path
import jaxlint
assert jaxlint.lint(Path("step.py"), select=["ALL"])
assert jaxlint.lint(Path("step.py").read_text(), filename="step.py")
"""
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "."),
    "check again": ("check", "."),
    "processes": ("check", "-j", "2", "--no-cache", "--markdown", "."),
    "fixes": ("check", "--fix", "--unsafe-fixes", "--diff", "."),
    "html": ("check", "--output-format", "html", "step.py"),
    "junit": ("check", "--output-format", "junit", "step.py"),
    "sarif": ("check", "--output-format", "sarif", "--color", "always", "step.py"),
    "silence": ("check", "--explain-silence", "--timing", "--min-confidence", "low", "step.py"),
    "baseline": ("check", "--write-baseline", "../baseline.json", "step.py"),
    "verify nothing": ("check", "--statistics", "--config", "markdown = true", "step.py"),
    "why": ("why", "step.py:8"),
    "graph": ("graph", "."),
    "dot": ("graph", "--output-format", "dot", "step.py"),
    "rules": ("rules",),
    "explain": ("explain", "JAX301"),
    "config": ("config", "."),
    "cache": ("cache", "info"),
}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def run(
    stage: Stage, *command: str, stdin: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=stage.checkout,
        env={**stage.variables, **variables},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
    )


def leave_out(stage: Stage, *start: str, **variables: str) -> None:
    """Removes the modules from the checkout that Python itself, started in this way, imports
    before the first line of a program runs: those no program can keep out."""
    (stage.made.site / "probe_of_the_test.py").write_text(PROBE)
    empty = stage.checkout.parent / "empty"
    empty.mkdir(exist_ok=True)
    done = subprocess.run(
        start,
        cwd=empty,
        env={**stage.variables, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    for name in {*done.stdout.split(), "sitecustomize", "usercustomize", "jaxlint"}:
        (stage.checkout / f"{name}.py").unlink(missing_ok=True)
    package = stage.checkout / "jaxlint"
    package.rename(stage.checkout.parent / "package_of_its_own")


def script(stage: Stage) -> list[str]:
    return [stage.jaxlint]


def module(stage: Stage) -> list[str]:
    leave_out(stage, stage.made.python, "-m", "probe_of_the_test")
    return [stage.made.python, "-m", "jaxlint"]


def with_variable(stage: Stage) -> list[str]:
    probe = stage.made.command("probe", "probe_of_the_test")
    leave_out(stage, probe)
    stage.variables["PYTHONPATH"] = "."
    return [stage.jaxlint]


def new_processes(stage: Stage) -> list[str]:
    return [stage.made.python, "-P", "-c", NEW_PROCESSES]


STARTS: dict[str, Callable[[Stage], list[str]]] = {
    "jaxlint": script,
    "python -m jaxlint": module,
    "PYTHONPATH=.": with_variable,
    "new processes": new_processes,
}


@pytest.mark.parametrize("start", STARTS)
def test_the_command_runs_nothing_of_the_checkout(stage: Stage, start: str) -> None:
    command = STARTS[start](stage)
    for name, arguments in COMMANDS.items():
        done = run(stage, *command, *arguments)
        assert stage.ran() == [], (name, done.stdout, done.stderr)
        assert done.returncode in (0, 1), (name, done.stdout, done.stderr)
        if name.startswith(("check", "processes", "html")):
            assert "JAX301" in done.stdout
    done = run(stage, *command, "check", "-", stdin=(stage.checkout / "step.py").read_text())
    assert stage.ran() == [] and "JAX301" in done.stdout


@pytest.mark.parametrize("start", STARTS)
def test_the_language_server_runs_nothing_of_the_checkout(stage: Stage, start: str) -> None:
    command = [*STARTS[start](stage), "lsp"]
    with subprocess.Popen(
        command,
        cwd=stage.checkout,
        env=stage.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        *opening, shutdown, leave = map(message, conversation(stage.checkout))
        process.stdin.write("".join(opening).encode())
        process.stdin.flush()
        said = iter(partial(process.stdout.read1, 65536), b"")
        assert any(b"JAX301" in piece for piece in said)
        process.stdin.write(f"{shutdown}{leave}".encode())
        process.stdin.close()
        process.stdout.read()
    assert stage.ran() == []


@pytest.mark.parametrize("start", STARTS)
def test_watching_runs_nothing_of_the_checkout(stage: Stage, start: str) -> None:
    command = [*STARTS[start](stage), "check", "-w", "step.py"]
    with subprocess.Popen(
        command, cwd=stage.checkout, env=stage.variables, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        shown = iter(process.stdout.readline, "")
        assert any("JAX301" in line for line in shown)
        (stage.checkout / "step.py").write_text("import jax\nf = jax.jit(lambda x: int(x))\n")
        assert any("JAX30" in line for line in shown)
        process.terminate()
    assert stage.ran() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_flake8_runs_nothing_of_the_checkout(stage: Stage, jobs: str) -> None:
    (stage.checkout / "more.py").write_text((stage.checkout / "step.py").read_text())
    done = run(stage, stage.flake8, "--select", "JAX", "-j", jobs, "step.py", "more.py")
    assert stage.ran() == [], done.stderr
    for name in ("step.py", "more.py"):
        assert f"{name}:8:8: JAX301" in done.stdout, done.stderr


def test_the_api_runs_nothing_of_the_checkout(stage: Stage) -> None:
    program = stage.checkout.parent / "program.py"
    program.write_text(API)
    done = run(stage, stage.made.python, str(program))
    assert done.returncode == 0, done.stderr
    assert stage.ran() == []


def test_the_stage_notices_what_runs(stage: Stage) -> None:
    """The test of the tests: each way of running something leaves an event."""
    for program in (
        "import evil_rules",
        "exec(compile(open('evil_models.py').read(), 'evil_models.py', 'exec'))",
        "import pickle; pickle.load(open('model.pickle', 'rb'))",
        "import ctypes; ctypes.CDLL('./click.so')",
        "import subprocess; subprocess.run(['./click.so'])",
    ):
        run(stage, stage.made.python, "-c", f"import sys; sys.path.append('.'); {program}")
        assert stage.ran(), program


def conversation(checkout: Path) -> Iterator[dict[str, object]]:
    """What an editor says to the language server."""
    root, uri = checkout.as_uri(), (checkout / "step.py").as_uri()
    start = {"processId": None, "rootUri": root, "capabilities": {}}
    yield {"id": 1, "method": "initialize", "params": start}
    yield {"method": "initialized", "params": {}}
    text = (checkout / "step.py").read_text()
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    yield {"method": "textDocument/didOpen", "params": {"textDocument": opened}}
    document = {"textDocument": {"uri": uri}}
    position = {"position": {"line": 7, "character": 8}}
    yield {"id": 2, "method": "textDocument/hover", "params": {**document, **position}}
    yield {"id": 3, "method": "shutdown", "params": None}
    yield {"method": "exit", "params": None}


def message(said: dict[str, object]) -> str:
    body = json.dumps({"jsonrpc": "2.0", **said})
    return f"Content-Length: {len(body)}\r\n\r\n{body}"

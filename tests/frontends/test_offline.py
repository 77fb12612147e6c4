"""Checking asks nothing of any other machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BAD = "import jax\n\n\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0.0\n"
# Python tells its hooks before it makes a socket, looks a name up or connects.
SCRIPT = """
import sys

def hook(event, arguments):
    if event.startswith("socket."):
        sys.stderr.write(f"{event} {arguments}\\n")
        raise SystemExit(99)

sys.addaudithook(hook)
sys.argv = ["jaxlint", *sys.argv[1:]]
from jaxlint.frontends.start import main
sys.exit(main())
"""


def run(directory: Path, *arguments: str, script: str = SCRIPT) -> int:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True).returncode


def test_a_check_opens_no_socket(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"model{number}.py").write_text(BAD)
    assert 1 == run(tmp_path, "check", "-j", "2")
    assert 1 == run(tmp_path, "check")
    assert 1 == run(tmp_path, "check", "--output-format", "html", "-o", "report.html")


def test_a_socket_would_be_noticed(tmp_path: Path) -> None:
    opening = SCRIPT.replace("from jaxlint", "import socket; socket.socket()\nfrom jaxlint")
    assert 99 == run(tmp_path, "check", script=opening)

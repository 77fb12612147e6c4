"""Runs a script under observation: `python script.py PATH ARGUMENTS...`."""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _main() -> None:
    if sys.path and os.path.abspath(sys.path[0]) == _HERE:
        del sys.path[0]
    path, arguments = sys.argv[1], sys.argv[2:]
    from jaxlint.verify.child.recording.session import run_main

    run_main(path, arguments)


_main()

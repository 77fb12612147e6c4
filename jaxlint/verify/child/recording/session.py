"""Record mode in one process: what to observe comes from a plan, what was seen goes to a store."""

from __future__ import annotations

import atexit
import importlib.machinery
import json
import os
import signal
import sys
import time
import types
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jaxlint.verify import store
from jaxlint.verify.child.observing.places import UserFiles
from jaxlint.verify.child.observing.probe import Probes
from jaxlint.verify.child.recording.patches import after_import
from jaxlint.verify.protocol import Config, Target, load

if TYPE_CHECKING:
    from jaxlint.verify.child.recording.record import Recorder

PLAN = "JAXLINT_RECORDING"
"""The environment variable that names the plan. Processes that the program starts inherit it."""

_INTERVAL = 15.0


class Session:
    """The observation of this process. It costs next to nothing until JAX is imported."""

    def __init__(
        self, folder: str, digests: dict[str, str], config: Config, targets: list[Target]
    ) -> None:
        self._folder = folder
        self._digests = digests
        self._config = config
        self._targets = targets
        self._name = store.new_name()
        self._files = UserFiles(config.roots)
        self._saved = time.monotonic()
        self.probes = Probes(targets)
        self.recorder: Recorder | None = None

    def start(self) -> None:
        """Observes what is imported from now on."""
        self.probes.install()
        after_import("jax", self._begin)
        after_import("multiprocessing.util", self._join)
        atexit.register(self.save)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def save(self) -> None:
        """Writes what was seen so far, in place of what was written before."""
        recorder = self.recorder
        if recorder is None:
            return
        self._saved = time.monotonic()
        recorded = recorder.recorded()
        digests = dict(self._digests)
        for file in {each.file for each in recorded} - digests.keys():
            digests[file] = store.digest(file)
        # The program must not notice that there is no room for what we write.
        with suppress(OSError):
            store.save(
                self._folder,
                self._name,
                self._targets,
                recorder.observations(),
                recorded,
                digests,
                recorder.defects,
            )

    def save_sometimes(self) -> None:
        """Writes if that was long ago: the process may end without notice."""
        if time.monotonic() - self._saved > _INTERVAL:
            self.save()

    def _begin(self, _: types.ModuleType) -> None:
        from jaxlint.verify.child.recording.record import Recorder

        self.recorder = Recorder(
            self._targets, self.probes, self._files, self._config, in_place=True
        )
        self.recorder.after_trace = self.save_sometimes
        self.recorder.install()

    def _forked(self) -> None:
        self._name = store.new_name()
        if self.recorder is not None:
            self.recorder.reset()

    def _join(self, module: Any) -> None:
        """Processes of `multiprocessing` end without the handlers of `atexit`."""

        def forked(session: Session) -> None:
            module.Finalize(None, session.save, exitpriority=0)

        module.register_after_fork(self, forked)


current: Session | None = None


def start(plan: str) -> Session | None:
    """Starts the session of this process. None if the plan is gone."""
    global current
    if current is None:
        try:
            current = read_plan(plan)
        except OSError:
            return None
        current.start()
    return current


def read_plan(path: str) -> Session:
    """The session that a plan describes. Raises OSError."""
    with open(path, encoding="utf-8") as stream:
        header, config, *targets = stream.read().splitlines()
    head = json.loads(header)
    return Session(head["folder"], head["digests"], load(config), [load(it) for it in targets])


def run_main(path: str, argv: list[str]) -> None:
    """Runs a script as Python does when it is named on the command line, probes apart.

    What the script raises ends the process as it would otherwise.
    """
    full = os.path.abspath(path)
    namespace = sys.modules["__main__"].__dict__
    for name in list(namespace):
        if name != "__builtins__":
            del namespace[name]
    loader = importlib.machinery.SourceFileLoader("__main__", full)
    namespace.update(
        __name__="__main__",
        __file__=full,
        __doc__=None,
        __package__=None,
        __spec__=None,
        __loader__=loader,
        __cached__=None,
        __annotations__={},
    )
    sys.argv = [path, *argv]
    sys.path.insert(0, os.path.dirname(os.path.realpath(full)))
    _ending(lambda: _execute(full, loader, namespace))


def _execute(full: str, loader: Any, namespace: dict[str, Any]) -> None:
    data = loader.get_data(full)
    if current is not None:
        code = current.probes.compile(data, full)
    else:
        code = compile(data, full, "exec", dont_inherit=True)
    exec(code, namespace)


def _ending(action: Callable[[], None]) -> None:
    """Does something and shows what it raises without our frames."""
    try:
        action()
    except SystemExit:
        raise
    except BaseException as error:
        step = error.__traceback__
        ours = {__file__}
        while step is not None and step.tb_frame.f_code.co_filename in ours:
            step = step.tb_next
        error.__traceback__ = step
        sys.excepthook(type(error), error, step)
        if isinstance(error, KeyboardInterrupt):
            _die_of_interrupt()
        sys.exit(1)


def _die_of_interrupt() -> None:
    """Ends as an interrupted program does, so that shells see it."""
    if current is not None:
        current.save()
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)

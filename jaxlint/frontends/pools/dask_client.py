"""A client of a Dask cluster that is running already.

Nothing here imports distributed before a cluster is asked for.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from jaxlint.base.dataclass import slotted
from jaxlint.base.errors import ClusterError
from jaxlint.frontends.pools import dask_tasks
from jaxlint.frontends.pools.transfer import chunks

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECTING_SECONDS = 10.0
# An adaptive cluster may have to start its first worker.
_NO_WORKERS_SECONDS = 60.0
_POLL_SECONDS = 0.5
_LOOKING_SECONDS = 5.0
# Units that are submitted for each thread: one runs and the next ones are there when it ends. The
# scheduler holds no more.
_AHEAD = 3
# Evaluated on a worker, which may have no jaxlint.
_TRAITS = "__import__('jaxlint.frontends.pools.dask_tasks', fromlist=['traits']).traits()"


@dataclass(eq=False)
class Payload:
    """Data that several units of work need, sent once. `make` gives it. The cluster holds it as
    long as this object lives."""

    make: Callable[[], bytes]
    key: str = field(default_factory=lambda: f"jaxlint-{uuid.uuid4().hex}")
    _futures: list[Future] | None = None

    def futures(self, client: Client) -> list[Future]:
        """The chunks, as tasks: Dask computes again what a dead worker held."""
        if self._futures is None:
            self._futures = [
                client.submit(bytes, chunk, key=f"{self.key}-{number}")
                for number, chunk in enumerate(chunks(self.make()))
            ]
        return self._futures


@slotted(frozen=True, eq=False)
class Unit:
    """Work for one worker: `function`, called with the arguments and the chunks of the payload.

    `parts` are smaller units that do the same work. `about` is for the caller.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    payload: Payload
    about: Any = None
    parts: Sequence[Unit] = ()


@slotted(frozen=True)
class Killed:
    """The result of a unit that ends every worker that runs it."""

    reason: str


class Cluster:
    """The cluster whose scheduler has an address. As a context, it is connected to."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Client | None = None
        self._no_workers_since: float | None = None
        self._looked = 0.0

    def __enter__(self) -> Cluster:
        """Connects. Raises ClusterError where the cluster cannot do the work."""
        try:
            import distributed
        except ImportError as error:
            message = f"--dask needs the package distributed ({error}); pip install distributed"
            raise ClusterError(message) from None
        _silence()
        try:
            asyncio.run(_reach(self.address))
            self._client = distributed.Client(
                self.address, timeout=_CONNECTING_SECONDS, set_as_default=False, name="jaxlint"
            )
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            message = f"no Dask scheduler can be reached at {self.address!r}: {error}"
            raise ClusterError(message) from None
        try:
            self._compare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close(timeout=1)

    @property
    def client(self) -> Client:
        """The client of the connected cluster."""
        assert self._client is not None
        return self._client

    def threads(self) -> int:
        """The number of tasks that the workers run at a time."""
        threads: int = sum(self.client.nthreads().values())
        return max(1, threads)

    def look(self) -> None:
        """Raises ClusterError if the scheduler is gone, or no worker has been there for a while."""
        now = time.monotonic()
        if now - self._looked < _LOOKING_SECONDS:
            return
        self._looked = now
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(f"the Dask scheduler at {self.address} is gone")
        if self.client.nthreads():
            self._no_workers_since = None
        elif self._no_workers_since is None:
            self._no_workers_since = now
        elif now - self._no_workers_since > _NO_WORKERS_SECONDS:
            seconds = f"{_NO_WORKERS_SECONDS:.0f} s"
            raise ClusterError(f"the Dask cluster at {self.address} has no workers for {seconds}")

    def results(self, units: Iterable[Unit]) -> Generator[tuple[Unit, Any], None, None]:
        """The results of units, as they come. Raises ClusterError."""
        return _Dispatch(self, iter(units)).results()

    def _compare(self) -> None:
        """Raises ClusterError unless all workers have the jaxlint that is here."""
        if not self.client.nthreads():
            # A task makes an adaptive cluster start a worker.
            probe = self.client.submit(eval, "None", pure=False)
            while not probe.done():
                self.look()
                time.sleep(_POLL_SECONDS)
        found = self.client.run(eval, _TRAITS, on_error="return")
        for worker, traits in sorted(found.items()):
            if isinstance(traits, ModuleNotFoundError):
                raise ClusterError(
                    f"the Dask worker {worker} has no jaxlint to work with: {traits}"
                )
            if isinstance(traits, BaseException):
                raise ClusterError(f"jaxlint does not run on the Dask worker {worker}: {traits}")
            different = dask_tasks.difference(dask_tasks.traits(), traits)
            if different:
                raise ClusterError(f"the Dask worker {worker} does not fit: {different}")


def _silence() -> None:
    """Has what goes wrong said once, by us: distributed sets up its loggers one by one."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


async def _reach(address: str) -> None:
    """Raises OSError or ValueError where nobody listens: a client that has begun to try does not
    leave off in good order."""
    from distributed.comm.core import connect
    from distributed.security import Security

    given = Security().get_connection_args("client")
    comm = await connect(address, timeout=_CONNECTING_SECONDS, **given)
    comm.abort()


class _Dispatch:
    """Submits units and gathers their results.

    Dask gives a unit to another worker when one dies, and gives up a unit after several deaths. A
    unit that ran at the same time may be the cause, so units that Dask gave up run once more at
    the end, in parts, one at a time.
    """

    def __init__(self, cluster: Cluster, units: Iterator[Unit]) -> None:
        self._cluster = cluster
        self._units = units
        self._running: dict[str, tuple[Unit, Future]] = {}
        self._suspects: deque[Unit] = deque()
        # Whether only suspects are left.
        self._alone = False
        self._done: SimpleQueue[str] = SimpleQueue()

    def results(self) -> Generator[tuple[Unit, Any], None, None]:
        """The results of the units, as they come. Raises ClusterError."""
        try:
            while self._fill():
                unit, future = self._running.pop(self._wait())
                result = self._result(future)
                if isinstance(result, Killed) and not self._alone:
                    self._suspects.extend(unit.parts or (unit,))
                else:
                    yield unit, result
        finally:
            self._cluster.client.cancel([future for _, future in self._running.values()])

    def _result(self, future: Future) -> Any:
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        try:
            return future.result()
        except ClusterError:
            raise
        except KilledWorker as error:
            return Killed(f"ended every Dask worker it was given to ({error.last_worker})")
        except (CancelledError, CommClosedError):
            raise ClusterError(f"the Dask scheduler at {self._cluster.address} is gone") from None
        except Exception as error:
            # Whatever goes wrong on a worker is raised here.
            message = f"a task fails on the Dask cluster: {type(error).__name__}: {error}"
            raise ClusterError(message) from error

    def _fill(self) -> bool:
        """Submits units up to the limit. False if none is running."""
        most = _AHEAD * self._cluster.threads()
        while len(self._running) < most and (unit := next(self._units, None)) is not None:
            self._send(unit)
        if not self._running and self._suspects:
            self._alone = True
            self._send(self._suspects.popleft())
        return bool(self._running)

    def _send(self, unit: Unit) -> None:
        client = self._cluster.client
        given = unit.payload.futures(client)
        future = client.submit(unit.function, *unit.arguments, given, pure=False)
        self._running[future.key] = unit, future
        future.add_done_callback(lambda done: self._done.put(done.key))

    def _wait(self) -> str:
        while True:
            try:
                return self._done.get(timeout=_POLL_SECONDS)
            except Empty:
                self._cluster.look()

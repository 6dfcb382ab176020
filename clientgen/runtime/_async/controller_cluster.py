"""A cluster of a manager: its clientset and its recorder of events."""

# ruff: noqa: ASYNC109 - the recorder's clock measures the timeout

from __future__ import annotations

from typing import TYPE_CHECKING

from ._primitives import short_lock

if TYPE_CHECKING:
    from .._clock import Clock
    from .clientset import AsyncClientsetBase
    from .recorder import AsyncEventRecorder


class AsyncCluster:
    """The clientset of a cluster, and a recorder of events that writes into it.

    The sources of a cluster share this object, and requests name the cluster by it.

    Args:
        clientset: The clientset of the cluster.
        reporter: The name of the program, as the reporter of events.
        clock: The clock of the recorder.
        name: The name of the cluster in its fleet; empty without a fleet.
    """

    def __init__(
        self, clientset: AsyncClientsetBase, reporter: str, clock: Clock, name: str = ""
    ) -> None:
        self.name = name
        self.clientset = clientset
        self._reporter = reporter
        self._clock = clock
        self._lock = short_lock()
        self._recorder: AsyncEventRecorder | None = None
        self._is_started = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.clientset!r}>"

    @property
    def is_leaving(self) -> bool:
        """Whether the cluster leaves its fleet, so that reconciliations of its objects must end."""
        return False

    @property
    def recorder(self) -> AsyncEventRecorder:
        """The recorder, created at the first access."""
        from .recorder import AsyncEventRecorder as Recorder  # some programs record nothing

        with self._lock:
            if self._recorder is None:
                self._recorder = Recorder(self.clientset, self._reporter, clock=self._clock)
                if self._is_started:
                    self._recorder.start()
            return self._recorder

    def start(self) -> None:
        """Start the recorder now, or as soon as it is created."""
        with self._lock:
            self._is_started = True
            if self._recorder is not None:
                self._recorder.start()

    async def stop(self, timeout: float) -> None:
        """Write the remaining events, for at most this many seconds."""
        if self._recorder is not None:
            await self._recorder.stop(timeout)

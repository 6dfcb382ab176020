"""Writes the logs of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Failure

from .._apiserver.verbs.logs import container_of, restarts_of
from .pod_names import namespace_and_name

if TYPE_CHECKING:
    from .._apiserver.storage.cluster_state import ClusterState
    from .._apiserver.storage.container_logs import ContainerLog
    from .dispatcher import Dispatcher


class LogWriter:
    """Writes the log of one container. `FakeCluster.logs` returns it."""

    def __init__(
        self, dispatcher: Dispatcher, cluster: ClusterState, pod: str, container: str
    ) -> None:
        self._dispatcher = dispatcher
        self._cluster = cluster
        self._pod = pod
        self._container = container
        with dispatcher.lock:
            self._log_and_restarts()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._pod} {self._container}".rstrip() + ">"

    def write(self, text: bytes | str) -> None:
        """Write lines with the current time of the cluster's clock. The last newline is optional.

        Raises:
            ValueError: the pod was deleted.
        """
        data = text.encode() if isinstance(text, str) else text
        lines = [line + b"\n" for line in data.removesuffix(b"\n").split(b"\n")]
        with self._dispatcher.lock:
            log, restarts = self._log_and_restarts()
            log.write(self._cluster.now(), restarts, lines)

    def _log_and_restarts(self) -> tuple[ContainerLog, int]:
        """Return the log of the container, and how often the container was restarted."""
        pod = self._existing_pod()
        try:
            name = container_of(pod, self._container)
        except Failure as failure:
            raise ValueError(failure.message) from None
        return self._cluster.logs.make(pod["metadata"]["uid"], name), restarts_of(pod, name)

    def _existing_pod(self) -> dict[str, Any]:
        namespace, name = namespace_and_name(self._pod)
        record = self._cluster.record("", "pods", namespace, name)
        if record is None:
            raise ValueError(f"pod {self._pod} does not exist; create it before writing its log")
        return record.value()

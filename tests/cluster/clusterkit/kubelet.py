"""A stand-in for kubelets, on clusters that have none: pods run without containers."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from kubeapi.core.v1.models import Pod

from clientgen.runtime.errors import Conflict, NotFound
from clientgen.runtime.models import from_dict, to_dict

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from kubeapi.clientset import Clientset

__all__ = ["Kubelet", "run_pod"]

_PAUSE = 0.1
_CONDITIONS = (
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)


def run_pod(admin: Clientset, pod: Pod, *, phase: str = "Running") -> None:
    """Write the status of a pod that runs, or that has ended."""
    runs = phase == "Running"
    ready = "True" if runs else "False"
    status: dict[str, Any] = {
        "phase": phase,
        "podIP": "192.0.2.1",
        "podIPs": [{"ip": "192.0.2.1"}],
        "conditions": [
            {"type": type_, "status": ready if "Ready" in type_ else "True"}
            for type_ in _CONDITIONS
        ],
    }
    written = from_dict(Pod, {**to_dict(pod), "status": status})
    with suppress(Conflict, NotFound):
        admin.core_v1.pods(pod.metadata.namespace).update_status(written)


class Kubelet:
    """Runs all pods of a namespace, in a thread, until the block is left."""

    def __init__(self, admin: Clientset, namespace: str) -> None:
        self._pods = admin.core_v1.pods(namespace)
        self._admin = admin
        self._done = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(_PAUSE):
            for pod in self._pods.list(field_selector="status.phase=Pending"):
                run_pod(self._admin, pod)

"""Logs of pods. Nothing runs here, so tests say what containers write.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#read-log has the
options.

Facts: docs/internals/kubernetes-semantics.md, 1.11.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    bad_request,
    forbidden_value,
    invalid,
    invalid_value,
    not_found,
)
from clientgen._json import part, parts

from ..requests.request_options import boolean, first, integer
from ..responses.answers import Response, Stream
from ..storage.container_logs import NANOSECONDS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer, Headers
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState
    from ..storage.container_logs import ContainerLog, LogEntry

FAKE: Final = "fake logs"
"""The log of every container, unless a test says what it writes."""

_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The part of a log that is wanted."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail_lines: int | None = None
    limit_bytes: int | None = None
    since_seconds: int | None = None
    since_time: str = ""


def log_options(name: str, query: Mapping[str, Sequence[str]]) -> LogOptions:
    """Read the query of a request for the log of the pod `name`.

    Raises:
        Failure: 400 for what is no number, 422 for numbers that cannot be.
    """
    options = LogOptions(
        container=first(query, "container"),
        follow=bool(boolean(query, "follow")),
        previous=bool(boolean(query, "previous")),
        timestamps=bool(boolean(query, "timestamps")),
        tail_lines=integer(query, "tailLines"),
        limit_bytes=integer(query, "limitBytes"),
        since_seconds=integer(query, "sinceSeconds"),
        since_time=first(query, "sinceTime"),
    )
    if options.since_time:
        _check_time(options.since_time)
    causes = _causes(options, first(query, "stream"))
    if causes:
        raise invalid("", "PodLogOptions", name, causes)
    return options


def _check_time(text: str) -> None:
    try:
        zoned = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        zoned = False
    if not zoned:
        raise bad_request(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00"')


def _causes(options: LogOptions, stream: str) -> list[Cause]:
    causes: list[Cause] = []
    if options.tail_lines is not None and options.tail_lines < 0:
        why = "must be greater than or equal to 0"
        causes.append(invalid_value("tailLines", options.tail_lines, why))
    if options.limit_bytes is not None and options.limit_bytes < 1:
        causes.append(invalid_value("limitBytes", options.limit_bytes, "must be greater than 0"))
    if options.since_seconds is not None and options.since_time:
        why = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        causes.append(forbidden_value("[]", why))
    elif options.since_seconds is not None and options.since_seconds < 1:
        why = "must be greater than 0"
        causes.append(invalid_value("sinceSeconds", options.since_seconds, why))
    if stream:
        causes.append(forbidden_value("stream", "may not be specified"))
    return causes


def container_of(pod: Mapping[str, Any], wanted: str) -> str:
    """The container whose log is meant.

    Raises:
        Failure: 400 when there is no such container, or several and none is named.
    """
    name, spec = pod["metadata"]["name"], pod["spec"]
    names = [each["name"] for field in _CONTAINERS for each in parts(spec, field)]
    if wanted:
        if wanted not in names:
            raise bad_request(f"container {wanted} is not valid for pod {name}")
        return wanted
    regular = parts(spec, "containers")
    if len(regular) == 1:
        only: str = regular[0]["name"]
        return only
    why = f"choose one of: [{' '.join(names)}]"
    raise bad_request(f"a container name must be specified for pod {name}, {why}")


def read_log(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """GET of `pods/log`: 204 and nothing if no node has the pod.

    Raises:
        Failure: 404 for a pod that does not exist, 400 for a container that does not or has not
            begun, 422 for wrong options.
    """
    del rendering  # a log is text
    record = cluster.record("", "pods", info.namespace, info.name)
    if record is None:
        raise not_found("", "pods", info.name)
    options, pod = log_options(info.name, info.request.query), record.value()
    container = container_of(pod, options.container)
    log = cluster.logs.find(pod["metadata"]["uid"], container)
    if log is None:
        if not pod["spec"].get("nodeName"):
            return Response(204, b"", [])
        if options.previous:
            ContainerRun(cluster, info, container, pod).check(previous=True)
        begun = f"{pod['metadata']['creationTimestamp']} " if options.timestamps else ""
        return Response(200, _limited(f"{begun}{FAKE}".encode(), options.limit_bytes), [*_TEXT])
    run = ContainerRun(cluster, info, container, pod)
    run.check(previous=options.previous)
    wanted = run.instance - 1 if options.previous else run.instance
    chosen = _chosen(log, wanted, options, cluster)
    if options.follow and not options.previous:
        return LogStream(run, log, chosen, options)
    return Response(200, _limited(_log_bytes(chosen, options), options.limit_bytes), [*_TEXT])


_TEXT: Final[Headers] = [("content-type", "text/plain")]


def _chosen(
    log: ContainerLog, instance: int, options: LogOptions, cluster: ClusterState
) -> list[LogEntry]:
    """Return the lines of an instance that are wanted; kubelets know times to the second."""
    since = 0
    if options.since_time:
        since = int(datetime.fromisoformat(options.since_time).timestamp()) * NANOSECONDS_PER_SECOND
    elif options.since_seconds is not None:
        since = int((cluster.now().timestamp() - options.since_seconds) * NANOSECONDS_PER_SECOND)
    chosen = [
        each for each in log.entries if each.instance == instance and each.nanoseconds >= since
    ]
    if options.tail_lines is not None:
        chosen = chosen[max(0, len(chosen) - options.tail_lines) :]
    return chosen


def _log_bytes(entries: Sequence[LogEntry], options: LogOptions) -> bytes:
    if options.timestamps:
        return b"".join(f"{each.time} ".encode() + each.text for each in entries)
    return b"".join(each.text for each in entries)


def _limited(text: bytes, most: int | None) -> bytes:
    return text if most is None else text[:most]


class ContainerRun:
    """One instance of a container: it is over when the next one begins, or the pod is gone."""

    def __init__(
        self, cluster: ClusterState, info: RequestInfo, container: str, pod: dict[str, Any]
    ) -> None:
        self._cluster = cluster
        self._pod = (info.namespace, info.name)
        self._container = container
        self._uid = pod["metadata"]["uid"]
        self._collection = cluster.store.collection(info.strategy.collection)
        self._state = _state_of(pod, container)
        self.instance = restarts_of(pod, container)

    def check(self, *, previous: bool) -> None:
        """Make sure that there is such an instance.

        Raises:
            Failure: 400 if not, in a kubelet's words.
        """
        pod = self._pod[1]
        name = f'container "{self._container}" in pod "{pod}"'
        if previous and not self.instance:
            raise bad_request(f"previous terminated {name} not found")
        waiting = part(part(self._state, "state"), "waiting")
        if waiting and not self.instance and not previous:
            reason = waiting.get("reason", "ContainerCreating")
            raise bad_request(f"{name} is waiting to start: {reason}")

    @property
    def is_over(self) -> bool:
        """Whether nothing more is written."""
        record = self._cluster.record("", "pods", *self._pod)
        pod = None if record is None else record.value()
        if pod is None or pod["metadata"]["uid"] != self._uid:
            return True
        if restarts_of(pod, self._container) != self.instance:
            return True
        return "terminated" in part(_state_of(pod, self._container), "state")

    def on_change(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Have `wake` called when pods have changed; gives what ends that."""
        return self._collection.watch(lambda _: wake())


def restarts_of(pod: dict[str, Any], container: str) -> int:
    """Return how often a container was restarted."""
    count: int = _state_of(pod, container).get("restartCount", 0)
    return count


def _state_of(pod: dict[str, Any], container: str) -> dict[str, Any]:
    statuses = (f"{field[:-1]}Statuses" for field in _CONTAINERS)
    for status in (each for field in statuses for each in parts(part(pod, "status"), field)):
        if status.get("name") == container:
            return status
    return {}


class LogStream(Stream):
    """A log that is followed, until the container's instance is over."""

    def __init__(
        self,
        run: ContainerRun,
        log: ContainerLog,
        begun: Sequence[LogEntry],
        options: LogOptions,
    ) -> None:
        self.status = 200
        self.headers = [*_TEXT]
        self._run = run
        self._log = log
        self._options = options
        self._ready = [*begun]
        self._seen = log.total
        self._left = options.limit_bytes
        self._stops: list[Callable[[], None]] = []

    @property
    def deadline(self) -> float | None:
        """None: nothing happens by time."""
        return None

    def take(self) -> bytes | None:
        """Return the lines that are new; None at the end."""
        entries, self._ready = self._ready, []
        instance = self._run.instance
        new = self._log.since(self._seen)
        self._seen = self._log.total
        text = _log_bytes(
            [*entries, *(each for each in new if each.instance == instance)], self._options
        )
        if self._left is not None:
            text = text[: self._left]
            self._left -= len(text)
        if text:
            return text
        return None if self._left == 0 or self._run.is_over else b""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Have `wake` called when something was written, and when pods have changed."""
        self._stops = [self._log.on_write(wake), self._run.on_change(wake)]
        wake()

    def close(self) -> None:
        """Stop listening."""
        for stop in self._stops:
            stop()
        self._stops = []

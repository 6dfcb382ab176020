"""Logs of pods. Nothing runs here, so tests provide the output of containers.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#read-log has the
options.

Facts: docs/internals/kubernetes-semantics.md, 1.11.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.failures import (
    Cause,
    bad_request,
    forbidden_value,
    invalid,
    invalid_value,
    not_found,
)
from clientgen._apimachinery.optional_parts import parts

from ..requests.options import boolean, first, integer
from ..responses.answers import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster import Cluster

__all__ = ["FAKE", "LogOptions", "LogText", "container_of", "log", "log_options", "read_log"]

FAKE: Final = "fake logs"
"""The log of every container, unless a test sets another."""

_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")


@dataclass(frozen=True, slots=True)
class LogOptions:
    """The part of a log that is wanted; `sinceTime` and `sinceSeconds` are for who has the log."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail_lines: int | None = None
    limit_bytes: int | None = None
    since_seconds: int | None = None
    since_time: str = ""


LogText: TypeAlias = "Callable[[dict[str, Any], str, LogOptions], str]"
"""A test's logs: from the pod, the name of the container and what is wanted, to all it wrote."""


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


def log(pod: dict[str, Any], options: LogOptions, text: LogText | None = None) -> str | None:
    """The log that a container has, or the part of it that is wanted.

    Args:
        pod: the pod as it is stored.
        options: from `log_options`.
        text: what the container wrote; `FAKE` when None.

    Returns:
        None when there is none, since no node has the pod: the answer is 204 and empty.

    Raises:
        Failure: 400, as `container_of`.
    """
    container = container_of(pod, options.container)
    if text is None and not pod["spec"].get("nodeName"):
        return None
    written = FAKE if text is None else text(pod, container, options)
    if options.tail_lines is not None:
        lines = written.splitlines(keepends=True)
        written = "".join(lines[len(lines) - options.tail_lines :]) if options.tail_lines else ""
    if options.limit_bytes is not None:
        written = written.encode()[: options.limit_bytes].decode(errors="ignore")
    return written


def read_log(cluster: Cluster, info: RequestInfo, rendering: Rendering) -> Answer:
    """GET of `pods/log`."""
    del rendering  # a log is text
    record = cluster.record("", "pods", info.namespace, info.name)
    if record is None:
        raise not_found("", "pods", info.name)
    text = log(record.value(), log_options(info.name, info.request.query), cluster.log_text)
    if text is None:
        return Response(204, b"", [])
    return Response(200, text.encode(), [("content-type", "text/plain")])

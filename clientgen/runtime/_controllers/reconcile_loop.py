"""The rules of a controller: which objects a change affects, and when to reconcile them again.

The rules are controller-runtime's (pkg/handler, pkg/internal/controller). Nothing here waits.
"""

from __future__ import annotations

import math
from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from msgspec import Struct

from .._http.path_segments import check_segment
from .._models.arguments import type_of
from .queue_state import LOW_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.resource import Resource
    from .._models.meta_v1 import ObjectMeta

R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)


class Request(NamedTuple):
    """The name of an object to reconcile. The cache has the object; the request has no details."""

    namespace: str
    """Empty for a cluster-scoped object."""
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class ClusterRequest(Request):
    """A request for an object in a cluster that is not the first cluster of the controller.

    The request equals only requests for the same object of the same cluster.

    Attributes:
        cluster: The name of the cluster in its fleet; or, without a fleet, the object that all
            sources of the cluster share.
    """

    cluster: object

    @classmethod
    def of(cls, request: Request, cluster: object) -> ClusterRequest:
        """Return a request for the object with the same name in a cluster."""
        made = cls(*request)
        made.cluster = cluster
        return made

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self} in {self.cluster}>"

    def __eq__(self, other: object) -> bool:
        is_same = isinstance(other, ClusterRequest) and self.cluster == other.cluster
        return is_same and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((*self, self.cluster))


def cluster_name(request: object) -> str:
    """Return the name of a request's cluster; empty if the cluster has no name."""
    cluster = request.cluster if isinstance(request, ClusterRequest) else ""
    return cluster if isinstance(cluster, str) else ""


class Result(Struct, frozen=True, kw_only=True):
    """When to reconcile the object again if nothing changes."""

    requeue: bool = False
    """Whether to reconcile again soon, with a growing delay, as after an error."""
    requeue_after: float = 0.0
    """The delay in seconds. If it is set, `requeue` is ignored."""
    priority: int | None = None
    """The priority in the queue; None keeps the priority of this reconciliation."""

    def __post_init__(self) -> None:
        seconds = cast("object", self.requeue_after)
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise TypeError(f"requeue_after must be a number of seconds, not {type_of(seconds)}")
        if not 0 <= seconds < math.inf:
            raise ValueError(f"requeue_after={seconds}: the delay must be 0 or more, and finite")


def requests_of(
    mapper: Callable[[Any], Iterable[R]], obj: Any, request_type: type[Any] = Request
) -> Iterable[R]:
    """Return the requests that a mapper returns for an object or a message.

    Raises:
        TypeError: The mapper returned something else.
        ValueError: A name is not valid, or a namespace is neither empty nor valid.
    """
    requests = cast("object", mapper(obj))
    title = f"the mapper {getattr(mapper, '__qualname__', mapper)}"
    if isinstance(requests, (request_type, str)) or not isinstance(requests, Iterable):
        raise _wrong_result(title, f"a list of {_plural(request_type)}", requests)
    for request in cast("Iterable[object]", requests):
        yield checked_request(title, request, request_type)


def checked_request(title: str, request: object, request_type: type[Any]) -> Any:
    """Check a request, and return it.

    Raises:
        TypeError: It has another type, or is not hashable.
        ValueError: A name is not valid, or a namespace is neither empty nor valid.
    """
    if not isinstance(request, request_type):
        raise _wrong_result(title, f"{_plural(request_type)} only", request)
    if not isinstance(request, Request):
        hash(request)  # raises a TypeError that names the type
        return request
    namespace, name = request
    try:
        check_segment("name", name)
        if namespace != "":
            check_segment("namespace", namespace)
    except ValueError as error:
        raise ValueError(f"{title} returned {tuple(request)!r}: {error}") from None
    return request


def _plural(request_type: type[Any]) -> str:
    return "Requests" if request_type is Request else f"{request_type.__name__} objects"


def checked_result(result: object, function: str = "reconcile") -> Result | None:
    """Check the value that `reconcile` or `on_error` returned.

    Raises:
        TypeError: The value is neither a Result nor None.
    """
    if result is None or isinstance(result, Result):
        return result
    raise _wrong_result(function, "a Result or None", result)


def _wrong_result(title: str, wanted: str, returned: object) -> TypeError:
    if isinstance(returned, Coroutine):
        returned.close()
        return TypeError(f"{title} must return {wanted}, but it is an async function")
    return TypeError(f"{title} must return {wanted}, not {type_of(returned)}")


def request_for(obj: Any) -> list[Request]:
    """Return the request for the object itself."""
    metadata: ObjectMeta = obj.metadata
    return [Request(metadata.namespace, metadata.name)]


def owner_mapper(
    owner: Resource, *, every_owner: bool = False
) -> Callable[[Any], Iterable[Request]]:
    """Return a mapper to the owners of an object that are of this kind.

    Without `every_owner`, only the owner that controls the object counts.

    Only groups and kinds are compared, because an object exists in all versions of its group.
    """
    wanted = (owner.group, owner.kind)

    def requests(obj: Any) -> Iterable[Request]:
        metadata: ObjectMeta = obj.metadata
        namespace = metadata.namespace if owner.namespaced else ""
        for reference in metadata.owner_references:
            kind = (_group(reference.api_version), reference.kind)
            if kind == wanted and (every_owner or reference.controller):
                yield Request(namespace, reference.name)

    return requests


def update_priority(old: Any, new: Any) -> int:
    """Return the priority of an update: low if nothing has changed, as in a resync or relist."""
    before: str = old.metadata.resource_version
    return LOW_PRIORITY if before == new.metadata.resource_version else 0


class RequeueQueue(Protocol[R_contra]):
    """The part of a priority queue that `requeue` uses."""

    def add_after(self, item: R_contra, delay: float, *, priority: int = ...) -> None:
        """Add an item after a delay."""
        ...

    def add_rate_limited(self, item: R_contra, *, priority: int = ...) -> None:
        """Add an item after the delay of the rate limiter."""
        ...

    def forget(self, item: R_contra) -> None:
        """Forget the failures of an item."""
        ...

    def priority(self, item: R_contra) -> int:
        """Return the priority of an item in processing."""
        ...


def requeue(queue: RequeueQueue[R], request: R, result: Result | None) -> None:
    """Put a request that succeeded back into the queue, as its result states."""
    if result is None:
        queue.forget(request)
        return
    priority = queue.priority(request) if result.priority is None else result.priority
    if result.requeue_after > 0:
        queue.forget(request)
        queue.add_after(request, result.requeue_after, priority=priority)
    elif result.requeue:
        queue.add_rate_limited(request, priority=priority)
    else:
        queue.forget(request)


def _group(api_version: str) -> str:
    """Return the group of an apiVersion such as `apps/v1`; empty for `v1`."""
    return api_version.rpartition("/")[0]

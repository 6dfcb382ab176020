"""The handler of each request for a resource: by its subresource, by its kind, by its verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from .. import access
from .binding import bind_pod
from .connect import connect
from .create import create
from .delete import delete, delete_collection
from .eviction import evict_pod
from .get import get
from .list import list_
from .logs import read_log
from .patch import patch
from .posted_reviews import answer_review, issue_token
from .scale_subresource import scale
from .update import update
from .watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState

    Handler: TypeAlias = Callable[[ClusterState, RequestInfo, Rendering], Answer]

_SUBRESOURCES: Final[dict[str, Handler]] = {
    "attach": connect,
    "binding": bind_pod,
    "eviction": evict_pod,
    "exec": connect,
    "log": read_log,
    "portforward": connect,
    "proxy": connect,
    "scale": scale,
    "token": issue_token,
}
"""Subresources whose bodies are of another kind; `status` and the like are the object itself."""
_VERBS: Final[dict[str, Handler]] = {
    "get": get,
    "list": list_,
    "watch": watch,
    "create": create,
    "update": update,
    "patch": patch,
    "delete": delete,
    "deletecollection": delete_collection,
}


def handler_of(info: RequestInfo) -> Handler:
    """Return what answers a request."""
    if info.subresource in _SUBRESOURCES:
        return _SUBRESOURCES[info.subresource]
    if info.verb == "create":
        if (info.resource.group, info.resource.plural) in access.REVIEWS:
            return answer_review
        if info.resource.group_resource == "bindings":
            return bind_pod
    return _VERBS[info.verb]

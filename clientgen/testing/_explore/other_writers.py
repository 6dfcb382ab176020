"""Others who write to the objects of the program: a foreign writer, and a user who recreates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import json

from clientgen.runtime._http.request import HttpRequest

from .._apiserver.responses.answers import Response
from .states import TOUCHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._apiserver.storage.store import Record
    from .._fake.actions import Action
    from .._fake.cluster import FakeCluster

__all__ = ["OtherWriters"]

_JSON: Final = ("Content-Type", "application/json")
_MERGE: Final = ("Content-Type", "application/merge-patch+json")
_OK: Final = 300
_CONFLICT: Final = 409
_RETRY: Final = 0.2


class OtherWriters:
    """Writes at once, when a fault says so.

    Attributes:
        touched: the annotations that were written, by resource, key and uid of the object.
        pending: how many objects wait to be created again.
    """

    def __init__(
        self,
        cluster: FakeCluster,
        tell: Callable[[str, str], None],
        later: Callable[[float, Callable[[], object]], None],
    ) -> None:
        self.touched: dict[tuple[str, str, str], str] = {}
        self.pending = 0
        self._cluster = cluster
        self._tell = tell
        self._later = later
        self._created: dict[str, tuple[str, dict[str, Any]]] = {}

    def remember(self, request: HttpRequest, action: Action) -> None:
        """Keep what the user has created, to be able to create it again."""
        body: Any = action.object
        if action.subresource or not isinstance(body, dict):
            return
        key = f"{action.group_resource} {action.namespace}/{action.name}"
        if action.verb in ("update", "patch") and action.patch_type != "apply":
            # Its metadata may now hold more than what it was created with.
            metadata: dict[str, Any] = cast("dict[str, Any]", body).get("metadata") or {}
            if not metadata.keys().isdisjoint(("annotations", "labels", "finalizers")):
                self._created.pop(key, None)
            return
        path = request.target.partition("?")[0]
        key = f"{action.group_resource} {action.namespace}/{action.name}"
        if action.verb == "create" and action.name:
            self._created[key] = (path, cast("dict[str, Any]", body))
        elif action.patch_type == "apply" and key not in self._created:
            self._created[key] = (path.rpartition("/")[0], cast("dict[str, Any]", body))

    def touch(self, action: Action, request: HttpRequest) -> None:
        """Annotate the object of a request."""
        record = self._cluster.server.cluster.record(
            action.group, action.resource, action.namespace, action.name
        )
        if record is None:
            return
        number = str(len(self.touched) + 1)
        path = request.target.partition("?")[0]
        if action.subresource:
            path = path.rpartition("/")[0]
        body = json.encode({"metadata": {"annotations": {TOUCHED: number}}})
        where = (action.group_resource, record.key, record.uid)
        self.touched[where] = number
        if self._ask(HttpRequest("PATCH", path, (_MERGE,), body)) >= _OK:
            del self.touched[where]
        else:
            self._tell("somebody else", f"annotates {action.group_resource} {record.key}")

    def is_lost(self, resource: str, before: Record | None, after: Record) -> bool:
        """Whether a change removes what was written here."""
        number = self.touched.get((resource, after.key, after.uid))
        if number is None or before is None:
            return False
        annotations: dict[str, str] = after.value()["metadata"].get("annotations") or {}
        return annotations.get(TOUCHED) != number

    def recreate(self, action: Action) -> None:
        """Delete an object of the user's, and create it again as soon as possible."""
        key = f"{action.group_resource} {action.namespace}/{action.name}"
        record = self._cluster.server.cluster.record(
            action.group, action.resource, action.namespace, action.name
        )
        if key not in self._created or record is None:
            return
        collection, body = self._created[key]
        value, now = {**body}, record.value()
        if now["metadata"].get("deletionTimestamp"):
            return
        if "spec" in now:
            value["spec"] = now["spec"]
        status = self._ask(HttpRequest("DELETE", f"{collection}/{action.name}"))
        self._tell("user", f"delete {key} → {status}")
        self.pending += 1
        self._create(key, HttpRequest("POST", collection, (_JSON,), json.encode(value)))

    def _create(self, key: str, request: HttpRequest) -> None:
        status = self._ask(request)
        if status == _CONFLICT:  # it still exists
            self._later(_RETRY, lambda: self._create(key, request))
            return
        self.pending -= 1
        self._tell("user", f"create {key} → {status}")

    def _ask(self, request: HttpRequest) -> int:
        answer = self._cluster.dispatcher.handle(request, _nothing)
        assert isinstance(answer, Response)
        return answer.status


def _nothing() -> None:
    """Nobody waits."""

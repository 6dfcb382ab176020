"""Others who write to the objects of the program: a foreign writer, and a user who recreates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import json

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._http.resource import Resource

from .._apiserver.responses.answers import Response
from .states import TOUCHED
from .wishes import Wish

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._apiserver.served_resources import Resource as Served
    from .._apiserver.storage.store import Change, Record
    from .._fake.actions import Action
    from .._fake.fake_cluster import FakeCluster

__all__ = ["OtherWriters"]

_MERGE: Final = ("Content-Type", "application/merge-patch+json")
_OK: Final = 300
_RETRY: Final = 0.2


class OtherWriters:
    """Writes at once, when a fault says so.

    Attributes:
        touched: the annotations that were written, by resource, key and uid of the object.
        is_spoiled: whether the user still writes about an object that is another one now, so that
            nobody can say how the end should be.
    """

    def __init__(
        self,
        cluster: FakeCluster,
        tell: Callable[[str, str], None],
        later: Callable[[float, Callable[[], object]], None],
    ) -> None:
        self.touched: dict[tuple[str, str, str], str] = {}
        self.is_spoiled = False
        self._wishes: dict[str, Wish] = {}
        self._coming: dict[str, str] = {}  # the uids of objects that have to go first
        self._gone: set[bytes] = set()
        self._mixed: set[str] = set()
        self._cluster = cluster
        self._tell = tell
        self._later = later

    @property
    def pending(self) -> int:
        """How many objects wait to be created again."""
        return len(self._coming)

    def hear(self, request: HttpRequest, action: Action, change: Change) -> None:
        """Keep what the user wants, to be able to create it again."""
        record = change.record
        key = f"{action.group_resource} {record.key}"
        wish = self._wishes.get(key)
        if change.before is None:
            wish = Wish.of(request, action, record)
            if wish is not None:
                self._wishes[key] = wish
        elif not change.before.is_going and (change.after is None or change.after.is_going):
            self._wishes.pop(key, None)
        elif wish is not None and change.after is not None:
            wish.change(action, change)

    def stop_coming(self, action: Action) -> None:
        """Create nothing again that the user has deleted meanwhile."""
        if action.verb in ("delete", "deletecollection") and not action.subresource:
            where = f"{action.group_resource} {action.namespace}/".removesuffix(" /")
            for key in tuple(self._coming):
                if key.startswith(where) and (not action.name or key == _key(action)):
                    del self._coming[key]
                    self._wishes.pop(key, None)

    def check(self, request: HttpRequest, action: Action) -> None:
        """Note a request of the user that has no sense for an object that was created again."""
        told = request.target.encode() + (request.body or b"")
        is_mixed = action.patch_type == "apply" and _key(action) in self._mixed
        if is_mixed or any(uid in told for uid in self._gone):
            self.is_spoiled = True

    def touch(self, action: Action) -> None:
        """Annotate the object of a request."""
        self.annotate(action.group_resource, _where(action))

    def annotate(self, resource: str, key: str) -> None:
        """Annotate an object, if it is there."""
        cluster = self._cluster.server.cluster
        record = cluster.store.collection(resource).records.get(key)
        served = cluster.resource_of(resource)
        if record is None or served is None:
            return
        number = str(len(self.touched) + 1)
        path = _path(served, record)
        body = json.encode({"metadata": {"annotations": {TOUCHED: number}}})
        where = (resource, record.key, record.uid)
        self.touched[where] = number
        if self._ask(HttpRequest("PATCH", path, (_MERGE,), body)) >= _OK:
            del self.touched[where]
        else:
            self._tell("somebody else", f"annotates {resource} {record.key}")

    def is_lost(self, resource: str, before: Record | None, after: Record) -> bool:
        """Whether a change removes what was written here."""
        number = self.touched.get((resource, after.key, after.uid))
        if number is None or before is None:
            return False
        annotations: dict[str, str] = after.value()["metadata"].get("annotations") or {}
        return annotations.get(TOUCHED) != number

    def recreate(self, action: Action) -> bool:
        """Delete an object of the user's, and create it again as soon as it is gone.

        It may take a while until it is gone: a finalizer holds it. The new object is as the user
        wants it now; what the program wrote is lost. Returns whether it is there already.
        """
        key = _key(action)
        wish = self._wishes.get(key)
        record = self._cluster.server.cluster.record(
            action.group, action.resource, action.namespace, action.name
        )
        if wish is None or record is None or key in self._coming or record.is_going:
            return False
        if wish.is_held or self._is_needed(key, record.uid):
            return False
        self._coming[key] = record.uid
        self._gone.add(record.uid.encode())
        if len(wish.writers) > 1:
            self._mixed.add(key)
        status = self._ask(HttpRequest("DELETE", wish.path))
        self._tell("user", f"delete {key} → {status}")
        self._create(key)
        return key not in self._coming

    def _is_needed(self, key: str, uid: str) -> bool:
        """Whether others of the user's objects are lost without this one."""
        resource, _, name = key.partition(" ")
        homes = {
            "namespaces": f" {name}/",
            "customresourcedefinitions.apiextensions.k8s.io": f"{name} ",
        }
        home = homes.get(resource)
        return any(
            other != key and ((home is not None and home in other) or wish.mentions(uid))
            for other, wish in self._wishes.items()
        )

    def _create(self, key: str) -> None:
        wish, uid = self._wishes.get(key), self._coming.get(key)
        if wish is None or uid is None:
            return
        if self._is_there(key, uid):
            self._later(_RETRY, lambda: self._create(key))
            return
        del self._coming[key]
        status = self._ask(wish.creation())
        self._tell("user", f"create {key} → {status}")
        if wish.has_status:
            body = json.encode({"status": wish.value.get("status")})
            self._ask(HttpRequest("PATCH", f"{wish.path}/status", (_MERGE,), body))

    def _is_there(self, key: str, uid: str) -> bool:
        resource, _, where = key.partition(" ")
        collection = self._cluster.server.cluster.store.collection(resource)
        record = collection.records.get(where)
        return record is not None and record.uid == uid

    def _ask(self, request: HttpRequest) -> int:
        answer = self._cluster.dispatcher.handle(request, _nothing)
        assert isinstance(answer, Response)
        return answer.status


def _key(action: Action) -> str:
    return f"{action.group_resource} {_where(action)}"


def _where(action: Action) -> str:
    return "/".join(filter(None, (action.namespace, action.name)))


def _path(served: Served, record: Record) -> str:
    resource = Resource(
        served.group, served.version, served.plural, served.kind, namespaced=served.namespaced
    )
    return resource.object_path(record.namespace or None, record.name)


def _nothing() -> None:
    """Nobody waits."""

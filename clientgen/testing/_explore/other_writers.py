"""Other writers of the program's objects: another client, and a user who recreates objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import json

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._http.resource import Resource

from .._apiserver.responses.answers import Response
from .states import TOUCHED
from .user_objects import UserObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._apiserver.served_resources import Resource as Served
    from .._apiserver.storage.store import Change, Record
    from .._fake.actions import Action
    from .._fake.fake_cluster import FakeCluster

_MERGE_PATCH: Final = ("Content-Type", "application/merge-patch+json")
_FIRST_NON_SUCCESS: Final = 300
_RETRY_SECONDS: Final = 0.2


class OtherWriters:
    """Writes to objects when a fault occurs.

    Attributes:
        touched: the values of the annotations that were written, by resource, key and uid.
        is_spoiled: whether the user has written with the uid of an object that was recreated
            meanwhile, so that the expected end is unknown.
    """

    def __init__(
        self,
        cluster: FakeCluster,
        log_event: Callable[[str, str], None],
        call_later: Callable[[float, Callable[[], object]], None],
    ) -> None:
        self.touched: dict[tuple[str, str, str], str] = {}
        self.is_spoiled = False
        self._user_objects: dict[str, UserObject] = {}
        self._recreating: dict[str, str] = {}  # the uids of the old objects, by key
        self._old_uids: set[bytes] = set()
        self._with_several_writers: set[str] = set()
        self._cluster = cluster
        self._log_event = log_event
        self._call_later = call_later

    @property
    def pending(self) -> int:
        """The number of objects that wait to be created again."""
        return len(self._recreating)

    def record_write(self, request: HttpRequest, action: Action, change: Change) -> None:
        """Record the object as the user has written it, to be able to create it again."""
        record = change.record
        key = f"{action.group_resource} {record.key}"
        user_object = self._user_objects.get(key)
        if change.before is None:
            user_object = UserObject.of(request, action, record)
            if user_object is not None:
                self._user_objects[key] = user_object
        elif not change.before.is_going and (change.after is None or change.after.is_going):
            self._user_objects.pop(key, None)
        elif user_object is not None and change.after is not None:
            user_object.change(action, change)

    def forget_deleted(self, action: Action) -> None:
        """Forget the objects that the user deletes: they are not created again."""
        if action.verb in ("delete", "deletecollection") and not action.subresource:
            object_key = f"{action.group_resource} {action.namespace}/".removesuffix(" /")
            for key in tuple(self._recreating):
                if key.startswith(object_key) and (not action.name or key == _title(action)):
                    del self._recreating[key]
                    self._user_objects.pop(key, None)

    def check_stale_uids(self, request: HttpRequest, action: Action) -> None:
        """Note a request of the user that cannot work on an object that was created again."""
        request_bytes = request.target.encode() + (request.body or b"")
        is_mixed = action.patch_type == "apply" and _title(action) in self._with_several_writers
        if is_mixed or any(uid in request_bytes for uid in self._old_uids):
            self.is_spoiled = True

    def touch(self, action: Action) -> None:
        """Annotate the object of a request."""
        self.annotate(action.group_resource, _object_key(action))

    def annotate(self, resource: str, key: str) -> None:
        """Annotate an object, if it exists."""
        cluster = self._cluster.server.cluster
        record = cluster.store.collection(resource).records.get(key)
        served = cluster.resource_of(resource)
        if record is None or served is None:
            return
        number = str(len(self.touched) + 1)
        path = _path(served, record)
        body = json.encode({"metadata": {"annotations": {TOUCHED: number}}})
        object_key = (resource, record.key, record.uid)
        self.touched[object_key] = number
        if self._send(HttpRequest("PATCH", path, (_MERGE_PATCH,), body)) >= _FIRST_NON_SUCCESS:
            del self.touched[object_key]
        else:
            self._log_event("another client", f"annotates {resource} {record.key}")

    def is_lost(self, resource: str, before: Record | None, after: Record) -> bool:
        """Whether a change removes an annotation that was written here."""
        number = self.touched.get((resource, after.key, after.uid))
        if number is None or before is None:
            return False
        annotations: dict[str, str] = after.value()["metadata"].get("annotations") or {}
        return annotations.get(TOUCHED) != number

    def recreate(self, action: Action) -> bool:
        """Delete an object of the user, and create it again as soon as it is removed.

        A finalizer may delay the removal. The new object has what the user has written, without the
        fields that the program has written. Returns whether the new object exists already.
        """
        key = _title(action)
        user_object = self._user_objects.get(key)
        record = self._cluster.server.cluster.record(
            action.group, action.resource, action.namespace, action.name
        )
        if user_object is None or record is None or key in self._recreating or record.is_going:
            return False
        if user_object.is_held or self._is_needed(key, record.uid):
            return False
        self._recreating[key] = record.uid
        self._old_uids.add(record.uid.encode())
        if len(user_object.writers) > 1:
            self._with_several_writers.add(key)
        status = self._send(HttpRequest("DELETE", user_object.path))
        self._log_event("user", f"delete {key} → {status}")
        self._create(key)
        return key not in self._recreating

    def _is_needed(self, key: str, uid: str) -> bool:
        """Whether other objects of the user depend on this object."""
        resource, _, name = key.partition(" ")
        contents_prefix = {
            "namespaces": f" {name}/",
            "customresourcedefinitions.apiextensions.k8s.io": f"{name} ",
        }
        prefix = contents_prefix.get(resource)
        return any(
            other != key and ((prefix is not None and prefix in other) or user_object.mentions(uid))
            for other, user_object in self._user_objects.items()
        )

    def _create(self, key: str) -> None:
        user_object, uid = self._user_objects.get(key), self._recreating.get(key)
        if user_object is None or uid is None:
            return
        if self._old_object_exists(key, uid):
            self._call_later(_RETRY_SECONDS, lambda: self._create(key))
            return
        del self._recreating[key]
        status = self._send(user_object.creation())
        self._log_event("user", f"create {key} → {status}")
        if user_object.has_status:
            body = json.encode({"status": user_object.value.get("status")})
            self._send(HttpRequest("PATCH", f"{user_object.path}/status", (_MERGE_PATCH,), body))

    def _old_object_exists(self, key: str, uid: str) -> bool:
        resource, _, object_key = key.partition(" ")
        collection = self._cluster.server.cluster.store.collection(resource)
        record = collection.records.get(object_key)
        return record is not None and record.uid == uid

    def _send(self, request: HttpRequest) -> int:
        answer = self._cluster.dispatcher.handle(request, _ignore_wake)
        assert isinstance(answer, Response)
        return answer.status


def _title(action: Action) -> str:
    return f"{action.group_resource} {_object_key(action)}"


def _object_key(action: Action) -> str:
    return "/".join(filter(None, (action.namespace, action.name)))


def _path(served: Served, record: Record) -> str:
    resource = Resource(
        served.group, served.version, served.plural, served.kind, namespaced=served.namespaced
    )
    return resource.object_path(record.namespace or None, record.name)


def _ignore_wake() -> None:
    """Do nothing: the answer is ready at once."""

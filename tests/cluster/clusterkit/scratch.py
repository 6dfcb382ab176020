"""Namespaces for tests, and how they go away again.

On a cluster with controllers deleting a namespace is enough. Where none is at work, what a
namespace holds is removed and the namespace finalized from here.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec
from kubeapi.core.v1.models import Namespace, NamespaceList, NamespaceSpec, ServiceAccount

from clientgen.runtime import MergePatch
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import AlreadyExists, ApiError, Conflict, NotFound, RequestTimeout
from clientgen.runtime.models import ObjectMeta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubeapi.clientset import Clientset

__all__ = ["Scratch"]

# Controllers show themselves within this, and finish within that, in seconds.
MOMENT = 4.0
LONG = 120.0
_JSON = (("Content-Type", "application/json"),)
_LABEL = "clientgen-test/session"


class Scratch:
    """The namespaces of one test session."""

    def __init__(self, admin: Clientset) -> None:
        self.admin = admin
        session = secrets.token_hex(4)
        self._selector = f"{_LABEL}={session}"
        self.labels = {_LABEL: session}  # what namespaces carry so that they are cleaned up
        self._made = 0
        self._first_dropped: float | None = None

    def new_name(self) -> str:
        """A name that nothing has, for a namespace or for an object of the whole cluster."""
        return f"clientgen-test-{secrets.token_hex(4)}"

    def make(self) -> str:
        """Create a namespace in which pods can be created at once."""
        name = self.new_name()
        metadata = ObjectMeta(name=name, labels=self.labels)
        self.admin.core_v1.namespaces().create(Namespace(metadata=metadata))
        self._made += 1
        with suppress(AlreadyExists):  # a controller may have been faster
            account = ServiceAccount(metadata=ObjectMeta(name="default"))
            self.admin.core_v1.service_accounts(name).create(account)
        return name

    def drop(self, name: str) -> None:
        """Ask for a namespace to go; `clean_up` sees to it."""
        self._first_dropped = self._first_dropped or monotonic()
        with suppress(NotFound):
            self.admin.core_v1.namespaces().delete(name)

    def clean_up(self) -> None:
        """See all namespaces of the session off, within a bounded time."""
        for namespace in self._left():
            if namespace.metadata.deletion_timestamp is None:
                self.drop(namespace.metadata.name)
        if self._controllers_are_there() and self._controllers_finish():
            return
        _empty(self.admin, {namespace.metadata.name for namespace in self._left()})
        for namespace in self._left():
            with suppress(NotFound, Conflict):  # somebody is at work on it after all
                namespace.spec = NamespaceSpec()
                self.admin.core_v1.namespaces().finalize(namespace)

    def has_controllers(self) -> bool:
        """Return whether controllers are at work: they put a ConfigMap into each new namespace."""
        name = self.make()
        maps = self.admin.core_v1.config_maps(name)
        watch = maps.watch(field_selector="metadata.name=kube-root-ca.crt", timeout=MOMENT)
        try:
            with suppress(RequestTimeout), watch:
                return any(watch)
            return False
        finally:
            self.drop(name)

    def _left(self) -> NamespaceList:
        return self.admin.core_v1.namespaces().list(label_selector=self._selector)

    def _controllers_are_there(self) -> bool:
        """Whether somebody works on the namespaces: they go, or are told what is in their way."""
        if len(self._left()) < self._made:
            return True
        waited = monotonic() - (self._first_dropped or monotonic())
        watch = self.admin.core_v1.namespaces().watch(
            label_selector=self._selector, timeout=max(0.5, MOMENT - waited)
        )
        with suppress(RequestTimeout), watch:
            return any(event.type == "DELETED" or event.object.status.conditions for event in watch)
        return False

    def _controllers_finish(self) -> bool:
        """Wait for them, but not for ever."""
        finished = self._left()
        left = {namespace.metadata.name for namespace in finished}
        watch = self.admin.core_v1.namespaces().watch(
            label_selector=self._selector,
            resource_version=finished.metadata.resource_version,
            timeout=LONG,
        )
        with suppress(RequestTimeout), watch:
            while left:
                event = next(watch)
                if event.type == "DELETED":
                    left.discard(event.object.metadata.name)
        return not left


# ---- by hand ----------------------------------------------------------------------------------


def _empty(admin: Clientset, namespaces: set[str]) -> None:
    """Remove everything that is in the namespaces."""
    for path, plural in _kinds(admin):
        items: list[dict[str, Any]] = _ask(admin, f"{path}/{plural}").get("items") or []
        ours = [item["metadata"] for item in items if item["metadata"]["namespace"] in namespaces]
        for metadata in ours:
            if metadata.get("finalizers"):
                _release(admin, f"{_within(path, metadata)}/{plural}/{metadata['name']}")
        for collection in {f"{_within(path, metadata)}/{plural}" for metadata in ours}:
            now = b'{"gracePeriodSeconds":0,"propagationPolicy":"Background"}'
            admin.rest.send(HttpRequest("DELETE", collection, _JSON, now))


def _within(path: str, metadata: dict[str, Any]) -> str:
    return f"{path}/namespaces/{metadata['namespace']}"


def _release(admin: Clientset, path: str) -> None:
    """Take the finalizers off an object: nobody is there to do their work."""
    body = b'{"metadata":{"finalizers":null}}'
    headers = (("Content-Type", MergePatch.content_type),)
    with suppress(NotFound):
        admin.rest.send(HttpRequest("PATCH", path, headers, body))


def _kinds(admin: Clientset) -> Iterator[tuple[str, str]]:
    """The paths and plurals of everything that lives in namespaces and can be deleted."""
    groups = _ask(admin, "/apis")["groups"]
    paths = ["/api/v1", *(f"/apis/{each['preferredVersion']['groupVersion']}" for each in groups)]
    for path in paths:
        resources: list[dict[str, Any]] = _ask(admin, path).get("resources") or []
        for resource in resources:
            if resource["namespaced"] and {"list", "deletecollection"} <= set(resource["verbs"]):
                yield path, resource["name"]


def _ask(admin: Clientset, target: str) -> dict[str, Any]:
    """What is there; an API that does not work, which some never will, has nothing of ours."""
    try:
        body = admin.rest.send(HttpRequest("GET", target), max_retries=0).body
    except ApiError:
        return {}
    answer: dict[str, Any] = msgspec.json.decode(body)
    return answer

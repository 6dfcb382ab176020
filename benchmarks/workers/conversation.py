"""What clients ask of the test server: the same requests for every way in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response

from .meter import data

if TYPE_CHECKING:
    from clientgen.testing._apiserver.server import ApiServer

__all__ = ["NAMESPACE", "Conversation", "answered", "as_patch", "pod", "request"]

NAMESPACE = "default"
_JSON, _MERGE = "application/json", "application/merge-patch+json"
_LISTED = f"/api/v1/namespaces/{NAMESPACE}"
_PLURALS = {"configmap": "configmaps", "pod": "pods"}


@dataclass(frozen=True)
class Conversation:
    """One method on one kind, `get-pod`; object 0 is there from the start, but for creations."""

    verb: str
    kind: str

    @classmethod
    def of(cls, name: str) -> Conversation:
        """The one that is called that."""
        return cls(*name.split("-"))

    @property
    def path(self) -> str:
        """Of the objects."""
        return f"{_LISTED}/{_PLURALS[self.kind]}"

    @property
    def count(self) -> int:
        """How many requests are measured: a second's or so."""
        return 4_000 if self.verb == "get" else 500 if self.kind == "pod" else 2_000

    def first(self) -> HttpRequest:
        """Creates object 0."""
        return request("POST", self.path, self.object(0))

    def each(self, number: int) -> HttpRequest:
        """The request of that number; none of them finds its work done."""
        if self.verb == "get":
            return HttpRequest("GET", f"{self.path}/{self.name(0)}")
        if self.verb == "post":
            return request("POST", self.path, self.object(number + 1))
        return request("PATCH", f"{self.path}/{self.name(0)}", as_patch(number), _MERGE)

    def name(self, number: int) -> str:
        """Of an object."""
        return f"{self.kind}-{number}"

    def object(self, number: int) -> dict[str, Any]:
        """An object to create."""
        name = self.name(number)
        if self.kind == "pod":
            return pod(name)
        kept = {"colour": "blue", "size": "large"}
        metadata = {"name": name, "namespace": NAMESPACE}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": kept}


def pod(name: str) -> dict[str, Any]:
    """A pod of 9.8 kB, as somebody might create it from what another server had."""
    made: dict[str, Any] = json.loads((data() / "pod.json").read_bytes())
    metadata = made["metadata"]
    metadata |= {"name": name, "namespace": NAMESPACE}
    for field in ("resourceVersion", "uid", "creationTimestamp"):
        metadata.pop(field, None)
    return made


def as_patch(number: int) -> dict[str, Any]:
    """A change that no other makes."""
    return {"metadata": {"annotations": {"example.com/count": str(number)}}}


def request(method: str, path: str, body: Any, content_type: str = _JSON) -> HttpRequest:
    """A request that has a body."""
    return HttpRequest(method, path, (("content-type", content_type),), json.dumps(body).encode())


def answered(server: ApiServer, asked: HttpRequest) -> bytes:
    """What the handler answers, which is no failure."""
    answer = server.handle(asked)
    assert isinstance(answer, Response), answer
    assert answer.status < 300, answer.body
    return answer.body

"""Reviews as API servers send them to webhooks."""

from __future__ import annotations

import base64
import json
from typing import Any

from clientgen.runtime.models import CustomResource, Model, auto, field


class Item(Model):
    name: str
    value: str | None = None


class ThingSpec(Model):
    size: int | None = None
    colour: str = ""
    items: list[Item] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)


class Thing(CustomResource, group="stable.example.com", version="v1"):
    spec: ThingSpec = auto(ThingSpec)


class OldThing(CustomResource, group="stable.example.com", version="v1beta1", kind="Thing"):
    spec: ThingSpec = auto(ThingSpec)


class OldestThing(CustomResource, group="stable.example.com", version="v1alpha1", kind="Thing"):
    spec: ThingSpec = auto(ThingSpec)


PATH = "stable-example-com-v1-thing"
UID = "705ab4f5-6393-11e8-b7cc-42010a800002"


def thing(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "stable.example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "shop", "uid": "1"},
        "spec": spec,
    }


def review(obj: Any = None, old: Any = None, **request: Any) -> bytes:
    """An AdmissionReview; the operation follows from the objects."""
    gvk = {"group": "stable.example.com", "version": "v1", "kind": "Thing"}
    operation = "CREATE" if old is None else "DELETE" if obj is None else "UPDATE"
    body = {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": UID,
            "kind": gvk,
            "resource": {"group": gvk["group"], "version": "v1", "resource": "things"},
            "requestKind": gvk,
            "name": "a",
            "namespace": "shop",
            "operation": operation,
            "userInfo": {
                "username": "jane",
                "groups": ["system:authenticated"],
                "extra": {"scopes": ["s3cret"]},
            },
            "object": obj,
            "oldObject": old,
            "dryRun": False,
            "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
            "soonToCome": {"x": 1},
            **request,
        },
    }
    return json.dumps(body).encode()


def conversion(desired: str, *objects: dict[str, Any], **request: Any) -> bytes:
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {
            "uid": UID,
            "desiredAPIVersion": f"stable.example.com/{desired}",
            "objects": objects,
            **request,
        },
    }
    return json.dumps(body).encode()


def response_of(answer: tuple[int, bytes]) -> dict[str, Any]:
    """The response of the review in an answer."""
    status, body = answer
    assert status == 200, (status, body)
    read = json.loads(body)
    assert read["response"]["uid"] == UID
    response: dict[str, Any] = read["response"]
    return response


def patch_of(answer: tuple[int, bytes]) -> list[Any]:
    """The operations of a response; none without a patch."""
    response = response_of(answer)
    assert response["allowed"] is True
    if "patch" not in response:
        return []
    assert response["patchType"] == "JSONPatch"
    operations: list[Any] = json.loads(base64.b64decode(response["patch"]))
    return operations

"""Cases of conversion by webhooks, which a real server and the one in memory answer alike."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .webhook_backend import Review, TestBackend
from .webhook_cases import APPLY, JSON, MERGE, OPERATIONS, Ask, normal

GROUP = "conversion.example.com"
PATIENCE = 30.0


def converted(review: Review, **more: Any) -> dict[str, Any]:
    """Rename `spec.one` of v1 to `spec.two` of v2, and back."""
    request = review["request"]
    objects = [_other(each, request["desiredAPIVersion"]) for each in request["objects"]]
    response = {
        "uid": request["uid"],
        "result": {"status": "Success"},
        "convertedObjects": objects,
        **more,
    }
    return {"kind": "ConversionReview", "apiVersion": review["apiVersion"], "response": response}


def _other(value: dict[str, Any], version: str) -> dict[str, Any]:
    renamed = {"one": "two"} if version.endswith("v2") else {"two": "one"}
    spec = {renamed.get(key, key): each for key, each in value.get("spec", {}).items()}
    return {**value, "apiVersion": version, "spec": spec}


def _changed(review: Review, change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made = converted(review)
    for each in made["response"]["convertedObjects"]:
        change(each)
    return made


ANSWERS: dict[str, Callable[[Review], Any]] = {
    "/convert": converted,
    "/convert-failed": lambda review: converted(
        review, result={"status": "Failure", "message": "cannot do it"}
    ),
    "/convert-silent": lambda review: converted(review, result={"status": "Failure"}),
    "/convert-none": lambda review: converted(review, convertedObjects=[]),
    "/convert-uid": lambda review: converted(review, uid="other"),
    "/convert-no-response": lambda review: {
        "kind": "ConversionReview",
        "apiVersion": review["apiVersion"],
    },
    "/convert-same": lambda review: converted(
        review, convertedObjects=review["request"]["objects"]
    ),
    "/convert-kind": lambda review: _changed(review, lambda obj: obj.update(kind="Other")),
    "/convert-name": lambda review: _changed(
        review, lambda obj: obj["metadata"].update(name="other")
    ),
    "/convert-no-metadata": lambda review: _changed(review, lambda obj: obj.pop("metadata")),
    "/convert-labels": lambda review: _changed(
        review, lambda obj: obj["metadata"].update(labels={"a": "b"}, finalizers=["x.y/z"])
    ),
    "/convert-bad-labels": lambda review: _changed(
        review, lambda obj: obj["metadata"].update(labels={"a b": "c"})
    ),
    "/convert-number": lambda review: _changed(
        review, lambda obj: obj["metadata"].update(labels={"a": 1})
    ),
    "/convert-unknown": lambda review: _changed(review, lambda obj: obj.update(more="x")),
}

V1 = f"/apis/{GROUP}/v1/namespaces/NS/PLURAL"
V2 = f"/apis/{GROUP}/v2/namespaces/NS/PLURAL"
Request = tuple[str, str, Any, str]


@dataclass(frozen=True)
class ConversionCase:
    name: str
    path: str
    requests: list[Request]
    more: dict[str, Any] = field(default_factory=dict)


def thing(version: str, name: str = "a", **spec: Any) -> dict[str, Any]:
    body = {"apiVersion": f"{GROUP}/{version}", "kind": "KIND", "metadata": {"name": name}}
    return {**body, "spec": spec}


NEW_1 = ("POST", V1, thing("v1", one="x", both=1), JSON)
NEW_2 = ("POST", V2, thing("v2", two="x", both=1), JSON)
GET_1 = ("GET", f"{V1}/a", None, JSON)
GET_2 = ("GET", f"{V2}/a", None, JSON)
OTHER_1 = ("POST", V1, thing("v1", "b"), JSON)
LIST_2 = ("GET", V2, None, JSON)
DRY_2 = ("POST", f"{V2}?dryRun=All", thing("v2", two="x"), JSON)

CONVERSIONS = [
    ConversionCase("stored version only", "/500", [NEW_1, GET_1]),
    ConversionCase("read", "/convert", [NEW_1, GET_2, GET_1]),
    ConversionCase("written", "/convert", [NEW_2, GET_1, GET_2]),
    ConversionCase("listed", "/convert", [NEW_1, OTHER_1, LIST_2]),
    ConversionCase(
        "changed",
        "/convert",
        [
            NEW_1,
            ("PATCH", f"{V2}/a", {"spec": {"two": "y"}}, MERGE),
            ("PATCH", f"{V2}/a", [{"op": "replace", "path": "/spec/both", "value": 2}], OPERATIONS),
            ("PATCH", f"{V2}/a?fieldManager=me&force=true", thing("v2", two="z"), APPLY),
            ("PUT", f"{V2}/a", thing("v2", two="w"), JSON),
            GET_1,
            ("DELETE", f"{V2}/a", None, JSON),
        ],
    ),
    ConversionCase("dry run", "/convert", [DRY_2]),
    ConversionCase("beta", "/convert", [NEW_2], {"conversionReviewVersions": ["v1beta1"]}),
    ConversionCase(
        "other reviews", "/convert", [NEW_2], {"conversionReviewVersions": ["v1beta2", "v1"]}
    ),
    *(
        ConversionCase(path, f"/{path}", [NEW_2, NEW_1, GET_2, LIST_2])
        for path in (
            *(name.strip("/") for name in ANSWERS if name != "/convert"),
            "500", "404", "text", "list",
        )
    ),
]  # fmt: skip


def definition(case: ConversionCase, index: int, backend: TestBackend) -> dict[str, Any]:
    plural = f"things{index}"
    spec = {
        "type": "object",
        "properties": {"both": {"type": "integer"}, "set": {"type": "string"}},
    }

    def version(name: str, own: str) -> dict[str, Any]:
        properties = {**spec["properties"], own: {"type": "string"}}
        schema = {
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": properties}},
        }
        return {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": schema},
        }

    webhook = {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": f"{backend.url}{case.path}", "caBundle": backend.authority},
        **case.more,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": f"Thing{index}"},
            "conversion": {"strategy": "Webhook", "webhook": webhook},
            "versions": [version("v1", "one"), version("v2", "two")],
        },
    }


class Definitions:
    """A server with the definitions of all cases, and a namespace that others clean up."""

    def __init__(self, ask: Ask, backend: TestBackend, namespace: str) -> None:
        self.ask, self.backend, self.namespace = ask, backend, namespace
        backend.answers |= ANSWERS
        self._made: list[str] = []
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for index, case in enumerate(CONVERSIONS):
            body = definition(case, index, backend)
            status, _, answer = ask("POST", path, body, JSON)
            assert status == 201, answer
            self._made.append(f"{path}/{body['metadata']['name']}")
        end = time.monotonic() + PATIENCE
        for index, _ in enumerate(CONVERSIONS):
            for version in (V1, V2):
                while ask("GET", self._own(version, index), None, JSON)[0] != 200:
                    assert time.monotonic() < end
                    time.sleep(0.1)

    def _own(self, text: str, index: int) -> str:
        text = text.replace("PLURAL", f"things{index}").replace("NS", self.namespace)
        return text.replace("KIND", f"Thing{index}")

    def outcome(self, case: ConversionCase) -> dict[str, Any]:
        index = CONVERSIONS.index(case)
        self.backend.calls.clear()
        answers: list[Any] = []
        for method, path, body, media in case.requests:
            sent = None if body is None else json.loads(self._own(json.dumps(body), index))
            status, warnings, answer = self.ask(method, self._own(path, index), sent, media)
            answers.append([status, warnings, answer])
        found: dict[str, Any] = {"answers": answers}
        if case.path == "/convert":  # real servers ask others again and again, for their caches
            found["asked"] = self._first_review(f"Thing{index}")
        text = json.dumps(normal(found, self.namespace, self.backend))
        text = text.replace(f"things{index}", "PLURAL").replace(f"Thing{index}", "KIND")
        return json.loads(text)  # type: ignore[no-any-return]

    def _first_review(self, kind: str) -> Review | None:
        reviews = (review for _, review in self.backend.calls)
        for review in reviews:
            first, *_ = review["request"]["objects"]  # real servers ask for each object of a list
            if first["kind"] == kind:
                return {**review, "request": {**review["request"], "objects": [first]}}
        return None

    def close(self) -> None:
        """Remove the definitions."""
        for path in reversed(self._made):
            self.ask("DELETE", path, None, JSON)

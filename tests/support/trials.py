"""Valid objects of built-in kinds, and what the in-memory server says when one field differs.

The objects are those of `support.writes`, with each change that a real API server took, and those
of `rare_objects.yaml`. An object is also read in the other versions of its kind.
"""

# JSON by hand has no types to speak of.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from support import writes
from support.builtin_kinds import resources
from support.server_defaults import definitions

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.kinds.catalog import strategy_of
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_resources import Resource
from clientgen.testing._apiserver.server import ApiServer

RARE = Path(__file__).parent / "rare_objects.yaml"
JSON = (("Content-Type", "application/json"), ("Accept", "application/json"))
MISSING = object()
# The steps from an object to one of its fields: ("spec", "containers", 0, "name").
Steps: TypeAlias = tuple[str | int, ...]
Changes: TypeAlias = Mapping[Steps, Any]


@dataclass
class Answer:
    """What the server said to one write."""

    code: int
    body: Any

    @property
    def taken(self) -> bool:
        return self.code < 300

    @property
    def message(self) -> str:
        return str(self.body.get("message", ""))

    def __str__(self) -> str:
        return "taken" if self.taken else self.message[:250]


def ask(server: ApiServer, method: str, path: str, body: Any = None) -> Answer:
    content = None if body is None else json.dumps(body).encode()
    answer = server.handle(HttpRequest(method, path, JSON, content))
    assert isinstance(answer, Response)
    return Answer(answer.status, json.loads(answer.body))


@cache
def empty_server() -> ApiServer:
    """A server for dry runs."""
    return ApiServer()


class Sample:
    """A valid object. `origin` is the object of another version that it was read from."""

    def __init__(
        self, resource: Resource, body: Any, status: Any = None, origin: Sample | None = None
    ) -> None:
        self.resource = resource
        self.body: Any = {"apiVersion": resource.api_version, "kind": resource.kind, **body}
        self.name = str(self.body["metadata"].get("name", ""))
        self.status = status
        self.origin = origin
        self.is_there = False
        prefix = "apis" if resource.group else "api"
        inside = "namespaces/default/" if resource.namespaced else ""
        self.collection = f"/{prefix}/{resource.api_version}/{inside}{resource.plural}"
        self.path = f"{self.collection}/{self.name}"

    @property
    def whole(self) -> Any:
        return {**self.body, "status": self.status} if self.status else self.body

    @cached_property
    def server(self) -> ApiServer:
        """Where the object is stored as it was created."""
        if self.origin is not None:
            return self.origin.server
        server = ApiServer()
        if not self.is_there:
            answer = ask(server, "POST", self.collection, self.body)
            assert answer.taken, answer
        return server

    @cached_property
    def server_with_status(self) -> ApiServer:
        """Where the object is stored with its status."""
        if self.origin is not None:
            return self.origin.server_with_status
        if not self.status:
            return self.server
        server = ApiServer()
        ask(server, "POST", self.collection, self.body)
        answer = ask(server, "PUT", f"{self.path}/status", self.with_status(server))
        assert answer.taken, answer
        return server

    def with_status(self, server: ApiServer) -> Any:
        stored = ask(server, "GET", self.path).body
        return {**stored, "status": {**stored.get("status", {}), **self.status}}

    @cached_property
    def stored(self) -> Any:
        return ask(self.server_with_status, "GET", self.path).body

    def created(self, changes: Changes) -> Answer:
        """Create the object with other fields; or write its first status with other fields."""
        if self.is_there:
            return self.updated(changes)
        below = {steps: value for steps, value in changes.items() if steps[0] == "status"}
        rest = {steps: value for steps, value in changes.items() if steps[0] != "status"}
        body = changed(self.body, rest)
        if not below:
            return ask(empty_server(), "POST", f"{self.collection}?dryRun=All", body)
        sample = Sample(self.resource, body, self.status) if rest else self
        if rest and not (answer := sample.created({})).taken:
            return answer
        whole = changed(sample.with_status(sample.server), below)
        return ask(sample.server, "PUT", f"{self.path}/status?dryRun=All", whole)

    def updated(self, changes: Changes) -> Answer:
        """Update the stored object, or its status, with other fields."""
        part = "/status" if any(steps[0] == "status" for steps in changes) else ""
        whole = changed(self.stored, changes)
        return ask(self.server_with_status, "PUT", f"{self.path}{part}?dryRun=All", whole)


def changed(body: Any, changes: Changes) -> Any:
    """Return a body with other values; MISSING takes one away."""
    body = deepcopy(body)
    for steps, value in changes.items():
        at = body
        for step in steps[:-1]:
            at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
        if value is not MISSING:
            at[steps[-1]] = deepcopy(value)
        elif steps[-1] in at:
            del at[steps[-1]]
    return body


def get(body: Any, steps: Steps) -> Any:
    for step in steps:
        try:
            body = body[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return body


def shown(steps: Steps) -> str:
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).removeprefix(".")


# ------------------------------------------------------------------------------------- samples


@cache
def samples() -> list[Sample]:
    """All valid objects: those that are written down, then variants; small ones first."""
    written = [*_written(), *_rare()]
    versions = [other for sample in written for other in _in_other_versions(sample)]
    variants = [each for name in writes.names() for each in _variants(name)]
    return [*_by_size([*written, *versions]), *_by_size(variants)]


def _by_size(found: list[Sample]) -> list[Sample]:
    return sorted(found, key=lambda each: len(json.dumps(each.body)))


def _written() -> Iterator[Sample]:
    for name in writes.names():
        recorded = writes.read(name)
        resource = resources()[recorded["resource"]]
        yield Sample(resource, _named(name, recorded), recorded.get("status"))


def _rare() -> Iterator[Sample]:
    for each in yaml.safe_load(RARE.read_text()):
        sample = Sample(resources()[each["resource"]], each["object"], each.get("status"))
        if each.get("existing"):
            sample.is_there = True
            sample.body = ask(empty_server(), "GET", sample.path).body
        yield sample
    yield Sample(resources()["resource.k8s.io/v1 resourceclaims"], _claim_of_many_requests())


def _claim_of_many_requests() -> Any:
    """A claim with as many requests as there may be, and more names of requests."""
    wanted = {"deviceClassName": "c", "allocationMode": "All"}
    names = [f"r{number}" for number in range(31)]
    requests: list[Any] = [{"name": name, "exactly": wanted} for name in names]
    requests.append({"name": "s", "firstAvailable": [{"name": "t", **wanted}]})
    constraints = [{"requests": names, "matchAttribute": "a.b/c"}]
    constraints += [{"requests": [name], "matchAttribute": "a.b/c"} for name in ("s", "s/t")]
    config = {"opaque": {"driver": "d.e", "parameters": {}}}
    configs = [{"requests": each["requests"], **config} for each in constraints]
    devices = {"requests": requests, "constraints": constraints, "config": configs}
    return {"metadata": {"name": "many"}, "spec": {"devices": devices}}


def _named(name: str, recorded: Any) -> Any:
    metadata = {"name": f"m-{name.lower()}", **recorded["object"].get("metadata", {})}
    return {**recorded["object"], "metadata": metadata}


def _in_other_versions(sample: Sample) -> Iterator[Sample]:
    collection = strategy_of(sample.resource).collection
    for other in resources().values():
        same = strategy_of(other).collection == collection
        if same and other != sample.resource and "get" in other.verbs:
            there = Sample(other, sample.body, origin=sample)
            body = ask(sample.server_with_status, "GET", there.path).body
            status = body.pop("status", None)
            body["metadata"] = sample.body["metadata"]
            yield Sample(other, body, status if sample.status else None, sample)


def _variants(name: str) -> Iterator[Sample]:
    recorded = writes.read(name)
    resource, right = resources()[recorded["resource"]], _named(name, recorded)
    for verb, steps, *rest in recorded["cases"]:
        if verb == "create" and rest[1] == "201" and isinstance(rest[0], dict | list | str):
            yield Sample(resource, changed(right, {tuple(steps): writes.spelt(rest[0])}))


# -------------------------------------------------------------------------------------- places


@dataclass
class Place:
    """Where an object of a definition is: the steps to it in a sample."""

    sample: Sample
    steps: Steps

    @property
    def kind(self) -> str:
        return self.sample.resource.kind

    @property
    def object(self) -> Any:
        return get(self.sample.whole, self.steps)


@cache
def places() -> dict[str, list[Place]]:
    """The places of each definition."""
    found: dict[str, list[Place]] = {}
    for sample in samples():
        name = kinds()[sample.resource.group, sample.resource.version, sample.resource.kind]
        for definition, steps in inside({"$ref": f"#/definitions/{name}"}, sample.whole, ()):
            found.setdefault(definition, []).append(Place(sample, steps))
    return found


@cache
def kinds() -> dict[tuple[str, str, str], str]:
    """The definition of each kind, by group, version and kind."""
    return {
        (gvk["group"], gvk["version"], gvk["kind"]): name
        for name, schema in definitions().items()
        for gvk in schema.get("x-kubernetes-group-version-kind", ())
        if "properties" in schema
    }


def inside(schema: Any, value: Any, steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Yield the definitions of a value and of what is inside it, with the steps to them."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        properties = definitions()[name].get("properties")
        if properties and isinstance(value, dict):
            yield name, steps
            for key, each in value.items():
                if key in properties:
                    yield from inside(properties[key], each, (*steps, key))
    elif "items" in schema and isinstance(value, list):
        for index, each in enumerate(value):
            yield from inside(schema["items"], each, (*steps, index))
    elif "additionalProperties" in schema and isinstance(value, dict):
        for key, each in value.items():
            yield from inside(schema["additionalProperties"], each, (*steps, key))


def unlike(values: list[Any]) -> list[Any]:
    """Return values without repetition."""
    return list({json.dumps(each, sort_keys=True): each for each in values}.values())


@cache
def instances(definition: str) -> list[Any]:
    """The different objects of a definition."""
    return unlike([place.object for place in places().get(definition, ())])


@cache
def values(definition: str, field: str) -> list[Any]:
    """The different values that samples have for a field; of a list, one for each known item."""
    found = [each[field] for each in instances(definition) if field in each]
    items = definitions()[definition]["properties"][field].get("items", {})
    if reference := items.get("$ref"):
        found += [[each] for each in instances(reference.rpartition("/")[2])]
    return unlike(found)

"""Samples of a project, read and written by its package: run beside the package, by itself.

    python -m foreign.round_trips PACKAGE CRDS SAMPLES

Prints as JSON what was counted and what failed:

- load: the API server takes a sample, and the package does not, by its rules or the strict ones;
- dump: what was loaded is not written as it was;
- update: a get followed by an update of the same sends something else, or changes the object.
"""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.samples import meaning

from clientgen._yaml.loader import load_yaml
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._manifests.manifest_documents import ManifestError
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.responses.answers import Response
from foreign.projects import DEFINITION, Sample, documents, samples

__all__ = ["RoundTrips", "main"]

_NAMESPACE = "foreign"
_CREATED = 201


class RoundTrips:
    """Takes samples through a package and a server that has its definitions."""

    def __init__(self, package: str, definitions: Path) -> None:
        """Import the package, and serve the definitions in a folder."""
        self.counts: Counter[str] = Counter()
        self.failures: dict[str, list[str]] = {"load": [], "dump": [], "update": []}
        self._scheme = Scheme()
        module = importlib.import_module(package)
        module.add_to_scheme(self._scheme)
        self._clientset = module.Clientset
        self._clients = dict(_clients(module))
        self._cluster = FakeCluster(crds=[*_served(definitions)])
        self._cluster.server.run_due()
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}
        self._cluster.add(namespace)

    @property
    def kinds(self) -> frozenset[tuple[str, str]]:
        """The kinds the package has clients of."""
        return frozenset(self._clients)

    def take(self, sample: Sample) -> None:
        """Read, write and update a sample."""
        self.counts["samples"] += 1
        client = self._clients[sample.value["apiVersion"], sample.value["kind"]]
        value = self._placed(sample.value, namespaced=client.resource.namespaced)
        strict = self._create(client, value, "Strict")
        if not strict and not self._create(client, value, "Ignore"):
            self.counts["refused samples"] += 1
            return
        self._load(sample, strict=strict)
        try:
            self._update(sample, client, value["metadata"]["name"])
        except Exception as error:
            self._fail("update", sample, f"{type(error).__name__}: {error}")

    def _fail(self, step: str, sample: Sample, what: object) -> None:
        self.failures[step].append(f"{sample.where}: {what}")

    def _placed(self, value: dict[str, Any], *, namespaced: bool) -> dict[str, Any]:
        self.counts["numbers"] += 1
        metadata = value.get("metadata") or {}
        dropped = ("namespace", "generateName", "uid", "resourceVersion", "managedFields")
        kept = {name: part for name, part in metadata.items() if name not in dropped}
        name = f"sample-{self.counts['numbers']}"
        place = {"namespace": _NAMESPACE} if namespaced else {}
        return {**value, "metadata": {**kept, **place, "name": name}}

    def _load(self, sample: Sample, *, strict: bool) -> None:
        try:
            objects = self._scheme.load(sample.text)
            if strict and "status" not in sample.value:  # the server looks at no status
                self._scheme.load(sample.text, strict=True)
        except ManifestError as error:
            self._fail("load", sample, error)
            return
        written = json.loads(self._scheme.dump_json(objects[0]))
        if meaning(written) != meaning(sample.value):
            self._fail("dump", sample, _difference(meaning(sample.value), meaning(written)))

    def _update(self, sample: Sample, client: Any, name: str) -> None:
        before = self._get(client, name)
        rest = self._cluster.clientset(_rest)
        place = (_NAMESPACE,) if client.resource.namespaced else ()
        typed = client(rest, *place)
        self._cluster.clear_actions()
        typed.update(typed.get(name))
        self.counts["updated samples"] += 1
        sent = self._cluster.writes[-1].object
        if meaning(sent) != meaning(before):
            self._fail("update", sample, f"sends {_difference(meaning(before), meaning(sent))}")
        after = self._get(client, name)
        if after != before and before == meaning(before):
            self._fail("update", sample, f"changes {_difference(before, after)}")
        self.counts["samples with nulls"] += before != meaning(before)

    def _create(self, client: Any, value: dict[str, Any], validation: str) -> bool:
        answer = self._ask("POST", f"{_path(client)}?fieldValidation={validation}", value)
        return answer.status == _CREATED

    def _get(self, client: Any, name: str) -> Any:
        return json.loads(self._ask("GET", f"{_path(client)}/{name}").body)

    def _ask(self, method: str, path: str, body: object = None) -> Response:
        headers = (("content-type", "application/json"), ("accept", "application/json"))
        data = None if body is None else json.dumps(body).encode()
        answer = self._cluster.server.handle(HttpRequest(method, path, headers, data))
        assert isinstance(answer, Response)
        return answer


def _served(folder: Path) -> Iterator[dict[str, Any]]:
    """The definitions in a folder, whose versions are the same without their webhooks."""
    for path in sorted(folder.iterdir()):
        for text in documents(path):
            definition, _ = load_yaml(text.encode())
            if isinstance(definition, dict) and definition.get("kind") == DEFINITION:
                definition["spec"].pop("conversion", None)
                yield definition


def _rest(rest: Any) -> Any:
    return rest


def _path(client: Any) -> str:
    resource = client.resource
    place = f"namespaces/{_NAMESPACE}/" if resource.namespaced else ""
    return f"/apis/{resource.group}/{resource.version}/{place}{resource.plural}"


def _clients(module: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """The client class of each kind that can be updated."""
    for package in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
        if not package.name.endswith(".clients"):
            continue
        for each in vars(importlib.import_module(package.name)).values():
            resource = getattr(each, "resource", None)
            if isinstance(each, type) and resource is not None and hasattr(each, "update"):
                yield (f"{resource.group}/{resource.version}", resource.kind), each


def _difference(one: Any, other: Any, path: str = "") -> str:
    """Where two JSON values first differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            if name not in one or name not in other:
                return f"{path}.{name}: {'only then' if name in other else 'no longer'}"
            if one[name] != other[name]:
                return _difference(one[name], other[name], f"{path}.{name}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            if left != right:
                return _difference(left, right, f"{path}[{number}]")
    return f"{path}: {json.dumps(one)[:80]} is {json.dumps(other)[:80]}"


def main(package: str, definitions: str, folder: str) -> None:
    """Take all samples in a folder through a package."""
    sys.path.insert(0, str(Path.cwd()))
    trips = RoundTrips(package, Path(definitions))
    for sample in samples(Path(folder), trips.kinds):
        trips.take(sample)
    del trips.counts["numbers"]
    print(json.dumps({"counts": trips.counts, "failures": trips.failures}))


if __name__ == "__main__":
    main(*sys.argv[1:])

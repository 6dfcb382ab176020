"""Writes openapi.json: what a server that knows crd.yaml says of the group, and of nothing else.

    python refresh.py && clientgen generate

The document of a whole cluster (`clientgen spec pull`) has every group; kubeapi has those already.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from clientgen.runtime.request import HttpRequest
from clientgen.runtime.sync import Rest
from clientgen.testing import FakeCluster, LocalServer

HERE = Path(__file__).parent
GROUP = "servicelookup.example.com"
REFERENCE = re.compile(r'"\$ref": "#/(definitions|parameters)/([^"]+)"')


def pull() -> dict[str, Any]:
    """The document of a server in memory, as `clientgen spec pull` would get it."""
    cluster = FakeCluster(crds=[HERE / "crd.yaml"])
    with LocalServer(cluster) as server, Rest.from_config(server.kubeconfig) as rest:
        answer = rest.send(HttpRequest("GET", "/openapi/v2"), rest.deadline({}))
    document: dict[str, Any] = json.loads(answer.body)
    return document


def only(document: dict[str, Any], group: str) -> dict[str, Any]:
    """The paths of one group, and what they refer to."""
    paths = {path: said for path, said in document["paths"].items() if f"/apis/{group}/" in path}
    parts: dict[str, dict[str, Any]] = {"definitions": {}, "parameters": {}}
    missing = references(paths)
    while missing:
        for section, name in missing:
            parts[section][name] = document[section][name]
        missing = {
            (section, name) for section, name in references(parts) if name not in parts[section]
        }
    return {**document, "paths": paths, **parts}


def references(part: object) -> set[tuple[str, str]]:
    """The sections and names that a part of a document refers to."""
    return set(REFERENCE.findall(json.dumps(part)))


def text() -> str:
    """What openapi.json is to say."""
    return json.dumps(only(pull(), GROUP), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    (HERE / "openapi.json").write_text(text(), "utf-8")

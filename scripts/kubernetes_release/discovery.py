"""What discovery says of built-in resources and the OpenAPI documents do not.

The documents are those of `api/discovery` in Kubernetes' sources, or answers of a server:
`kubectl get --raw /apis > apis.json`, `/api/v1 > api__v1.json`, and the same for each group version
(`apis__apps__v1.json`).
"""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from clientgen.testing._apiserver.discovery_facts import storage_version_hash
from clientgen.testing._apiserver.documents.server_discovery import version_rank

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["discovery_table", "served_verbs"]

_STAGES: Final = ("", *(f"{stage}{number}" for stage in ("beta", "alpha") for number in "123"))
_VERSIONS: Final = tuple(f"v{major}{stage}" for major, stage in product((1, 2), _STAGES))
_Resource = tuple[str, str, dict[str, Any]]
"""Group, version and an entry of an APIResourceList."""


def discovery_table(folder: Path) -> dict[str, Any]:
    """The ranks of groups, short names, categories, and versions that objects are stored in."""
    groups: list[dict[str, Any]] = json.loads((folder / "apis.json").read_bytes())["groups"]
    whole = [each for each in _resources(folder) if "/" not in each[2]["name"]]
    resources = sorted(whole, key=lambda each: version_rank(each[1]))
    short_names: dict[str, list[str]] = {}
    categories: dict[str, list[str]] = {}
    for group, _, each in resources:
        name = _qualified(group, each["name"])
        if each.get("shortNames"):
            short_names[name] = each["shortNames"]
        for category in each.get("categories", ()):
            if name not in categories.setdefault(category, []):
                categories[category].append(name)
    return {
        "groups": ["", *(each["name"] for each in groups)],
        "shortNames": dict(sorted(short_names.items())),
        "categories": {name: sorted(categories[name]) for name in sorted(categories)},
        "storedIn": dict(sorted(_stored_in(resources))),
    }


def served_verbs(folder: Path) -> dict[tuple[str, str, str], frozenset[str]]:
    """The verbs of each resource and subresource, by group, version and name."""
    return {
        (group, version, each["name"]): frozenset(each["verbs"])
        for group, version, each in _resources(folder)
    }


def _resources(folder: Path) -> Iterator[_Resource]:
    for file in sorted(folder.glob("api*__v*.json")):
        document: dict[str, Any] = json.loads(file.read_bytes())
        group, _, version = document["groupVersion"].rpartition("/")
        for each in document["resources"]:
            yield group, version, each


def _qualified(group: str, plural: str) -> str:
    return f"{plural}.{group}" if group else plural


def _stored_in(resources: list[_Resource]) -> Iterator[tuple[str, list[str]]]:
    """Where that is not the first version of a resource; `resources` begin with the stablest."""
    groups = sorted({group for group, _, _ in resources})
    seen: set[str] = set()
    for group, version, each in resources:
        name, stored = _qualified(group, each["name"]), each.get("storageVersionHash", "")
        if name in seen:
            continue
        seen.add(name)
        kind = each["kind"]
        if not stored or stored == storage_version_hash(group, version, kind):
            continue
        for home in product((group, *groups), _VERSIONS):
            if storage_version_hash(*home, kind) == stored:
                yield name, list(home)
                break
